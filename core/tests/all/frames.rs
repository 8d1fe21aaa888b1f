//! Frames on a bad line: what comes through is what was sent, and one good frame later all is well.

use crate::common::Rng;
use mealybug_core::wire::frame::{
    DELIMITER, Decoder, Encoder, FrameError, MAX_FRAME, MAX_MESSAGE, TooLong,
};
use mealybug_core::wire::line::LineSettings;
use mealybug_core::wire::message::{
    ATTEMPTS, DeviceError, Fault, MAX_PART, Message, Phase, Refusal, Request,
};
use mealybug_core::wire::rule::{
    Length, MAX_RULE, ReplyRule, ResetRule, Rule, RuleFile, Span, Step,
};
use mealybug_core::wire::types;
use mealybug_core::{Options, Session};

/// What came of some bytes: messages with the number of frames missed before each, and errors.
type Came = Vec<Result<(Vec<u8>, u8), FrameError>>;

fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Came {
    let frames = bytes.iter().filter_map(|&byte| {
        let frame = decoder.push(byte)?;
        Some(frame.and_then(|frame| Ok((frame.message::<&[u8]>()?.to_vec(), frame.missed))))
    });
    frames.collect()
}

fn encode(encoder: &mut Encoder, message: &[u8]) -> Vec<u8> {
    encoder.encode(&message).expect("it is short").to_vec()
}

/// Bytes of which many are zero or 255, which is where COBS has its corners.
fn random_bytes(rng: &mut Rng, len: u32) -> Vec<u8> {
    let byte = |rng: &mut Rng| match rng.below(4) {
        0 => 0,
        1 => 255,
        _ => u8::try_from(rng.below(256)).expect("it is below"),
    };
    (0..len).map(|_| byte(rng)).collect()
}

#[test]
fn every_length_comes_through() {
    let rng = &mut Rng(1);
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    // A slice brings its length: one byte up to 127, two from there on.
    for len in 0..=u32::try_from(MAX_MESSAGE).expect("few bytes") - 2 {
        for message in [
            random_bytes(rng, len),
            vec![0; len as usize],
            vec![1; len as usize],
            vec![255; len as usize],
        ] {
            let frame = encode(&mut encoder, &message);
            assert!(frame.len() <= MAX_FRAME);
            assert_eq!(frame.iter().position(|&byte| byte == DELIMITER), Some(frame.len() - 1));
            assert_eq!(decode(&mut decoder, &frame), [Ok((message, 0))], "{len} bytes");
        }
    }
}

#[test]
fn what_is_too_long_is_refused_and_gets_no_number() {
    let mut encoder = Encoder::new();
    // A slice brings its length, in two bytes here.
    let bytes = [1u8; 2 * MAX_FRAME];
    assert!(encoder.encode(&&bytes[..MAX_MESSAGE - 2]).is_ok());
    for len in [MAX_MESSAGE - 1, MAX_MESSAGE, MAX_FRAME, 2 * MAX_FRAME] {
        assert_eq!(encoder.encode(&&bytes[..len]), Err(TooLong), "{len} bytes");
        assert_eq!(encoder.encode(&&[0u8; 2 * MAX_FRAME][..len]), Err(TooLong), "{len} zeros");
    }
    assert_eq!(encoder.sequence(), 1);
}

/// `Hello` and its answer begin alike in all versions; the other messages have their bytes in `golden/` of
/// the wire.
#[test]
fn a_frame_byte_by_byte() {
    let mut encoder = Encoder::new();
    assert_eq!(encoder.encode(&Request::Hello), Ok(&[1, 1, 3, 0x0f, 0x1d, 0][..]));
    let hello = Message::Hello {
        protocol: 1,
        board: b"b",
        phase: Phase::Ended,
        memory_bytes: 300,
        is_ready: true,
    };
    assert_eq!(encoder.encode(&hello), Ok(&[2, 1, 9, 1, 1, b'b', 2, 0xac, 2, 1, 0x19, 1, 0][..]));
}

#[test]
fn every_rule_comes_through() {
    let span = Span { start: 1, len: u16::MAX };
    let length = Length { at: 2, size: 4, is_little_endian: true, plus: u32::MAX };
    let reply = ReplyRule {
        ends: span,
        grace_ms: u32::MAX,
        line: span,
        lines: u32::MAX,
        length: Some(length),
        quiet_ms: u32::MAX,
        within_ms: u32::MAX,
        max_ms: u32::MAX,
        max_bytes: u32::MAX,
        settle_ms: u32::MAX,
        drops_late: true,
        silent: span,
    };
    let reset = ResetRule { expect: span, within_ms: 1, quiet_ms: 2, tries: 3 };
    let echo = Step::Echo { text: span, has_line_end: true };
    let rules = [
        Rule::Text(&[7; MAX_PART]),
        Rule::Skip(span),
        Rule::Strip(span),
        Rule::Reply(reply),
        Rule::Reset(reset),
        Rule::Input { name: span, reply: u8::MAX },
        Rule::Step(Step::Send(span)),
        Rule::Step(echo),
        Rule::Step(Step::Wait { ms: u32::MAX }),
        Rule::Step(Step::Listen { ms: 0 }),
        Rule::Step(Step::Expect { by: span, within_ms: 1 }),
        Rule::Step(Step::Hear { by: span, reply: 3 }),
        Rule::Step(Step::Pin { name: span, ms: u32::MAX }),
        Rule::ShowLineErrors,
        Rule::Line(LineSettings { baud: u32::MAX, ..LineSettings::default() }),
    ];
    for rule in rules {
        let mut room = [0; MAX_RULE];
        let bytes = rule.encode(&mut room);
        assert_eq!(Rule::decode(bytes), Some(rule));
        assert_eq!(Rule::decode(&bytes[..bytes.len() - 1]), None, "{rule:?}");
        assert_eq!(Rule::decode(&[bytes, &[0]].concat()), None, "{rule:?}");
    }
    assert_eq!(Rule::Text(&[7; MAX_PART + 1]).encode(&mut [0; MAX_RULE]), []);

    let digest = |rules: &[Rule<'_>]| rules.iter().fold(0, |before, rule| rule.digest(before));
    for at in 1..rules.len() {
        let mut other = rules;
        other.swap(at - 1, at);
        assert_ne!(digest(&other), digest(&rules), "{at}");
        assert_ne!(digest(&rules[..at]), digest(&rules), "{at}");
    }

    let mut file = Vec::new();
    let written = RuleFile::write(rules.into_iter(), |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), ()>(())
    });
    assert_eq!(written, Ok(()));
    let read: Option<Vec<_>> = RuleFile::new(&file).expect("a file of rules").collect();
    assert_eq!(read, Some(rules.to_vec()));
    let cut: Option<Vec<_>> =
        RuleFile::new(&file[..file.len() - 1]).expect("it begins so").collect();
    assert_eq!(cut, None);
    assert!(RuleFile::new(&file[1..]).is_none());
}

#[test]
fn every_message_comes_through() {
    let part = [7; MAX_PART];
    let text: &[u8] = b"what is sent, up to some length";
    let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
    let options = Options::new().seed(u64::MAX).passing_tests(u64::MAX);
    let requests = [
        Request::Hello,
        Request::Rule { number: u32::MAX, rule: &[7; MAX_RULE] },
        Request::Start((&options).into()),
        Request::Stop,
        Request::Result { from: u32::MAX },
        Request::Name { input: u32::MAX },
        Request::Open { host: u32::MAX, session: u32::MAX, known: u32::MAX },
        Request::Words(&part),
    ];
    let what = types::Resource::Rows;
    let capacity = types::CapacityError { what, capacity: u64::MAX, needed: u64::MAX };
    let contradiction = types::Contradiction {
        lane: 0,
        word_len: u32::MAX,
        position: u32::MAX,
        before: u32::MAX,
        now: 0,
    };
    let device = Fault::Device { error: DeviceError::NotReset, word_len: u32::MAX, sent: u32::MAX };
    let messages = [
        Message::Hello {
            protocol: 1,
            board: text,
            phase: Phase::Running,
            memory_bytes: u32::MAX,
            is_ready: false,
        },
        Message::Answer { to: 255, refusal: None },
        Message::Answer { to: 0, refusal: Some(Refusal::RulesFull) },
        Message::Progress((&session.progress()).into()),
        Message::Part { round: Some(u64::MAX), from: u32::MAX, bytes: &part, is_last: true },
        Message::Retry { error: DeviceError::Late, sent: u32::MAX, attempts: ATTEMPTS },
        Message::Ended(None),
        Message::Ended(Some(Fault::Capacity(capacity))),
        Message::Ended(Some(Fault::Contradiction(contradiction))),
        Message::Ended(Some(device)),
        Message::Symbol { position: u32::MAX, input: u32::MAX },
        Message::Log(&part),
        Message::Name { input: u32::MAX, name: text },
        Message::Opened { session: u32::MAX, known: u32::MAX, inputs: u32::MAX, frames: u8::MAX },
        Message::Output(text),
        Message::Outputs(&part),
        Message::Failed(DeviceError::TooManyOutputs),
    ];
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    for request in requests {
        let frame = encoder.encode(&request).expect("it fits");
        let came = frame.iter().map(|&byte| decoder.push(byte).is_some()).collect::<Vec<_>>();
        assert_eq!(came.iter().filter(|&&came| came).count(), 1);
        let mut decoder = Decoder::new();
        let mut came = None;
        for &byte in frame {
            if let Some(frame) = decoder.push(byte) {
                came = Some(frame.expect("undamaged").message() == Ok(request));
            }
        }
        assert_eq!(came, Some(true), "{request:?}");
    }
    for message in messages {
        let mut came = None;
        for &byte in encoder.encode(&message).expect("it fits") {
            if let Some(frame) = decoder.push(byte) {
                came = Some(frame.expect("undamaged").message() == Ok(message));
            }
        }
        assert_eq!(came, Some(true), "{message:?}");
    }
}

#[test]
fn a_receiver_knows_how_many_frames_are_missing() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let frames: Vec<_> = (0..600).map(|n: u32| encode(&mut encoder, &n.to_le_bytes())).collect();
    let mut missed = |n: usize| {
        let came = decode(&mut decoder, &frames[n]);
        came[0].as_ref().expect("undamaged").1
    };
    assert_eq!([missed(300), missed(301), missed(304), missed(305)], [0, 0, 2, 0]);
    assert_eq!(missed(305 + 256), 255, "modulo 256, less one");
}

/// One damaged byte, lost byte, doubled byte: nothing false, and the next frame is there.
#[test]
fn every_single_fault_is_seen_and_the_next_frame_comes() {
    let rng = &mut Rng(2);
    for len in [0, 1, 2, 5, 40, 125, 126, 248] {
        let mut encoder = Encoder::new();
        let first = random_bytes(rng, len);
        let second = random_bytes(rng, 10);
        let frame = encode(&mut encoder, &first);
        let next = encode(&mut encoder, &second);
        let last = encode(&mut encoder, &second);
        for at in 0..frame.len() {
            let mut faults = vec![frame.clone(), frame.clone()];
            faults[0].remove(at);
            faults[1].insert(at, frame[at]);
            faults.extend((0..8).map(|bit| {
                let mut flipped = frame.clone();
                flipped[at] ^= 1 << bit;
                flipped
            }));
            for damaged in faults {
                let bytes = [&damaged[..], &next, &last].concat();
                let mut came = decode(&mut Decoder::new(), &bytes);
                // Lost delimiters take the next frame along, never the one after it.
                assert_eq!(came.pop().map(|last| last.map(|(m, _)| m)), Some(Ok(second.clone())));
                for message in came.into_iter().flatten() {
                    assert!(message.0 == first || message.0 == second, "{message:?} was not sent");
                }
            }
        }
    }
}

#[test]
fn after_a_frame_that_is_too_long_bytes_are_dropped_to_the_delimiter() {
    let mut encoder = Encoder::new();
    let good = encode(&mut encoder, b"good");
    for len in [MAX_FRAME, MAX_FRAME + 1, 2 * MAX_FRAME, 10_000, 70_000] {
        // It holds what looks like a good frame, but no delimiter before it.
        for filler in [1, 2, 255] {
            let long = [vec![filler; len], good.clone(), good.clone()].concat();
            let came = decode(&mut Decoder::new(), &long);
            assert_eq!(came, [Err(FrameError::TooLong), Ok((b"good".to_vec(), 0))], "{len}");
        }
    }
}

#[test]
fn noise_before_the_first_frame_and_zeros_between_frames_do_no_harm() {
    let mut encoder = Encoder::new();
    let good = encode(&mut encoder, b"good");
    let bytes =
        [&[0, 0], &good[..], &[0, 0, 0], b"noise\0", &encode(&mut encoder, b"more")].concat();
    let expected = [Ok((b"good".to_vec(), 0)), Err(FrameError::Damaged), Ok((b"more".to_vec(), 0))];
    assert_eq!(decode(&mut Decoder::new(), &bytes), expected);
}

#[test]
fn a_frame_with_something_else_in_it_is_no_message() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    for bytes in [&[200u8][..], &[0, 0], &[2, 9], &[]] {
        let mut frame = Vec::new();
        match *bytes {
            [a, b] => frame.extend(encoder.encode(&(a, b)).expect("short")),
            [a] => frame.extend(encoder.encode(&a).expect("short")),
            _ => frame.extend(encoder.encode(&()).expect("short")),
        }
        let mut came = Vec::new();
        for byte in frame {
            if let Some(frame) = decoder.push(byte) {
                came.push(frame.expect("undamaged").message::<Request<'_>>().map(drop));
            }
        }
        assert_eq!(came, [Err(FrameError::NoMessage)], "{bytes:?}");
    }
}

/// Random faults in a long stream: all messages that come were sent, in order, and most come.
#[test]
fn a_bad_line_yields_only_what_was_sent() {
    for seed in 0..200 {
        let rng = &mut Rng(seed);
        let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
        let (mut sent, mut line) = (Vec::new(), Vec::new());
        for n in 0..200u32 {
            let len = rng.below(60);
            let message = [&n.to_le_bytes()[..], &random_bytes(rng, len)].concat();
            line.extend(encode(&mut encoder, &message));
            sent.push(message);
        }
        let mut noisy = Vec::new();
        for byte in line {
            match rng.below(1000) {
                0 => {}
                1 => noisy.extend([byte, byte]),
                2 => noisy.push(byte ^ (1 << rng.below(8))),
                3 => noisy.extend([0, byte]),
                _ => noisy.push(byte),
            }
        }
        let came: Vec<_> = decode(&mut decoder, &noisy).into_iter().flatten().collect();
        let mut left = sent.iter();
        for (message, _) in &came {
            assert!(left.any(|sent| sent == message), "seed {seed}: {message:?} was not sent");
        }
        assert!(came.len() > 120, "seed {seed}: {} of 200", came.len());
    }
}

/// Whatever comes, nothing panics, and random bytes are hardly ever a frame.
#[test]
fn random_bytes_are_no_frames() {
    let rng = &mut Rng(3);
    let mut decoder = Decoder::new();
    let bytes = random_bytes(rng, 2_000_000);
    let frames = decode(&mut decoder, &bytes).iter().filter(|frame| frame.is_ok()).count();
    assert!(frames < 100, "{frames}");
}
