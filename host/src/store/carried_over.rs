//! The part of a log that still holds for a device file that has changed.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::error::StoreError;
use super::log::{self, AnswerLog, LockedLog, LogRecord};

/// How many answers a log has, and how many of them are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptAnswers {
    /// All answers.
    pub answers: u64,
    /// Those that are kept.
    pub kept: u64,
}

/// Copies a log for a device with these inputs. Of each word, what comes before the first input that
/// `is_same` refuses is kept. What words cost is measured anew.
///
/// # Errors
/// The log cannot be read, or the copy cannot be written.
pub fn copy_kept(
    log: &mut LockedLog,
    to: &Path,
    inputs: &[String],
    is_same: impl Fn(&str) -> bool,
) -> Result<KeptAnswers, StoreError> {
    let bytes = log.read()?;
    let from = log.path();
    let theirs = log::inputs(from, &bytes)?;
    let number = |name: &String| inputs.iter().position(|input| input == name && is_same(name));
    let numbers: Vec<_> =
        theirs.iter().map(|name| number(name).and_then(|at| u32::try_from(at).ok())).collect();
    let io = |source| StoreError::Io { path: to.to_owned(), source };
    let mut copy = Copy {
        bytes: log::frame(&AnswerLog::header(inputs)),
        numbers,
        outputs: Vec::new(),
        copied: HashMap::new(),
        is_cut: false,
        count: KeptAnswers { answers: 0, kept: 0 },
    };
    log::read(from, &bytes, &theirs, |record| copy.take(record))?;
    let written = File::create(to).and_then(|mut file| {
        file.write_all(&copy.bytes)?;
        file.sync_all()
    });
    written.map_err(io)?;
    Ok(copy.count)
}

struct Copy {
    bytes: Vec<u8>,
    /// For each old input its new number, if its answers are kept.
    numbers: Vec<Option<u32>>,
    /// The old outputs, and the new numbers of those that were needed.
    outputs: Vec<Vec<u8>>,
    copied: HashMap<u32, u32>,
    /// Whether the rest of this word is left out.
    is_cut: bool,
    count: KeptAnswers,
}

impl Copy {
    fn take(&mut self, record: LogRecord) -> Result<(), &'static str> {
        match record {
            LogRecord::Header { .. } => return Err("a second beginning"),
            LogRecord::Prices(_) | LogRecord::Faults { .. } => {}
            LogRecord::Doubt | LogRecord::Since(_) => self.write(&record),
            // The believed answer may not be in the copy.
            LogRecord::Lost { .. } => self.is_cut = true,
            LogRecord::Output(output) => self.outputs.push(output),
            LogRecord::Reset => {
                self.is_cut = false;
                self.write(&LogRecord::Reset);
            }
            LogRecord::Answer { input, output, ms } => {
                let number = *self.numbers.get(input as usize).ok_or("an unknown input")?;
                let text = self.outputs.get(output as usize).ok_or("an unknown output")?.clone();
                self.count.answers += 1;
                let Some(input) = number.filter(|_| !self.is_cut) else {
                    self.is_cut = true;
                    return Ok(());
                };
                self.count.kept += 1;
                let next = u32::try_from(self.copied.len()).map_err(|_| "too many outputs")?;
                let new = *self.copied.entry(output).or_insert(next);
                if new == next {
                    self.write(&LogRecord::Output(text));
                }
                self.write(&LogRecord::Answer { input, output: new, ms });
            }
        }
        Ok(())
    }

    fn write(&mut self, record: &LogRecord) {
        self.bytes.extend(log::frame(record));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{NodeId, Store};
    use mealybug_core::Input;

    fn locked(log: &Path) -> LockedLog {
        LockedLog::open(log).expect("nobody has it open")
    }

    /// The run was killed before it had written whose answers these are.
    #[test]
    fn a_log_that_was_cut_off_in_its_header_has_no_answers() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let header = log::frame(&AnswerLog::header(&inputs));
        for len in 0..header.len() {
            std::fs::write(&from, &header[..len]).expect("a file");
            let kept = copy_kept(&mut locked(&from), &to, &inputs, |_| true);
            assert_eq!(kept.expect("a copy"), KeptAnswers { answers: 0, kept: 0 }, "{len} bytes");
            Store::open(&to, &inputs).expect("the copy");
        }
    }

    #[test]
    fn words_are_kept_up_to_the_first_input_that_has_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let [a, b, c] = [0, 1, 2].map(Input::new);
        let mut store = Store::open(&from, &names(&["a", "b", "c"])).expect("a new store");
        for word in [&[a, b, c][..], &[b, a], &[a, c], &[a, c]] {
            store.reset().expect("there is room");
            let mut at = NodeId::ROOT;
            for (place, &input) in word.iter().enumerate() {
                let output = format!("{place} {}", input.index());
                at = store.observe(at, input, output.as_bytes(), 1).expect("there is room").node;
            }
        }
        let refused = LockedLog::open(&from).expect_err("it is open");
        assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
        drop(store);

        // `b` has changed, `d` is new, and the order is another.
        let inputs = names(&["d", "c", "b", "a"]);
        let kept = copy_kept(&mut locked(&from), &to, &inputs, |name| name != "b").expect("a copy");
        assert_eq!(kept, KeptAnswers { answers: 9, kept: 5 });
        let store = Store::open(&to, &inputs).expect("the copy");
        let tree = store.tree();
        let words: Vec<_> = tree.nodes().map(|node| tree.word(node)).collect();
        let [c, a] = [1, 3].map(Input::new);
        assert_eq!(words, [vec![a], vec![a, c]]);
        let outputs: Vec<_> = tree.nodes().map(|node| tree.output(node).to_vec()).collect();
        assert_eq!(outputs, [b"0 0".to_vec(), b"1 2".to_vec()]);

        let inputs = names(&["a", "b", "c"]);
        let same = copy_kept(&mut locked(&from), &to, &inputs, |_| true).expect("a copy");
        assert_eq!(same, KeptAnswers { answers: 9, kept: 9 });
        assert_eq!(std::fs::read(&from).expect("a file"), std::fs::read(&to).expect("a file"));
    }
}
