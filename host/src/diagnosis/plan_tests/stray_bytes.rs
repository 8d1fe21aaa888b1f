//! NUL bytes in some of the replies.

use fastrand::Rng;

use super::late_actions::{checked_at, checked_by_clock, do_what_is_due};
use super::*;

const MODEM: &str = "[[reset]]\nsteps = [{ send = \"z\\n\" }]\nexpect = { match = '>$', within_ms = 300 }\ntries = 3\n[reply]\n\
                     match = '>$'\ngrace_ms = 5\nwithin_ms = 300\n[[output]]\nmatch = '(?s)^\\s*(?<text>.*?)\\s*>$'\nname = '${text}'\n\
                     [inputs]\nl1 = \"l1\\n\"\nl0 = \"l0\\n\"\ndp = \"dp\\n\"";

/// Checks a modem that puts `byte` into one in `every` replies, at any place.
fn checked_modem(text: &str, byte: u8, every: usize) -> Checked {
    let mut rng = Rng::with_seed(1);
    let mut is_long = false;
    let answer = move |line: &str, _| {
        match line {
            "l1" => is_long = true,
            "l0" | "z" => is_long = false,
            _ => {}
        }
        let mut reply = match line {
            "z" => b"\r\nv1.5\r\n>".to_vec(),
            "dp" if is_long => b"LONG\r\n>".to_vec(),
            "dp" => b"SHORT\r\n>".to_vec(),
            _ => b"OK\r\n\r\n>".to_vec(),
        };
        if rng.usize(..every) == 0 {
            reply.insert(rng.usize(..=reply.len()), byte);
        }
        vec![(1, &*reply.leak())]
    };
    checked_at(text, link_to(answer), &mut |_| true)
}

#[test]
fn nul_bytes_in_some_replies_get_a_strip() {
    let mut hidden = Vec::new();
    for every in [100, 40, 15] {
        let report = checked_modem(MODEM, 0, every);
        let [Finding { kind: FindingKind::StrayByte, change: Some(change), text, .. }, others @ ..] =
            &report.findings[..]
        else {
            panic!("{every}: {:#?}", report.findings);
        };
        assert!(others.iter().all(|other| !other.is_wrong()), "{every}: {others:#?}");
        for part in ["a NUL byte came in ", "strip = ['\\x00']", "become the usual one"] {
            assert!(text.contains(part), "{text}");
        }
        if text.contains("it came after the end and hid it, so that silence ended the reply") {
            hidden.push(every);
        }
        let device = DeviceFile::parse(Path::new("lamp.toml"), MODEM).expect("a device file");
        let mut file = EditableDeviceFile::new(device, MODEM).expect("TOML");
        file.apply(change);
        let mended = checked_modem(&file.text(), 0, every);
        assert!(!mended.findings.iter().any(Finding::is_wrong), "{every}: {:#?}", mended.findings);
        assert!(mended.evidence.stray.is_none());
    }
    assert!(hidden.contains(&15), "{hidden:?}");
}

#[test]
fn other_bytes_are_no_stray_ones() {
    let report = checked_modem(MODEM, 7, 20);
    assert_eq!(report.findings[0].change, Some(Change::Strip(r"\x07".to_owned())));
    // A letter is what a line has garbled.
    let report = checked_modem(MODEM, b'x', 60);
    assert!(report.evidence.stray.is_none(), "{:#?}", report.findings);
}

#[test]
fn a_state_that_a_control_byte_shows_is_what_the_reset_leaves() {
    // `put` fills a box that the reset does not empty, some time after its answer.
    let file = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 100").replace("look", "read");
    let inputs = "put = \"put\\n\"\nclear = \"clear\\n\"\nnop = \"nop\\n\"";
    let file = file.replace("press = \"press\\n\"", inputs);
    for late in [100, 400, 1000] {
        let mut rng = Rng::with_seed(5);
        let report = checked_by_clock(&file, move |line, now, full, due| {
            do_what_is_due(now, full, due);
            match line {
                "put" if rng.u32(..3) == 0 => due.push((now + late, true)),
                "clear" => due.push((now + late, false)),
                _ => {}
            }
            match line {
                "reset" => Vec::new(),
                "read" if *full => vec![(1, &b"v\x01\n"[..])],
                "read" => vec![(1, b"v\n")],
                _ => vec![(1, b"ok\n")],
            }
        });
        let first = report.findings.first();
        let kinds = [FindingKind::ResetLeaves, FindingKind::ChangingOutput, FindingKind::ActsLate];
        assert!(first.is_some_and(|it| kinds.contains(&it.kind)), "{late}: {:#?}", report.findings);
        assert!(report.evidence.stray.is_none(), "{late}: {:#?}", report.findings);
    }
}
