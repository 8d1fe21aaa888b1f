//! Lines that came unasked in a check, bytes that mean nothing, and what they hide: that is taken out of all that is judged.

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::answers::join;
use super::super::going_on::{going_on, late_rest};
use super::super::late_action::{ActorRest, SlowerAnswer};
use super::super::reply_times::Timing;
use super::super::stray_byte::{StrayByte, is_with};
use super::super::unasked::{KeptExchange, UnaskedLine, unasked_lines};
use super::Evidence;
use super::stray::stray_byte;
use crate::device::ReplyChecksum;
use crate::escape::{escape, pattern};

impl Evidence {
    /// Takes the checksum off the replies that hold it.
    pub(in super::super) fn take_off(&mut self, checksum: &ReplyChecksum) {
        for run in self.answers.values_mut().flatten() {
            if let Some(data) = checksum.verify(&run.reply) {
                run.reply = data.into_owned();
            }
        }
    }

    /// Whether a line of this kind came again and again while nothing was asked: then it belongs to no input.
    pub(in super::super) fn is_by_itself(&self, line: &UnaskedLine) -> bool {
        self.listening.by_itself().iter().any(|known| is_one(known, line))
    }

    /// The lines that came on top of answers, and were not asked for as far as is known.
    pub(in super::super) fn lines_on_top(&self) -> Vec<UnaskedLine> {
        let mut lines = self.all_lines_on_top();
        let Some(file) = &self.file else { return lines };
        let inputs = &file.device().inputs;
        let ends = || inputs.iter().filter_map(|input| input.reply.last_line.as_ref());
        let always = going_on(self.exchanges(), inputs).into_values().map(|rest| rest.bytes);
        let tried = self.rests.iter().flat_map(|rest| {
            let of_word = self.exchanges().iter().filter(|kept| kept.word == rest.word);
            of_word.filter_map(|kept| late_rest(kept, &inputs[rest.input]))
        });
        let rests: Vec<_> = always.chain(tried.map(|rest| rest.bytes)).collect();
        // A line that ends a reply, or is in the rest of one, was asked for.
        lines.retain(|line| {
            let is_end = ends().any(|end| end.is_match(&line.whole()));
            !is_end && !rests.iter().any(|rest| is_in(line, rest))
        });
        lines
    }

    /// The lines that came on top of answers.
    fn all_lines_on_top(&self) -> Vec<UnaskedLine> {
        let mut lines = unasked_lines(self.exchanges());
        // What more words show may hide a line that was known.
        for known in self.listening.by_itself() {
            if !lines.iter().any(|line| is_one(known, line)) {
                lines.push(known.clone());
            }
        }
        // An answer is not taken out unless the device has said it by itself.
        let is_known = |line: &UnaskedLine| self.listening.is_awaited(line);
        lines.retain(|line| !line.is_answer() || !is_known(line) || self.is_by_itself(line));
        lines
    }

    /// A line in the rest of the reply to this input that came with the replies to others, too, while these were answered.
    pub(in super::super) fn moving_line(&self, input: usize, rest: &[u8]) -> Option<UnaskedLine> {
        let is_of_others = |line: &UnaskedLine| line.inputs.iter().any(|&other| other != input);
        let mut lines = self.all_lines_on_top();
        lines.retain(|line| is_in(line, rest) && is_of_others(line) && !line.is_answer());
        lines.into_iter().next()
    }

    /// Finds what came unasked in a check, and takes it out of all that is judged.
    pub(in super::super) fn take_out_unasked(&mut self) {
        self.unasked = self.lines_on_top();
        let patterns = self.unasked.iter().map(|line| Regex::new(&line.pattern));
        let Ok(patterns) = patterns.collect::<Result<Vec<_>, _>>() else { return };
        self.take_out_stray();
        let stray = self.stray.as_ref().map(|stray| stray.strip.clone());
        let strip: Vec<_> = patterns.iter().cloned().chain(stray).collect();
        let late = self.said_late();
        if !strip.is_empty() || late.is_some() {
            self.time_without(&strip, late.as_ref());
        }
        if patterns.is_empty() || self.file.is_none() {
            return;
        }
        let tells_of_one = |text: &str| patterns.iter().any(|pattern| is_told(text, pattern));
        let of_lines = |slower: &mut SlowerAnswer| tells_of_one(slower.slow.text());
        let faults = self.faults.extract_if(.., |it| tells_of_one(it.first())).count();
        // A line in place of a reply makes the reply one of the next input.
        let trials = std::mem::take(&mut self.trials);
        let (late, slower) = (self.late_action.take(), self.slower.take_if(of_lines));
        self.is_taken_out = faults > 0 || !trials.is_empty() || late.is_some() || slower.is_some();
    }

    /// A byte that comes into answers now and then, after all answers.
    pub(in super::super) fn find_stray(&self) -> Option<StrayByte> {
        stray_byte(self)
    }

    /// Whether `odd` is the usual answer, but for a byte that means nothing.
    pub(in super::super) fn is_stray(&self, odd: &str, usual: &str) -> bool {
        self.stray.as_ref().is_some_and(|stray| is_with(stray.byte, odd, usual))
    }

    /// Finds a byte that comes into answers now and then. Takes it out of all that is judged. The answers of a run stay as they
    /// are, since later ones may show that the byte tells something; see [`Self::is_stray`].
    pub(in super::super) fn take_out_stray(&mut self) {
        self.stray = self.find_stray();
        let Some(stray) = &self.stray else { return };
        let (byte, strip) = (stray.byte, stray.strip.clone());
        let answers = if self.keeps_all() { Some(self.answers.values_mut()) } else { None };
        for runs in answers.into_iter().flatten() {
            let usual: Vec<_> =
                runs.iter().map(|run| (run.output.clone(), run.reply.clone())).collect();
            for run in runs.iter_mut() {
                if let Some((output, reply)) =
                    usual.iter().find(|it| is_with(byte, &run.output, &it.0))
                {
                    (run.output, run.reply) = (output.clone(), reply.clone());
                }
            }
            join(runs);
        }
        if let Some(file) = &self.file {
            let inputs = &file.device().inputs;
            self.exchanges.iter_mut().for_each(|kept| kept.read_without(&strip, inputs));
        }
        self.garbled.retain(|it, _| !is_with(byte, &it.output, &it.usual));
        self.forget_late(&escape(&[byte]));
    }

    /// An input that says something late, after its reply, and a pattern for that.
    fn said_late(&self) -> Option<(Input, Regex)> {
        let ActorRest { word, rest } = self.slower.as_ref()?.rest.as_ref()?;
        let input = *word.last()?;
        // Where nothing came before, that is the reply.
        let is_reply = |kept: &KeptExchange| kept.word == *word && !kept.exchange.reply.is_empty();
        let pattern = self.exchanges().iter().any(is_reply).then(|| pattern(&rest.bytes))?;
        Regex::new(&pattern).ok().map(|late| (input, late))
    }

    /// Measures replies as if they came without what fits these patterns, and without what an input before has said late.
    fn time_without(&mut self, patterns: &[Regex], late: Option<&(Input, Regex)>) {
        let Some(file) = &self.file else { return };
        let timings = self.timings.iter().zip(0..).map(|(timing, input)| {
            let own = || self.exchanges().iter().filter(|kept| kept.input() == Some(input));
            // An input that only waits has none.
            if own().next().is_none() {
                return timing.clone();
            }
            let mut rule = file.device().inputs[input].reply.clone();
            rule.strip.extend(patterns.iter().cloned());
            let mut without = Timing { late: timing.late, ..Timing::default() };
            for kept in own() {
                let before = &kept.word[..kept.word.len() - 1];
                let said = late.filter(|(input, _)| before.contains(input));
                match said {
                    Some((_, said)) => {
                        let mut rule = rule.clone();
                        rule.strip.push(said.clone());
                        without.add(&rule, &kept.exchange);
                    }
                    None => without.add(&rule, &kept.exchange),
                }
            }
            without
        });
        self.timings = timings.collect();
    }
}

/// Whether a line is one of those in the rest of a reply.
fn is_in(line: &UnaskedLine, rest: &[u8]) -> bool {
    let mut lines = rest.split(|&byte| byte == line.end.byte());
    lines.any(|text| text.trim_ascii_end() == line.example.trim_ascii_end())
}

/// Whether a known line fits the pattern of another.
fn is_one(known: &UnaskedLine, line: &UnaskedLine) -> bool {
    Regex::new(&line.pattern).is_ok_and(|pattern| pattern.is_match(&known.whole()))
}

/// Whether a message tells of a line that fits this pattern. Messages show line ends as escapes.
fn is_told(message: &str, pattern: &Regex) -> bool {
    let text = message.replace(r"\r", "\r").replace(r"\n", "\n");
    pattern.is_match(text.as_bytes())
}
