//! The converter that `dist/firmware` makes images with.

#[path = "../../../dist/uf2.rs"]
#[allow(dead_code, reason = "its command line")]
mod uf2;

/// The bytes of the example, which begins at the start of the flash and ends within a page.
fn program() -> Vec<u8> {
    (0..600_u32).map(|at| u8::try_from(at % 251).expect("it fits")).collect()
}

/// An ELF file with the program in two segments, one with memory that is not in the file, and one of another kind.
fn elf() -> Vec<u8> {
    let program = program();
    let headers = [
        // Kind, offset, address in memory, address in flash, bytes in the file.
        [1, 300, 0x1000_0000, 0x1000_0000, 256],
        [1, 300 + 256, 0x2000_0000, 0x1000_0100, 600 - 256],
        [1, 300, 0x2000_1000, 0x2000_1000, 0],
        [0x6474_e551, 300, 0, 0x1000_0800, 8],
    ];
    let mut elf = b"\x7fELF\x01\x01\x01".to_vec();
    elf.resize(52, 0);
    elf[28..32].copy_from_slice(&52_u32.to_le_bytes());
    elf[42..44].copy_from_slice(&32_u16.to_le_bytes());
    elf[44..46].copy_from_slice(&4_u16.to_le_bytes());
    for header in headers {
        header.iter().for_each(|word: &u32| elf.extend(word.to_le_bytes()));
        elf.extend([0; 12]);
    }
    elf.resize(300, 0xee);
    elf.extend(program);
    elf
}

/// `example.uf2` is what `uf2conv -c -b 0x10000000 -f RP2040` of UF2's authors makes of the same bytes.
#[test]
fn a_uf2_file_is_as_that_of_its_authors() {
    assert_eq!(uf2::convert(&elf()).expect("it is one"), include_bytes!("example.uf2"));
}

#[test]
fn what_is_no_program_for_a_pico_is_refused() {
    let elf = elf();
    let refused = |bytes: &[u8]| uf2::convert(bytes).expect_err("it is refused");
    assert!(refused(b"#!/bin/sh").contains("no ELF file"), "{}", refused(b"#!/bin/sh"));
    for len in [8, 40, 100, elf.len() - 1] {
        assert_eq!(refused(&elf[..len]), "the file is cut off", "{len} bytes");
    }
    let mut elsewhere = elf;
    for at in [52, 84] {
        elsewhere[at + 12..at + 16].copy_from_slice(&0x0800_0000_u32.to_le_bytes());
    }
    assert!(refused(&elsewhere).contains("flash of an RP2040"), "{}", refused(&elsewhere));
}
