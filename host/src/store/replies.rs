//! The replies behind the outputs of a log.
//!
//! An output is a name that the device file gives to a reply. The log has both, so that a changed file can name what was
//! said before. A reply that comes again is written once: its answers have its number.

use std::collections::HashMap;

use super::log::LogRecord;

/// How many replies a writer remembers. A reply that is written twice only makes the log longer.
const REMEMBERED: usize = 10_000;

/// The numbers of the replies in a log, for who writes it.
#[derive(Debug, Default)]
pub(super) struct ReplyNumbers {
    /// The output of each reply.
    outputs: Vec<u32>,
    /// The numbers of replies that were written, by output and bytes.
    known: HashMap<(u32, Vec<u8>), u32>,
}

impl ReplyNumbers {
    /// A reply that the log has, with the number of its output.
    pub(super) fn add(&mut self, output: u32, bytes: Vec<u8>) -> u32 {
        let number = u32::try_from(self.outputs.len()).expect("memory ends before 2^32 replies");
        self.outputs.push(output);
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert((output, bytes), number);
        number
    }

    /// The output of the reply with this number.
    pub(super) fn output(&self, reply: u32) -> Option<u32> {
        self.outputs.get(reply as usize).copied()
    }

    /// The records of an answer with this number of its output: one, or two if its reply is new.
    pub(super) fn records(
        &mut self,
        input: u32,
        output: u32,
        reply: Option<&[u8]>,
        ms: u32,
    ) -> impl Iterator<Item = LogRecord> + use<> {
        let Some(bytes) = reply else {
            return None.into_iter().chain([LogRecord::Answer { input, output, ms }]);
        };
        let bytes = bytes.to_vec();
        let known = self.known.get(&(output, bytes.clone())).copied();
        let new = known.is_none().then(|| LogRecord::Reply { output, bytes: bytes.clone() });
        let reply = known.unwrap_or_else(|| self.add(output, bytes));
        new.into_iter().chain([LogRecord::Replied { input, reply, ms }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_written_once_unless_it_was_forgotten() {
        let mut numbers = ReplyNumbers::default();
        let mut written =
            |output, reply: Option<&[u8]>| numbers.records(7, output, reply, 3).collect::<Vec<_>>();
        let reply = |output, text: &str| LogRecord::Reply { output, bytes: text.into() };
        let replied = |reply| LogRecord::Replied { input: 7, reply, ms: 3 };
        assert_eq!(written(0, Some(b"on")), [reply(0, "on"), replied(0)]);
        assert_eq!(written(0, Some(b"on")), [replied(0)]);
        assert_eq!(written(1, Some(b"on")), [reply(1, "on"), replied(1)]);
        assert_eq!(written(2, None), [LogRecord::Answer { input: 7, output: 2, ms: 3 }]);
        for at in 2..u32::try_from(REMEMBERED).expect("few") + 2 {
            assert_eq!(written(0, Some(&at.to_le_bytes()))[1], replied(at));
        }
        let last = u32::try_from(REMEMBERED).expect("few") + 2;
        assert_eq!(written(0, Some(b"on")), [reply(0, "on"), replied(last)]);
        assert_eq!((numbers.output(1), numbers.output(last + 1)), (Some(1), None));
    }
}
