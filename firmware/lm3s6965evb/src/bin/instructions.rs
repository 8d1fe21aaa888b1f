//! Measures how many instructions the learner takes for each symbol, by the size of its table.
//!
//! It learns larger and larger versions of the example in Figure 2 of the paper and prints the
//! results on UART0. It measures [`Session::next`] alone, without the device and the line. In QEMU
//! with `-icount shift=8` ticks count instructions: an instruction takes 256 ns, a tick 80 ns.
#![no_std]
#![no_main]

use core::fmt::{self, Write};

use cortex_m_rt::entry;
use lm3s6965evb::{Port, start};
use mealybug_adapters::{Attached, Link as _};
use mealybug_core::{Action, Options, Reply, Session, SessionError, Sul};
use mealybug_devices::toy::Toy;
use panic_halt as _;

const LEARNER_BYTES: usize = 48 * 1024;

/// A port to which text is written.
struct Text(Port);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, _] = start();
    let mut text = Text(host);
    learn::<4>(&mut text, MEMORY);
    learn::<8>(&mut text, MEMORY);
    learn::<16>(&mut text, MEMORY);
    learn::<32>(&mut text, MEMORY);
    let _ = writeln!(text, "end");
    loop {
        cortex_m::asm::wfi();
    }
}

/// Learns a device and prints the cost.
fn learn<const N: u8>(text: &mut Text, memory: &mut [u32]) {
    let mut device = Toy::<N>::default();
    let options = Options::new().passing_tests(100);
    let Ok(mut session) = Session::new(memory, device.inputs(), options) else { return };
    let clock = text.0.board().clock();
    let mut ticks = 0;
    let mut reply = Reply::Ready;
    let why: Result<_, SessionError> = loop {
        let before = clock.now_ticks();
        let action = session.next(0, reply);
        ticks += clock.now_ticks() - before;
        reply = match action {
            Ok(Action::Reset) => device.reset().map_or(Reply::Ready, |()| Reply::Ready),
            Ok(Action::Input(input)) => device.step(input).map_or(Reply::Ready, Reply::Output),
            Ok(Action::Idle | Action::Hypothesis) => Reply::Ready,
            Ok(Action::Done(why)) => break Ok(why),
            Err(error) => break Err(error),
        };
    };
    let progress = session.progress();
    let symbols = progress.learning.symbols + progress.testing.symbols;
    let a_symbol = ticks * 80 / 256 / symbols.max(1);
    // The port takes everything.
    let _ = writeln!(
        text,
        "toy example, n = {N}: {a_symbol} instructions a symbol, {symbols} symbols, {} bytes, {} components: {why:?}",
        progress.learner_bytes, progress.components
    );
}
