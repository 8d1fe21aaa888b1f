//! `mealybug target` without a target: errors come before a port is opened.

use super::workplace::Workplace;

const PLAIN: &str = "\
[[reset]]
steps = [{ send = \"reset\\n\" }]
expect = { match = 'ready\\n$', within_ms = 100 }
[reply]
lines = 1
[inputs]
a = \"a\\n\"
";

#[test]
fn what_a_target_cannot_do_is_told_before_anything_is_opened() {
    let summed = PLAIN.replace("lines = 1", "lines = 1\nchecksum = \"xor8\"");
    let place =
        Workplace::new(&[("plain.toml", PLAIN), ("summed.toml", &summed), ("words", "a\n")]);
    let call =
        |arguments: &[&str]| place.call(&[&["target", "--port", "/dev/none"], arguments].concat());
    let called = call(&["summed.toml"]).ended(1);
    called.complains(&["a target cannot do what the device file says: [reply], or that of the input `a`, has a `checksum`"]);
    let called = call(&["plain.toml", "--words", "words"]).ended(2);
    called.complains(&["a target cannot try --words"]);
    let called = call(&["plain.toml", "--projections", "A,B|C"]).ended(2);
    called.complains(&["a target knows no groups of outputs"]);
    let called = call(&["plain.toml", "--live"]).ended(2);
    called.complains(&["--live is not for targets", "learn through an agent"]);
    for (tree, table) in [("ol-sharp", "ol-star"), ("l-sharp", "l-star")] {
        let called = call(&["plain.toml", "--algorithm", tree]).ended(2);
        let help = format!("leave --algorithm out or give {table}, or load the agent");
        called.complains(&[&format!("--algorithm {tree} is not for targets"), &help]);
        call(&["plain.toml", "--algorithm", table]).ended(5);
    }
    let called = call(&["plain.toml"]).ended(5);
    called.complains(&["there is no port /dev/none"]);
}

#[test]
fn what_a_target_is_told_is_shown_and_written() {
    let place = Workplace::new(&[("plain.toml", PLAIN)]);
    let called = place.call(&["compile", "plain.toml", "--out", "plain.rules"]).ended(0);
    for line in ["input `a`: in the end reply 0\n", "  send `a\\n`\n", "1 of   64 inputs\n"] {
        assert!(called.stdout.contains(line), "{line} is not in:\n{}", called.stdout);
    }
    assert!(std::fs::read(place.path("plain.rules")).expect("written").starts_with(b"Mealyrule"));
    let called = place.call(&["compile", "plain.toml", "-o", "none/plain.rules"]).ended(6);
    called.complains(&["cannot write none/plain.rules", "is there such a folder"]);
}
