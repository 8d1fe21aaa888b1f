//! Devices that answer before they have done what they were told.

use fastrand::Rng;

use super::*;
use crate::device::Pauses;

/// What a fake device is to do at some time, in ms.
pub(super) type Due = (u128, bool);

/// Switches the lamp as it was to be switched by now.
pub(super) fn do_what_is_due(now: u128, on: &mut bool, due: &mut Vec<Due>) {
    due.sort_unstable();
    due.retain(|(at, to)| {
        if *at <= now {
            *on = *to;
        }
        *at > now
    });
}

/// Checks a lamp that switches only some ms after `press` was answered, or after the reset.
fn lamp_that_acts_late(text: &str, press_ms: u128, reset_ms: u128) -> Checked {
    checked_by_clock(text, move |line, now, on: &mut bool, due: &mut Vec<Due>| {
        do_what_is_due(now, on, due);
        match line {
            "reset" => {
                due.push((now + reset_ms, false));
                Vec::new()
            }
            "press" => {
                due.push((now + press_ms, true));
                vec![(3, &b"ok\n"[..])]
            }
            _ if *on => vec![(3, b"on\n")],
            _ => vec![(3, b"off\n")],
        }
    })
}

/// Checks a device that sees the time.
pub(super) fn checked_by_clock(
    text: &str,
    mut answer: impl FnMut(&str, u128, &mut bool, &mut Vec<Due>) -> Reaction,
) -> Checked {
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let now: Rc<Cell<u128>> = Rc::default();
    let (mut on, mut due) = (false, Vec::new());
    let clock = Rc::clone(&now);
    let link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) => {
            let line = std::str::from_utf8(bytes).expect("text").trim_end();
            answer(line, clock.get(), &mut on, &mut due)
        }
        _ => Vec::new(),
    });
    let link = ClockedLink { link, now };
    let file = EditableDeviceFile::new(device.clone(), text).expect("TOML");
    let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
    let setup = CheckSetup { inputs, file: Some(file), words: Vec::new(), rounds: 5 };
    let go_on: &mut dyn FnMut(&CheckProgress) -> bool = &mut |_| true;
    check(&mut sul, setup, go_on).expect("the device stays")
}

/// A fake link that tells its device the time.
struct ClockedLink<'d> {
    link: FakeLink<'d>,
    now: Rc<Cell<u128>>,
}

impl TimedLink for ClockedLink<'_> {
    fn now(&self) -> Duration {
        self.link.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> std::io::Result<usize> {
        self.link.read(buffer, until)
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.now.set(self.link.now().as_millis());
        self.link.write(bytes)
    }

    fn set(&mut self, line: crate::device::ControlLine, level: bool) -> std::io::Result<()> {
        self.link.set(line, level)
    }

    fn clear(&mut self) -> std::io::Result<()> {
        self.link.clear()
    }

    fn clear_received(&mut self) -> std::io::Result<()> {
        self.link.clear_received()
    }

    fn has_baud(&self) -> bool {
        self.link.has_baud()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.link.reopen()
    }
}

/// The pauses that a check proposes, and the file with them.
fn proposed(text: &str, report: &Checked) -> (Pauses, String) {
    let [Finding { kind: FindingKind::ActsLate, change: Some(change), .. }] = &report.findings[..]
    else {
        panic!("{:#?}", report.findings);
    };
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let mut file = EditableDeviceFile::new(device, text).expect("TOML");
    file.apply(change);
    let Change::Pause(pauses) = change else { panic!("{change:?}") };
    (pauses.clone(), file.text())
}

#[test]
fn an_input_that_acts_after_its_answer_gets_a_pause() {
    let report = lamp_that_acts_late(FILE, 150, 0);
    let (pauses, better) = proposed(FILE, &report);
    let text = &report.findings[0].text;
    assert!(text.starts_with("`press` acts only after the answer."), "{text}");
    let ms = pauses.time.as_millis();
    assert!(!pauses.after_reset && (150..=400).contains(&ms), "{pauses:?}");
    let own = format!("press = {{ text = \"press\\n\", reply = {{ settle_ms = {ms} }} }}");
    assert!(better.contains(&own), "{better}");
    let report = lamp_that_acts_late(&better, 150, 0);
    assert_eq!(report.findings, [], "{better}");
}

#[test]
fn a_reset_that_acts_after_a_while_gets_a_pause() {
    let report = lamp_that_acts_late(FILE, 0, 300);
    let (pauses, better) = proposed(FILE, &report);
    let text = &report.findings[0].text;
    assert!(text.starts_with("the reset acts only after the answer."), "{text}");
    assert!(pauses.after_reset && pauses.after_inputs.is_empty(), "{pauses:?}");
    assert!(better.contains("quiet_ms = 750"), "{better}");
    assert_eq!(lamp_that_acts_late(&better, 0, 300).findings, [], "{better}");
}

#[test]
fn pauses_are_no_remedy_for_devices_that_answer_at_random_or_that_a_reset_does_not_reach() {
    let kinds = |report: &Checked| -> Vec<_> { report.findings.iter().map(|it| it.kind).collect() };
    assert_eq!(kinds(&checked(lamp(false))), [FindingKind::ResetLeaves]);
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let report = checked(move |line, _| match line {
            "reset" => Vec::new(),
            "look" if rng.u32(..3) == 0 => vec![(1, &b"on\n"[..])],
            "look" => vec![(1, b"off\n")],
            _ => vec![(1, b"ok\n")],
        });
        assert!(!kinds(&report).contains(&FindingKind::ActsLate), "{:#?}", report.findings);
    }
    // A clock that no pause stops.
    let report = checked_by_clock(FILE, |line, now, _, _| match line {
        "reset" => Vec::new(),
        _ if now / 700 % 2 == 0 => vec![(1, &b"tick\n"[..])],
        _ => vec![(1, b"tock\n")],
    });
    assert!(!kinds(&report).contains(&FindingKind::ActsLate), "{:#?}", report.findings);
}
