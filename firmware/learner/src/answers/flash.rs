//! Answers in a NOR flash.

use embedded_storage::nor_flash::NorFlash;
use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::Request;
use mealybug_core::wire::types;
use mealybug_core::{Input, Output, Session};
use mealybug_log::{error, warn};

use super::Answers;
use super::records::{
    FIRST, FlashRecord, LAST, NotKept, PAYLOAD_BYTES, RECORD_BYTES, Records, digest,
};

/// How much of the flash is for the rules of the host; at least one page.
pub const RULES_BYTES: usize = 8 * 1024;

/// What the CRC of a rule, and of the start of a run, begins with.
const RULE: u32 = 1;
const START: u32 = 2;

/// Stands in a record before an output's length (2 bytes) and its bytes: the session has no number for it below this one.
const IN_FULL: u8 = 0xff;

/// Keeps the answers of a run in a NOR flash, and the rules that the host has sent.
///
/// The answer to a word is one record, which is written before the session gets the word's last output. So the flash
/// takes one write for each word, and a record that the power was lost in is that of a word which is asked again. A number
/// stands for an output that the session knows, which is a byte for each symbol and about 8 bytes for each word. When the
/// flash is full, or fails, the run goes on, and answers after that are not kept.
///
/// ```
/// use embedded_storage::nor_flash::NorFlash;
/// use mealybug_learner::adapters::{Attached, Link, NoCrashes};
/// use mealybug_learner::{FlashAnswers, Target};
///
/// /// `flash` is the part of the board's flash in which the program is not, `digest` is `faults::image_digest()`.
/// fn program(
///     host: impl Link,
///     device: impl Attached,
///     flash: impl NorFlash,
///     digest: u32,
///     memory: &mut [u32],
/// ) -> ! {
///     let answers = FlashAnswers::new(flash, digest);
///     Target::keeping_answers(host, device, "my board", NoCrashes, answers).run(memory)
/// }
/// ```
#[derive(Debug)]
pub struct FlashAnswers<F> {
    flash: F,
    program: u32,
    rules: Records,
    answers: Records,
    record: FlashRecord,
    /// How many rules the flash has.
    told: u32,
    /// Whether there may be a run in the flash.
    has_run: bool,
    /// Whether its answers are kept.
    is_on: bool,
    /// The digest of the word's inputs.
    word: u32,
    state: WordState,
}

/// What happens with the word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum WordState {
    /// There is none.
    None,
    /// Its outputs are in the flash; the next one is here in the payload of its record.
    Found { at: usize },
    /// All its outputs that are in the flash were recalled.
    Recalled,
    /// Its outputs are collected. `is_first`: none of them was written.
    Asked { is_first: bool },
}

impl<F: NorFlash> FlashAnswers<F> {
    /// All of `flash` is for answers. It has at least two pages, and its words have at most 32 bytes; anything else does
    /// not compile, or keeps nothing.
    ///
    /// `program` tells programs apart: the answers that another program has kept are dropped, since its device or its rules
    /// may be others. On an Arm Cortex-M it is `faults::image_digest()`; elsewhere take any number that changes with the
    /// program.
    pub fn new(flash: F, program: u32) -> Self {
        const {
            assert!(RECORD_BYTES.is_multiple_of(F::WRITE_SIZE), "no words like this");
            assert!(F::ERASE_SIZE.is_multiple_of(F::WRITE_SIZE), "no pages like this");
            assert!(F::WRITE_SIZE.is_multiple_of(F::READ_SIZE), "words are not read like this");
            assert!(F::ERASE_SIZE >= RECORD_BYTES, "the pages are too small");
        }
        let capacity = flash.capacity() - flash.capacity() % F::ERASE_SIZE;
        let rules = RULES_BYTES.next_multiple_of(F::ERASE_SIZE).min(capacity);
        let [rules, end] = [rules, capacity].map(|at| u32::try_from(at).unwrap_or_default());
        Self {
            flash,
            program,
            rules: Records::new(0..rules),
            answers: Records::new(rules..end),
            record: FlashRecord::new(),
            told: 0,
            has_run: false,
            is_on: false,
            word: 0,
            state: WordState::None,
        }
    }

    /// Goes on without the flash if something is not kept.
    fn note<T>(&mut self, done: Result<T, NotKept>) -> Option<T> {
        if let Err(why) = done {
            self.is_on = false;
            self.state = WordState::None;
            match why {
                NotKept::Full => warn!("the flash is full: answers from here on are not kept"),
                NotKept::Failed => error!("the flash failed: answers from here on are not kept"),
            }
        }
        done.ok()
    }

    /// Writes the outputs that were collected.
    fn write(&mut self, is_first: bool, is_last: bool) {
        let flags = if is_first { FIRST } else { 0 } | if is_last { LAST } else { 0 };
        let Self { flash, answers, record, word, .. } = self;
        let added = answers.add(flash, *word, record, flags);
        self.record.clear();
        self.state = if is_last { WordState::None } else { WordState::Asked { is_first: false } };
        self.note(added);
    }

    /// Finds the records of the word, from the first to the last one.
    fn find_word(&mut self) -> Result<bool, NotKept> {
        let Self { flash, answers, record, word, .. } = self;
        let mut start = None;
        while answers.find(flash, *word, record)? {
            if record.has(FIRST) {
                start = Some(answers.at());
            }
            if let Some(start) = start
                && record.has(LAST)
            {
                answers.go_to(start);
                return Ok(true);
            }
            answers.pass::<F>(record);
        }
        Ok(false)
    }

    fn try_resume(
        &mut self,
        mut take: impl FnMut(u32, &[u8]),
    ) -> Result<Option<(u32, types::Options)>, NotKept> {
        let Self { flash, rules, answers, record, told, .. } = self;
        // A target whose future was dropped begins again.
        answers.rewind();
        rules.rewind();
        *told = 0;
        if !answers.find(flash, START, record)? {
            return Ok(None);
        }
        let Some((fingerprint, frame)) = record.payload().split_first_chunk() else {
            return Ok(None);
        };
        let fingerprint = u32::from_le_bytes(*fingerprint);
        let mut decoder = Decoder::new();
        let mut options = None;
        for &byte in frame {
            if let Some(Ok(frame)) = decoder.push(byte)
                && let Ok(Request::Start(found)) = frame.message()
            {
                options = Some(found);
            }
        }
        answers.pass::<F>(record);
        while rules.find(flash, RULE, record)? {
            take(*told, record.payload());
            *told = told.wrapping_add(1);
            rules.pass::<F>(record);
        }
        Ok(options.map(|options| (fingerprint, options)))
    }

    fn try_rule(&mut self, number: u32, rule: &[u8]) -> Result<(), NotKept> {
        let Self { flash, rules, answers, record, told, .. } = self;
        if number == 0 {
            answers.erase_first(flash)?;
            rules.erase(flash, record)?;
            *told = 0;
        }
        // A rule that comes twice is one.
        if number == *told {
            record.clear();
            if !record.push(rule) {
                return Err(NotKept::Full);
            }
            rules.add(flash, RULE, record, FIRST | LAST)?;
            *told = told.wrapping_add(1);
        }
        Ok(())
    }

    fn try_begin(&mut self, fingerprint: u32, options: types::Options) -> Result<(), NotKept> {
        let Self { flash, rules, answers, record, told, .. } = self;
        answers.erase(flash, record)?;
        // Those of a host before this program started.
        if *told == 0 {
            rules.erase(flash, record)?;
        }
        record.clear();
        record.push(&fingerprint.to_le_bytes());
        let mut encoder = Encoder::new();
        let frame = encoder.encode(&Request::Start(options)).map_err(|_| NotKept::Full)?;
        if !record.push(frame) {
            return Err(NotKept::Full);
        }
        answers.add(flash, START, record, FIRST | LAST)?;
        record.clear();
        Ok(())
    }
}

impl<F: NorFlash> Answers for FlashAnswers<F> {
    fn program(&self) -> u32 {
        self.program
    }

    fn resume(&mut self, take: impl FnMut(u32, &[u8])) -> Option<(u32, types::Options)> {
        self.drop_word();
        let resumed = self.try_resume(take);
        let run = self.note(resumed).flatten();
        self.has_run = run.is_some();
        self.is_on = self.has_run;
        run
    }

    fn rule(&mut self, number: u32, rule: &[u8]) {
        let told = self.try_rule(number, rule);
        self.note(told);
    }

    fn begin(&mut self, fingerprint: u32, options: types::Options) {
        self.has_run = true;
        self.is_on = true;
        self.state = WordState::None;
        let begun = self.try_begin(fingerprint, options);
        self.note(begun);
    }

    fn forget(&mut self) {
        self.is_on = false;
        if self.has_run {
            self.has_run = false;
            let erased = self.answers.erase_first(&mut self.flash);
            self.note(erased);
        }
    }

    fn find(&mut self, word: impl Iterator<Item = Input>) -> bool {
        self.finish();
        if !self.is_on {
            return false;
        }
        self.word = digest(|take| word.for_each(|input| take(&input.index().to_le_bytes())));
        let found = self.find_word();
        let is_found = self.note(found) == Some(true);
        self.record.clear();
        if is_found {
            self.state = WordState::Found { at: 0 };
        } else if self.is_on {
            self.state = WordState::Asked { is_first: true };
        }
        is_found
    }

    fn is_found(&self) -> bool {
        matches!(self.state, WordState::Found { .. } | WordState::Recalled)
    }

    fn recall(&mut self, session: &Session<&mut [u32]>) -> Option<&[u8]> {
        let WordState::Found { at } = self.state else { return None };
        let Self { flash, answers, record, word, .. } = self;
        let is_there = answers.find(flash, *word, record);
        if self.note(is_there) != Some(true) {
            return None;
        }
        let rest = self.record.payload().get(at..).unwrap_or_default();
        let (first, rest) = rest.split_first()?;
        let (from, len) = match *first {
            IN_FULL => {
                let (len, _) = rest.split_first_chunk()?;
                (at + 3, usize::from(u16::from_le_bytes(*len)))
            }
            _ => (at + 1, 0),
        };
        let next = from + len;
        if next < self.record.payload().len() {
            self.state = WordState::Found { at: next };
        } else {
            self.answers.pass::<F>(&self.record);
            let is_last = self.record.has(LAST);
            self.state = if is_last { WordState::Recalled } else { WordState::Found { at: 0 } };
        }
        match *first {
            IN_FULL => self.record.payload().get(from..next),
            number => self.record.replace(session.output_name(Output::new(number.into()))),
        }
    }

    fn keep(&mut self, session: &Session<&mut [u32]>, output: &[u8], is_last: bool) {
        let WordState::Asked { mut is_first } = self.state else { return };
        let outputs = session.progress().outputs.min(IN_FULL.into());
        let number = (0..outputs).find(|&at| session.output_name(Output::new(at)) == output);
        let len = u16::try_from(output.len()).unwrap_or(u16::MAX).to_le_bytes();
        let (head, bytes) = match number.and_then(|number| u8::try_from(number).ok()) {
            Some(number) => ([number, 0, 0], &[][..]),
            None => ([IN_FULL, len[0], len[1]], output),
        };
        let head = head.get(..if head[0] == IN_FULL { 3 } else { 1 }).unwrap_or_default();
        if self.record.payload().len() + head.len() + bytes.len() > PAYLOAD_BYTES {
            self.write(is_first, false);
            is_first = false;
        }
        if self.state == WordState::None {
            return;
        }
        if !self.record.push(head) || !self.record.push(bytes) {
            self.note::<()>(Err(NotKept::Full));
            return;
        }
        self.state = WordState::Asked { is_first };
        if is_last {
            self.write(is_first, true);
        }
    }

    fn finish(&mut self) {
        if let WordState::Asked { is_first } = self.state
            && !self.record.payload().is_empty()
        {
            self.write(is_first, true);
        }
        self.state = WordState::None;
    }

    fn drop_word(&mut self) {
        self.record.clear();
        self.state = WordState::None;
    }
}
