//! Two versions of a device file as TOML: which inputs are written alike.
//!
//! A version that this program cannot read, because an older one wrote it, is compared in this way alone. Of two that can
//! be read, [`DeviceChanges`](super::DeviceChanges) knows more.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crc::{CRC_64_XZ, Crc};
use serde_json::{Map, Value, json};
use toml_edit::{Document, Item, TableLike};

use super::folder_of;

/// A table of TOML.
pub(super) type TomlTable = Map<String, Value>;

/// Tables and keys that say nothing about what an answer means.
const WITHOUT_MEANING: [&str; 3] = ["word", "state", "noise"];

/// Keys of a reply that only say when to give up: then there is no answer.
const LIMITS: [&str; 2] = ["max_ms", "max_bytes"];

/// The digests of the files that a device file names, by their paths.
pub type FileDigests = BTreeMap<PathBuf, String>;

/// A version of a device file: what the answers of its inputs follow from.
#[derive(Clone, Copy, Debug)]
pub struct DeviceVersion<'a> {
    /// The path of the file. The files that it names are relative to its folder.
    pub path: &'a Path,
    /// The text of the file.
    pub text: &'a str,
    /// The digests of the files that it names.
    pub files: &'a FileDigests,
}

/// The digests of these files. A file that cannot be read has none, and neither has a pipe, which can be read only once.
pub fn file_digests(files: &[PathBuf]) -> FileDigests {
    let digest = |path: &PathBuf| {
        let bytes = std::fs::read(Some(path).filter(|path| path.is_file())?).ok()?;
        let checksum = Crc::<u64>::new(&CRC_64_XZ).checksum(&bytes);
        Some((path.clone(), format!("{} bytes, CRC-64 {checksum:016x}", bytes.len())))
    };
    files.iter().filter_map(digest).collect()
}

/// The inputs whose answers mean the same with both versions of a device file.
///
/// An answer follows from the reset, from what all inputs have in common, such as `[reply]` and `[[output]]`, and
/// from what the input says itself, with the bytes of the files that it sends. Only the path of the port, the limits
/// after which there is no answer, and what is said of the device's noise and its states make no difference.
pub(super) fn same_inputs(old: &DeviceVersion<'_>, new: &DeviceVersion<'_>) -> BTreeSet<String> {
    let [Some((old, old_inputs)), Some((new, new_inputs))] = [old, new].map(meaning) else {
        return BTreeSet::new();
    };
    if old != new {
        return BTreeSet::new();
    }
    let is_same = |(name, input): &(String, Value)| old_inputs.get(name) == Some(input);
    new_inputs.into_iter().filter(is_same).map(|(name, _)| name).collect()
}

/// What all inputs have in common and both versions say differently, such as `reply`: then no answer means the same.
pub(super) fn common_changes(old: &DeviceVersion<'_>, new: &DeviceVersion<'_>) -> Vec<String> {
    let [Some((old, _)), Some((new, _))] = [old, new].map(meaning) else { return Vec::new() };
    let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// Whether both versions say the same, and their files have the same bytes.
pub(super) fn is_same_version(old: &DeviceVersion<'_>, new: &DeviceVersion<'_>) -> bool {
    old.text == new.text && meaning(old) == meaning(new)
}

/// What the answers follow from: the tables that all inputs have in common, and the inputs.
fn meaning(version: &DeviceVersion<'_>) -> Option<(TomlTable, TomlTable)> {
    let mut file = plain(Document::parse(version.text).ok()?.as_table());
    let inputs = file.remove("inputs");
    WITHOUT_MEANING.into_iter().for_each(|name| drop(file.remove(name)));
    if let Some(Value::Object(port)) = file.get_mut("port") {
        port.remove("path");
        if port.is_empty() {
            file.remove("port");
        }
    }
    forget_limits(&mut file);
    file.values_mut().for_each(|value| normalise(value, version));
    let Some(Value::Object(mut inputs)) = inputs else { return Some((file, TomlTable::new())) };
    for (_, input) in &mut inputs {
        if input.is_string() {
            *input = json!({ "send": input });
        }
        normalise(input, version);
        input.as_object_mut().into_iter().for_each(forget_limits);
    }
    Some((file, inputs))
}

/// Puts the digest of each file in the place of its name, and `send` in the place of `text`, which is the same.
fn normalise(value: &mut Value, version: &DeviceVersion<'_>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| normalise(item, version)),
        Value::Object(table) => {
            if !table.contains_key("send")
                && let Some(text) = table.remove("text")
            {
                table.insert("send".to_owned(), text);
            }
            if let Some(Value::String(file)) = table.get_mut("file")
                && let Some(digest) = version.files.get(&folder_of(version.path).join(&*file))
            {
                file.clone_from(digest);
            }
            table.values_mut().for_each(|value| normalise(value, version));
        }
        _ => {}
    }
}

/// A table without its places and its form in the file.
pub(super) fn plain(table: &dyn TableLike) -> TomlTable {
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

/// Removes the limits from the `reply` of this table. One that says nothing else is as none.
fn forget_limits(table: &mut TomlTable) {
    if let Some(reply) = table.get_mut("reply").and_then(Value::as_object_mut) {
        LIMITS.into_iter().for_each(|key| drop(reply.remove(key)));
        if reply.is_empty() {
            table.remove("reply");
        }
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
            ("baud = 9600", "path = 'COM3'\nbaud = 9600", "a b"),
            ("9600", "115200", ""),
            ("max_ms = 1000", "settle_ms = 10", ""),
            ("max_ms = 1000", "max_ms = 2000", "a b"),
            ("max_ms = 7", "max_bytes = 7", "a b"),
            ("[port]", "[word]\nmax_ms = 5\n[port]", "a b"),
            ("[port]", "[[state]]\nname = 'on'\nword = 'a'\n[port]", "a b"),
            ("[port]", "noise = 0.01\n[port]", "a b"),
            ("\"a\"", "{ send = \"a\", reply = { max_ms = 9 } }", "a b"),
            ("\"a\"", "{ text = \"a\", reply = { max_ms = 9 } }", "a b"),
            ("send = \"b\"", "text = \"b\"", "a b"),
            ("send = \"reset\"", "text = \"reset\"", "a b"),
            ("\"a\"", "{ text = \"x\" }", "b"),
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
            assert_eq!(same_between(FILE, &new), same, "{from} -> {to}");
        }
    }

    /// The inputs that mean the same in both texts, which name no files.
    fn same_between(old: &str, new: &str) -> String {
        let (path, files) = (Path::new("lock.toml"), &FileDigests::new());
        let [old, new] = [old, new].map(|text| DeviceVersion { path, text, files });
        same_inputs(&old, &new).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_port_with_only_a_path_is_as_none() {
        let path = FILE.replace("baud = 9600", "path = 'COM3'");
        let none = path.replace("[port]\n        path = 'COM3'\n", "");
        assert!(path.contains("[port]") && !none.contains("[port]"), "{path} {none}");
        assert_eq!(same_between(&path, &none), "a b");
    }

    #[test]
    fn a_reply_of_limits_only_is_as_none() {
        let reply = FILE.replace("lines = 1\n        within_ms = 100\n        ", "");
        let none = reply.replace("[reply]\n        max_ms = 1000\n", "");
        assert!(reply.contains("[reply]") && !none.contains("[reply]"), "{reply} {none}");
        assert_eq!(same_between(&none, &reply), "a b");
    }

    #[test]
    fn an_input_means_the_bytes_of_its_file_wherever_that_is() {
        let place = tempfile::tempdir().expect("a folder");
        let text = FILE.replace("\"a\"", "{ steps = [{ file = 'p.bin' }, { expect = 'x' }] }");
        let version = |folder: &str, text: &str, p: &str, q: &str| {
            let folder = place.path().join(folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            let files = [("p.bin", p), ("q.bin", q)].map(|(name, bytes)| {
                let path = folder.join(name);
                std::fs::write(&path, bytes).expect("a file");
                path
            });
            (folder.join("lock.toml"), text.to_owned(), file_digests(&files))
        };
        let other_name = text.replace("p.bin", "q.bin");
        let in_reset = text.replace("send = \"reset\"", "file = \"q.bin\"");
        let old = version("old", &text, "1", "1");
        for (text, p, q, same) in [
            (&text, "1", "2", "a b"),
            (&text, "2", "1", "b"),
            (&other_name, "2", "1", "a b"),
            (&in_reset, "1", "1", ""),
        ] {
            let new = version("new", text, p, q);
            let [old, new] =
                [&old, &new].map(|(path, text, files)| DeviceVersion { path, text, files });
            let found: Vec<_> = same_inputs(&old, &new).into_iter().collect();
            assert_eq!(found.join(" "), same, "{new:?}");
        }
        let [one, two] = ["1", "2"].map(|q| version(q, &in_reset, "1", q));
        let [one, two] =
            [&one, &two].map(|(path, text, files)| DeviceVersion { path, text, files });
        assert_eq!(common_changes(&one, &two), ["reset"]);
        assert!(is_same_version(&one, &one) && !is_same_version(&one, &two));
    }
}
