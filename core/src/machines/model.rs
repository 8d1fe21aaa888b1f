//! What the tester needs to know of a hypothesis: its product, words that lead to its states, and words
//! that tell the states apart. A learner makes it, or it is made of a known model.

use super::components::Components;
use super::product::Product;
use crate::prefixes::Prefixes;
use crate::suffixes::Suffixes;

/// A hypothesis, with access and separating words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// The components and the states of their product.
    pub(crate) product: Product,
    /// Access words that reach every state of every component.
    pub(crate) prefixes: Prefixes,
    /// Words that tell the states of each component apart; each input begins one.
    pub(crate) suffixes: Suffixes,
    /// After each access word every infix of fewer inputs than this was asked, followed by every suffix.
    pub(crate) asked_infixes: u32,
}

impl Model {
    /// How many inputs there are, also before there are components.
    pub(crate) fn inputs(&self) -> u32 {
        self.prefixes.inputs()
    }

    /// Its components.
    pub(crate) fn components(&self) -> Components {
        self.product.components
    }
}
