//! Time-outs that are too short or much too long, judged by how long replies took.
//!
//! One reply can show that a time-out is too short; but one among many that are fast enough may have
//! been held up by anything, and then that is only possible. A shorter time-out is proposed only after many
//! replies, and never below the slowest reply of the device plus a margin: a broken run costs more
//! than waiting.

use std::time::Duration;

use super::super::evidence::Evidence;
use super::super::field::is_text;
use super::super::finding::{Change, Finding, FindingKind, Key};
use super::super::going_on::LateRest;
use super::super::reply_times::{Spread, Timing};
use super::incomplete_match::incomplete_match;
use super::{double_line_end, echo};
use crate::device::ReplySection;
use crate::escape;

/// The proposed time-out is this many times the longest time that was measured...
const MARGIN: u32 = 4;
/// ...and one that is shorter than this many times that time is too short.
const LEAST_MARGIN: u32 = 2;
/// A time-out is too long if it is more than this many times the proposed one.
const WASTE: u32 = 3;
/// A shorter time-out needs this many answers.
const ENOUGH: u32 = 50;
/// The shortest `within_ms` to propose.
const LEAST_PATIENCE: Duration = Duration::from_millis(100);
/// The shortest silence to propose: USB adapters deliver bytes in pieces 16 ms apart.
const LEAST_SILENCE: Duration = Duration::from_millis(40);

/// Inputs that share a time-out.
struct AnswerGroup {
    /// The input, if the time-out is its own.
    own: Option<usize>,
    now: Duration,
    inputs: Vec<usize>,
}

/// A better time-out.
struct Better {
    time: Duration,
    /// The longest time that was measured.
    seen: Duration,
    /// Whether the current time-out is too short.
    is_too_short: bool,
    /// Whether nothing was lost by that so far.
    is_near: bool,
    /// Whether only one time of many shows that.
    is_single: bool,
}

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(file) = &evidence.file else { return Vec::new() };
    let mut findings = Vec::new();
    // Where no reply meets its end, each waits for the time-outs: a shorter one would only hide that.
    // Words that failed may have needed the time. The first byte of an echo tells nothing about the answer after it.
    // An answer that is sometimes missing may have come later.
    let is_missing = evidence.differences().iter().any(|word| evidence.is_sometimes_silent(word));
    let may_be_shorter = !evidence.is_no_end_met()
        && evidence.faults.is_empty()
        && echo::echoes(evidence).is_none()
        && !is_missing;
    let is_told = |it: &Finding| it.kind != FindingKind::LongTimeOut || may_be_shorter;
    // A longer grace would take a prompt that comes twice for the end of one reply.
    let is_doubled = double_line_end::doubled(evidence).is_some();
    for key in Key::ALL.into_iter().filter(|key| *key != Key::Grace || !is_doubled) {
        let mut groups: Vec<AnswerGroup> = Vec::new();
        for (index, input) in file.device().inputs.iter().enumerate() {
            let Some(now) = time_out(key, &input.reply) else { continue };
            let own = file.has_own_time_out(index, key).then_some(index);
            match groups.iter_mut().find(|group| (group.own, group.now) == (own, now)) {
                Some(group) => group.inputs.push(index),
                None => groups.push(AnswerGroup { own, now, inputs: vec![index] }),
            }
        }
        let judged = groups.iter().filter_map(|group| {
            let incomplete = || incomplete_match(evidence, &group.inputs);
            let incomplete = (key == Key::Grace).then(incomplete).flatten();
            incomplete.or_else(|| judge(evidence, key, group))
        });
        findings.extend(judged.filter(&is_told));
    }
    findings
}

/// The time-out of a rule, if it has an effect.
fn time_out(key: Key, rule: &ReplySection) -> Option<Duration> {
    match key {
        Key::Within => Some(rule.within),
        Key::Quiet => rule.quiet,
        Key::Grace => (!rule.patterns.is_empty()).then_some(rule.grace),
    }
}

/// The times to compare with a time-out.
fn measured(key: Key) -> fn(&Timing) -> Spread {
    match key {
        Key::Within => |timing| timing.patience,
        Key::Quiet => |timing| timing.gap,
        Key::Grace => |timing| timing.after_match,
    }
}

/// The only input of a group that needs a longer time to its first byte.
fn only_slow(evidence: &Evidence, key: Key, group: &AnswerGroup) -> Option<usize> {
    let is_slow =
        |input: &&usize| group.now < evidence.timings[**input].patience.longest * LEAST_MARGIN;
    let mut slow = group.inputs.iter().filter(is_slow);
    let first = slow.next().filter(|_| key == Key::Within && group.inputs.len() > 1)?;
    slow.next().is_none().then_some(*first)
}

fn judge(evidence: &Evidence, key: Key, group: &AnswerGroup) -> Option<Finding> {
    let AnswerGroup { now, inputs, .. } = group;
    let own = group.own.or_else(|| only_slow(evidence, key, group));
    let inputs = own.map_or_else(|| inputs.clone(), |input| vec![input]);
    let timings: Vec<_> = inputs.iter().map(|&input| &evidence.timings[input]).collect();
    let answers: u32 = timings.iter().map(|timing| timing.wait.count).sum();
    let better = better(key, *now, &timings, &evidence.timings)?;
    let Better { time, is_too_short, is_near, is_single, .. } = better;
    if answers == 0 || !is_too_short && answers < ENOUGH {
        return None;
    }
    let place = own.map_or("[reply]".to_owned(), |input| format!("`{}`", evidence.input(input)));
    let (name, now) = (key.name(), now.as_millis());
    let proposed = match (is_single, own == group.own) {
        (true, _) => String::new(),
        (false, true) => format!("; {name} = {} is better", time.as_millis()),
        (false, false) => format!(
            "; {name} = {} in its own `reply` is better, since no other input is as slow",
            time.as_millis()
        ),
    };
    let why = measured_text(key, &better, &timings);
    // So long a pause ends a reply, whatever the grace.
    if key == Key::Grace
        && is_too_short
        && let Some((other, silence)) = shortest_silence(evidence, &inputs)
        && silence <= better.seen
    {
        let text = format!(
            "{name} = {now} of {place} is too short: {why}. A longer one alone does not help, since a silence of {} ms ({other}) ends \
             the reply before: let `match` fit only the end of the reply",
            silence.as_millis()
        );
        return Some(Finding::shown(FindingKind::ShortTimeOut, text));
    }
    let by_itself = evidence.said_after_reset.as_ref().map(|said| &said.rest);
    let by_itself = by_itself.filter(|rest| !is_text(&rest.bytes));
    if key == Key::Within
        && is_too_short
        && let Some(LateRest { bytes, ms }) = by_itself
    {
        let text = format!(
            "{name} = {now} of {place} may be too short: {why}. But `{}` came {ms:.0} ms after a reset, when nothing was sent. If the \
             device says that by itself, it is taken for an answer now and then, and a longer time makes it worse",
            escape::excerpt(bytes)
        );
        return Some(Finding::possible(FindingKind::ShortTimeOut, text));
    }
    let (is, rests) = match is_too_short {
        true if is_near => ("leaves little room", " Nothing was lost so far.".to_owned()),
        true if is_single => {
            let rests = " All others were fast enough: the device was held up, or it has a state that is slow. In a run, a late \
                         answer costs little if it is rare, and a longer time costs as much at each silence.";
            ("may be too short", rests.to_owned())
        }
        true => ("is too short", String::new()),
        false => {
            let rests = format!(
                " This rests on {answers} answers to words of at most {} inputs; a state that they do \
                 not reach may be slower.",
                evidence.longest_word
            );
            ("could be shorter", rests)
        }
    };
    let kind = if is_too_short { FindingKind::ShortTimeOut } else { FindingKind::LongTimeOut };
    let text = format!("{name} = {now} of {place} {is}: {why}{proposed}.{rests}");
    // One answer says nothing about how late the next one will be.
    let change = (!is_single).then_some(Change::TimeOut { key, input: own, better: time });
    let found = if is_single || is_near { Finding::possible } else { Finding::shown };
    Some(Finding { change, ..found(kind, text) })
}

/// The shortest silence that ends a reply to one of these inputs, and its key.
fn shortest_silence(evidence: &Evidence, inputs: &[usize]) -> Option<(&'static str, Duration)> {
    let device = evidence.file.as_ref()?.device();
    let replies = inputs.iter().map(|&input| &device.inputs[input].reply);
    let shortest = replies.min_by_key(|reply| reply.silence())?;
    let key = if shortest.quiet.is_some() { Key::Quiet } else { Key::Within };
    Some((key.name(), shortest.silence()))
}

/// What was measured that shows this, for a finding.
fn measured_text(key: Key, better: &Better, timings: &[&Timing]) -> String {
    let Better { time, seen, is_too_short, .. } = *better;
    let is_begun = timings.iter().all(|timing| timing.wait.longest < seen);
    let is_at_once = seen < Duration::from_micros(50);
    let seen = format!("{:.1} ms", seen.as_secs_f64() * 1000.0);
    match key {
        Key::Within if is_begun => {
            format!("the longest pause before the end of an answer was {seen}")
        }
        Key::Within => format!("the slowest answer began after {seen}"),
        Key::Quiet => format!("the longest pause in a reply was {seen}"),
        Key::Grace if is_too_short && is_at_once => {
            "the rest of a reply came at once after bytes that `match` fits".to_owned()
        }
        Key::Grace if is_too_short || !time.is_zero() => {
            format!("the longest pause after bytes that `match` fits was {seen}")
        }
        Key::Grace => "`match` never fitted before the end of a reply".to_owned(),
    }
}

/// A better time-out for inputs with these `timings`, if there is one. `all` are the timings of
/// every input.
fn better(key: Key, now: Duration, timings: &[&Timing], all: &[Timing]) -> Option<Better> {
    let measured = measured(key);
    let of_group = || timings.iter().map(|timing| measured(timing));
    let seen = of_group().map(|spread| spread.longest).max().unwrap_or_default();
    let least = match key {
        Key::Within => LEAST_PATIENCE,
        // A pattern that only fits at the end of a reply needs no grace.
        Key::Grace if all.iter().all(|timing| measured(timing).count == 0) => Duration::ZERO,
        Key::Quiet | Key::Grace => LEAST_SILENCE,
    };
    // Without a grace, a reply ends where the pattern first fits.
    let fits_early = |timing: &&Timing| timing.after_match.count > 0;
    let is_cut = key == Key::Grace && now.is_zero() && timings.iter().any(fits_early);
    if now < seen * LEAST_MARGIN || is_cut {
        let longest = of_group().flat_map(|spread| [spread.longest, spread.second]);
        // Two that came too late are a habit. Where none did, the time only leaves little room.
        let slow = longest.filter(|&time| now < time).count();
        let cuts: u32 = of_group().map(|spread| spread.count).sum();
        let answers: u32 = timings.iter().map(|timing| timing.wait.count).sum();
        let is_single = (slow == 1 || is_cut && cuts == 1) && answers >= ENOUGH;
        let is_near = now >= seen && !is_cut;
        return Some(Better {
            time: enough(seen, least),
            seen,
            is_too_short: true,
            is_near,
            is_single,
        });
    }
    let is_paid = |timing: &&Timing| timing.silences > 0 || timing.unmet > 0;
    if key == Key::Within && !timings.iter().any(is_paid) {
        return None;
    }
    let seen = all.iter().map(|timing| measured(timing).longest).max().unwrap_or_default();
    let time = enough(seen, least);
    let is_wasteful = now > time * WASTE;
    let enough = Better { time, seen, is_too_short: false, is_near: false, is_single: false };
    is_wasteful.then_some(enough)
}

/// A shorter `within_ms` for replies of which the slowest took `seen`; `None` if `now` is not much longer.
pub fn shorter_within(now: Duration, seen: Duration) -> Option<Duration> {
    let time = enough(seen, LEAST_PATIENCE);
    (now > time * WASTE).then_some(time)
}

/// A time-out that bears this time with a margin, and is at least so long.
fn enough(seen: Duration, least: Duration) -> Duration {
    round_up((seen * MARGIN).max(least))
}

/// Rounds up to a rounder number of ms.
fn round_up(time: Duration) -> Duration {
    let ms = u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX);
    let step = match ms {
        ..100 => 10,
        100..1000 => 50,
        _ => 500,
    };
    Duration::from_millis(ms.div_ceil(step).saturating_mul(step))
}

#[cfg(test)]
mod tests {

    use mealybug_core::Input;

    use super::super::super::checked_device::FaultKind;
    use super::super::super::evidence::testing::evidence_of;
    use super::super::super::exchange::ObservedExchange;
    use super::super::super::reply_times::tests::{received, sent};
    use super::*;
    use crate::serial::TraceEvent;

    const MS: Duration = Duration::from_millis(1);

    /// Empty evidence about a device with two inputs and this `[reply]`.
    fn evidence(reply: &str) -> Evidence {
        of_file(reply, "a = \"a\"\nb = \"b\"")
    }

    fn of_file(reply: &str, inputs: &str) -> Evidence {
        let text = format!(
            "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\n{reply}\n[inputs]\n{inputs}"
        );
        evidence_of(&text)
    }

    /// Records this reply to `a` a number of times.
    fn add(
        evidence: &mut Evidence,
        times: u32,
        during: &[TraceEvent],
        end_ms: u32,
        later: &[TraceEvent],
    ) {
        let device = evidence.file.as_ref().expect("a file").device().clone();
        for _ in 0..times {
            evidence.timings[0].passed(&device.inputs[0].reply, during, end_ms, later);
        }
    }

    /// The findings in what was [`measured`].
    fn found(
        reply: &str,
        times: u32,
        during: &[TraceEvent],
        end_ms: u32,
        later: &[TraceEvent],
    ) -> Vec<(FindingKind, Key, u128)> {
        changes(&measured(reply, times, during, end_ms, later))
    }

    /// The evidence when `a` gets this reply a number of times, and `b` none.
    fn measured(
        reply: &str,
        times: u32,
        during: &[TraceEvent],
        end_ms: u32,
        later: &[TraceEvent],
    ) -> Evidence {
        let mut evidence = evidence(reply);
        add(&mut evidence, times, during, end_ms, later);
        let rule = evidence.file.as_ref().expect("a file").device().inputs[1].reply.clone();
        let within = u32::try_from(rule.within.as_millis()).expect("a short time");
        evidence.timings[1].passed(&rule, &[sent(0)], within, &[]);
        evidence
    }

    /// The findings: kind, key and better time in ms.
    fn changes(evidence: &Evidence) -> Vec<(FindingKind, Key, u128)> {
        let changes = find(evidence).into_iter().map(|finding| match finding.change {
            Some(Change::TimeOut { key, better, .. }) => (finding.kind, key, better.as_millis()),
            other => panic!("{other:?}"),
        });
        changes.collect()
    }

    fn ok() -> [TraceEvent; 2] {
        [sent(0), received(30, "ok\n")]
    }

    #[test]
    fn a_patience_that_silences_waste_is_made_shorter() {
        let patient = "lines = 1\nwithin_ms = 5000";
        let shorter = [(FindingKind::LongTimeOut, Key::Within, 150)];
        assert_eq!(found(patient, ENOUGH, &ok(), 30, &[]), shorter);
        assert_eq!(found("lines = 1\nwithin_ms = 400", ENOUGH, &ok(), 30, &[]), []);
    }

    #[test]
    fn nothing_becomes_shorter_where_words_fail() {
        let mut evidence = measured("lines = 1\nwithin_ms = 5000", ENOUGH, &ok(), 30, &[]);
        assert_eq!(changes(&evidence).len(), 1);
        evidence.fault(FaultKind::Word, "late".to_owned(), "bytes came late".to_owned(), None);
        assert_eq!(changes(&evidence), []);
    }

    #[test]
    fn few_answers_make_nothing_shorter() {
        assert_eq!(found("lines = 1\nwithin_ms = 5000", ENOUGH - 1, &ok(), 30, &[]), []);
        assert_eq!(found("quiet_ms = 500\nwithin_ms = 100", ENOUGH - 1, &ok(), 530, &[]), []);
        let prompt = [sent(0), received(5, "ok\n> ")];
        assert_eq!(found("match = '> $'\nwithin_ms = 100", ENOUGH - 1, &prompt, 25, &[]), []);
    }

    #[test]
    fn no_time_out_becomes_shorter_than_the_slowest_answer_of_any_input_needs() {
        let mut evidence = evidence("lines = 1\nwithin_ms = 60_000");
        add(&mut evidence, ENOUGH, &ok(), 30, &[]);
        let own = evidence.file.as_ref().expect("a file").device().inputs[1].reply.clone();
        evidence.timings[0].passed(&own, &[sent(0)], 60_000, &[]);
        assert_eq!(changes(&evidence), [(FindingKind::LongTimeOut, Key::Within, 150)]);
        evidence.timings[1].passed(&own, &[sent(0), received(355, "done\n")], 355, &[]);
        assert_eq!(changes(&evidence), [(FindingKind::LongTimeOut, Key::Within, 1500)]);
        let text = &find(&evidence)[0].text;
        let rests = "the slowest answer began after 355.0 ms; within_ms = 1500 is better. This rests on \
                     51 answers to words of at most";
        assert!(text.contains(rests), "{text}");
    }

    #[test]
    fn a_patience_that_an_answer_outlasts_is_made_longer() {
        let late = [received(600, "ok\n")];
        let longer = [(FindingKind::ShortTimeOut, Key::Within, 2500)];
        assert_eq!(found("lines = 1\nwithin_ms = 100", 1, &[sent(0)], 100, &late), longer);
    }

    #[test]
    fn one_slow_answer_among_many_is_no_proof() {
        let mut evidence = evidence("lines = 1\nwithin_ms = 100");
        add(&mut evidence, ENOUGH, &ok(), 30, &[]);
        add(&mut evidence, 1, &[sent(0)], 100, &[received(600, "ok\n")]);
        let found = find(&evidence).remove(0);
        assert!(!found.is_wrong() && found.change.is_none(), "{}", found.text);
        assert!(found.text.contains("may be too short: the slowest answer"), "{}", found.text);
        assert!(found.text.contains("All others were fast enough"), "{}", found.text);
        // One that is slow and yet in time is no second one.
        add(&mut evidence, 1, &[sent(0)], 100, &[received(80, "ok\n")]);
        assert!(!find(&evidence)[0].is_wrong(), "{}", find(&evidence)[0].text);
        add(&mut evidence, 1, &[sent(0)], 100, &[received(400, "ok\n")]);
        assert!(find(&evidence)[0].is_wrong(), "{}", find(&evidence)[0].text);
    }

    #[test]
    fn an_input_with_a_time_of_its_own_is_judged_alone() {
        let inputs = "a = \"a\"\nb = { send = \"b\", reply = { within_ms = 900 } }";
        let mut evidence = of_file("lines = 1\nwithin_ms = 60_000", inputs);
        let device = evidence.file.as_ref().expect("a file").device().clone();
        for ((timing, input), ms) in evidence.timings.iter_mut().zip(&device.inputs).zip([10, 800])
        {
            for _ in 0..ENOUGH {
                let end = u32::try_from(ms).expect("a short time");
                timing.passed(&input.reply, &[sent(0), received(ms, "ok\n")], end, &[]);
            }
            timing.passed(&input.reply, &[sent(0)], 60_000, &[]);
        }
        let expected = [
            (FindingKind::LongTimeOut, Key::Within, 3500),
            (FindingKind::ShortTimeOut, Key::Within, 3500),
        ];
        assert_eq!(changes(&evidence), expected);
        let found = find(&evidence);
        let text = &found[1].text;
        assert!(text.starts_with("within_ms = 900 of `b` leaves little room"), "{text}");
        assert!(found.iter().all(|it| !it.is_wrong()), "800 ms are less than 900");
    }

    #[test]
    fn a_longer_time_is_written_only_where_an_answer_was_lost() {
        let of = |within: u32, during: &[TraceEvent], later: &[TraceEvent]| {
            let reply = format!("lines = 1\nwithin_ms = {within}");
            let [found] = &find(&measured(&reply, 2, during, within, later))[..] else {
                panic!("one finding")
            };
            (found.is_wrong(), found.change.is_some(), found.change_to_write().is_some())
        };
        assert_eq!(of(900, &[sent(0), received(800, "ok\n")], &[]), (false, true, false));
        assert_eq!(of(100, &[sent(0)], &[received(600, "ok\n")]), (true, true, true));
    }

    #[test]
    fn an_input_that_alone_is_slow_gets_a_time_of_its_own() {
        let mut evidence = evidence("lines = 1\nwithin_ms = 1000");
        let device = evidence.file.as_ref().expect("a file").device().clone();
        for (timing, ms) in evidence.timings.iter_mut().zip([10, 2100]) {
            for _ in 0..2 {
                let later = [received(ms, "ok\n")];
                timing.passed(&device.inputs[0].reply, &[sent(0)], 1000, &later);
            }
        }
        let [found] = &find(&evidence)[..] else { panic!("{:?}", find(&evidence)) };
        assert!(found.text.starts_with("within_ms = 1000 of `b` is too short"), "{}", found.text);
        let better = Duration::from_millis(8500);
        let change = Change::TimeOut { key: Key::Within, input: Some(1), better };
        assert_eq!(found.change, Some(change.clone()));
        let mut file = evidence.file.clone().expect("a file");
        file.apply(&change);
        let own = "b = { text = \"b\", reply = { within_ms = 8500 } }";
        assert!(file.text().contains(own), "{}", file.text());
    }

    #[test]
    fn silences_alone_prove_nothing() {
        assert_eq!(found("quiet_ms = 50\nwithin_ms = 5000", 1, &[sent(0)], 5000, &[]), []);
    }

    #[test]
    fn a_quiet_time_must_bear_the_pauses() {
        let during = [sent(0), received(5, "one "), received(40, "two")];
        let longer = [(FindingKind::ShortTimeOut, Key::Quiet, 150)];
        assert_eq!(found("quiet_ms = 50\nwithin_ms = 100", 1, &during, 90, &[]), longer);
        let during = [sent(0), received(5, "x")];
        let shorter = [(FindingKind::LongTimeOut, Key::Quiet, 40)];
        assert_eq!(found("quiet_ms = 500\nwithin_ms = 100", ENOUGH, &during, 505, &[]), shorter);
    }

    #[test]
    fn grace_is_for_patterns_that_fit_too_early() {
        let rule = "match = '> $'\nwithin_ms = 100";
        let prompt = [sent(0), received(5, "ok\n> ")];
        let shorter = [(FindingKind::LongTimeOut, Key::Grace, 0)];
        assert_eq!(found(rule, ENOUGH, &prompt, 25, &[]), shorter);
        let pieces = [sent(0), received(5, "a> "), received(17, "b\n> ")];
        let longer = [(FindingKind::ShortTimeOut, Key::Grace, 50)];
        assert_eq!(found(rule, 1, &pieces, 37, &[]), longer);
    }

    #[test]
    fn no_grace_is_too_short_where_the_pattern_fits_early() {
        let rule = "match = '> $'\ngrace_ms = 0\nwithin_ms = 100";
        let at_once = [sent(0), received(5, "a> b\n> ")];
        let longer = [(FindingKind::ShortTimeOut, Key::Grace, 40)];
        assert_eq!(found(rule, 1, &at_once, 5, &[]), longer);
        assert_eq!(found(rule, ENOUGH, &[sent(0), received(5, "ok\n> ")], 5, &[]), []);
        // 400 ms bear the first pause. The second is a silence that ends the reply.
        for (ms, is_proposed) in [(95, true), (205, false)] {
            let late = [sent(0), received(5, "a> "), received(ms, "b\n> ")];
            let found = find(&measured(rule, 1, &late, 205, &[])).remove(0);
            assert!(found.change.is_some() == is_proposed && found.is_wrong(), "{found:?}");
            let is_cut =
                found.text.contains("since a silence of 100 ms (within_ms) ends the reply");
            assert_eq!(is_cut, !is_proposed, "{found:?}");
        }
    }

    #[test]
    fn a_pattern_that_lacks_the_blank_at_the_end_gets_it() {
        let mut evidence = evidence("match = '(?:db>|   \\.>)$'\ngrace_ms = 0\nwithin_ms = 100");
        for text in ["ok\ndb> ", "no\ndb> ", "   .> "] {
            evidence.reset(Duration::ZERO);
            let exchange = ObservedExchange::new(&[sent(0), received(5, text)], 5 * MS, &[]);
            evidence.measure(Input::new(0), exchange.as_ref(), MS);
        }
        let [found] = &find(&evidence)[..] else { panic!("{:?}", find(&evidence)) };
        let better = r"(?:db>|   \.>) $";
        assert_eq!(found.change, Some(Change::Match(better.to_owned())), "{}", found.text);
        let mut file = evidence.file.clone().expect("a file");
        file.apply(found.change.as_ref().expect("a change"));
        assert!(file.text().contains(r"match = '(?:db>|   \.>) $'"), "{}", file.text());
    }

    #[test]
    fn grace_bears_the_pause_after_a_match_and_no_other() {
        let mut evidence = evidence("match = '> $'\ngrace_ms = 60\nwithin_ms = 2000");
        // The pattern fits early here, and the reply goes on at once.
        add(&mut evidence, 1, &[sent(0), received(5, "a> "), received(15, "b\n> ")], 75, &[]);
        // A long pause without a prompt before it.
        let slow = [sent(0), received(5, "erasing..."), received(875, "done\n> ")];
        add(&mut evidence, ENOUGH, &slow, 935, &[]);
        assert_eq!(changes(&evidence), []);
    }

    #[test]
    fn a_shorter_time_has_a_margin_and_saves_much() {
        assert_eq!(shorter_within(1000 * MS, 5 * MS), Some(100 * MS));
        assert_eq!(shorter_within(1000 * MS, 75 * MS), Some(300 * MS));
        assert_eq!(shorter_within(1000 * MS, 76 * MS), None, "350 ms save less than two thirds");
        assert_eq!(shorter_within(300 * MS, MS), None);
    }

    #[test]
    fn times_are_rounded_up() {
        let rounded = [3, 101, 1001].map(|ms| round_up(ms * MS));
        assert_eq!(rounded, [10 * MS, 150 * MS, 1500 * MS]);
    }
}
