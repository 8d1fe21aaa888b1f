//! Checks the functions that copy, move, fill and compare memory, for all short lengths and alignments, and prints the result on
//! UART0.
#![no_std]
#![no_main]

use core::cmp::Ordering;
use core::hint::black_box;

use cortex_m_rt::entry;
use lm3s6965evb::start;
use mealybug_adapters::Link as _;
use panic_halt as _;

const LEN: usize = 40;
/// The longest piece, five words.
const MAX: usize = 20;
/// Pieces begin at these places: all alignments, before and behind each other.
const PLACES: usize = 16;

#[repr(align(4))]
#[derive(Clone, Copy)]
struct AlignedBytes([u8; LEN]);

#[entry]
fn main() -> ! {
    let [mut host, _] = start();
    let what = [
        ("move", moves as fn(usize, usize, usize) -> bool),
        ("copy", copies),
        ("fill", fills),
        ("compare", compares),
    ];
    for (name, is_right) in what {
        host.write(name.as_bytes());
        host.write(if all(is_right) { b": right\n" } else { b": wrong\n" });
    }
    host.write(b"end\n");
    loop {
        cortex_m::asm::wfi();
    }
}

/// Whether a check holds for each place, each other place and each length.
fn all(is_right: fn(usize, usize, usize) -> bool) -> bool {
    (0..PLACES).all(|from| (0..PLACES).all(|to| (0..=MAX).all(|len| is_right(from, to, len))))
}

/// The numbers from 1 on, written one by one.
fn numbered() -> AlignedBytes {
    let mut bytes = AlignedBytes([0; LEN]);
    for (byte, number) in bytes.0.iter_mut().zip(1..) {
        *byte = black_box(number);
    }
    bytes
}

/// Whether `bytes` are numbered, but for `len` of them at `to`, which are as `wanted` says.
fn is_numbered(bytes: &AlignedBytes, to: usize, len: usize, wanted: impl Fn(usize) -> u8) -> bool {
    let numbers = numbered();
    bytes.0.iter().zip(numbers.0).enumerate().all(|(at, (&byte, number))| {
        byte == if (to..to + len).contains(&at) { wanted(at - to) } else { number }
    })
}

fn number(at: usize) -> u8 {
    u8::try_from(at + 1).unwrap_or(0)
}

fn moves(from: usize, to: usize, len: usize) -> bool {
    let mut bytes = numbered();
    bytes.0.copy_within(from..from + len, to);
    is_numbered(&bytes, to, len, |at| number(from + at))
}

fn copies(from: usize, to: usize, len: usize) -> bool {
    let mut source = numbered();
    source.0.iter_mut().for_each(|byte| *byte = black_box(*byte | 0x80));
    let mut bytes = numbered();
    bytes.0[to..to + len].copy_from_slice(&source.0[from..from + len]);
    is_numbered(&bytes, to, len, |at| number(from + at) | 0x80)
}

fn fills(value: usize, to: usize, len: usize) -> bool {
    let mut bytes = numbered();
    let value = black_box(number(value) | 0x80);
    bytes.0[to..to + len].fill(value);
    is_numbered(&bytes, to, len, |_| value)
}

/// One byte differs, or none.
fn compares(other: usize, to: usize, len: usize) -> bool {
    let bytes = numbered();
    let mut changed = numbered();
    changed.0[to + other] = black_box(0xff);
    let order = bytes.0[to..to + len].cmp(&changed.0[to..to + len]);
    order == if other < len { Ordering::Less } else { Ordering::Equal }
}
