//! L* and OL*: one learner over a family of projections.
//!
//! Rick Koenders, Joshua Moerman, *Output-decomposed Learning of Mealy Machines*, LearnAut 2024,
//! arXiv 2405.08647, Algorithm 1. With the family `{1_y}` it is OL*, with `{id}` it is L* (Angluin,
//! *Learning regular sets from queries and counterexamples*, 1987).
//!
//! ```text
//!  1  S := {ε}, E := X                                                         begin
//!  2  repeat                                                                   advance
//!  3    while T is not output-closed or not output-consistent                  repair
//!  4      if some row sa equals no short row under some y: S := S ∪ {sa}       promote
//!  5      if s, s' are equal under y, and T(sa)(e) ≠ T(s'a)(e): E := E ∪ {ae}  add_suffix
//!  6      fill T with membership queries, add new outputs to Y                 fill, next_word, enter
//!  7    make the components H^y                                                make_components
//!  8    if they are not component-consistent: w is a word that shows it        search_product
//!  9    else H is their product                                                Phase::Ready
//! 10         if an answer refutes H: w is its word                             take
//! 11    add suffixes of w to E until H explains w                              refine
//! 12  until H is right
//! ```
//!
//! The learner never meets a device: [`TableLearner::advance`] runs until words have to be asked, and
//! [`TableLearner::take`] takes in the answer to a word. Where it differs from the paper:
//!
//! - Columns are single symbols, and prefixes of suffixes share them (see
//!   [`suffixes`](crate::suffixes)).
//! - Words without exactly one output are searched for in a bounded part of the product (see
//!   [`cover`](crate::machines::cover)). What the bound hides shows up when a test walks into it.
//! - Where all projections are about as large as the machine, making the table output-consistent can
//!   cost hundreds of times what L* would. After [`CONSISTENCY_PATIENCE`] times the words, it is
//!   closed in the ordinary sense instead, row by row, which the shortcut of section 3.1 then takes
//!   up: a table that is closed in the ordinary sense defines L*'s hypothesis, whose minimised
//!   projections are the components.
//! - A counterexample is cut at its first wrong output and shortened (see
//!   [`shorten`](crate::learner::table::shorten)).

mod counterexample;
mod digests;
mod division;
mod repair;
mod shorten;

use super::Learn;
use crate::alphabet::{Input, Output};
use crate::error::{Contradiction, Refused, SessionError};
use crate::machines::components::{Components, Defect, Sizes};
use crate::machines::cover::{FoundDefect, StateCover};
use crate::machines::minimise::Minimal;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::memory::Memory;
use crate::observations::table::classes::{self, Class};
use crate::observations::table::{Batch, Table};
use crate::options::{Observations, Options, Projections};
use crate::outputs::{Outputs, name_of};
use crate::prefixes::Row;
use crate::progress::{DefectCounts, Progress, Purpose};
use crate::projection::{Projection, symbol_of};
use crate::suffixes::{self, Suffix};
use crate::words::{Lane, Words};
use counterexample::Counterexample;
use division::DividedTable;
use shorten::Shorten;

pub(crate) use counterexample::FIELDS_START;

/// The factor by which words for output-consistency may exceed the words that close the table in the
/// ordinary sense.
const CONSISTENCY_PATIENCE: u64 = 8;

/// After each short row the table holds every infix of fewer inputs than this, followed by every suffix.
const ASKED_INFIXES: u32 = 2;

/// What the learner waits for.
#[derive(Clone, Copy, Debug)]
enum TablePhase {
    /// Nothing was asked yet.
    Begin,
    /// Words of the table; those before `at` were handed out.
    Fill { batch: Batch, at: (Row, Suffix) },
    /// This repairs the table.
    Repair(Repair),
    /// The table defines components.
    Conclude,
    /// The counterexample's suffixes are being added.
    Refine,
    /// The word that shows that the components contradict each other.
    AskDefect { is_handed_out: bool },
    /// The hypothesis stands.
    Ready,
    /// A word that may be a shorter counterexample.
    Shorten(Shorten),
}

/// What is added to the table.
#[derive(Clone, Copy, Debug)]
enum Repair {
    /// The table is not output-closed: this long row becomes short.
    Close(Row),
    /// The table is not output-consistent: this suffix is added, an input and a suffix that is there.
    Tell(Input, Suffix),
    /// It is not output-consistent, but is closed in the ordinary sense: this long row becomes short.
    CloseInstead(Row),
}

/// The learner of L* and OL*.
#[derive(Clone, Copy, Debug)]
pub struct TableLearner {
    division: DividedTable,
    product: Product,
    phase: TablePhase,
    cex: Counterexample,
    /// Suffixes that were added to make the table output-consistent.
    inconsistencies: u32,
    /// Words asked for these. There are never 2⁶⁴.
    consistency_words: u64,
    /// Words asked, instead, for rows that close the table in the ordinary sense.
    closing_words: u64,
    /// Words without exactly one output that were found before a test was asked.
    defects: DefectCounts,
}

impl TableLearner {
    /// A learner for a device with `inputs` inputs.
    pub const fn new(inputs: u32, projections: Projections) -> Self {
        Self {
            division: DividedTable::new(Table::new(inputs, projections)),
            product: Product::NONE,
            phase: TablePhase::Begin,
            cex: Counterexample::NONE,
            inconsistencies: 0,
            consistency_words: 0,
            closing_words: 0,
            defects: DefectCounts { none: 0, several: 0 },
        }
    }

    fn table(&self) -> &Table {
        self.division.table()
    }

    /// Line 1.
    fn begin(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        let batch = self.division.table_mut().begin(m)?;
        self.fill(batch);
        Ok(())
    }

    /// Lines 3 to 5: the row or the suffix that repairs the most; `None` if the table defines components.
    fn find_repair(&mut self, m: &mut Memory<'_>) -> Result<Option<Repair>, Refused> {
        if self.division.is_closed(m) {
            return Ok(None);
        }
        if let Some(row) = repair::most_helpful_row(&self.division, m) {
            return Ok(Some(Repair::Close(row)));
        }
        let Some((input, suffix)) = repair::most_helpful_suffix(&self.division, m)? else {
            return Ok(None);
        };
        let to_close = repair::words_to_close(&self.division, m);
        let closing = self.closing_words.saturating_add(to_close);
        if self.consistency_words >= closing.saturating_mul(CONSISTENCY_PATIENCE)
            && let Some(row) = self.first_open_row(m)
        {
            return Ok(Some(Repair::CloseInstead(row)));
        }
        Ok(Some(Repair::Tell(input, suffix)))
    }

    /// Lines 4 and 5.
    fn repair(&mut self, m: &mut Memory<'_>, repair: Repair) -> Result<(), Refused> {
        match repair {
            Repair::Close(row) => self.promote(m, row)?,
            Repair::CloseInstead(row) => {
                self.promote(m, row)?;
                let words = repair::words_of_successors(&self.division, m);
                self.closing_words = self.closing_words.wrapping_add(words);
            }
            Repair::Tell(input, suffix) => {
                self.add_suffix(m, input, suffix)?;
                self.inconsistencies = self.inconsistencies.wrapping_add(1);
                let words = self.table().long_rows().into();
                self.consistency_words = self.consistency_words.wrapping_add(words);
            }
        }
        Ok(())
    }

    fn first_open_row(&self, m: &Memory<'_>) -> Option<Row> {
        self.division.open_rows(m).next()
    }

    /// Line 4: makes a long row a short one.
    fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<(), Refused> {
        let batch = self.division.table_mut().promote(m, row)?;
        self.division.prefer_short(m, row);
        self.fill(batch);
        Ok(())
    }

    /// Lines 5 and 11.
    fn add_suffix(
        &mut self,
        m: &mut Memory<'_>,
        first: Input,
        tail: Suffix,
    ) -> Result<(), Refused> {
        // The hypothesis is refuted: no test starts at its states any more.
        self.product.cover.release(m);
        let batch = self.division.table_mut().add_suffix(m, first, tail)?;
        self.fill(batch);
        Ok(())
    }

    /// Line 6.
    fn fill(&mut self, batch: Batch) {
        self.phase = TablePhase::Fill { batch, at: (batch.from, batch.first) };
    }

    /// Lines 7 to 11: the table defines components.
    fn conclude(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        let is_full = self.division.is_closed(m) && self.table().components() > 0;
        // Making the components of the machine over full rows takes long: first add suffixes until that
        // machine explains the counterexample.
        if is_full && !self.is_explained_by_full_rows(m) {
            return self.add_suffix_of_cex(m, options);
        }
        let components = self.make_components(m, is_full)?;
        self.product = Product::new(m, components)?;
        Minimal::release(m);
        self.phase = TablePhase::Refine;
        Ok(())
    }

    /// Line 7: a state for each class, whose short row says where inputs lead. Where the table is closed
    /// in the ordinary sense, the minimised projections of the machine over full rows.
    fn make_components(&self, m: &mut Memory<'_>, is_full: bool) -> Result<Components, Refused> {
        let table = self.table();
        let inputs = table.prefixes().inputs();
        let states = |m: &mut Memory<'_>, projection: Projection| {
            if !is_full {
                return Ok(self.division.len(m, projection));
            }
            let next = |m: &Memory<'_>, state, input| self.full_step(m, state, input).0;
            let shown =
                |m: &Memory<'_>, state, input| projection.of(m, self.full_step(m, state, input).1);
            Minimal::new(m, table.full_rows(), inputs, next, shown).map(Minimal::classes)
        };
        let mut sizes = Sizes::NONE;
        for projection in table.projections() {
            sizes.add(states(m, projection)?);
        }
        let components = Components::new(m, sizes, inputs, table.outputs().len())?;
        for (component, projection) in components.iter().zip(table.projections()) {
            let states = states(m, projection)?;
            let initial = if is_full {
                Minimal::class(m, classes::full_row(m, Row::EMPTY).0)
            } else {
                classes::of_row(m, projection, Row::EMPTY).0
            };
            components.add(m, component, states, initial, |m, state, input| {
                if is_full {
                    let (next, symbol) = self.full_step(m, Minimal::first(m, state), input);
                    return (Minimal::class(m, next), projection.of(m, symbol));
                }
                let (next, symbol) = table.step(m, projection, Class(state), input);
                (next.0, symbol)
            });
        }
        Ok(components)
    }

    /// The next state and the symbol of the machine over full rows.
    fn full_step(&self, m: &Memory<'_>, state: u32, input: Input) -> (u32, u32) {
        let (next, symbol) = self.table().step(m, Projection::Full, Class(state), input);
        (next.0, symbol)
    }

    /// Line 8: makes the word that shows that the components contradict each other the
    /// counterexample.
    fn search_product(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
    ) -> Result<Option<FoundDefect>, Refused> {
        let has_tests = options.tests.has_words();
        let components = self.product.components;
        let (cover, found) = StateCover::new(components, m, options.product_states, has_tests)?;
        self.product.cover = cover;
        let Some(found) = found else { return Ok(None) };
        let access_len = cover.access_len(m.read(), found.state);
        let len = access_len.saturating_add(1);
        self.reserve_cex(m, len)?;
        let nothing = Output::new(0);
        self.cex.set(m, access_len, found.input, nothing);
        let cex = self.cex;
        cover.walk_back(m, found.state, |m, position, input| cex.set(m, position, input, nothing));
        self.cex.set_len(len);
        Ok(Some(found))
    }

    /// Lines 8 to 11: adds the counterexample's shortest new suffix until the hypothesis explains it.
    fn refine(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        if !self.cex.is_explained(m, &self.product) {
            return self.add_suffix_of_cex(m, options);
        }
        if self.cex.recall_original(m, &self.product) {
            self.phase = TablePhase::Shorten(Shorten::new(self.cex));
            return Ok(());
        }
        self.cex.clear();
        self.phase = match self.search_product(m, options)? {
            None => TablePhase::Ready,
            Some(found) => {
                let count = match found.defect {
                    Defect::None => &mut self.defects.none,
                    Defect::Several => &mut self.defects.several,
                };
                *count = count.wrapping_add(1);
                TablePhase::AskDefect { is_handed_out: false }
            }
        };
        Ok(())
    }

    /// Line 11: adds the shortest suffix of the counterexample that is not in `E`.
    fn add_suffix_of_cex(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        match self.shortest_new_suffix(m) {
            Some((first, tail)) => self.add_suffix(m, first, tail),
            None => Err(self.unexplainable(m, options)),
        }
    }

    /// The shortest suffix of the counterexample that is not in `E`, as its first input and the rest.
    fn shortest_new_suffix(&self, m: &Memory<'_>) -> Option<(Input, Suffix)> {
        let mut tail = Suffix::ROOT;
        for start in (0..self.cex.len()).rev() {
            let suffix = (start..self.cex.len()).map(|position| self.cex.input(m, position));
            match self.table().suffixes().find(m, suffix) {
                Some(suffix) => tail = suffix,
                None => return Some((self.cex.input(m, start), tail)),
            }
        }
        None
    }

    /// Whether the machine over full rows explains the counterexample.
    fn is_explained_by_full_rows(&self, m: &Memory<'_>) -> bool {
        let mut state = classes::full_row(m, Row::EMPTY).0;
        (0..self.cex.len()).all(|position| {
            let (next, symbol) = self.full_step(m, state, self.cex.input(m, position));
            state = next;
            symbol == symbol_of(self.cex.output(m, position))
        })
    }

    /// All suffixes of the counterexample are in the table, itself too: asked again to fill the table
    /// it had another output. No word is in flight, so the first lane shows it.
    fn unexplainable(&self, m: &mut Memory<'_>, options: &Options) -> Refused {
        let (lane, len) = (Lane(0), self.cex.len());
        let words = Words::new(options.lanes, self.table().prefixes().inputs());
        words.clear(m, lane);
        let pushed = words.push_all(m, lane, len, |m, position| self.cex.input(m, position));
        if let Err(refused) = pushed {
            return refused;
        }
        for position in 0..len {
            let name = name_of(m.read(), self.cex.output(m, position));
            words.set_answer(m, lane, position, name);
        }
        let Some(Contradiction { position, before: now, now: before, .. }) =
            self.table().enter(m, words, lane)
        else {
            // OK: the word is in the table, with outputs that the full rows explain; the counterexample's are not.
            return Refused;
        };
        let contradiction = Contradiction { lane: 0, word_len: len, position, before, now };
        m.refuse(SessionError::Contradiction(contradiction))
    }

    fn reserve_cex(&self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        let table = self.table();
        self.cex.reserve(m, len, table.prefixes().inputs(), table.symbol_max())
    }

    /// Line 6: names become outputs, and places in the table are filled.
    fn enter(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
    ) -> Result<(), Refused> {
        if !self.table().outputs().all_known() {
            for position in 0..words.len(m, lane) {
                let name = words.answer(m, lane, position);
                let outputs = self.division.table_mut().outputs_mut();
                outputs.take_in(m, options.projections, name)?;
                self.division.admit_outputs(m)?;
            }
        }
        // Again, if the memory was full then.
        self.division.admit_outputs(m)?;
        match self.table().enter(m, words, lane) {
            Some(contradiction) => Err(m.refuse(SessionError::Contradiction(contradiction))),
            None => Ok(()),
        }
    }

    /// The word of a lane is a counterexample, with its first wrong output here.
    fn set_cex(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        wrong: u32,
    ) -> Result<(), Refused> {
        let len = if options.shorten { wrong.wrapping_add(1) } else { words.len(m, lane) };
        self.reserve_cex(m, len)?;
        for position in 0..len {
            let output = words.output(m, self.table().outputs(), lane, position);
            self.cex.set(m, position, words.input(m, lane, position), output);
        }
        self.cex.set_len(len);
        if options.shorten && !matches!(self.phase, TablePhase::Shorten(_)) {
            self.cex.keep_original(m);
        }
        Ok(())
    }
}

impl Learn for TableLearner {
    fn algorithm(&self) -> (Observations, Projections) {
        (Observations::Table, self.table().family())
    }

    /// The loop of Algorithm 1.
    fn advance(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        loop {
            match self.phase {
                TablePhase::Begin => self.begin(m)?,
                TablePhase::Fill { batch, at } => {
                    if self.table().missing(m, batch, at).is_some() {
                        return Ok(());
                    }
                    self.division.divide(m)?;
                    let repair = self.find_repair(m)?;
                    self.phase = repair.map_or(TablePhase::Conclude, TablePhase::Repair);
                }
                TablePhase::Repair(repair) => self.repair(m, repair)?,
                TablePhase::Conclude => self.conclude(m, options)?,
                TablePhase::Refine => self.refine(m, options)?,
                TablePhase::Shorten(mut shorten) => {
                    let has_more = shorten.skip_known(m, self.cex, self.division.table());
                    self.phase =
                        if has_more { TablePhase::Shorten(shorten) } else { TablePhase::Refine };
                    if has_more {
                        return Ok(());
                    }
                }
                TablePhase::AskDefect { .. } | TablePhase::Ready => return Ok(()),
            }
        }
    }

    fn is_ready(&self) -> bool {
        matches!(self.phase, TablePhase::Ready)
    }

    fn next_word(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<bool, Refused> {
        let table = self.division.table();
        match &mut self.phase {
            TablePhase::Fill { batch, at } => {
                let Some((row, suffix)) = table.missing(m, *batch, *at) else {
                    *at = (batch.to, batch.first);
                    return Ok(false);
                };
                *at = (row, suffix);
                table.prefixes().push(m, words, lane, row)?;
                suffixes::push(m, words, lane, suffix)?;
                *at = (row, suffix.next());
                Ok(true)
            }
            TablePhase::AskDefect { is_handed_out } => {
                if *is_handed_out {
                    return Ok(false);
                }
                words
                    .push_all(m, lane, self.cex.len(), |m, position| self.cex.input(m, position))?;
                *is_handed_out = true;
                Ok(true)
            }
            TablePhase::Shorten(shorten) => shorten.next_word(m, self.cex, words, lane),
            TablePhase::Begin
            | TablePhase::Repair(_)
            | TablePhase::Conclude
            | TablePhase::Refine
            | TablePhase::Ready => Ok(false),
        }
    }

    fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused> {
        self.enter(m, options, words, lane)?;
        if matches!(self.phase, TablePhase::Fill { .. }) {
            return Ok(false);
        }
        let wrong = if is_as_expected {
            None
        } else {
            let input = |m: &Memory<'_>, position| words.input(m, lane, position);
            let output =
                |m: &Memory<'_>, position| words.output(m, self.table().outputs(), lane, position);
            self.product.first_wrong(m, words.len(m, lane), input, output)
        };
        if let Some(wrong) = wrong {
            self.set_cex(m, options, words, lane, wrong)?;
        }
        match (&mut self.phase, wrong) {
            (TablePhase::Shorten(shorten), wrong) => shorten.take(wrong.is_some(), self.cex),
            (TablePhase::Ready, Some(_)) if options.shorten => {
                self.phase = TablePhase::Shorten(Shorten::new(self.cex));
            }
            (phase, Some(_)) => *phase = TablePhase::Refine,
            (phase @ TablePhase::AskDefect { .. }, None) => {
                self.cex.clear();
                *phase = TablePhase::Ready;
            }
            _ => {}
        }
        Ok(wrong.is_some())
    }

    fn purpose(&self) -> Purpose {
        match self.phase {
            TablePhase::Ready | TablePhase::Shorten(_) => Purpose::Testing,
            _ => Purpose::Learning,
        }
    }

    fn is_refuted(&self) -> bool {
        self.cex.len() > 0
    }

    fn product(&self) -> &Product {
        &self.product
    }

    fn model(&self) -> Model {
        Model {
            product: self.product,
            prefixes: self.table().prefixes(),
            suffixes: self.table().suffixes(),
            asked_infixes: ASKED_INFIXES,
        }
    }

    fn outputs(&self) -> &Outputs {
        self.table().outputs()
    }

    fn outputs_mut(&mut self) -> &mut Outputs {
        self.division.table_mut().outputs_mut()
    }

    fn inconsistencies(&self) -> u32 {
        self.inconsistencies
    }

    fn report(&self, progress: &mut Progress) {
        let table = self.table();
        progress.short_rows = table.prefixes().len();
        progress.rows = table.rows();
        progress.suffixes = table.suffixes().count();
        progress.columns = table.suffixes().symbols();
        progress.defects = self.defects;
    }
}
