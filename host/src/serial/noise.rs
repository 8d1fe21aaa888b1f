//! Recognises bytes that were received at the wrong baud rate.

/// With fewer bytes nothing can be said.
const ENOUGH_BYTES: usize = 4;
/// Text has one NUL byte in this many at most.
const BYTES_PER_NUL: usize = 4;

/// What a device sent instead of what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unexpected {
    /// Nothing.
    Nothing,
    /// Mostly bytes that are not text, where text was expected.
    Noise,
    /// Frames of a board with our learner or agent.
    Target,
    /// Nothing is known of the device: a command of the host failed.
    Command,
    /// Other bytes, or the fault was of another kind.
    Other,
}

/// Whether most of these bytes are not text; call it only where text was expected.
///
/// At a wrong baud rate the port samples the bits of a character at the wrong times and reads bytes
/// that text does not contain. One byte in three still looks like text by chance.
pub(super) fn is_noise(bytes: &[u8]) -> bool {
    bytes.len() >= ENOUGH_BYTES && 2 * text_bytes(bytes) < bytes.len()
}

/// Whether these bytes are all text, and at least one.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes.is_empty() && text_bytes(bytes) == bytes.len()
}

/// Whether these bytes are text but for a few NUL bytes, which some devices put into theirs.
pub(super) fn is_readable(bytes: &[u8]) -> bool {
    let others: Vec<_> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let nuls = bytes.len() - others.len();
    is_text(&others) && nuls * BYTES_PER_NUL <= bytes.len()
}

fn text_bytes(bytes: &[u8]) -> usize {
    let is_text = |c: &char| !c.is_control() || "\t\r\n\x07\x08\x1b".contains(*c);
    let text = |text: &str| text.chars().filter(is_text).map(char::len_utf8).sum::<usize>();
    bytes.utf8_chunks().map(|chunk| text(chunk.valid())).sum()
}

/// Whether a pattern is for text: it contains no byte by its number.
pub(super) fn is_for_text(pattern: &str) -> bool {
    !pattern.contains(r"\x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_noise_and_noise_is() {
        let text: [&[u8]; 5] = [
            b"",
            b"\xff\xfe\x00",
            b"\x1b[1mready> \x07",
            "wärmer 25 °C".as_bytes(),
            b"\0\0booting\r\n",
        ];
        for text in text {
            assert!(!is_noise(text), "{}", text.escape_ascii());
        }
        // `ready> ` sent at 115 200 baud and read at 9600, and the other way round.
        for noise in [&b"\xf8\x00\xe0x\x80"[..], b"\x00\xe6\x98\x06\x00\xfe\x80\x00"] {
            assert!(is_noise(noise), "{}", noise.escape_ascii());
        }
        assert!(is_text(b"help\r") && is_text("wärmer".as_bytes()));
        assert!(!is_text(b"") && !is_text(b"\x18") && !is_text(&[1, 3, 0, 7]));
        assert!(is_readable(b"\x00ok\r\n> ") && is_readable(b"ok"));
        let unreadable = [&b""[..], b"\x00\x00ok", b"\x00\x18ok\r\n", b"\x00"];
        assert!(!unreadable.into_iter().any(is_readable));
    }
}
