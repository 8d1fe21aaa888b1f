//! L# and OL#: one observation tree, read through a family of projections.
//!
//! Frits Vaandrager, Bharat Garhewal, Jurriaan Rot, Thorsten Wißmann, *A New Approach for Active
//! Automata Learning Based on Apartness*, TACAS 2022, Algorithm 2. With the family `{id}` it is L#, with any
//! other, such as the `{1_y}` of OL*, it is OL#: each projection has a basis of its own, all are in one
//! tree, and one word serves all of them.
//!
//! ```text
//!    each projection begins with the basis {ε}                               begin, Bases::admit
//!    repeat
//! R2   a transition from a basis was never asked: ask it                     ask_new
//! R1   it is apart from all states of a basis: it becomes one                frontier::settle, Bases::promote
//! R3   it may be several states: ask what tells them apart                   frontier::settle, Tasks
//!      each is one state: these are the components
//! R4   a word in the tree contradicts one: find its wrong target             Explain
//!      they contradict each other: ask the word that shows it                make_hypothesis
//!      else their product is the hypothesis                                  TreePhase::Ready
//!    until it is right
//! ```
//!
//! Where it differs from the paper:
//!
//! - A transition is asked for the first time together with a word that tells states apart, never
//!   alone. The word goes on, input by input, as long as that is cheaper than another word.
//! - States are also told apart by what the hypothesis says of them, not only by what was asked after
//!   them. What it says may be wrong: a new state is proved apart from all others by what was asked.
//! - Transitions that were never asked come first, in the order of their access words. What was asked
//!   is looked at again only then: new states turn up early, and one word tells a transition from all
//!   of them.
//! - A few transitions are asked together, so that lanes have something to do ([`tasks`]).
//! - The family may be chosen while learning ([`choose_family`]).
//! - Where a reset is dear a word goes on with random inputs, as a test ([`tasks`]).
//!
//! docs/measurements/tree.md says what most of these save.

mod apart;
mod bases;
mod choose_family;
mod explain;
mod family;
mod frontier;
mod next_word;
mod path;
mod question;
mod sample;
mod sketch;
mod tasks;

use super::Learn;
use crate::alphabet::{Input, Output};
use crate::error::{Refused, SessionError};
use crate::known_answer::KnownAnswer;
use crate::machines::components::{Components, Defect};
use crate::machines::cover::{FoundDefect, StateCover};
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::machines::separating::StateClasses;
use crate::memory::{Memory, MemoryRef};
use crate::observations::tree::{self, Node, Tree};
use crate::options::{Observations, Options, Projections};
use crate::outputs::{Outputs, name_of};
use crate::prefixes::{Row, Short};
use crate::progress::{DefectCounts, Forecast, Progress, Purpose, TreeProgress};
use crate::projection::symbol_of;
use crate::suffixes::Suffixes;
use crate::words::{Lane, Words};
use apart::first_conflict;
use bases::{Bases, State};
use choose_family::Experience;
use explain::{Explain, Next};
use family::Family;
use frontier::Settled;
use question::Question;
use sample::Sample;
use tasks::Tasks;

pub(crate) use path::FIELDS_START;

/// What the learner waits for.
#[derive(Clone, Copy, Debug)]
enum TreePhase {
    /// Nothing: it looks for something to ask.
    Work,
    /// The words of transitions.
    Tasks,
    /// One word.
    Ask { question: Question, is_handed_out: bool },
    /// Nothing: the wrong target is looked for.
    Explain(Explain),
    /// An answer that refutes the hypothesis.
    Ready,
}

/// The learner of L# and OL#.
#[derive(Clone, Copy, Debug)]
pub struct TreeLearner {
    tree: Tree,
    bases: Bases,
    outputs: Outputs,
    suffixes: Suffixes,
    product: Product,
    /// The number of states of the last product that was searched.
    reached: u32,
    phase: TreePhase,
    tasks: Tasks,
    /// The tree and the number of outputs when the tasks were begun.
    tree_before: Tree,
    outputs_before: u32,
    /// The last word that was entered, if the hypothesis may be wrong about it.
    suspect: Option<Node>,
    /// The last answer for [`Explain`].
    entered: Option<Node>,
    /// The target that the hypothesis has only until it is known whether that word refutes it.
    assumed: Option<(State, Input)>,
    is_refuted: bool,
    projections: Projections,
    sample: Sample,
    experience: Experience,
    forecast: Option<Forecast>,
    /// Words without exactly one output that were found before a test was asked.
    defects: DefectCounts,
}

impl TreeLearner {
    /// A learner for a device with `inputs` inputs.
    pub const fn new(inputs: u32, projections: Projections) -> Self {
        Self {
            tree: Tree::new(inputs),
            bases: Bases::new(inputs, Family::first(projections)),
            outputs: Outputs::NONE,
            suffixes: Suffixes::new(inputs),
            product: Product::NONE,
            reached: 0,
            phase: TreePhase::Work,
            tasks: Tasks::new(),
            tree_before: Tree::new(inputs),
            outputs_before: 0,
            suspect: None,
            entered: None,
            assumed: None,
            is_refuted: false,
            projections,
            sample: Sample::new(inputs),
            experience: Experience::new(),
            forecast: None,
            defects: DefectCounts { none: 0, several: 0 },
        }
    }

    /// Whether the family is chosen while learning, by the sample.
    fn chooses(&self) -> bool {
        self.projections == Projections::Chosen
    }

    fn known(&self) -> (Tree, Bases) {
        (self.tree, self.bases)
    }

    /// Looks for something to ask, by the first rule that applies.
    fn work(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        self.bases.begin(m, self.tree)?;
        self.bases.admit(m, self.tree, &self.outputs)?;
        self.reserve(m)?;
        if let Some(node) = self.suspect {
            self.enter_path(m, node)?;
            if self.assumed.is_none() {
                path::refute_targets(m, &mut self.bases, node);
            }
            self.suspect = None;
            let assumed = self.assumed.take();
            for component in self.bases.components() {
                if let Some(explain) = Explain::new(m, self.known(), component, node) {
                    self.phase = TreePhase::Explain(explain);
                    return Ok(());
                }
            }
            if let Some((state, input)) = assumed {
                self.bases.clear_target(m, state, input);
            }
        }
        self.choose_family(m)?;
        self.tasks.clear();
        (self.tree_before, self.outputs_before) = (self.tree, self.outputs.len());
        if self.ask_new(m) || self.ask_open(m)? {
            return Ok(());
        }
        for component in self.bases.components() {
            if let Some(node) = first_conflict(m, self.known(), component)
                && let Some(explain) = Explain::new(m, self.known(), component, node)
            {
                self.phase = TreePhase::Explain(explain);
                return Ok(());
            }
        }
        self.make_hypothesis(m, options)
    }

    /// Learns another family from now on if the sample shows that it has fewer states. The tree stays, so what was
    /// asked is not asked again.
    fn choose_family(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        if !self.chooses() || !self.sample.is_worth_a_look(self.tree) {
            return Ok(());
        }
        let found = self.bases.found(m, self.reached);
        let now = (self.bases.family, found);
        let (better, forecast, compared) =
            choose_family::choose(m, self.sample, &mut self.experience, now)?;
        self.forecast = Some(forecast);
        if let Some(family) = better {
            self.bases.begin_anew(m, family);
            self.tasks = Tasks::new();
        }
        self.sample.is_looked_at(self.tree, compared);
        self.bases.begin(m, self.tree)?;
        self.bases.admit(m, self.tree, &self.outputs)?;
        self.reserve(m)
    }

    fn reserve(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        if self.chooses() {
            self.sample.reserve(m, self.tree, &self.outputs)?;
        }
        let depth = self.tree.depth().saturating_add(1);
        let nodes = self.tree.len().checked_next_power_of_two().unwrap_or(u32::MAX);
        let largest = nodes.max(self.bases.prefixes.inputs());
        path::reserve(m, depth, largest)?;
        self.bases.reserve_nodes(m, self.tree)?;
        apart::reserve(m, self.tree, self.bases)?;
        Explain::reserve(m, self.tree, self.bases)?;
        frontier::reserve(m, self.bases)?;
        Tasks::reserve(m, self.bases)
    }

    /// Rule 2: begins tasks for transitions that were never asked; `false` if there are none.
    fn ask_new(&mut self, m: &mut Memory<'_>) -> bool {
        let mut row = self.bases.unasked(m, Row::EMPTY);
        while let Some(new) = row
            && !self.tasks.is_full()
        {
            let task = self.tasks.begin(m, new);
            if let Some((short, _)) = self.bases.prefixes.predecessor(new) {
                for component in self.bases.components() {
                    if Bases::state(m, short, component).is_none() {
                        continue;
                    }
                    let before = Tasks::candidates(m, task);
                    let mut at = Bases::initial(m, component);
                    while let Some(state) = at {
                        Tasks::add_candidate(m, task, state);
                        at = Bases::next(m, state);
                    }
                    if Tasks::candidates(m, task) == before.wrapping_add(1) {
                        Tasks::truncate(m, task, before);
                    }
                }
            }
            row = self.bases.unasked(m, new.next());
        }
        self.begin_tasks()
    }

    fn begin_tasks(&mut self) -> bool {
        if self.tasks.len() > 0 {
            self.phase = TreePhase::Tasks;
        }
        self.tasks.len() > 0
    }

    /// Rules 1 and 3: settles open transitions, and begins tasks for those that may be several states;
    /// `false` if all are settled.
    fn ask_open(&mut self, m: &mut Memory<'_>) -> Result<bool, Refused> {
        frontier::compare_with_new_states(m, self.tree, &mut self.bases);
        let mut open = self.bases.open_after(m, None);
        while let Some(row) = open
            && !self.tasks.is_full()
            && !self.tasks.has_part_of(m, self.bases, row)
        {
            match frontier::settle(m, self.tree, (&mut self.bases, &mut self.tasks), row) {
                Settled::Known | Settled::Open => {}
                Settled::New(transition) => {
                    self.bases.promote(m, self.tree, &self.outputs, transition)?;
                    self.phase = TreePhase::Work;
                    return Ok(true);
                }
                Settled::Unproved { transition, state, top, node } => {
                    self.assumed = Some(transition);
                    let after = self.bases.access_node(m, state);
                    self.suspect = apart::twin(m, self.tree, (top, node), after);
                    let question = Question::Prove { state, top, node };
                    self.phase = match self.suspect {
                        Some(_) => TreePhase::Work,
                        None => TreePhase::Ask { question, is_handed_out: false },
                    };
                    return Ok(true);
                }
            }
            open = self.bases.open_after(m, Some(row));
        }
        // What was settled after a task was begun may have decided it.
        if !self.tasks.iter().all(|task| frontier::is_open(m, self.known(), task)) {
            self.phase = TreePhase::Work;
            return Ok(true);
        }
        Ok(self.begin_tasks())
    }

    /// Tells the bases which transitions of a word were asked for the first time.
    fn enter_path(&mut self, m: &mut Memory<'_>, node: Node) -> Result<(), Refused> {
        path::keep(m, node);
        if self.chooses() {
            self.sample.look_along(m, self.tree, path::node, tree::depth(m, node));
        }
        let mut short = Some(Short::EMPTY);
        let mut position = 0;
        while let Some(from) = short
            && position < tree::depth(m, node)
        {
            let node = path::node(m, position);
            let input = tree::input(m, node);
            self.bases.enter(m, from, input, node);
            short = self.bases.short(m, from, input);
            // Access words were considered when they were transitions.
            if self.chooses() && short.is_none() {
                self.sample.consider(m, self.tree, &self.outputs, node)?;
            }
            position = u32::wrapping_add(position, 1);
        }
        Ok(())
    }

    /// Rule 4: one more wrong target is looked for.
    fn explain(&mut self, m: &mut Memory<'_>, mut explain: Explain) -> Result<(), Refused> {
        if let Some(node) = self.entered {
            self.bases.admit(m, self.tree, &self.outputs)?;
            self.reserve(m)?;
            self.enter_path(m, node)?;
            self.entered = None;
        }
        self.phase = match explain.next(m, self.known()) {
            Next::Ask(state, from) => {
                let question = Question::Explain { explain, state, from };
                TreePhase::Ask { question, is_handed_out: false }
            }
            Next::Wrong(state, input) => {
                self.bases.clear_target(m, state, input);
                TreePhase::Work
            }
        };
        Ok(())
    }

    /// All targets are known, and nothing that was asked contradicts them.
    fn make_hypothesis(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        let components = self.put_components(m, false)?;
        let has_tests = options.tests.has_words();
        let (cover, found) = StateCover::new(components, m, options.product_states, has_tests)?;
        self.product.cover = cover;
        self.reached = cover.len();
        if let Some(FoundDefect { state, input, defect }) = found {
            let question = Question::Defect { state, input };
            let count = match defect {
                Defect::None => &mut self.defects.none,
                Defect::Several => &mut self.defects.several,
            };
            *count = count.wrapping_add(1);
            self.suspect = path::find(m, self.tree, self.product.cover, (state, input));
            self.phase = match self.suspect {
                Some(_) => TreePhase::Work,
                None => TreePhase::Ask { question, is_handed_out: false },
            };
            return Ok(());
        }
        // The next call begins anew if there is no room for all of them.
        let before = self.suffixes;
        if let Err(refused) = self.add_suffixes(m, components) {
            self.suffixes.take_back(m, before);
            return Err(refused);
        }
        self.is_refuted = false;
        self.phase = TreePhase::Ready;
        Ok(())
    }

    /// Adds the suffixes that tell the states of each component apart.
    fn add_suffixes(&mut self, m: &mut Memory<'_>, components: Components) -> Result<(), Refused> {
        if self.suffixes.count() == 0 {
            self.suffixes.add_inputs(m)?;
        }
        for component in components.iter() {
            StateClasses::new(m, components, component)?.tell_apart(m, &mut self.suffixes)?;
        }
        Ok(())
    }

    /// Puts the components in the place of those before, if there is room for all that they need: the hypothesis is the
    /// last one or this one, never a part of both.
    fn put_components(
        &mut self,
        m: &mut Memory<'_>,
        is_partial: bool,
    ) -> Result<Components, Refused> {
        let mut components = self.bases.reserve_components(m, &self.outputs)?;
        if is_partial {
            components = components.partial(m)?;
        }
        self.product = Product::new(m, components)?;
        self.bases.write_components(m, components);
        Ok(components)
    }

    /// Names become outputs, and the answer is entered into the tree.
    fn enter(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<Node, Refused> {
        let len = words.len(m, lane);
        if !self.outputs.all_known() {
            for position in 0..len {
                let name = words.answer(m, lane, position);
                self.outputs.take_in(m, Projections::PerOutput, name)?;
            }
        }
        self.bases.meet(m, &self.outputs, words, lane)?;
        self.tree.reserve(m, len, self.outputs.len())?;
        let entered = self.tree.enter(m, &self.outputs, words, lane);
        entered.map_err(|contradiction| m.refuse(SessionError::Contradiction(contradiction)))
    }
}

impl Learn for TreeLearner {
    const HAS_TREE: bool = true;

    fn algorithm(&self) -> (Observations, Projections) {
        (Observations::Tree, self.projections)
    }

    fn advance(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        loop {
            match self.phase {
                TreePhase::Work => self.work(m, options)?,
                TreePhase::Explain(explain) => self.explain(m, explain)?,
                TreePhase::Tasks => {
                    if !self.tasks.is_done() {
                        return Ok(());
                    }
                    self.bases.begin(m, self.tree)?;
                    self.bases.admit(m, self.tree, &self.outputs)?;
                    self.reserve(m)?;
                    for task in self.tasks.iter() {
                        let node = Tasks::node(m, task);
                        self.enter_path(m, node)?;
                        path::refute_targets(m, &mut self.bases, node);
                    }
                    self.phase = TreePhase::Work;
                }
                TreePhase::Ask { .. } | TreePhase::Ready => return Ok(()),
            }
        }
    }

    fn is_ready(&self) -> bool {
        matches!(self.phase, TreePhase::Ready)
    }

    fn next_word(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<bool, Refused> {
        let known = (self.tree_before, self.bases);
        match self.phase {
            TreePhase::Tasks => self.tasks.next_word(m, known, words, lane),
            TreePhase::Ask { question, is_handed_out: false } => {
                question.push(m, (self.bases, self.product.cover), words, lane)?;
                self.phase = TreePhase::Ask { question, is_handed_out: true };
                Ok(true)
            }
            TreePhase::Ask { .. } | TreePhase::Work | TreePhase::Explain(_) | TreePhase::Ready => {
                Ok(false)
            }
        }
    }

    fn extend(&mut self, m: &mut Memory<'_>, words: Words, lane: Lane) -> Result<(), Refused> {
        if !matches!(self.phase, TreePhase::Tasks) {
            return Ok(());
        }
        let symbol = |m: &Memory<'_>, position| {
            let output = self.outputs.known(m, words.answer(m, lane, position));
            let output = output.filter(|output| output.index() < self.outputs_before);
            output.map(symbol_of)
        };
        self.tasks.extend(m, self.bases, (words, lane), symbol)
    }

    fn take(
        &mut self,
        m: &mut Memory<'_>,
        _: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused> {
        let node = self.enter(m, words, lane)?;
        match self.phase {
            TreePhase::Tasks => self.tasks.take(m, node),
            TreePhase::Ask { question, .. } => {
                self.phase = match question {
                    Question::Explain { explain, .. } => {
                        self.entered = Some(node);
                        TreePhase::Explain(explain)
                    }
                    Question::Prove { .. } | Question::Defect { .. } => {
                        self.suspect = Some(node);
                        TreePhase::Work
                    }
                };
            }
            TreePhase::Ready if !is_as_expected => {
                let input = |m: &Memory<'_>, position| words.input(m, lane, position);
                let output =
                    |m: &Memory<'_>, position| words.output(m, &self.outputs, lane, position);
                let len = words.len(m, lane);
                if self.product.first_wrong(m, len, input, output).is_some() {
                    self.is_refuted = true;
                    self.suspect = Some(node);
                    self.phase = TreePhase::Work;
                    return Ok(true);
                }
            }
            TreePhase::Work | TreePhase::Explain(_) | TreePhase::Ready => {}
        }
        Ok(false)
    }

    fn recall(&self, m: &mut Memory<'_>, words: Words, lane: Lane) -> bool {
        let mut node = Node::ROOT;
        for position in 0..words.len(m, lane) {
            let Some(child) = self.tree.child(m, node, words.input(m, lane, position)) else {
                return false;
            };
            node = child;
            let output = Output::new(tree::symbol(m, node).wrapping_sub(1));
            let name = name_of(m.read(), output);
            words.set_answer(m, lane, position, name);
        }
        true
    }

    fn known_answer(&self, read: MemoryRef<'_>, number: u32) -> Option<KnownAnswer> {
        self.tree.answer(read, number)
    }

    fn sketch(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        if self.is_ready() {
            return Ok(());
        }
        self.bases.begin(m, self.tree)?;
        self.bases.admit(m, self.tree, &self.outputs)?;
        self.reserve(m)?;
        let components = self.put_components(m, true)?;
        sketch::fill(m, self.known(), components, self.assumed);
        self.is_refuted = false;
        Ok(())
    }

    fn purpose(&self) -> Purpose {
        if self.is_ready() { Purpose::Testing } else { Purpose::Learning }
    }

    fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    fn product(&self) -> &Product {
        &self.product
    }

    fn model(&self) -> Model {
        Model {
            product: self.product,
            prefixes: self.bases.prefixes,
            suffixes: self.suffixes,
            asked_infixes: 0,
        }
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn outputs_mut(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    fn report(&self, progress: &mut Progress) {
        progress.short_rows = self.bases.prefixes.len();
        progress.rows = self.tree.len();
        progress.tree = Some(TreeProgress { forecast: self.forecast, ..self.bases.counts() });
        progress.suffixes = self.suffixes.count();
        progress.defects = self.defects;
    }
}
