//! What there is to know about several boards while a run goes on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mealybug::store::DoubtfulWords;

/// Tells the user what happens to a device.
pub(crate) trait Tell: std::fmt::Debug + Send + Sync {
    /// Says something that the user should know; `prefix` is for people alone.
    fn note(&self, prefix: &str, message: &str);

    /// Says that a word is asked again: to programs, and to people if it `is_shown`.
    fn retry(&self, message: &str, attempt: u32, is_shown: bool);

    /// Shows on the terminal that nothing can be asked until a device comes back.
    fn waits(&self);
}

/// The boards of a run, and through whom they speak.
#[derive(Debug)]
pub(crate) struct BoardNews {
    names: Vec<String>,
    left: AtomicUsize,
    notes: OnceLock<Box<dyn Tell>>,
    /// When the run ends, if it may take only so long.
    until: OnceLock<Instant>,
    doubtful: DoubtfulWords,
}

impl BoardNews {
    /// Boards with these names.
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self {
            left: AtomicUsize::new(names.len()),
            names,
            notes: OnceLock::new(),
            until: OnceLock::new(),
            doubtful: DoubtfulWords::default(),
        }
    }

    /// From now on what happens to boards is said to the user.
    pub(crate) fn begin(&self, notes: impl Tell + 'static) {
        // A run begins once.
        let _ = self.notes.set(Box::new(notes));
    }

    /// Nobody waits for boards any longer than until then.
    pub(crate) fn end_at(&self, until: Instant) {
        // A run begins once.
        let _ = self.until.set(until);
    }

    /// Whether the time of the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.until.get().is_some_and(|&until| Instant::now() >= until)
    }

    pub(crate) fn notes(&self) -> Option<&dyn Tell> {
        self.notes.get().map(AsRef::as_ref)
    }

    /// The words whose answers the boards doubt.
    pub(crate) fn doubtful(&self) -> &DoubtfulWords {
        &self.doubtful
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Takes in how many boards are left.
    pub(crate) fn set_left(&self, left: usize) {
        self.left.store(left, Ordering::Relaxed);
    }
}

/// Such as `8 boards` or `7 of 8 boards`.
impl std::fmt::Display for BoardNews {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (left, all) = (self.left.load(Ordering::Relaxed), self.names.len());
        if left < all { write!(f, "{left} of {all} boards") } else { write!(f, "{all} boards") }
    }
}
