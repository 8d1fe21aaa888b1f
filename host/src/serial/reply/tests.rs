//! Each end of a reply, and that it does not matter how the bytes were split into pieces.

use std::time::Instant;

use regex::bytes::Regex;

use super::*;
use crate::device::{DeviceFile, ReplyLength};

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn regex(pattern: &str) -> Vec<Regex> {
    vec![Regex::new(pattern).expect("a pattern")]
}

/// A rule without ends, and with durations that are easy to tell apart.
fn rule() -> ReplySection {
    ReplySection { quiet: None, grace: ms(20), within: ms(1000), ..ReplySection::default() }
}

/// What became of a reply.
#[derive(Debug, PartialEq)]
struct Played {
    output: Option<Vec<u8>>,
    ended_at: Duration,
    excess: Vec<u8>,
}

fn played(output: &[u8], ended_at: u64, excess: &[u8]) -> Result<Played, Unending> {
    let output = Some(output.to_vec()).filter(|output| !output.is_empty());
    Ok(Played { output, ended_at: ms(ended_at), excess: excess.to_vec() })
}

/// Plays pieces that arrive at these times, in ms.
fn play(mut reply: ReplyParser<'_>, pieces: &[(u64, &[u8])]) -> Result<Played, Unending> {
    let mut ended_at = None;
    for &(at, bytes) in pieces {
        if let Some(deadline) = reply.deadline().filter(|deadline| *deadline < ms(at)) {
            reply.expire();
            ended_at = Some(deadline);
        }
        reply.take(bytes, ms(at))?;
        if reply.deadline().is_none() {
            ended_at = ended_at.or(Some(ms(at)));
        }
    }
    if let Some(deadline) = reply.deadline() {
        reply.expire();
        ended_at = Some(deadline);
    }
    Ok(Played {
        output: reply.output().map(<[u8]>::to_vec),
        ended_at: ended_at.expect("it has ended"),
        excess: reply.excess().to_vec(),
    })
}

#[test]
fn nothing_at_all_is_silence() {
    let rule = ReplySection { quiet: Some(ms(50)), lines: Some(1), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[]), played(b"", 1000, b""));
}

/// A device that keeps sending only stripped bytes counts as silent.
#[test]
fn bytes_that_are_stripped_are_silence() {
    let rule = ReplySection { quiet: Some(ms(50)), strip: regex("C"), ..rule() };
    let chatter: [(u64, &[u8]); 4] = [(10, b"CxC"), (40, b"C"), (80, b"C"), (120, b"C")];
    assert_eq!(play(ReplyParser::new(&rule, b""), &chatter), played(b"x", 60, b"CC"));
}

#[test]
fn patience_is_for_the_first_byte_and_quiet_for_the_others() {
    let rule = ReplySection { quiet: Some(ms(50)), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(990, b"a"), (1039, b"b"), (1090, b"c")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(b"ab", 1089, b"c"));
}

#[test]
fn a_reply_that_meets_no_end_ends_after_its_patience() {
    let rule = ReplySection { lines: Some(2), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(10, b"one\n"), (900, b"tw")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(b"one\ntw", 1900, b""));
}

#[test]
fn the_line_that_was_asked_for_ends_it_at_once() {
    let rule = ReplySection { lines: Some(2), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(10, b"one\r"), (20, b"\n2\n3"), (30, b"\n")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(b"one\r\n2\n", 20, b"3\n"));
}

#[test]
fn the_length_ends_it_at_once() {
    let fixed = ReplySection { length: Some(ReplyLength::Fixed(3)), ..rule() };
    assert_eq!(play(ReplyParser::new(&fixed, b"x"), &[(5, b"abcd")]), played(b"abc", 5, b"d"));
    let length = Some(ReplyLength::Field { at: 1, size: 2, plus: 3, little_endian: false });
    let frame = ReplySection { length, ..rule() };
    let pieces: &[(u64, &[u8])] = &[(5, &[9, 0]), (6, &[2, 7]), (7, &[8, 6])];
    assert_eq!(play(ReplyParser::new(&frame, b"x"), pieces), played(&[9, 0, 2, 7, 8], 7, &[6]));
}

#[test]
fn the_length_may_be_little_endian() {
    let length = Some(ReplyLength::Field { at: 0, size: 2, plus: 2, little_endian: true });
    let frame = ReplySection { length, ..rule() };
    assert_eq!(
        play(ReplyParser::new(&frame, b"x"), &[(5, &[1, 0, 7, 8])]),
        played(&[1, 0, 7], 5, &[8])
    );
}

#[test]
fn a_whole_line_ends_it_at_once() {
    let line = Regex::new(r"(?:\A|[\r\n])(?:OK|ERROR|\+CME ERROR: .*)\r*\n\z").expect("a pattern");
    let rule = ReplySection { last_line: Some(line), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(5, b"\r\nNOT OK\r\nOK"), (6, b"\r\n\r\nRING\r\n")];
    let whole = b"\r\nNOT OK\r\nOK\r\n";
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(whole, 6, b"\r\nRING\r\n"));
    let error: &[u8] = b"+CME ERROR: 10\n";
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(5, error)]), played(error, 5, b""));
    assert_eq!(
        play(ReplyParser::new(&rule, b"x"), &[(5, b"OKAY\n")]),
        played(b"OKAY\n", 1005, b"")
    );
}

#[test]
fn one_of_several_patterns_is_enough() {
    let patterns = [regex("> $"), regex("word: $")].concat();
    let rule = ReplySection { patterns, ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(5, b"> ")]), played(b"> ", 25, b""));
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(5, b"word: ")]), played(b"word: ", 25, b""));
}

#[test]
fn a_length_field_that_overflows_is_no_end() {
    let length = Some(ReplyLength::Field {
        at: usize::MAX,
        size: 4,
        plus: usize::MAX,
        little_endian: false,
    });
    let rule = ReplySection { length, ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"abc")]), played(b"abc", 1001, b""));
}

#[test]
fn a_prompt_ends_it_when_the_grace_is_over() {
    let rule = ReplySection { patterns: regex("> $"), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(10, b"> "), (29, b"more\n> "), (50, b"late")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(b"> more\n> ", 49, b"late"));
}

#[test]
fn a_prompt_without_grace_ends_it_where_it_is_first_met() {
    let rule = ReplySection { patterns: regex("> $"), grace: ms(0), ..rule() };
    assert_eq!(
        play(ReplyParser::new(&rule, b"x"), &[(10, b"> more> ")]),
        played(b"> ", 10, b"more> ")
    );
}

#[test]
fn the_first_end_that_is_met_counts() {
    let rule =
        ReplySection { patterns: regex("> $"), lines: Some(1), quiet: Some(ms(5)), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"a\n> ")]), played(b"a\n", 1, b"> "));
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"a> ")]), played(b"a> ", 6, b""));
}

#[test]
fn patterns_work_on_bytes() {
    let rule = ReplySection { patterns: regex(r"(?-u)\xff\x00$"), ..rule() };
    let pieces: &[(u64, &[u8])] = &[(1, &[0xc3, 0xff]), (2, &[0])];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), pieces), played(&[0xc3, 0xff, 0], 22, b""));
}

#[test]
fn the_echo_is_taken_away_with_its_line_end() {
    let rule = ReplySection { echo: true, lines: Some(1), ..rule() };
    let ok = || played(b"OK\n", 5, b"");
    assert_eq!(play(ReplyParser::new(&rule, b"AT\r"), &[(5, b"AT\r\nOK\n")]), ok());
    assert_eq!(play(ReplyParser::new(&rule, b"AT\r"), &[(5, b"AT\rOK\n")]), ok());
    assert_eq!(play(ReplyParser::new(&rule, b"AT\n"), &[(5, b"AT\r\nOK\n")]), ok());
    assert_eq!(play(ReplyParser::new(&rule, b"AT\r\n"), &[(5, b"AT\r\nOK\n")]), ok());
    assert_eq!(play(ReplyParser::new(&rule, b"?"), &[(5, b"?OK\n")]), ok());
}

#[test]
fn an_echo_alone_is_silence_and_is_waited_for_no_less() {
    let rule = ReplySection { echo: true, quiet: Some(ms(50)), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"AT\r"), &[(5, b"AT\r\n")]), played(b"", 1000, b""));
    let slow: &[(u64, &[u8])] = &[(5, b"AT\r\n"), (900, b"OK")];
    assert_eq!(play(ReplyParser::new(&rule, b"AT\r"), slow), played(b"OK", 950, b""));
}

#[test]
fn what_is_not_repeated_keeps_its_reply() {
    let rule = ReplySection { echo: true, quiet: Some(ms(50)), ..rule() };
    let reply = || ReplyParser::new(&rule, b"secret\r");
    assert_eq!(play(reply(), &[(5, b"\r\nsorry")]), played(b"\r\nsorry", 55, b""));
    // Nothing follows the beginning of an echo, so it was the reply.
    assert_eq!(play(reply(), &[(5, b"sec")]), played(b"sec", 1000, b""));
}

#[test]
fn strip_comes_before_everything_else() {
    let strip = [r"\x1b\[[0-9;]*m", "\r"].map(|pattern| Regex::new(pattern).expect("a pattern"));
    let base = ReplySection { strip: strip.to_vec(), echo: true, ..rule() };
    let rule = ReplySection { patterns: regex("\n> $"), ..base.clone() };
    let raw = b"\x1b[1mhe\x1b[0mlp\r\r\nyes\r\n\x1b[32m> \x1b[0m";
    assert_eq!(play(ReplyParser::new(&rule, b"help\r"), &[(5, raw)]), played(b"yes\n> ", 25, b""));
    let rule = ReplySection { length: Some(ReplyLength::Fixed(2)), ..base };
    assert_eq!(play(ReplyParser::new(&rule, b""), &[(5, b"\r\ra\rb\r")]), played(b"ab", 5, b"\r"));
}

#[test]
fn waiting_ends_by_the_clock_only() {
    let rule = ReplySection { lines: Some(1), quiet: Some(ms(1)), echo: true, ..rule() };
    let reply = || ReplyParser::while_waiting(&rule, b"", ms(500));
    assert_eq!(play(reply(), &[]), played(b"", 500, b""));
    let pieces: &[(u64, &[u8])] = &[(10, b"a\n"), (499, b"b"), (501, b"c")];
    assert_eq!(play(reply(), pieces), played(b"a\nb", 500, b"c"));
    // A reader that was held up gets everything at once, and still does not read for ever.
    assert_eq!(play(reply(), &[(500, b"a"), (700, b"b")]), played(b"a", 500, b"b"));
}

#[test]
fn the_byte_that_is_one_too_many_is_an_error() {
    let rule = ReplySection { max_bytes: 4, quiet: Some(ms(50)), lines: Some(9), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"abcd")]), played(b"abcd", 51, b""));
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"abcde")]), Err(Unending::Bytes));
    let rule = ReplySection { lines: None, ..rule };
    assert_eq!(
        play(ReplyParser::new(&rule, b"x"), &[(1, b"ab"), (2, b"cde")]),
        Err(Unending::Bytes)
    );
}

#[test]
fn a_reply_that_goes_on_and_on_is_an_error() {
    let rule = ReplySection { max: ms(30), quiet: Some(ms(50)), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, b"a"), (31, b"b")]), Err(Unending::Time));
    assert_eq!(
        play(ReplyParser::new(&rule, b"x"), &[(1, b"a"), (30, b"b")]),
        played(b"ab", 80, b"")
    );
}

/// All ways to cut `bytes` into pieces, 1 ms apart.
fn chunkings(bytes: &[u8]) -> impl Iterator<Item = Vec<(u64, &[u8])>> {
    (0..1_u32 << (bytes.len() - 1)).map(move |cuts| {
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in 1..=bytes.len() {
            if end == bytes.len() || cuts >> (end - 1) & 1 == 1 {
                pieces.push((pieces.len() as u64 + 1, &bytes[start..end]));
                start = end;
            }
        }
        pieces
    })
}

#[test]
fn the_way_in_which_bytes_are_split_makes_no_difference() {
    let strip = vec![Regex::new(r"\x1b\[[0-9]*m").expect("a pattern")];
    let base = ReplySection { strip, echo: true, quiet: Some(ms(50)), ..rule() };
    let length = Some(ReplyLength::Field { at: 0, size: 1, plus: 2, little_endian: false });
    let rules = [
        base.clone(),
        ReplySection { lines: Some(1), ..base.clone() },
        ReplySection { lines: Some(2), ..base.clone() },
        ReplySection { patterns: regex("> $"), ..base.clone() },
        ReplySection { patterns: regex("> "), grace: ms(0), ..base.clone() },
        ReplySection { patterns: regex("> $"), grace: ms(0), lines: Some(2), ..base.clone() },
        ReplySection { length: Some(ReplyLength::Fixed(4)), ..base.clone() },
        ReplySection { length, ..base },
    ];
    let plain = rules.clone().map(|rule| ReplySection { strip: Vec::new(), ..rule });
    let replies: [&[u8]; 4] = [
        b"go\r\n\x1b[1mA\n> B\n> ",
        b"go\r\n\x03\x01abc\r\n> ",
        b"g> o\r\n\x1b[> go",
        b"go\r\r\n\n",
    ];
    let mut count = 0;
    for (which, rule) in rules.iter().chain(&plain).enumerate() {
        for bytes in replies {
            let without_time = |played: Played| (played.output, played.excess);
            let at_once = play(ReplyParser::new(rule, b"go\r"), &[(1, bytes)]).map(without_time);
            for pieces in chunkings(bytes) {
                let played = play(ReplyParser::new(rule, b"go\r"), &pieces).map(without_time);
                assert_eq!(played, at_once, "rule {which}: {pieces:?}");
                count += 1;
            }
        }
    }
    assert!(count > 100_000, "{count}");
}

/// A long reply is not looked at after each byte if it comes at once.
#[test]
fn a_long_reply_ends_where_its_end_is_first_met() {
    let of = |patterns: &str, strip: &[&str]| ReplySection {
        patterns: regex(patterns),
        strip: strip.iter().flat_map(|pattern| regex(pattern)).collect(),
        grace: ms(0),
        ..rule()
    };
    let colours = r"\x1b\[[0-9]*m";
    let rules = [
        of("> $", &[colours]),
        of("OK", &[colours, "go[^o]*o"]),
        of(r"(?m)^OK|>\b", &["x\n"]),
        of("x+ ?$", &[]),
        of("(?s)OK.*> $", &["go$"]),
        ReplySection { lines: Some(6), patterns: Vec::new(), ..of("", &[colours, "(?s)O.K"]) },
        ReplySection { lines: Some(6), ..of("OK\n?> ", &["x\n|xK", "\n$"]) },
        ReplySection { last_line: Some(regex("OK\n$").remove(0)), ..of("> > $", &["go?"]) },
    ];
    let pieces = [">", " ", "\n", "x", "\u{1b}[1m", "\u{1b}[", "go", "OK", "O", "K", "m"];
    let mut random = crate::machine::testing::Random::new(3);
    let (mut ended, mut all) = (0, 0);
    for rule in &rules {
        for _ in 0..60 {
            let mut text = "-".repeat(SHORT + random.below(9) as usize);
            (0..40).for_each(|_| text += pieces[random.below(11) as usize]);
            let bytes = text.as_bytes();
            let each: Vec<_> = bytes.chunks(1).map(|byte| (1, byte)).collect();
            let at_once = play(ReplyParser::new(rule, b"q"), &[(1, bytes)]);
            assert_eq!(at_once, play(ReplyParser::new(rule, b"q"), &each), "{text:?} {rule:?}");
            all += 1;
            ended += u32::from(at_once.is_ok_and(|played| !played.excess.is_empty()));
        }
    }
    assert!(3 * ended > all, "{ended} of {all} end before their last byte");
}

/// What `strip` takes out is searched for in the whole reply each time.
#[test]
fn a_long_reply_is_looked_at_where_it_can_end() {
    let strip = regex(r"\x1b\[[0-9;?]*[A-Za-z]");
    let rule = ReplySection { strip, patterns: regex("> $"), grace: ms(0), ..rule() };
    let mut reply = ReplyParser::new(&rule, b"q");
    assert_eq!(reply.piece(b"long> "), 1);
    reply.take(&b"-".repeat(SHORT), ms(1)).expect("it is short enough");
    assert_eq!(reply.piece(b"long> text> "), 6);
    assert_eq!(reply.piece(b"long\x1b[K"), 7);
}

/// To look at the whole reply for each of its bytes would take minutes.
#[test]
fn a_long_reply_is_read_in_time() {
    let started = Instant::now();
    let bytes = b"1.25 V\r\n".repeat(1 << 17);
    let rule = ReplySection { max_bytes: usize::MAX, lines: Some(1 << 17), ..rule() };
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &[(1, &bytes)]), played(&bytes, 1, b""));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// A rule for a device whose frames are told apart as in SLIP.
fn slip() -> ReplySection {
    ReplySection { within: ms(1000), ..ReplySection::usual(Some(Stuffing::Slip)) }
}

#[test]
fn a_frame_is_a_reply() {
    let rule = slip();
    let pieces: [(u64, &[u8]); 3] = [(5, b"\xc0o"), (7, b"k\xdb\xdc"), (900, b"\xc0\xc0next\xc0")];
    assert_eq!(
        play(ReplyParser::new(&rule, b"x"), &pieces),
        played(b"ok\xc0", 900, b"\xc0next\xc0")
    );
    let idle: [(u64, &[u8]); 1] = [(5, b"\xc0\xc0\xc0")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &idle), played(b"", 1000, b""));
}

#[test]
fn the_echo_of_a_frame_is_no_reply() {
    let rule = ReplySection { echo: true, ..slip() };
    let sent = Stuffing::Slip.stuff(b"a\xc0");
    let reply = [&sent[..], b"\xc0ok\xc0"].concat();
    assert_eq!(play(ReplyParser::new(&rule, &sent), &[(5, &reply)]), played(b"ok", 5, b""));
}

#[test]
fn other_ends_are_met_between_frames() {
    let rule = ReplySection { patterns: regex("k"), grace: ms(0), frames: None, ..slip() };
    let pieces: [(u64, &[u8]); 2] = [(5, b"\xc0no\xc0"), (6, b"\xc0ok!\xc0\xc0")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &pieces), played(b"nook!", 6, b"\xc0"));
}

#[test]
fn frames_that_strip_removes_do_not_count() {
    let rule = ReplySection { strip: regex("^event.$"), ..slip() };
    let pieces: [(u64, &[u8]); 2] = [(5, b"\xc0event1\xc0"), (6, b"\xc0ok\xc0")];
    assert_eq!(play(ReplyParser::new(&rule, b"x"), &pieces), played(b"ok", 6, b""));
}

/// Frames that begin with their length, without the byte of the length.
fn counted_frames(frames: usize) -> ReplySection {
    let length = Some(ReplyLength::Field { at: 0, size: 1, plus: 1, little_endian: false });
    ReplySection { length, frames: Some(frames), quiet: None, ..ReplySection::default() }
}

#[test]
fn frames_that_a_length_field_tells_apart_are_counted() {
    let pieces: [(u64, &[u8]); 3] = [(5, b"\x02ab\x00"), (6, b"\x03c"), (7, b"de\x01f")];
    let all = b"\x02ab\x00\x03cde\x01f";
    for (frames, bytes, end) in [(1, 3, 5), (2, 4, 5), (3, 8, 7), (4, 10, 7)] {
        let rule = counted_frames(frames);
        let (body, rest) = all.split_at(bytes);
        let reply = play(ReplyParser::new(&rule, b"x"), &pieces);
        assert_eq!(reply, played(body, end, rest), "{frames}");
    }
}

#[test]
fn the_echo_is_no_frame() {
    let rule = ReplySection { echo: true, ..counted_frames(2) };
    let pieces: [(u64, &[u8]); 1] = [(5, b"\x01s\x01a\x01b")];
    assert_eq!(play(ReplyParser::new(&rule, b"\x01s"), &pieces), played(b"\x01a\x01b", 5, b""));
}

#[test]
fn each_frame_has_a_checksum() {
    let verified = |rule: &ReplySection, bytes: &[u8]| {
        let mut reply = ReplyParser::while_waiting(rule, b"", ms(100));
        reply.take(bytes, ms(5)).expect("short");
        reply.expire();
        reply.verified()
    };
    let file = "[[reset]]\nsteps = [{ send = \"x\" }]\n[reply]\nchecksum = \"sum8@1\"\n[inputs]\na = \"a\"";
    let file = DeviceFile::parse("lock.toml".as_ref(), file).expect("a device file");
    let checksum = file.inputs[0].reply.checksum.clone();
    let counted = ReplySection { checksum: checksum.clone(), ..counted_frames(2) };
    assert_eq!(verified(&counted, b"\x02\x05\x05\x03\x01\x02\x03"), Some(vec![2, 5, 3, 1, 2]));
    assert_eq!(verified(&counted, b"\x02\x05\x04\x03\x01\x02\x03"), None, "the first is wrong");
    assert_eq!(verified(&counted, b"\x02\x05\x05\x03\x01\x02\x04"), None, "the second is wrong");
    assert_eq!(verified(&counted, b"\x02\x05\x05\x03\x01"), None, "the second is cut short");
    let stuffed = ReplySection { checksum, ..slip() };
    assert_eq!(
        verified(&stuffed, b"\xc0\x07\x05\x05\xc0\xc0\x08\x06\x06\xc0"),
        Some(vec![7, 5, 8, 6])
    );
    assert_eq!(verified(&stuffed, b"\xc0\x07\x05\x05\xc0\xc0\x08\x06\x07\xc0"), None);
}

#[test]
fn a_frame_without_its_end_is_a_fault() {
    let rule = slip();
    let mut reply = ReplyParser::new(&rule, b"x");
    reply.take(b"\xc0ok", ms(5)).expect("short");
    reply.expire();
    assert_eq!(reply.fault(), Some("it has no end"));
    let mut reply = ReplyParser::new(&rule, b"x");
    reply.take(b"\xc0o\xdbk\xc0", ms(5)).expect("short");
    assert_eq!(reply.fault(), Some("it has an escape that means nothing"));
}
