//! A device file that can be changed while everything else in it stays, comments included.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::checked_device::CLOSED;
use super::field::FieldRule;
use super::finding::{Change, CountKey, Key};
use crate::device::{DeviceFile, Pauses, ReplySection};
use crate::draft::{RESET_WITHIN_MS, literal};

/// The keys of a `reply` that say how it ends.
const ENDS: [&str; 6] = ["match", "last_line", "lines", "length", "frames", "quiet_ms"];

/// A device file, read and as text.
#[derive(Clone, Debug)]
pub struct EditableDeviceFile {
    device: DeviceFile,
    text: DocumentMut,
}

impl EditableDeviceFile {
    /// A device file with its text; `None` if the text is not TOML.
    pub fn new(device: DeviceFile, text: &str) -> Option<Self> {
        Some(Self { device, text: text.parse().ok()? })
    }

    /// The device file as it was read, without the changes.
    pub fn device(&self) -> &DeviceFile {
        &self.device
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::TimeOut { key, input, better } => {
                let ms = i64::try_from(better.as_millis()).unwrap_or(i64::MAX);
                self.set_in_reply(*input, key.name(), ms);
            }
            Change::Replace(rule) => self.replace(rule),
            Change::Strip(pattern) => self.strip(pattern),
            Change::Match(pattern) => self.set_in_reply(None, "match", literal_value(pattern)),
            Change::EndBytes(pattern) => {
                self.end_by("match", pattern);
                self.set_in_reply(None, "grace_ms", 0);
            }
            Change::LastLine(pattern) => self.end_by("last_line", pattern),
            Change::Longer { key, input, count } => {
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                self.set_in_reply(*input, key.name(), count);
            }
            Change::Echo => self.echo(),
            Change::Checksum(toml) => self.set_in_reply(None, "checksum", written(toml)),
            Change::Expect(pattern) => self.expect(pattern),
            Change::ExpectWithin(ms) => self.expect_within(*ms),
            Change::Tries(tries) => self.tries(*tries),
            Change::Pause(pauses) => self.pause(pauses),
            Change::Closed(input) => self.set_in_reply(*input, "closed", CLOSED),
        }
    }

    /// Adds a `[[replace]]`.
    fn replace(&mut self, rule: &FieldRule) {
        let mut table = Table::new();
        table.insert("match", toml_edit::value(&rule.pattern));
        table.insert("with", toml_edit::value(&rule.with));
        let none = || Item::ArrayOfTables(ArrayOfTables::new());
        let rules = self.text.entry("replace").or_insert_with(none);
        if let Some(rules) = rules.as_array_of_tables_mut() {
            rules.push(table);
        }
    }

    /// Adds a pattern to `strip` of `[reply]`.
    fn strip(&mut self, pattern: &str) {
        let none = || toml_edit::value(Array::new());
        let strip = self.reply().as_table_like_mut().map(|reply| reply.entry("strip"));
        let strip = strip.map(|entry| entry.or_insert_with(none));
        if let Some(strip) = strip.and_then(|strip| strip.as_array_mut()) {
            strip.push(literal_value(pattern));
        }
    }

    /// Lets the pattern of this key end all replies, in place of all that ends them now.
    fn end_by(&mut self, key: &str, pattern: &str) {
        if let Some(reply) = self.reply().as_table_like_mut() {
            ENDS.iter().for_each(|end| drop(reply.remove(end)));
            set(reply, key, literal_value(pattern));
        }
        for input in self.inputs() {
            let own = input.get_mut("reply").and_then(Item::as_table_like_mut);
            let counts = [CountKey::Length, CountKey::Lines].map(CountKey::name);
            let has_count =
                |own: &&mut dyn TableLike| counts.iter().any(|key| own.contains_key(key));
            let Some(own) = own.filter(has_count) else { continue };
            ENDS.iter().for_each(|end| remove(own, end));
            if own.is_empty() {
                remove(input, "reply");
            }
        }
    }

    /// Says that the device repeats what is sent.
    fn echo(&mut self) {
        self.set_in_reply(None, "echo", true);
        for input in self.inputs() {
            let reply = input.get_mut("reply").and_then(Item::as_table_like_mut);
            if let Some(reply) = reply.filter(|reply| reply.contains_key("echo")) {
                set(reply, "echo", true);
            }
        }
    }

    /// Lets each reset wait for what a pattern fits.
    fn expect(&mut self, pattern: &str) {
        let mut expect = InlineTable::new();
        expect.insert("match", literal_value(pattern));
        expect.insert("within_ms", i64::from(RESET_WITHIN_MS).into());
        let resets = self.text.get_mut("reset");
        for reset in resets.into_iter().flat_map(tables) {
            set(reset, "expect", Value::InlineTable(expect.clone()));
        }
    }

    /// Sets how long each reset waits for what it expects.
    fn expect_within(&mut self, ms: u64) {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        let resets = self.text.get_mut("reset");
        for reset in resets.into_iter().flat_map(tables) {
            if let Some(expect) = reset.get_mut("expect").and_then(Item::as_table_like_mut) {
                set(expect, "within_ms", ms);
            }
        }
    }

    /// Sets how often each reset is tried.
    fn tries(&mut self, tries: u32) {
        let resets = self.text.get_mut("reset");
        for reset in resets.into_iter().flat_map(tables) {
            set(reset, "tries", i64::from(tries));
        }
    }

    /// Lets time pass after resets or inputs; a longer time that is there stays.
    fn pause(&mut self, Pauses { time, after_reset, after_inputs }: &Pauses) {
        let ms = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let resets = self.text.get_mut("reset").filter(|_| *after_reset);
        for (reset, rule) in resets.into_iter().flat_map(tables).zip(&self.device.resets) {
            if rule.quiet < *time {
                set(reset, "quiet_ms", ms);
            }
        }
        for &input in after_inputs {
            if self.device.inputs[input].reply.settle < *time {
                self.set_in_reply(Some(input), "settle_ms", ms);
            }
        }
    }

    /// Sets a key in the `reply` of an input, or in `[reply]`.
    fn set_in_reply(&mut self, input: Option<usize>, key: &str, value: impl Into<Value>) {
        if let Some(reply) = self.reply_of(input).and_then(Item::as_table_like_mut) {
            set(reply, key, value);
        }
    }

    /// The inputs that are tables.
    fn inputs(&mut self) -> impl Iterator<Item = &mut dyn TableLike> {
        let inputs = self.text.get_mut("inputs").and_then(Item::as_table_like_mut);
        let inputs = inputs.into_iter().flat_map(TableLike::iter_mut);
        inputs.filter_map(|(_, input)| input.as_table_like_mut())
    }

    /// The `reply` of an input, or the table `[reply]`.
    fn reply_of(&mut self, input: Option<usize>) -> Option<&mut Item> {
        let Some(input) = input else { return Some(self.reply()) };
        let name = &self.device.inputs[input].name;
        self.text.get_mut("inputs").and_then(|inputs| inputs.get_mut(name)).and_then(own_reply)
    }

    /// The table `[reply]`.
    fn reply(&mut self) -> &mut Item {
        self.text.entry("reply").or_insert_with(toml_edit::table)
    }

    /// The text with the changes.
    pub fn text(&self) -> String {
        self.text.to_string()
    }

    /// The patterns in `strip` of `[reply]`, as they are written there.
    pub(super) fn stripped(&self) -> impl Iterator<Item = String> {
        let strip = self.text.get("reply").and_then(|reply| reply.get("strip")?.as_array());
        strip.into_iter().flatten().map(|pattern| {
            // A comment beside it would hide what follows in the same line.
            let mut pattern = pattern.clone();
            pattern.decor_mut().clear();
            pattern.to_string()
        })
    }

    /// The only `match` of `[reply]`, if replies to all these inputs end by it.
    pub(super) fn common_match(&self, inputs: &[usize]) -> Option<&str> {
        let pattern = self.text.get("reply")?.get("match")?.as_str()?;
        let is_of =
            |rule: &ReplySection| matches!(&rule.patterns[..], [own] if own.as_str() == pattern);
        let is_of_all = inputs.iter().all(|&input| is_of(&self.device.inputs[input].reply));
        is_of_all.then_some(pattern)
    }

    /// Whether an input has its own `reply` that says how it ends.
    pub(super) fn has_own_end(&self, input: usize) -> bool {
        ENDS.iter().any(|end| self.has_own(input, end))
    }

    /// Whether an input has its own time-out, instead of that in `[reply]`.
    pub(super) fn has_own_time_out(&self, input: usize, key: Key) -> bool {
        self.has_own(input, key.name())
    }

    /// Whether this key is in the `reply` of an input.
    fn has_own(&self, input: usize, key: &str) -> bool {
        let inputs = self.text.get("inputs");
        let input = inputs.and_then(|inputs| inputs.get(&self.device.inputs[input].name));
        let reply = input.and_then(|input| input.get("reply")?.as_table_like());
        reply.is_some_and(|reply| reply.contains_key(key))
    }
}

/// A pattern, written without escapes if it can be.
fn literal_value(pattern: &str) -> Value {
    literal(pattern).parse().unwrap_or_else(|_| pattern.into())
}

/// A value as it is written.
fn written(toml: &str) -> Value {
    toml.parse().unwrap_or_else(|_| toml.into())
}

/// The tables of an array: `[[name]]`, or `name = [{ … }]`.
fn tables(item: &mut Item) -> Vec<&mut dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => {
            tables.iter_mut().map(|table| table as &mut dyn TableLike).collect()
        }
        Item::Value(Value::Array(array)) => {
            let tables = array.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.map(|table| table as &mut dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

/// The `reply` of an input, which gets one; an input that is only text becomes a table.
fn own_reply(input: &mut Item) -> Option<&mut Item> {
    if let Some(Value::String(text)) = input.as_value_mut() {
        let decor = text.decor().clone();
        let mut table = InlineTable::new();
        text.decor_mut().clear();
        table.insert("text", Value::String(text.clone()));
        *input = toml_edit::value(table);
        if let Some(value) = input.as_value_mut() {
            *value.decor_mut() = decor;
        }
    }
    let table = input.as_table_like_mut()?;
    if !table.contains_key("reply") {
        add(table, "reply", InlineTable::new().into());
    }
    table.get_mut("reply")
}

/// Sets a key and keeps the comments around it.
fn set<V: Into<Value>>(table: &mut dyn TableLike, key: &str, new: V) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(value) => {
            let decor = value.decor().clone();
            *value = new.into();
            *value.decor_mut() = decor;
        }
        None => add(table, key, new.into()),
    }
}

/// Removes a key. The blank before the end of a table in one line stays there.
fn remove(table: &mut dyn TableLike, key: &str) {
    let is_last = table.iter().last().is_some_and(|(last, _)| last == key);
    let removed = table.remove(key).and_then(|item| item.into_value().ok());
    let last = table.iter_mut().last().filter(|_| is_last);
    if let Some(last) = last.and_then(|(_, item)| item.as_value_mut())
        && let Some(blank) = removed.as_ref().and_then(|it| it.decor().suffix()?.as_str())
    {
        last.decor_mut().set_suffix(blank);
    }
}

/// Adds a key. The blank before the end of a table in one line stays there.
fn add(table: &mut dyn TableLike, key: &str, mut new: Value) {
    let last = table.iter_mut().last().and_then(|(_, item)| item.as_value_mut());
    if let Some(last) = last.map(Value::decor_mut)
        && let Some(blank) = last.suffix().and_then(|suffix| suffix.as_str()).map(str::to_owned)
        && blank.chars().all(|c| c == ' ')
    {
        last.set_suffix("");
        new.decor_mut().set_suffix(blank);
    }
    table.insert(key, Item::Value(new));
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

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

    fn file(text: &str) -> EditableDeviceFile {
        EditableDeviceFile::new(parsed(text), text).expect("TOML")
    }

    fn parsed(text: &str) -> DeviceFile {
        DeviceFile::parse(Path::new("lock.toml"), text).expect("a device file")
    }

    fn time_out(key: Key, input: Option<usize>, better_ms: u64) -> Change {
        Change::TimeOut { key, input, better: Duration::from_millis(better_ms) }
    }

    #[test]
    fn values_change_and_comments_stay() {
        let mut file = file(FILE);
        file.apply(&time_out(Key::Within, None, 200));
        file.apply(&time_out(Key::Within, Some(1), 1500));
        file.apply(&time_out(Key::Grace, None, 0));
        let expected = FILE
            .replace("5000   # it is slow\n", "200   # it is slow\ngrace_ms = 0\n")
            .replace("within_ms = 900", "within_ms = 1500");
        assert_eq!(file.text(), expected);
        parsed(&file.text());
    }

    #[test]
    fn bytes_at_the_end_take_the_place_of_a_length() {
        let text = FILE.replace("within_ms = 900 }", "within_ms = 900, length = 6 }");
        let own = "c = { text = \"c\", reply = { length = 5, quiet_ms = 30 } }\n";
        let mut file = file(&(text + own));
        file.apply(&Change::EndBytes(r"(?-u:\xff)$".to_owned()));
        let end = "within_ms = 5000   # it is slow\nmatch = '(?-u:\\xff)$'\ngrace_ms = 0\n";
        let expected =
            FILE.replace("lines = 1\n", "").replace("within_ms = 5000   # it is slow\n", end);
        assert_eq!(file.text(), expected + "c = { text = \"c\" }\n");
        parsed(&file.text());
    }

    #[test]
    fn a_last_line_takes_the_place_of_numbers_of_lines() {
        let mut file = file(&FILE.replace("within_ms = 900 }", "lines = 2 }"));
        file.apply(&Change::LastLine(r"OK|ACK \[.*".to_owned()));
        let text = file.text();
        assert!(!text.contains("lines =") && !text.contains("grace_ms"), "{text}");
        let device = parsed(&text);
        let is_end = |input: usize| device.inputs[input].reply.last_line.is_some();
        assert!((0..device.inputs.len()).all(is_end), "{text}");
    }

    #[test]
    fn a_prompt_takes_the_place_of_numbers_of_lines() {
        let mut file = file(&FILE.replace("within_ms = 900 }", "lines = 2 }"));
        file.apply(&Change::EndBytes("> $".to_owned()));
        assert!(!file.text().contains("lines ="), "{}", file.text());
        parsed(&file.text());
    }

    #[test]
    fn what_is_added_to_a_table_in_one_line_stands_as_a_person_writes_it() {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = { hex = \"00\" }\nb = \"b\"\n\
                    c = { text = \"c\", reply = { quiet_ms = 9 } }\nd = {hex = \"01\"}\n";
        let mut file = file(text);
        for input in 0..4 {
            file.apply(&Change::Longer { key: CountKey::Length, input: Some(input), count: 2 });
        }
        let better = file.text();
        for line in [
            "a = { hex = \"00\", reply = { length = 2 } }\n",
            "b = { text = \"b\", reply = { length = 2 } }\n",
            "c = { text = \"c\", reply = { quiet_ms = 9, length = 2 } }\n",
            "d = {hex = \"01\", reply = { length = 2 }}\n",
        ] {
            assert!(better.contains(line), "{line}{better}");
        }
        parsed(&better);
    }

    #[test]
    fn a_file_without_a_table_gets_one() {
        let mut file = file("[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"a\"\n");
        file.apply(&time_out(Key::Within, None, 200));
        let device = parsed(&file.text());
        assert_eq!(device.inputs[0].reply.within, Duration::from_millis(200));
    }

    #[test]
    fn replacements_come_after_those_that_are_there() {
        let replace = "[[replace]]\nmatch = 'one'   # the first\nwith = \"two\"\n";
        for text in [FILE.to_owned(), format!("{FILE}\n{replace}")] {
            let mut file = file(&text);
            let (pattern, with) = (r"(\w )\d+( s)".to_owned(), "$1#$2".to_owned());
            file.apply(&Change::Replace(FieldRule { pattern, with }));
            let better = parsed(&file.text());
            assert!(file.text().starts_with(&text), "{}", file.text());
            assert_eq!(better.name_output(b"b 17 s"), "b # s");
        }
    }

    #[test]
    fn each_form_of_an_input_can_end_the_connection() {
        let text = "[[reset]]\nsteps = [{ reconnect = true }]\n[inputs]   # all\na = \"a\"   # leaves\n\
                    b = { hex = \"00\" }\nc = { text = \"c\", reply = { lines = 1 } }\n[inputs.d]\ntext = \"d\"\n";
        let mut file = file(text);
        for input in 0..4 {
            assert_eq!(file.device().inputs[input].reply.closed, None);
            file.apply(&Change::Closed(Some(input)));
        }
        let better = parsed(&file.text());
        for (new, old) in better.inputs.iter().zip(&file.device().inputs) {
            assert_eq!(new.reply.closed.as_deref(), Some(CLOSED), "{}", file.text());
            assert_eq!((&new.steps, new.reply.lines), (&old.steps, old.reply.lines));
        }
        assert!(
            file.text()
                .contains("a = { text = \"a\", reply = { closed = \"(closed)\" } }   # leaves\n")
        );
    }

    #[test]
    fn the_device_can_repeat_what_is_sent() {
        let own = FILE.replace("within_ms = 900", "echo = false, within_ms = 900");
        let off = own.replace("lines = 1", "echo = false   # no\nlines = 1");
        let on = |text: &str| text.replace("echo = false", "echo = true");
        let added = |text: &str| text.replace("# it is slow\n", "# it is slow\necho = true\n");
        for (text, expected) in [(FILE, added(FILE)), (&own, added(&on(&own))), (&off, on(&off))] {
            let mut file = file(text);
            file.apply(&Change::Echo);
            assert_eq!(file.text(), expected);
            assert!(parsed(&expected).inputs.iter().all(|input| input.reply.echo), "{expected}");
        }
    }

    #[test]
    fn patterns_are_taken_without_the_comments_beside_them() {
        for list in ["[\n  '!A' # one\n  , '!B',\n]", "[ # all\n  '!A', # one\n  '!B', # two\n]"] {
            let file = file(&FILE.replace("lines = 1", &format!("lines = 1\nstrip = {list}")));
            assert_eq!(Vec::from_iter(file.stripped()), ["'!A'", "'!B'"]);
        }
    }

    #[test]
    fn an_input_with_a_time_of_its_own_is_told_apart() {
        let file = file(FILE);
        let own = [0, 1].map(|input| file.has_own_time_out(input, Key::Within));
        assert_eq!(own, [false, true]);
        assert!(!file.has_own_time_out(1, Key::Grace));
    }
}
