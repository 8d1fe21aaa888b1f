//! Echoes of line editors, which draw the line anew with each key.

/// What stands in a line of a terminal after these bytes, or `None` if they move no cursor.
fn drawn(bytes: &[u8]) -> Option<Vec<u8>> {
    let (mut line, mut at, mut moves) = (Vec::new(), 0_usize, false);
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\r' => at = 0,
            0x08 => (at, moves) = (at.saturating_sub(1), true),
            0x1b => {
                let (count, command);
                (count, command, rest) = control_sequence(after)?;
                moves = true;
                match command {
                    b'C' => at = (at + count.max(1)).min(line.len()),
                    b'D' => at = at.saturating_sub(count.max(1)),
                    b'K' => line.truncate(at),
                    _ => {}
                }
            }
            byte if byte.is_ascii_control() => {}
            byte => {
                match line.get_mut(at) {
                    Some(old) => *old = byte,
                    None => line.push(byte),
                }
                at += 1;
            }
        }
    }
    moves.then_some(line)
}

/// The number and the last byte of a control sequence behind its escape, and what follows.
fn control_sequence(bytes: &[u8]) -> Option<(usize, u8, &[u8])> {
    let bytes = bytes.strip_prefix(b"[")?;
    let end = bytes.iter().position(u8::is_ascii_alphabetic)?;
    let count = std::str::from_utf8(&bytes[..end]).ok()?.parse().unwrap_or(0);
    Some((count, bytes[end], &bytes[end + 1..]))
}

/// What follows the first line of `answer`, if that line draws `line`.
pub(super) fn without_drawn<'a>(answer: &'a [u8], line: &str) -> Option<&'a [u8]> {
    let end = answer.iter().position(|&byte| byte == b'\n')?;
    let shown = drawn(&answer[..end])?;
    (!line.is_empty() && shown.ends_with(line.as_bytes())).then(|| &answer[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_drawn_key_by_key_is_the_echo() {
        let qemu =
            b"c\x1b[K\x1b[Dco\x1b[K\x1b[D\x1b[Dcon\x1b[K\x1b[3Dcont\x1b[K\r\npaused\r\n(qemu) ";
        assert_eq!(without_drawn(qemu, "cont"), Some(&b"paused\r\n(qemu) "[..]));
        let linenoise = b"\r> c\x1b[0K\r\x1b[3C\r> co\x1b[0K\r\x1b[4C\r\n? ";
        assert_eq!(without_drawn(linenoise, "co"), Some(&b"? "[..]));
        assert_eq!(without_drawn(b"x\x08co\r\nok", "co"), Some(&b"ok"[..]));
    }

    #[test]
    fn other_lines_are_none() {
        for answer in [
            &b"cont\r\nok"[..],
            b"\x1b[32mok\x1b[m\r\n> ",
            b"cont\x1b[K",
            b"cont\x1b[\r\n",
            b"cont\x1b\r\n",
            b"cont\x1b[D\x1b[D\x1b[K\r\n",
            b"\x1b[99999999999999999999Ccon\r\n",
        ] {
            assert_eq!(without_drawn(answer, "cont"), None, "{}", answer.escape_ascii());
        }
        assert_eq!(without_drawn(b"\x1b[K\r\n", ""), None);
    }
}
