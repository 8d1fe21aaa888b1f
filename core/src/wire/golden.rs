//! The bytes of everything that is encoded, as they stand in `golden/`: whoever changes the encoding
//! and not its version learns it here.
//!
//! A variant without a sample does not compile. After a version was raised, or a sample added,
//! `WIRE_GOLDEN=write cargo test -p mealybug-core golden` writes the files anew.

use core::fmt::Write as _;
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, fs};

use serde::Serialize;

use super::crash::Crash;
use super::frame::Encoder;
use super::line::{LineSettings, Parity};
use super::message::{DeviceError, Fault, Message, PROTOCOL, Phase, Refusal, Request};
use super::probe::{OfferKind, ProbeRule, ProbeStep};
use super::rule::{Length, ReplyRule, ResetRule, Rule, RuleFile, Span, Step};
use super::types::{self, Mixed};
use super::{Reader, Record, VERSION, WireError};
use crate::{
    Budget, Costs, DefectCounts, EndReason, Input, KindCosts, Observations, Options, Progress,
    Projections, Purpose, Session, Summary, Tests, sul,
};

/// Lines `name = bytes`.
type Lines = Vec<(String, String)>;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("memory takes everything");
        text
    })
}

fn encoded(value: &impl Serialize) -> String {
    hex(postcard::to_slice(value, &mut [0; 512]).expect("it is short"))
}

/// Appends a line for each sample, which stand behind the pattern of their variant. `$as` makes of a
/// sample what is encoded.
macro_rules! samples {
    ($lines:ident, $type:ty, $as:expr, { $($pattern:pat => [$($sample:expr),+ $(,)?],)+ }) => {
        let _every_variant_has_a_sample = |value: &$type| match *value { $($pattern => ()),+ };
        $(
            for (number, sample) in [$($sample),+].into_iter().enumerate() {
                assert!(matches!(sample, $pattern), "{sample:?} is not {}", stringify!($pattern));
                let number = if number == 0 { String::new() } else { format!(" #{}", number + 1) };
                $lines.push((format!("{}{number}", stringify!($pattern)), encoded(&$as(sample))));
            }
        )+
    };
}

fn same<T>(sample: T) -> T {
    sample
}

/// Every number differs, so that fields that change places are noticed.
fn summary() -> Summary {
    Summary {
        options: Options {
            observations: Observations::Table,
            projections: Projections::PerOutput,
            tests: Tests::Wp { extra_states: 301 },
            seed: 302,
            passing_tests: 303,
            product_states: 304,
            shorten: true,
            lanes: 305,
            budget: Budget { rounds: 306, symbols: 307, resets: u64::MAX },
        },
        end: Some(EndReason::Stopped),
        is_refuted: true,
        progress: progress(),
    }
}

fn progress() -> Progress {
    Progress {
        purpose: Purpose::Testing,
        short_rows: 401,
        rows: 402,
        suffixes: 403,
        columns: 404,
        outputs: 405,
        components: 406,
        component_states: 407,
        #[cfg(feature = "tree")]
        tree: None,
        rounds: 408,
        passing_tests: 409,
        defects: DefectCounts { none: 410, several: 411 },
        learning: Costs { resets: 412, symbols: 413 },
        testing: Costs { resets: 414, symbols: 415 },
        tests: [
            KindCosts { symbols: 416, found: 417 },
            KindCosts::default(),
            KindCosts { symbols: 418, found: 0 },
            KindCosts::default(),
            KindCosts::default(),
        ],
        found_by: Some(Tests::Splice),
        longest_streak: 0,
        learner_bytes: 419,
    }
}

fn capacity() -> types::CapacityError {
    types::CapacityError { what: types::Resource::Suffixes, capacity: 501, needed: 502 }
}

fn contradiction() -> types::Contradiction {
    types::Contradiction { lane: 511, word_len: 512, position: 513, before: 514, now: 515 }
}

/// What both results and messages hold.
fn types_in_both() -> Lines {
    let mut lines = Lines::new();
    for kind in Tests::KINDS {
        let extra_states = kind.extra_states().map_or(0, |_| 601);
        let tests = Tests::from_number(kind.number(), extra_states).expect("a kind");
        lines.push((format!("Tests {tests}"), encoded(&types::Tests::from(tests))));
    }
    samples!(lines, types::Algorithm, same, {
        types::Algorithm::LStar => [types::Algorithm::LStar],
        types::Algorithm::OlStar => [types::Algorithm::OlStar],
        types::Algorithm::LSharp => [types::Algorithm::LSharp],
        types::Algorithm::OlSharp => [types::Algorithm::OlSharp],
        types::Algorithm::OlSharpPerOutput => [types::Algorithm::OlSharpPerOutput],
        types::Algorithm::OlSharpPerInput => [types::Algorithm::OlSharpPerInput],
        types::Algorithm::OlSharpPerPair => [types::Algorithm::OlSharpPerPair],
    });
    samples!(lines, Purpose, types::Purpose::from, {
        Purpose::Learning => [Purpose::Learning],
        Purpose::Testing => [Purpose::Testing],
    });
    samples!(lines, EndReason, types::EndReason::from, {
        EndReason::TestsPassed => [EndReason::TestsPassed],
        EndReason::SuitePassed => [EndReason::SuitePassed],
        EndReason::SuiteCut => [EndReason::SuiteCut],
        EndReason::Equivalent => [EndReason::Equivalent],
        EndReason::Untested => [EndReason::Untested],
        EndReason::Rounds => [EndReason::Rounds],
        EndReason::Symbols => [EndReason::Symbols],
        EndReason::Resets => [EndReason::Resets],
        EndReason::Stopped => [EndReason::Stopped],
        EndReason::Refuted => [EndReason::Refuted],
    });
    lines
}

fn messages() -> Lines {
    let mut lines = types_in_both();
    samples!(lines, Request<'_>, same, {
        Request::Hello => [Request::Hello],
        Request::Rule { .. } => [Request::Rule { number: 300, rule: &[1, 2, 3] }],
        Request::Start(_) => [
            Request::Start((&summary().options).into()),
            Request::Start((&Options::default()).into()),
        ],
        Request::Stop => [Request::Stop],
        Request::Result { .. } => [Request::Result { from: 300 }],
        Request::Name { .. } => [Request::Name { input: 300 }],
        Request::Open { .. } => [Request::Open { host: 301, session: 302, known: 303 }],
        Request::Words(_) => [Request::Words(&[0x80, 1, 2])],
        Request::Rules => [Request::Rules],
        Request::Crash => [Request::Crash],
        Request::CrashHeard => [Request::CrashHeard],
    });
    samples!(lines, Message<'_>, same, {
        Message::Hello { .. } => [Message::Hello {
            protocol: 99,
            board: b"board",
            phase: Phase::Ended,
            memory_bytes: 300,
            is_ready: true,
        }],
        Message::Answer { .. } => [
            Message::Answer { to: 200, refusal: None },
            Message::Answer { to: 201, refusal: Some(Refusal::RulesFull) },
        ],
        Message::Progress(_) => [Message::Progress((&progress()).into())],
        Message::Part { .. } => [
            Message::Part { round: Some(301), from: 302, bytes: b"part", is_last: false },
            Message::Part { round: None, from: 303, bytes: b"", is_last: true },
        ],
        Message::Retry { .. } => [
            Message::Retry { error: DeviceError::Overrun, sent: 301, attempts: 302 },
        ],
        Message::Ended(_) => [Message::Ended(None), Message::Ended(Some(Fault::Capacity(capacity())))],
        Message::Symbol { .. } => [Message::Symbol { position: 301, input: 302 }],
        Message::Log(_) => [Message::Log(b"log")],
        Message::Name { .. } => [Message::Name { input: 301, name: b"name" }],
        Message::Opened { .. } => [
            Message::Opened { session: 301, known: 302, inputs: 303, frames: 200 },
        ],
        Message::Output(_) => [Message::Output(b"output")],
        Message::Outputs(_) => [Message::Outputs(&[0, 1, 255])],
        Message::Failed(_) => [Message::Failed(DeviceError::Late)],
        Message::Rules(_) => [Message::Rules(300)],
        Message::Offer { .. } => [Message::Offer { kind: OfferKind::Spi, name: b"rom" }],
        Message::Crash(_) => [Message::Crash(b"crash")],
    });
    samples!(lines, Phase, same, {
        Phase::Idle => [Phase::Idle],
        Phase::Running => [Phase::Running],
        Phase::Ended => [Phase::Ended],
        Phase::Agent => [Phase::Agent],
    });
    samples!(lines, Refusal, same, {
        Refusal::Running => [Refusal::Running],
        Refusal::NotRunning => [Refusal::NotRunning],
        Refusal::NoRules => [Refusal::NoRules],
        Refusal::RuleMissing => [Refusal::RuleMissing],
        Refusal::RulesFull => [Refusal::RulesFull],
        Refusal::BuiltIn => [Refusal::BuiltIn],
        Refusal::Options => [Refusal::Options],
        Refusal::OtherProgram => [Refusal::OtherProgram],
        Refusal::FrameMissing => [Refusal::FrameMissing],
        Refusal::TooManyInputs => [Refusal::TooManyInputs],
        Refusal::Line(_) => [Refusal::Line(LineSettings::default())],
        Refusal::NoPin => [Refusal::NoPin],
        Refusal::NoOffer => [Refusal::NoOffer],
        Refusal::NoProbes => [Refusal::NoProbes],
        Refusal::NoLine => [Refusal::NoLine],
    });
    samples!(lines, Fault, same, {
        Fault::Capacity(_) => [Fault::Capacity(capacity())],
        Fault::Contradiction(_) => [Fault::Contradiction(contradiction())],
        Fault::Device { .. } => [
            Fault::Device { error: DeviceError::Unending, word_len: 301, sent: 302 },
        ],
    });
    samples!(lines, types::Resource, same, {
        types::Resource::Outputs => [types::Resource::Outputs],
        types::Resource::Rows => [types::Resource::Rows],
        types::Resource::Suffixes => [types::Resource::Suffixes],
        types::Resource::Classes => [types::Resource::Classes],
        types::Resource::Hypothesis => [types::Resource::Hypothesis],
        types::Resource::Words => [types::Resource::Words],
        types::Resource::Tests => [types::Resource::Tests],
        types::Resource::Tree => [types::Resource::Tree],
        types::Resource::States => [types::Resource::States],
    });
    samples!(lines, DeviceError, same, {
        DeviceError::NotReset => [DeviceError::NotReset],
        DeviceError::Late => [DeviceError::Late],
        DeviceError::Unending => [DeviceError::Unending],
        DeviceError::TooLong => [DeviceError::TooLong],
        DeviceError::Overrun => [DeviceError::Overrun],
        DeviceError::Pin => [DeviceError::Pin],
        DeviceError::Bus => [DeviceError::Bus],
        DeviceError::TooManyOutputs => [DeviceError::TooManyOutputs],
        DeviceError::Framing => [DeviceError::Framing],
        DeviceError::Parity => [DeviceError::Parity],
        DeviceError::Break => [DeviceError::Break],
        DeviceError::Restless => [DeviceError::Restless],
    });
    samples!(lines, Crash<'_>, same, {
        Crash::Panic { .. } => [Crash::Panic { file: b"src/main.rs", line: 301 }],
        Crash::HardFault { .. } => [
            Crash::HardFault { pc: 301, lr: 302, status: 303, address: Some(304) },
        ],
        Crash::Exception { .. } => [Crash::Exception { pc: 301, ra: 302, cause: 303, value: 304 }],
        Crash::StackOverflow { .. } => [Crash::StackOverflow { calls: [301, 302, 303, 304] }],
        Crash::Watchdog { .. } => [Crash::Watchdog { pc: Some(301) }, Crash::Watchdog { pc: None }],
    });
    let frame = Encoder::new().encode(&Request::Hello).map(hex);
    lines.push((String::from("a frame"), frame.expect("it is short")));
    lines.extend(rules());
    lines.extend(probe_rules());
    lines
}

fn rules() -> Lines {
    let span = |start| Span { start, len: start + 1 };
    let reply = ReplyRule {
        ends: span(301),
        grace_ms: 303,
        line: span(304),
        lines: 306,
        length: Some(Length { at: 307, size: 200, is_little_endian: true, plus: 308 }),
        quiet_ms: 309,
        within_ms: 310,
        max_ms: 311,
        max_bytes: 312,
        settle_ms: 313,
        drops_late: true,
        silent: span(314),
    };
    let reset = ResetRule { expect: span(401), within_ms: 403, quiet_ms: 404, tries: 405 };
    let mut lines = Lines::new();
    samples!(lines, Rule<'_>, same, {
        Rule::Text(_) => [Rule::Text(b"text")],
        Rule::Skip(_) => [Rule::Skip(span(501))],
        Rule::Strip(_) => [Rule::Strip(span(502))],
        Rule::Reply(_) => [Rule::Reply(reply), Rule::Reply(ReplyRule::default())],
        Rule::Reset(_) => [Rule::Reset(reset)],
        Rule::Input { .. } => [Rule::Input { name: span(503), reply: 200 }],
        Rule::Step(_) => [Rule::Step(Step::Send(span(504)))],
        Rule::Line(_) => [
            Rule::Line(LineSettings { baud: 300, data_bits: 5, parity: Parity::Even, stop_bits: 2 }),
            Rule::Line(LineSettings { parity: Parity::Odd, ..LineSettings::default() }),
            Rule::Line(LineSettings::default()),
        ],
        Rule::ShowLineErrors => [Rule::ShowLineErrors],
        Rule::Probe(_) => [Rule::Probe(&[1, 2, 3])],
    });
    samples!(lines, Step, same, {
        Step::Send(_) => [Step::Send(span(601))],
        Step::Echo { .. } => [Step::Echo { text: span(602), has_line_end: true }],
        Step::Wait { .. } => [Step::Wait { ms: 603 }],
        Step::Listen { .. } => [Step::Listen { ms: 604 }],
        Step::Expect { .. } => [Step::Expect { by: span(605), within_ms: 606 }],
        Step::Hear { .. } => [Step::Hear { by: span(607), reply: 200 }],
        Step::Pin { .. } => [Step::Pin { name: span(608), ms: 609 }],
    });
    let mut file = Vec::new();
    let rules = [Rule::Text(b"text"), Rule::Skip(span(1))].into_iter();
    let written = RuleFile::write(rules, |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), ()>(())
    });
    assert_eq!(written, Ok(()));
    lines.push((String::from("a file of rules"), hex(&file)));
    lines
}

fn probe_rules() -> Lines {
    let mut lines = Lines::new();
    samples!(lines, ProbeRule<'_>, same, {
        ProbeRule::Settle { .. } => [ProbeRule::Settle { settle_us: 701, debounce_us: 702 }],
        ProbeRule::Sense(_) => [ProbeRule::Sense(b"lamp")],
        ProbeRule::Reset => [ProbeRule::Reset],
        ProbeRule::Input(_) => [ProbeRule::Input(b"press")],
        ProbeRule::Step(_) => [ProbeRule::Step(ProbeStep::Wait { ms: 703 })],
    });
    samples!(lines, ProbeStep<'_>, same, {
        ProbeStep::Wait { .. } => [ProbeStep::Wait { ms: 704 }],
        ProbeStep::Pulse { .. } => [ProbeStep::Pulse { pin: b"pin", ms: 705 }],
        ProbeStep::Set { .. } => [ProbeStep::Set { pin: b"pin", is_active: true }],
        ProbeStep::I2c { .. } => [ProbeStep::I2c { bus: b"bus", address: 72, write: &[7], read: 8 }],
        ProbeStep::Spi { .. } => [ProbeStep::Spi { device: b"rom", send: &[9, 0], skip: 1 }],
        ProbeStep::Voltage { .. } => [ProbeStep::Voltage { input: b"supply" }],
        ProbeStep::Count { .. } => [ProbeStep::Count { counter: b"fan" }],
        ProbeStep::Edges { .. } => [ProbeStep::Edges { counter: b"fan" }],
        ProbeStep::Level { .. } => [ProbeStep::Level { from: 706, name: b"low" }],
    });
    samples!(lines, OfferKind, same, {
        OfferKind::Drive => [OfferKind::Drive],
        OfferKind::Sense => [OfferKind::Sense],
        OfferKind::I2c => [OfferKind::I2c],
        OfferKind::Spi => [OfferKind::Spi],
        OfferKind::Analog => [OfferKind::Analog],
        OfferKind::Edges => [OfferKind::Edges],
    });
    lines
}

fn records() -> Lines {
    let mut lines = types_in_both();
    samples!(lines, Record<'_>, same, {
        Record::Summary(_) => [Record::Summary((&summary()).into())],
        Record::Input(_) => [Record::Input(b"input")],
        Record::Output { .. } => [Record::Output { name: b"output", component: 300 }],
        Record::Component { .. } => [Record::Component { states: 301, initial: 302 }],
        Record::Transition { .. } => [
            Record::Transition { next: 301, output: Some(302) },
            Record::Transition { next: 303, output: None },
        ],
        Record::End { .. } => [Record::End { crc: 300 }],
        Record::OpenTransition { .. } => [Record::OpenTransition { next: 301, output: Some(302) }],
        Record::UnknownTransition => [Record::UnknownTransition],
        Record::OutputName(_) => [Record::OutputName(b"name")],
    });
    lines.push((String::from("result.postcard"), hex(&result())));
    lines
}

/// The result of learning a light: one input switches it, the other looks.
fn result() -> Vec<u8> {
    let mut is_on = false;
    let mut device = sul::from_fn(|input| {
        match input.map(Input::index) {
            None => is_on = false,
            Some(0) => is_on = !is_on,
            Some(_) => {}
        }
        if is_on { "on" } else { "off" }
    });
    let mut session = Session::new([0; 1024], 2, Options::default()).expect("two inputs");
    crate::learn(&mut session, &mut device).expect("a closure does not fail");
    let names: [&[u8]; 2] = [b"press", b"look"];
    let mut bytes = Vec::new();
    let written = super::write(&summary(), names.into_iter(), session.hypothesis(), |part| {
        bytes.extend_from_slice(part);
        Ok::<(), ()>(())
    });
    assert_eq!(written, Ok(()));
    bytes
}

/// A file of golden bytes, and the constant with their version.
struct Golden {
    file: &'static str,
    text: &'static str,
    constant: &'static str,
    version: u8,
}

impl Golden {
    fn check(&self, lines: &Lines) {
        let mut kept = self.text.lines();
        let version = kept.next().and_then(|first| first.strip_prefix(self.constant));
        let version: Option<u8> = version.and_then(|version| version.trim().parse().ok());
        let kept: Vec<_> = kept.filter_map(|line| line.split_once(" = ")).collect();
        let is_writing = std::env::var_os("WIRE_GOLDEN").is_some();
        let Self { file, constant, version: now, .. } = self;
        let again = "WIRE_GOLDEN=write cargo test -p mealybug-core golden";
        if version == Some(*now) {
            for (name, bytes) in &kept {
                let found = lines.iter().find(|(other, _)| other == name);
                let found = found.map(|(_, bytes)| bytes.as_str());
                assert_eq!(
                    found,
                    Some(*bytes),
                    "the encoding of `{name}` has changed, but {constant} is still {now}: raise it, then run {again}"
                );
            }
            for (name, _) in lines {
                assert!(
                    is_writing || kept.iter().any(|(kept, _)| kept == name),
                    "`{name}` has no golden bytes: if programs of {constant} {now} cannot read it, raise that; \
                     then run {again}"
                );
            }
        } else {
            assert!(
                is_writing,
                "{constant} is {now}, but {file} holds the bytes of {}: run {again}",
                self.text.lines().next().unwrap_or("no version")
            );
        }
        if is_writing {
            let lines = lines.iter().map(|(name, bytes)| format!("{name} = {bytes}\n"));
            let text = format!("{constant} {now}\n{}", lines.collect::<String>());
            let path = format!("{}/src/wire/golden/{file}", env!("CARGO_MANIFEST_DIR"));
            fs::write(path, text).expect("the file can be written");
        }
    }
}

#[test]
fn messages_have_their_golden_bytes() {
    let text = include_str!("golden/messages.txt");
    Golden { file: "messages.txt", text, constant: "PROTOCOL", version: PROTOCOL }
        .check(&messages());
}

#[test]
fn results_have_their_golden_bytes() {
    let text = include_str!("golden/results.txt");
    Golden { file: "results.txt", text, constant: "VERSION", version: VERSION }.check(&records());
}

/// A whole result of version 1, as it was written before version 2.
const VERSION_1: &str = "\
    4d45414c594255470100010000e80780020101ffffffffffffffffff01ffffffffffffffffff01ffffffffffffffffff\
    01010000010205020202020401e80700000814e807c157d11100a00a00d03b0000800e0105707265737301046c6f6f6b\
    02026f6e0002036f6666010302000401010004000004000004010100030200040100040001010400010104010005fa90\
    e0a00b";

#[test]
fn a_result_of_version_1_is_refused_and_both_versions_are_named() {
    let digits = VERSION_1.as_bytes().chunks(2).map(core::str::from_utf8);
    let bytes: Vec<_> = digits
        .map(|digits| u8::from_str_radix(digits.expect("text"), 16).expect("two digits"))
        .collect();
    let refused = Reader::new(&bytes).map(drop).expect_err("it is too old");
    assert_eq!(refused, WireError::Version { found: 1 });
    let expected = format!("the result has version 1; this program reads version {VERSION}");
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn what_a_run_holds_comes_back() {
    let summary = summary();
    assert_eq!(Summary::try_from(&types::Summary::from(&summary)), Ok(summary));
    let [capacity, contradiction] =
        [Fault::Capacity(capacity()), Fault::Contradiction(contradiction())].map(
            |fault| match fault {
                Fault::Capacity(error) => Fault::Capacity(crate::CapacityError::from(error).into()),
                Fault::Contradiction(error) => {
                    Fault::Contradiction(crate::Contradiction::from(error).into())
                }
                other => other,
            },
        );
    assert_eq!(capacity, Fault::Capacity(self::capacity()));
    assert_eq!(contradiction, Fault::Contradiction(self::contradiction()));
}

#[test]
fn tests_that_are_not_known_are_refused() {
    let mut summary = types::Summary::from(&summary());
    summary.options.tests = types::Tests { kind: 12, extra_states: 0 };
    assert_eq!(Summary::try_from(&summary), Err(types::Unknown::Tests { kind: 12 }));
    summary.options.tests = types::Tests { kind: 4, extra_states: 1 };
    assert_eq!(Summary::try_from(&summary), Err(types::Unknown::Tests { kind: 4 }));
    summary.options.tests.extra_states = 0;
    assert!(Summary::try_from(&summary).is_ok());
    summary.progress.found_by = Some(types::Tests { kind: 12, extra_states: 0 });
    assert_eq!(Summary::try_from(&summary), Err(types::Unknown::Tests { kind: 12 }));
    summary.progress.found_by = None;
    assert!(summary.progress.tests.push(types::KindCosts { kind: 13, symbols: 1, found: 1 }));
    assert_eq!(Summary::try_from(&summary), Err(types::Unknown::Mixed { kind: 13 }));
}

#[test]
fn the_list_of_kinds_is_bounded_and_full_it_fits_into_a_frame() {
    let most = types::KindCosts { kind: u32::MAX, symbols: u64::MAX, found: u32::MAX };
    let mut full = Mixed::default();
    for _ in 0..Mixed::CAPACITY {
        assert!(full.push(most));
    }
    assert_eq!(full.iter().count(), Mixed::CAPACITY);
    let before = full;
    assert!(!full.push(most));
    assert_eq!(full, before);

    let mut bytes = [0; 512];
    let encoded = postcard::to_slice(&full, &mut bytes).expect("it is short");
    assert_eq!(postcard::from_bytes(encoded), Ok(full));
    encoded[0] += 1;
    assert!(postcard::from_bytes::<Mixed>(&[&*encoded, &[0; 3]].concat()).is_err(), "one too many");

    let (none, several) = (u32::MAX, u32::MAX);
    let costs = Costs { resets: u64::MAX, symbols: u64::MAX };
    let mut progress = types::Progress::from(&Progress {
        purpose: Purpose::Testing,
        short_rows: u32::MAX,
        rows: u32::MAX,
        suffixes: u32::MAX,
        columns: u32::MAX,
        outputs: u32::MAX,
        components: u32::MAX,
        component_states: u32::MAX,
        #[cfg(feature = "tree")]
        tree: None,
        rounds: u64::MAX,
        passing_tests: u64::MAX,
        defects: DefectCounts { none, several },
        learning: costs,
        testing: costs,
        tests: Default::default(),
        found_by: Some(Tests::Wp { extra_states: u32::MAX }),
        longest_streak: 0,
        learner_bytes: usize::MAX,
    });
    progress.tests = full;
    assert!(Encoder::new().encode(&Message::Progress(progress)).is_ok());
}
