//! Lines that a device says without being asked: an alarm, a measurement once in a while.
//!
//! Such a line comes on top of what belongs to a word: the word is answered without it most of the time. A reply that is
//! sometimes another one is no such line, nor is an answer that comes after the next input.
//!
//! Several such lines may come at once, as the sentences of a GPS receiver do each second. Lines that begin alike are one kind.
//!
//! Where a reply is as many lines as the device file says, such a line ends it too early. What belonged there comes after it:
//! before the next input, or as the reply to it.

use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::Input;
use regex::bytes::Regex;

use super::exchange::ObservedExchange;
use crate::device::{DeviceFile, DeviceStep, Expect, InputRule, ReplySection};
use crate::line_kind::{LineEnd, kind_of, line_pattern};
use crate::serial::clean;

/// A line is reported if it came unasked at least this often.
const TIMES: usize = 3;
/// A line is reported if it came unasked after at least this many different inputs, or inputs and resets.
const PLACES: usize = 2;
/// ...and after at least this many if other lines came with it: an answer may have several lines.
const PLACES_WITH_OTHERS: usize = 3;

/// An exchange of a check.
#[derive(Clone, Debug)]
pub(super) struct KeptExchange {
    /// The word up to its input.
    pub(super) word: Vec<Input>,
    /// What came may belong to one of these: the inputs of the word, or those of the word before a reset.
    may_follow: BTreeSet<Input>,
    pub(super) exchange: ObservedExchange,
    /// Whether this is a reset: what comes then is said each time.
    pub(super) is_reset: bool,
    /// The input before it, if it was silent: what comes now may be its answer.
    pub(super) awaited: Option<Input>,
    /// What came, without what the device file strips: in two parts if what came late begins a line of its own.
    texts: Vec<Vec<u8>>,
}

/// A line that the device says unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnaskedLine {
    /// One of them, without its end.
    pub(super) example: Vec<u8>,
    pub(super) end: LineEnd,
    /// The pattern of all.
    pub(super) pattern: String,
    /// Whether a blank line comes with each, before it.
    pub(super) follows_blank: bool,
    /// After which inputs it came unasked, and how often in all, after resets included.
    pub(super) inputs: BTreeSet<usize>,
    pub(super) times: usize,
    /// The input that is in each word in which it came, or in the word before the reset at which it came: one whose usual answer
    /// holds it, or else the rarest. If the device does not say the line by itself, it may be a late part of this input's answer.
    pub(super) follows: Option<usize>,
    /// Whether the usual answer to that input holds it, in some word.
    pub(super) is_of_its_answer: bool,
    /// How often it was a whole answer, the usual one to its word.
    pub(super) as_answer: usize,
}

impl UnaskedLine {
    /// The example with its end.
    pub(super) fn whole(&self) -> Vec<u8> {
        self.end.whole(&self.example)
    }

    /// What takes it out of replies.
    pub(super) fn strip(&self) -> String {
        let blank = if self.follows_blank { self.end.pattern() } else { "" };
        format!("{blank}{}", self.pattern)
    }

    /// Whether it was an answer more often than it came on top of one: what puts it on top may be another line, in its place.
    pub(super) fn is_answer(&self) -> bool {
        self.as_answer > self.times
    }
}

/// All lines that came unasked, the most frequent first.
pub(super) fn unasked_lines(exchanges: &[KeptExchange]) -> Vec<UnaskedLine> {
    let end = line_end(exchanges, &[]);
    let replies = replies_by_word(exchanges, end);
    let usual = UsualReplies::new(&replies);
    let words = replies.keys().copied();
    let mut on_top: Vec<_> =
        words.flat_map(|word| lines_in_replies(word, end, &replies, &usual)).collect();
    // What answers a word is no such line: a reset that leaves something gives one for another, or gets it late.
    let is_answer = |line: &LineOnTop<'_>| usual.lines.contains(&line_pattern(line.text));
    for pair in exchanges.windows(2) {
        let text = line_in_place(pair, end, &usual.of_word);
        let line =
            text.map(|text| LineOnTop { kept: &pair[0], text, is_all: false, is_alone: true });
        on_top.extend(line.filter(|line| !is_answer(line)));
    }
    leave_out_answers(&mut on_top, &usual.of_word);
    let (in_resets, usual_of_reset) = lines_in_resets(exchanges, end);
    on_top.extend(in_resets.into_iter().filter(|line| !is_answer(line)));
    let mut kinds: BTreeMap<Vec<u8>, Vec<LineOnTop<'_>>> = BTreeMap::new();
    for line in on_top {
        kinds.entry(kind_of(line.text)).or_default().push(line);
    }
    // No pattern may fit an answer.
    let answers: Vec<_> = exchanges
        .iter()
        .filter_map(|kept| match kept.is_reset {
            true => Some((kept, &usual_of_reset)),
            false => Some((kept, usual.frequent.get(&*kept.word)?)),
        })
        .flat_map(|(kept, usual)| {
            kept.lines(end).filter(|line| usual.contains(&line_pattern(line)))
        })
        .collect();
    let UsualReplies { frequent, as_whole, .. } = usual;
    let seen = SeenLines { exchanges, end, answers, frequent, as_whole };
    let find = |all| seen.of_kind(all);
    let mut found: Vec<_> = kinds.into_values().flat_map(find).collect();
    found.sort_by_key(|line| std::cmp::Reverse(line.times));
    found
}

/// How the lines of a device end that has said this, and `more`.
pub(super) fn line_end(exchanges: &[KeptExchange], more: &[u8]) -> LineEnd {
    let said = exchanges.iter().flat_map(|kept| kept.texts.iter().map(Vec::as_slice));
    LineEnd::of(said.chain([more]))
}

/// The replies to each word, with the patterns of their lines.
type RepliesByWord<'e> = BTreeMap<&'e [Input], Vec<(&'e KeptExchange, Vec<String>)>>;

fn replies_by_word(exchanges: &[KeptExchange], end: LineEnd) -> RepliesByWord<'_> {
    let mut replies = RepliesByWord::new();
    for kept in exchanges.iter().filter(|kept| !kept.is_reset) {
        replies.entry(&kept.word).or_default().push((kept, kept.line_patterns(end)));
    }
    replies
}

/// The usual replies to words.
#[derive(Default)]
struct UsualReplies<'e> {
    /// The usual lines of each word.
    of_word: BTreeMap<&'e [Input], Vec<String>>,
    /// Those of them that came [`TIMES`] times and most of the time. What came a few times may have been said unasked, too.
    frequent: BTreeMap<&'e [Input], Vec<String>>,
    /// The lines of the frequent ones.
    lines: BTreeSet<String>,
    /// How often each line was all of a frequent one.
    as_whole: BTreeMap<String, usize>,
}

impl<'e> UsualReplies<'e> {
    fn new(replies: &RepliesByWord<'e>) -> Self {
        let mut this = Self::default();
        for (word, all) in replies {
            // After a reset, nothing is asked.
            let usual =
                if word.is_empty() { &[] } else { usual(all.iter().map(|(_, lines)| lines)) };
            this.of_word.insert(word, usual.to_vec());
            let times = all.iter().filter(|(_, lines)| lines == usual).count();
            if times >= TIMES && times * 2 > all.len() {
                this.frequent.insert(word, usual.to_vec());
                this.lines.extend(usual.iter().cloned());
                if let [line] = usual {
                    *this.as_whole.entry(line.clone()).or_default() += times;
                }
            }
        }
        this
    }
}

/// The lines that came on top of the usual ones in the replies to a word.
fn lines_in_replies<'e>(
    word: &'e [Input],
    end: LineEnd,
    replies: &RepliesByWord<'e>,
    usual: &UsualReplies<'e>,
) -> Vec<LineOnTop<'e>> {
    let (all, usual_lines) = (&replies[word], &usual.of_word[word]);
    // Bytes that are no line are an answer, too.
    let is_all = all.iter().all(|(kept, lines)| lines != usual_lines || kept.is_silent());
    let before = word.split_last().map(|(_, before)| before).filter(|word| !word.is_empty());
    // The answer to the input before may be late.
    let answers_before = before.and_then(|before| usual.frequent.get(before));
    let is_late = |line: &String| answers_before.is_some_and(|answers| answers.contains(line));
    // The rest of an answer may follow the next one, and then come with it.
    let replies_before = before.and_then(|before| replies.get(before));
    let is_of_before = |line: &String| {
        replies_before.is_some_and(|replies| replies.iter().any(|(_, it)| it.contains(line)))
    };
    let mut on_top = Vec::new();
    for &(kept, ref lines) in all {
        let found = lines_on_top(lines, usual_lines);
        let is_alone = found.len() == 1;
        let is_twice = |line: &String| found.iter().filter(|&&at| lines[at] == *line).count() > 1;
        let is_answer = |line: &String| match is_alone {
            true => is_late(line),
            false => is_twice(line) || is_of_before(line),
        };
        let found = found.iter().filter(|&&at| !is_answer(&lines[at]));
        let on_top_at =
            |&at: &usize| LineOnTop { kept, text: kept.line(at, end), is_all, is_alone };
        on_top.extend(found.map(on_top_at));
    }
    on_top
}

/// Leaves out answers that came on top of a line in their place: of two lines that came on top of each other, that is the more
/// frequent one.
fn leave_out_answers(
    on_top: &mut Vec<LineOnTop<'_>>,
    usual_of_word: &BTreeMap<&[Input], Vec<String>>,
) {
    let usual = |line: &LineOnTop<'_>| usual_of_word.get(&*line.kept.word).map_or(&[][..], |it| it);
    let mut over: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in &*on_top {
        let pattern = line_pattern(line.text);
        for usual in usual(line) {
            *over.entry((pattern.clone(), usual.clone())).or_default() += 1;
        }
    }
    let times = |line: &String, usual: &String| {
        over.get(&(line.clone(), usual.clone())).copied().unwrap_or(0)
    };
    on_top.retain(|line| {
        let pattern = line_pattern(line.text);
        usual(line).iter().all(|it| times(it, &pattern) <= times(&pattern, it))
    });
}

/// The lines that came on top of the usual ones in resets, and those usual lines.
fn lines_in_resets(exchanges: &[KeptExchange], end: LineEnd) -> (Vec<LineOnTop<'_>>, Vec<String>) {
    let resets = exchanges.iter().filter(|kept| kept.is_reset);
    let all: Vec<_> = resets.map(|kept| (kept, kept.line_patterns(end))).collect();
    let usual = usual(all.iter().map(|(_, lines)| lines));
    let on_top = all.iter().flat_map(|&(kept, ref lines)| {
        let found = lines_on_top(lines, usual);
        let is_alone = found.len() == 1;
        let text = move |at| kept.line(at, end);
        found.into_iter().map(move |at| LineOnTop { kept, text: text(at), is_all: false, is_alone })
    });
    (on_top.collect(), usual.to_vec())
}

/// The patterns of the lines that resets say most often, in their order, and how lines end.
pub(super) fn usual_in_resets(exchanges: &[KeptExchange]) -> (Vec<String>, LineEnd) {
    let end = line_end(exchanges, &[]);
    (lines_in_resets(exchanges, end).1, end)
}

/// A line that came on top of the usual reply to a word.
#[derive(Clone, Copy)]
struct LineOnTop<'e> {
    kept: &'e KeptExchange,
    text: &'e [u8],
    /// Whether the usual reply is silence: a device that answers only sometimes looks the same.
    is_all: bool,
    /// Whether no other line came on top.
    is_alone: bool,
}

/// The most frequent of these, and of those that are as frequent the shortest.
fn usual<'l>(all: impl Iterator<Item = &'l Vec<String>>) -> &'l [String] {
    let mut times: BTreeMap<&[String], usize> = BTreeMap::new();
    all.for_each(|lines| *times.entry(lines).or_default() += 1);
    let most =
        times.into_iter().max_by_key(|(lines, times)| (*times, std::cmp::Reverse(lines.len())));
    most.map_or(&[], |(lines, _)| lines)
}

/// The line that took a place in the first of two replies, so that its usual last line came as the reply to the next input.
fn line_in_place<'e>(
    pair: &'e [KeptExchange],
    end: LineEnd,
    usual_of_word: &BTreeMap<&[Input], Vec<String>>,
) -> Option<&'e [u8]> {
    let [one, next] = pair else { return None };
    let is_next = next.word.len() == one.word.len() + 1 && next.word.starts_with(&one.word);
    let (usual, then) = (usual_of_word.get(&*one.word)?, usual_of_word.get(&*next.word)?);
    let (last, rest) = usual.split_last().filter(|_| is_next)?;
    let [lines, came] = [one, next].map(|kept| kept.line_patterns(end));
    let is_shifted = came.first() == Some(last) && came != *then && lines != *usual;
    match *lines_on_top(&lines, rest) {
        [at] if is_shifted => Some(one.line(at, end)),
        _ => None,
    }
}

/// The numbers of the lines beside the `usual` ones; none if these have not all come. Both are in order.
fn lines_on_top(lines: &[String], usual: &[String]) -> Vec<usize> {
    let mut usual = usual.iter().peekable();
    let others = (0..lines.len()).filter(|&at| usual.next_if_eq(&&lines[at]).is_none()).collect();
    if usual.next().is_some() { Vec::new() } else { others }
}

/// What a check has seen of lines.
struct SeenLines<'e> {
    exchanges: &'e [KeptExchange],
    end: LineEnd,
    /// The lines of usual replies.
    answers: Vec<&'e [u8]>,
    /// The frequent replies to words, by their lines.
    frequent: BTreeMap<&'e [Input], Vec<String>>,
    /// How often each line was all of a usual reply.
    as_whole: BTreeMap<String, usize>,
}

impl SeenLines<'_> {
    /// The lines of a kind: one pattern for all, or one for each that differs in more than numbers where that would fit an answer.
    fn of_kind(&self, all: Vec<LineOnTop<'_>>) -> Vec<UnaskedLine> {
        let texts: Vec<_> = all.iter().map(|line| line.text).collect();
        let fits = |pattern: &String| match Regex::new(pattern) {
            Ok(pattern) => self.answers.iter().any(|line| pattern.is_match(&self.end.whole(line))),
            Err(_) => true,
        };
        if let Some(pattern) = self.end.kind_pattern(&texts).filter(|pattern| !fits(pattern)) {
            return self.unasked(pattern, &all).into_iter().collect();
        }
        let mut alike: BTreeMap<String, Vec<LineOnTop<'_>>> = BTreeMap::new();
        for line in all {
            alike.entry(line_pattern(line.text)).or_default().push(line);
        }
        let found = |(text, all): (String, Vec<_>)| self.unasked(text + self.end.pattern(), &all);
        alike.into_iter().filter_map(found).collect()
    }

    fn unasked(&self, pattern: String, all: &[LineOnTop<'_>]) -> Option<UnaskedLine> {
        // A reset is a place, too: what is said there belongs to no input.
        let places_of = |lines: &mut dyn Iterator<Item = &LineOnTop<'_>>| {
            lines.map(|it| it.kept.input()).collect::<BTreeSet<_>>()
        };
        let places = places_of(&mut all.iter());
        let alone: Vec<_> = all.iter().filter(|it| it.is_alone).collect();
        let places_alone = places_of(&mut alone.iter().copied()).len();
        let first = all.first()?;
        let awaited = first.kept.awaited;
        let is_late_answer = awaited.is_some() && all.iter().all(|it| it.kept.awaited == awaited);
        let is_sure = all.iter().any(|it| !it.is_all || !it.kept.exchange.late.is_empty());
        let is_enough = alone.len() >= TIMES && places_alone >= PLACES
            || all.len() >= TIMES && places.len() >= PLACES_WITH_OTHERS;
        if !is_sure || is_late_answer || !is_enough {
            return None;
        }
        let lines: BTreeSet<_> = all.iter().map(|line| line_pattern(line.text)).collect();
        let (follows, is_of_its_answer) = self.followed(all, &lines);
        Some(UnaskedLine {
            example: first.text.to_vec(),
            end: self.end,
            pattern,
            follows_blank: all.iter().all(|line| line.kept.has_blank_before(line.text, self.end)),
            inputs: places.into_iter().flatten().collect(),
            times: all.len(),
            follows,
            is_of_its_answer,
            as_answer: lines.iter().filter_map(|line| self.as_whole.get(line)).sum(),
        })
    }

    /// The input in all words of these lines that may say them, and whether its usual answer holds one of them.
    fn followed(&self, all: &[LineOnTop<'_>], lines: &BTreeSet<String>) -> (Option<usize>, bool) {
        let inputs = all.iter().map(|line| line.kept.may_follow.clone());
        let common = inputs.reduce(|common, inputs| &common & &inputs).unwrap_or_default();
        let saying =
            self.frequent.iter().filter(|(_, said)| said.iter().any(|it| lines.contains(it)));
        let saying: BTreeSet<_> = saying.filter_map(|(word, _)| word.last().copied()).collect();
        let rarest = |inputs: &BTreeSet<Input>| {
            let times = |input: &Input| {
                self.exchanges.iter().filter(|kept| kept.may_follow.contains(input)).count()
            };
            inputs.iter().min_by_key(|input| times(input)).map(|input| input.index() as usize)
        };
        let says = rarest(&(&common & &saying));
        (says.or_else(|| rarest(&common)), says.is_some())
    }
}

/// What a line is to resets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InResets {
    /// Without it, a reset would not meet what it waits for.
    Awaited,
    /// Most of them say it.
    Usual,
    /// It does not belong there.
    Other,
}

/// What the lines that fit this pattern are to resets.
pub(super) fn in_resets(
    exchanges: &[KeptExchange],
    pattern: &Regex,
    device: &DeviceFile,
) -> InResets {
    let steps = device.resets.iter().flat_map(|reset| &reset.steps);
    let waits = steps.filter_map(|step| match step {
        DeviceStep::Expect(expect) => Some(expect),
        _ => None,
    });
    let waits: Vec<_> =
        waits.chain(device.resets.iter().filter_map(|reset| reset.expect.as_ref())).collect();
    let strip: Vec<_> = device.strip.iter().chain([pattern]).cloned().collect();
    let [mut resets, mut with_line] = [0_usize; 2];
    for kept in exchanges.iter().filter(|kept| kept.is_reset) {
        let bytes: Vec<u8> = kept.exchange.all().flat_map(|(_, bytes)| bytes).copied().collect();
        let [text, without] = [clean(&device.strip, &bytes), clean(&strip, &bytes)];
        let is_needed =
            |wait: &&Expect| wait.pattern.is_match(&text) && !wait.pattern.is_match(&without);
        if waits.iter().any(is_needed) {
            return InResets::Awaited;
        }
        resets += 1;
        with_line += usize::from(without.len() < text.len());
    }
    if with_line * 2 > resets { InResets::Usual } else { InResets::Other }
}

impl KeptExchange {
    pub(super) fn new(
        word: Vec<Input>,
        exchange: ObservedExchange,
        awaited: Option<Input>,
        rule: &ReplySection,
    ) -> Self {
        let texts = texts_of(&exchange, rule);
        let may_follow = word.iter().copied().collect();
        Self { word, may_follow, is_reset: false, exchange, awaited, texts }
    }

    /// What came in a reset; `before` is the exchange before it.
    pub(super) fn reset(
        before: Option<&Self>,
        exchange: ObservedExchange,
        rule: &ReplySection,
    ) -> Self {
        Self { is_reset: true, ..Self::after_reset(before, exchange, rule) }
    }

    /// What came after a reset; `before` is the exchange before that.
    pub(super) fn after_reset(
        before: Option<&Self>,
        exchange: ObservedExchange,
        rule: &ReplySection,
    ) -> Self {
        let may_follow = before.map(|before| before.may_follow.clone()).unwrap_or_default();
        Self { may_follow, ..Self::new(Vec::new(), exchange, None, rule) }
    }

    /// These bytes came after it, before the next input.
    pub(super) fn follow(&mut self, bytes: Vec<u8>, rule: &ReplySection) {
        self.exchange.late.push((self.exchange.end, bytes));
        self.texts = texts_of(&self.exchange, rule);
    }

    /// Reads its lines again, without what fits this pattern.
    pub(super) fn read_without(&mut self, strip: &Regex, inputs: &[InputRule]) {
        let Some(rule) = inputs.get(self.input().unwrap_or(0)) else { return };
        let mut rule = rule.reply.clone();
        rule.strip.push(strip.clone());
        self.texts = texts_of(&self.exchange, &rule);
    }

    /// The whole lines of the reply and of what came late.
    fn lines(&self, end: LineEnd) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().flat_map(move |text| end.lines(text))
    }

    /// Whether a blank line stands before this one.
    fn has_blank_before(&self, line: &[u8], end: LineEnd) -> bool {
        let is_line = |text: &[u8]| end.lines(text).next() == Some(line);
        self.texts.iter().any(|text| {
            let lines: Vec<_> = text.split_inclusive(|byte| *byte == end.byte()).collect();
            lines.windows(2).any(|pair| pair[0].trim_ascii_end().is_empty() && is_line(pair[1]))
        })
    }

    fn line(&self, at: usize, end: LineEnd) -> &[u8] {
        self.lines(end).nth(at).unwrap_or_default()
    }

    /// The patterns of its lines, without their ends.
    pub(super) fn line_patterns(&self, end: LineEnd) -> Vec<String> {
        self.lines(end).map(line_pattern).collect()
    }

    fn is_silent(&self) -> bool {
        self.exchange.all().next().is_none()
    }

    /// The number of its input.
    pub(super) fn input(&self) -> Option<usize> {
        self.word.last().map(|input| input.index() as usize)
    }
}

fn texts_of(exchange: &ObservedExchange, rule: &ReplySection) -> Vec<Vec<u8>> {
    let ObservedExchange { reply, late, .. } = exchange;
    let [reply, late] = [reply, late]
        .map(|pieces| pieces.iter().flat_map(|(_, bytes)| bytes).copied().collect::<Vec<_>>());
    let is_prompt = |pattern: &Regex| pattern.is_match(&clean(&rule.strip, &reply));
    // What comes after a prompt begins a line of its own.
    let parts = match rule.patterns.iter().any(is_prompt) {
        true => vec![reply, late],
        false => vec![[reply, late].concat()],
    };
    parts.iter().map(|bytes| clean(&rule.strip, bytes).into_owned()).collect()
}

#[cfg(test)]
mod tests;
