//! Which answers mean the same with two versions of a device file.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike};

/// A table of TOML.
type TomlTable = Map<String, Value>;

/// Tables that say nothing about what an answer means.
const WITHOUT_MEANING: [&str; 3] = ["port", "word", "state"];

/// Keys of a reply that only say when to give up: then there is no answer.
const LIMITS: [&str; 3] = ["max_ms", "max_bytes", "settle_ms"];

/// The inputs whose answers mean the same with both texts of a device file.
///
/// An answer follows from the reset, from what all inputs have in common, such as `[reply]` and `[[output]]`, and
/// from what the input says itself. Only how the port is opened, and the limits after which there is no answer, make
/// no difference.
///
/// ```
/// use mealybug::device::same_inputs;
///
/// let [old, new] = ["one", "two"].map(|b| format!("[reply]\nlines = 1\n[inputs]\na = \"a\"\nb = \"{b}\""));
/// assert_eq!(same_inputs(&old, &new).into_iter().collect::<Vec<_>>(), ["a"]);
/// assert!(same_inputs(&old, &new.replace("lines", "length")).is_empty());
/// ```
pub fn same_inputs(old: &str, new: &str) -> BTreeSet<String> {
    let [Some((old, old_inputs)), Some((new, new_inputs))] = [old, new].map(meaning) else {
        return BTreeSet::new();
    };
    if old != new {
        return BTreeSet::new();
    }
    let is_same = |(name, input): &(String, Value)| old_inputs.get(name) == Some(input);
    new_inputs.into_iter().filter(is_same).map(|(name, _)| name).collect()
}

/// What all inputs have in common and both texts say differently, such as `reply`: then no answer means the same.
///
/// ```
/// use mealybug::device::common_changes;
///
/// let [old, new] = [5, 6].map(|ms| format!("[reply]\nwithin_ms = {ms}\n[inputs]\na = \"a\""));
/// assert_eq!(common_changes(&old, &new), ["reply"]);
/// ```
pub fn common_changes(old: &str, new: &str) -> Vec<String> {
    let [Some((old, _)), Some((new, _))] = [old, new].map(meaning) else { return Vec::new() };
    let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// What the answers follow from: the tables that all inputs have in common, and the inputs.
fn meaning(text: &str) -> Option<(TomlTable, TomlTable)> {
    let mut file = plain(Document::parse(text).ok()?.as_table());
    let inputs = file.remove("inputs");
    WITHOUT_MEANING.into_iter().for_each(|name| drop(file.remove(name)));
    forget_limits(&mut file);
    let Some(Value::Object(mut inputs)) = inputs else { return Some((file, TomlTable::new())) };
    inputs.iter_mut().filter_map(|(_, input)| input.as_object_mut()).for_each(forget_limits);
    Some((file, inputs))
}

/// A table without its places and its form in the file.
fn plain(table: &dyn TableLike) -> TomlTable {
    let field = |(key, item): (&str, &Item)| Some((key.to_owned(), plain_item(item)?));
    table.iter().filter_map(field).collect()
}

fn plain_item(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(plain_value(value)),
        Item::Table(table) => Some(plain(table).into()),
        Item::ArrayOfTables(tables) => Some(tables.iter().map(|table| plain(table)).collect()),
    }
}

fn plain_value(value: &toml_edit::Value) -> Value {
    use toml_edit::Value::{Array, Boolean, Datetime, Float, InlineTable, Integer, String};
    match value {
        String(text) => text.value().as_str().into(),
        Integer(number) => (*number.value()).into(),
        Float(number) => (*number.value()).into(),
        Boolean(value) => (*value.value()).into(),
        Datetime(time) => time.value().to_string().into(),
        Array(values) => values.iter().map(plain_value).collect(),
        InlineTable(table) => plain(table).into(),
    }
}

/// Removes the limits from the `reply` of this table.
fn forget_limits(table: &mut TomlTable) {
    if let Some(reply) = table.get_mut("reply").and_then(Value::as_object_mut) {
        LIMITS.into_iter().for_each(|key| drop(reply.remove(key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [port]
        baud = 9600
        [[reset]]
        steps = [{ send = "reset" }]
        [reply]
        lines = 1
        within_ms = 100
        max_ms = 1000
        [inputs]
        a = "a"
        b = { send = "b", reply = { within_ms = 5, max_ms = 7 } }
    "#;

    #[test]
    fn what_changes_the_meaning_of_an_answer_is_told_from_what_does_not() {
        for (from, to, same) in [
            ("9600", "115200", "a b"),
            ("max_ms = 1000", "max_ms = 2000", "a b"),
            ("max_ms = 7", "max_bytes = 7", "a b"),
            ("[port]", "[word]\nmax_ms = 5\n[port]", "a b"),
            ("[port]", "[[state]]\nname = 'on'\nword = 'a'\n[port]", "a b"),
            ("\"a\"", "\"x\"", "b"),
            ("\"b\"", "\"x\"", "a"),
            ("within_ms = 5", "within_ms = 6", "a"),
            ("a = \"a\"", "c = \"a\"", "b"),
            ("a = \"a\"", "a = \"a\"\nc = \"c\"", "a b"),
            ("within_ms = 100", "within_ms = 200", ""),
            ("\"reset\"", "\"*RST\"", ""),
            ("[port]", "[[replace]]\nmatch = 'x'\nwith = 'y'\n[port]", ""),
            ("[port]", "", ""),
            ("lines", "= =", ""),
        ] {
            let new = FILE.replacen(from, to, 1);
            let found: Vec<_> = same_inputs(FILE, &new).into_iter().collect();
            assert_eq!(found.join(" "), same, "{from} -> {to}");
        }
    }
}
