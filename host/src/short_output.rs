//! Outputs that are shortened, for people.

use std::collections::HashSet;

use crate::export::shown;
use crate::short_names::ShortNames;

/// How many characters of an output to show.
pub(crate) const SHOWN: usize = 60;
/// How many characters to show before a difference that comes late.
const BEFORE: usize = 20;

/// Shortens an output.
pub(crate) fn short(output: &str) -> String {
    match output.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &output[..end]),
        None => shown(output).to_owned(),
    }
}

/// Shortens two different outputs, so that their difference is seen.
pub fn short_both([one, other]: [&str; 2]) -> [String; 2] {
    let same = alike(one, other);
    [one, other].map(|output| short_from(output, same))
}

/// Shortens outputs, so that it is seen where each differs from those that are most like it. Different outputs stay different.
///
/// ```
/// use mealybug::short_output::short_all;
///
/// let menu = "1 status\\n".repeat(99);
/// let [on, off] = ["yes", "no"].map(|lamp| format!("{menu}lamp {lamp}"));
/// let shown = short_all(&[&on, &off]);
/// assert_eq!(shown, ["…tus\\n1 status\\nlamp yes", "…tus\\n1 status\\nlamp no"]);
/// ```
pub fn short_all(outputs: &[&str]) -> Vec<String> {
    let same = |output: &str| {
        let others = outputs.iter().filter(|other| **other != output);
        others.map(|other| alike(output, other)).max().unwrap_or(0)
    };
    let forms: Vec<_> = outputs.iter().map(|output| short_from(output, same(output))).collect();
    if different(outputs) == different(&forms) {
        return forms;
    }
    let names = ShortNames::new(outputs.iter().copied().map(shown), &[SHOWN]);
    outputs.iter().map(|output| names.form(shown(output), SHOWN)).collect()
}

/// How many of these are different.
fn different(texts: &[impl AsRef<str>]) -> usize {
    texts.iter().map(AsRef::as_ref).collect::<HashSet<_>>().len()
}

/// How many characters at the beginning of two outputs are the same.
fn alike(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// Shortens an output that differs from others after `same` characters.
fn short_from(output: &str, same: usize) -> String {
    if same + BEFORE <= SHOWN {
        return short(output);
    }
    let from = output.char_indices().nth(same - BEFORE).map_or(0, |(at, _)| at);
    format!("…{}", short(&output[from..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_shortened_outputs_show_where_they_differ() {
        let drawn = "é".repeat(90);
        for same in [0, 5, 39, 40, 41, 59, 60, 90] {
            let beginning = &drawn[..same * 2];
            let outputs = [format!("{beginning}on"), format!("{beginning}off and more")];
            let [one, other] = short_both(outputs.each_ref().map(String::as_str));
            assert_ne!(one, other, "{same} are the same");
            assert!(one.ends_with("on") && one.chars().count() <= SHOWN + 2, "{one}");
            assert!(other.contains("off"), "{other}");
        }
        let all = "x".repeat(70);
        let [one, other] = short_both([&all, &all[..65]]);
        assert_eq!((one.len(), other.len()), ("…".len() + 25, "…".len() + 20));
    }

    #[test]
    fn each_of_several_outputs_is_shown_where_it_differs_from_its_like() {
        let menu = "1 status ".repeat(20);
        let [on, off] = ["on", "off"].map(|lamp| format!("{menu}{lamp}"));
        let shown = short_all(&[&on, &off, "?", &on]);
        assert_eq!(shown, ["… 1 status 1 status on", "… 1 status 1 status off", "?", &shown[0]]);
        assert_eq!(short_all(&["", ""]), ["(empty)", "(empty)"]);
    }

    #[test]
    fn different_outputs_never_become_the_same_text() {
        let end = "of the list of all that there is ".repeat(2);
        let outputs: Vec<_> = ["one", "two"]
            .iter()
            .flat_map(|name| [format!("{name} {end}"), format!("{name} {end}and more")])
            .collect();
        let shown = short_all(&outputs.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(different(&shown), outputs.len(), "{shown:?}");
        assert!(shown[0].starts_with("one ") && shown[2].starts_with("two "), "{shown:?}");
    }
}
