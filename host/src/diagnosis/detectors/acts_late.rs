//! An input or a reset that the device answers before it has done it.

use std::time::Duration;

use super::super::evidence::Evidence;
use super::super::finding::{Change, Example, Finding, FindingKind};
use super::super::going_on::LateRest;
use super::super::late_action::{Actor, ActorRest, LateAction, SlowOutcome, SlowerAnswer};
use crate::device::Pauses;
use crate::escape::excerpt;
use crate::short_output::{short, short_both};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let slower = evidence.slower.as_ref().map(|slower| slower_answer(evidence, slower));
    let late = evidence.late_action.as_ref().map(|late| late_action(evidence, late));
    late.into_iter().chain(slower).collect()
}

fn late_action(evidence: &Evidence, late: &LateAction) -> Finding {
    let LateAction { pauses, word, before, answer, other, .. } = late;
    let Pauses { time, after_reset, after_inputs } = pauses;
    let inputs: Vec<_> =
        after_inputs.iter().map(|&input| format!("`{}`", evidence.input(input))).collect();
    let reset = after_reset.then(|| "the reset".to_owned());
    let actors: Vec<_> = reset.into_iter().chain(inputs.clone()).collect();
    let (actors, acts) = (actors.join(" and "), if actors.len() == 1 { "acts" } else { "act" });
    // A reset has no answer.
    let when = if *after_reset { "after a while" } else { "after the answer" };
    let after_word = match &before[..] {
        [] => String::new(),
        before => format!(" after the word `{}` and a reset", evidence.shown(before)),
    };
    let [answer_shown, other_shown] = short_both([answer, other]);
    let too_short = match late.too_short {
        Some(time) => format!("; not so when only {} passed", ms(time)),
        None => String::new(),
    };
    let mut text = format!(
        "{actors} {acts} only {when}. The last input of `{}`{after_word} was answered otherwise than `{answer_shown}` {} of \
         {} times, such as `{other_shown}`. When {} passed after {actors}, all of {} answers were `{answer_shown}`{too_short}. ",
        evidence.shown(word),
        late.others,
        late.without,
        ms(late.enough),
        late.with
    );
    let tried = format!("With this, {} words had the same answers twice", late.words);
    let change = match evidence.has_file {
        true => {
            let ms = time.as_millis();
            let quiet = after_reset.then(|| format!("quiet_ms = {ms} in [[reset]]"));
            let settle =
                inputs.iter().map(|name| format!("settle_ms = {ms} in the `reply` of {name}"));
            let all: Vec<_> = quiet.into_iter().chain(settle).collect();
            text += &format!("Write {}. {tried}", all.join(", and "));
            Some(Change::Pause(pauses.clone()))
        }
        false => {
            text += &format!("Let the program wait {} after {actors}. {tried}", ms(*time));
            None
        }
    };
    let example =
        Some(Example { word: word.clone(), answers: vec![answer.clone(), other.clone()] });
    Finding { example, change, ..Finding::shown(FindingKind::ActsLate, text) }
}

/// Nobody knows whether that is wrong: time-outs are a part of many devices.
fn slower_answer(evidence: &Evidence, slower: &SlowerAnswer) -> Finding {
    let SlowerAnswer { word, actor, usual, slow, enough, too_short, rest } = slower;
    let actor = SlowActor::of(evidence, *actor, *enough * 2);
    let usual = usual.text();
    let not = too_short.map_or(String::new(), |time| format!(" ({} are too short)", ms(time)));
    let word_shown = evidence.shown(word);
    let after = format!("when {} pass after {}{not}", ms(*enough), actor.answered());
    let slow = match slow {
        SlowOutcome::Answer(slow) => slow,
        SlowOutcome::Failure(why) => {
            let text = format!(
                "the last input of `{word_shown}` is answered `{}`, but {after}, the word fails: {why}. Perhaps {} {}, and says \
                 so: {}",
                short(usual),
                actor.name,
                actor.acts(),
                actor.hears_it()
            );
            return Finding::possible(FindingKind::ActsLate, text);
        }
    };
    let [usual_shown, slow_shown] = short_both([usual, slow]);
    let why = match rest {
        Some(ActorRest { rest, .. }) => actor.goes_on(evidence, rest),
        None => actor.acts_or_waits(evidence),
    };
    let text = format!(
        "the last input of `{word_shown}` is answered `{usual_shown}`, but `{slow_shown}` {after}. {why}. As it is, answers depend \
         on the pace of a run"
    );
    let example =
        Some(Example { word: word.clone(), answers: vec![usual.to_owned(), slow.clone()] });
    Finding { example, ..Finding::possible(FindingKind::ActsLate, text) }
}

/// What is followed by a pause that changes an answer.
struct SlowActor {
    /// The number of the input; `None` for the reset.
    input: Option<usize>,
    name: String,
    /// A time that is long enough for it.
    time: Duration,
}

impl SlowActor {
    fn of(evidence: &Evidence, actor: Actor, time: Duration) -> Self {
        let input = match actor {
            Actor::Reset => None,
            Actor::Input(input) => Some(input.index() as usize),
        };
        let name = input.map(|input| format!("`{}`", evidence.input(input)));
        Self { input, name: name.unwrap_or_else(|| "the reset".to_owned()), time }
    }

    /// What the pause follows.
    fn answered(&self) -> String {
        match self.input {
            Some(_) => format!("the answer to {}", self.name),
            None => self.name.clone(),
        }
    }

    fn acts(&self) -> &'static str {
        match self.input {
            Some(_) => "acts only after its answer",
            None => "is over only after a while",
        }
    }

    /// What makes what it says late a part of what it says.
    fn hears_it(&self) -> String {
        match self.input {
            Some(_) => format!(
                "with wait_ms = {} beside what it sends, its output is all that comes in this time",
                self.time.as_millis()
            ),
            None => "let it wait for that with `expect`".to_owned(),
        }
    }

    /// It says the rest of its reply after the end.
    fn goes_on(&self, evidence: &Evidence, LateRest { bytes, ms }: &LateRest) -> String {
        let file = evidence.file.as_ref().zip(self.input);
        let rule = file.map(|(file, input)| &file.device().inputs[input].reply);
        let quiet = match rule.is_some_and(|rule| rule.quiet.is_some()) {
            true => ", or a `quiet_ms` above that",
            false => "",
        };
        format!(
            "The rest of the reply to {} comes {:.1} s after its end, 2 of 2 times when nothing else was sent: `{}`. Let its `reply` \
             end there: say where its length is (`length`), or what it ends with (`match`, `last_line`){quiet}",
            self.name,
            ms / 1000.0,
            excerpt(bytes)
        )
    }

    /// It acts late, or the device waits for an input no longer.
    fn acts_or_waits(&self, evidence: &Evidence) -> String {
        let (time, time_out) = (self.time.as_millis(), "or a time-out of the device ran out");
        let setting = match self.input {
            Some(_) => format!("settle_ms = {time} in its `reply`"),
            None => format!("quiet_ms = {time} in [[reset]]"),
        };
        let remedy = match evidence.has_file {
            true => format!(
                "and {setting} gives it the time; {time_out}, and an input that waits, such as {{ wait_ms = {time} }}, makes it part \
                 of the model"
            ),
            false => format!("and the program should wait for that; {time_out}"),
        };
        format!("Either {} {}, {remedy}", self.name, self.acts())
    }
}

fn ms(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
