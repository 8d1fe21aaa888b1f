//! Replies with a checksum that the device file does not name.

use super::*;

const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n\
                    [reply]\nlength = 4\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"\ntime = \"time\\n\"";

/// A lamp that answers in frames: a mark, its state or a clock, and their sum.
fn lamp() -> impl FnMut(&str, u32) -> Reaction {
    let mut is_on = false;
    move |line, number| {
        is_on = line != "reset" && is_on != (line == "press");
        let kind = u8::from(line == "time");
        let value = if line == "time" {
            u8::try_from(number / 7 % 100).expect("a byte")
        } else {
            is_on.into()
        };
        let frame = [0x90, kind, value];
        let sum = frame.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        match line {
            "reset" => Vec::new(),
            _ => vec![(1, &*Vec::leak([&frame[..], &[sum]].concat()))],
        }
    }
}

#[test]
fn a_field_is_taken_out_of_replies_without_their_checksum() {
    let report = checked_while(FILE, lamp(), |_| true);
    let changes: Vec<_> = report.findings.iter().filter_map(|it| it.change.as_ref()).collect();
    let [Change::Replace(rule), Change::Checksum(toml)] = &changes[..] else {
        panic!("{:#?}", report.findings)
    };
    assert_eq!((rule.pattern.as_str(), toml.as_str()), (r"((?-u:\x90)\x01)(?s-u:.)", "\"sum8\""));
    let mended = report.findings.iter().fold(FILE.to_owned(), |text, it| mended_by(&text, it));
    let report = checked_while(&mended, lamp(), |_| true);
    let left: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(left, [FindingKind::IdleInput], "{mended}\n{:#?}", report.findings);
}
