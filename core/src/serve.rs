//! The loop that serves a session with a device: blocking or awaited, with one lane or several, on a
//! host or on a microcontroller.
//!
//! [`learn`] is for one device and memory that is large enough. For memory that grows, words that are
//! asked again after a failure, or a look at each hypothesis, implement [`Answerer`] and call [`serve`].
//! With several lanes, call [`ask`] for the lane whose turn it is. [`learn_async`], [`serve_async`] and
//! [`ask_async`] are the same for devices that are awaited.
//!
//! ```
//! use mealybug_core::serve::{self, Answerer};
//! use mealybug_core::{Input, Options, Session};
//!
//! /// A switch on a bad line: each thousandth input is lost.
//! struct Switch {
//!     is_on: bool,
//!     inputs: u32,
//! }
//!
//! #[derive(Debug)]
//! struct Lost;
//!
//! impl<M, L> Answerer<M, L> for Switch {
//!     type Error = Lost;
//!
//!     fn reset(&mut self, _: &mut Session<M, L>, _lane: u32) -> Result<(), Lost> {
//!         self.is_on = false;
//!         Ok(())
//!     }
//!
//!     fn step(&mut self, _: &mut Session<M, L>, _lane: u32, _: Input) -> Result<&[u8], Lost> {
//!         self.inputs += 1;
//!         if self.inputs % 1000 == 0 {
//!             return Err(Lost);
//!         }
//!         self.is_on = !self.is_on;
//!         Ok(if self.is_on { b"on" } else { b"off" })
//!     }
//!
//!     /// Asks each word three times at most.
//!     fn retry(
//!         &mut self,
//!         _: &mut Session<M, L>,
//!         _lane: u32,
//!         error: Lost,
//!         attempts: u32,
//!     ) -> Result<(), Lost> {
//!         if attempts < 3 { Ok(()) } else { Err(error) }
//!     }
//! }
//!
//! let mut session = Session::new([0; 1024], 1, Options::default()).expect("good options");
//! let mut switch = Switch { is_on: false, inputs: 0 };
//! let end = serve::serve(&mut session, &mut switch, &mut serve::never_grow);
//! assert!(end.is_ok_and(|end| end.is_converged()));
//! ```

use core::error::Error;
use core::fmt;
use core::future::{Future, ready};

use crate::action::{Action, EndReason, Reply};
use crate::alphabet::Input;
use crate::error::{CapacityError, SessionError};
use crate::learner::Learner;
use crate::session::Session;
use crate::sul::{AsyncSul, Sul};

/// Why serving a session ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ServeError<E> {
    /// The device or the link to it failed.
    Sul(E),
    /// The session cannot go on.
    Session(SessionError),
}

impl<E> fmt::Display for ServeError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sul(_) => f.write_str("the device failed"),
            Self::Session(error) => error.fmt(f),
        }
    }
}

impl<E: Error + 'static> Error for ServeError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Sul(error) => Some(error),
            Self::Session(error) => error.source(),
        }
    }
}

/// Moves a session into larger memory: `true` if it did, `false` to end the loop with the error.
///
/// Every closure with these arguments is one. [`never_grow`] is for memory that cannot grow.
pub trait Grow<M, L>: FnMut(&mut Session<M, L>, CapacityError) -> bool {}

impl<M, L, F: FnMut(&mut Session<M, L>, CapacityError) -> bool> Grow<M, L> for F {}

/// Ends the loop when the memory is full: `false`.
pub fn never_grow<M, L>(_: &mut Session<M, L>, _: CapacityError) -> bool {
    false
}

/// The next action of a lane: [`Session::next`], repeated in larger memory while `grow` has some.
///
/// # Errors
/// As of [`Session::next`].
pub fn next<M, L>(
    session: &mut Session<M, L>,
    lane: u32,
    reply: Reply<'_>,
    grow: &mut impl Grow<M, L>,
) -> Result<Action, SessionError>
where
    M: AsRef<[u32]> + AsMut<[u32]>,
    L: Learner,
{
    loop {
        match session.next(lane, reply) {
            Err(SessionError::Capacity(error)) if grow(session, error) => {}
            result => return result,
        }
    }
}

macro_rules! serving {
    (
        $blocking:literal, $Answerer:ident, $Sul:ident,
        $ask:ident, $serve:ident, $learn:ident, $drive:ident,
        ($($async:tt)?), ($($await:tt)*), $Returned:ident
    ) => {
        /// Answers the words of a session:
        #[doc = $blocking]
        /// for each lane, and what happens on failures and hypotheses. Each device is an answerer for one
        /// lane that gives up with its first failure.
        pub trait $Answerer<M, L> {
            /// Why the device or the link to it failed.
            type Error;

            /// Brings the device of a lane to its initial state; the lane's word follows.
            ///
            /// # Errors
            /// The device did not come back from the reset.
            fn reset(
                &mut self,
                session: &mut Session<M, L>,
                lane: u32,
            ) -> $Returned!(Result<(), Self::Error>);

            /// Gives the device of a lane one input and returns its output.
            ///
            /// # Errors
            /// The device or the link failed.
            fn step(
                &mut self,
                session: &mut Session<M, L>,
                lane: u32,
                input: Input,
            ) -> $Returned!(Result<&[u8], Self::Error>);

            /// Decides after a failure whether the lane's word is asked again. It was tried `attempts`
            /// times by now.
            ///
            /// # Errors
            /// The word is not asked again, and the loop ends with this error.
            fn retry(
                &mut self,
                session: &mut Session<M, L>,
                lane: u32,
                error: Self::Error,
                attempts: u32,
            ) -> $Returned!(Result<(), Self::Error>) {
                let _ = (session, lane, attempts);
                $Returned!(= Err(error))
            }

            /// Looks at a hypothesis and replies to it, with [`Reply::Ready`], [`Reply::Equivalent`],
            /// [`Reply::Counterexample`] or [`Reply::Advice`]; by default it is tested.
            fn hypothesis(
                &mut self,
                session: &mut Session<M, L>,
                lane: u32,
            ) -> $Returned!(Reply<'_>) {
                let _ = (session, lane);
                $Returned!(= Reply::Ready)
            }
        }

        impl<M, L, S: $Sul> $Answerer<M, L> for S {
            type Error = S::Error;

            $($async)? fn reset(
                &mut self,
                _: &mut Session<M, L>,
                _: u32,
            ) -> Result<(), Self::Error> {
                $Sul::reset(self)$($await)*
            }

            $($async)? fn step(
                &mut self,
                _: &mut Session<M, L>,
                _: u32,
                input: Input,
            ) -> Result<&[u8], Self::Error> {
                $Sul::step(self, input)$($await)*
            }
        }

        /// Asks the whole word of a lane: call it for [`Action::Reset`]. It resets the device, gives it each
        /// input, and returns the action after the word.
        ///
        /// # Errors
        /// The device failed: the lane's next action is a reset for the same word. Or the session cannot
        /// go on.
        pub $($async)? fn $ask<M, L, A>(
            session: &mut Session<M, L>,
            lane: u32,
            answerer: &mut A,
            grow: &mut impl Grow<M, L>,
        ) -> Result<Action, ServeError<A::Error>>
        where
            M: AsRef<[u32]> + AsMut<[u32]>,
            L: Learner,
            A: $Answerer<M, L>,
        {
            $drive(session, lane, Action::Reset, answerer, grow)$($await)*
        }

        /// Serves the first lane of a session until the session is over.
        ///
        /// # Errors
        /// The device failed: calling again asks the word again. Or the session cannot go on; what was
        /// learned stays in it.
        pub $($async)? fn $serve<M, L, A>(
            session: &mut Session<M, L>,
            answerer: &mut A,
            grow: &mut impl Grow<M, L>,
        ) -> Result<EndReason, ServeError<A::Error>>
        where
            M: AsRef<[u32]> + AsMut<[u32]>,
            L: Learner,
            A: $Answerer<M, L>,
        {
            loop {
                let end = $drive(session, 0, Action::Idle, answerer, grow)$($await)*?;
                if let Action::Done(end) = end {
                    return Ok(end);
                }
            }
        }

        /// The loop. From [`Action::Reset`] on it asks one word; otherwise it goes on to the end.
        $($async)? fn $drive<M, L, A>(
            session: &mut Session<M, L>,
            lane: u32,
            first: Action,
            answerer: &mut A,
            grow: &mut impl Grow<M, L>,
        ) -> Result<Action, ServeError<A::Error>>
        where
            M: AsRef<[u32]> + AsMut<[u32]>,
            L: Learner,
            A: $Answerer<M, L>,
        {
            let is_one_word = first == Action::Reset;
            // Whether the next reset is for the same word.
            let (mut attempts, mut is_same_word) = (0, is_one_word);
            let mut action = first;
            loop {
                let answer = match action {
                    Action::Reset if is_same_word || !is_one_word => {
                        attempts = if is_same_word { u32::saturating_add(attempts, 1) } else { 1 };
                        is_same_word = false;
                        answerer.reset(session, lane)$($await)*.map(|()| Reply::Ready)
                    }
                    Action::Input(input) => {
                        answerer.step(session, lane, input)$($await)*.map(Reply::Output)
                    }
                    Action::Hypothesis if !is_one_word => {
                        Ok(answerer.hypothesis(session, lane)$($await)*)
                    }
                    Action::Idle if !is_one_word => Ok(Reply::Ready),
                    action => return Ok(action),
                };
                let reply = match answer {
                    Ok(reply) => reply,
                    Err(error) => {
                        // First, so that it can look at how far the word was asked.
                        let retry = answerer.retry(session, lane, error, attempts)$($await)*;
                        session.failed(lane);
                        retry.map_err(ServeError::Sul)?;
                        is_same_word = true;
                        Reply::Ready
                    }
                };
                action = next(session, lane, reply, grow).map_err(|error| {
                    // So that the word can be asked again, in larger memory.
                    session.failed(lane);
                    ServeError::Session(error)
                })?;
            }
        }

        /// Serves the first lane of a session with a device until the session is over. Every hypothesis
        /// is tested as the session's options say.
        ///
        /// # Errors
        /// The device failed: calling again asks the word again. Or the session cannot go on; what was
        /// learned stays in it.
        pub $($async)? fn $learn<M, L, S>(
            session: &mut Session<M, L>,
            sul: &mut S,
        ) -> Result<EndReason, ServeError<S::Error>>
        where
            M: AsRef<[u32]> + AsMut<[u32]>,
            L: Learner,
            S: $Sul,
        {
            $serve(session, sul, &mut never_grow)$($await)*
        }
    };
}

/// What is returned: a type, or a value.
macro_rules! now {
    (= $value:expr) => {
        $value
    };
    ($returned:ty) => {
        $returned
    };
}

/// The same, awaited.
macro_rules! later {
    (= $value:expr) => { ready($value) };
    ($returned:ty) => { impl Future<Output = $returned> };
}

serving!("a device", Answerer, Sul, ask, serve, learn, drive, (), (), now);
serving!(
    "a device that is awaited",
    AsyncAnswerer, AsyncSul, ask_async, serve_async, learn_async, drive_async, (async), (.await), later
);
