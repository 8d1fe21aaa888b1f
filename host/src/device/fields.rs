//! Reading a TOML table key by key, with errors that point into the file.
//!
//! A table is opened as [`Fields`], and each key is taken once, with the type that it must have. A
//! key that is left over is unknown. `Deserialize` is not derived for two reasons: a value that may
//! be text or a table (an input) would lose its place in the file, and the order of the inputs
//! matters.

use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};
use toml_edit::{ArrayOfTables, Item, TableLike};

use super::error::FileFault;
use crate::escape::is_hidden;

/// A table, and the keys that are not yet taken.
pub(super) struct Fields<'t> {
    /// The name of the table in messages: `[reply]`, `this step`.
    what: String,
    place: Range<usize>,
    /// The keys that are left, in the order of the file.
    left: Vec<TomlField<'t>>,
    known: Vec<&'static str>,
}

/// A key with its value.
#[derive(Clone)]
pub(super) struct TomlField<'t> {
    pub(super) key: &'t str,
    pub(super) key_place: Range<usize>,
    value: TomlValue<'t>,
}

/// What a key or an element of a list stands for.
#[derive(Clone, Copy)]
enum TomlValue<'t> {
    Simple(&'t toml_edit::Value),
    Table(&'t toml_edit::Table),
    Tables(&'t ArrayOfTables),
}

/// A type that a value in the file can have.
pub(super) trait Value<'t>: Sized {
    /// Reads the value, or says what is wrong with it.
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault>;
}

impl<'t> Fields<'t> {
    /// Opens `table`, which messages call `what`.
    pub(super) fn new(
        what: impl Into<String>,
        place: Range<usize>,
        table: &'t dyn TableLike,
    ) -> Self {
        let field = |(key, item): (&'t str, &'t Item)| {
            let value = match item {
                Item::None => return None,
                Item::Value(value) => TomlValue::Simple(value),
                Item::Table(table) => TomlValue::Table(table),
                Item::ArrayOfTables(tables) => TomlValue::Tables(tables),
            };
            let key_place = table.key(key).and_then(toml_edit::Key::span).unwrap_or_default();
            Some(TomlField { key, key_place, value })
        };
        let mut left: Vec<_> = table.iter().filter_map(field).collect();
        left.sort_by_key(|field| field.key_place.start);
        Self { what: what.into(), place, left, known: Vec::new() }
    }

    /// The place of the table in the file.
    pub(super) fn place(&self) -> Range<usize> {
        self.place.clone()
    }

    /// Takes the field named `key`, if the table has it.
    pub(super) fn field(&mut self, key: &'static str) -> Option<TomlField<'t>> {
        self.known.push(key);
        let at = self.left.iter().position(|field| field.key == key)?;
        Some(self.left.remove(at))
    }

    /// The field named `key`, if it is not yet taken; it stays.
    pub(super) fn peek(&self, key: &str) -> Option<&TomlField<'t>> {
        self.left.iter().find(|field| field.key == key)
    }

    /// Takes the value of `key`, if the table has it.
    pub(super) fn take<V: Value<'t>>(&mut self, key: &'static str) -> Result<Option<V>, FileFault> {
        self.field(key).map(|field| V::read(&field)).transpose()
    }

    /// Takes the value of `key`, which is required.
    pub(super) fn require<V: Value<'t>>(&mut self, key: &'static str) -> Result<V, FileFault> {
        self.take(key)?.ok_or_else(|| {
            FileFault::new(self.place(), format!("{} needs `{key}`", self.what), "missing here")
        })
    }

    /// Takes all fields that are left, whatever their keys, in the order of the file.
    pub(super) fn rest(&mut self) -> Vec<TomlField<'t>> {
        std::mem::take(&mut self.left)
    }

    /// Fails if a field is left over.
    pub(super) fn finish(self) -> Result<(), FileFault> {
        let Some(field) = self.left.first() else {
            return Ok(());
        };
        let message = format!("{} has no key `{}`", self.what, field.key);
        let meant = MEANT.iter().find(|(other, known)| {
            field.key.trim_end_matches("_ms") == *other && self.known.contains(known)
        });
        let meant = meant.map(|(_, known)| *known);
        let label = match meant.or_else(|| nearest(self.known.iter().copied(), field.key)) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "unknown key".to_owned(),
        };
        Err(FileFault::new(field.key_place.clone(), message, label)
            .help(format!("its keys are {}", list(&self.known))))
    }
}

impl<'t> TomlField<'t> {
    /// The place of the value in the file.
    pub(super) fn place(&self) -> Range<usize> {
        match self.value {
            TomlValue::Simple(value) => value.span(),
            TomlValue::Table(table) => table.span(),
            TomlValue::Tables(tables) => tables.span(),
        }
        .unwrap_or_else(|| self.key_place.clone())
    }

    /// The value as a table.
    pub(super) fn table(&self) -> Result<Fields<'t>, FileFault> {
        self.table_called(format!("`{}`", self.key))
    }

    /// The value as a table, which messages call `what`.
    pub(super) fn table_called(&self, what: impl Into<String>) -> Result<Fields<'t>, FileFault> {
        match self.value {
            TomlValue::Table(table) => Ok(Fields::new(what, self.place(), table)),
            TomlValue::Simple(toml_edit::Value::InlineTable(table)) => {
                Ok(Fields::new(what, self.place(), table))
            }
            _ => Err(self.expected("a table")),
        }
    }

    /// The value as a list; the elements keep the key of the list.
    pub(super) fn elements(&self) -> Result<Vec<Self>, FileFault> {
        let element = |value| TomlField { value, ..self.clone() };
        match self.value {
            TomlValue::Simple(toml_edit::Value::Array(array)) => {
                Ok(array.iter().map(TomlValue::Simple).map(element).collect())
            }
            TomlValue::Tables(tables) => {
                Ok(tables.iter().map(TomlValue::Table).map(element).collect())
            }
            _ => Err(self.expected("a list")),
        }
    }

    /// Whether the value is text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.value, TomlValue::Simple(toml_edit::Value::String(_)))
    }

    /// The error for a value that is not a `wanted`.
    pub(super) fn expected(&self, wanted: &str) -> FileFault {
        use toml_edit::Value::{Array, Boolean, Datetime, Float, InlineTable, Integer, String};
        let found = match self.value {
            TomlValue::Simple(String(_)) => "text",
            TomlValue::Simple(Integer(_)) => "a number",
            TomlValue::Simple(Float(_)) => "a number with a fraction",
            TomlValue::Simple(Boolean(_)) => "true or false",
            TomlValue::Simple(Datetime(_)) => "a date",
            TomlValue::Simple(Array(_)) | TomlValue::Tables(_) => "a list",
            TomlValue::Simple(InlineTable(_)) | TomlValue::Table(_) => "a table",
        };
        self.fault(format!("`{}` must be {wanted}", self.key), format!("this is {found}"))
    }

    /// An error at the value.
    pub(super) fn fault(&self, message: impl Into<String>, label: impl Into<String>) -> FileFault {
        FileFault::new(self.place(), message, label)
    }

    fn number<N: TryFrom<i64>>(&self, wanted: &str) -> Result<N, FileFault> {
        let TomlValue::Simple(toml_edit::Value::Integer(number)) = self.value else {
            return Err(self.expected(wanted));
        };
        N::try_from(*number.value())
            .map_err(|_| self.fault(format!("`{}` must be {wanted}", self.key), "out of range"))
    }
}

impl<'t> Value<'t> for &'t str {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match field.value {
            TomlValue::Simple(toml_edit::Value::String(text)) => Ok(text.value()),
            _ => Err(field.expected("text")),
        }
    }
}

impl<'t> Value<'t> for bool {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match field.value {
            TomlValue::Simple(toml_edit::Value::Boolean(value)) => Ok(*value.value()),
            _ => Err(field.expected("true or false")),
        }
    }
}

impl<'t> Value<'t> for u32 {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        field.number("a number of at most 32 bits, not negative")
    }
}

impl<'t> Value<'t> for NonZeroU32 {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let number: u32 = field.number("a number from 1 to 4294967295")?;
        Self::new(number)
            .ok_or_else(|| field.fault(format!("`{}` must not be 0", field.key), "this is 0"))
    }
}

impl<'t> Value<'t> for usize {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        u32::read(field).map(|number| Self::try_from(number).unwrap_or(Self::MAX))
    }
}

/// A share: 0.05 is 5 %.
impl<'t> Value<'t> for f64 {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let wanted = "a share of answers from 0 to 0.2, such as 0.01";
        let share = match field.value {
            TomlValue::Simple(toml_edit::Value::Float(share)) => *share.value(),
            // No whole number but 0 is a share in the range.
            TomlValue::Simple(toml_edit::Value::Integer(share)) if *share.value() == 0 => 0.0,
            TomlValue::Simple(toml_edit::Value::Integer(_)) => 1.0,
            _ => return Err(field.expected(wanted)),
        };
        let is_in_range = (0.0..=0.2).contains(&share);
        let fault = || field.fault(format!("`{}` must be {wanted}", field.key), "out of range");
        is_in_range.then_some(share).ok_or_else(fault)
    }
}

/// Whole milliseconds, for the keys that end in `ms`.
impl<'t> Value<'t> for Duration {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let ms: u32 = field.number("a whole number of milliseconds")?;
        Ok(Self::from_millis(ms.into()))
    }
}

/// A pattern over bytes: `\xff` and `(?-u:.)` match single bytes, and so does `\w`.
impl<'t> Value<'t> for Regex {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let pattern = <&str>::read(field)?;
        RegexBuilder::new(pattern).unicode(false).build().map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let fault = field.fault(format!("`{}` is not a regular expression", field.key), reason);
            fault.help(if pattern.contains(char::is_control) {
                "write it between single quotes, where TOML leaves backslashes alone"
            } else if reason.contains("Unicode") {
                "a pattern matches bytes: write [A-Za-z] for letters, and the bytes of others as \\xNN"
            } else {
                "what stands for itself, such as ( or *, has a backslash before it: '\\('"
            })
        })
    }
}

impl<'t, V: Value<'t>> Value<'t> for Vec<V> {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        field.elements()?.iter().map(V::read).collect()
    }
}

/// What others call a key, without `_ms`, and its name here.
const MEANT: [(&str, &str); 7] = [
    ("timeout", "within_ms"),
    ("time_out", "within_ms"),
    ("delay", "wait_ms"),
    ("sleep", "wait_ms"),
    ("retries", "tries"),
    ("baudrate", "baud"),
    ("regex", "match"),
];

/// The known name that is most like this one, if one is much like it.
pub(super) fn nearest<'k>(known: impl Iterator<Item = &'k str>, name: &str) -> Option<&'k str> {
    let likeness = known.map(|known| (strsim::jaro_winkler(known, name), known));
    let (likeness, nearest) = likeness.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (likeness > 0.8).then_some(nearest)
}

/// Reads a number that must not be zero.
pub(super) fn at_least_one(field: &TomlField<'_>) -> Result<usize, FileFault> {
    match usize::read(field)? {
        0 => Err(field.fault(format!("`{}` must be at least 1", field.key), "zero")),
        number => Ok(number),
    }
}

/// Fails if the key of `field`, the name of `what`, is empty or cannot be seen.
pub(super) fn check_name(field: &TomlField<'_>, what: &str) -> Result<(), FileFault> {
    let fault = |message, label| Err(FileFault::new(field.key_place.clone(), message, label));
    if let Some(hidden) = field.key.chars().find(|&c| is_hidden(c)) {
        let hidden = u32::from(hidden);
        let message = format!("the name of {what} has a hidden character, U+{hidden:04X}");
        return fault(message, "name what can be seen");
    }
    if field.key.is_empty() {
        return fault(format!("{what} needs a name"), "empty");
    }
    Ok(())
}

/// Reads names for ranges, such as `{ fast = 0, slow = 1000 }`: each is from its number on. `of` is what the first
/// one is for, and `nothing` says that there is none.
pub(super) fn named_from<'t, V: Value<'t> + Ord + Default>(
    field: &TomlField<'t>,
    of: &str,
    nothing: &str,
    help: &str,
) -> Result<Vec<(V, String)>, FileFault> {
    let mut names = Vec::new();
    for field in field.table()?.rest() {
        names.push((V::read(&field)?, field.key.to_owned()));
    }
    names.sort();
    match names.first() {
        Some((first, _)) if *first == V::default() => Ok(names),
        _ => {
            let message = format!("`{}` must have a name for {of}", field.key);
            Err(field.fault(message, nothing).help(help))
        }
    }
}

/// ``"`a`, `b` and `c`"``.
pub(super) fn list(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
