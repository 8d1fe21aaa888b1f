//! Which word to ask next: the one that tells the most states apart for what it costs.
//!
//! A *candidate* is a state that a transition of one component may lead to. What candidates answer is
//! foretold by the hypothesis. The gain of a word is, for each component, the part of its pairs of
//! candidates whose answers differ, and all components add up; its cost is that of the inputs that have to
//! be asked and of the reset, each of which counts as one where nobody said what they cost. Words are tried in the order of
//! their length.

use super::bases::{Bases, State};
use crate::alphabet::Input;
use crate::costs;
use crate::error::{Refused, Resource};
use crate::hash;
use crate::memory::{Field, Format, Memory, Position, fields, index};

index! {
    /// How many inputs lead here.
    Depth
}

index! {
    /// A search that is remembered.
    KeptSearch
}

fields! {
    before super::apart::FIELDS_START;
    /// Where each candidate is plus one; zero if that is not known.
    AT: Field<Depth, Position> = Format::Wide;
    /// The first candidate of the same component that has answered the same so far.
    CLASS: Field<Depth, Position> = Format::Wide;
    /// The inputs that lead to each depth.
    INPUT: Field<Depth> = Format::Packed;
    /// The best word.
    BEST: Field<Position> = Format::Packed;
    /// A hash of the candidates of each search that is remembered.
    FOUND_FOR: Field<KeptSearch> = Format::Wide;
    /// What the word that it found gained, without its upper half.
    FOUND_GAIN: Field<KeptSearch> = Format::Wide;
    /// The length of that word.
    FOUND_LEN: Field<KeptSearch> = Format::Packed;
    /// That word.
    FOUND: Field<KeptSearch, Position> = Format::Packed;
}

/// Searches that are remembered: when a state is new, many transitions have the same candidates.
const SLOTS: u32 = 64;

/// Longer words are not tried.
pub(super) const MAX_LEN: u32 = 12;

/// How many steps of candidates a search takes, if it finds a word. It takes four times as many to find one.
const STEPS: u32 = 300;

/// Of more candidates of one component a search looks at some, evenly spaced: enough to say which word is good.
const MAX_CANDIDATES: u32 = 24;

/// All pairs of candidates of one component.
const ALL: u64 = 1 << 24;

/// No answer is known, and so no class.
const UNKNOWN: u32 = 0;

fn lower_half(gain: u64) -> u32 {
    u32::try_from(gain & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

fn slot(candidates_hash: u32) -> KeptSearch {
    KeptSearch(hash::finish(candidates_hash) % SLOTS)
}

/// How good a word is.
#[derive(Clone, Copy, Debug)]
pub(super) struct RatedWord {
    gain: u64,
    cost: u32,
    /// Its length.
    pub(super) len: u32,
    /// How many components have candidates.
    components: u32,
}

impl RatedWord {
    pub(super) fn is_better_than(self, other: Self) -> bool {
        let product = |gain: u64, cost: u32| gain.saturating_mul(cost.into());
        product(self.gain, other.cost) > product(other.gain, self.cost)
    }

    /// Whether another word might be better, where this much is paid already.
    pub(super) fn may_be_beaten(self, paid: u32) -> bool {
        Self::best_of(self.components, paid, 1).is_better_than(self)
    }

    /// A word of this length that tells all candidates apart, and whose inputs cost as little as any.
    fn best_of(components: u32, paid: u32, len: u32) -> Self {
        let gain = ALL.wrapping_mul(components.into());
        Self { gain, cost: paid.saturating_add(len), len, components }
    }
}

/// A search for the best word.
pub(super) struct Search {
    candidates: u32,
    inputs: u32,
    /// What is paid whatever the word is.
    paid: u32,
    /// How many components have candidates.
    components: u32,
    steps_left: i64,
    best: RatedWord,
}

impl Search {
    /// Makes room for a search among this many candidates.
    pub(super) fn reserve(
        m: &mut Memory<'_>,
        candidates: u32,
        bases: Bases,
    ) -> Result<(), Refused> {
        let states = bases.len().checked_next_power_of_two().unwrap_or(u32::MAX);
        let needed = candidates.saturating_add(1);
        let has = m.columns(AT);
        let len = if needed <= has { has } else { needed.saturating_add(needed / 4) };
        m.reserve(
            Resource::States,
            &[
                AT.matrix(MAX_LEN.saturating_add(1), len, states),
                CLASS.matrix(MAX_LEN.saturating_add(1), len, len),
                INPUT.list(MAX_LEN.saturating_add(1), bases.prefixes.inputs()),
                BEST.list(MAX_LEN, bases.prefixes.inputs()),
                FOUND_FOR.list(SLOTS, u32::MAX),
                FOUND_GAIN.list(SLOTS, u32::MAX),
                FOUND_LEN.list(SLOTS, MAX_LEN),
                FOUND.matrix(SLOTS, MAX_LEN, bases.prefixes.inputs()),
            ],
        )
    }

    /// Searches the best word for candidates, which stand in groups by component: each is a state and where it
    /// is now. `None` if no word was found.
    pub(super) fn best(
        m: &mut Memory<'_>,
        bases: Bases,
        candidates: u32,
        candidate: impl Fn(&Memory<'_>, Position) -> (State, Option<State>),
        paid: u32,
    ) -> Option<RatedWord> {
        let (mut search, _) = Self::begin(m, bases, candidates, candidate, paid);
        search.run(m);
        (search.best.gain > 0).then_some(search.best)
    }

    /// The same, but takes the word that it found for the same candidates before, if that gains as much as then.
    ///
    /// What is remembered depends on all searches before: they have to be the same whatever the number of lanes.
    pub(super) fn best_or_known(
        m: &mut Memory<'_>,
        bases: Bases,
        candidates: u32,
        candidate: impl Fn(&Memory<'_>, Position) -> (State, Option<State>),
        paid: u32,
    ) -> Option<RatedWord> {
        let (mut search, candidates_hash) = Self::begin(m, bases, candidates, candidate, paid);
        if !search.recall(m, candidates_hash) {
            search.run(m);
            search.remember(m, candidates_hash);
        }
        (search.best.gain > 0).then_some(search.best)
    }

    /// Puts the candidates where they are; also a hash of them.
    fn begin(
        m: &mut Memory<'_>,
        bases: Bases,
        candidates: u32,
        candidate: impl Fn(&Memory<'_>, Position) -> (State, Option<State>),
        paid: u32,
    ) -> (Self, u32) {
        let mut search = Self {
            candidates: 0,
            inputs: bases.prefixes.inputs(),
            paid,
            components: 0,
            steps_left: STEPS.into(),
            best: RatedWord { gain: 0, cost: 1, len: 0, components: 0 },
        };
        let mut candidates_hash = 0;
        let mut start = 0;
        while start < candidates {
            let component_at = |m: &Memory<'_>, position| {
                let (state, _) = candidate(m, Position(position));
                Bases::component(m, state)
            };
            let component = component_at(m, start);
            let mut rest = start..candidates;
            let end = rest.find(|&position| component_at(m, position) != component);
            let end = end.unwrap_or(candidates);
            let stride = end.wrapping_sub(start).div_ceil(MAX_CANDIDATES);
            let first = search.candidates;
            for position in (start..end).step_by(stride.max(1) as usize) {
                let (_, at) = candidate(m, Position(position));
                let at = at.map_or(0, |at| at.0.wrapping_add(1));
                m.put(AT, Depth(0), Position(search.candidates), at);
                m.put(CLASS, Depth(0), Position(search.candidates), first.wrapping_add(1));
                candidates_hash = hash::mix(hash::mix(candidates_hash, first), at);
                search.candidates = search.candidates.wrapping_add(1);
            }
            search.components = search.components.wrapping_add(1);
            start = end;
        }
        (search, candidates_hash)
    }

    /// Tries words, the shortest first, until a longer one cannot be better or enough were tried.
    fn run(&mut self, m: &mut Memory<'_>) {
        for len in 1..=MAX_LEN {
            self.words_of(m, len);
            let longer = RatedWord::best_of(self.components, self.paid, len.wrapping_add(1));
            if self.is_spent() || !longer.is_better_than(self.best) {
                break;
            }
        }
    }

    /// Remembers the word that was found.
    fn remember(&self, m: &mut Memory<'_>, candidates_hash: u32) {
        let slot = slot(candidates_hash);
        m.set(FOUND_FOR, slot, candidates_hash);
        m.set(FOUND_GAIN, slot, lower_half(self.best.gain));
        m.set(FOUND_LEN, slot, if self.best.gain > 0 { self.best.len } else { 0 });
        for position in (0..self.best.len).map(Position) {
            m.put(FOUND, slot, position, m.get(BEST, position));
        }
    }

    /// Takes the word that was found for the same candidates before, if it still gains the same.
    fn recall(&mut self, m: &mut Memory<'_>, candidates_hash: u32) -> bool {
        let slot = slot(candidates_hash);
        let len = m.get(FOUND_LEN, slot);
        if len == 0 || m.get(FOUND_FOR, slot) != candidates_hash {
            return false;
        }
        let mut gain = 0;
        for depth in 0..len {
            let input = m.at(FOUND, slot, Position(depth));
            m.set(INPUT, Depth(depth), input);
            (gain, _) = self.step(m, depth, Input::new(input));
        }
        let is_same = gain > 0 && lower_half(gain) == m.get(FOUND_GAIN, slot);
        if is_same {
            self.consider(m, gain, len);
        }
        is_same
    }

    /// Whether it has taken as many steps as it may.
    fn is_spent(&self) -> bool {
        self.steps_left < if self.best.gain > 0 { 0 } else { -3 * i64::from(STEPS) }
    }

    /// An input of the best word.
    pub(super) fn input(m: &Memory<'_>, position: u32) -> Input {
        Input::new(m.get(BEST, Position(position)))
    }

    /// Tries all words of a length, in depth-first order.
    fn words_of(&mut self, m: &mut Memory<'_>, len: u32) {
        let mut depth = 0;
        let mut input = 0;
        loop {
            if input == self.inputs {
                // All that begin like this were tried.
                if depth == 0 {
                    return;
                }
                depth = u32::wrapping_sub(depth, 1);
                input = m.get(INPUT, Depth(depth)).wrapping_add(1);
                continue;
            }
            m.set(INPUT, Depth(depth), input);
            let (gain, is_live) = self.step(m, depth, Input::new(input));
            let next = depth.wrapping_add(1);
            if next == len {
                self.consider(m, gain, len);
                input = input.wrapping_add(1);
            } else if is_live {
                depth = next;
                input = 0;
            } else {
                input = input.wrapping_add(1);
            }
            if len > 1 && self.is_spent() {
                return;
            }
        }
    }

    fn consider(&mut self, m: &mut Memory<'_>, gain: u64, len: u32) {
        let inputs = (0..len).map(|depth| Input::new(m.get(INPUT, Depth(depth))));
        let cost =
            inputs.map(|input| costs::of_input(m, input)).fold(self.paid, u32::saturating_add);
        let rated = RatedWord { gain, cost, len, components: self.components };
        if rated.is_better_than(self.best) {
            self.best = rated;
            for position in 0..len {
                m.set(BEST, Position(position), m.get(INPUT, Depth(position)));
            }
        }
    }

    /// Leads all candidates along an input: the gain so far, and whether a longer word may gain more.
    fn step(&mut self, m: &mut Memory<'_>, depth: u32, input: Input) -> (u64, bool) {
        self.steps_left = self.steps_left.wrapping_sub(self.candidates.into());
        let (from, to) = (Depth(depth), Depth(depth.wrapping_add(1)));
        let (mut gain, mut is_live, mut has_moved) = (0_u64, false, false);
        let mut classes = CandidateClasses::NONE;
        let mut start = 0;
        while start < self.candidates {
            // The candidates of one component: the first of them is their class at the start.
            let group = m.at(CLASS, Depth(0), Position(start));
            classes.clear();
            let mut end = start;
            while end < self.candidates && m.at(CLASS, Depth(0), Position(end)) == group {
                let position = Position(end);
                end = end.wrapping_add(1);
                let at = m.at(AT, from, position).checked_sub(1).map(State);
                let Some((at, part)) = at.and_then(|at| Some((at, Bases::seen(m, at, input)?)))
                else {
                    m.put(AT, to, position, 0);
                    m.put(CLASS, to, position, UNKNOWN);
                    continue;
                };
                let next = Bases::target(m, at, input);
                has_moved |= next != Some(at);
                m.put(AT, to, position, next.map_or(0, |next| next.0.wrapping_add(1)));
                let before = m.at(CLASS, from, position);
                let class =
                    CandidateClass { first: position, before, part, leads_to: next, len: 1 };
                let first = match classes.meet(class) {
                    Some(met) => {
                        is_live |= next.is_some() && met.leads_to != next;
                        met.first
                    }
                    None => {
                        has_moved |= before != position.0.wrapping_add(1);
                        position
                    }
                };
                m.put(CLASS, to, position, first.0.wrapping_add(1));
            }
            gain = gain.wrapping_add(classes.gain(end.wrapping_sub(start)));
            start = end;
        }
        (gain, is_live && has_moved)
    }
}

/// Candidates of one component that have answered the same.
#[derive(Clone, Copy)]
struct CandidateClass {
    first: Position,
    /// The class that they were in before the last answer.
    before: u32,
    /// The last answer.
    part: u32,
    /// Where the first of them is now.
    leads_to: Option<State>,
    len: u32,
}

/// The classes of one component's candidates.
struct CandidateClasses {
    classes: [CandidateClass; MAX_CANDIDATES as usize],
    len: usize,
}

impl CandidateClasses {
    const NONE: Self = Self {
        classes: [CandidateClass { first: Position(0), before: 0, part: 0, leads_to: None, len: 0 };
            MAX_CANDIDATES as usize],
        len: 0,
    };

    fn clear(&mut self) {
        self.len = 0;
    }

    fn iter(&self) -> impl Iterator<Item = &CandidateClass> {
        self.classes.iter().take(self.len)
    }

    /// Adds one candidate: the class of those that have answered the same, or `None` if there were none yet.
    fn meet(&mut self, new: CandidateClass) -> Option<CandidateClass> {
        let mut classes = self.classes.iter_mut().take(self.len);
        let same = classes.find(|class| (class.before, class.part) == (new.before, new.part));
        if let Some(class) = same {
            class.len = class.len.wrapping_add(1);
            return Some(*class);
        }
        if let Some(free) = self.classes.get_mut(self.len) {
            *free = new;
            self.len = self.len.wrapping_add(1);
        }
        None
    }

    /// The part of all pairs of `candidates` that are in different classes.
    fn gain(&self, candidates: u32) -> u64 {
        let known = self.iter().fold(0, |sum, class| class.len.wrapping_add(sum));
        let pairs = self.iter().fold(0_u64, |pairs, class| {
            let others: u64 = known.wrapping_sub(class.len).into();
            pairs.wrapping_add(others.wrapping_mul(class.len.into()))
        });
        let candidates: u64 = candidates.into();
        let all = candidates.wrapping_mul(candidates.saturating_sub(1));
        pairs.wrapping_mul(ALL).checked_div(all).unwrap_or(0)
    }
}
