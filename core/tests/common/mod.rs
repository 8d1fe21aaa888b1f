//! What the tests of the core share: small machines, a loop that serves a session with one, and
//! naive twins of what the core computes.
#![allow(dead_code, reason = "each test uses its part")]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use mealybug_core::{
    Action, CapacityError, Component, EndReason, Hypothesis, Input, Mealy, Options, Purpose, Reply,
    Session, SessionError, Tests,
};

/// A seeded generator (SplitMix64): the same numbers on every machine.
#[derive(Debug)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        u32::try_from(self.next() % u64::from(n)).expect("a remainder of a 32-bit number")
    }
}

/// A number of things in memory, as the core counts.
pub(crate) fn count(len: usize) -> u32 {
    u32::try_from(len).expect("tests are small")
}

/// A machine as a table; state 0 is the initial one. Output `o` has the name `names[o]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) inputs: u32,
    pub(crate) names: Vec<Vec<u8>>,
    /// By state and input: the next state and the output.
    pub(crate) table: Vec<Vec<(u32, u32)>>,
}

impl Machine {
    /// A machine whose outputs are called by their numbers.
    pub(crate) fn new(table: Vec<Vec<(u32, u32)>>) -> Self {
        let outputs = table.iter().flatten().map(|&(_, output)| output + 1).max().unwrap_or(0);
        let names = (0..outputs).map(|output| output.to_string().into_bytes()).collect();
        Self { inputs: count(table[0].len()), names, table }
    }

    /// The paper's Figure 2 for `n` outputs: `2n` states, each projection has `n`.
    pub(crate) fn toy(n: u32) -> Self {
        let right = |i| (i + 1) % n;
        let left = |i| (i + n - 1) % n;
        let lower = (0..n).map(|i| vec![(right(i), right(i)), (i + n, i)]);
        let upper = (0..n).map(|i| vec![(left(i) + n, left(i)), (i, i)]);
        Self::new(lower.chain(upper).collect())
    }

    /// A machine with at most so many states; all are reachable, none need be minimal.
    pub(crate) fn random(rng: &mut Rng, states: u32, inputs: u32, outputs: u32) -> Self {
        let transition = |rng: &mut Rng| (rng.below(states), rng.below(outputs));
        let state = |rng: &mut Rng| (0..inputs).map(|_| transition(rng)).collect();
        Self::new((0..states).map(|_| state(rng)).collect()).reachable()
    }

    /// Several machines that share inputs, with outputs of their own; inputs beyond the shared ones
    /// switch which one is active. Its projections are smaller than the machine.
    pub(crate) fn interleaved(rng: &mut Rng, parts: u32, states: u32, inputs: u32) -> Self {
        let outputs = 2;
        let part: Vec<Self> =
            (0..parts).map(|_| Self::random(rng, states, inputs, outputs)).collect();
        let mut numbers = BTreeMap::from([((0, vec![0; parts as usize]), 0)]);
        let mut queue = VecDeque::from([(0_u32, vec![0_u32; parts as usize])]);
        let mut table = Vec::new();
        while let Some((active, tuple)) = queue.pop_front() {
            let mut row = Vec::new();
            for input in 0..=inputs {
                let (mut active, mut tuple) = (active, tuple.clone());
                let output = if input == inputs {
                    active = (active + 1) % parts;
                    parts * outputs
                } else {
                    let state = &mut tuple[active as usize];
                    let (next, output) =
                        part[active as usize].table[*state as usize][input as usize];
                    *state = next;
                    active * outputs + output
                };
                let len = count(numbers.len());
                let next = *numbers.entry((active, tuple.clone())).or_insert(len);
                if next == len {
                    queue.push_back((active, tuple));
                }
                row.push((next, output));
            }
            table.push(row);
        }
        Self::new(table)
    }

    /// The part that is reachable, numbered breadth-first.
    pub(crate) fn reachable(&self) -> Self {
        let mut numbers = HashMap::from([(0, 0)]);
        let mut order = vec![0];
        let mut table = Vec::new();
        while let Some(&state) = order.get(table.len()) {
            let row = self.table[state as usize].iter().map(|&(next, output)| {
                let len = count(numbers.len());
                let number = *numbers.entry(next).or_insert(len);
                if number == len {
                    order.push(next);
                }
                (number, output)
            });
            table.push(row.collect());
        }
        Self { inputs: self.inputs, names: self.names.clone(), table }
    }

    pub(crate) fn states(&self) -> u32 {
        count(self.table.len())
    }

    /// Moves `state` along an input and says the output.
    pub(crate) fn step(&self, state: &mut u32, input: u32) -> u32 {
        let (next, output) = self.table[*state as usize][input as usize];
        *state = next;
        output
    }

    /// The outputs that can appear.
    pub(crate) fn alphabet(&self) -> BTreeSet<u32> {
        self.reachable().table.iter().flatten().map(|&(_, output)| output).collect()
    }

    /// How many states the minimal machine of the projection onto a block has: the output itself
    /// inside the block, nothing outside. Naive partition refinement.
    pub(crate) fn minimal_states(&self, in_block: impl Fn(u32) -> bool) -> u32 {
        let table = self.reachable().table;
        let projected = |output: u32| in_block(output).then_some(output);
        let mut classes = vec![0; table.len()];
        let mut len = 1;
        loop {
            let mut numbers = BTreeMap::new();
            let next: Vec<u32> = (0..table.len())
                .map(|state| {
                    let row: Vec<_> = table[state]
                        .iter()
                        .map(|&(next, output)| (classes[next as usize], projected(output)))
                        .collect();
                    let len = count(numbers.len());
                    *numbers.entry((classes[state], row)).or_insert(len)
                })
                .collect();
            classes = next;
            if numbers.len() == len {
                return count(len);
            }
            len = numbers.len();
        }
    }

    /// How many states its minimal machine has.
    pub(crate) fn size(&self) -> u32 {
        self.minimal_states(|_| true)
    }
}

/// The access words of a machine's states: the first of the shortest to each.
pub(crate) fn access_words(machine: &Machine) -> Vec<Vec<u32>> {
    let mut words = vec![None; machine.table.len()];
    words[0] = Some(Vec::new());
    let mut queue = VecDeque::from([0]);
    while let Some(state) = queue.pop_front() {
        for input in 0..machine.inputs {
            let next = machine.table[state as usize][input as usize].0;
            if words[next as usize].is_none() {
                let mut word = words[state as usize].clone().expect("it was reached");
                word.push(input);
                words[next as usize] = Some(word);
                queue.push_back(next);
            }
        }
    }
    words.into_iter().map(|word| word.expect("all are reachable")).collect()
}

/// A lock: it opens after a secret word; what it answers tells how it stands only when open.
pub(crate) fn lock(secret: &[u32], inputs: u32) -> Machine {
    let len = count(secret.len());
    let locked = (0..len).map(|i| {
        let right = secret[i as usize];
        (0..inputs).map(|input| if input == right { (i + 1, 0) } else { (0, 0) }).collect()
    });
    let open = (0..inputs).map(|_| (0, 1)).collect();
    Machine::new(locked.chain([open]).collect())
}

/// The product's output after an input, by name; the defect is `None`.
pub(crate) fn product_step<'h>(
    hypothesis: &Hypothesis<'h>,
    tuple: &mut [u32],
    input: u32,
) -> Option<&'h [u8]> {
    let output = hypothesis.step(tuple, Input::new(input)).ok()?;
    Some(hypothesis.output_name(output))
}

/// The initial state of the product.
pub(crate) fn product_initial(hypothesis: &Hypothesis<'_>) -> Vec<u32> {
    hypothesis.components().map(|component| component.initial()).collect()
}

/// A shortest word on which product and machine differ: breadth-first over pairs of states.
pub(crate) fn separating_word(
    hypothesis: &Hypothesis<'_>,
    machine: &Machine,
) -> Option<Vec<Input>> {
    let initial = (product_initial(hypothesis), 0);
    let mut seen = HashMap::from([(initial.clone(), ())]);
    let mut order = vec![(initial, usize::MAX, 0)];
    let mut at = 0;
    while at < order.len() {
        for input in 0..machine.inputs {
            let (mut tuple, mut state) = order[at].0.clone();
            let expected = machine.step(&mut state, input);
            let output = product_step(hypothesis, &mut tuple, input);
            if output != Some(&machine.names[expected as usize]) {
                let mut word = vec![Input::new(input)];
                let mut back = at;
                while back > 0 {
                    word.push(Input::new(order[back].2));
                    back = order[back].1;
                }
                word.reverse();
                return Some(word);
            }
            if seen.insert((tuple.clone(), state), ()).is_none() {
                order.push(((tuple, state), at, input));
            }
        }
        at += 1;
    }
    None
}

/// Whether a component does what the machine's projection onto its block does.
pub(crate) fn component_is_right(
    hypothesis: &Hypothesis<'_>,
    component: &Component<'_>,
    machine: &Machine,
) -> bool {
    let mut seen = BTreeSet::from([(component.initial(), 0)]);
    let mut queue = VecDeque::from([(component.initial(), 0)]);
    let block: BTreeSet<&[u8]> =
        component.outputs().map(|output| hypothesis.output_name(output)).collect();
    while let Some((state, real)) = queue.pop_front() {
        for input in 0..machine.inputs {
            let (mut state, mut real) = (state, real);
            let expected = machine.step(&mut real, input);
            let expected = machine.names[expected as usize].as_slice();
            let expected = block.contains(expected).then_some(expected);
            let output = component.step(&mut state, Input::new(input));
            if output.map(|output| hypothesis.output_name(output)) != expected {
                return false;
            }
            if seen.insert((state, real)) {
                queue.push_back((state, real));
            }
        }
    }
    true
}

/// Checks what must hold of a result: the product is the machine, and every component the minimal
/// machine of the machine's projection onto its block.
pub(crate) fn assert_exact(hypothesis: &Hypothesis<'_>, machine: &Machine, what: &str) {
    assert_eq!(separating_word(hypothesis, machine), None, "{what}: product and machine");
    let mut covered = BTreeSet::new();
    for component in hypothesis.components() {
        let block: BTreeSet<&[u8]> =
            component.outputs().map(|output| hypothesis.output_name(output)).collect();
        assert!(!block.is_empty(), "{what}: a component has an output");
        let minimal =
            machine.minimal_states(|o| block.contains(machine.names[o as usize].as_slice()));
        assert_eq!(component.states(), minimal, "{what}: component of {block:?}");
        assert!(component_is_right(hypothesis, &component, machine), "{what}: {block:?}");
        for name in block {
            assert!(covered.insert(name.to_vec()), "{what}: blocks are disjoint");
        }
    }
    let outputs: BTreeSet<_> =
        machine.alphabet().iter().map(|&output| machine.names[output as usize].clone()).collect();
    assert_eq!(covered, outputs, "{what}: each output has a component");
}

/// What a caller says about a hypothesis.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Test,
    Equivalent,
    Counterexample(Vec<Input>),
}

/// A shortest counterexample, or the word that there is none.
pub(crate) fn perfect(hypothesis: &Hypothesis<'_>, machine: &Machine) -> Verdict {
    separating_word(hypothesis, machine).map_or(Verdict::Equivalent, Verdict::Counterexample)
}

/// Finds what is wrong without tests, and tests what is right.
pub(crate) fn without_tests(hypothesis: &Hypothesis<'_>, machine: &Machine) -> Verdict {
    match perfect(hypothesis, machine) {
        Verdict::Equivalent => Verdict::Test,
        cex => cex,
    }
}

/// Tests until the hypothesis is right.
pub(crate) fn until_equal(hypothesis: &Hypothesis<'_>, machine: &Machine) -> Verdict {
    separating_word(hypothesis, machine).map_or(Verdict::Equivalent, |_| Verdict::Test)
}

/// Leaves everything to the tests.
pub(crate) fn only_tests(_: &Hypothesis<'_>, _: &Machine) -> Verdict {
    Verdict::Test
}

/// A word that was handed out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) testing: bool,
    pub(crate) word: Vec<u32>,
}

/// A lane's device: where it is, and what it is to do.
#[derive(Clone, Debug)]
struct Lane {
    state: u32,
    next: Option<Action>,
    /// The word that is asked again after a failure; empty if the session has dropped it.
    again: Vec<u32>,
}

/// Serves a session with a machine in each lane.
#[derive(Debug)]
pub(crate) struct Driver<'m> {
    pub(crate) session: Session<Vec<u32>>,
    pub(crate) machine: &'m Machine,
    lanes: Vec<Lane>,
    /// All words in the order in which they were handed out.
    pub(crate) asked: Vec<Asked>,
    /// Whether memory grows by what an error says is needed.
    pub(crate) grows: bool,
    /// How many outputs a reply has at most.
    pub(crate) at_once: usize,
    /// The errors after which it grew.
    pub(crate) full: Vec<CapacityError>,
}

/// Memory as it comes: not zero.
pub(crate) fn memory(words: usize) -> Vec<u32> {
    vec![0xa5c3_96f1; words]
}

/// More steps than any test needs: an endless loop ends here.
pub(crate) const STEPS: u64 = 50_000_000;

impl<'m> Driver<'m> {
    /// A session in plenty of memory.
    pub(crate) fn new(machine: &'m Machine, options: Options) -> Self {
        Self::with_memory(machine, options, 1 << 20)
    }

    pub(crate) fn with_memory(machine: &'m Machine, options: Options, words: usize) -> Self {
        let session = Session::new(memory(words), machine.inputs, options).expect("good options");
        let lanes = vec![Lane { state: 0, next: None, again: Vec::new() }; options.lanes as usize];
        Self {
            session,
            machine,
            lanes,
            asked: Vec::new(),
            grows: false,
            at_once: 1,
            full: Vec::new(),
        }
    }

    /// The action that a lane is to do next.
    pub(crate) fn pending(&self, lane: u32) -> Option<Action> {
        self.lanes[lane as usize].next
    }

    /// The link of a lane fails while its device is in use: it starts again with a reset.
    pub(crate) fn fail(&mut self, lane: u32) {
        let device = &mut self.lanes[lane as usize];
        if matches!(device.next, Some(Action::Reset | Action::Input(_))) {
            self.session.failed(lane);
            device.next = None;
            device.again = self.session.word(lane).map(Input::index).collect();
        }
    }

    /// Does what a lane is to do, and takes what is next.
    pub(crate) fn step(
        &mut self,
        lane: u32,
        judge: &mut impl FnMut(&Hypothesis<'_>, &Machine) -> Verdict,
    ) -> Result<Action, SessionError> {
        let device = &mut self.lanes[lane as usize];
        let (verdict, outputs): (_, Vec<_>);
        let reply = match device.next {
            None | Some(Action::Idle) => Reply::Ready,
            Some(Action::Reset) => {
                device.state = 0;
                Reply::Ready
            }
            Some(Action::Input(input)) if self.at_once > 1 => {
                let inputs = core::iter::once(input).chain(self.session.ahead(lane));
                let names = inputs.take(self.at_once).map(|input| {
                    let output = self.machine.step(&mut device.state, input.index());
                    self.machine.names[output as usize].as_slice()
                });
                outputs = names.collect();
                Reply::Outputs(&outputs)
            }
            Some(Action::Input(input)) => {
                let output = self.machine.step(&mut device.state, input.index());
                Reply::Output(&self.machine.names[output as usize])
            }
            Some(
                Action::Hypothesis | Action::Done(EndReason::TestsPassed | EndReason::SuitePassed),
            ) => {
                let hypothesis = self.session.hypothesis().expect("it was just told");
                verdict = judge(&hypothesis, self.machine);
                match &verdict {
                    Verdict::Test => Reply::Ready,
                    Verdict::Equivalent => Reply::Equivalent,
                    Verdict::Counterexample(word) => Reply::Counterexample(word),
                }
            }
            Some(Action::Done(_)) => Reply::Ready,
        };
        let action = loop {
            match self.session.next(lane, reply) {
                Err(SessionError::Capacity(error)) if self.grows => {
                    assert!(error.needed > error.capacity, "{error}");
                    assert_eq!(error.capacity, self.session.capacity_bytes());
                    self.full.push(error);
                    let larger = memory(error.needed.div_ceil(size_of::<u32>()));
                    let old = self.session.move_into(larger).expect("it is larger");
                    assert_eq!(size_of_val(old.as_slice()), error.capacity);
                }
                action => break action?,
            }
        };
        let again = core::mem::take(&mut self.lanes[lane as usize].again);
        if action == Action::Reset {
            let testing = self.session.purpose() == Purpose::Testing;
            let word: Vec<_> = self.session.word(lane).map(Input::index).collect();
            if word != again {
                self.asked.push(Asked { testing, word });
            }
        }
        self.lanes[lane as usize].next = Some(action);
        Ok(action)
    }

    /// Goes on to the end, with one lane.
    pub(crate) fn run(
        &mut self,
        mut judge: impl FnMut(&Hypothesis<'_>, &Machine) -> Verdict,
    ) -> Result<EndReason, SessionError> {
        for _ in 0..STEPS {
            match self.step(0, &mut judge)? {
                Action::Done(why) => return Ok(why),
                Action::Idle => panic!("nobody else is there to wait for"),
                _ => {}
            }
        }
        panic!("no end after {STEPS} steps");
    }

    pub(crate) fn hypothesis(&self) -> Hypothesis<'_> {
        self.session.hypothesis().expect("there is a hypothesis")
    }
}

/// Options for tests with perfect counterexamples.
pub(crate) fn external(projections: mealybug_core::Projections) -> Options {
    Options { projections, tests: Tests::External, ..Options::default() }
}
