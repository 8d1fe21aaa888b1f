//! Generated models.

use mealybug::dot;
use mealybug_core::Mealy;

use super::workplace::{CLOCK, LAMP, Workplace};

#[test]
fn an_artificial_model_can_be_learned_and_is_the_same_each_time() {
    let place = Workplace::new(&[]);
    let wanted = ["generate", "artificial", "--machines", "2", "--states", "5", "--seed", "7"];
    let shown = place.call(&wanted).ended(0).stdout;
    let to_file = [&wanted[..], &["--out", "random-2-5-7.dot"]].concat();
    assert_eq!(place.call(&to_file).ended(0).stdout, "");
    let run = ["run", "random-2-5-7.dot", "--out", "rows", "--tests", "perfect"];
    place.call(&run).ended(0);
    let rows = std::fs::read_to_string(place.path("rows/mealybug.csv")).expect("rows");
    assert_eq!(rows.matches(",exact,50,").count(), 2, "{rows}");
    assert_eq!(place.call(&to_file[..8]).ended(0).stdout, shown);
    let other = ["generate", "artificial", "--machines", "2", "--states", "5", "--seed", "8"];
    assert_ne!(place.call(&other).ended(0).stdout, shown);
}

#[test]
fn machines_are_interleaved() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("clock.dot", CLOCK)]);
    let both = place.call(&["generate", "interleave", "lamp.dot", "clock.dot"]).ended(0).stdout;
    let both = dot::read_complete("both", &both).expect("a model");
    assert_eq!(both.inputs(), ["press", "hold", "go", "back"]);
    assert_eq!((both.states(), Mealy::inputs(&both)), (3 * 6, 4));
    let prefixed = ["generate", "interleave", "lamp.dot", "lamp.dot", "--prefix"];
    let lamps = place.call(&prefixed).ended(0).stdout;
    let lamps = dot::read_complete("lamps", &lamps).expect("a model");
    assert_eq!(lamps.inputs(), ["1.press", "1.hold", "2.press", "2.hold"]);
    assert_eq!(lamps.states(), 3 * 3);
}

#[test]
fn each_family_hides_something_in_random_machines_and_in_files() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("clock.dot", CLOCK)]);
    let called = place.call(&["generate", "hidden", "--count", "14", "--out", "hidden"]).ended(0);
    assert!(called.stdout.contains("14 machines in hidden"), "{}", called.stdout);
    let read = |file: &str| std::fs::read_to_string(place.path(file)).expect("a file");
    let rows = read("hidden/hidden.csv");
    assert_eq!(rows.lines().count(), 15, "{rows}");
    for family in ["counter", "unlock", "payload", "mode", "time-out", "wrap", "wrong"] {
        let count = rows.lines().filter(|row| row.starts_with(family)).count();
        assert_eq!(count, 2, "{family}: {rows}");
    }
    let machine =
        dot::read_complete("counter-0.dot", &read("hidden/counter-0.dot")).expect("a model");
    assert!(rows.contains(&format!(",{},", machine.states())), "{rows}");

    let wanted = ["generate", "hidden", "lamp.dot", "clock.dot", "--family", "counter,wrap"];
    let few = ["--count", "6", "--max-symbols", "500", "--out", "few"];
    place.call(&[&wanted[..], &few].concat()).ended(0);
    let rows = read("few/hidden.csv");
    let symbols = rows.lines().skip(1).map(|row| row.rsplit(',').next().expect("a field"));
    let symbols: Vec<f64> = symbols.map(|field| field.parse().expect("a number")).collect();
    assert_eq!(symbols.len(), 6, "{rows}");
    assert!(symbols.iter().all(|&symbols| symbols <= 500.0), "{rows}");
    assert!(rows.contains(",lamp,") && rows.contains(",clock,"), "{rows}");

    let again = place.call(&["generate", "hidden", "--out", "few"]).ended(1);
    again.complains(&["few is not an empty folder", "nothing is overwritten"]);
    let none = ["generate", "hidden", "--count", "3", "--max-symbols", "0.5", "--out", "none"];
    place.call(&none).ended(1).complains(&["0 machines were made instead of 3", "--max-symbols"]);
    assert!(!place.path("none").exists(), "nothing is left");
    let few = [&none[..3], &["14", "--max-symbols", "20"], &none[6..]];
    place.call(&few.concat()).ended(1).complains(&["3 machines were made instead of 14"]);
    assert!(!place.path("none").exists(), "nothing is left of those that were made");
    place.call(&[&none[..4], &none[6..]].concat()).ended(0);
    assert_eq!(place.files("none").len(), 4, "three models and hidden.csv");
}

#[test]
fn what_cannot_be_made_is_told_of() {
    let partial =
        "digraph { off -> dim [label=\"press / on\"]; dim -> off [label=\"hold / off\"]; }";
    let place = Workplace::new(&[("lamp.dot", LAMP), ("partial.dot", partial)]);
    let cases: [(&[&str], i32, &[&str]); 7] = [
        (
            &["artificial", "--machines", "9", "--states", "40"],
            1,
            &["more than 1000000 states", "ask for fewer --machines"],
        ),
        (&["artificial", "--machines", "2"], 2, &["--states <N>"]),
        (&["artificial", "--machines", "2", "--states", "3", "--inputs", "0"], 2, &["--inputs"]),
        (&["interleave", "lamp.dot"], 2, &["2"]),
        (&["interleave", "lamp.dot", "none.dot"], 1, &["cannot read the model none.dot"]),
        (
            &["interleave", "lamp.dot", "partial.dot"],
            1,
            &["the state `off` has no transition for the input `hold`"],
        ),
        (
            &["interleave", "lamp.dot", "lamp.dot", "--out", "no/such/file"],
            6,
            &["cannot write no/such/file"],
        ),
    ];
    for (arguments, code, said) in cases {
        let called = place.call(&[&["generate"], arguments].concat()).ended(code);
        called.complains(said);
    }
}
