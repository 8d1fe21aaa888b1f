//! The lock of docs/own-tests.md, and what its user sees when it changes.

use mealybug::{Device, assert_model};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Key {
    One,
    Two,
    Enter,
    Close,
}

#[derive(Debug)]
enum Reply {
    Beep,
    Opened,
    WrongCode,
    Locked,
}

#[derive(Default)]
struct Lock {
    is_open: bool,
    typed: Vec<Key>,
}

impl Lock {
    fn press(&mut self, key: Key) -> Option<Reply> {
        if self.is_open {
            self.is_open = key != Key::Close;
            return (!self.is_open).then_some(Reply::Locked);
        }
        if matches!(key, Key::One | Key::Two) {
            self.typed.push(key);
            return Some(Reply::Beep);
        }
        let typed = std::mem::take(&mut self.typed);
        if key == Key::Close || typed.is_empty() {
            return None;
        }
        self.is_open = typed == [Key::One, Key::Two];
        Some(if self.is_open { Reply::Opened } else { Reply::WrongCode })
    }
}

const KEYS: [Key; 4] = [Key::One, Key::Two, Key::Enter, Key::Close];

#[test]
fn the_lock_does_what_its_model_says() {
    assert_model!("tests/models/lock.dot", Device::from_fn(KEYS, Lock::default, Lock::press));
}

#[test]
fn a_lock_that_does_not_open_fails() {
    if std::env::var_os("MEALYBUG_UPDATE").is_some() {
        return; // It would write the model of this lock.
    }
    let press = |lock: &mut Lock, key| {
        let has_code = lock.typed == [Key::One, Key::Two];
        let reply = lock.press(key);
        if has_code && lock.is_open {
            lock.is_open = false;
            return Some(Reply::WrongCode);
        }
        reply
    };
    let changed = || {
        assert_model!("tests/models/lock.dot", Device::from_fn(KEYS, Lock::default, press));
    };
    let panic = std::panic::catch_unwind(changed).expect_err("it fails");
    let expected = "\
the device differs from tests/models/lock.dot

  One    Some(Beep)
  Two    Some(Beep)
- Enter  Some(Opened)
+ Enter  Some(WrongCode)

- the model, 5 states
+ the device, 2 states

If the device is right: MEALYBUG_UPDATE=1 cargo test, and review the change of the file.";
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(expected));
}
