//! What passed over a link as people read it: when, in which direction, in hex and as text.

use std::fmt::Write;
use std::time::Duration;

use mealybug::device::ControlLine;
use mealybug::escape::{escape, hex_pairs};
use mealybug::serial::{Passed, TraceEvent};

/// So many bytes stand in a line: with the text beside them they fit 80 columns.
const ROW_BYTES: usize = 12;
/// The text beside a row is no wider.
const TEXT_COLUMNS: usize = 25;
/// Of more bytes in a row than this, both ends are shown.
const SHOWN_BYTES: usize = 16 * ROW_BYTES;
/// Pieces that follow each other so closely are shown as one.
const APART: Duration = Duration::from_millis(10);

/// A line for each few bytes that passed; times count from `start`.
///
/// ```text
///       0.0 ms  >  6f 70 65 6e 0d                        open\r
///       7.9 ms  <  6f 6b 0d 0a                           ok\r\n
/// ```
pub(crate) fn text(events: &[TraceEvent], start: Duration) -> String {
    let mut text = String::new();
    for TraceEvent { at, what } in joined(events) {
        let ms = at.saturating_sub(start).as_secs_f64() * 1000.0;
        let time = format!("{ms:>9.1} ms");
        match what {
            Passed::Sent(bytes) => rows(&mut text, &time, '>', &bytes),
            Passed::Received(bytes) => rows(&mut text, &time, '<', &bytes),
            // They were shown when they came.
            Passed::Resumed(_) => {}
            Passed::Set(line, level) => {
                let line = match line {
                    ControlLine::Dtr => "DTR",
                    ControlLine::Rts => "RTS",
                    ControlLine::Break => "break",
                };
                let level = if level { "on" } else { "off" };
                writeln!(text, "{time}  >  {line} {level}").expect(TAKES_ALL);
            }
            Passed::Reopened => writeln!(text, "{time}  >  connected anew").expect(TAKES_ALL),
        }
    }
    text
}

const TAKES_ALL: &str = "a string takes everything";

fn rows(text: &mut String, time: &str, arrow: char, bytes: &[u8]) {
    let rows = bytes.len().div_ceil(ROW_BYTES);
    let half = SHOWN_BYTES / ROW_BYTES / 2;
    let mut time = time;
    for (number, row) in bytes.chunks(ROW_BYTES).enumerate() {
        if rows > 2 * half && (half..rows - half).contains(&number) {
            if number == half {
                let between = (rows - 2 * half) * ROW_BYTES;
                writeln!(text, "{:>12}  {arrow}  … {between} bytes more …", "").expect(TAKES_ALL);
            }
            continue;
        }
        let width = 3 * ROW_BYTES - 1;
        writeln!(text, "{time:>12}  {arrow}  {:<width$}   {}", hex_pairs(row), beside(row))
            .expect(TAKES_ALL);
        time = "";
    }
}

/// The text beside a row; bytes that are mostly no text are dots there, as in other dumps.
fn beside(row: &[u8]) -> String {
    let text = escape(row);
    if text.chars().count() <= TEXT_COLUMNS {
        return text;
    }
    let shown = |byte: &u8| if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '.' };
    row.iter().map(shown).collect()
}

/// The events, with pieces that belong together in one.
fn joined(events: &[TraceEvent]) -> Vec<TraceEvent> {
    let mut all: Vec<TraceEvent> = Vec::new();
    let mut last = Duration::ZERO;
    for event in events {
        let is_close = event.at.saturating_sub(last) < APART;
        last = event.at;
        match (all.last_mut().map(|event| &mut event.what), &event.what) {
            (Some(Passed::Sent(before)), Passed::Sent(bytes))
            | (Some(Passed::Received(before)), Passed::Received(bytes))
                if is_close =>
            {
                before.extend_from_slice(bytes);
            }
            _ => all.push(event.clone()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(ms: u64, what: Passed) -> TraceEvent {
        TraceEvent { at: Duration::from_millis(ms), what }
    }

    #[test]
    fn bytes_stand_in_rows_and_pieces_are_joined() {
        let received = |ms, bytes: &[u8]| event(ms, Passed::Received(bytes.to_vec()));
        let events = [
            event(1000, Passed::Reopened),
            event(1000, Passed::Set(ControlLine::Dtr, false)),
            event(1001, Passed::Sent(b"open\r".to_vec())),
            received(1004, b"o"),
            received(1006, b"k\r\n"),
            received(1050, &[b'.'; ROW_BYTES + 1]),
            received(1090, b"ready> \x80\x81\x82\x83\x84"),
        ];
        let text = text(&events, Duration::from_secs(1));
        let pad = |hex: &str| format!("{hex:<35}");
        let expected = [
            "      0.0 ms  >  connected anew".to_owned(),
            "      0.0 ms  >  DTR off".to_owned(),
            format!(r"      1.0 ms  >  {}   open\r", pad("6f 70 65 6e 0d")),
            format!(r"      4.0 ms  <  {}   ok\r\n", pad("6f 6b 0d 0a")),
            format!("     50.0 ms  <  {}   {}", ["2e"; 12].join(" "), ".".repeat(12)),
            format!("              <  {}   .", pad("2e")),
            "     90.0 ms  <  72 65 61 64 79 3e 20 80 81 82 83 84   ready> .....".to_owned(),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn of_many_bytes_both_ends_are_shown() {
        let mut bytes = vec![b'.'; 300];
        (bytes[0], bytes[299]) = (b'a', b'z');
        let text = text(&[event(0, Passed::Received(bytes))], Duration::ZERO);
        assert_eq!(text.lines().count(), 17);
        assert!(text.contains("… 108 bytes more …"), "{text}");
        assert!(text.contains("   a...") && text.trim_end().ends_with("...z"), "{text}");
    }
}
