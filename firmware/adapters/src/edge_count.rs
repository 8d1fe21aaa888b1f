//! The edges of a signal, counted by a pin's interrupt.

use core::sync::atomic::{AtomicU32, Ordering};

use mealybug_core::wire::message::DeviceError;

use crate::Edges;

/// The number of edges of a signal. It wraps. The program keeps it in a static and offers a reference.
///
/// Only the interrupt writes: the smallest cores have no atomic read-modify-write.
#[derive(Debug, Default)]
pub struct EdgeCount(AtomicU32);

impl EdgeCount {
    /// A count of 0.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Counts an edge; called by the interrupt.
    pub fn edge(&self) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl Edges for &EdgeCount {
    fn count(&mut self) -> Result<u32, DeviceError> {
        Ok(self.0.load(Ordering::Relaxed))
    }
}
