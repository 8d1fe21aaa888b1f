//! A `match` that lacks the end of the replies.

use regex_syntax::ast::Ast;
use regex_syntax::ast::parse::Parser;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Finding, FindingKind};
use super::super::new_match::can_match;
use crate::draft::literal;
use crate::escape;

/// The `match` that lacks what always follows it: then each reply is cut, and a longer grace would make none match.
pub(super) fn incomplete_match(evidence: &Evidence, inputs: &[usize]) -> Option<Finding> {
    let rest = evidence.rest_after_match(inputs)?;
    let pattern = evidence.file.as_ref()?.common_match(inputs)?;
    let mut text = format!(
        "`match` lacks the end of the replies: `{}` always follows the bytes that it fits",
        escape::escape(&rest)
    );
    let better = followed_by(pattern, &escape::pattern(&rest));
    let better = Some(better).filter(|better| can_match(evidence, better, &[]));
    if let Some(better) = &better {
        text += &format!(". This has it, in [reply]:\nmatch = {}", literal(better));
    }
    let change = better.map(Change::Match);
    Some(Finding { change, ..Finding::shown(FindingKind::WrongEnd, text) })
}

/// A pattern for what `pattern` fits, and `rest` after it, before its `$`.
fn followed_by(pattern: &str, rest: &str) -> String {
    let (start, end) = pattern.strip_suffix('$').map_or((pattern, ""), |start| (start, "$"));
    match Parser::new().parse(start) {
        Ok(Ast::Alternation(_)) => format!("(?:{start}){rest}{end}"),
        Ok(_) => format!("{start}{rest}{end}"),
        // This `$` was one to be matched, as in `\$`.
        Err(_) => format!("{pattern}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_pattern_follows_each_of_its_alternatives() {
        for (pattern, expected) in [
            ("db>$", "db> $"),
            ("ok|db>$", "(?:ok|db>) $"),
            ("(ok|db>)", "(ok|db>) "),
            ("cost\\$", "cost\\$ "),
        ] {
            assert_eq!(followed_by(pattern, " "), expected);
        }
    }
}
