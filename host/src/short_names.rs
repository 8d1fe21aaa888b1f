//! Names that are shortened to a number of columns, so that names that differ stay different.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::iter;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The shortened forms of names that would all become one if the middle of each were left out.
#[derive(Debug, Default)]
pub(crate) struct ShortNames(HashMap<(usize, String), String>);

impl ShortNames {
    /// The forms of these names for each of these numbers of columns.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>, widths: &[usize]) -> Self {
        let names: BTreeSet<_> = names.collect();
        let mut forms = HashMap::new();
        for &columns in widths {
            let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for name in &names {
                alike.entry(shortened(name, columns)).or_default().push(*name);
            }
            let mut used: HashSet<_> = alike.keys().cloned().collect();
            for names in alike.into_values().filter(|names| names.len() > 1) {
                for (name, form) in names.iter().zip(parted_names(&names, columns)) {
                    let numbered = (1..).map(|number| numbered(name, number, columns));
                    let mut all = iter::once(form).chain(numbered);
                    let form = all.find(|form| used.insert(form.clone()));
                    let form = form.expect("there are more numbers than names");
                    forms.insert((columns, (*name).to_owned()), form);
                }
            }
        }
        Self(forms)
    }

    /// The form of a name that fits into `columns`.
    pub(crate) fn form(&self, name: &str, columns: usize) -> String {
        let known = self.0.get(&(columns, name.to_owned()));
        known.cloned().unwrap_or_else(|| shortened(name, columns))
    }
}

/// Shortens sorted names: the start, then the text from where a name differs from its most similar one. If two become equal,
/// all show two places instead: where the group first differs, and where the name differs from its most similar one. Two places
/// that are near each other are one piece.
fn parted_names(names: &[&str], columns: usize) -> Vec<String> {
    let [first, .., last] = names else { return Vec::new() };
    let same_in_all = same_start(first, last);
    let same = |at: usize| {
        // Names that are most alike stand next to each other.
        let others = [at.wrapping_sub(1), at + 1].map(|other| names.get(other));
        let same = others.into_iter().flatten().map(|other| same_start(names[at], other));
        same.max().unwrap_or(0)
    };
    let once: Vec<_> = (0..names.len()).map(|at| parted(names[at], same(at), columns)).collect();
    if once.iter().collect::<HashSet<_>>().len() == names.len() {
        return once;
    }
    let twice = |at: usize| {
        let (name, begin, same) = (names[at], columns / 2, same(at));
        if same < same_in_all + begin {
            return marked(name, same_in_all, columns);
        }
        let rest = part(name, same, columns - begin - 1);
        format!("{}…{rest}", marked(name, same_in_all, begin))
    };
    (0..names.len()).map(twice).collect()
}

/// The same as [`part`], after a mark where the beginning of the name is left out.
fn marked(name: &str, same: usize, columns: usize) -> String {
    match from(name, same, columns).len() == name.len() {
        true => part(name, same, columns),
        false => format!("…{}", part(name, same, columns - 1)),
    }
}

/// At most `columns` columns of that.
fn part(name: &str, same: usize, columns: usize) -> String {
    let name = from(name, same, columns).replace(char::is_control, " ");
    taken(name.chars(), columns, |c| c.width().unwrap_or(0)).into_iter().collect()
}

/// How many characters at the beginning of two names are the same.
fn same_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// A long name with its beginning, and what comes from the character on where it differs from others.
fn parted(name: &str, same: usize, columns: usize) -> String {
    let begin = part(name, 0, columns / 3);
    let rest = columns - begin.width() - 1;
    format!("{begin}…{}", shortened(from(name, same, rest), rest))
}

/// What comes from two characters before character `same`, or from where the rest fits into `columns`.
fn from(name: &str, same: usize, columns: usize) -> &str {
    // A control character becomes a blank.
    let fitting = taken(name.chars().rev(), columns, |c| c.width().unwrap_or(1)).len();
    let first = same.saturating_sub(2).min(name.chars().count() - fitting);
    let at = name.char_indices().nth(first).map_or(0, |(at, _)| at);
    &name[at..]
}

/// A long name with a number.
fn numbered(name: &str, number: usize, columns: usize) -> String {
    let number = format!("#{number}");
    format!("{}{number}", shortened(name, columns.saturating_sub(number.len()).max(4)))
}

/// A name on one line, with its middle left out if it is long.
pub(crate) fn shortened(name: &str, columns: usize) -> String {
    let name = name.replace(char::is_control, " ");
    if name.width() <= columns {
        return name;
    }
    let width = |c: &char| c.width().unwrap_or(0);
    let head = taken(name.chars(), columns * 2 / 3, width);
    let tail = taken(name.chars().rev(), columns / 3 - 1, width);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// The longest run of characters that fits into a number of columns.
fn taken(
    characters: impl Iterator<Item = char>,
    room: usize,
    columns: impl Fn(&char) -> usize,
) -> Vec<char> {
    let mut used = 0;
    let fits = |c: &char| {
        used += columns(c);
        used <= room
    };
    characters.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [usize; 2] = [26, 13];

    #[test]
    fn long_names_that_differ_stay_different() {
        let page = |number: &str| format!("HTTP/1.1 200 OK{number}Connection: keep-alive, close");
        let mut names: Vec<_> = (0..5).map(|number| page(&format!(" page {number} "))).collect();
        // These differ in two places, and only in the second one from each other.
        names.extend((0..5).map(|number| {
            page(&format!(" list {} and {number} of them all ", "of all that there is".repeat(3)))
        }));
        names.push("short".to_owned());
        let short = ShortNames::new(names.iter().map(String::as_str), &WIDTHS);
        for columns in WIDTHS {
            let forms: BTreeSet<_> = names.iter().map(|name| short.form(name, columns)).collect();
            assert_eq!(forms.len(), names.len(), "{forms:?}");
            assert!(forms.iter().all(|form| form.width() <= columns), "{forms:?}");
        }
        let places = ["ab", "ac", "xb", "xc"].map(|it| {
            format!(
                "while it was read there was an error in\n{}: see the line number\t{} of the input",
                &it[..1],
                &it[1..]
            )
        });
        let short = ShortNames::new(places.iter().map(String::as_str), &WIDTHS);
        let forms = places.each_ref().map(|name| short.form(name, WIDTHS[0]));
        let both = [
            "…n a: see the…r b of the i",
            "…n a: see the…r c of the i",
            "…n x: see the…r b of the i",
            "…n x: see the…r c of the i",
        ];
        assert_eq!(forms, both);
        // Two places near each other are shown once.
        let near = ["00", "01", "10", "11"].map(|it| {
            let end = "and that is all that it said before it went away";
            format!(
                "what the connection has cost so far: {} sent, {} heard, {end}",
                &it[..1],
                &it[1..]
            )
        });
        let short = ShortNames::new(near.iter().map(String::as_str), &WIDTHS);
        let forms = near.each_ref().map(|name| short.form(name, WIDTHS[0]));
        assert_eq!(forms[1], "…: 0 sent, 1 heard, and th");
        let two = [page(" page 1 "), page(" page 2 ")];
        let short = ShortNames::new(two.iter().map(String::as_str), &WIDTHS);
        assert_eq!(short.form(&two[1], WIDTHS[0]), "HTTP/1.1…e 2 Connect…lose");
    }

    #[test]
    fn names_that_differ_in_too_many_places_are_numbered() {
        let bits =
            (0..8).map(|n| [n & 4, n & 2, n & 1].map(|bit| if bit == 0 { "no" } else { "yes" }));
        let names: Vec<_> = bits
            .map(|[one, two, three]| {
                format!(
                    "is it open: {one}, does it still answer: {two}, does it run on mains: {three}."
                )
            })
            .collect();
        for columns in [26, 13, 8] {
            let short = ShortNames::new(names.iter().map(String::as_str), &[columns]);
            let forms: BTreeSet<_> = names.iter().map(|name| short.form(name, columns)).collect();
            assert_eq!(forms.len(), names.len(), "{forms:?}");
            assert!(forms.iter().all(|form| form.width() <= columns), "{forms:?}");
            assert!(forms.iter().any(|form| form.ends_with("#1")), "{forms:?}");
            assert!(!forms.iter().any(|form| form.ends_with("#0")), "{forms:?}");
        }
    }

    #[test]
    fn no_form_is_the_name_of_another() {
        let page =
            |number: u32| format!("HTTP/1.1 200 OK page {number} Connection: keep-alive, close");
        let form = "HTTP/1.1…e 2 Connect…lose";
        let names = [page(1), page(2), form.to_owned()];
        let short = ShortNames::new(names.iter().map(String::as_str), &WIDTHS[..1]);
        let forms = names.each_ref().map(|name| short.form(name, WIDTHS[0]));
        assert_eq!(forms[2], form);
        assert_ne!(forms[1], form);
    }

    #[test]
    fn a_form_is_one_line_that_fits_whatever_its_characters_are() {
        assert_eq!(shortened("one\ntwo", 26), "one two");
        let wide = shortened(&"漢字".repeat(20), 13);
        assert!((11..=13).contains(&wide.width()), "{wide}");
        // The tabs at the end become blanks, which take room.
        let names = [1, 2].map(|number| {
            format!("what is said first, and then\tall that\tfollows {number}{}", "\t".repeat(20))
        });
        let short = ShortNames::new(names.iter().map(String::as_str), &WIDTHS);
        let forms = names.each_ref().map(|name| short.form(name, WIDTHS[0]));
        assert_eq!(forms, ["what is …s 1        …    ", "what is …s 2        …    "]);
    }
}
