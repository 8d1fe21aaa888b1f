//! Resets that take longer now and then than the file waits for.

use fastrand::Rng;

use super::late_actions::checked_by_clock;
use super::*;

const LOADER: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 300 }  # soon\n\
                      quiet_ms = 0\n[reply]\nlines = 1\nwithin_ms = 100\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"\n";

/// Checks a device whose resets take 200 ms, but for one in twelve.
fn checked_loader(text: &str, slow: &Reaction) -> Checked {
    let mut rng = Rng::with_seed(7);
    checked_by_clock(text, move |line, _, on, _| match line {
        "reset" => {
            *on = false;
            if rng.u32(..12) == 0 { slow.clone() } else { vec![(200, b"ready\n")] }
        }
        "press" => {
            *on = !*on;
            vec![(1, b"ok\n")]
        }
        _ => vec![(1, if *on { b"on\n" } else { b"off\n" })],
    })
}

#[test]
fn a_reset_that_takes_longer_now_and_then_gets_more_time() {
    let slow = vec![(100, &b"fsck\n"[..]), (900, b"ready\n")];
    let report = checked_loader(LOADER, &slow);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.kind == FindingKind::SlowReset && found.is_wrong(), "{found:#?}");
    assert!(found.text.starts_with("`within_ms` = 300 in the `expect`"), "{}", found.text);
    let mended = mended_by(LOADER, found);
    let kept = LOADER.replace("within_ms = 300 }", "within_ms = 1800 }");
    assert_eq!(mended, kept);
    let report = checked_loader(&mended, &slow);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{:#?}", report.findings);
}

#[test]
fn a_reset_that_does_not_say_it_later_is_not_slow() {
    for slow in [Vec::new(), vec![(400, &b"error\n"[..])], vec![(250, b"ready\n")]] {
        let report = checked_loader(LOADER, &slow);
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind).collect();
        assert!(!kinds.contains(&FindingKind::SlowReset), "{:#?}", report.findings);
    }
}
