//! The line console that all devices share.

use crate::ConsoleDevice;

/// Ctrl-X resets a device, whatever it is doing.
const RESET: u8 = 0x18;

/// The longest line; a longer one is refused as a whole.
const MAX_LINE: usize = 40;

/// The console of a device: it collects bytes into lines, and answers each with a line and a
/// prompt.
#[derive(Debug)]
pub struct Console<D> {
    device: D,
    line: [u8; MAX_LINE],
    /// The number of bytes of the line so far; it exceeds the room when the line is too long.
    len: usize,
}

impl<D: ConsoleDevice + Default> Default for Console<D> {
    /// A device after its reset.
    fn default() -> Self {
        Self { device: D::default(), line: [0; MAX_LINE], len: 0 }
    }
}

impl<D: ConsoleDevice + Default> Console<D> {
    /// Prints the banner and a prompt.
    pub fn start(&mut self, say: &mut impl FnMut(&[u8])) {
        say(D::BANNER.as_bytes());
        say(b"\r\n> ");
    }

    /// Takes the next byte.
    pub fn take(&mut self, byte: u8, now_ms: u64, say: &mut impl FnMut(&[u8])) {
        match byte {
            RESET => {
                *self = Self::default();
                self.start(say);
            }
            b'\r' => {
                let answer = match self.line.get(..self.len) {
                    Some(line) => self.device.command(line, now_ms),
                    None => "line too long",
                };
                self.len = 0;
                say(answer.as_bytes());
                say(b"\r\n> ");
            }
            b'\n' => {}
            _ => {
                if let Some(place) = self.line.get_mut(self.len) {
                    *place = byte;
                }
                self.len = (self.len + 1).min(MAX_LINE + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;
    use crate::BuiltInInput;
    use crate::tests::talk;

    #[derive(Debug, Default)]
    struct LineCounter(u8);

    impl ConsoleDevice for LineCounter {
        const BANNER: &'static str = "counter";
        const INPUTS: &'static [(&'static str, BuiltInInput)] = &[];

        fn command(&mut self, line: &[u8], _: u64) -> &'static str {
            self.0 += u8::from(line == b"x".repeat(MAX_LINE).as_slice());
            ["none", "one", "two"][usize::from(self.0)]
        }
    }

    #[test]
    fn the_longest_line_fits_and_a_longer_one_is_refused() {
        let longest: &str = &"x".repeat(MAX_LINE);
        let longer: &str = &"x".repeat(MAX_LINE + 1);
        let much_longer: &str = &"x".repeat(1000);
        assert_eq!(
            talk::<LineCounter>(&[
                (0, longest),
                (0, longer),
                (0, much_longer),
                (0, longest),
                (0, "")
            ]),
            ["one", "line too long", "line too long", "two", "two"]
        );
    }

    #[test]
    fn ctrl_x_resets_in_the_middle_of_a_line() {
        let mut console = Console::<LineCounter>::default();
        let mut said = String::new();
        let longest = "x".repeat(MAX_LINE);
        for byte in std::format!("{longest}\rx\x18\r").into_bytes() {
            console.take(byte, 0, &mut |bytes| {
                said.push_str(std::str::from_utf8(bytes).expect("text"));
            });
        }
        assert_eq!(said, "one\r\n> counter\r\n> none\r\n> ");
    }
}
