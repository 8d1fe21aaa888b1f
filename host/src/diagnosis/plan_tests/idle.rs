//! Checks that listen while nothing is asked.

use std::io::ErrorKind;

use super::late_actions::checked_at;
use super::*;

/// A lamp that says how warm it is before some of its answers, and never by itself.
pub(super) fn lamp_with_lines_on_top() -> FakeLink<'static> {
    let mut lamp = lamp(true);
    link_to(move |line, number| {
        let mut reaction = lamp(line, number);
        if line != "reset" && number % 7 == 3 {
            reaction.insert(0, (1, b"!TEMP 9.25\n"));
        }
        reaction
    })
}

#[test]
fn an_interruption_of_listening_ends_the_check_with_a_report() {
    let text = FILE.replace("press =", "mute = \"mute\\n\"\npress =");
    let link = warm_lamp();
    let (failing, mut compared) = (Rc::clone(&link.failing), 0);
    let report = checked_at(&text, link, &mut |progress| {
        compared += u32::from(progress.stage == CheckStage::Compare);
        // The signal comes while the device is listened to.
        failing.set((compared == 1).then_some(ErrorKind::Interrupted).or(failing.get()));
        compared < 2
    });
    let is_unasked = |it: &Finding| it.kind == FindingKind::Unasked;
    assert!(report.findings.iter().any(is_unasked), "{:#?}", report.findings);
    assert!(compared > 0 && failing.get().is_some());
}

/// A lamp whose answers take this time, and that says by itself, each `every` ms, how warm it is.
fn slow_warm_lamp(answer_ms: u64, every: u64) -> FakeLink<'static> {
    let mut lamp = lamp(true);
    let mut link = link_to(move |line, number| {
        let reaction = lamp(line, number).into_iter();
        reaction.map(|(ms, answer)| (ms + answer_ms, answer)).collect()
    });
    for number in 0..900 {
        link.say(number * every + 777, b"!TEMP 21.5\n");
    }
    link
}

const STRIP: &str = r"!TEMP \d+\.\d+\r?\n";

fn strips(report: &Checked) -> bool {
    let strip = Change::Strip(STRIP.to_owned());
    report.findings.iter().any(|it| it.change.as_ref() == Some(&strip))
}

#[test]
fn a_line_heard_while_nothing_is_asked_stays_known() {
    // The words that follow show it in place of answers.
    for (answer_ms, every) in [(200, 4_000), (300, 5_000), (200, 10_000)] {
        let report = checked_at(FILE, slow_warm_lamp(answer_ms, every), &mut |_| true);
        assert!(strips(&report), "{answer_ms} {every}: {:#?}", report.findings);
    }
}

/// The device ends each line with a carriage return alone.
#[test]
fn lines_that_end_with_returns_are_taken_out() {
    let text = FILE.replace("\\n\"", "\\r\"").replace("lines = 1", "match = '\\r$'\ngrace_ms = 0");
    let device = || {
        let mut lamp = lamp(true);
        let mut link = link_to(move |line, number| {
            let said = |(_, answer): (u64, &[u8])| match answer {
                b"on\n" => (203, &b"on\r"[..]),
                _ => (203, &b"off\r"[..]),
            };
            lamp(line, number).into_iter().map(said).collect()
        });
        for number in 0..900 {
            link.say(number * 4000 + 777, b"!TEMP 21.5\r");
        }
        link
    };
    let report = checked_at(&text, device(), &mut |_| true);
    let strip = Change::Strip(r"!TEMP \d+\.\d+\r".to_owned());
    let found = report.findings.iter().find(|it| it.change.as_ref() == Some(&strip));
    let mended = mended_by(&text, found.unwrap_or_else(|| panic!("{:#?}", report.findings)));
    let report = checked_at(&mended, device(), &mut |_| true);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{mended}\n{:#?}", report.findings);
}

#[test]
fn lines_that_only_the_last_words_show_are_listened_for() {
    let report = checked_at(FILE, slow_warm_lamp(300, 15_000), &mut |_| true);
    assert!(strips(&report), "{:#?}", report.findings);
}

#[test]
fn what_comes_while_nothing_is_asked_is_not_judged_where_it_was_not_listened_to() {
    let text = FILE.replace("press =", "mute = \"mute\\n\"\npress =");
    let report =
        checked_at(&text, warm_lamp(), &mut |progress| progress.stage < CheckStage::Compare);
    let found = report.findings.iter().find(|it| it.kind == FindingKind::Unasked);
    let text = &found.expect("a line on top").text;
    assert!(!strips(&report) && !text.contains("while nothing was asked"), "{text}");
    let mut longest = None;
    let heard = checked_at(FILE, lamp_with_lines_on_top(), &mut |progress| {
        assert!(progress.listening.is_none() || progress.stage == CheckStage::Compare);
        longest = longest.max(progress.listening);
        true
    });
    assert!(longest > Some(Duration::from_secs(20)), "it says that it listens: {longest:?}");
    let found = heard.findings.iter().find(|it| it.kind == FindingKind::Unasked);
    let text = &found.expect("a line on top").text;
    assert!(
        text.contains(" never while nothing was asked") && text.contains("listened for "),
        "{text}"
    );
}

/// A link whose other end closes it when nothing was sent for a while.
struct ImpatientLink {
    link: FakeLink<'static>,
    sent: Duration,
}

impl ImpatientLink {
    const PATIENCE: Duration = Duration::from_millis(1500);
    const EVERY_MS: u64 = 900;

    fn new(link: FakeLink<'static>) -> Self {
        let mut link = Self { link, sent: Duration::ZERO };
        link.speak();
        link
    }

    /// The device says how warm it is at its own times.
    fn speak(&mut self) {
        let now = u64::try_from(self.link.now().as_millis()).expect("a short test");
        let next = Self::EVERY_MS - now % Self::EVERY_MS;
        (0..20).for_each(|number| self.link.say(next + number * Self::EVERY_MS, b"!TEMP 21.5\n"));
    }
}

impl TimedLink for ImpatientLink {
    fn now(&self) -> Duration {
        self.link.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> std::io::Result<usize> {
        let closes = self.sent + Self::PATIENCE;
        match self.link.read(buffer, until.min(closes))? {
            0 if self.now() >= closes => Err(ErrorKind::BrokenPipe.into()),
            count => Ok(count),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.sent = self.now();
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
        false
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.sent = self.now();
        let opened = self.link.reopen();
        self.speak();
        opened
    }
}

#[test]
fn a_connection_that_ends_when_nothing_is_asked_is_listened_to_again() {
    let mut on = false;
    let link = FakeLink::new(move |deed| {
        match deed {
            LinkAct::Reopened => on = false,
            LinkAct::Sent(bytes) => {
                on ^= bytes == b"press\n";
                return vec![(100, if on { &b"on\n"[..] } else { b"off\n" })];
            }
            _ => {}
        }
        Vec::new()
    });
    let text = FILE.replace("send = \"reset\\n\"", "reconnect = true");
    let report = checked_at(&text, ImpatientLink::new(link), &mut |_| true);
    assert!(strips(&report), "{:#?}", report.findings);
    let others = report.findings.iter().filter(|it| it.kind != FindingKind::Unasked);
    let wrong: Vec<_> = others.filter(|it| it.is_wrong()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_part_of_an_answer_that_comes_after_seconds_is_not_taken_out() {
    for answer_ms in [30, 150, 400] {
        for (every, ms) in [1, 3, 8].into_iter().flat_map(|it| [(it, 4000), (it, 6000), (it, 9000)])
        {
            let (mut is_on, mut presses) = (false, 0);
            let link = link_to(move |line: &str, _| match line {
                "reset" => {
                    is_on = false;
                    Vec::new()
                }
                "press" => {
                    let says = if every == 1 { !is_on } else { presses % every == 0 };
                    is_on = true;
                    presses += 1;
                    let late = says.then_some((ms, &b"switched on\n"[..]));
                    [(answer_ms, &b"ok\n"[..])].into_iter().chain(late).collect()
                }
                _ if is_on => vec![(answer_ms, &b"on\n"[..])],
                _ => vec![(answer_ms, &b"off\n"[..])],
            });
            let text = FILE.replace("press =", "mute = \"mute\\n\"\npress =");
            let report = checked_at(&text, link, &mut |_| true);
            let strip =
                report.findings.iter().find(|it| matches!(it.change, Some(Change::Strip(_))));
            assert!(strip.is_none(), "{answer_ms} {every} {ms}: {strip:#?}");
        }
    }
}

#[test]
fn two_lines_that_come_unasked_are_taken_out_by_one_list() {
    let text = FILE.replace("lines = 1", "lines = 1\nstrip = ['\\a']");
    let mut link = slow_warm_lamp(200, 4_000);
    for number in 0..900 {
        link.say(number * 3_000 + 2_111, b"!DOOR open\n");
    }
    let report = checked_at(&text, link, &mut |_| true);
    let unasked: Vec<_> =
        report.findings.iter().filter(|it| it.kind == FindingKind::Unasked).collect();
    let [one, two] = &unasked[..] else { panic!("{:#?}", report.findings) };
    let strip = |pattern: &str| format!("strip = ['\\a', {pattern}");
    let (door, both) = (r"'!DOOR open\r?\n'", format!(r"'!DOOR open\r?\n', '{STRIP}']"));
    assert!(one.text.contains(&strip(&format!("{door}]"))), "{}", one.text);
    assert!(two.text.contains(&strip(&both)), "{}", two.text);
}

/// A line may come while `length` counts the bytes of a reply, and `strip` takes out whole lines.
#[test]
fn where_replies_have_a_length_what_takes_out_a_line_says_so() {
    let with_length = FILE
        .replace("press = \"press\\n\"", "press = { text = \"press\\n\", reply = { length = 5 } }");
    assert_ne!(with_length, FILE);
    for (text, says) in [(FILE, false), (&with_length, true)] {
        let report = checked_at(text, slow_warm_lamp(200, 4_000), &mut |_| true);
        assert!(strips(&report), "{:#?}", report.findings);
        let found = report.findings.iter().find(|it| it.kind == FindingKind::Unasked);
        let advice = "end replies by `match` instead (those to `press`)";
        assert_eq!(found.is_some_and(|it| it.text.contains(advice)), says, "{found:#?}");
    }
}

#[test]
fn lines_in_resets_and_after_one_input_come_unasked() {
    let text = FILE.replace("quiet_ms = 0", "quiet_ms = 5");
    let mut lamp = lamp(true);
    let link = link_to(move |line, number| {
        let mut reaction = lamp(line, number);
        let every = if line == "press" { 11 } else { 3 };
        if line != "look" && number % every == 0 {
            reaction.push((1, b"RX 5\n"));
        }
        reaction
    });
    let report = checked_at(&text, link, &mut |_| true);
    let found = report.findings.iter().find(|it| it.kind == FindingKind::Unasked);
    assert!(
        found.is_some_and(|it| it.text.contains("a line like `RX 5`")),
        "{:#?}",
        report.findings
    );
}

#[test]
fn waits_are_counted_where_lines_come_unasked() {
    let text = FILE.to_owned() + "\nwait = { wait_ms = 30 }";
    let report = checked_at(&text, lamp_with_lines_on_top(), &mut |_| true);
    assert!(!report.evidence.unasked.is_empty(), "{:#?}", report.findings);
    assert!(report.evidence.timings()[2].count > 5, "{:?}", report.evidence.timings());
}

/// A display that says some time after a screen was added that it listens to it.
fn display(late: impl Fn(u32) -> u64) -> impl FnMut(&str, u32) -> Reaction {
    let mut has_screen = false;
    move |line, number| match line {
        "reset" => {
            has_screen = false;
            Vec::new()
        }
        "add" if !std::mem::replace(&mut has_screen, true) => {
            vec![(30, &b"success\n"[..]), (30 + late(number), b"listen s\n")]
        }
        "name" => vec![(30, b"success\n")],
        "del" if std::mem::take(&mut has_screen) => vec![(30, b"success\n")],
        "fore" | "widget" if has_screen => vec![(30, b"success\n")],
        _ => vec![(30, b"huh?\n")],
    }
}

#[test]
fn the_answer_to_many_inputs_is_not_what_comes_unasked() {
    let inputs = ["add", "del", "fore", "name", "widget"];
    let inputs: String = inputs.map(|input| format!("{input} = \"{input}\\n\"\n")).concat();
    let text = FILE.split("look =").next().unwrap_or_default().to_owned() + &inputs;
    for (step, most) in [(37, 125), (17, 125), (29, 125), (53, 90), (11, 60)] {
        let late = move |number| u64::from(number * step % most);
        let report = checked_at(&text, link_to(display(late)), &mut |_| true);
        let found = &report.findings;
        assert!(!found.iter().any(|it| it.text.contains("strip = ['success")), "{found:#?}");
        let named = found.iter().find(|it| it.text.contains(r"strip = ['listen s\r?\n']"));
        assert!(named.is_some_and(Finding::is_wrong), "{step} {most}: {found:#?}");
    }
}

#[test]
fn what_a_reset_waits_for_is_not_taken_out() {
    let text =
        FILE.replace("quiet_ms = 0", "quiet_ms = 0\nexpect = { match = 'RX 5', within_ms = 50 }");
    let mut lamp = lamp(true);
    let link = link_to(move |line, number| {
        let mut reaction = lamp(line, number);
        if line == "reset" || number % 7 == 3 {
            reaction.insert(0, (1, b"RX 5\n"));
        }
        reaction
    });
    let found = checked_at(&text, link, &mut |_| true).findings;
    let unasked = found.iter().find(|it| it.kind == FindingKind::Unasked);
    assert!(unasked.is_some_and(|it| it.text.contains("`RX 5`")), "{found:#?}");
    assert!(!found.iter().any(|it| it.text.contains("strip = [")), "{found:#?}");
    let mut changes = found.iter().filter_map(|it| it.change.as_ref());
    assert!(!changes.any(|it| matches!(it, Change::Strip(_))), "{found:#?}");
}

#[test]
fn a_line_of_a_device_that_restarts_by_itself_is_not_taken_out() {
    let waits = "quiet_ms = 0\nexpect = { match = '!TEMP [0-9.]+\\n', within_ms = 50 }";
    let text = FILE.replace("quiet_ms = 0", waits);
    let mut lamp = lamp(true);
    let mut link = link_to(move |line, number| {
        let slower = lamp(line, number).into_iter().map(|(ms, it)| (ms + 30, it));
        let restart = (line == "reset").then_some((1, &b"!TEMP 9.25\n"[..]));
        restart.into_iter().chain(slower).collect()
    });
    for number in 0..900 {
        link.say(number * 700 + 777, b"!TEMP 21.5\n");
    }
    let report = checked_at(&text, link, &mut |_| true);
    let found = report.findings.iter().find(|it| it.kind == FindingKind::Unasked);
    let found = found.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert!(found.text.contains("does the device restart by itself?"), "{}", found.text);
    assert!(!found.text.contains("strip = [") && found.change.is_none(), "{found:#?}");
    assert!(!strips(&report), "{:#?}", report.findings);
}
