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
