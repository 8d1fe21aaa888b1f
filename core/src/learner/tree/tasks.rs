//! Transitions whose words are in flight, each with the states that it may lead to.
//!
//! A few tasks are begun together and finished together: what is asked for one depends on no answer to
//! another, so words are the same whatever the number of lanes.

use super::apart::{Against, first_difference};
use super::bases::{Bases, State};
use super::next_word::{self, RatedWord, Search};
use crate::alphabet::Input;
use crate::costs;
use crate::error::{Refused, Resource};
use crate::hash;
use crate::memory::{Field, Format, Memory, Position, fields, index};
use crate::observations::tree::{self, Node, Tree};
use crate::prefixes::Row;
use crate::words::{Lane, Words};

index! {
    /// A transition whose word is in flight.
    Task
}

fields! {
    before next_word::FIELDS_START;
    /// The transition.
    ROW: Field<Task> = Format::Packed;
    /// The lane of its word; [`NO_LANE`] when nothing more is to be found out about the transition.
    LANE: Field<Task> = Format::Wide;
    /// The last node of its word, once that is answered.
    NODE: Field<Task> = Format::Wide;
    /// How many answers to its word were compared with what candidates say.
    COMPARED: Field<Task> = Format::Packed;
    /// How many candidates are left.
    LEN: Field<Task> = Format::Packed;
    /// The word that was chosen last for a transition that was never asked.
    FIRST_INPUT: Field<Position> = Format::Packed;
    /// The candidates: states, in groups by component.
    CANDIDATE: Field<Task, Position> = Format::Packed;
    /// Where the word so far leads each candidate plus one; zero where that is not known.
    NOW: Field<Task, Position> = Format::Packed;
}

/// How many tasks are begun together. More keep more lanes busy, but what one of them finds out comes too
/// late for the others.
pub(super) const BATCH: u32 = 4;

/// No lane.
const NO_LANE: u32 = u32::MAX - 1;

/// How many inputs a word goes on at most when its transition is known.
const WALK_MAX: u32 = 20;

/// All of them cost at most this part of a reset. Longer walks find too little for what they cost.
const WALK_PART: u32 = 4;

/// A transition that was never asked may lead to any state. The best word to tell all states apart changes
/// seldom: it is searched anew when there are more states, and once for each access word.
#[derive(Clone, Copy, Debug, Default)]
struct FirstWord {
    states: u32,
    candidates: u32,
    len: u32,
    uses_left: u32,
}

/// The tasks that were begun together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks {
    len: u32,
    handed_out: u32,
    taken: u32,
    first_word: FirstWord,
}

impl Tasks {
    pub(super) const fn new() -> Self {
        let first_word = FirstWord { states: 0, candidates: 0, len: 0, uses_left: 0 };
        Self { len: 0, handed_out: 0, taken: 0, first_word }
    }

    /// Drops all tasks.
    pub(super) fn clear(&mut self) {
        *self = Self { first_word: self.first_word, ..Self::new() };
    }

    /// How many there are.
    pub(super) fn len(self) -> u32 {
        self.len
    }

    /// Makes room for all tasks.
    pub(super) fn reserve(m: &mut Memory<'_>, bases: Bases) -> Result<(), Refused> {
        let has = m.columns(CANDIDATE);
        let needed = bases.len().saturating_add(1);
        let len = if needed <= has { has } else { needed.saturating_add(needed / 4) };
        let states = len.checked_next_power_of_two().unwrap_or(u32::MAX);
        m.reserve(
            Resource::States,
            &[
                ROW.list(BATCH, bases.prefixes.rows()),
                LANE.list(BATCH, NO_LANE),
                NODE.list(BATCH, u32::MAX - 1),
                COMPARED.list(BATCH, u32::MAX - 1),
                LEN.list(BATCH, len),
                FIRST_INPUT.list(next_word::MAX_LEN, bases.prefixes.inputs()),
                CANDIDATE.matrix(BATCH, len, states),
                NOW.matrix(BATCH, len, states),
            ],
        )?;
        Search::reserve(m, needed, bases)
    }

    /// Begins a task without candidates.
    pub(super) fn begin(&mut self, m: &mut Memory<'_>, row: Row) -> Task {
        let task = Task(self.len);
        m.set(ROW, task, row.0);
        m.set(LEN, task, 0);
        self.len = self.len.wrapping_add(1);
        task
    }

    /// Whether no other task can be begun.
    pub(super) fn is_full(self) -> bool {
        self.len >= BATCH
    }

    /// Whether a task's word may go the way of a transition: that begins with the transition of the task.
    pub(super) fn has_part_of(self, m: &Memory<'_>, bases: Bases, row: Row) -> bool {
        let mut at = Some(row);
        while let Some(row) = at {
            if self.iter().any(|task| Self::row(m, task) == row) {
                return true;
            }
            at = bases.prefixes.predecessor(row).map(|(short, _)| bases.prefixes.row(m, short));
        }
        false
    }

    /// Drops the task that was begun last.
    pub(super) fn drop_last(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Adds a candidate; those of one component are added one after the other.
    pub(super) fn add_candidate(m: &mut Memory<'_>, task: Task, state: State) {
        let len = m.get(LEN, task);
        m.put(CANDIDATE, task, Position(len), state.0);
        m.put(NOW, task, Position(len), state.0.wrapping_add(1));
        m.set(LEN, task, len.wrapping_add(1));
    }

    /// How many candidates a task has.
    pub(super) fn candidates(m: &Memory<'_>, task: Task) -> u32 {
        m.get(LEN, task)
    }

    /// Drops the candidates that were added last.
    pub(super) fn truncate(m: &mut Memory<'_>, task: Task, len: u32) {
        m.set(LEN, task, len);
    }

    /// A candidate.
    pub(super) fn candidate(m: &Memory<'_>, task: Task, position: u32) -> State {
        State(m.at(CANDIDATE, task, Position(position)))
    }

    /// The transition of a task.
    pub(super) fn row(m: &Memory<'_>, task: Task) -> Row {
        Row(m.get(ROW, task))
    }

    /// Writes the first word of the next task; `false` when all were handed out.
    pub(super) fn next_word(
        &mut self,
        m: &mut Memory<'_>,
        known: (Tree, Bases),
        words: Words,
        lane: Lane,
    ) -> Result<bool, Refused> {
        if self.handed_out == self.len {
            return Ok(false);
        }
        let task = Task(self.handed_out);
        let (_, bases) = known;
        bases.prefixes.push(m, words, lane, Self::row(m, task))?;
        let access_len = words.len(m, lane);
        // Room first: a call that is repeated finds everything as it was.
        words.reserve(m, access_len.saturating_add(next_word::MAX_LEN))?;
        let candidates = m.get(LEN, task);
        if candidates > 0 && bases.is_asked(m, Self::row(m, task)) {
            match search(m, bases, task, true) {
                Some(found) => words.push_all(m, lane, found.len, Search::input)?,
                None => push_witness(m, known, task, words, lane)?,
            }
        } else if candidates > 0 {
            let len = self.first_word(m, bases, task);
            words.push_all(m, lane, len, |m, position| {
                Input::new(m.get(FIRST_INPUT, Position(position)))
            })?;
        }
        m.set(LANE, task, lane.0);
        m.set(COMPARED, task, access_len);
        self.handed_out = self.handed_out.wrapping_add(1);
        Ok(true)
    }

    /// Chooses the word that follows a transition that was never asked: its length.
    fn first_word(&mut self, m: &mut Memory<'_>, bases: Bases, task: Task) -> u32 {
        let (states, candidates) = (bases.len(), m.get(LEN, task));
        let mut first = self.first_word;
        if first.uses_left == 0 || (first.states, first.candidates) != (states, candidates) {
            let len = search(m, bases, task, true).map_or(0, |found| found.len);
            for position in 0..len {
                m.set(FIRST_INPUT, Position(position), Search::input(m, position).index());
            }
            first = FirstWord { states, candidates, len, uses_left: bases.prefixes.inputs() };
        }
        first.uses_left = first.uses_left.saturating_sub(1);
        self.first_word = first;
        first.len
    }

    /// Adds inputs to a word that was answered, if that is cheaper than to begin another; else
    /// the word ends. `symbol` says what was answered at a position, `None` for an output that is new.
    pub(super) fn extend(
        self,
        m: &mut Memory<'_>,
        bases: Bases,
        (words, lane): (Words, Lane),
        symbol: impl Fn(&Memory<'_>, u32) -> Option<u32>,
    ) -> Result<(), Refused> {
        let mut tasks = (self.taken..self.handed_out).map(Task);
        let Some(task) = tasks.find(|&task| m.get(LANE, task) == lane.0) else { return Ok(()) };
        words.reserve(m, words.len(m, lane).saturating_add(next_word::MAX_LEN))?;
        let (from, len) = (m.get(COMPARED, task), words.len(m, lane));
        for position in from..len {
            let Some(symbol) = symbol(m, position) else {
                m.set(LEN, task, 0);
                break;
            };
            compare(m, bases, task, words.input(m, lane, position), symbol);
        }
        m.set(COMPARED, task, len);
        drop_decided(m, task);
        let candidates = m.get(LEN, task);
        if candidates == 0 {
            return walk_on(m, bases, task, words, lane);
        }
        let here = |m: &Memory<'_>, position| {
            let now = m.at(NOW, task, position).checked_sub(1).map(State);
            (State(m.at(CANDIDATE, task, position)), now)
        };
        let Some(found) = Search::best(m, bases, candidates, here, 0) else {
            return walk_on(m, bases, task, words, lane);
        };
        if found.may_be_beaten(cost_so_far(m, bases, task)) {
            let again = search(m, bases, task, false);
            if again.is_some_and(|again| again.is_better_than(found)) {
                return Ok(());
            }
            // The word that was found is overwritten.
            Search::best(m, bases, candidates, here, 0);
        }
        words.push_all(m, lane, found.len, Search::input)?;
        Ok(())
    }

    /// The answer to the next word was entered: its last node.
    pub(super) fn take(&mut self, m: &mut Memory<'_>, node: Node) {
        m.set(NODE, Task(self.taken), node.0);
        self.taken = self.taken.wrapping_add(1);
    }

    /// Whether all words were answered.
    pub(super) fn is_done(self) -> bool {
        self.taken == self.len
    }

    /// All tasks.
    pub(super) fn iter(self) -> impl Iterator<Item = Task> + use<> {
        (0..self.len).map(Task)
    }

    /// The last node of a task's word.
    pub(super) fn node(m: &Memory<'_>, task: Task) -> Node {
        Node(m.get(NODE, task))
    }
}

/// What it costs to take the transition of a task: a reset, which counts as an input where it is free, and the inputs.
fn cost_so_far(m: &Memory<'_>, bases: Bases, task: Task) -> u32 {
    let mut cost = costs::of_reset(m).max(1);
    let mut at = bases.prefixes.predecessor(Tasks::row(m, task));
    while let Some((short, input)) = at {
        cost = cost.saturating_add(costs::of_input(m, input));
        at = bases.prefixes.predecessor(bases.prefixes.row(m, short));
    }
    cost
}

/// The best word after a transition, for all candidates.
fn search(m: &mut Memory<'_>, bases: Bases, task: Task, may_be_known: bool) -> Option<RatedWord> {
    let candidate = |m: &Memory<'_>, position| {
        let state = State(m.at(CANDIDATE, task, position));
        (state, Some(state))
    };
    let paid = cost_so_far(m, bases, task);
    if may_be_known {
        Search::best_or_known(m, bases, m.get(LEN, task), candidate, paid)
    } else {
        Search::best(m, bases, m.get(LEN, task), candidate, paid)
    }
}

/// Where a reset is dear a word goes on when its transition is known: random inputs, which need no reset, try the
/// hypothesis as a test does. They follow from the word, so they are the same whatever the number of lanes.
fn walk_on(
    m: &mut Memory<'_>,
    bases: Bases,
    task: Task,
    words: Words,
    lane: Lane,
) -> Result<(), Refused> {
    let len = words.len(m, lane);
    words.reserve(m, len.saturating_add(WALK_MAX))?;
    m.set(LANE, task, NO_LANE);
    let mut left = costs::of_reset(m) / WALK_PART;
    let inputs = (0..len).map(|position| words.input(m, lane, position).index());
    let mut random = inputs.fold(0, hash::mix);
    for step in 0..WALK_MAX {
        random = hash::mix(random, step);
        let input = hash::finish(random).checked_rem(bases.prefixes.inputs()).unwrap_or(0);
        let input = Input::new(input);
        let Some(rest) = left.checked_sub(costs::of_input(m, input).max(1)) else { break };
        left = rest;
        words.push(m, lane, input)?;
    }
    Ok(())
}

/// Drops the candidates that say something else than the device.
fn compare(m: &mut Memory<'_>, bases: Bases, task: Task, input: Input, symbol: u32) {
    let mut kept = 0_u32;
    for position in (0..m.get(LEN, task)).map(Position) {
        let state = State(m.at(CANDIDATE, task, position));
        let mut now = m.at(NOW, task, position);
        if let Some(at) = now.checked_sub(1).map(State) {
            let part = bases.part_of(m, Bases::component(m, state), input, symbol);
            now = match Bases::seen(m, at, input) {
                Some(seen) if seen != part => continue,
                Some(_) => Bases::target(m, at, input).map_or(0, |next| next.0.wrapping_add(1)),
                None => 0,
            };
        }
        m.put(CANDIDATE, task, Position(kept), state.0);
        m.put(NOW, task, Position(kept), now);
        kept = kept.wrapping_add(1);
    }
    m.set(LEN, task, kept);
}

/// Drops the candidates of components that have only one left.
fn drop_decided(m: &mut Memory<'_>, task: Task) {
    let len = m.get(LEN, task);
    let component = |m: &Memory<'_>, position: u32| {
        let is_there = position < len;
        is_there.then(|| Bases::component(m, State(m.at(CANDIDATE, task, Position(position)))))
    };
    let mut kept = 0_u32;
    let mut before = None;
    for position in 0..len {
        let this = component(m, position);
        let is_alone = before != this && component(m, position.wrapping_add(1)) != this;
        before = this;
        if is_alone {
            continue;
        }
        let (state, now) =
            (m.at(CANDIDATE, task, Position(position)), m.at(NOW, task, Position(position)));
        m.put(CANDIDATE, task, Position(kept), state);
        m.put(NOW, task, Position(kept), now);
        kept = kept.wrapping_add(1);
    }
    m.set(LEN, task, kept);
}

/// Appends a word that was asked after two candidates and answered differently.
fn push_witness(
    m: &mut Memory<'_>,
    known: (Tree, Bases),
    task: Task,
    words: Words,
    lane: Lane,
) -> Result<(), Refused> {
    let candidate = |m: &Memory<'_>, at| State(m.at(CANDIDATE, task, Position(at)));
    let (one, other) = (candidate(m, 0), candidate(m, 1));
    let top = known.1.access_node(m, one);
    let component = Bases::component(m, one);
    let found = first_difference(m, known, component, (top, other), Against::Asked);
    push_path(m, words, lane, (top, found.unwrap_or(top)))
}

/// Appends the inputs that lead from a node to one below it.
pub(super) fn push_path(
    m: &mut Memory<'_>,
    words: Words,
    lane: Lane,
    (top, node): (Node, Node),
) -> Result<(), Refused> {
    let more = tree::depth(m, node).saturating_sub(tree::depth(m, top));
    let mut end = words.len(m, lane).saturating_add(more);
    words.extend(m, lane, more)?;
    let mut at = node;
    for _ in 0..more {
        end = end.wrapping_sub(1);
        words.set_input(m, lane, end, tree::input(m, at));
        at = tree::parent(m, at);
    }
    Ok(())
}
