//! Compiles patterns to automata, for targets without regular expressions.
//!
//! regex-automata turns a pattern into a deterministic automaton over bytes. This module explores
//! its states, minimises them and writes them in the layout of [`mealybug_core::wire::rule`]. The
//! layout is our own because the sparse automata of regex-automata need 7.7 kB of code on the
//! target, which may panic; ours needs a loop of ten lines.

use std::collections::{BTreeMap, HashMap};

use mealybug_core::wire::rule::{ACCEPTS, DEAD};
use regex::bytes::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, nfa::thompson, util::primitives::StateID};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// A pattern with more states is refused, even if minimising would help.
const MAX_STATES: usize = 2000;

/// How much memory regex-automata may take for an automaton, in bytes.
const SIZE_LIMIT: usize = 1 << 22;

/// The automaton that accepts a text if and only if one of the patterns matches somewhere in it.
///
/// # Errors
/// The reason why there is no such automaton.
pub(super) fn matching(patterns: &[Regex]) -> Result<Vec<u8>, &'static str> {
    let dfa = build(patterns, StartKind::Unanchored)?;
    let state = |id: StateID| {
        // The automaton enters a match state one byte after the match; no later byte can undo it.
        if dfa.is_match_state(id) { DfaState::Matched } else { DfaState::Of(id) }
    };
    explore(&dfa, Anchored::No, state)
}

/// The automaton that accepts what the pattern matches at the beginning of a text. The pattern
/// matches the longest beginning that the automaton accepts before it is dead.
///
/// # Errors
/// The reason why there is no such automaton.
pub(super) fn beginning(pattern: &Regex) -> Result<Vec<u8>, &'static str> {
    if !parse(pattern).is_some_and(|hir| hir.properties().look_set().is_empty()) {
        return Err("it looks at what stands around it, with `^`, `$` or `\\b`");
    }
    let dfa = build(std::slice::from_ref(pattern), StartKind::Anchored)?;
    explore(&dfa, Anchored::Yes, DfaState::Of)
}

/// The set of bytes that the pattern matches, if it matches only single bytes.
pub(super) fn single_bytes(pattern: &Regex) -> Option<Vec<u8>> {
    match parse(pattern)?.kind() {
        HirKind::Literal(text) if text.0.len() == 1 => Some(text.0.to_vec()),
        HirKind::Class(regex_syntax::hir::Class::Bytes(class)) => {
            Some(class.iter().flat_map(|range| range.start()..=range.end()).collect())
        }
        _ => None,
    }
}

/// Parses the pattern as device files do: over bytes, without Unicode classes.
fn parse(pattern: &Regex) -> Option<Hir> {
    ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern.as_str()).ok()
}

type Dfa = dense::DFA<Vec<u32>>;

fn build(patterns: &[Regex], start: StartKind) -> Result<Dfa, &'static str> {
    let patterns: Vec<_> = patterns.iter().map(Regex::as_str).collect();
    let config = dense::Config::new()
        .start_kind(start)
        .dfa_size_limit(Some(SIZE_LIMIT))
        .determinize_size_limit(Some(SIZE_LIMIT));
    dense::Builder::new()
        .configure(config)
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false))
        .build_many(&patterns)
        .map_err(|_| "it needs too many states")
}

/// A state of the automaton being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum DfaState {
    /// A state of regex-automata.
    Of(StateID),
    /// Accepts everything that follows.
    Matched,
}

/// A state: the number of the next state for each byte.
struct DfaRow {
    accepts: bool,
    next: Vec<usize>,
}

fn explore(
    dfa: &Dfa,
    anchored: Anchored,
    state: impl Fn(StateID) -> DfaState,
) -> Result<Vec<u8>, &'static str> {
    let start = dfa.start_state(&start::Config::new().anchored(anchored));
    let start = start.map_err(|_| "it cannot be started")?;
    let (mut numbers, mut states) = (HashMap::from([(state(start), 0)]), vec![state(start)]);
    let mut rows = Vec::new();
    while let Some(&of) = states.get(rows.len()) {
        let mut next = Vec::with_capacity(256);
        for byte in 0..=u8::MAX {
            let after = match of {
                DfaState::Matched => DfaState::Matched,
                DfaState::Of(id) => state(dfa.next_state(id, byte)),
            };
            next.push(*numbers.entry(after).or_insert_with(|| {
                states.push(after);
                states.len() - 1
            }));
        }
        if states.len() > MAX_STATES {
            return Err("it needs too many states");
        }
        let accepts = match of {
            DfaState::Matched => true,
            DfaState::Of(id) if dfa.is_quit_state(id) => return Err("it is not for bytes"),
            DfaState::Of(id) => dfa.is_match_state(dfa.next_eoi_state(id)),
        };
        rows.push(DfaRow { accepts, next });
    }
    lay_out(&minimise(rows))
}

/// Merges equivalent states (Moore, *Gedanken-experiments on sequential machines*, 1956). State 0
/// stays the first.
fn minimise(rows: Vec<DfaRow>) -> Vec<DfaRow> {
    let mut blocks: Vec<usize> = rows.iter().map(|row| usize::from(row.accepts)).collect();
    let mut count = 0;
    loop {
        let mut numbers = HashMap::new();
        let refined: Vec<usize> = rows
            .iter()
            .zip(&blocks)
            .map(|(row, block)| {
                let next: Vec<_> = row.next.iter().map(|next| blocks[*next]).collect();
                let new = numbers.len();
                *numbers.entry((*block, next)).or_insert(new)
            })
            .collect();
        blocks = refined;
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    let mut merged: Vec<DfaRow> = Vec::new();
    for (row, block) in rows.iter().zip(&blocks) {
        // Blocks are numbered by their first states.
        if *block == merged.len() {
            let next = row.next.iter().map(|next| blocks[*next]).collect();
            merged.push(DfaRow { accepts: row.accepts, next });
        }
    }
    merged
}

fn lay_out(rows: &[DfaRow]) -> Result<Vec<u8>, &'static str> {
    let is_dead = |number: usize| {
        let row = &rows[number];
        number > 0 && !row.accepts && row.next.iter().all(|next| *next == number)
    };
    let sparse: Vec<_> = rows.iter().map(sparse).collect();
    let laid_out = |number: &usize| !is_dead(*number);
    let mut starts = vec![DEAD; rows.len()];
    let mut len = 0;
    for number in (0..rows.len()).filter(laid_out) {
        let start = u16::try_from(len).ok().filter(|start| *start < DEAD);
        starts[number] = start.ok_or("it needs too many states")?;
        len += 3 + 4 * sparse[number].1.len();
    }
    let mut bytes = Vec::with_capacity(len);
    for number in (0..rows.len()).filter(laid_out) {
        let (other, ranges) = &sparse[number];
        let count = u8::try_from(ranges.len()).ok().filter(|count| *count < ACCEPTS);
        let count = count.ok_or("it tells too many bytes apart")?;
        bytes.push(count | if rows[number].accepts { ACCEPTS } else { 0 });
        bytes.extend(starts[*other].to_le_bytes());
        for (low, high, next) in ranges {
            bytes.extend([*low, *high]);
            bytes.extend(starts[*next].to_le_bytes());
        }
    }
    Ok(bytes)
}

/// The most common next state of a row, and the ranges of bytes that lead elsewhere: first byte,
/// last byte, state.
fn sparse(row: &DfaRow) -> (usize, Vec<(u8, u8, usize)>) {
    let mut ranges: Vec<(u8, u8, usize)> = Vec::new();
    for (byte, &next) in (0..=u8::MAX).zip(&row.next) {
        match ranges.last_mut() {
            Some((_, high, to)) if *to == next => *high = byte,
            _ => ranges.push((byte, byte, next)),
        }
    }
    let mut counts = BTreeMap::new();
    for (_, _, to) in &ranges {
        *counts.entry(*to).or_insert(0) += 1;
    }
    let other = counts.into_iter().max_by_key(|(_, count)| *count).map_or(0, |(to, _)| to);
    ranges.retain(|(_, _, to)| *to != other);
    (other, ranges)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use regex::bytes::RegexBuilder;

    use super::*;

    fn regex(pattern: &str) -> Regex {
        RegexBuilder::new(pattern).unicode(false).build().expect(pattern)
    }

    /// Runs the automaton as a target does: whether it accepts each beginning of the text, until it
    /// is dead.
    fn walk(automaton: &[u8], text: &[u8]) -> Vec<bool> {
        let accepts = |state: u16| automaton[usize::from(state)] & ACCEPTS > 0;
        let mut state = 0;
        let mut accepted = vec![accepts(state)];
        for byte in text {
            let record = &automaton[usize::from(state)..];
            let count = usize::from(record[0] & !ACCEPTS);
            let ranges = record[3..].chunks(4).take(count);
            let range = ranges.into_iter().find(|range| (range[0]..=range[1]).contains(byte));
            let next = range.map_or(&record[1..3], |range| &range[2..]);
            state = u16::from_le_bytes([next[0], next[1]]);
            if state == DEAD {
                break;
            }
            accepted.push(accepts(state));
        }
        accepted
    }

    fn texts(letters: &[u8], rng: &mut Rng) -> Vec<Vec<u8>> {
        let text = |rng: &mut Rng| {
            (0..rng.usize(..12)).map(|_| *rng.choice(letters).expect("some")).collect()
        };
        (0..300).map(|_| text(rng)).collect()
    }

    #[test]
    fn it_accepts_what_the_pattern_matches() {
        let mut rng = Rng::with_seed(1);
        for patterns in [
            &["> $"][..],
            &["[>#] $", r"login: $"],
            &["> "],
            &[r"(?m)^ok\r?$"],
            &[r"\bok\b"],
            &["^>"],
            &[r"(?:\A|[\r\n])(?:OK|ERROR|k.*)\r*\n\z"],
            &["(?s)o.*k"],
            &["(?i)OK>"],
            &[""],
        ] {
            let patterns: Vec<_> = patterns.iter().map(|pattern| regex(pattern)).collect();
            let automaton = matching(&patterns).expect("small");
            for text in texts(b"ok> #\r\nlgin:EROK\xff", &mut rng) {
                let accepted = walk(&automaton, &text);
                for len in 0..=text.len() {
                    let matches = patterns.iter().any(|pattern| pattern.is_match(&text[..len]));
                    // A dead automaton never matches again.
                    let accepts = accepted.get(len).copied().unwrap_or(false);
                    assert_eq!(accepts, matches, "{patterns:?} in {}", text[..len].escape_ascii());
                }
            }
        }
    }

    #[test]
    fn it_accepts_what_the_pattern_matches_at_the_beginning() {
        let mut rng = Rng::with_seed(2);
        for pattern in
            [r"\x1b\[[0-9;]*[A-Za-z]", r"\r", "a|ab", "ab|a", "a+?b?", "(?:ab)*", "a*b|[^a]c", "b+"]
        {
            let pattern = regex(pattern);
            let automaton = beginning(&pattern).expect("small");
            for text in texts(b"\x1b[0;1mab\rc", &mut rng) {
                let accepted = walk(&automaton, &text).iter().rposition(|accepts| *accepts);
                let found = pattern.find(&text).filter(|found| found.start() == 0);
                // A match of length 0 removes nothing.
                let len = |len: Option<usize>| len.unwrap_or(0);
                let found = len(found.map(|found| found.end()));
                assert_eq!(len(accepted), found, "{pattern} in {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn what_is_too_much_or_looks_around_has_none() {
        assert_eq!(
            beginning(&regex(r"a$")),
            Err("it looks at what stands around it, with `^`, `$` or `\\b`")
        );
        let large = matching(&[regex(r"a[ab]{16}b")]);
        assert_eq!(large, Err("it needs too many states"));
    }

    #[test]
    fn it_is_small() {
        assert_eq!(matching(&[regex("> $")]).expect("small").len(), (3 + 4) + (3 + 8) + (3 + 4));
        assert_eq!(beginning(&regex(r"\r")).expect("small").len(), 3 + 4 + 3);
    }
}
