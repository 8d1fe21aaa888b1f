//! The part of a log that still holds for a device file that has changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::error::StoreError;
use super::log::{self, LockedLog, LogRecord};
use super::replies::ReplyNumbers;

/// What becomes of an answer of a log that is copied: its output in the copy, or the number of the reason why it is not
/// kept.
pub type AnswerFate<'o> = Result<Cow<'o, [u8]>, usize>;

/// Says what becomes of an answer.
pub type JudgeAnswer<'a> = &'a dyn for<'o> Fn(&LoggedAnswer<'o>) -> AnswerFate<'o>;

/// An answer of a log that is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedAnswer<'o> {
    /// The name of the input.
    pub input: &'o str,
    /// That of the input before it in the word.
    pub before: Option<&'o str>,
    /// The output.
    pub output: &'o [u8],
    /// What the device said.
    pub reply: LoggedReply<'o>,
    /// How many milliseconds the input took.
    pub ms: u32,
}

/// What a log has of the reply behind an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedReply<'o> {
    /// The output is the name of this reply.
    Reply(&'o [u8]),
    /// The output is no name of one reply.
    None,
    /// Nothing: an earlier version of this program began the log.
    Unknown,
}

/// How many answers a log has, and how many of them are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptAnswers {
    /// All answers.
    pub answers: u64,
    /// Those that are kept.
    pub kept: u64,
    /// Those of them whose output has another name in the copy.
    pub renamed: u64,
    /// Those that are not kept, by the number of the reason: they come with it, or after it in the same word.
    pub dropped: BTreeMap<usize, u64>,
    /// Those that follow an answer that was lost on the line, and are not kept because of that.
    pub after_lost: u64,
}

/// Copies a log for a device with these inputs. `fate` says what becomes of each answer. Of each word, what comes before
/// the first answer that is not kept is copied. What words cost is measured anew.
///
/// Two outputs that get one name are one answer, and agree from then on: the copy is read like any other log, so answers
/// that contradict each other after that are voted on as ever.
///
/// # Errors
/// The log cannot be read, or the copy cannot be written.
pub fn copy_kept(
    log: &mut LockedLog,
    to: &Path,
    inputs: &[String],
    fate: JudgeAnswer<'_>,
) -> Result<KeptAnswers, StoreError> {
    let bytes = log.read()?;
    let from = log.path();
    let (version, theirs) = log::read_header(from, &bytes)?;
    let number = |name: &String| inputs.iter().position(|input| input == name);
    let numbers: Vec<_> =
        theirs.iter().map(|name| number(name).and_then(|at| u32::try_from(at).ok())).collect();
    let io = |source| StoreError::Io { path: to.to_owned(), source };
    let mut copy = Copy {
        bytes: log::frame(&log::header(version, inputs)),
        fate,
        names: &theirs,
        numbers,
        outputs: Vec::new(),
        replies: Vec::new(),
        unnamed: match version {
            log::WITH_REPLIES.. => LoggedReply::None,
            _ => LoggedReply::Unknown,
        },
        before: None,
        copied: HashMap::new(),
        reply_numbers: ReplyNumbers::default(),
        cut: None,
        count: KeptAnswers::default(),
    };
    log::read(from, &bytes, &theirs, |record| copy.take(record))?;
    let answers = copy.count.answers - copy.count.kept;
    if answers > 0 {
        copy.write(&LogRecord::Dropped { answers });
    }
    let written = File::create(to).and_then(|mut file| {
        file.write_all(&copy.bytes)?;
        file.sync_all()
    });
    written.map_err(io)?;
    Ok(copy.count)
}

/// Why the rest of a word is left out.
#[derive(Clone, Copy)]
enum WordCut {
    /// An answer is not kept, for the reason with this number.
    Dropped(usize),
    /// An answer was lost on the line. The believed one, after which the word went on, may not be in the copy.
    Lost,
}

struct Copy<'a> {
    bytes: Vec<u8>,
    fate: JudgeAnswer<'a>,
    /// The old inputs, and for each its new number if there is one.
    names: &'a [String],
    numbers: Vec<Option<u32>>,
    /// The old outputs and replies, each reply with the number of its output.
    outputs: Vec<Vec<u8>>,
    replies: Vec<(u32, Vec<u8>)>,
    /// What an answer without a reply says of it.
    unnamed: LoggedReply<'static>,
    /// The input before, in this word.
    before: Option<usize>,
    /// The numbers of the outputs and of the replies that the copy has.
    copied: HashMap<Vec<u8>, u32>,
    reply_numbers: ReplyNumbers,
    /// Why the rest of this word is left out, if it is.
    cut: Option<WordCut>,
    count: KeptAnswers,
}

impl Copy<'_> {
    fn take(&mut self, record: LogRecord) -> Result<(), &'static str> {
        match record {
            LogRecord::Header { .. } => return Err("a second beginning"),
            // Of these, the device file may say something else now. All are found out again.
            LogRecord::Prices(_)
            | LogRecord::Priced { .. }
            | LogRecord::Faults { .. }
            | LogRecord::Ended { .. } => {}
            LogRecord::Doubt | LogRecord::Since(_) | LogRecord::Dropped { .. } => {
                self.write(&record);
            }
            LogRecord::Lost { .. } => {
                self.cut.get_or_insert(WordCut::Lost);
            }
            LogRecord::Output(output) => self.outputs.push(output),
            LogRecord::Reset => {
                (self.cut, self.before) = (None, None);
                self.write(&LogRecord::Reset);
            }
            LogRecord::Reply { output, bytes } => self.replies.push((output, bytes)),
            LogRecord::Answer { input, output, ms } => self.answer(input, output, None, ms)?,
            LogRecord::Replied { input, reply, ms } => {
                let (output, _) = self.replies.get(reply as usize).ok_or("an unknown reply")?;
                self.answer(input, *output, Some(reply), ms)?;
            }
        }
        Ok(())
    }

    fn answer(
        &mut self,
        input: u32,
        output: u32,
        reply: Option<u32>,
        ms: u32,
    ) -> Result<(), &'static str> {
        let at = input as usize;
        let (name, number) =
            self.names.get(at).zip(self.numbers.get(at)).ok_or("an unknown input")?;
        let output = self.outputs.get(output as usize).ok_or("an unknown output")?;
        let reply = reply.map(|reply| self.replies[reply as usize].1.clone());
        self.count.answers += 1;
        let logged = reply.as_deref().map_or(self.unnamed, LoggedReply::Reply);
        let before = self.before.replace(at).map(|at| self.names[at].as_str());
        let answer = LoggedAnswer { input: name, before, output, reply: logged, ms };
        let fate = match self.cut {
            None => (self.fate)(&answer).map_err(WordCut::Dropped),
            Some(cut) => Err(cut),
        };
        let (new, input) = match (fate, *number) {
            (Ok(new), Some(input)) => (new, input),
            // An input that the copy does not have cannot be kept, whatever its fate.
            (Ok(_), None) => return Err("an answer to an input that is gone"),
            (Err(cut), _) => {
                self.cut = Some(cut);
                match cut {
                    WordCut::Dropped(reason) => *self.count.dropped.entry(reason).or_default() += 1,
                    WordCut::Lost => self.count.after_lost += 1,
                }
                return Ok(());
            }
        };
        self.count.kept += 1;
        self.count.renamed += u64::from(*new != **output);
        let new = new.into_owned();
        let number = match self.copied.get(&new) {
            Some(&number) => number,
            None => {
                let number = u32::try_from(self.copied.len()).map_err(|_| "too many outputs")?;
                self.write(&LogRecord::Output(new.clone()));
                self.copied.insert(new, number);
                number
            }
        };
        let records = self.reply_numbers.records(input, number, reply.as_deref(), ms);
        records.for_each(|record| self.write(&record));
        Ok(())
    }

    fn write(&mut self, record: &LogRecord) {
        self.bytes.extend(log::frame(record));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DeviceAnswer, NodeId, Store};
    use mealybug_core::Input;
    use std::cell::RefCell;
    use std::time::Duration;

    fn locked(log: &Path) -> LockedLog {
        LockedLog::open(log).expect("nobody has it open")
    }

    fn all<'o>(answer: &LoggedAnswer<'o>) -> AnswerFate<'o> {
        Ok(Cow::Borrowed(answer.output))
    }

    /// The run was killed before it had written whose answers these are.
    #[test]
    fn a_log_that_was_cut_off_in_its_header_has_no_answers() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let header = log::frame(&log::header(log::WITH_REPLIES, &inputs));
        for len in 0..header.len() {
            std::fs::write(&from, &header[..len]).expect("a file");
            let kept = copy_kept(&mut locked(&from), &to, &inputs, &all);
            assert_eq!(kept.expect("a copy"), KeptAnswers::default(), "{len} bytes");
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
                let output = format!("{place} {}", input.index()).into_bytes().into();
                let answer = DeviceAnswer { output, reply: None, took: Duration::ZERO };
                at = store.observe(at, input, &answer).expect("there is room").node;
            }
        }
        let refused = LockedLog::open(&from).expect_err("it is open");
        assert!(matches!(refused, StoreError::Locked { .. }), "{refused}");
        drop(store);

        // `b` has changed, `d` is new, and the order is another.
        let inputs = names(&["d", "c", "b", "a"]);
        fn but_b<'o>(answer: &LoggedAnswer<'o>) -> AnswerFate<'o> {
            if answer.input == "b" { Err(7) } else { all(answer) }
        }
        let kept = copy_kept(&mut locked(&from), &to, &inputs, &but_b).expect("a copy");
        let dropped = [(7, 4)].into();
        assert_eq!(kept, KeptAnswers { answers: 9, kept: 5, dropped, ..KeptAnswers::default() });
        let store = Store::open(&to, &inputs).expect("the copy");
        assert_eq!((store.words(), store.symbols()), (4, 9));
        let tree = store.tree();
        let words: Vec<_> = tree.nodes().map(|node| tree.word(node)).collect();
        let [c, a] = [1, 3].map(Input::new);
        assert_eq!(words, [vec![a], vec![a, c]]);
        let outputs: Vec<_> = tree.nodes().map(|node| tree.output(node).to_vec()).collect();
        assert_eq!(outputs, [b"0 0".to_vec(), b"1 2".to_vec()]);

        let inputs = names(&["a", "b", "c"]);
        let same = copy_kept(&mut locked(&from), &to, &inputs, &all).expect("a copy");
        assert_eq!(same, KeptAnswers { answers: 9, kept: 9, ..KeptAnswers::default() });
        assert_eq!(std::fs::read(&from).expect("a file"), std::fs::read(&to).expect("a file"));
    }

    /// The believed answer, from which the word went on, may not be in the copy.
    #[test]
    fn what_follows_a_lost_answer_is_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let mut store = Store::open(&from, &inputs).expect("a store");
        let a = Input::new(0);
        let answer = DeviceAnswer { output: b"x"[..].into(), reply: None, took: Duration::ZERO };
        store.reset().expect("there is room");
        let after = store.observe(NodeId::ROOT, a, &answer).expect("there is room").node;
        store.reset().expect("there is room");
        store.lose(a).expect("there is room");
        store.observe(after, a, &answer).expect("there is room");
        drop(store);
        let count = copy_kept(&mut locked(&from), &to, &inputs, &all).expect("a copy");
        assert_eq!((count.kept, count.after_lost), (1, 1));
    }

    #[test]
    fn a_reply_stays_beside_its_name_in_each_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let replies = [Some("up 1"), None, Some("up 2"), Some("up 1")];
        for reply in replies {
            // Each time the log is opened anew.
            let mut store = Store::open(&from, &inputs).expect("a store");
            store.reset().expect("there is room");
            let reply = reply.map(|reply| reply.as_bytes().into());
            let answer = DeviceAnswer { output: b"up"[..].into(), reply, took: Duration::ZERO };
            store.observe(NodeId::ROOT, Input::new(0), &answer).expect("there is room");
        }
        // A reply shows in the name that it gets, and what has none is called `none`.
        fn shown<'o>(answer: &LoggedAnswer<'o>) -> AnswerFate<'o> {
            Ok(match answer.reply {
                LoggedReply::Reply(reply) => reply.into(),
                LoggedReply::None => b"none"[..].into(),
                LoggedReply::Unknown => b"unknown"[..].into(),
            })
        }
        let outputs = |log: &Path| {
            let tree = Store::open(log, &inputs).expect("the copy").tree;
            let text = |node| String::from_utf8_lossy(tree.output(node)).into_owned();
            tree.nodes().map(|node| (text(node), tree.votes(node))).collect::<Vec<_>>()
        };
        let named = [("up 1", 2), ("none", 1), ("up 2", 1)].map(|(o, n)| (o.to_owned(), n));
        for renamed in [4, 0] {
            let count = copy_kept(&mut locked(&from), &to, &inputs, &shown).expect("a copy");
            assert_eq!((count.kept, count.renamed, count.answers), (4, renamed, 4));
            assert_eq!(outputs(&to), named);
            std::fs::rename(&to, &from).expect("they are there");
        }
        copy_kept(&mut locked(&from), &to, &inputs, &|_| Ok(b"up"[..].into())).expect("a copy");
        copy_kept(&mut locked(&to), &from, &inputs, &shown).expect("a copy");
        assert_eq!(outputs(&from), named);
    }

    /// The older version wrote a name alone, and so does this one for a silence.
    #[test]
    fn a_log_that_an_older_version_began_has_unknown_replies_and_so_have_its_copies() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let header = log::header(log::WITH_REPLIES - 1, &inputs);
        let answer = LogRecord::Answer { input: 0, output: 0, ms: 0 };
        let old = [header, LogRecord::Output(b"up".to_vec()), LogRecord::Reset, answer];
        std::fs::write(&from, old.iter().flat_map(log::frame).collect::<Vec<_>>())
            .expect("there is room");
        // This version goes on.
        let mut store = Store::open(&from, &inputs).expect("a store");
        for (output, reply) in [("on", Some("on 1")), ("(silence)", None)] {
            store.reset().expect("there is room");
            let reply = reply.map(|reply| reply.as_bytes().into());
            let output = output.as_bytes().into();
            let answer = DeviceAnswer { output, reply, took: Duration::ZERO };
            store.observe(NodeId::ROOT, Input::new(0), &answer).expect("there is room");
        }
        drop(store);
        for _ in 0..3 {
            let seen = RefCell::new(Vec::new());
            let look: JudgeAnswer<'_> = &|answer| {
                let is_unknown = answer.reply == LoggedReply::Unknown;
                seen.borrow_mut().push((answer.output.to_vec(), is_unknown));
                Ok(answer.output.to_vec().into())
            };
            copy_kept(&mut locked(&from), &to, &inputs, look).expect("a copy");
            let all = [("up", true), ("on", false), ("(silence)", true)];
            assert_eq!(seen.into_inner(), all.map(|(output, it)| (output.into(), it)));
            std::fs::rename(&to, &from).expect("they are there");
        }
    }

    #[test]
    fn the_first_input_of_a_word_has_none_before_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let [from, to] = ["old.log", "new.log"].map(|name| folder.path().join(name));
        let inputs = ["a".to_owned()];
        let mut store = Store::open(&from, &inputs).expect("a store");
        for _ in 0..2 {
            store.reset().expect("there is room");
            let mut at = NodeId::ROOT;
            for _ in 0..2 {
                let answer =
                    DeviceAnswer { output: b"x"[..].into(), reply: None, took: Duration::ZERO };
                at = store.observe(at, Input::new(0), &answer).expect("there is room").node;
            }
        }
        drop(store);
        fn first<'o>(answer: &LoggedAnswer<'o>) -> AnswerFate<'o> {
            if answer.before.is_some() { Err(0) } else { all(answer) }
        }
        let count = copy_kept(&mut locked(&from), &to, &inputs, &first).expect("a copy");
        assert_eq!((count.kept, count.answers), (2, 4));
    }
}
