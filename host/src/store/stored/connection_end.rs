//! What follows the end of a connection is known without asking.
//!
//! Once the connection has ended, no further input of a word is sent, but for one that opens a new connection: all have one
//! output. So of all words that begin with those inputs, the device is asked one. Of a device that ends the connection after a wrong
//! message, most tests are such words.

use mealybug_core::{Input, Sul};

use super::Stored;
use crate::store::tree::NodeId;
use crate::store::{ConnectionEnded, DeviceAnswer, Observed, StoreError};

impl<S: Sul> Stored<S> {
    /// Adds the answer to the last input of the word, if it is none of the device. Where the device is in its place anyway,
    /// it takes the input: a later one may open a new connection.
    pub(super) fn conclude(&mut self, input: Input) {
        let is_there = self.at == Some(self.node);
        let is_known = self.store.tree.answer(self.node, input).is_some();
        if !is_there && !is_known && !self.line.reconnects(self.sul.sul(), input) {
            self.store.tree.conclude(self.node, input);
        }
    }

    /// Records an answer of the device, and that the connection has ended if it has.
    pub(super) fn observe(
        &mut self,
        from: NodeId,
        input: Input,
        answer: &DeviceAnswer,
    ) -> Result<Observed, StoreError> {
        // What a board has said ahead does not show it.
        let end = self.line.ended(self.sul.sul()).filter(|_| self.ahead.is_none());
        let Some(ConnectionEnded { output, is_earlier }) = end else {
            return self.store.observe(from, input, answer);
        };
        if is_earlier {
            self.store.end(from, output.as_bytes())?;
        }
        let observed = self.store.observe(from, input, answer)?;
        self.store.end(observed.node, output.as_bytes())?;
        Ok(observed)
    }
}
