//! A device file with better time-outs, and all else of it as it was, comments included.

use std::time::Duration;

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::advice::{Advice, Key, advise};
use super::timing::Timing;
use crate::device::Device;

/// A device file that can be changed.
#[derive(Clone, Debug)]
pub struct Rewrite {
    file: DocumentMut,
}

impl Rewrite {
    /// The device file with this text; `None` when it is not TOML.
    pub fn new(text: &str) -> Option<Self> {
        Some(Self { file: text.parse().ok()? })
    }

    /// Which time-outs should be others.
    pub fn advise(&self, device: &Device, timings: &[Timing]) -> Vec<Advice> {
        advise(device, timings, |index, key| {
            let name = &device.inputs[index].name;
            self.own(name).is_some_and(|reply| reply.contains_key(key.name())).then_some(index)
        })
    }

    /// Whether the time-out is one of an input's own; else it is that of `[reply]`.
    pub fn is_own(&self, device: &Device, advice: &Advice) -> bool {
        let [index] = advice.inputs[..] else { return false };
        let own = self.own(&device.inputs[index].name);
        own.is_some_and(|reply| reply.contains_key(advice.key.name()))
    }

    /// Does what the advice says.
    pub fn apply(&mut self, device: &Device, advice: &Advice) {
        let Advice { key, better, .. } = advice;
        if !self.is_own(device, advice) {
            let reply = self.file.entry("reply").or_insert_with(toml_edit::table);
            if let Some(reply) = reply.as_table_like_mut() {
                set(reply, *key, *better);
            }
            return;
        }
        let name = &device.inputs[advice.inputs[0]].name;
        let own = self.file.get_mut("inputs").and_then(|inputs| inputs.get_mut(name));
        if let Some(own) = own.and_then(|input| input.get_mut("reply")?.as_table_like_mut()) {
            set(own, *key, *better);
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.file.to_string()
    }

    /// The `reply` of an input.
    fn own(&self, name: &str) -> Option<&dyn TableLike> {
        self.file.get("inputs")?.get(name)?.get("reply")?.as_table_like()
    }
}

/// Sets a key and leaves the comments around it.
fn set(table: &mut dyn TableLike, key: Key, time: Duration) {
    let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match table.get_mut(key.name()).and_then(Item::as_value_mut) {
        Some(value) => {
            let decor = value.decor().clone();
            *value = Value::from(ms);
            *value.decor_mut() = decor;
        }
        None => {
            table.insert(key.name(), toml_edit::value(ms));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const FILE: &str = "\
# A lock.
[[reset]]
steps = [{ send = \"r\" }]

[reply]
lines = 1
within_ms = 5000   # it is slow

[inputs]           # all of them
a = \"a\"
b = { text = \"b\", reply = { within_ms = 900 } }  # slower
";

    fn advice(key: Key, inputs: &[usize], better_ms: u64) -> Advice {
        let better = Duration::from_millis(better_ms);
        let (now, seen) = (Duration::ZERO, Duration::ZERO);
        Advice { key, inputs: inputs.to_vec(), now, better, seen, is_too_short: false }
    }

    #[test]
    fn values_change_and_comments_stay() {
        let device = Device::parse(Path::new("lock.toml"), FILE).expect("a device file");
        let mut rewrite = Rewrite::new(FILE).expect("TOML");
        rewrite.apply(&device, &advice(Key::Within, &[0], 200));
        rewrite.apply(&device, &advice(Key::Within, &[1], 1500));
        rewrite.apply(&device, &advice(Key::Grace, &[0], 0));
        let expected = FILE
            .replace("5000   # it is slow\n", "200   # it is slow\ngrace_ms = 0\n")
            .replace("within_ms = 900", "within_ms = 1500");
        assert_eq!(rewrite.text(), expected);
        Device::parse(Path::new("lock.toml"), &rewrite.text()).expect("still a device file");
    }

    #[test]
    fn a_file_without_a_table_gets_one() {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"a\"\n";
        let device = Device::parse(Path::new("lock.toml"), text).expect("a device file");
        let mut rewrite = Rewrite::new(text).expect("TOML");
        rewrite.apply(&device, &advice(Key::Within, &[0], 200));
        let device = Device::parse(Path::new("lock.toml"), &rewrite.text()).expect("a device file");
        assert_eq!(device.inputs[0].reply.within, Duration::from_millis(200));
    }

    #[test]
    fn an_input_with_a_time_of_its_own_is_judged_alone() {
        let device = Device::parse(Path::new("lock.toml"), FILE).expect("a device file");
        let rewrite = Rewrite::new(FILE).expect("TOML");
        let mut timings = [Timing::default(), Timing::default()];
        use super::super::timing::tests::{received, sent};
        for (timing, ms) in timings.iter_mut().zip([10, 800]) {
            let rule = &device.inputs[0].reply;
            let during = [sent(0), received(ms, "ok\n")];
            timing.add(rule, &during, Duration::from_millis(ms), &[]);
            timing.add(rule, &[sent(0)], rule.within, &[]);
        }
        let advice = rewrite.advise(&device, &timings);
        let inputs: Vec<_> = advice.iter().map(|advice| &advice.inputs[..]).collect();
        assert_eq!(inputs, [&[0][..], &[1]], "{advice:?}");
        assert!(rewrite.is_own(&device, &advice[1]) && advice[1].is_too_short);
    }
}
