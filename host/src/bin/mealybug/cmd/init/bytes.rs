//! The bytes behind what a person types, and the parts of what a device says.

use mealybug::device::ReplyLength;
use mealybug::draft::DevicePrompt;
use mealybug::escape::unescape;

/// What a person types at the end of a text that is sent without a line end.
pub(super) const NO_LINE_END: &str = "\\c";

/// Fewer bytes at the end of what a device says tell nothing: they also come by chance.
pub(super) const TELLING_BYTES: usize = 4;

/// A text with its escapes read, where it has any.
pub(super) fn text(answer: &str) -> Option<String> {
    match unescape(answer) {
        Some(bytes) => String::from_utf8(bytes).ok(),
        None => Some(answer.to_owned()),
    }
}

/// The text after the last line end of an answer: the prompt, if there is one.
pub(super) fn prompt(answer: &[u8]) -> &[u8] {
    let start = answer.iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    &answer[start.map_or(0, |at| at + 1)..]
}

/// The last line of an answer, with its line end: the prompt, if there is one.
pub(super) fn last_line(answer: &[u8]) -> &[u8] {
    let line = answer.trim_ascii_end();
    &answer[line.len() - prompt(line).len()..]
}

/// The last line of an answer before the prompt at its end, and that prompt; the last line alone where there is neither. `prompts`
/// are those of the device. A prompt is there without a reset, too; the line before it tells more.
pub(super) fn last_line_and_prompt<'a>(answer: &'a [u8], prompts: &[DevicePrompt]) -> &'a [u8] {
    let known = prompt_of(answer, prompts).and_then(|known| known.len_in(answer));
    let Some(known) = known else { return last_line(answer) };
    let prompt_bytes = known.max(prompt(answer).len());
    let before = answer[..answer.len() - prompt_bytes].trim_ascii_end();
    match before.is_empty() {
        true => last_line(answer),
        false => &answer[before.len() - prompt(before).len()..],
    }
}

/// The end of a greeting in lines of text: its last line, with the prompt behind it. A byte that is lost in the lines before, or
/// changes there, then fails no reset. A line must tell something, so a short one is told with those before it. Other bytes are
/// told whole.
pub(super) fn end_of_greeting(greeting: &[u8]) -> &[u8] {
    let is_control = |c: char| c.is_control() && !"\r\n\t".contains(c);
    if std::str::from_utf8(greeting).map_or(true, |text| text.contains(is_control)) {
        return greeting;
    }
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let starts = (1..greeting.len()).rev().filter(|start| is_end(&greeting[start - 1]));
    let ends = starts.map(|start| &greeting[start..]).find(|end| {
        let text = end.trim_ascii_start();
        text.iter().any(is_end) && text.trim_ascii_end().len() >= TELLING_BYTES
    });
    ends.unwrap_or(greeting)
}

/// The prompt with which an answer ends; the longest one that fits.
pub(super) fn prompt_of<'p>(
    answer: &[u8],
    prompts: &'p [DevicePrompt],
) -> Option<&'p DevicePrompt> {
    let fitting = prompts.iter().filter_map(|prompt| Some((prompt.len_in(answer)?, prompt)));
    fitting.max_by_key(|(len, _)| *len).map(|(_, prompt)| prompt)
}

/// The regular expression between slashes.
pub(super) fn typed_pattern(answer: &str) -> Option<&str> {
    answer.strip_prefix('/')?.strip_suffix('/').filter(|pattern| !pattern.is_empty())
}

/// Whether an answer is that of a modem: a line that says so, between empty lines.
pub(super) fn is_modem(answer: &[u8]) -> bool {
    let last = last_line(answer).trim_ascii_end();
    answer.starts_with(b"\r\n") && (last == b"OK" || last.starts_with(b"ERROR"))
}

/// What is sent: a line, or bytes in hex or as escapes. A control character alone is a key and ends no line,
/// nor does a text with `\c` at its end (as in `printf %b` of a shell). Nothing at all cannot be sent.
pub(super) fn sent(answer: &str, is_text: bool, line_end: &str) -> Result<Vec<u8>, &'static str> {
    if is_text {
        let read = |text: &str| unescape(text).unwrap_or_else(|| text.as_bytes().to_vec());
        let bytes = match answer.strip_suffix(NO_LINE_END) {
            Some(key) => read(key),
            None => match read(answer) {
                line if matches!(*line, [byte] if byte.is_ascii_control()) => line,
                line => [&line, line_end.as_bytes()].concat(),
            },
        };
        return Some(bytes).filter(|bytes| !bytes.is_empty()).ok_or("something to send");
    }
    if answer.contains("${") {
        return Err(
            "hex digits without ${…}: a checksum is asked for after the inputs, and all else is written into the file by hand",
        );
    }
    let bytes = typed_bytes(answer).filter(|bytes| !bytes.is_empty());
    bytes.ok_or("pairs of hex digits, such as 01 03 ff, or \\x01\\x03\\xff")
}

/// Bytes that a person types as pairs of hex digits, as escapes such as `\x7e` and `\r`, or both.
fn typed_bytes(answer: &str) -> Option<Vec<u8>> {
    let typed: String = answer.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (mut bytes, mut rest) = (Vec::new(), &*typed);
    while !rest.is_empty() {
        let len = if rest.starts_with("\\x") { 4 } else { 2 };
        let (byte, after) = rest.split_at_checked(len)?;
        let escaped = if byte.starts_with('\\') { byte } else { &format!("\\x{byte}") };
        bytes.extend(unescape(escaped)?);
        rest = after;
    }
    Some(bytes)
}

/// The length of a reply: a number of bytes, or where the reply holds it, `2 1 5 le`.
pub(super) fn reply_length(answer: &str) -> Option<ReplyLength> {
    let (numbers, little_endian) = match answer.trim().strip_suffix("le") {
        Some(numbers) => (numbers, true),
        None => (answer, false),
    };
    // A device file has numbers of at most 32 bits.
    let number = |number: &str| usize::try_from(number.parse::<u32>().ok()?).ok();
    let numbers: Vec<usize> = numbers.split_whitespace().map(number).collect::<Option<_>>()?;
    match numbers[..] {
        [bytes] if bytes > 0 && !little_endian => Some(ReplyLength::Fixed(bytes)),
        [at, size @ 1..=4, plus] => Some(ReplyLength::Field { at, size, plus, little_endian }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_typed_as_hex_digits_or_as_escapes() {
        for typed in ["7e ff 0d", "7EFF0d", r"\x7e\xff\r", r"\x7e\xFF 0d", r"7e \xff\x0d"] {
            assert_eq!(sent(typed, false, "\n"), Ok(vec![0x7e, 0xff, b'\r']), "{typed}");
        }
        for wrong in ["", "7", "7e f", r"\x7", r"\x7g", r"\xé", "+7", r"\q", r"\", "é", r"7\x7e"]
        {
            assert!(sent(wrong, false, "").is_err(), "{wrong}");
        }
        let instead = sent("01 03 ${sum8}", false, "").expect_err("hex digits alone");
        assert!(instead.contains("a checksum is asked for after the inputs"), "{instead}");
    }

    #[test]
    fn the_length_of_a_reply_is_a_number_or_a_field() {
        let field = |little_endian| ReplyLength::Field { at: 2, size: 1, plus: 5, little_endian };
        assert_eq!(reply_length("8"), Some(ReplyLength::Fixed(8)));
        assert_eq!(reply_length("2 1 5"), Some(field(false)));
        assert_eq!(reply_length(" 2 1 5 le"), Some(field(true)));
        assert_eq!(reply_length("4294967295"), Some(ReplyLength::Fixed(4_294_967_295)));
        for wrong in ["4294967296", "80000000000", "4294967296 1 5", "2 1 4294967296"] {
            assert_eq!(reply_length(wrong), None, "{wrong}");
        }
        for wrong in ["", "0", "le", "8 le", "2 1", "2 0 5", "2 5 5", "2 1 5 6", "x", "-1"] {
            assert_eq!(reply_length(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_line_before_a_prompt_is_told_with_the_prompt() {
        let prompts = [">", "> ", "$ "].map(DevicePrompt::from);
        for (answer, line) in [
            (&b"\r\r\rELM327 v1.5\r\r>"[..], &b"ELM327 v1.5\r\r>"[..]),
            (b"SQLite 3.40\r\nEnter help\r\nsqlite> ", b"Enter help\r\nsqlite> "),
            (b"\r\n\r\n> ", b"> "),
            (b"> ", b"> "),
            (b"boot\r\nready\r\n", b"ready\r\n"),
            (b"boot\r\nready# ", b"ready# "),
        ] {
            assert_eq!(last_line_and_prompt(answer, &prompts), line);
        }
        assert_eq!(prompt_of(b"a> ", &prompts), Some(&"> ".into()));
        assert_eq!(prompt_of(b"a# ", &prompts), None);
    }

    #[test]
    fn of_a_greeting_in_lines_the_last_one_is_told() {
        for (greeting, end) in [
            (&b"ROM 1\r\nRAM ok\r\nready\r\n"[..], &b"ready\r\n"[..]),
            (b"ROM 1\r\nready\r\n\r\n", b"ready\r\n\r\n"),
            (b"ROM 1\r\nready\r\n> ", b"ready\r\n> "),
            (b"ROM 1\rready\r\r>", b"ready\r\r>"),
            // These are too short.
            (b"ROM 1\r\nready\r\nok\r\n", b"ready\r\nok\r\n"),
            (b"ROM 1\r\n> ", b"ROM 1\r\n> "),
            (b"ready\r\n", b"ready\r\n"),
            // Bytes.
            (b"\x02ROM\nready\n", b"\x02ROM\nready\n"),
            (b"\xffROM\nready\n", b"\xffROM\nready\n"),
        ] {
            assert_eq!(end_of_greeting(greeting), end, "{}", greeting.escape_ascii());
        }
    }

    #[test]
    fn the_last_line_of_an_answer_is_its_prompt_if_it_has_one() {
        for (answer, line, end) in [
            (&b"\r\nopen\r\n> "[..], &b"> "[..], &b"> "[..]),
            (b"boot\r\nready\r\n", b"ready\r\n", b""),
            (b"\r\n", b"\r\n", b""),
            (b"$ ", b"$ ", b"$ "),
        ] {
            assert_eq!((last_line(answer), prompt(answer)), (line, end));
        }
        assert!(is_modem(b"\r\n+CPIN: READY\r\n\r\nOK\r\n") && !is_modem(b"OK\n"));
    }
}
