//! Devices that are what their models say, and devices that are not.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;

use mealybug_core::Input;
use tempfile::TempDir;

use super::*;
use crate::machine::Cut;

/// A folder for a golden model.
struct GoldenFolder(TempDir);

/// A path as the user would write it.
const PATH: &str = "models/lamp.dot";

impl GoldenFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn with_model(text: &str) -> Self {
        let place = Self::new();
        fs::create_dir(place.0.path().join("models")).expect("a folder");
        fs::write(place.file(), text).expect("a file");
        place
    }

    fn file(&self) -> PathBuf {
        self.0.path().join(PATH)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("a file")
    }

    fn check_with<S: Sul<Error: Error + 'static>>(
        &self,
        device: Device<S>,
        options: LearnOptions,
        update: Update,
    ) -> Result<(), String> {
        let golden = GoldenFile { folder: self.0.path(), path: Path::new(PATH) };
        golden.check(device, options, update).map_err(|mismatch| mismatch.to_string())
    }

    fn check<S: Sul<Error: Error + 'static>>(&self, device: Device<S>) -> Result<(), String> {
        self.check_with(device, LearnOptions::new(), Update::No)
    }

    /// Checks the device, and returns why it fails.
    fn failure<S: Sul<Error: Error + 'static>>(&self, device: Device<S>) -> String {
        self.check(device).expect_err("it fails")
    }
}

/// A lamp that goes on, dims, and goes off again if it is sound.
fn lamp(is_sound: bool) -> Device<impl Sul<Error = Infallible>> {
    let step = move |level: &mut usize, input| match (input, *level) {
        ("look", level) => ["off", "on", "dim"][level],
        (_, 2) if !is_sound => "stuck",
        _ => {
            *level = (*level + 1) % 3;
            "ok"
        }
    };
    Device::from_fn(["press", "look"], || 0, step)
}

const LAMP: &str = r#"digraph {
    // written by hand
    off -> on [label="press/ok"]; on -> dim [label="press/ok"]; dim -> off [label="press/ok"];
    off -> off [label="look/off"]; on -> on [label="look/on"]; dim -> dim [label="look/dim"];
}"#;

#[test]
fn a_model_is_written_only_when_asked_for() {
    let place = GoldenFolder::new();
    assert_eq!(
        place.failure(lamp(true)),
        "there is no model models/lamp.dot\n\n\
         To write what the device does now: MEALYBUG_UPDATE=1 cargo test\n\
         Read the file before you commit it: it says what the device does, right or wrong."
    );
    let refused = place.check_with(lamp(true), LearnOptions::new(), Update::Refused);
    assert!(refused.expect_err("refused").contains("but CI is set as well: nothing is written"));
    assert!(!place.file().exists());
    assert_eq!(place.check_with(lamp(true), LearnOptions::new(), Update::Yes), Ok(()));
    let written = place.text();
    assert_eq!(dot::read("lamp", &written).expect("a model").states(), 3);
    for update in [Update::No, Update::Refused] {
        assert_eq!(place.check_with(lamp(true), LearnOptions::new(), update), Ok(()));
    }
    assert_eq!(place.text(), written);
}

#[test]
fn a_model_that_is_right_is_not_touched() {
    let place = GoldenFolder::with_model(LAMP);
    assert_eq!(place.check_with(lamp(true), LearnOptions::new(), Update::Yes), Ok(()));
    assert_eq!(place.text(), LAMP);
}

#[test]
fn a_difference_is_shown_with_a_shortest_word() {
    let place = GoldenFolder::with_model(LAMP);
    assert_eq!(
        place.failure(lamp(false)),
        "the device differs from models/lamp.dot\n\
         \n  press  ok\n  press  ok\n- press  ok\n+ press  stuck\n\n\
         - the model, 3 states\n+ the device, 3 states\n\n\
         If the device is right: MEALYBUG_UPDATE=1 cargo test, and review the change of the file."
    );
    let refused = place.check_with(lamp(false), LearnOptions::new(), Update::Refused);
    assert!(refused.expect_err("refused").contains("CI is set as well"));
    assert_eq!(place.text(), LAMP);
    assert_eq!(place.check_with(lamp(false), LearnOptions::new(), Update::Yes), Ok(()));
    assert_eq!(place.check(lamp(false)), Ok(()));
}

/// Whoever has the old file open still has all of it, and so has the disk if the new one cannot be completed.
#[test]
fn an_old_model_is_kept_until_the_new_one_is_complete() {
    let place = GoldenFolder::with_model(LAMP);
    let old = place.file().with_extension("old");
    fs::hard_link(place.file(), &old).expect("a link");
    assert_eq!(place.check_with(lamp(false), LearnOptions::new(), Update::Yes), Ok(()));
    assert_ne!(place.text(), LAMP);
    assert_eq!(fs::read_to_string(old).expect("a file"), LAMP);
    let files = fs::read_dir(place.0.path().join("models")).expect("a folder");
    assert_eq!(files.count(), 2);
}

#[test]
fn a_difference_is_shown_with_the_name_of_its_state() {
    let place = GoldenFolder::with_model(LAMP);
    let names = place.file().with_extension("states.toml");
    fs::write(&names, "'all on' = 'press'\ngone = 'blink'\ndimmed = 'press press'\n")
        .expect("a file");
    let shown = "- press  ok\n+ press  stuck\n\nin the state `dimmed`\n\n- the model, 3 states\n";
    let failure = place.failure(lamp(false));
    assert!(failure.contains(shown), "{failure}");
    fs::write(&names, "dimmed = 5").expect("a file");
    assert_eq!(place.check(lamp(true)), Ok(()), "a wrong file of names fails no test");
}

/// A door that opens after a long code, which no random test meets.
fn door(has_code: bool) -> Device<impl Sul<Error = Infallible>> {
    const CODE: [char; 12] = ['a', 'b', 'b', 'c', 'a', 'c', 'b', 'a', 'c', 'c', 'a', 'b'];
    let step = move |typed: &mut usize, key| {
        let is_right = has_code && *typed < CODE.len() && CODE[*typed] == key;
        *typed = if is_right { *typed + 1 } else { 0 };
        if *typed == CODE.len() { "open" } else { "shut" }
    };
    Device::from_fn(['a', 'b', 'c'], || 0, step)
}

#[test]
fn what_only_the_model_knows_is_asked() {
    let place = GoldenFolder::new();
    let code = "a b b c a c b a c c a b";
    assert_eq!(place.check_with(door(true), LearnOptions::new(), Update::Yes), Ok(()));
    assert_eq!(place.check(door(false)), Ok(()), "without a hint nobody finds the code");
    fs::remove_file(place.file()).expect("a file");
    let options = LearnOptions::new().words([code]);
    assert_eq!(place.check_with(door(true), options, Update::Yes), Ok(()));
    // The code is in the model now.
    assert_eq!(place.check(door(true)), Ok(()));
    let failure = place.failure(door(false));
    assert!(failure.contains("- b  open\n+ b  shut\n"), "{failure}");
}

#[test]
fn what_is_not_sure_fails() {
    let place = GoldenFolder::with_model(
        r#"digraph { a -> a [label="press/ok"]; a -> a [label="look/0"]; }"#,
    );
    let count = |count: &mut u32, input| match input {
        "press" => {
            *count += 1;
            "ok".to_owned()
        }
        _ => count.saturating_sub(3).to_string(),
    };
    let device = || Device::from_fn(["press", "look"], || 0, count);
    let limited = LearnOptions::new().max_symbols(2000);
    let failure = place.check_with(device(), limited.clone(), Update::No).expect_err("too large");
    assert!(failure.contains("- look   0\n+ look   1\n"), "{failure}");
    assert!(failure.contains("There may be more: the limit of symbols is reached"), "{failure}");
    let failure = place.check_with(device(), limited, Update::Yes).expect_err("not written");
    assert!(failure.contains("the limit of symbols is reached"), "{failure}");
    assert!(
        place.text().starts_with("digraph { a -> a"),
        "a model that is not sure is not written"
    );
    // Too few symbols to meet a difference.
    let short = LearnOptions::new().max_symbols(3);
    let failure = place.check_with(device(), short, Update::No).expect_err("too few");
    assert!(failure.starts_with("it is not sure whether the device does what"), "{failure}");
}

/// The device is known, so neither limits nor fewer answers would help.
#[test]
fn a_comparison_that_takes_too_long_blames_the_gaps_of_the_model() {
    let mismatch = Mismatch::<Infallible>::NotCompared { path: PATH.to_owned(), cut: Cut::Pairs };
    let failure = mismatch.to_string();
    assert!(failure.contains("million pairs of states") && failure.contains("gaps"), "{failure}");
    assert!(!failure.contains("LearnOptions"), "{failure}");
}

#[test]
fn a_device_that_contradicts_itself_is_told_with_the_word() {
    let place = GoldenFolder::with_model(LAMP);
    let mut presses = 0;
    // The count survives a reset.
    let step = move |(): &mut (), input| {
        presses += u32::from(input == "press");
        if presses > 40 { "worn out" } else { "ok" }
    };
    let failure = place.failure(Device::from_fn(["press", "look"], || (), step));
    let begin = "the device cannot be compared with models/lamp.dot: the device contradicts itself after a \
                 reset and `";
    assert!(failure.starts_with(begin), "{failure}");
    assert!(
        failure.contains("`: it said `ok` ") && failure.contains(" and `worn out` once"),
        "{failure}"
    );
}

/// A device that breaks.
struct Breaks;

#[derive(Debug)]
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no power")
    }
}

impl Error for Broken {}

impl Sul for Breaks {
    type Error = Broken;

    fn reset(&mut self) -> Result<(), Broken> {
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Broken> {
        if input.index() == 1 { Err(Broken) } else { Ok(b"ok") }
    }
}

#[test]
fn a_device_that_fails_is_told_with_the_word() {
    let place = GoldenFolder::with_model(LAMP);
    let failure = place.failure(Device::new(["press", "look"], Breaks));
    assert!(failure.contains("the device failed after a reset and `"), "{failure}");
    assert!(failure.ends_with("look`: no power"), "{failure}");
}

#[test]
fn other_inputs_are_listed() {
    let place = GoldenFolder::with_model(&LAMP.replace("look/", "peek/"));
    assert_eq!(
        place.failure(lamp(true)),
        "the device has other inputs than models/lamp.dot\n\n- peek\n+ look\n\n\
         - the model, + the device\n\n\
         If the device is right: MEALYBUG_UPDATE=1 cargo test, and review the change of the file."
    );
    let twice = Device::from_fn(["look", "look"], || (), |(), _| "off");
    assert!(place.failure(twice).ends_with("two inputs called `look`"));
    let none = Device::from_fn([""; 0], || (), |(), _| "off");
    assert!(place.failure(none).ends_with("a device has 1 to 65536 inputs, and this one has 0"));
}

#[test]
fn a_file_that_is_no_model_is_told_with_the_line() {
    let place = GoldenFolder::with_model("digraph {\n  off -> on [label=\"press\"];\n}");
    let failure = place.failure(lamp(true));
    assert!(failure.starts_with("models/lamp.dot is not a model: line 2: the label"), "{failure}");
}

#[test]
fn what_a_partial_model_leaves_out_is_not_compared() {
    let known = LAMP.replace("dim -> off [label=\"press/ok\"];", "");
    assert_ne!(known, LAMP);
    let place = GoldenFolder::with_model(&known);
    assert_eq!([place.check(lamp(true)), place.check(lamp(false))], [Ok(()), Ok(())]);
}

#[test]
fn a_variable_is_set_by_what_people_write() {
    assert_eq!(["1", "true", "yes", "always"].map(is_yes), [true; 4]);
    assert_eq!(["", "0", "false", "no"].map(is_yes), [false; 4]);
}
