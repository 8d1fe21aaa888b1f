//! Why several boards together give no answer.

use std::error::Error;

use thiserror::Error;

/// Why several boards together give no answer.
#[derive(Debug, Error)]
pub enum BoardsError<E: Error + 'static> {
    /// All boards are left out.
    #[error("no board is left")]
    NoneLeft(#[source] E),
    /// A board failed in the middle of the word, and the word was then answered in another way.
    #[error("after a failure the word was asked from its beginning, and answered in another way")]
    Otherwise,
    /// The run is to end.
    #[error("the run was interrupted")]
    Interrupted,
}
