//! A door lock with a keypad. Three wrong codes lock everybody out for a while.

use crate::{BuiltInInput, ConsoleDevice};

/// The code that opens the door.
const CODE: &[u8] = b"4711";

/// How many wrong codes start a lock-out.
const MAX_WRONG: u8 = 3;

/// How long a lock-out lasts.
pub const LOCK_OUT_MS: u64 = 600;

/// The lock.
#[derive(Debug, Default)]
pub struct DoorLock {
    is_open: bool,
    wrong_codes: u8,
    /// When the lock-out ends.
    locked_out_until_ms: Option<u64>,
}

impl ConsoleDevice for DoorLock {
    const BANNER: &'static str = "door lock";
    const INPUTS: &'static [(&'static str, BuiltInInput)] = &[
        ("good", BuiltInInput::Say("code 4711")),
        ("bad", BuiltInInput::Say("code 0000")),
        ("close", BuiltInInput::Say("close")),
        ("wait", BuiltInInput::Wait { ms: 700 }),
    ];

    /// `code DIGITS`, `close`, `status`.
    fn command(&mut self, line: &[u8], now_ms: u64) -> &'static str {
        if self.locked_out_until_ms.is_some_and(|until_ms| now_ms >= until_ms) {
            self.locked_out_until_ms = None;
            self.wrong_codes = 0;
        }
        let mut words = line.split(|&byte| byte == b' ');
        match (words.next(), words.next(), words.next()) {
            (Some(b"code"), Some(code), None) => self.enter(code, now_ms),
            (Some(b"close"), None, _) => self.close(),
            (Some(b"status"), None, _) => self.status(),
            _ => "what?",
        }
    }
}

impl DoorLock {
    fn enter(&mut self, code: &[u8], now_ms: u64) -> &'static str {
        if self.locked_out_until_ms.is_some() {
            return "locked out";
        }
        if self.is_open {
            return "already open";
        }
        if code == CODE {
            self.is_open = true;
            self.wrong_codes = 0;
            return "open";
        }
        self.wrong_codes += 1;
        if self.wrong_codes == MAX_WRONG {
            self.locked_out_until_ms = Some(now_ms + LOCK_OUT_MS);
            return "locked out";
        }
        "wrong code"
    }

    fn close(&mut self) -> &'static str {
        if !core::mem::take(&mut self.is_open) {
            return "already closed";
        }
        "closed"
    }

    fn status(&self) -> &'static str {
        match (self.is_open, self.locked_out_until_ms) {
            (true, _) => "open",
            (false, Some(_)) => "locked out",
            (false, None) => "closed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{talk, talk_now};

    #[test]
    fn the_code_opens_and_forgets_wrong_ones() {
        assert_eq!(
            talk_now::<DoorLock>(
                "status, code 1, code 4711, status, code 4711, close, close, code, code 1 1"
            ),
            [
                "closed",
                "wrong code",
                "open",
                "open",
                "already open",
                "closed",
                "already closed",
                "what?",
                "what?"
            ]
        );
        assert_eq!(
            talk_now::<DoorLock>("code 1, code 1, code 4711, close, code 1, code 1").last(),
            Some(&"wrong code".into())
        );
    }

    #[test]
    fn three_wrong_codes_lock_out_until_the_time_is_over() {
        let wrong = (10, "code 47110");
        let soon = (10 + LOCK_OUT_MS - 1, "code 4711");
        let late = (10 + LOCK_OUT_MS, "code 4711");
        assert_eq!(
            talk::<DoorLock>(&[wrong, wrong, wrong, (10, "status"), soon, late]),
            ["wrong code", "wrong code", "locked out", "locked out", "locked out", "open"]
        );
        assert_eq!(
            talk::<DoorLock>(&[wrong, wrong, wrong, (1000, "status"), (1000, "code 1")]).last(),
            Some(&"wrong code".into())
        );
    }
}
