//! Tests of a hypothesis, and tests of a device against a known model.
//!
//! A learner cannot know whether its hypothesis is right. So words are tried that are likely to show a
//! difference; the first one that does is a counterexample, and the learner makes a better hypothesis
//! of it. [`Options::tests`](crate::Options::tests) says which words. All kinds but random words begin with
//! an access word, which leads to a state of the hypothesis, and end with words that tell this state from
//! others.
//!
//! # Kinds
//!
//! | [`Tests`](crate::Tests) | name | what it is for | sort |
//! |---|---|---|---|
//! | [`Mixture`](crate::Tests::Mixture) | `mixture` | the default: the five kinds below it, the larger share for the one that finds more | random |
//! | [`Systematic`](crate::Tests::Systematic) | `systematic` | each state with each short infix, once: states near those that are known | random |
//! | [`Splice`](crate::Tests::Splice) | `splice` | a detour on the way to a state: devices that remember a detour | random |
//! | [`Coverage`](crate::Tests::Coverage) | `coverage` | walks along inputs that were tried least: states a long way off | random |
//! | [`Repetition`](crate::Tests::Repetition) | `repetition` | one input, or two or three in turn, over and over: what firmware counts | random |
//! | [`LongWords`](crate::Tests::LongWords) | `long-words` | random words of 50 inputs: sequences that unlock something | random |
//! | [`RandomWp`](crate::Tests::RandomWp) | `random-wp` | the kind in most publications; takes the least flash | random |
//! | [`RandomWords`](crate::Tests::RandomWords) | `random-words` | a baseline to compare with | random |
//! | [`W`](crate::Tests::W) | `w:K` | a complete suite | suite |
//! | [`Wp`](crate::Tests::Wp) | `wp:K` | the same promise with fewer symbols | suite |
//! | [`Components`](crate::Tests::Components) | `components:K` | a complete suite of each component, where the product has too many states for `wp` | suite |
//! | [`External`](crate::Tests::External) | `model` | the caller finds counterexamples itself | none |
//!
//! The names are those of `Tests`' `Display` and `FromStr`.
//!
//! **Random** tests have no end. A hypothesis is the result when it has passed
//! [`Options::passing_tests`](crate::Options::passing_tests) of them in a row, 1000 by default. This is
//! evidence and no proof: a state behind a password of ten inputs is hardly ever found.
//!
//! A **suite** ends, and it proves something.
//!
//! # What a suite proves
//!
//! Say a device has passed a suite for `K` extra states.
//!
//! - [`W`](crate::Tests::W) and [`Wp`](crate::Tests::Wp): the hypothesis is right if the device has at most `K`
//!   states more. More precisely, it is right if each state of the device is reached by an access word of
//!   the hypothesis and at most `K` inputs after it; how many states there are then does not matter.
//! - [`Components`](crate::Tests::Components): the hypothesis is right if each projection of the device has at
//!   most `K` states more than its component, or under the second condition, with the access words of the
//!   learner's table.
//!
//! Neither promise implies the other: one more state in a device can be many in a projection, and one
//! more in each projection can be many in the device.
//!
//! Both need all access words. [`Options::product_states`](crate::Options::product_states) bounds how many
//! states of the product tests start in; where `W` or `Wp` had to leave out some, the session ends with
//! [`EndReason::SuiteCut`](crate::EndReason::SuiteCut) and nothing is proved.
//!
//! # What tests cost
//!
//! The symbols of a suite grow with the number of states, times the number of inputs to the power of
//! `K + 1`, times the number and length of the suffixes. `K = 1` or `2` is usual.
//!
//! The session counts resets and symbols of learning and of testing apart
//! ([`Progress`](crate::Progress)), and for the kinds of the mixture what each has cost and found. On a real
//! device a reset can take as long as hundreds of inputs. Say so with
//! [`Session::set_costs`](crate::Session::set_costs): the mixture then prefers what finds more in a given
//! time, longer tests where a reset is dear, and cheap inputs. Where outputs are wrong at times,
//! [`Session::set_noise`](crate::Session::set_noise) makes tests shorter.
//!
//! A test ends with its first wrong output, and counterexamples are then made shorter
//! ([`Options::shorten`](crate::Options::shorten)), which costs some words and keeps suffixes short.
//!
//! # Your own tests
//!
//! Reply to [`Action::Hypothesis`](crate::Action::Hypothesis) with
//! [`Reply::Counterexample`](crate::Reply::Counterexample) and a word. It is asked as a test. If it is a
//! counterexample, learning goes on. If not, [`Action::Hypothesis`](crate::Action::Hypothesis) comes again, and
//! there is room for another word. With [`Tests::External`](crate::Tests::External) these are the only tests.
//! [`Reply::Advice`](crate::Reply::Advice) is the same for a word that counts as learning, as one does that
//! the model of an older version suggests.
//!
//! # Known models
//!
//! [`Session::of_model`](crate::Session::of_model) learns nothing. It takes a complete machine, a
//! [`NumberedMealy`](crate::NumberedMealy) such as a golden model from a file, and tests a device against it
//! at once, with any of the kinds above. It ends with
//! [`EndReason::Refuted`](crate::EndReason::Refuted) at the first difference, which is then the end of the
//! word that was asked last, or like any other session when the tests have passed.
//!
//! Everything else is the same: the loops of [`serve`](crate::serve), lanes, memory and costs. The example
//! `known_model` tests a vending machine and prints the word on which it fails.
