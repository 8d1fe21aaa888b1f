//! Names of inputs and outputs: visible text for bytes, one name for one byte string.
//!
//! Bytes that are visible text in UTF-8 are their own name; other bytes are [escaped](escape). Text that reads as
//! the escape of other bytes is escaped, too: `x\r` is the name of an `x` and a carriage return, `x\\r` that of an `x`, a
//! backslash and an `r`. So each visible text is the name of exactly one byte string.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::escape::{escape, is_hidden, unescape};

/// The name of bytes.
///
/// ```
/// use mealybug::names::name_of;
/// assert_eq!(name_of("25 °C".as_bytes()), "25 °C");
/// assert_eq!(name_of(b"x\r"), r"x\r");
/// assert_eq!(name_of(br"x\r"), r"x\\r");
/// assert_eq!(name_of(br"C:\"), r"C:\");
/// ```
pub fn name_of(bytes: &[u8]) -> String {
    match visible_text(bytes).filter(|text| escaped_by(text).is_none()) {
        Some(text) => text.to_owned(),
        None => escape(bytes),
    }
}

/// The bytes that have this name, which must be visible.
pub fn bytes_of(name: &str) -> Cow<'_, [u8]> {
    escaped_by(name).map_or(Cow::Borrowed(name.as_bytes()), Cow::Owned)
}

/// The names of the outputs of one model, or of its inputs.
///
/// If all of them are visible text, they are names already. Otherwise they are bytes, such as the replies in the
/// result of a target.
pub fn names_of<B: AsRef<[u8]>>(all: &[B]) -> Vec<String> {
    let texts: Option<Vec<_>> = all.iter().map(|bytes| visible_text(bytes.as_ref())).collect();
    match texts {
        Some(texts) => texts.into_iter().map(str::to_owned).collect(),
        None => all.iter().map(|bytes| name_of(bytes.as_ref())).collect(),
    }
}

/// The bytes of the outputs of one model, or of its inputs, so that [`names_of`] gives their names.
pub fn all_bytes_of(names: &[String]) -> Vec<Cow<'_, [u8]>> {
    let is_visible = names.iter().all(|name| !name.contains(is_hidden));
    let bytes = |name| if is_visible { bytes_of(name) } else { name.as_bytes().into() };
    names.iter().map(|name| bytes(name.as_str())).collect()
}

/// The first name that is there a second time.
pub(crate) fn find_twice(names: &[String]) -> Option<&String> {
    let mut seen = HashSet::new();
    names.iter().find(|name| !seen.insert(*name))
}

/// Makes equal names different by adding numbers: `unknown`, `unknown (2)`.
pub(crate) fn make_different(names: &mut [String]) {
    let mut taken: HashSet<String> = HashSet::new();
    let all: HashSet<String> = names.iter().cloned().collect();
    for name in names {
        if !taken.insert(name.clone()) {
            let numbered = (2_u64..).map(|number| format!("{name} ({number})"));
            let mut free = numbered.filter(|name| !all.contains(name) && !taken.contains(name));
            let free = free.next().expect("there are numbers enough");
            taken.insert(free.clone());
            *name = free;
        }
    }
}

/// Bytes that are text without [hidden](is_hidden) characters.
pub fn visible_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains(is_hidden))
}

/// The bytes whose name is their escape, if that is this text.
fn escaped_by(text: &str) -> Option<Vec<u8>> {
    // A doubled backslash may be the escape of text that is an escape itself: each turn halves them.
    let bytes = text.contains('\\').then(|| unescape(text)).flatten()?;
    let is_escaped = escape(&bytes) == text
        && visible_text(&bytes).is_none_or(|inner| escaped_by(inner).is_some());
    is_escaped.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use fastrand::Rng;
    use mealybug_core::{Options, Projections};

    use super::*;
    use crate::adapter::{quote, unquote};
    use crate::learn::new_session;
    use crate::machine::{Builder, Machine, separate};
    use crate::simulate::Simulated;
    use crate::{dot, export, result_file};

    /// Bytes that escapes are made of, hidden characters, and beginnings of UTF-8.
    const ODD: &[u8] = b"\\x0rnt\r\n a/%\"\x1b\x7f\xc2\xb0\x80\xe2\xae\xff";

    /// All byte strings of at most two bytes, all of at most four odd ones, and random ones.
    fn byte_strings() -> impl Iterator<Item = Vec<u8>> {
        let any: Vec<u8> = (0..=255).collect();
        let random = (0..20_000).map(|seed| {
            let mut rng = Rng::with_seed(seed);
            let odd = rng.bool();
            let len = rng.usize(..24);
            let byte = |_| if odd { ODD[rng.usize(..ODD.len())] } else { rng.u8(..) };
            (0..len).map(byte).collect()
        });
        up_to(2, any).chain(up_to(4, ODD.to_vec())).chain(random)
    }

    fn up_to(max: u32, letters: Vec<u8>) -> impl Iterator<Item = Vec<u8>> {
        (0..=max).flat_map(move |len| {
            let letters = letters.clone();
            (0..letters.len().pow(len)).map(move |mut number| {
                let mut letter = || {
                    let letter = letters[number % letters.len()];
                    number /= letters.len();
                    letter
                };
                (0..len).map(|_| letter()).collect()
            })
        })
    }

    #[test]
    fn each_byte_string_has_a_visible_name_of_its_own() {
        let mut known: HashMap<String, Vec<u8>> = HashMap::new();
        for bytes in byte_strings() {
            let name = name_of(&bytes);
            assert!(!name.contains(is_hidden), "{name:?}");
            assert_eq!(bytes_of(&name), bytes, "{name:?}");
            let twin = known.entry(name).or_insert_with(|| bytes.clone());
            assert_eq!(*twin, bytes);
        }
        // Readable names, as far as they can be.
        let names = ["", "OK", "25 °C", "C:\\", "C:\\users", "\\", "a\\\\b", "x\\x41", "ä\\r"];
        for name in names {
            assert_eq!(name_of(name.as_bytes()), name);
        }
    }

    #[test]
    fn each_visible_text_is_the_name_of_its_bytes() {
        for bytes in byte_strings() {
            if let Some(text) = visible_text(&bytes) {
                assert_eq!(name_of(&bytes_of(text)), text);
            }
        }
    }

    #[test]
    fn names_of_a_model_stay_and_bytes_get_names() {
        assert_eq!(names_of(&[&br"x\r"[..], b"y"]), [r"x\r", "y"]);
        assert_eq!(names_of(&[&br"x\r"[..], b"x\r"]), [r"x\\r", r"x\r"]);
        let pairs = [
            [&b"x\r"[..], br"x\r"],
            [b"\xff", br"\xff"],
            ["\u{202e}".as_bytes(), br"\xe2\x80\xae"],
        ];
        for pair in pairs {
            let [one, other] = names_of(&pair).try_into().expect("two");
            assert_ne!(one, other);
        }
    }

    /// A machine with an input and an output for each name.
    fn machine(names: &[String]) -> Machine {
        let mut builder = Builder::default();
        for name in names {
            builder.add(0, name, 0, name).expect("each name is new");
        }
        builder.build(0).expect("it is complete")
    }

    /// Through every form in which models are kept, and through an adapter.
    #[test]
    fn names_come_back_from_everywhere() {
        let mut strings: Vec<_> = byte_strings().step_by(61).collect();
        strings.sort_unstable();
        strings.dedup();
        for strings in strings.chunks(500) {
            let names: Vec<_> = strings.iter().map(|bytes| name_of(bytes)).collect();
            let machine = machine(&names);
            let read = dot::read("x.dot", &dot::write(&machine)).expect("it was written here");
            assert_eq!(read.outputs(), names);
            assert_eq!(read.inputs(), names);

            let json = export::json(&machine, None, None);
            let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            assert_eq!(json["inputs"], serde_json::json!(names));
            let transitions = json["transitions"].as_array().expect("an array");
            let outputs: Vec<_> = transitions.iter().map(|it| &it["output"]).collect();
            assert_eq!(serde_json::json!(outputs), serde_json::json!(names));

            let options = Options::new().projections(Projections::Identity).passing_tests(1);
            let inputs = u32::try_from(names.len()).expect("few");
            let mut session = new_session(vec![0; 1 << 20], inputs, options).expect("inputs");
            let why = mealybug_core::learn(&mut session, &mut Simulated::new(&machine));
            assert!(why.expect("there is room").is_converged());
            let result = result_file::encode(&session.summary(), &names, session.hypothesis());
            let (_, learned) = result_file::decode(&result).expect("it was written here");
            let learned = learned.expect("a hypothesis");
            assert_eq!((&learned.inputs, learned.outputs.len()), (&names, names.len()));
            assert_eq!(separate(&learned.product(10).expect("one component"), &machine), Ok(None));

            for (bytes, name) in strings.iter().zip(&names) {
                let line = quote(&bytes_of(name));
                let said = unquote(line.as_bytes()).expect("it was quoted here");
                assert_eq!((&said, name_of(&said)), (bytes, name.clone()));
            }
        }
    }

    #[test]
    fn no_two_names_are_the_same() {
        let mut names = ["a", "a (2)", "a", "a", "", ""].map(str::to_owned);
        make_different(&mut names);
        assert_eq!(names, ["a", "a (2)", "a (3)", "a (4)", "", " (2)"]);
    }
}
