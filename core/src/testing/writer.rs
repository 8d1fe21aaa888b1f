//! A test word being written, and where it leads.

use crate::alphabet::Input;
use crate::costs;
use crate::error::Refused;
use crate::machines::components::ProductState;
use crate::machines::model::Model;
use crate::memory::Memory;
use crate::outputs::ComponentId;
use crate::prefixes::Short;
use crate::rng::WordRng;
use crate::suffixes::{self, Suffix, is_leaf};
use crate::words::{Lane, Words};

/// How often a state is drawn again that no input leaves.
#[cfg(feature = "mixture")]
const TRIES: u32 = 8;

/// How many inputs may be drawn in vain. The next one is kept whatever it costs: nearly all inputs are dear then.
const DRAWS: u32 = 16;

/// Makes tests of one kind, one at a time. A generator remembers a few numbers from test to test; what
/// takes more room lies in the region.
pub(super) trait Generator {
    /// Writes the next test, which depends on nothing but the model and the numbers that it draws;
    /// `false` when there is none. After an error the same test is written again.
    fn next(&mut self, test: &mut TestWriter<'_, '_>, rng: &mut WordRng) -> Result<bool, Refused>;
}

/// The word of a lane, which becomes a test of a model.
pub(super) struct TestWriter<'a, 'm> {
    pub(super) m: &'a mut Memory<'m>,
    pub(super) model: Model,
    pub(super) words: Words,
    pub(super) lane: Lane,
}

impl TestWriter<'_, '_> {
    /// Starts with no inputs.
    pub(super) fn start(&mut self) {
        self.words.clear(self.m, self.lane);
    }

    /// Starts with the access word of a state of the cover.
    pub(super) fn start_at(&mut self, state: u32) -> Result<(), Refused> {
        self.start();
        self.model.product.restore(self.m, state, ProductState::WORD);
        self.push_access_end(state, u32::MAX)
    }

    /// Starts at a random state that some input leaves, if there are many of these.
    #[cfg(feature = "mixture")]
    pub(super) fn start_anywhere(&mut self, rng: &mut WordRng) -> Result<(), Refused> {
        let product = self.model.product;
        let mut state = rng.below(self.states());
        for _ in 0..TRIES {
            product.restore(self.m, state, ProductState::WORD);
            if !product.is_absorbing(self.m, ProductState::WORD) {
                break;
            }
            state = rng.below(self.states());
        }
        self.start_at(state)
    }

    /// Starts with an access word that reaches states of components.
    pub(super) fn start_with(&mut self, short: Short) -> Result<(), Refused> {
        self.start();
        self.model.product.reset(self.m, ProductState::WORD);
        let prefixes = self.model.prefixes;
        prefixes.push(self.m, self.words, self.lane, prefixes.row(self.m, short))?;
        self.follow_from(0);
        Ok(())
    }

    /// Appends the last `len` inputs of the access word of a state, or all if it is shorter.
    pub(super) fn push_access_end(&mut self, state: u32, len: u32) -> Result<(), Refused> {
        let from = self.len();
        let (mut state, mut left) = (state, len);
        while let Some((before, input)) = self.model.product.cover.predecessor(self.m.read(), state)
        {
            if left == 0 {
                break;
            }
            self.push(input)?;
            (state, left) = (before, left.saturating_sub(1));
        }
        self.words.reverse(self.m, self.lane, from);
        Ok(())
    }

    /// Appends an input, and moves along it.
    pub(super) fn step(&mut self, input: Input) -> Result<(), Refused> {
        self.push(input)?;
        self.follow(input);
        Ok(())
    }

    /// Appends an input.
    pub(super) fn push(&mut self, input: Input) -> Result<(), Refused> {
        self.words.push(self.m, self.lane, input)
    }

    /// Appends a suffix.
    pub(super) fn push_suffix(&mut self, suffix: Suffix) -> Result<(), Refused> {
        suffixes::push(self.m, self.words, self.lane, suffix)
    }

    /// Moves along the inputs of the word from a position on.
    pub(super) fn follow_from(&mut self, from: u32) {
        for position in from..self.len() {
            let input = self.words.input(self.m, self.lane, position);
            self.follow(input);
        }
    }

    /// Moves [`ProductState::WORD`], which is where the word so far leads.
    fn follow(&mut self, input: Input) {
        // A defect does not matter here: the test will show it.
        let _ = self.model.product.step(self.m, ProductState::WORD, input);
    }

    /// The length of the word so far.
    pub(super) fn len(&self) -> u32 {
        self.words.len(self.m, self.lane)
    }

    /// How many states tests can start at.
    pub(super) fn states(&self) -> u32 {
        self.model.product.cover.len()
    }

    /// How many inputs there are.
    pub(super) fn inputs(&self) -> u32 {
        self.model.components().inputs()
    }

    /// A component's state where the word leads.
    pub(super) fn state(&self, component: ComponentId) -> u32 {
        self.model.product.state(self.m, ProductState::WORD, component)
    }

    /// How many states a component has.
    pub(super) fn size(&self, component: ComponentId) -> u32 {
        self.model.components().size(self.m.read(), component)
    }

    /// A random input. One that costs as much as `c` others is drawn `√c` times as seldom: it then takes `√c` times as
    /// much of what tests cost.
    pub(super) fn random_input(&self, rng: &mut WordRng) -> Input {
        let mut input = Input::new(rng.below(self.inputs()));
        for _ in 0..DRAWS {
            let cost = costs::of_input(self.m, input);
            if cost <= 1 || is_kept(cost, rng) {
                break;
            }
            input = Input::new(rng.below(self.inputs()));
        }
        input
    }

    pub(super) fn random_component(&self, rng: &mut WordRng) -> ComponentId {
        ComponentId(rng.below(self.model.components().len()))
    }

    /// The suffixes that a test can end with: those that no other begins with.
    pub(super) fn suffixes(&self) -> impl Iterator<Item = Suffix> + '_ {
        self.model.suffixes.leaves(self.m)
    }

    /// The same, from a random one on and then around.
    pub(super) fn suffixes_around(&self, rng: &mut WordRng) -> impl Iterator<Item = Suffix> + '_ {
        let around = self.model.suffixes.around(self.random_suffix(rng));
        around.filter(|&suffix| is_leaf(self.m, suffix))
    }

    pub(super) fn random_suffix(&self, rng: &mut WordRng) -> Suffix {
        let count = self.suffixes().fold(0, |count, _| u32::wrapping_add(count, 1));
        // OK: each input is a suffix, so there is one.
        self.suffixes().nth(rng.below(count) as usize).unwrap_or(Suffix::ROOT)
    }

    /// Whether a suffix tells two states of a component apart.
    pub(super) fn separates(
        &self,
        component: ComponentId,
        states: (u32, u32),
        suffix: Suffix,
    ) -> bool {
        self.model.components().after(self.m, component, states, suffix).is_none()
    }
}

/// Yes with the chance `1/√cost`.
fn is_kept(cost: u32, rng: &mut WordRng) -> bool {
    // x < 2¹⁶/√cost.
    let x = u64::from(rng.below(1 << 16));
    x * x * u64::from(cost) < 1 << 32
}
