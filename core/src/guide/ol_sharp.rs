//! L# and OL#: fewer words, and a model at any time.
//!
//! L# (Vaandrager, Garhewal, Rot and Wißmann, *A New Approach for Active Automata Learning Based on
//! Apartness*, TACAS 2022) keeps every answer in one *observation tree*. OL# reads the same tree once for
//! each component, as [OL\*](super::ol_star) reads its table. Both need the feature `tree`, which is on by default.
//!
//! ```
//! use mealybug_core::{Options, Projections, Session, TreeLearner, learn, sul};
//!
//! let mut presses = 0;
//! let mut device = sul::from_fn(|input| {
//!     match input.map(|input| input.index()) {
//!         None => presses = 0,
//!         Some(0) => presses = (presses + 1) % 4,
//!         Some(_) => {}
//!     }
//!     if presses == 3 { "on" } else { "off" }
//! });
//! let options = Options::new().projections(Projections::Identity);
//! let learner = TreeLearner::new(2, options.projections);
//! let mut session = Session::with_learner(vec![0; 1 << 16], learner, options)?;
//! assert!(learn(&mut session, &mut device)?.is_converged());
//! // L#: the whole machine is one component.
//! assert!(session.hypothesis().expect("it converged").components().map(|c| c.states()).eq([4]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which learner
//!
//! A tree learner asks a fraction of the words of a table learner, since it asks only what tells a state from
//! those it may still be. A table takes less memory: see below. [`AnyLearner`](crate::AnyLearner) is the one
//! that the [`Options`](crate::Options) say.
//!
//! # Which components
//!
//! What a device does is divided into parts, and each part is learned as a machine of its own: a *component*. With
//! [`Projections::PerOutput`](crate::Projections::PerOutput) there is one for each output, as in OL\*; with
//! [`Projections::PerInput`](crate::Projections::PerInput) one for what is answered to each input. With
//! [`Projections::Chosen`](crate::Projections::Chosen) the learner finds the parts while it learns. A lamp
//! and a lock behind one console are learned as two small machines; a device whose parts all depend on each other
//! is learned as one.
//!
//! It compares the parts on a sample of words that are pairwise apart. Two inputs belong together if one
//! component for both has fewer states than two components have together: on their own each would learn
//! what the other knows. If they are independent, one component for both would need a state for each
//! combination. Outputs are put together in the same way. Of the best partition of the inputs, that of the
//! outputs and the whole machine, it learns what has the fewest states, and looks again whenever the sample shows
//! more. The sample may count too few states of a part, since not all that tells words apart was asked yet: when the
//! components that it learns have more states than the whole is known to have, it leaves that partition. To change its mind
//! costs no words, since the tree stays.
//! [`TreeProgress`](crate::TreeProgress) says what it chose, and why.
//!
//! # How it learns
//!
//! Each projection has a *basis*: access words that are pairwise *apart*, which means that some word was
//! answered differently after them. These are the states of its component. One input after a state of the basis is
//! a *transition*. It leads to a state from which it is not apart; as long as there are several of these
//! it is *open*.
//!
//! 1. Each transition is asked once. The word goes on behind it, and tells states apart on the way.
//! 2. A transition that is apart from all states is a new state.
//! 3. An open transition is asked with a word that tells as many of its states apart as it can, for all
//!    components at once.
//! 4. When no transition is open there is a hypothesis, unless a word in the tree contradicts it: then a
//!    transition has a wrong target, which a binary search finds.
//!
//! Tests are in the tree, too. A test whose answer the tree knows is not asked, and a hypothesis that the
//! tree contradicts is never tested.
//!
//! # A model at any time
//!
//! [`Session::sketch`](crate::Session::sketch) makes a hypothesis of what is known when a run ends early.
//! Transitions are marked as [confirmed, open or unknown](crate::Knowledge).
//!
//! # Memory
//!
//! A node of the tree takes three words of 4 bytes and, packed, an input and an output. Without the feature `fast` the three are
//! packed, too: up to 65 535 nodes, a node takes at most 8 bytes. There is a node for each symbol that was asked behind a
//! word that was not known. A state of a component takes two numbers for each
//! input and five more; an access word three numbers for each input. With all of this, runs of more than
//! 20 000 nodes take 15 to 23 bytes for each node. With more than 16 inputs a hash table takes 8 to 16
//! bytes more for each node. Where the family is chosen, the sample takes up to 4 KiB for each input and each output.
//!
//! Tests that find nothing are kept as well: the example above has four states, and its 1000 tests take
//! most of its memory.
