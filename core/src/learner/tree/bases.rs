//! For each projection its basis: words that are pairwise apart, the states of its component.
//!
//! The words of all bases are the access words `S`. One word can be a state of many components; a
//! *transition* is an access word and an input, shared by all components that have the word as a state. For each of
//! them the transition has a target of its own: a state, or none while it is open.
//!
//! In the region a state of a component takes two numbers for each input, a part and a state, and five more.

use core::cell::Cell;

use super::choose_family::{self, StatesFound};
use super::family::Family;
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::machines::components::{Components, Sizes};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::observations::tree::{self, Node, Tree};
use crate::outputs::{ComponentId, Outputs};
use crate::prefixes::{Prefixes, Row, Short};
use crate::progress::TreeProgress;
use crate::words::{self, Lane, Words};

index! {
    /// A state of any component, numbered in the order in which they were found.
    State
}

fields! {
    before choose_family::FIELDS_START;
    /// The projection of the output of each transition plus one; zero if it was never asked.
    PART: Field<State, Input> = Format::Wide;
    /// The state of the same component that each transition leads to plus one; zero while it is open.
    TARGET: Field<State, Input> = Format::Wide;
    /// The access word of each state.
    ACCESS: Field<State> = Format::Packed;
    /// The component of each state.
    COMPONENT: Field<State> = Format::Packed;
    /// The number of each state within its component.
    NUMBER: Field<State> = Format::Packed;
    /// The next state of the same component plus one.
    NEXT: Field<State> = Format::Packed;
    /// The first state of each component plus one.
    FIRST: Field<ComponentId> = Format::Packed;
    /// The last state of each component.
    LAST: Field<ComponentId> = Format::Packed;
    /// The state of each component that has this access word plus one.
    STATE: Field<Short, ComponentId> = Format::Packed;
    /// The node of each transition plus one; zero if it was never asked.
    NODE: Field<Row> = Format::Packed;
    /// The access word that each transition is plus one.
    SHORT: Field<Row> = Format::Packed;
    /// Whether a component's target of the transition is open, or may be.
    OPEN: Field<Row> = Format::Packed;
    /// How many open transitions begin with each access word.
    OPEN_LEN: Field<Short> = Format::Packed;
}

/// The bases of all projections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bases {
    pub(super) prefixes: Prefixes,
    states: u32,
    components: u32,
    pub(super) family: Family,
    /// How many transitions are open, those that were never asked included.
    open: u32,
    /// How many transitions were never asked.
    unasked: u32,
    /// No access word before this one begins an open transition.
    first_open: u32,
    /// No transition before this one is unasked.
    first_unasked: u32,
    /// Transitions whose target is known were compared with the states before this one.
    compared: u32,
    /// Changes when a state is added or a target is open again: what does not fit a state does not fit it later,
    /// as long as this stays.
    version: u32,
}

impl Bases {
    pub(super) const fn new(inputs: u32, family: Family) -> Self {
        Self {
            prefixes: Prefixes::new(inputs),
            states: 0,
            components: 0,
            family,
            open: 0,
            unasked: 0,
            first_open: 0,
            first_unasked: 1,
            compared: 0,
            version: 0,
        }
    }

    /// Begins with the empty word as the only access word.
    pub(super) fn begin(&mut self, m: &mut Memory<'_>, tree: Tree) -> Result<(), Refused> {
        if self.prefixes.len() == 0 {
            self.reserve(m, 0, 0)?;
            self.add_short(m, Row::EMPTY, Node::ROOT, tree);
        }
        Ok(())
    }

    /// Begins anew with another family.
    pub(super) fn begin_anew(&mut self, m: &mut Memory<'_>, family: Family) {
        words::forget_prefixes(m);
        for component in (0..self.components).map(ComponentId) {
            m.set(FIRST, component, 0);
            for short in (0..self.prefixes.len()).map(Short) {
                m.put(STATE, short, component, 0);
            }
        }
        let version = self.version.wrapping_add(1);
        *self = Self { version, ..Self::new(self.prefixes.inputs(), family) };
    }

    /// Makes room for one more access word and one more state, and for these outputs.
    fn reserve(self, m: &mut Memory<'_>, outputs: u32, components: u32) -> Result<(), Refused> {
        // Room grows by an eighth, so that what lies in the region is moved seldom.
        let grown = |needed: u32, has: u32| {
            if needed <= has { has } else { needed.saturating_add(needed / 8) }
        };
        let states = grown(self.states.saturating_add(1), m.read().rows(ACCESS));
        let shorts = grown(self.prefixes.len().saturating_add(1), m.read().rows(OPEN_LEN));
        let (inputs, rows) = (self.prefixes.inputs(), self.prefixes.rows_with(shorts));
        self.prefixes.reserve(m, shorts)?;
        m.reserve(
            Resource::States,
            &[
                PART.matrix(states, inputs, outputs.saturating_add(1)),
                TARGET.matrix(states, inputs, states),
                ACCESS.list(states, shorts),
                COMPONENT.list(states, components),
                NUMBER.list(states, states),
                NEXT.list(states, states),
                FIRST.list(components, states),
                LAST.list(components, states),
                STATE.matrix(shorts, components, states),
                NODE.list(rows, 1),
                SHORT.list(rows, shorts),
                OPEN.list(rows, 1),
                OPEN_LEN.list(shorts, inputs),
            ],
        )
    }

    /// Gives each new projection the empty word as its first state.
    pub(super) fn admit(
        &mut self,
        m: &mut Memory<'_>,
        tree: Tree,
        outputs: &Outputs,
    ) -> Result<(), Refused> {
        let components = self.family.components(outputs, self.prefixes.inputs());
        while self.components < components {
            self.reserve_nodes(m, tree)?;
            self.reserve(m, outputs.len(), components)?;
            let component = ComponentId(self.components);
            self.components = self.components.wrapping_add(1);
            self.add_state(m, component, Short::EMPTY);
        }
        // Symbols became larger.
        self.reserve(m, outputs.len(), components)
    }

    /// Tells the family which outputs were seen after which inputs.
    pub(super) fn meet(
        &mut self,
        m: &mut Memory<'_>,
        outputs: &Outputs,
        words: Words,
        lane: Lane,
    ) -> Result<(), Refused> {
        self.family.reserve_pairs(m, self.prefixes.inputs(), outputs.len())?;
        for position in 0..words.len(m, lane) {
            if let Some(output) = outputs.known(m, words.answer(m, lane, position)) {
                self.family.meet(m, words.input(m, lane, position), output);
            }
        }
        Ok(())
    }

    /// Makes room for the numbers of nodes.
    pub(super) fn reserve_nodes(self, m: &mut Memory<'_>, tree: Tree) -> Result<(), Refused> {
        let nodes = tree.len().checked_next_power_of_two().unwrap_or(u32::MAX);
        m.reserve(Resource::States, &[NODE.list(0, nodes)])
    }

    fn add_short(&mut self, m: &mut Memory<'_>, row: Row, node: Node, tree: Tree) -> Short {
        let short = self.prefixes.add(m, row);
        m.set(OPEN_LEN, short, 0);
        for input in self.prefixes.alphabet() {
            let row = self.prefixes.successor(short, input);
            let node = tree.child(m, node, input);
            m.set(NODE, row, node.map_or(0, |node| node.0.wrapping_add(1)));
            self.unasked = self.unasked.wrapping_add(node.is_none().into());
            m.set(SHORT, row, 0);
            m.set(OPEN, row, 0);
            self.reopen(m, short, input);
        }
        short
    }

    /// Makes an access word a state of a component.
    fn add_state(&mut self, m: &mut Memory<'_>, component: ComponentId, short: Short) -> State {
        let state = State(self.states);
        let plus_one = state.0.wrapping_add(1);
        m.set(ACCESS, state, short.0);
        m.set(COMPONENT, state, component.0);
        m.set(NEXT, state, 0);
        if m.get(FIRST, component) == 0 {
            m.set(FIRST, component, plus_one);
            m.set(NUMBER, state, 0);
        } else {
            let last = State(m.get(LAST, component));
            m.set(NEXT, last, plus_one);
            m.set(NUMBER, state, m.get(NUMBER, last).wrapping_add(1));
        }
        m.set(LAST, component, state.0);
        m.put(STATE, short, component, plus_one);
        for input in self.prefixes.alphabet() {
            m.put(TARGET, state, input, 0);
            let part = self.node(m, short, input).map(|node| self.part(m, component, node));
            m.put(PART, state, input, part.map_or(0, |part| part.wrapping_add(1)));
            self.reopen(m, short, input);
        }
        self.states = self.states.wrapping_add(1);
        self.version = self.version.wrapping_add(1);
        state
    }

    /// The word of a transition is apart from all states of a component: it becomes one.
    pub(super) fn promote(
        &mut self,
        m: &mut Memory<'_>,
        tree: Tree,
        outputs: &Outputs,
        (from, input): (State, Input),
    ) -> Result<(), Refused> {
        self.reserve(m, outputs.len(), self.components)?;
        let component = Self::component(m, from);
        let row = self.prefixes.successor(Self::access(m, from), input);
        let short = match m.get(SHORT, row).checked_sub(1) {
            Some(short) => Short(short),
            None => {
                let node = Node(m.get(NODE, row).saturating_sub(1));
                let short = self.add_short(m, row, node, tree);
                m.set(SHORT, row, short.0.wrapping_add(1));
                short
            }
        };
        let state = self.add_state(m, component, short);
        m.put(TARGET, from, input, state.0.wrapping_add(1));
        Ok(())
    }

    /// All components.
    pub(super) fn components(self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.components).map(ComponentId)
    }

    /// How many states were found; the last product that was searched has `product` states.
    pub(super) fn found(self, m: &Memory<'_>, product: u32) -> StatesFound {
        let product = product.saturating_sub(1);
        let none =
            StatesFound { states: 0, largest: 0, largest_component: ComponentId(0), product };
        self.components().fold(none, |found, component| {
            // The number of its last state: how many it has without its initial state.
            let states = m.get(NUMBER, State(m.get(LAST, component)));
            let sum = StatesFound { states: found.states.saturating_add(states), ..found };
            if states <= found.largest {
                return sum;
            }
            StatesFound { largest: states, largest_component: component, ..sum }
        })
    }

    /// How much is known.
    pub(super) fn counts(self) -> TreeProgress {
        TreeProgress {
            states: self.states,
            transitions: self.prefixes.len().saturating_mul(self.prefixes.inputs()),
            // Those that were never asked are open, too.
            open: self.open.saturating_sub(self.unasked),
            unknown: self.unasked,
            division: self.family.division(),
            forecast: None,
        }
    }

    /// Changes with whatever may make a state fit that did not fit before.
    pub(super) fn version(self) -> u32 {
        self.version
    }

    /// How many states all components have.
    pub(super) fn len(self) -> u32 {
        self.states
    }

    /// The next state of the same component.
    pub(super) fn next(m: &Memory<'_>, state: State) -> Option<State> {
        m.get(NEXT, state).checked_sub(1).map(State)
    }

    /// The initial state of a component.
    pub(super) fn initial(m: &Memory<'_>, component: ComponentId) -> Option<State> {
        m.get(FIRST, component).checked_sub(1).map(State)
    }

    /// The state of a component that has this access word.
    pub(super) fn state(m: &Memory<'_>, short: Short, component: ComponentId) -> Option<State> {
        m.at(STATE, short, component).checked_sub(1).map(State)
    }

    /// Whether a transition is a state of a component.
    pub(super) fn is_state(
        self,
        m: &Memory<'_>,
        short: Short,
        input: Input,
        component: ComponentId,
    ) -> bool {
        let short = self.short(m, short, input);
        short.is_some_and(|short| Self::state(m, short, component).is_some())
    }

    /// The component of a state.
    pub(super) fn component(m: &Memory<'_>, state: State) -> ComponentId {
        ComponentId(m.get(COMPONENT, state))
    }

    /// The number of a state within its component.
    pub(super) fn number(m: &Memory<'_>, state: State) -> u32 {
        m.get(NUMBER, state)
    }

    /// The access word of a state.
    pub(super) fn access(m: &Memory<'_>, state: State) -> Short {
        Short(m.get(ACCESS, state))
    }

    /// The node of a state's access word.
    pub(super) fn access_node(self, m: &Memory<'_>, state: State) -> Node {
        let row = self.prefixes.row(m, Self::access(m, state));
        if row == Row::EMPTY { Node::ROOT } else { Node(m.get(NODE, row).saturating_sub(1)) }
    }

    /// The node of a transition, if it was asked.
    pub(super) fn node(self, m: &Memory<'_>, short: Short, input: Input) -> Option<Node> {
        m.get(NODE, self.prefixes.successor(short, input)).checked_sub(1).map(Node)
    }

    /// Whether a transition was asked.
    pub(super) fn is_asked(self, m: &Memory<'_>, row: Row) -> bool {
        m.get(NODE, row) != 0
    }

    /// The access word that a transition is.
    pub(super) fn short(self, m: &Memory<'_>, short: Short, input: Input) -> Option<Short> {
        m.get(SHORT, self.prefixes.successor(short, input)).checked_sub(1).map(Short)
    }

    /// What a component sees of the output of a node.
    pub(super) fn part(self, m: &Memory<'_>, component: ComponentId, node: Node) -> u32 {
        self.part_of(m, component, tree::input(m, node), tree::symbol(m, node))
    }

    /// What a component sees of the output after an input.
    #[inline]
    pub(super) fn part_of(
        self,
        m: &Memory<'_>,
        component: ComponentId,
        input: Input,
        symbol: u32,
    ) -> u32 {
        if self.family.component(m, input, symbol) == component { symbol } else { 0 }
    }

    /// What the component of a state sees after an input, if that was asked.
    #[inline]
    pub(super) fn seen(m: &Memory<'_>, state: State, input: Input) -> Option<u32> {
        m.at(PART, state, input).checked_sub(1)
    }

    /// Where an input leads a state, unless that is open.
    #[inline]
    pub(super) fn target(m: &Memory<'_>, state: State, input: Input) -> Option<State> {
        m.at(TARGET, state, input).checked_sub(1).map(State)
    }

    /// Settles where an input leads a state.
    pub(super) fn set_target(m: &mut Memory<'_>, state: State, input: Input, target: State) {
        m.put(TARGET, state, input, target.0.wrapping_add(1));
    }

    /// Takes back a target that was only assumed: the transition has been open all the time.
    pub(super) fn unset_target(m: &mut Memory<'_>, state: State, input: Input) {
        m.put(TARGET, state, input, 0);
    }

    /// It is open again where an input leads a state.
    pub(super) fn clear_target(&mut self, m: &mut Memory<'_>, state: State, input: Input) {
        m.put(TARGET, state, input, 0);
        self.version = self.version.wrapping_add(1);
        self.reopen(m, Self::access(m, state), input);
    }

    fn reopen(&mut self, m: &mut Memory<'_>, short: Short, input: Input) {
        let row = self.prefixes.successor(short, input);
        if m.get(OPEN, row) == 0 {
            m.set(OPEN, row, 1);
            m.set(OPEN_LEN, short, m.get(OPEN_LEN, short).wrapping_add(1));
            self.open = self.open.wrapping_add(1);
        }
        self.first_open = self.first_open.min(short.0);
    }

    /// A transition is not open for any component.
    pub(super) fn close(&mut self, m: &mut Memory<'_>, short: Short, input: Input) {
        let row = self.prefixes.successor(short, input);
        if m.get(OPEN, row) != 0 {
            m.set(OPEN, row, 0);
            m.set(OPEN_LEN, short, m.get(OPEN_LEN, short).wrapping_sub(1));
            self.open = self.open.wrapping_sub(1);
        }
    }

    /// The transition was asked: this is its node. Each component sees the output.
    pub(super) fn enter(&mut self, m: &mut Memory<'_>, short: Short, input: Input, node: Node) {
        let row = self.prefixes.successor(short, input);
        if m.get(NODE, row) != 0 {
            return;
        }
        m.set(NODE, row, node.0.wrapping_add(1));
        self.unasked = self.unasked.wrapping_sub(1);
        for component in self.components() {
            if let Some(state) = Self::state(m, short, component) {
                let part = self.part(m, component, node);
                m.put(PART, state, input, part.wrapping_add(1));
            }
        }
    }

    /// The first transition at or after this row that was never asked.
    pub(super) fn unasked(&mut self, m: &Memory<'_>, from: Row) -> Option<Row> {
        let rows = (from.0.max(self.first_unasked)..self.prefixes.rows()).map(Row);
        let found = rows.into_iter().find(|&row| m.get(NODE, row) == 0);
        if from.0 <= self.first_unasked {
            self.first_unasked = found.map_or(self.prefixes.rows(), |row| row.0);
        }
        found
    }

    /// The first open transition after this row, or the first of all.
    pub(super) fn open_after(&mut self, m: &Memory<'_>, after: Option<Row>) -> Option<Row> {
        let first = match after {
            None => self.prefixes.successor(Short(self.first_open), Input::new(0)),
            Some(row) => row.next(),
        };
        let (from, input) = self.prefixes.predecessor(first)?;
        for short in (from.0..self.prefixes.len()).map(Short) {
            if self.open == 0 || m.get(OPEN_LEN, short) == 0 {
                continue;
            }
            let skip = if short == from { input.index() } else { 0 };
            let rows = self.prefixes.alphabet().skip(skip as usize);
            let mut rows = rows.map(|input| self.prefixes.successor(short, input));
            if let Some(row) = rows.find(|&row| m.get(OPEN, row) != 0) {
                if after.is_none() {
                    self.first_open = short.0;
                }
                return Some(row);
            }
        }
        None
    }

    /// The states that were not compared yet with transitions whose target is known; they count as
    /// compared from now on.
    pub(super) fn take_new_states(&mut self) -> core::ops::Range<u32> {
        core::mem::replace(&mut self.compared, self.states)..self.states
    }

    /// The components of the hypothesis; all targets are known.
    pub(super) fn reserve_components(
        self,
        m: &mut Memory<'_>,
        outputs: &Outputs,
    ) -> Result<Components, Refused> {
        let mut sizes = Sizes::NONE;
        self.components().for_each(|component| sizes.add(Self::size(m, component)));
        let (inputs, outputs) = (self.prefixes.inputs(), outputs.len());
        match self.family {
            Family::PerOutput => Components::new(m, sizes, inputs, outputs),
            _ => Components::not_by_output(m, sizes, inputs, outputs),
        }
    }

    /// The number of states of a component.
    fn size(m: &Memory<'_>, component: ComponentId) -> u32 {
        m.get(NUMBER, State(m.get(LAST, component))).saturating_add(1)
    }

    /// Writes the components for which room was made. A target that is not known is the state itself.
    pub(super) fn write_components(self, m: &mut Memory<'_>, components: Components) {
        for component in self.components() {
            let states = Self::size(m, component);
            // States are asked for in their order.
            let at = Cell::new(Self::initial(m, component));
            components.add(m, component, states, 0, |m, number, input| {
                if at.get().is_some_and(|state| m.get(NUMBER, state) != number) {
                    at.set(at.get().and_then(|state| Self::next(m, state)));
                }
                let Some(state) = at.get() else { return (number, 0) };
                let target = Self::target(m, state, input);
                let next = target.map_or(number, |target| m.get(NUMBER, target));
                (next, Self::seen(m, state, input).unwrap_or(0))
            });
        }
    }
}
