//! Where a program finds why it ended before it last started.

use mealybug_core::wire::crash::MAX_CRASH;

/// Keeps why a program ended, over the reset. The package `mealybug-faults` has one for boards.
pub trait Crashes {
    /// Whether it keeps any. A learner whose program keeps none refuses to say why it ended.
    const ARE_KEPT: bool = true;

    /// The bytes of the last [`Crash`](mealybug_core::wire::crash::Crash); none if it is not known.
    fn last<'b>(&self, room: &'b mut [u8; MAX_CRASH]) -> &'b [u8];

    /// Forgets it: a host has heard of it.
    fn forget(&self);
}

/// Keeps no crashes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCrashes;

impl Crashes for NoCrashes {
    const ARE_KEPT: bool = false;

    fn last<'b>(&self, _: &'b mut [u8; MAX_CRASH]) -> &'b [u8] {
        &[]
    }

    fn forget(&self) {}
}
