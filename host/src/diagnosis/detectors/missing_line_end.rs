//! Inputs that end without the line end of all others, which the device waits for.

use super::super::evidence::Evidence;
use super::super::field::is_text;
use super::super::finding::{Finding, FindingKind};
use crate::escape::excerpt;

/// How many inputs with a line end show what the device wants.
const OTHERS: usize = 2;
/// How often such an input must have got no answer.
const SILENT: u32 = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(Unended { inputs, others, line_end }) = unended(evidence) else { return Vec::new() };
    let names: Vec<_> = inputs.iter().map(|&it| format!("`{}`", evidence.input(it))).collect();
    let (end, were, they) = match inputs.len() {
        1 => ("ends", "was", "it"),
        _ => ("end", "were", "each"),
    };
    let text = format!(
        "{} {end} without a line end and {were} never answered, while {others} other inputs end with `{}`: if {they} needs one, what is \
         sent next, also by a reset, becomes part of the same line",
        names.join(", "),
        excerpt(&line_end)
    );
    vec![Finding::possible(FindingKind::MissingLineEnd, text)]
}

/// Inputs whose line end is most likely missing.
pub(super) struct Unended {
    /// Their numbers.
    pub(super) inputs: Vec<usize>,
    /// The number of all others, which have this line end.
    others: usize,
    line_end: Vec<u8>,
}

/// The silent inputs that are text without a line end, if all that have one have the same. Those that are answered need none.
pub(super) fn unended(evidence: &Evidence) -> Option<Unended> {
    let device = evidence.file.as_ref()?.device();
    let replies = &evidence.port.as_ref()?.replies;
    let variables = device.variables();
    let sent: Vec<_> = device.inputs.iter().map(|input| input.sends(&variables)).collect();
    let line_end = |bytes: &[u8]| {
        let end = bytes.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |at| at + 1);
        bytes[end..].to_vec()
    };
    let (mut inputs, others): (Vec<_>, Vec<_>) =
        (0..sent.len()).partition(|&input| line_end(&sent[input]).is_empty());
    let is_silent = |&input: &usize| {
        let (sent, replies) = (&sent[input], &replies[input]);
        !sent.is_empty() && is_text(sent) && replies.answered == 0 && replies.silent >= SILENT
    };
    inputs.retain(is_silent);
    let first = line_end(&sent[*others.first()?]);
    let is_one = others.iter().all(|&input| line_end(&sent[input]) == first);
    let is_missing = others.len() >= OTHERS.max(inputs.len() + 1) && is_one && !inputs.is_empty();
    is_missing.then_some(Unended { inputs, others: others.len(), line_end: first })
}

#[cfg(test)]
mod tests {

    use super::super::super::evidence::testing::evidence_of;
    use super::super::failed_resets;
    use super::*;
    use crate::serial::{PortStatistics, ReplyCounts};

    /// What is found if all inputs but the first are answered, `?` among them, and the first was silent this often.
    fn found(inputs: [&str; 3], silent: u32) -> Vec<String> {
        find(&seen(inputs, silent)).into_iter().map(|finding| finding.text).collect()
    }

    fn seen(inputs: [&str; 3], silent: u32) -> Evidence {
        let [a, b, c] = inputs;
        let text = format!(
            "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\nlines = 1\n[inputs]\na = \"{a}\"\nb = \"{b}\"\nc = \"{c}\"\nstat = \"?\""
        );
        let mut evidence = evidence_of(&text);
        let answered = || ReplyCounts { answered: 5, ..ReplyCounts::default() };
        let replies = vec![
            ReplyCounts { silent, ..ReplyCounts::default() },
            answered(),
            answered(),
            answered(),
        ];
        evidence.port = Some(PortStatistics { replies, ..PortStatistics::default() });
        evidence
    }

    #[test]
    fn a_reset_is_not_to_blame_for_a_missing_line_end() {
        for (first, count) in [("pause", 0), (r"pause\r\n", 1)] {
            let mut evidence = seen([first, r"join\r\n", r"tx\r\n"], 3);
            evidence.repeated_resets = vec![1];
            assert_eq!(failed_resets::find(&evidence).len(), count, "{first}");
        }
    }

    #[test]
    fn a_silent_input_without_the_line_end_of_all_others_is_named() {
        let all = found(["pause", r"join\r\n", r"tx\r\n"], 3);
        let [text] = &all[..] else { panic!("{all:?}") };
        let start = r"`a` ends without a line end and was never answered, while 2 other inputs end with `\r\n`: if";
        assert!(text.starts_with(start), "{text}");
        let none = Vec::<String>::new();
        assert_eq!(found(["pause", r"join\r\n", r"tx\r\n"], 2), none, "it was hardly asked");
        assert_eq!(found([r"pause\r\n", r"join\r\n", r"tx\r\n"], 3), none);
        assert_eq!(found(["pause", r"join\r\n", r"tx\r"], 3), none, "the others differ");
        assert_eq!(found([r"\u0003", r"join\r\n", r"tx\r\n"], 3), none, "a key");
        assert_eq!(found(["pause", "join", r"tx\r\n"], 3), none, "b is answered without one");
        // A blank is no line end.
        assert_eq!(found(["pause ", r"join \r\n", r"tx\r\n"], 3).len(), 1);
    }
}
