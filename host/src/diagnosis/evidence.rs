//! The evidence: what a device was asked, what it answered, and when.
//!
//! Runs and checks use the same collector. A learner asks too many words to keep them all, so only
//! their answers right after a reset are kept. A check asks few words, and keeps all answers.

mod connection_ends;
mod failures;
mod stray;
mod taken_out;
#[cfg(test)]
pub(super) mod testing;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use mealybug_core::Input;

use super::answers::{AnswersByWord, AskedWord, bytes, join};
use super::device_file::EditableDeviceFile;
use super::exchange::ObservedExchange;
use super::explore::Explored;
use super::failed_words::{FailedWords, LostDevice};
use super::found_states::FoundStates;
use super::garbled::{GarbledAnswer, garbled, is_rare};
use super::going_on::TriedRest;
use super::lasting_change::LastingChange;
use super::late_action::{LateAction, SlowerAnswer};
use super::late_resets::{LateResets, SaidAfterReset, late_resets};
use super::listening::HeardIdle;
use super::reply_times::{Spread, Timing};
use super::silence::Silence;
use super::stray_byte::StrayByte;
use super::trial::ProposalTrial;
use super::unasked::{KeptExchange, UnaskedLine};
use crate::device::{InputRule, ReplySection};
use crate::serial::{Passed, PortStatistics, TraceEvent};
use crate::word;

/// How many different outputs of an input, or answers to a word, to keep.
const REMEMBERED: usize = 256;
/// The most bytes of a common end of replies to show.
pub(super) const END_BYTES: usize = 8;
/// How many equal replies a conclusion during a run needs.
pub(super) const ENOUGH: u32 = 10;

/// What a device was asked and answered.
#[derive(Debug)]
pub struct Evidence {
    names: Vec<String>,
    /// The device file, if its text is at hand and can be changed.
    pub(super) file: Option<EditableDeviceFile>,
    /// Whether there is a device file at all.
    pub(super) has_file: bool,
    /// Whether outputs are text of the replies, so that a rule for replies can be made from them.
    pub(super) outputs_keep_text: bool,
    /// What was counted at the port, if the device is behind one.
    pub(super) port: Option<PortStatistics>,
    /// How many equal replies a conclusion needs: [`ENOUGH`] during a run, one in a check.
    pub(super) enough: u32,
    /// What a short learning run found.
    pub(super) explored: Option<Explored>,
    /// The length of the longest words whose answers are kept.
    depth: usize,
    /// How many words were begun, and the length of the longest.
    words: u32,
    pub(super) longest_word: usize,
    /// The current word up to now, and how long it has taken.
    word: Vec<Input>,
    /// What was sent last, until it is answered: a word ends with the input at which it failed.
    pub(super) sent: Option<Input>,
    took: Duration,
    /// The words of a check, in their order; the current one is not filled in yet.
    asked: Vec<Vec<Input>>,
    /// The word before the current one.
    before: Option<Vec<Input>>,
    /// For each word from a reset on, the answers to its last input, in their order.
    pub(super) answers: AnswersByWord,
    /// The garbled answers, which are not among the others, and how often each came.
    pub(super) garbled: BTreeMap<GarbledAnswer, u32>,
    /// A byte that comes into answers now and then; those answers are counted as the usual ones.
    pub(super) stray: Option<StrayByte>,
    /// The `noise` of the device file, if only that is at hand.
    pub(super) stated_noise: Option<f64>,
    /// The different outputs of each input and how often each came, the latest at the end.
    pub(super) outputs: Vec<VecDeque<(String, u32)>>,
    /// The times of each input's replies, if they were measured.
    pub(super) timings: Vec<Timing>,
    /// How long answered inputs took.
    pub(super) answered: Spread,
    /// The total time spent with the device.
    pub(super) spent: Duration,
    pub(super) silence: Silence,
    /// The states of the learner.
    pub(super) states: FoundStates,
    /// Inputs whose replies go on in some states.
    pub(super) rests: Vec<TriedRest>,
    /// Inputs after which the device goes on speaking.
    pub(super) streams: Vec<LineStream>,
    /// What is done only after it was answered, if pauses showed that.
    pub(super) late_action: Option<LateAction>,
    /// An answer that depends on how fast the input comes, though all were stable.
    pub(super) slower: Option<SlowerAnswer>,
    /// The differences that were looked into.
    pub(super) trials: Vec<ProposalTrial>,
    /// What an earlier check has seen change for good.
    pub(super) earlier_change: Option<LastingChange>,
    /// For each input after which the connection ended, the first such word, and how often it did.
    pub(super) ends: BTreeMap<usize, (Vec<Input>, u32)>,
    /// Whether the connection ended after a reset, before any input.
    pub(super) ends_after_reset: bool,
    /// What came after a reset, when nothing was sent.
    pub(super) said_after_reset: Option<SaidAfterReset>,
    /// How long resets took that were over only after they had failed, and how many failed ones were listened to.
    pub(super) slow_resets: Vec<Duration>,
    pub(super) failed_resets_heard: u32,
    /// How many more resets it took until one worked.
    pub(super) repeated_resets: Vec<u32>,
    /// The words before resets that failed, the first of several in a row.
    pub(super) before_failed_resets: Vec<Vec<Input>>,
    /// Why words failed.
    pub(super) faults: Vec<FailedWords>,
    /// How the device was lost, if it was.
    pub(super) lost: Option<LostDevice>,
    /// What passed over the link in a check.
    exchanges: Vec<KeptExchange>,
    /// What came while nothing was asked, long after the last input.
    pub(super) listening: HeardIdle,
    /// What came unasked.
    pub(super) unasked: Vec<UnaskedLine>,
    /// Whether anything that was found is not judged because of these lines.
    pub(super) is_taken_out: bool,
}

/// An input and its answer.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// The input.
    pub input: Input,
    /// The name of the output.
    pub output: &'a str,
    /// Whether the output means that nothing came.
    pub is_silence: bool,
    /// How long it took.
    pub took: Duration,
}

/// Lines that a device says again and again after a word, as long as nothing else is sent.
#[derive(Clone, Debug)]
pub(super) struct LineStream {
    pub(super) word: Vec<Input>,
    /// One of them, and the pattern of all.
    pub(super) example: Vec<u8>,
    pub(super) pattern: String,
    /// How many came in this time.
    pub(super) lines: usize,
    pub(super) time: Duration,
}

impl LineStream {
    /// The number of the input that begins it.
    pub(super) fn input(&self) -> usize {
        self.word.last().map_or(0, |input| input.index() as usize)
    }
}

impl Evidence {
    /// Empty evidence about a device with these inputs; `has_file` says whether it has a device file.
    pub(super) fn new(names: &[String], has_file: bool) -> Self {
        Self {
            names: names.to_vec(),
            file: None,
            has_file,
            outputs_keep_text: true,
            port: None,
            enough: ENOUGH,
            explored: None,
            depth: 1,
            words: 0,
            longest_word: 0,
            word: Vec::new(),
            sent: None,
            took: Duration::ZERO,
            asked: Vec::new(),
            before: None,
            answers: AnswersByWord::new(),
            garbled: BTreeMap::new(),
            stray: None,
            stated_noise: None,
            outputs: vec![VecDeque::new(); names.len()],
            timings: vec![Timing::default(); names.len()],
            answered: Spread::default(),
            spent: Duration::ZERO,
            silence: Silence::default(),
            states: FoundStates::default(),
            rests: Vec::new(),
            streams: Vec::new(),
            late_action: None,
            slower: None,
            trials: Vec::new(),
            earlier_change: None,
            ends: BTreeMap::new(),
            ends_after_reset: false,
            said_after_reset: None,
            slow_resets: Vec::new(),
            failed_resets_heard: 0,
            repeated_resets: Vec::new(),
            before_failed_resets: Vec::new(),
            faults: Vec::new(),
            lost: None,
            exchanges: Vec::new(),
            listening: HeardIdle::default(),
            unasked: Vec::new(),
            is_taken_out: false,
        }
    }

    /// Records a state that the learner has found: its access word, and the number of states.
    pub(super) fn find_state(&mut self, access: Vec<Input>, states: u32) {
        self.silence.reach(&access);
        self.states.add(access, states);
    }

    /// Empty evidence for a check of a device with these inputs, and the device file if it has one.
    /// Keeps the answers to all words.
    pub(super) fn of_check(names: &[String], file: Option<EditableDeviceFile>) -> Self {
        let has_file = file.is_some();
        Self { file, depth: usize::MAX, enough: 1, ..Self::new(names, has_file) }
    }

    /// The same for the device that `file` describes.
    #[cfg(test)]
    pub(super) fn of_file(file: EditableDeviceFile) -> Self {
        let names: Vec<_> = file.device().inputs.iter().map(|input| input.name.clone()).collect();
        Self::of_check(&names, Some(file))
    }

    /// Records a reset, which took this long.
    pub(super) fn reset(&mut self, took: Duration) {
        self.spent += took;
        self.took = Duration::ZERO;
        self.silence.in_a_row = 0;
        self.words += 1;
        self.word.extend(self.sent.take());
        if !self.word.is_empty() {
            let word = std::mem::take(&mut self.word);
            if let Some(last) = self.asked.last_mut() {
                last.clone_from(&word);
            }
            self.before = Some(word);
        }
        if self.keeps_all() {
            self.asked.push(Vec::new());
        }
    }

    /// Records that the last reset failed, if a word was asked before it.
    pub(super) fn fail_reset(&mut self) {
        let before = self.asked.iter().rev().nth(1).filter(|word| !word.is_empty());
        self.before_failed_resets.extend(before.cloned());
    }

    /// Records a word whose answers are not kept, after its reset.
    pub(super) fn pass(&mut self, word: &[Input]) {
        self.before = Some(word.to_vec());
        if let Some(last) = self.asked.last_mut() {
            *last = word.to_vec();
        }
    }

    /// Records that bytes came after the end of a reply to this input.
    pub(super) fn late(&mut self, input: Input) {
        self.timings[input.index() as usize].late += 1;
    }

    /// Measures how long a reply took, and returns the part of it that counts. Without a link, the
    /// time is all that is known.
    pub(super) fn measure(
        &mut self,
        input: Input,
        exchange: Option<&ObservedExchange>,
        took: Duration,
    ) -> Option<Vec<u8>> {
        let number = input.index() as usize;
        let Some(file) = &self.file else {
            self.timings[number].add_whole(took);
            return None;
        };
        let device = file.device();
        let rule = &device.inputs[number];
        let Some(exchange) = exchange else {
            // An input that only waits passes nothing over the link.
            self.timings[number].add_whole(took);
            return None;
        };
        self.timings[number].add(&rule.reply, exchange);
        if self.keeps_all() {
            let word = self.word.iter().copied().chain([input]).collect();
            let awaited = self.word.last().copied().filter(|_| self.silence.in_a_row > 0);
            let kept = KeptExchange::new(word, exchange.clone(), awaited, &rule.reply);
            self.exchanges.push(kept);
        }
        Some(exchange.body(device, rule))
    }

    /// Keeps what came in a reset of a check.
    pub(super) fn hear_reset(&mut self, during: &[TraceEvent], end: Duration) {
        let Some(file) = self.file.as_ref().filter(|_| self.keeps_all()) else { return };
        let late = vec![(end, received(during))];
        let exchange = ObservedExchange { late, ..Default::default() };
        let none = ReplySection::default();
        let rule = file.device().inputs.first().map_or(&none, |input| &input.reply);
        self.exchanges.push(KeptExchange::reset(self.exchanges.last(), exchange, rule));
    }

    /// Keeps what passed over the link of a check and is no answer: at an input that failed, or, without one, at the end of a
    /// word or after a reset, where these bytes came.
    pub(super) fn overhear(&mut self, input: Option<Input>, during: &[TraceEvent], end: Duration) {
        let Some(file) = self.file.as_ref().filter(|_| self.depth == usize::MAX) else { return };
        let is_act =
            |event: &TraceEvent| !matches!(event.what, Passed::Received(_) | Passed::Resumed(_));
        let (before, after) =
            during.split_at(during.iter().position(is_act).unwrap_or(during.len()));
        let bytes = received(before);
        let device = file.device();
        let last = self.exchanges.last_mut();
        let last = last.filter(|last| !self.word.is_empty() && last.word == self.word);
        let none = ReplySection::default();
        let rule = |input: Option<&Input>| {
            let number = input.map_or(0, |input| input.index() as usize);
            device.inputs.get(number).map_or(&none, |rule| &rule.reply)
        };
        match last {
            _ if bytes.is_empty() => {}
            Some(last) => last.follow(bytes, rule(self.word.last())),
            None if self.word.is_empty() => {
                let exchange = ObservedExchange { late: vec![(end, bytes)], ..Default::default() };
                let rule = rule(input.as_ref());
                let before = self.exchanges.last();
                self.exchanges.push(KeptExchange::after_reset(before, exchange, rule));
            }
            None => {}
        }
        if let Some((input, exchange)) = input.zip(ObservedExchange::new(after, end, &[])) {
            let word = self.word.iter().copied().chain([input]).collect();
            self.exchanges.push(KeptExchange::new(word, exchange, None, rule(Some(&input))));
        }
    }

    /// Whether the device goes on speaking after this input.
    pub(super) fn goes_on_speaking(&self, input: usize) -> bool {
        self.streams.iter().any(|stream| stream.input() == input)
    }

    /// What the device says at the end of each reset, if resets do not wait for it: nothing else was heard then.
    pub(super) fn said_by_each_reset(&self) -> Option<&SaidAfterReset> {
        self.said_after_reset.as_ref().filter(|said| said.is_end_of_resets(&self.answers))
    }

    /// Whether the resets of a check were over late.
    pub(super) fn late_resets(&self) -> Option<LateResets> {
        late_resets(&self.exchanges, self.file.as_ref()?.device())
    }

    /// What passed over the link of a check.
    pub(super) fn exchanges(&self) -> &[KeptExchange] {
        &self.exchanges
    }

    /// The few bytes that always follow where `match` fits first, if they are the same after all replies to these inputs.
    pub(super) fn rest_after_match(&self, inputs: &[usize]) -> Option<Vec<u8>> {
        let device = self.file.as_ref()?.device();
        let own = |kept: &&KeptExchange| kept.input().is_some_and(|input| inputs.contains(&input));
        let rest = |kept: &KeptExchange| {
            kept.exchange.rest_after_match(&device.inputs[kept.input()?].reply)
        };
        let mut rests = self.exchanges.iter().filter(own).filter_map(rest);
        let first = rests.next().filter(|rest| (1..=END_BYTES).contains(&rest.len()))?;
        rests.all(|rest| rest == first).then_some(first)
    }

    /// Whether this is a check: it asks few words, and all is kept.
    pub(super) fn keeps_all(&self) -> bool {
        self.depth == usize::MAX
    }

    /// Records an answer, with the bytes of the reply if they are known. Returns whether it tells a
    /// detector anything new.
    pub(super) fn answer(&mut self, answer: &Answer<'_>, reply: Option<Vec<u8>>) -> bool {
        let Answer { input, output, is_silence, took } = *answer;
        self.spent += took;
        self.took += took;
        self.word.push(input);
        self.sent = None;
        self.longest_word = self.longest_word.max(self.word.len());
        let is_other = self.word.len() <= self.depth && self.keep(output, is_silence, reply);
        if is_silence {
            self.silence.add(&self.word, took);
            return true;
        }
        self.silence.end(&self.word);
        self.answered.add(took);
        let Some(outputs) = self.outputs.get_mut(input.index() as usize) else { return is_other };
        if let Some((_, count)) = outputs.iter_mut().find(|(known, _)| known == output) {
            *count += 1;
            return is_other;
        }
        if outputs.len() == REMEMBERED {
            outputs.pop_front();
        }
        outputs.push_back((output.to_owned(), 1));
        true
    }

    /// Keeps the answer to the current word. Returns whether it differs from the last one.
    fn keep(&mut self, output: &str, is_silence: bool, reply: Option<Vec<u8>>) -> bool {
        let runs = self.answers.entry(self.word.clone()).or_default();
        if let Some(last) = runs.last_mut().filter(|last| last.output == output) {
            last.count += 1;
            return false;
        }
        if runs.len() < REMEMBERED {
            runs.push(AskedWord {
                output: output.to_owned(),
                reply: reply.unwrap_or_else(|| bytes(output)),
                is_silence,
                count: 1,
                after: self.before.clone(),
                number: self.words.saturating_sub(1),
                at: self.took,
            });
        }
        true
    }

    /// The `noise` that the device file states.
    pub(super) fn noise(&self) -> Option<f64> {
        self.file.as_ref().map_or(self.stated_noise, |file| file.device().noise)
    }

    /// Whether silence is one of the answers to a word that has others, too.
    pub(super) fn is_sometimes_silent(&self, word: &[Input]) -> bool {
        let runs = self.runs(word);
        runs.iter().any(|run| run.is_silence) && runs.iter().any(|run| !run.is_silence)
    }

    /// Whether the last input of a word ends with a wait: `within_ms` has no effect on it.
    pub(super) fn is_wait(&self, word: &[Input]) -> bool {
        let last = word.last().map(|input| input.index() as usize);
        let rule = self.file.as_ref().zip(last).map(|(file, last)| &file.device().inputs[last]);
        rule.is_some_and(InputRule::waits)
    }

    /// Takes garbled answers out of all that is judged.
    pub(super) fn take_out_garbled(&mut self) {
        self.take_out_stray();
        let is_tried = |input: Option<&Input>| {
            let of_input = |trial: &&ProposalTrial| trial.word.last() == input;
            self.trials.iter().filter(of_input).any(|trial| !trial.is_by_reset)
        };
        for garbled in garbled(&self.answers, &self.garbled, is_tried) {
            let is_summed = garbled.word.last().is_some_and(|input| self.has_checksum(*input));
            if is_summed || self.is_stray(&garbled.output, &garbled.usual) {
                continue;
            }
            let Some(runs) = self.answers.get_mut(&garbled.word) else { continue };
            let odd = runs.extract_if(.., |run| run.output == garbled.output);
            let count = odd.map(|run| run.count).sum::<u32>();
            join(runs);
            *self.garbled.entry(garbled).or_default() += count;
        }
        let answers = &self.answers;
        let differs = |word: &Vec<Input>| answers.get(word).is_some_and(|runs| runs.len() > 1);
        self.trials.retain(|trial| differs(&trial.word));
    }

    /// Whether answers to a word that are not the most frequent one are too rare to be a field, or a state that a reset leaves:
    /// then a single fault may explain them.
    pub(super) fn is_rarely_other(&self, word: &[Input]) -> bool {
        let mut outputs: BTreeMap<&str, u32> = BTreeMap::new();
        for run in self.runs(word) {
            *outputs.entry(&run.output).or_default() += run.count;
        }
        let all: u32 = outputs.values().sum();
        is_rare(all - outputs.values().max().copied().unwrap_or(0), all)
    }

    /// The number of words asked.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// The words of a check, in their order; the current one is empty.
    pub(super) fn asked(&self) -> &[Vec<Input>] {
        &self.asked
    }

    /// At most this many words that a check asked just before this many were asked.
    pub(super) fn asked_before(&self, number: u32, at_most: usize) -> &[Vec<Input>] {
        let end = self.asked.len().min(number as usize);
        &self.asked[end.saturating_sub(at_most)..end]
    }

    /// The timing of each input, by number.
    pub fn timings(&self) -> &[Timing] {
        &self.timings
    }

    /// The names of the inputs.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether any input was answered.
    pub(super) fn is_answered(&self) -> bool {
        self.answered.count > 0
    }

    /// The first answer to an input right after a reset.
    pub fn first_answer(&self, input: Input) -> Option<&str> {
        Some(self.runs(&[input]).first()?.output.as_str())
    }

    /// The answers to the last input of a word.
    pub(super) fn runs(&self, word: &[Input]) -> &[AskedWord] {
        self.answers.get(word).map_or(&[], Vec::as_slice)
    }

    /// All words whose answers are kept, with the answers to their last inputs.
    pub(super) fn answers(&self) -> impl Iterator<Item = (&[Input], &[AskedWord])> {
        self.answers.iter().map(|(word, runs)| (word.as_slice(), runs.as_slice()))
    }

    /// The words whose last input had different answers while no earlier input had, shortest first.
    pub(super) fn differences(&self) -> Vec<&[Input]> {
        let differs = |word: &[Input]| self.runs(word).len() > 1;
        let mut words: Vec<_> = self.answers().map(|(word, _)| word).collect();
        words.retain(|word| differs(word) && !(1..word.len()).any(|len| differs(&word[..len])));
        words.sort_by_key(|word| word.len());
        words
    }

    /// Whether silence ended replies, and no reply met the end that the device file describes.
    pub(super) fn is_no_end_met(&self) -> bool {
        let is_any = self.timings.iter().any(|timing| timing.unmet > 0);
        is_any && self.timings.iter().all(|it| it.unmet + it.broken_off == it.wait.count)
    }

    /// The name of an input, for people.
    pub(super) fn input(&self, input: usize) -> String {
        word::quote(&self.names[input])
    }

    /// A word, for people.
    pub(super) fn shown(&self, word: &[Input]) -> String {
        word::format(word, &self.names)
    }
}

/// The bytes that came.
pub(super) fn received(events: &[TraceEvent]) -> Vec<u8> {
    let bytes = events.iter().filter_map(|event| match &event.what {
        Passed::Received(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    bytes.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_ends_with_the_input_at_which_it_failed() {
        let mut evidence = Evidence::of_check(&["a".to_owned(), "b".to_owned()], None);
        let [a, b] = [0, 1].map(Input::new);
        let answer = Answer { input: a, output: "ok", is_silence: false, took: Duration::ZERO };
        for failed in [Some(b), None] {
            evidence.reset(Duration::ZERO);
            evidence.answer(&answer, None);
            evidence.sent = failed;
        }
        evidence.reset(Duration::ZERO);
        assert_eq!(evidence.asked_before(2, 2), [vec![a, b], vec![a]]);
    }
}
