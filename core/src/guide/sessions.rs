//! What a session says, what it is told, and how several devices are served at once.
//!
//! A [`Session`](crate::Session) holds a learner, its tests and its budget. It does no I/O: it says what
//! to do next with a device, and the caller does it and reports what came of it.
//!
//! # One device
//!
//! For one device nobody needs to know the actions. Implement [`Sul`](crate::Sul), or make a device of a
//! closure with [`sul::from_fn`](crate::sul::from_fn), and call [`learn`](crate::learn). Whether a device
//! is awaited makes no difference: [`AsyncSul`](crate::AsyncSul) and
//! [`serve::learn_async`](crate::serve::learn_async) are the same with `async`.
//!
//! Four loops stand on top of each other. Take the highest one that does what you need:
//!
//! | call | use it for |
//! |---|---|
//! | [`learn`](crate::learn) | one device and memory that is large enough |
//! | [`serve::serve`](crate::serve::serve) | memory that grows, words that are asked again after a failure, a look at each hypothesis: implement [`Answerer`](crate::serve::Answerer) |
//! | [`serve::ask`](crate::serve::ask) | one word of one lane; the rest of the loop is yours |
//! | [`Session::next`](crate::Session::next) | everything: one action at a time |
//!
//! # Actions and replies
//!
//! The first call for each lane is `session.next(lane, Reply::Ready)`. From then on each
//! [`Action`](crate::Action) has its [`Reply`](crate::Reply):
//!
//! | action | what to do | reply |
//! |---|---|---|
//! | [`Reset`](crate::Action::Reset) | Bring the lane's device to its initial state. | [`Ready`](crate::Reply::Ready) |
//! | [`Input(i)`](crate::Action::Input) | Give the device input `i`. | [`Output`](crate::Reply::Output); or [`Outputs`](crate::Reply::Outputs), with those of the inputs [`ahead`](crate::Session::ahead) as well |
//! | [`Hypothesis`](crate::Action::Hypothesis) | Nothing at the device: read [`Session::hypothesis`](crate::Session::hypothesis), if you like. | [`Ready`](crate::Reply::Ready) has it tested; [`Equivalent`](crate::Reply::Equivalent) ends the session; [`Counterexample`](crate::Reply::Counterexample) or [`Advice`](crate::Reply::Advice) has a word of yours tried |
//! | [`Idle`](crate::Action::Idle) | Nothing: the session waits for the other lanes. Call again when one of them has replied; if none has a word, call again, or end a session that only meets tests whose answers it knows. | [`Ready`](crate::Reply::Ready) |
//! | [`Done`](crate::Action::Done) | The session is over; the [`EndReason`](crate::EndReason) says why. | none; after passed tests [`Counterexample`](crate::Reply::Counterexample) makes it go on |
//!
//! When the link to a device fails, call [`Session::failed`](crate::Session::failed). The word is asked
//! again, from a reset on.
//!
//! [`EndReason::is_converged`](crate::EndReason::is_converged) tells a result from a run that ended early.
//! The last hypothesis can be read after both.
//!
//! # Lanes
//!
//! A lane is a word in flight. [`Options::lanes`](crate::Options::lanes) says how many there are: one on a
//! microcontroller; one for each board, where several boards of a kind learn together; several for one
//! device at the end of a slow link that takes many words at a time.
//!
//! Lanes do not change what is learned. Words are handed out, and their answers taken in, in one order, as
//! if there were one lane. There is one difference: when a test finds a counterexample, the tests that were
//! handed out after it are dropped. Their symbols are counted, so testing can cost a few words more.
//!
//! Lanes wait for each other, because learning comes in rounds and because answers are taken in in their
//! order. Four boards are faster than one, but not four times as fast.
//!
//! # Groups of outputs
//!
//! OL\* learns a component for each output. Outputs that belong together, such as numbers that count, can
//! share one: call [`Session::declare_group`](crate::Session::declare_group) for each of them before the
//! first word. With [`Projections::Identity`](crate::Projections::Identity) all outputs are in one group, and
//! the learner is L\*.
//!
//! # When it ends
//!
//! A session ends when a hypothesis has passed its [tests](super::testing), when its
//! [`Budget`](crate::Budget) of rounds, symbols or resets is spent, or after
//! [`Session::stop`](crate::Session::stop). There is no clock: a caller with a time limit calls `stop`.
