//! `[frame]`: what is put around the messages of the inputs.

use super::stuffing::Stuffing;
use super::template::{Template, Variables};

/// What is put around the messages of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameTemplate {
    pub(super) template: Template,
    pub(super) stuffing: Option<Stuffing>,
}

impl FrameTemplate {
    /// Puts it around a message.
    pub(super) fn fill(&self, variables: &mut Variables, data: &[u8]) -> Vec<u8> {
        let contents = self.template.fill(variables, data);
        match self.stuffing {
            Some(stuffing) => stuffing.stuff(&contents),
            None => contents,
        }
    }
}
