//! What all the devices have in common: they are told lines, and each line has an answer.

/// Something that is told what to do, line by line.
pub trait ConsoleDevice {
    /// What it says after a reset.
    const BANNER: &'static str;

    /// Its inputs where it is [built into](crate::BuiltIn) a program, and their names.
    const INPUTS: &'static [(&'static str, BuiltInInput)];

    /// Does what a line says and returns what to answer. `now_ms` counts from some time on.
    fn command(&mut self, line: &[u8], now_ms: u64) -> &'static str;
}

/// What an input of a built-in device does.
#[derive(Clone, Copy, Debug)]
pub enum BuiltInInput {
    /// The device is told this line.
    Say(&'static str),
    /// So much time passes for the device. Nobody waits: its clock moves only here.
    Wait {
        /// How much.
        ms: u32,
    },
}
