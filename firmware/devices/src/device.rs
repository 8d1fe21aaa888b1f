//! The trait of all devices here: a device takes lines and answers each one.

/// A device that takes commands line by line.
pub trait ConsoleDevice {
    /// What the device says after a reset.
    const BANNER: &'static str;

    /// The inputs and their names, for a device that is [built into](crate::BuiltIn) a program.
    const INPUTS: &'static [(&'static str, BuiltInInput)];

    /// Carries out a line and returns the answer. `now_ms` counts from a fixed moment.
    fn command(&mut self, line: &[u8], now_ms: u64) -> &'static str;
}

/// What an input of a built-in device does.
#[derive(Clone, Copy, Debug)]
pub enum BuiltInInput {
    /// Give the device this line.
    Say(&'static str),
    /// Let time pass for the device. Nobody waits: the clock of a built-in device moves only here.
    Wait {
        /// How much time.
        ms: u32,
    },
}
