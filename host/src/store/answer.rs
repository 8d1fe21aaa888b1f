//! What a device answered to an input.

use std::sync::Arc;
use std::time::Duration;

/// What a device answered to an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAnswer {
    /// The output.
    pub output: Arc<[u8]>,
    /// What the device said, where the output is a name for that; see [`Sul::reply`](mealybug_core::Sul::reply).
    pub reply: Option<Arc<[u8]>>,
    /// How long it took; zero if that is not known.
    pub took: Duration,
}

impl DeviceAnswer {
    /// How long it took, in milliseconds.
    pub(super) fn ms(&self) -> u32 {
        u32::try_from(self.took.as_millis()).unwrap_or(u32::MAX)
    }
}
