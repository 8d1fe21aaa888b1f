//! Models of the two families.

use super::workplace::{CLOCK, LAMP, Workplace};

#[test]
fn an_artificial_model_can_be_learned_and_is_the_same_each_time() {
    let place = Workplace::new(&[]);
    let wanted = ["generate", "artificial", "--machines", "2", "--states", "5", "--seed", "7"];
    let shown = place.call(&wanted).ended(0).stdout;
    let to_file = [&wanted[..], &["--out", "random-2-5-7.dot"]].concat();
    assert_eq!(place.call(&to_file).ended(0).stdout, "");
    place.call(&["learn", "--model", "random-2-5-7.dot", "--out", "run"]).ended(0);
    place.call(&["diff", "run", "random-2-5-7.dot"]).ended(0);
    assert_eq!(place.call(&to_file[..8]).ended(0).stdout, shown);
    let other = ["generate", "artificial", "--machines", "2", "--states", "5", "--seed", "8"];
    assert_ne!(place.call(&other).ended(0).stdout, shown);
}

#[test]
fn machines_are_interleaved() {
    let place = Workplace::new(&[("lamp.dot", LAMP), ("clock.dot", CLOCK)]);
    let both = ["generate", "interleave", "lamp.dot", "clock.dot", "--out", "both.dot"];
    place.call(&both).ended(0);
    let table = place.call(&["show", "both.dot"]).ended(0).stdout;
    assert_eq!(table.lines().count(), 1 + 3 * 6, "{table}");
    for input in ["press", "hold", "go", "back"] {
        assert!(table.lines().next().is_some_and(|head| head.contains(input)), "{table}");
    }
}

#[test]
fn what_cannot_be_made_is_told_of() {
    let place = Workplace::new(&[("lamp.dot", LAMP)]);
    let cases: [(&[&str], i32, &[&str]); 6] = [
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
            &["interleave", "lamp.dot", "lamp.dot", "--out", "no/such/file"],
            1,
            &["cannot write no/such/file"],
        ),
    ];
    for (arguments, code, said) in cases {
        let called = place.call(&[&["generate"], arguments].concat()).ended(code);
        for part in said {
            assert!(called.stderr.contains(part), "{arguments:?}: {}", called.stderr);
        }
    }
}
