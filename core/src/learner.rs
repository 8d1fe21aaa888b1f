//! L* and OL*: one learner over a family of projections.
//!
//! Rick Koenders, Joshua Moerman, *Output-decomposed Learning of Mealy Machines*, LearnAut 2024,
//! arXiv 2405.08647, Algorithm 1. With the family `{1_y}` it is OL*, with `{id}` it is L*.
//!
//! The learner never meets a device: [`Learner::advance`] goes on until words have to be asked, and
//! [`Learner::take`] takes in the answer to a word. Where it differs from the paper:
//!
//! - Columns are single symbols, and prefixes of suffixes share them (see `columns`).
//! - Words without exactly one output are looked for in a bounded part of the product
//!   (see `walk`). What the bound hides shows up later, when a test walks into it.
//! - Where all projections are about as large as the machine, making the table output-consistent can
//!   cost hundreds of times what L* would. After [`CONSISTENCY_PATIENCE`] times the words, it is closed in
//!   the ordinary sense instead, row by row, which the shortcut of section 3.1 then takes up.
//! - A counterexample is cut at its first wrong output and shortened (see `shorten`). The word that
//!   it was made of is kept until the hypothesis explains that, too.

use crate::classes::Projection;
use crate::columns::Column;
use crate::components::{Components, Defect, Tuple, whole_step};
use crate::error::{Resource, SessionError, Stop};
use crate::lanes::Lanes;
use crate::memory::{Field, Memory, Want};
use crate::options::Options;
use crate::outputs::{Name, Outputs};
use crate::progress::Purpose;
use crate::shorten::Shorten;
use crate::table::{Batch, Row, Table, symbol_of};
use crate::walk::Walk;
use crate::{Contradiction, Input, Output};

/// Output-consistency may cost so many times the words of closing the table in the ordinary sense.
const CONSISTENCY_PATIENCE: u64 = 8;

/// Rows of [`Field::CexInput`] and [`Field::CexOutput`].
const CEX: u32 = 0;
const WITNESS: u32 = 1;

/// What the learner waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    /// Nothing was asked yet.
    Begin,
    /// Words of the table; those before `at` were handed out.
    Fill { batch: Batch, at: (Row, Column) },
    /// One word, which lies where counterexamples do.
    Ask { given: bool, handed_out: bool },
    /// The caller is to be told of a hypothesis, or was told on a lane. `again`: a word of the caller
    /// did not refute it, so it is no new one.
    Hypothesis { told: Option<u32>, again: bool },
    /// Tests of the hypothesis.
    Test,
    /// A word that may be a shorter counterexample.
    Shorten(Shorten),
    /// The counterexample's suffixes are being added.
    Refine,
}

/// The learner: a table, the hypothesis made of it, and a counterexample to that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Learner {
    pub(crate) table: Table,
    pub(crate) components: Components,
    pub(crate) walk: Walk,
    pub(crate) phase: Phase,
    /// The length of the counterexample that the table does not explain yet.
    pub(crate) cex_len: u32,
    /// The length of the word that it was made of by leaving out inputs.
    witness_len: u32,
    /// Suffixes that were added to make the table output-consistent.
    pub(crate) inconsistencies: u32,
    /// Words asked for these.
    consistency_words: u64,
    /// Words asked, instead, for rows that close the table in the ordinary sense.
    closing_words: u64,
    /// Hypotheses that were tested.
    pub(crate) rounds: u64,
    /// Words without exactly one output that were found before a test was asked.
    pub(crate) defects: DefectCounts,
}

/// How often the components were found to contradict each other, before any test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DefectCounts {
    /// Words without an output.
    pub none: u32,
    /// Words with several outputs.
    pub several: u32,
}

impl Learner {
    pub(crate) fn new(table: Table) -> Self {
        Self {
            table,
            components: Components::default(),
            walk: Walk::default(),
            phase: Phase::Begin,
            cex_len: 0,
            witness_len: 0,
            inconsistencies: 0,
            consistency_words: 0,
            closing_words: 0,
            rounds: 0,
            defects: DefectCounts::default(),
        }
    }

    /// Goes on until there is something to ask or to tell. All words handed out were taken in.
    pub(crate) fn advance(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Stop> {
        loop {
            match self.phase {
                Phase::Begin => {
                    let batch = self.table.begin(m)?;
                    self.fill(batch);
                }
                Phase::Fill { batch, at } => {
                    if self.table.missing(m, batch, at).is_some() {
                        return Ok(());
                    }
                    self.table.divide(m)?;
                    self.close_or_conclude(m, options)?;
                }
                Phase::Refine => self.refine(m, options)?,
                Phase::Shorten(mut shorten) => {
                    let more = shorten.skip_known(self, m);
                    self.phase = if more { Phase::Shorten(shorten) } else { Phase::Refine };
                    if more {
                        return Ok(());
                    }
                }
                Phase::Ask { .. } | Phase::Hypothesis { .. } | Phase::Test => return Ok(()),
            }
        }
    }

    /// The loop of the paper: mends a defect of the table, or makes a hypothesis.
    fn close_or_conclude(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Stop> {
        let closed = self.table.is_closed(m);
        if !closed {
            if let Some(row) = self.table.most_helpful_row(m) {
                return self.promote(m, row);
            }
            if let Some((input, column)) = self.table.most_helpful_suffix(m)? {
                let closing = self.closing_words + self.table.words_to_close(m);
                if self.consistency_words >= closing.saturating_mul(CONSISTENCY_PATIENCE)
                    && let Some(row) = self.table.first_open_row(m)
                {
                    let words = self.table.words_of_rows(m);
                    self.promote(m, row)?;
                    self.closing_words += words;
                    return Ok(());
                }
                let batch = self.table.add_suffix(m, input, column)?;
                self.inconsistencies += 1;
                self.consistency_words += u64::from(self.table.long_rows());
                self.fill(batch);
                return Ok(());
            }
        }
        // The components of a machine over whole rows take long to make: not before it explains the
        // counterexample.
        let whole = closed && self.table.components() > 0;
        if whole && self.unexplained_by_whole(m).is_some() {
            return self.add_suffix_of_cex(m, options);
        }
        self.components = if whole {
            Components::of_whole(&self.table, m)?
        } else {
            Components::of_classes(&self.table, m)?
        };
        self.walk.forget(self.components);
        self.refine(m, options)
    }

    /// Makes a long row a short one.
    fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<(), Stop> {
        let batch = self.table.promote(m, row)?;
        self.table.prefer_short(m, row);
        self.fill(batch);
        Ok(())
    }

    /// Adds the counterexample's shortest new suffix until the hypothesis explains it.
    fn refine(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Stop> {
        if self.unexplained(m, CEX, self.cex_len).is_some() {
            return self.add_suffix_of_cex(m, options);
        }
        if self.recall_witness(m) {
            self.phase = Phase::Shorten(Shorten::new(self.cex_len));
            return Ok(());
        }
        self.cex_len = 0;
        let (walk, found) = Walk::new(self.components, m, self.table.inputs, options)?;
        self.walk = walk;
        let Some(found) = found else {
            self.phase = Phase::Hypothesis { told: None, again: false };
            return Ok(());
        };
        self.set_cex_access(m, found.state, found.input)?;
        match found.defect {
            Defect::None => self.defects.none += 1,
            Defect::Several => self.defects.several += 1,
        }
        self.phase = Phase::Ask { given: false, handed_out: false };
        Ok(())
    }

    /// Adds the shortest suffix of the counterexample that is no column yet.
    fn add_suffix_of_cex(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Stop> {
        let Some((input, column)) = self.shortest_new_suffix(m) else {
            return Err(self.unexplainable(m, options));
        };
        let batch = self.table.add_suffix(m, input, column)?;
        self.fill(batch);
        Ok(())
    }

    fn fill(&mut self, batch: Batch) {
        self.phase = Phase::Fill { batch, at: (batch.from, batch.first) };
    }

    /// What is being asked now.
    pub(crate) fn purpose(&self) -> Purpose {
        match self.phase {
            Phase::Begin | Phase::Fill { .. } | Phase::Refine => Purpose::Learning,
            Phase::Ask { given: false, .. } => Purpose::Learning,
            Phase::Ask { given: true, .. } => Purpose::Testing,
            Phase::Hypothesis { .. } | Phase::Test | Phase::Shorten(_) => Purpose::Testing,
        }
    }

    /// Whether the hypothesis is known to be wrong: an answer contradicts it.
    pub(crate) fn is_refuted(&self) -> bool {
        self.cex_len > 0 && !matches!(self.phase, Phase::Ask { given: true, .. })
    }

    /// Whether the word to be asked next is the caller's.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self.phase, Phase::Ask { given: true, handed_out: false })
    }

    /// The shortest suffix of the counterexample that is no column yet, as its first input and the rest.
    fn shortest_new_suffix(&self, m: &Memory<'_>) -> Option<(Input, Column)> {
        let mut tail = Column::ROOT;
        for start in (0..self.cex_len).rev() {
            let suffix = (start..self.cex_len).map(|i| cex_input(m, i));
            match self.table.columns.find(m, suffix) {
                Some(column) => tail = column,
                None => return Some((cex_input(m, start), tail)),
            }
        }
        None
    }

    /// A counterexample is explained. If the word that it was made of is not, that is the next one.
    fn recall_witness(&mut self, m: &mut Memory<'_>) -> bool {
        let Some(wrong) = self.unexplained(m, WITNESS, self.witness_len) else {
            self.witness_len = 0;
            return false;
        };
        self.copy_cex(m, WITNESS, CEX, wrong + 1);
        self.cex_len = wrong + 1;
        true
    }

    /// Copies the beginning of the counterexample, or of its witness, to the other.
    fn copy_cex(&self, m: &mut Memory<'_>, from: u32, to: u32, len: u32) {
        for field in [Field::CexInput, Field::CexOutput] {
            for position in 0..len {
                m.put(field, to, position, m.at(field, from, position));
            }
        }
    }

    /// The first symbol of the counterexample, or of its witness, that the hypothesis gets wrong.
    fn unexplained(&self, m: &mut Memory<'_>, which: u32, len: u32) -> Option<u32> {
        let input = |m: &Memory<'_>, i| Input::new(m.at(Field::CexInput, which, i));
        self.first_wrong(m, len, input, |m, i| Output::new(m.at(Field::CexOutput, which, i)))
    }

    /// The first symbol of the counterexample that the machine over whole rows gets wrong.
    fn unexplained_by_whole(&self, m: &Memory<'_>) -> Option<u32> {
        let mut state = self.table.class(m, Projection::Whole, Row::EMPTY);
        (0..self.cex_len).find(|&position| {
            let (next, symbol) = whole_step(&self.table, m, state, cex_input(m, position));
            state = next;
            symbol != symbol_of(cex_output(m, position))
        })
    }

    /// The first symbol of a word on which the hypothesis and the answers differ.
    pub(crate) fn first_wrong(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
        output: impl Fn(&Memory<'_>, u32) -> Output,
    ) -> Option<u32> {
        self.walk.reset(self.components, m, Tuple::WORD);
        (0..len).find(|&position| {
            let input = input(m, position);
            self.walk.step(self.components, m, Tuple::WORD, input) != Ok(output(m, position))
        })
    }

    /// All suffixes of the counterexample are in the table, itself too: asked anew to fill the table it
    /// had another output. No word is in flight, so the first lane shows it.
    fn unexplainable(&self, m: &mut Memory<'_>, options: &Options) -> Stop {
        let (lane, word_len) = (0, self.cex_len);
        let lanes = Lanes::new(options.lanes, self.table.inputs);
        lanes.clear(m, lane);
        for position in 0..word_len {
            if let Err(error) = lanes.push(m, lane, cex_input(m, position)) {
                return error;
            }
        }
        for position in 0..word_len {
            let name = m.get(Field::OutputName, cex_output(m, position).index());
            lanes.set_name(m, lane, position, Name(name));
        }
        let Some(Contradiction { position, before: now, now: before, .. }) =
            self.enter(m, lanes, lane)
        else {
            return Stop;
        };
        let contradiction = Contradiction { lane, word_len, position, before, now };
        m.refuse(SessionError::Contradiction(contradiction))
    }

    /// Makes the way to a state of the walk and an input the word to be asked.
    fn set_cex_access(&mut self, m: &mut Memory<'_>, state: u32, input: Input) -> Result<(), Stop> {
        let mut len = 1;
        let mut at = state;
        while let Some((before, _)) = self.walk.predecessor(m.read(), at) {
            len += 1;
            at = before;
        }
        self.reserve_cex(m, len)?;
        set_cex_input(m, len - 1, input);
        let (mut position, mut at) = (len - 1, state);
        while let Some((before, input)) = self.walk.predecessor(m.read(), at) {
            position -= 1;
            set_cex_input(m, position, input);
            at = before;
        }
        self.cex_len = len;
        Ok(())
    }

    pub(crate) fn reserve_cex(&self, m: &mut Memory<'_>, len: u32) -> Result<(), Stop> {
        m.reserve(
            Resource::Words,
            &[
                Want::matrix(Field::CexInput, 2, len, self.table.inputs),
                Want::matrix(Field::CexOutput, 2, len, self.table.symbol_max()),
            ],
        )
    }

    /// Makes the next word in a lane; `false` when there is none now.
    pub(crate) fn hand_out(
        &mut self,
        m: &mut Memory<'_>,
        lanes: Lanes,
        lane: u32,
    ) -> Result<bool, Stop> {
        lanes.clear(m, lane);
        match &mut self.phase {
            Phase::Fill { batch, at } => {
                let Some((row, column)) = self.table.missing(m, *batch, *at) else {
                    *at = (batch.to, batch.first);
                    return Ok(false);
                };
                *at = (row, column);
                lanes.push_access(m, lane, &self.table, row)?;
                lanes.push_column(m, lane, column)?;
                *at = (row, Column(column.0 + 1));
                Ok(true)
            }
            Phase::Ask { handed_out, .. } => {
                if *handed_out {
                    return Ok(false);
                }
                for position in 0..self.cex_len {
                    lanes.push(m, lane, cex_input(m, position))?;
                }
                *handed_out = true;
                Ok(true)
            }
            Phase::Shorten(shorten) => shorten.hand_out(m, self.cex_len, lanes, lane),
            Phase::Begin | Phase::Hypothesis { .. } | Phase::Test | Phase::Refine => Ok(false),
        }
    }

    /// Takes in the complete answer of a lane: `true` if it is a counterexample to the hypothesis,
    /// unless the caller has seen that it is as expected.
    ///
    /// Taking in the same answer twice is the same as once.
    pub(crate) fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        lanes: Lanes,
        lane: u32,
        is_as_expected: bool,
    ) -> Result<bool, Stop> {
        let len = lanes.len(m, lane);
        if !self.table.outputs.all_known() {
            for position in 0..len {
                let name = lanes.name(m, lane, position);
                self.table.outputs.output(m, options.family, name)?;
                self.table.admit_outputs(m)?;
            }
        }
        // Again, if the memory was full then.
        self.table.admit_outputs(m)?;
        if let Some(contradiction) = self.enter(m, lanes, lane) {
            return Err(m.refuse(SessionError::Contradiction(contradiction)));
        }
        if matches!(self.phase, Phase::Fill { .. }) {
            return Ok(false);
        }
        let outputs = self.table.outputs;
        let output = |m: &Memory<'_>, position| output(outputs, m, lanes, lane, position);
        let wrong = if is_as_expected {
            None
        } else {
            self.first_wrong(m, len, |m, position| lanes.input(m, lane, position), output)
        };
        if let Some(wrong) = wrong {
            let cut = if options.shorten { wrong + 1 } else { len };
            self.reserve_cex(m, cut)?;
            for position in 0..cut {
                let input = lanes.input(m, lane, position);
                let output = output(m, position);
                set_cex_input(m, position, input);
                m.put(Field::CexOutput, CEX, position, output.index());
            }
            self.cex_len = cut;
            // It was found, not made of another: if it is shortened, it must not be forgotten.
            if !matches!(self.phase, Phase::Shorten(_)) && options.shorten {
                self.copy_cex(m, CEX, WITNESS, cut);
                self.witness_len = cut;
            }
        }
        let shorten = Phase::Shorten(Shorten::new(self.cex_len));
        self.phase = match (self.phase, wrong) {
            (Phase::Test | Phase::Ask { given: true, .. }, Some(_)) if options.shorten => shorten,
            (Phase::Test | Phase::Ask { .. }, Some(_)) => Phase::Refine,
            (Phase::Ask { given, .. }, None) => {
                self.cex_len = 0;
                if given { Phase::Hypothesis { told: None, again: true } } else { Phase::Test }
            }
            (Phase::Shorten(mut shorten), wrong) => {
                shorten.tried(wrong.is_some(), self.cex_len);
                Phase::Shorten(shorten)
            }
            (phase, _) => phase,
        };
        Ok(wrong.is_some())
    }

    /// Enters the answer of a lane into the table, as far as it has places; says where the table has
    /// another output first.
    fn enter(&self, m: &mut Memory<'_>, lanes: Lanes, lane: u32) -> Option<Contradiction> {
        let word_len = lanes.len(m, lane);
        let mut contradiction = None;
        self.table.places(
            m,
            word_len,
            |m, position| lanes.input(m, lane, position),
            |m, position, place| {
                let now = output(self.table.outputs, m, lanes, lane, position);
                match place.get(m).checked_sub(1).map(Output::new) {
                    None => place.set(m, symbol_of(now)),
                    Some(before) if before != now && contradiction.is_none() => {
                        contradiction =
                            Some(Contradiction { lane, word_len, position, before, now });
                    }
                    Some(_) => {}
                }
            },
        );
        contradiction
    }
}

/// The output that a lane's device gave at a position.
fn output(outputs: Outputs, m: &Memory<'_>, lanes: Lanes, lane: u32, position: u32) -> Output {
    outputs.known(m, lanes.name(m, lane, position)).unwrap_or(Output::new(0))
}

/// An input of the counterexample.
pub(crate) fn cex_input(m: &Memory<'_>, position: u32) -> Input {
    Input::new(m.at(Field::CexInput, CEX, position))
}

pub(crate) fn set_cex_input(m: &mut Memory<'_>, position: u32, input: Input) {
    m.put(Field::CexInput, CEX, position, input.index());
}

/// The device's output to it.
fn cex_output(m: &Memory<'_>, position: u32) -> Output {
    Output::new(m.at(Field::CexOutput, CEX, position))
}
