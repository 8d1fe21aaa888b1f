//! What a probe sees, as a short text.

use heapless::Vec;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::wire::probe;

/// The longest text, in bytes: room for 21 bytes in hexadecimal.
pub const MAX_SEEN: usize = probe::MAX_SEEN;

/// A short text that grows at its end.
#[derive(Clone, Debug)]
pub struct Seen(Vec<u8, MAX_SEEN>);

impl Seen {
    /// An empty text.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The whole text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Empties the text.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps the first `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Appends a blank, unless the text is empty.
    pub(crate) fn separate(&mut self) -> Result<(), DeviceError> {
        if self.0.is_empty() { Ok(()) } else { self.push(b" ") }
    }

    /// Appends a number in decimal.
    pub(crate) fn push_number(&mut self, number: u32) -> Result<(), DeviceError> {
        let mut digits = [0; 10];
        let mut left = number;
        let mut len = 0;
        for place in digits.iter_mut().rev() {
            // A remainder by 10 is a byte.
            *place = b'0' + (left % 10) as u8;
            left /= 10;
            len += 1;
            if left == 0 {
                break;
            }
        }
        digits.iter().skip(10 - len).try_for_each(|&digit| self.push(&[digit]))
    }

    /// Appends bytes as they are.
    ///
    /// # Errors
    /// [`DeviceError::TooLong`]; the text then holds as many bytes as fit.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        bytes.iter().try_for_each(|&byte| self.0.push(byte)).map_err(|_| DeviceError::TooLong)
    }

    /// Appends bytes in hexadecimal: `1f 00`.
    ///
    /// # Errors
    /// The same as [`push`](Self::push).
    pub fn push_hex(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        for (at, &byte) in bytes.iter().enumerate() {
            if at > 0 {
                self.push(b" ")?;
            }
            self.push(&[digit(byte >> 4), digit(byte & 0xf)])?;
        }
        Ok(())
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::new()
    }
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' - 10 + value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_fits_and_no_more() {
        let mut text = Seen::new();
        assert_eq!(text.push_hex(&[0x1f, 0xa0]), Ok(()));
        assert_eq!(text.as_bytes(), b"1f a0");
        text.clear();
        assert_eq!(text.push_hex(&[0xff; 21]), Ok(()));
        assert_eq!(text.as_bytes().len(), 62);
        assert_eq!(text.push(b"x"), Ok(()));
        assert_eq!(text.push(b"x"), Err(DeviceError::TooLong));
        assert_eq!(text.as_bytes().len(), MAX_SEEN);
        text.clear();
        assert_eq!(text.separate(), Ok(()));
        for number in [0, 7, 10, 4_294_967_295] {
            assert_eq!(text.push_number(number), Ok(()));
            assert_eq!(text.separate(), Ok(()));
        }
        text.truncate(15);
        assert_eq!(text.as_bytes(), b"0 7 10 42949672");
    }
}
