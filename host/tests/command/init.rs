//! A first device file.

use super::workplace::Workplace;

#[test]
fn an_example_is_written_and_never_over_another_file() {
    let place = Workplace::new(&[]);
    for kind in ["console", "lines", "frames", "bytes"] {
        let file = format!("{kind}.toml");
        let called = place.call(&["init", &file, "--kind", kind]).ended(0);
        let next = format!("mealybug check --port PORT {file}");
        assert!(called.stdout.contains(&next), "{}", called.stdout);
        let called = place.call(&["init", &file, "--kind", kind]).ended(1);
        called.complains(&["there is already a file", "nothing is overwritten"]);
        // The only fault of the file is that nothing is at the port.
        let called = place.call(&["try", "--port", "/dev/no-such-port", &file]).ended(5);
        called.complains(&["there is no port /dev/no-such-port"]);
    }
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let place = Workplace::new(&[]);
    let called = place.call(&["init", "lock.toml"]).ended(2);
    called.complains(&["there is nobody to ask", "--kind console"]);
    assert!(!place.path("lock.toml").exists());
}
