//! What a change of the device file does to the answers that are stored.
//!
//! An answer is kept if it would be the same with the new file. The store keeps the reply, its name and how long the
//! input took, so three things can be known:
//!
//! - *What is done to the device*, and how its reply is read: a change of that drops all answers of the input, and none
//!   of the others (`effects`).
//! - *Time limits*: an answer that took less than the old limit and the new one was ended by neither, and is kept. Silence
//!   under the old limit says nothing about the new one. An agent asks many words ahead, so its times are not known.
//! - *Names*: a reply gets its new name (`naming`).
//!
//! A word is kept up to its first answer that is not: the state after it is not known.

mod effects;
mod keys;
mod naming;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use toml_edit::Document;

use super::versions::{
    DeviceVersion, TomlTable, common_changes, is_same_version, plain, same_inputs,
};
use super::{DeviceFile, Late, ReplyLength, ReplySection, folder_of, read};
use crate::escape::unescape;
use crate::store::{AnswerFate, LoggedAnswer, LoggedReply};
use effects::{AnswerEffect, InputKey, KeptSlow, common_keys, input_effects};
pub use keys::KeyChange;
use keys::{Tie, changed_keys};
use naming::Renaming;

/// Time-outs and stored times are rounded to milliseconds, each by less than one.
const ROUNDING: Duration = Duration::from_millis(2);

/// What another version of a device file changes.
///
/// ```
/// # use std::{borrow::Cow, path::Path};
/// use mealybug::device::{DeviceChanges, DeviceVersion, FileDigests};
/// use mealybug::store::{LoggedAnswer, LoggedReply};
///
/// let (path, files) = (Path::new("lock.toml"), &FileDigests::new());
/// let [old, new] = [100, 200].map(|ms| format!(
///     "[[reset]]\nsteps = [{{ send = 'r' }}]\n[reply]\nlines = 1\nwithin_ms = {ms}\n[inputs]\na = \"a\""
/// ));
/// let [old, new] = [&old, &new].map(|text| DeviceVersion { path, text, files });
/// let changes = DeviceChanges::between(&old, &new, true).expect("they differ");
/// let on = br"on\n";
/// let on = LoggedAnswer { input: "a", before: None, output: on, reply: LoggedReply::Reply(b"on\n"), ms: 7 };
/// assert_eq!(changes.fate(&on), Ok(Cow::Borrowed(on.output)));
/// let silence = LoggedAnswer { output: b"(silence)", reply: LoggedReply::None, ms: 100, ..on };
/// assert_eq!(changes.fate(&silence), Err(0));
/// assert_eq!(
///     changes.keys()[0].sentence(14),
///     "reply.within_ms is 200, was 100: 14 answers that it may have ended, or that follow one, are asked again"
/// );
/// ```
#[derive(Debug)]
pub struct DeviceChanges {
    keys: Vec<KeyChange>,
    /// A key because of which no answer is kept.
    common: Option<usize>,
    /// The inputs that both versions have.
    inputs: BTreeMap<String, ChangedInput>,
    /// The key whose rules give other names, and these names if they can be known.
    renaming: Option<(usize, Option<Renaming>)>,
    /// Whether an output of the old version is its reply: no rule gives names.
    is_unnamed: bool,
    /// The key for inputs that the old version does not have.
    unknown: usize,
    /// Whether the stored times can be relied on.
    is_timed: bool,
    is_old_toml: bool,
}

/// An input that both versions have.
#[derive(Debug)]
struct ChangedInput {
    /// What has changed, each with its key.
    effects: Vec<(usize, AnswerEffect)>,
    /// The old rule for its reply.
    reply: ReplySection,
}

impl DeviceChanges {
    /// What differs, if anything does. `is_timed` says whether the device was asked one input at a time, so that the
    /// times of its answers are known.
    pub fn between(
        old: &DeviceVersion<'_>,
        new: &DeviceVersion<'_>,
        is_timed: bool,
    ) -> Option<Self> {
        if is_same_version(old, new) {
            return None;
        }
        let tables = [old, new].map(|version| {
            Document::parse(version.text).map(|it| plain(it.as_table())).unwrap_or_default()
        });
        let keys = changed_keys(&tables[0], &tables[1]);
        let mut changes = Self {
            unknown: keys.len(),
            keys,
            common: None,
            inputs: BTreeMap::new(),
            renaming: None,
            is_unnamed: false,
            is_timed,
            is_old_toml: true,
        };
        changes.keys.push(KeyChange::of("inputs".to_owned()));
        match [old, new].map(device_file) {
            [Some(old), Some(new)] => changes.compare(&old, &new, &tables),
            _ => changes.compare_text(old, new),
        }
        Some(changes)
    }

    /// The keys that have changed, and those by which answers are asked again.
    pub fn keys(&self) -> &[KeyChange] {
        &self.keys
    }

    /// Whether the old version is TOML. If not, nobody knows what its answers mean, and which keys have changed.
    pub fn is_old_toml(&self) -> bool {
        self.is_old_toml
    }

    /// What the new version calls an answer of the old one. If it must be asked again: the number of the key that is the
    /// reason.
    ///
    /// # Errors
    /// It may have another meaning.
    pub fn fate<'o>(&self, answer: &LoggedAnswer<'o>) -> AnswerFate<'o> {
        if let Some(key) = self.common {
            return Err(key);
        }
        let before = answer.before.and_then(|before| self.inputs.get(before));
        let mut of_before = before.into_iter().flat_map(|input| &input.effects);
        if let Some((key, _)) = of_before.find(|(_, effect)| *effect == AnswerEffect::Following) {
            return Err(*key);
        }
        let Some(input) = self.inputs.get(answer.input) else {
            let key = format!("inputs.{}", answer.input);
            let known = self.keys.iter().position(|change| change.key == key);
            return Err(known.unwrap_or(self.unknown));
        };
        if let Some((key, _)) = input.effects.iter().find(|(_, it)| self.hits(it, input, answer)) {
            return Err(*key);
        }
        let Some((key, renaming)) = &self.renaming else { return Ok(answer.output.into()) };
        let renaming = renaming.as_ref().ok_or(*key)?;
        renaming.rename(&input.reply, answer.output, answer.reply).ok_or(*key)
    }

    /// Whether this change may give an answer another meaning.
    fn hits(&self, effect: &AnswerEffect, input: &ChangedInput, answer: &LoggedAnswer<'_>) -> bool {
        let (from, but) = match effect {
            AnswerEffect::All => return true,
            AnswerEffect::Following => return false,
            AnswerEffect::Slow { from, but } => (from, but),
        };
        // The stored time is that of the whole input, with `settle_ms`: its reply took no longer.
        let took = Duration::from_millis(answer.ms.into());
        if self.is_timed && took + ROUNDING <= *from {
            return false;
        }
        match but {
            KeptSlow::None => true,
            // All of it may have come unasked, before a silence, or be the beginning of an echo.
            KeptSlow::Replies if input.reply.late == Late::Reply || input.reply.echo => true,
            KeptSlow::Replies => {
                let silent = input.reply.silent.as_bytes();
                let is_silence =
                    answer.output == silent || answer.output.ends_with(&[b" + ", silent].concat());
                is_silence && !matches!(answer.reply, LoggedReply::Reply(_))
            }
            KeptSlow::Ended => {
                let reply = self.reply(answer, &input.reply);
                !reply.is_some_and(|reply| shows_its_end(&input.reply, &reply))
            }
        }
    }

    /// The reply behind an answer, where it is known. What an agent answers has none in the store, but without rules for
    /// names its output is the reply.
    fn reply<'o>(&self, answer: &LoggedAnswer<'o>, rule: &ReplySection) -> Option<Cow<'o, [u8]>> {
        if let LoggedReply::Reply(reply) = answer.reply {
            return Some(reply.into());
        }
        let name = std::str::from_utf8(answer.output).ok()?;
        let is_no_reply = name == rule.silent || rule.closed.as_deref() == Some(name);
        let is_shown = self.is_unnamed && !is_no_reply;
        is_shown.then(|| unescape(name).map(Cow::Owned)).flatten()
    }

    /// Compares what both files mean.
    fn compare(&mut self, old: &DeviceFile, new: &DeviceFile, tables: &[TomlTable; 2]) {
        let common: Vec<_> = common_keys(old, new).into_iter().map(|key| self.key(key)).collect();
        self.common = common.first().copied();
        self.is_unnamed = old.outputs.is_empty() && old.replacements.is_empty();
        let replaces = old.replacements != new.replacements;
        if replaces || old.outputs != new.outputs {
            let key = self.key(if replaces { "replace" } else { "output" });
            self.keys[key].tie = Tie::Name;
            // A board cuts long replies off before they are named.
            let renaming = self.is_timed.then(|| Renaming::new(old, new));
            self.renaming = Some((key, renaming));
        }
        let may_close = old.inputs.iter().any(|input| input.reply.closed.is_some());
        for was in &old.inputs {
            let Some(is) = new.inputs.iter().find(|is| is.name == was.name) else { continue };
            let mut effects = Vec::new();
            for (key, effect) in input_effects(was, is, may_close) {
                let is_of_time = matches!(effect, AnswerEffect::Slow { .. });
                let key = match key {
                    InputKey::Steps => self.input_key(&was.name),
                    InputKey::Reply(key) => self.reply_key(&was.name, key, tables),
                };
                if is_of_time {
                    self.keys[key].tie = Tie::Time;
                }
                effects.push((key, effect));
            }
            let reply = was.reply.clone();
            self.inputs.insert(was.name.clone(), ChangedInput { effects, reply });
        }
    }

    /// Compares the texts of the files, one of which this version of the program cannot read: an input means the same only
    /// if it is written alike.
    fn compare_text(&mut self, old: &DeviceVersion<'_>, new: &DeviceVersion<'_>) {
        if Document::parse(old.text).is_err() {
            self.is_old_toml = false;
            self.common = Some(self.unknown);
            return;
        }
        if let Some(key) = common_changes(old, new).first() {
            let is_of_it = |change: &KeyChange| change.key.split('.').next() == Some(key);
            let known = self.keys.iter().position(is_of_it);
            self.common = Some(known.unwrap_or_else(|| self.key(key)));
        }
        for name in same_inputs(old, new) {
            let input = ChangedInput { effects: Vec::new(), reply: ReplySection::default() };
            self.inputs.insert(name, input);
        }
    }

    /// The number of a key, which is added if no version says it otherwise than the other.
    fn key(&mut self, key: &str) -> usize {
        self.keys.iter().position(|change| change.key == key).unwrap_or_else(|| {
            self.keys.push(KeyChange::of(key.to_owned()));
            self.keys.len() - 1
        })
    }

    /// The number of the key for what an input does: its own if that has changed, else the frame around what it sends.
    fn input_key(&mut self, input: &str) -> usize {
        let own = format!("inputs.{input}");
        let has = |key: &str| self.keys.iter().any(|change| change.key == key);
        let is_framed = !has(&own) && has("frame");
        self.key(if is_framed { "frame" } else { &own })
    }

    /// The number of a key of a reply: that of the input itself if it has changed, else that of `[reply]`.
    fn reply_key(&mut self, input: &str, key: &str, tables: &[TomlTable; 2]) -> usize {
        if key == "stuffing" {
            return self.key("frame");
        }
        let own = format!("inputs.{input}.reply.{key}");
        if self.keys.iter().any(|change| change.key == own) {
            return self.key(&own);
        }
        let common = format!("reply.{key}");
        let has_own = |table: &TomlTable| table.get("inputs")?.get(input)?.get("reply").cloned();
        let is_own = tables.iter().all(|table| has_own(table).is_some());
        let is_common = self.keys.iter().any(|change| change.key == common);
        if !is_common && is_own {
            return self.key(&own);
        }
        self.key(&common)
    }
}

/// Whether a reply had come to its end: then a longer silence would have brought no more. What is looked at is the reply
/// as its ends see it, so nothing may have been taken out of it or put before it since.
fn shows_its_end(rule: &ReplySection, reply: &[u8]) -> bool {
    let is_as_it_came = rule.stuffing.is_none()
        && rule.checksum.is_none()
        && !rule.echo
        && rule.times.is_empty()
        && matches!(rule.late, Late::Error | Late::Drop);
    let is_matched = rule.patterns.iter().any(|pattern| pattern.is_match(reply));
    // After a match the shorter one of both silences ends the reply.
    let is_graced = is_matched && rule.grace <= rule.silence();
    let is_long = |length| matches!(length, ReplyLength::Fixed(bytes) if reply.len() >= bytes);
    let lines = reply.iter().filter(|&&byte| byte == b'\n').count();
    is_as_it_came
        && (is_graced
            || rule.last_line.as_ref().is_some_and(|line| line.is_match(reply))
            || rule.lines.is_some_and(|enough| lines >= enough)
            || rule.length.is_some_and(is_long))
}

/// What a version means, with digests in the place of the files that it names; `None` if it makes no sense.
fn device_file(version: &DeviceVersion<'_>) -> Option<DeviceFile> {
    let content = |file: &Path| {
        let digest = version.files.get(file).map(|digest| digest.clone().into_bytes());
        // Inputs that send different files are different.
        Ok(digest.unwrap_or_else(|| [b"\0file ", file.as_os_str().as_encoded_bytes()].concat()))
    };
    read(version.text, folder_of(version.path), &content).ok()
}

#[cfg(test)]
mod tests;
