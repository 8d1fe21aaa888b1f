//! Names that fit and names that do not, in one machine and from one machine to another.

use super::*;
use crate::demo_lock::DemoLock;
use crate::machine::testing::{Random, partial};
use crate::machine::{Builder, separate};
use crate::{dot, export, picture};

const HOSTILE: [&str; 8] = [
    "a \"quoted\" name",
    "</script><script>alert(1)</script>",
    "back\\slash 'and' more",
    "a -> b [label=\"x/y\"]; __start0",
    "{open}",
    "# [x] = 1",
    "-->",
    "ö 開 😀 %22",
];

/// The machine with the names in a file of this text, and the notes.
fn named(machine: &Machine, text: &str) -> (Machine, Vec<String>) {
    let names = StateNames::parse("states.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let mut naming = Naming::new(machine.clone());
    naming.give(&names);
    naming.finish()
}

/// The machine with the names of an older one, and the notes.
fn carried(older: &Machine, machine: &Machine) -> (Machine, Vec<String>) {
    let mut naming = Naming::new(machine.clone());
    naming.carry_over(older, "old.dot");
    naming.finish()
}

/// The names of a machine, by state.
fn names(machine: &Machine) -> Vec<(u32, &str)> {
    (0..machine.states()).filter_map(|state| Some((state, machine.state_name(state)?))).collect()
}

fn marked(name: &str, output: &str, input: Option<&str>) -> StateNames {
    let mark = StateMark::Output { output: output.to_owned(), input: input.map(ToOwned::to_owned) };
    let states = vec![NamedState { name: name.to_owned(), mark, line: 7 }];
    StateNames { file: "lock.toml".to_owned(), states }
}

/// A door: closed, open, locked. `knock` says the same everywhere.
fn door() -> Builder {
    let mut door = Builder::default();
    for (from, input, to, output) in [
        (0, "push", 1, "opens"),
        (0, "turn", 2, "click"),
        (0, "knock", 0, "knock"),
        (1, "push", 0, "shuts"),
        (1, "turn", 1, "nothing"),
        (1, "knock", 1, "knock"),
        (2, "push", 2, "nothing"),
        (2, "turn", 0, "click"),
    ] {
        door.add(from, input, to, output).expect("new");
    }
    door
}

#[test]
fn words_name_the_states_to_which_they_lead() {
    let door = door().build_partial(0);
    let text = "# mine\nclosed = ''\n\"wide open\" = 'push knock'\nlocked = \"turn\"\n";
    let (door, notes) = named(&door, text);
    assert_eq!(notes, [""; 0]);
    assert_eq!(names(&door), [(0, "closed"), (1, "wide open"), (2, "locked")]);
    assert_eq!((door.state_text(2), door.state_label(1)), ("locked".into(), "1 wide open".into()));
}

#[test]
fn a_name_that_does_not_fit_is_noted_with_its_line_and_left_out() {
    let mut partial = door();
    partial.add_open(2, "knock", 0, "knock").expect("new");
    let partial = partial.build_partial(0).with_unasked("ring");
    for (line, note) in [
        ("x = 'psh'", "there is no input `psh`: did you mean `push`?"),
        ("x = 'zzz'", "there is no input `zzz`; the inputs are `push`, `turn`, `knock`, `ring`"),
        (
            "x = 'push ring'",
            "`ring` after `push` was never asked; learn more of the device, or give another word",
        ),
        (
            "x = 'ring'",
            "`ring` after a reset was never asked; learn more of the device, or give another word",
        ),
        (
            "x = 'turn knock'",
            "where `knock` after `turn` leads is a guess; learn more of the device, or give another word",
        ),
        (
            "x = 'push push'",
            "its state is called `closed`; one of the names is too many, or the model has too few states",
        ),
    ] {
        let (machine, notes) = named(&partial, &format!("closed = ''\n\n{line}\nopen = 'push'"));
        assert_eq!(notes, [format!("states.toml:3: `x` names no state: {note}")], "{line}");
        assert_eq!(names(&machine), [(0, "closed"), (1, "open")], "{line}");
    }
}

#[test]
fn a_name_of_two_files_is_for_one_state() {
    let (door, _) = named(&door().build_partial(0), "closed = ''");
    let (door, notes) = named(&door, "closed = 'push push'\nopen = 'push'\n");
    assert_eq!((names(&door), notes), (vec![(0, "closed"), (1, "open")], vec![]));
    let (door, notes) = named(&door, "open = 'turn'");
    assert_eq!(names(&door), [(0, "closed"), (1, "open")]);
    let note =
        "states.toml:1: `open` names no state: another state is called so; choose another name";
    assert_eq!(notes, [note]);
}

#[test]
fn an_output_marks_the_states_to_which_it_leads() {
    let door = door().build_partial(0);
    let give = |names: &StateNames, machine: &Machine| {
        let mut naming = Naming::new(machine.clone());
        naming.give(names);
        naming.finish()
    };
    let (one, notes) = give(&marked("open", "opens", None), &door);
    assert_eq!((names(&one), notes), (vec![(1, "open")], vec![]));
    // Several have numbers, in the order of the states; who has a name keeps it.
    let (two, _) = give(&marked("after a click", "click", None), &door);
    assert_eq!(names(&two), [(0, "after a click"), (2, "after a click (2)")]);
    let (two, notes) = give(&marked("x", "click", Some("turn")), &one.clone());
    assert_eq!((names(&two), notes), (vec![(0, "x"), (1, "open"), (2, "x (2)")], vec![]));
    let (again, _) = give(&marked("y", "click", None), &two);
    assert_eq!(names(&again), names(&two));
    // An output of another input marks nothing here.
    for (names, note) in [
        (
            marked("x", "click", Some("push")),
            "no transition on `push` is known to have the output `click`: did you mean `click`?",
        ),
        (
            marked("x", "clck", None),
            "no transition is known to have the output `clck`: did you mean `click`?",
        ),
        (marked("x", "zzz", None), "no transition is known to have the output `zzz`"),
        (marked("x", "click", Some("pusch")), "there is no input `pusch`: did you mean `push`?"),
    ] {
        let (machine, notes) = give(&names, &door);
        assert_eq!(notes, [format!("lock.toml:7: `x` names no state: {note}")]);
        assert!(!machine.has_state_names());
    }
    let mut guess = Builder::default();
    guess.add_open(0, "a", 1, "x").expect("new");
    let (guess, notes) = give(&marked("x", "x", None), &guess.build_partial(0));
    assert_eq!((names(&guess).len(), notes.len()), (0, 1), "a guess marks nothing");
}

#[test]
fn an_output_of_too_many_states_marks_none() {
    let ring = |states: u32| {
        let mut ring = Builder::default();
        for state in 0..states {
            ring.add(state, "next", (state + 1) % states, "step").expect("new");
        }
        let mut naming = Naming::new(ring.build(0).expect("complete"));
        naming.give(&marked("x", "step", None));
        naming.finish()
    };
    let (most, notes) = ring(100);
    assert_eq!((names(&most).len(), notes), (100, vec![]));
    assert_eq!(most.state_name(99), Some("x (100)"));
    let (none, notes) = ring(101);
    assert!(!none.has_state_names());
    let note = "lock.toml:7: `x` names no state: the output `step` leads to 101 states, more than 100; give an \
                input with it, or a word";
    assert_eq!(notes, [note]);
}

#[test]
fn the_alarm_of_the_demo_is_two_states() {
    let mut naming = Naming::new(DemoLock::machine());
    naming.give(&marked("alarm", "alarm", None));
    let (lock, notes) = naming.finish();
    let names: Vec<_> = names(&lock).into_iter().map(|(_, name)| name).collect();
    assert_eq!((names, notes), (vec!["alarm", "alarm (2)"], vec![]));
}

#[test]
fn names_go_to_states_that_answer_alike() {
    let (older, _) = named(&door().build_partial(0), "closed = ''\nopen = 'push'\nlocked = 'turn'");
    // The same door, in which states have other numbers and one input is new.
    let mut same = Builder::default();
    for (from, input, to, output) in older.named_transitions() {
        same.add(2 - from, input, 2 - to, output).expect("new");
    }
    same.add(0, "knock", 1, "hello").expect("new");
    same.add(2, "ring", 2, "ding").expect("new");
    let same = same.build_partial(2);
    let (machine, notes) = carried(&older, &same);
    assert_eq!(names(&machine), [(0, "locked"), (1, "open"), (2, "closed")]);
    assert_eq!(notes, [""; 0]);

    let changed = |from: u32, input: &str, to: u32, output: &str| {
        let mut builder = Builder::default();
        for (known, name, target, said) in older.named_transitions() {
            let (target, said) =
                if (known, name) == (from, input) { (to, output) } else { (target, said) };
            builder.add(known, name, target, said).expect("new");
        }
        builder.build_partial(0)
    };
    let not = |name: &str, why: &str| format!("`{name}` of old.dot is not carried over: {why}");
    for (new, kept, notes) in [
        // An answer there.
        (
            changed(1, "turn", 1, "jammed"),
            vec![(0, "closed"), (2, "locked")],
            vec![not("open", "`turn` after `push` is answered `jammed`, no longer `nothing`")],
        ),
        // An answer on the way, which is one of the state in which the way begins.
        (
            changed(0, "push", 1, "creaks"),
            vec![],
            vec![
                not("closed", "`push` after a reset is answered `creaks`, no longer `opens`"),
                not("open", "`push` after a reset is answered `creaks`, no longer `opens`"),
            ],
        ),
        // Another way.
        (
            changed(0, "push", 0, "opens"),
            vec![(0, "closed"), (2, "locked")],
            vec![not("open", "`push` after `push` is answered `opens`, no longer `shuts`")],
        ),
        // What lies behind the state does not matter.
        (changed(1, "push", 2, "shuts"), vec![(0, "closed"), (1, "open"), (2, "locked")], vec![]),
    ] {
        let (machine, said) = carried(&older, &new);
        let said: Vec<_> = said.into_iter().filter(|note| !note.contains("`locked`")).collect();
        let kept_now: Vec<_> = names(&machine);
        assert_eq!(said, notes);
        if notes.len() < 2 {
            assert_eq!(kept_now, kept);
        }
    }
}

#[test]
fn what_is_not_there_any_more_keeps_no_name() {
    let (older, _) = named(&door().build_partial(0), "closed = ''\nopen = 'push'\nlocked = 'turn'");
    let mut poor = Builder::default();
    poor.add(0, "push", 1, "opens").expect("new");
    poor.add(1, "knock", 1, "knock").expect("new");
    let (machine, notes) = carried(&older, &poor.build_partial(0));
    assert_eq!(names(&machine), [(0, "closed"), (1, "open")], "what is not known is no difference");
    assert_eq!(
        notes,
        ["`locked` of old.dot is not carried over: there is no input `turn` any more"]
    );
    // Two states of the old one are one now.
    let mut one = Builder::default();
    for input in ["push", "turn", "knock"] {
        one.add(0, input, 0, "x").expect("new");
    }
    let one = one.build(0).expect("complete");
    let two = {
        let mut two = Builder::default();
        for (from, input) in [(0, "push"), (0, "turn"), (1, "push"), (1, "turn")] {
            two.add(from, input, 1 - from, "x").expect("new");
        }
        two.build(0).expect("complete")
    };
    let (two, _) = named(&two, "left = ''\nright = 'push'");
    let (machine, notes) = carried(&two, &one);
    assert_eq!(names(&machine), [(0, "left")]);
    let note = "`right` of old.dot is not carried over: its state is called `left`; one of the names is too many, or the model has too few states";
    assert_eq!(notes, [note]);
    // A name that is given already stays where it is.
    let (given, _) = named(&one, "right = ''");
    let (machine, _) = carried(&two, &given);
    assert_eq!(names(&machine), [(0, "right")]);
}

#[test]
fn names_stay_when_a_model_is_minimised_or_learned_anew() {
    let mut source = Random::new(51);
    let mut kept = 0;
    for _ in 0..200 {
        let machine = partial(&mut source, 8, 3, 3);
        let words: Vec<_> = machine.access_words().iter().collect();
        let lines = words.iter().map(|(state, word)| {
            line(&format!("of {state}"), &word::format(word, machine.inputs()))
        });
        let (machine, _) = named(&machine, &lines.collect::<String>());
        let minimal = machine.minimise();
        for (state, word) in &words {
            let word: Vec<_> =
                word.iter().map(|&input| machine.input_name(input).to_owned()).collect();
            let then = minimal.state_after(&word).expect("it knows the same");
            let is_first = minimal.state_name(then) == machine.state_name(*state);
            kept += u32::from(is_first && machine.state_name(*state).is_some());
        }
        let distinct = minimal.access_words().states().len();
        assert!(names(&minimal).len() <= distinct);
        let (again, notes) = carried(&minimal, &minimal.clone().with_state_names(BTreeMap::new()));
        assert_eq!((again, notes), (minimal, vec![]));
    }
    assert!(kept > 500, "{kept}");
}

#[test]
fn hostile_names_come_back_from_the_file_and_harm_no_format() {
    let mut ring = Builder::default();
    for state in 0..8 {
        ring.add(state, "next", (state + 1) % 8, &format!("to {state}")).expect("new");
    }
    let given = (0..).zip(HOSTILE.map(str::to_owned)).collect();
    let machine = ring.build(0).expect("complete").with_state_names(given);
    let file = text(&machine);
    let (again, notes) = named(&machine.clone().with_state_names(BTreeMap::new()), &file);
    assert_eq!((again, notes), (machine.clone(), vec![]), "{file}");

    let dot = dot::write(&machine);
    let read = dot::read("named.dot", &dot).unwrap_or_else(|error| panic!("{error}\n{dot}"));
    assert_eq!(separate(&machine, &read), Ok(None));
    let labels = dot.lines().filter(|line| line.contains("label") && !line.contains("->"));
    // AALpy tells states from transitions by these, line by line.
    let states = labels.filter(|line| !line.contains("__start0"));
    assert_eq!(states.count(), machine.states() as usize, "{dot}");
    let svg = picture::svg(&machine, None).expect("it is small");
    assert!(!svg.contains("<script"), "{svg}");
    let scxml = export::scxml(&machine, None);
    for text in [svg, scxml] {
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

#[test]
fn what_is_no_name_is_refused_at_its_line() {
    let long = "x".repeat(MAX_CHARACTERS);
    StateNames::parse("states.toml", &format!("{long} = 'a'")).expect("just short enough");
    for (line, why) in [
        ("= 'a'", "this is not TOML: "),
        ("open", "this is not TOML: "),
        ("open = 5", "the word of this name is not text"),
        ("open = ['a']", "the word of this name is not text"),
        ("open.wide = 'a'", "the word of this name is not text"),
        ("[open]", "the word of this name is not text"),
        ("\"\" = 'a'", "a state cannot be called so: a name has a character that is seen"),
        ("\" open\" = 'a'", "a state cannot be called so: a name has a character that is seen"),
        ("\"a\\u202eb\" = 'a'", "a state cannot be called so: it has a hidden character, U+202E"),
        ("\"a\\nb\" = 'a'", "a state cannot be called so: it has a hidden character, U+000A"),
        ("17 = 'a'", "a state cannot be called so: this is the number of a state"),
        ("s3 = 'a'", "a state cannot be called so: this is the number of a state"),
        (&format!("{long}x = 'a'"), "a state cannot be called so: it has more than 60 characters"),
        ("closed = 'b'", "this is not TOML: duplicate key"),
    ] {
        let text = format!("closed = ''\n{line}\n");
        let error = StateNames::parse("states.toml", &text).expect_err(line);
        let note = error.note();
        assert!(note.starts_with(&format!("states.toml:2: {why}")), "{line}: {note}");
    }
    for name in ["s", "s1x", "1st", "x s1"] {
        assert_eq!(wrong_name(name), None, "{name}");
    }
}
