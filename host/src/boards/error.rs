//! Why several boards together give no answer.

use std::error::Error;

use miette::Diagnostic;
use thiserror::Error;

use crate::store::StoreError;

/// Why several boards together give no answer.
#[derive(Debug, Error, Diagnostic)]
pub enum BoardsError<E: Error + 'static> {
    /// All boards are left out.
    #[error("no board is left")]
    #[diagnostic(help("each board was left out when it failed: what it said stands above"))]
    NoneLeft(#[source] E),
    /// A board failed in the middle of the word, and the word was then answered in another way.
    #[error("after a failure the word was asked from its beginning, and answered in another way")]
    Otherwise,
    /// What a board said cannot be stored.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Store(StoreError),
    /// The run is to end.
    #[error("the run was interrupted")]
    Interrupted,
}
