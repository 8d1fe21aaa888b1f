//! The keys that two versions of a device file say differently, as people read them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::versions::TomlTable;

/// The longest value to show, in characters.
const VALUE_SHOWN: usize = 40;

/// A key of the device file that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// Its path: `reply.within_ms`, `inputs.press`; `reset` for `[[reset]]`.
    pub key: String,
    /// What it was and what it is; `None` where a version does not have it.
    values: [Option<Value>; 2],
    /// What the answers that are asked again have to do with it.
    pub(super) tie: Tie,
}

/// What answers that are asked again have to do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// They depend on it.
    Meaning,
    /// They may have been ended by it.
    Time,
    /// Their names may change with it.
    Name,
}

impl KeyChange {
    /// A key whose values are not known, or do not matter.
    pub(super) fn of(key: String) -> Self {
        Self { key, values: [const { None }; 2], tie: Tie::Meaning }
    }

    fn between(key: String, values: [Option<&Value>; 2]) -> Self {
        Self { values: values.map(Option::<&Value>::cloned), ..Self::of(key) }
    }

    /// Whether the versions say this key differently.
    pub fn is_changed(&self) -> bool {
        self.values[0] != self.values[1]
    }

    /// What has changed: a sentence without its end.
    pub fn change(&self) -> String {
        let key = match self.key.as_str() {
            list @ ("reset" | "replace" | "output" | "state") => format!("[[{list}]]"),
            table @ ("frame" | "captures" | "probe") => format!("[{table}]"),
            key => key.to_owned(),
        };
        let [old, new] = self.values.each_ref().map(|value| value.as_ref().and_then(shown));
        match (&self.values, old, new) {
            (_, Some(old), Some(new)) => format!("{key} is {new}, was {old}"),
            ([None, _], _, Some(new)) => format!("{key} is {new}, was not there"),
            ([_, None], Some(old), _) => format!("{key} is not there, was {old}"),
            ([None, Some(_)], ..) => format!("{key} is new"),
            ([Some(_), None], ..) => format!("{key} is gone"),
            _ => format!("{key} has changed"),
        }
    }

    /// What has changed, and what that does to this number of answers, which are asked again: a sentence without its end.
    pub fn sentence(&self, asked: u64) -> String {
        let change = self.change();
        if asked == 0 {
            return format!("{change}: no answer is asked again because of it");
        }
        let (answers, depend, follow, are) = match asked {
            1 => ("answer", "depends", "follows", "is"),
            _ => ("answers", "depend", "follow", "are"),
        };
        let asked = crate::statistics::number(asked);
        match self.tie {
            Tie::Meaning => format!(
                "{change}: {asked} {answers} that {depend} on it, or {follow} one that does, {are} asked again"
            ),
            Tie::Time => format!(
                "{change}: {asked} {answers} that it may have ended, or that {follow} one, {are} asked again"
            ),
            Tie::Name => format!(
                "{change}: {asked} {answers} whose replies are not known, or that {follow} one, {are} asked again"
            ),
        }
    }
}

/// A value on one line, if it is short.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Array(_) | Value::Object(_) => return None,
        value => crate::escape::visible(&value.to_string()).into_owned(),
    };
    (text.chars().count() <= VALUE_SHOWN).then_some(text)
}

/// The keys of two files that differ.
pub(super) fn changed_keys(old: &TomlTable, new: &TomlTable) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    for key in names(old, new) {
        let values = [old.get(key), new.get(key)];
        match (key.as_str(), values) {
            ("inputs", _) => inputs(values, &mut changes),
            _ => add(key.clone(), values, &mut changes),
        }
    }
    changes
}

/// Adds the change of a value. Of a table with keys of their own, those that differ, also where only one file has it.
fn add(key: String, values: [Option<&Value>; 2], changes: &mut Vec<KeyChange>) {
    let none = TomlTable::new();
    let is_of_keys = ["port", "word", "reply"].contains(&key.rsplit('.').next().unwrap_or(&key));
    let tables = values.map(|value| match value {
        Some(Value::Object(table)) => Some(table),
        Some(_) => None,
        None => Some(&none),
    });
    if let [Some(old), Some(new)] = tables
        && is_of_keys
    {
        for name in names(old, new) {
            let values = [old.get(name), new.get(name)];
            if values[0] != values[1] {
                changes.push(KeyChange::between(format!("{key}.{name}"), values));
            }
        }
    } else if values[0] != values[1] {
        changes.push(KeyChange::between(key, values));
    }
}

/// Adds the inputs that differ, and the keys of their `reply`.
fn inputs(values: [Option<&Value>; 2], changes: &mut Vec<KeyChange>) {
    let none = TomlTable::new();
    let tables = values.map(|value| value.and_then(Value::as_object).unwrap_or(&none));
    for name in names(tables[0], tables[1]) {
        let key = format!("inputs.{name}");
        let inputs = tables.map(|table| table.get(name).map(as_table));
        let rests = inputs.each_ref().map(|input| input.as_ref().map(|(rest, _)| rest));
        if rests[0] != rests[1] {
            changes.push(KeyChange::between(key.clone(), rests));
        }
        if let [Some((_, old)), Some((_, new))] = &inputs {
            add(format!("{key}.reply"), [old.as_ref(), new.as_ref()], changes);
        }
    }
}

/// What an input does, and its `reply`. Text is short for `{ send = … }`.
fn as_table(input: &Value) -> (Value, Option<Value>) {
    let mut rest = match input {
        Value::String(text) => json!({ "send": text }),
        other => other.clone(),
    };
    let reply = rest.as_object_mut().and_then(|table| table.remove("reply"));
    (rest, reply)
}

/// The keys of both tables.
fn names<'t>(old: &'t TomlTable, new: &'t TomlTable) -> BTreeSet<&'t String> {
    old.keys().chain(new.keys()).collect()
}
