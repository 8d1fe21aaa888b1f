//! What OL\* does, on an example.
//!
//! OL\* is *Output-decomposed Learning of Mealy Machines* (Koenders and Moerman, LearnAut 2024,
//! [arXiv 2405.08647](https://arxiv.org/abs/2405.08647)). L\* (Angluin 1987) learns one machine. OL\* learns
//! one small machine for each output, and these side by side have the outputs of the large one.
//!
//! # The example
//!
//! A token moves on a ring of three places. Input `a` moves it one place on, input `b` turns it around. The
//! output is the place where it then is. The whole machine has six states: a place and a direction, `+` for
//! clockwise and `−` for anticlockwise. It is the machine of the paper's Figure 2.
//!
#![doc = include_str!("../../docs/figure-2.svg")]
//!
//! *A coloured edge shows an output. In the machine each edge has one; in a projection only the edges with
//! its own output have one.*
//!
//! Look only for output 0. What matters is how many steps it takes until the token is at place 0. It is as
//! far in state `2+`, one step before place 0 on the way clockwise, as in `1−`, one step before it on the
//! way anticlockwise. Nobody who sees only output 0 can tell these two apart: they are one state of its
//! *projection*. Each projection has three states and not six.
//!
//! With `n` places the machine has `2n` states and each of the `n` projections has `n`. In other devices the
//! difference is far larger: an artificial machine of the paper has 10 000 states, and none of its twelve
//! projections has more than 25.
//!
//! # The product
//!
//! Three small machines are the whole one again: put them side by side and give each input to all of them.
//! A component shows an output, or nothing because the output belongs to another component. If the
//! components are right, exactly one of them shows an output after each input, and this is the output of the
//! device. [`Hypothesis::step`](crate::Hypothesis::step) is a step of this product.
//!
//! While components are still wrong, none or several may show an output: a [`Defect`](crate::Defect). The
//! learner looks for such words before it has a hypothesis tested. Each one is a counterexample that costs no
//! test. The search ends after [`Options::product_states`](crate::Options::product_states) states of the product,
//! which can have far more states than the device; what it missed shows up when a test walks into it.
//!
//! # The learner
//!
//! Like L\*, OL\* fills an *observation table*. A row is an access word, a column a suffix, and an entry is
//! what the device answers to the suffix after the access word. *Short* rows stand for states; *long* rows
//! are a short row and one more input.
//!
//! 1. L\* makes a long row short when it equals no short row. OL\* compares rows once for each output, looking
//!    only at this output. A long row becomes short when there is an output for which it equals no short row.
//!    So there are as many short rows as the components need, and not as many as the machine has states: three
//!    in the example, where L\* has six.
//! 2. Two short rows may be equal for an output while the rows after some input are not. Then a suffix is
//!    added that tells them apart ([`Session::inconsistencies`](crate::Session::inconsistencies) counts
//!    these).
//! 3. When nothing is left to repair, the classes of equal rows are the states of the components, and there is
//!    a hypothesis.
//! 4. A counterexample, from a [test](super::testing), from a defect or from the caller, is made shorter and
//!    adds suffixes until the components explain it.
//!
//! # When OL\* asks less than L\*
//!
//! Where projections are much smaller than the machine OL\* asks far fewer symbols. Where they are not it can
//! ask more, because there are more suffixes. Figure 2 shows both, for learning without tests
//! (`tests/all/guide.rs` checks this table):
//!
//! | places | OL\*: symbols | L\*: symbols |
//! |---:|---:|---:|
//! | 3 | 36 | 80 |
//! | 4 | 80 | 120 |
//! | 5 | 144 | 160 |
//! | 6 | 238 | 208 |
//! | 10 | 968 | 432 |
//! | 20 | 6888 | 1272 |
//!
//! So that it never becomes many times as much, the learner changes its way when repairing the table costs too
//! many words: it then closes the table as L\* does, and minimises the projections of that machine.
//!
//! [`Projections::Identity`](crate::Projections::Identity) is L\*: the same learner with one group of all outputs.
//! [`Session::declare_group`](crate::Session::declare_group) is for what lies between.
