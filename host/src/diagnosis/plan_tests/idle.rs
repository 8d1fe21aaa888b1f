//! Checks that listen while nothing is asked.

use std::io::ErrorKind;

use super::late_actions::checked_at;
use super::*;

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
