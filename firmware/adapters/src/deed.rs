//! What a program does to a device for an input or in the course of a reset.

use embedded_hal::delay::DelayNs;
use mealybug_core::wire::message::DeviceError;

use crate::{Act, Seen, asynchronous};

/// One thing done to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed<T> {
    /// An action of the probe.
    Act(T),
    /// Wait and do nothing.
    Wait {
        /// How long to wait.
        ms: u32,
    },
}

impl<T> Deed<T> {
    /// Carries it out and appends to `seen` what the probe sees afterwards.
    pub(crate) fn run(
        &self,
        probe: &mut impl Act<T>,
        delay: &mut impl DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Act(action) => probe.act(action, delay, seen),
            Self::Wait { ms } => {
                delay.delay_ms(*ms);
                probe.look(seen)
            }
        }
    }

    /// The same for awaited hardware.
    pub(crate) async fn run_async(
        &self,
        probe: &mut impl asynchronous::Act<T>,
        delay: &mut impl embedded_hal_async::delay::DelayNs,
        seen: &mut Seen,
    ) -> Result<(), DeviceError> {
        match self {
            Self::Act(action) => probe.act(action, delay, seen).await,
            Self::Wait { ms } => {
                delay.delay_ms(*ms).await;
                probe.look(seen)
            }
        }
    }
}
