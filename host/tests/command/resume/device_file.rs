//! Runs whose device file, or a file that it sends, has changed.

use super::*;

#[test]
fn a_device_file_that_has_changed_is_told_of_and_taken_when_asked_for() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let _device = begun(&place);
    let said = |arguments: &[&str]| {
        place.call(&[&["learn", "--resume", "run"], arguments].concat()).ended(0).stderr
    };
    let quiet = said(&["--no-progress"]);
    assert_eq!(quiet, "", "nothing has changed");

    // Limits make no difference; then nothing is asked again.
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let limits = text.replace("[reply]", "[reply]\nmax_ms = 20000");
    std::fs::write(place.path("device.toml"), &limits).expect("a file");
    let note = said(&["--no-progress"]);
    assert!(note.contains("device.toml has changed since this run was begun"), "{note}");
    let answers = std::fs::read(place.path("run/answers.log")).expect("a file");
    let taken = said(&["--device", "device.toml"]);
    assert!(taken.contains("answers mean the same and are kept"), "{taken}");
    assert_eq!(place.statistics("run")["device"]["symbols"], 0);
    assert_eq!(place.files("run")["device.toml"], limits);
    assert_eq!(place.files("run")["device-1.toml"], text);
    assert_eq!(std::fs::read(place.path("run/answers-1.log")).expect("a file"), answers);
    assert_eq!(said(&["--device", "device.toml", "--no-progress"]), "", "it is the same now");

    // Of an input that does something else, and of one that is gone, no answer is kept.
    let asked = words(&place).len();
    let other = limits.replace("back = \"back\\n\"", "forth = \"back\\n\"");
    assert_ne!(other, limits);
    std::fs::write(place.path("other.toml"), &other).expect("a file");
    said(&["--device", "other.toml"]);
    let statistics = place.statistics("run");
    assert_eq!(statistics["states"], 6);
    assert_ne!(statistics["recalled"], 0);
    let now = words(&place);
    assert!(now.len() > asked);
    let only_go = |word: &&Vec<String>| word.iter().all(|input| input == "go");
    let (before, after) = now.split_at(asked);
    let longest = |words: &[Vec<String>]| words.iter().filter(only_go).map(Vec::len).max();
    let known = longest(before).unwrap_or(0);
    for word in after.iter().filter(only_go) {
        assert!(word.len() > known, "{word:?} was known");
    }
    let stale = said(&["--no-progress"]);
    assert_eq!(stale, "", "other.toml is now the file of the run");
    place.call(&["learn", "--device", "other.toml", "--model", "clock.dot"]).ended(2);
}

#[test]
fn going_back_to_an_earlier_device_file_asks_nothing() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let _device = begun(&place);
    let first = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let model = &place.files("run")["model.dot"];
    let goes_on = |file: &str| {
        let symbols = |part: &serde_json::Value| part["symbols"].as_u64().expect("a number");
        let before = place.statistics("run");
        let said = place.call(&["learn", "--resume", "run", "--device", file]).ended(0).stderr;
        let now = place.statistics("run");
        let paid = symbols(&before["device"])
            + before["earlier"]["device"]
                .as_object()
                .map_or(0, |_| symbols(&before["earlier"]["device"]));
        assert_eq!(symbols(&now["earlier"]["device"]), paid, "whatever is kept of it");
        (said, symbols(&now["device"]))
    };
    // Nothing is kept where the reset is another one.
    let other = first.replace("quiet_ms = 0\ntries", "quiet_ms = 1\ntries");
    assert_ne!(other, first);
    std::fs::write(place.path("other.toml"), &other).expect("a file");
    let (said, symbols) = goes_on("other.toml");
    assert!(
        said.contains(" 0 of ") && said.contains("--device run/device-1.toml goes on with them"),
        "{said}"
    );
    assert!(symbols > 0);
    assert_eq!(&place.files("run")["model-1.dot"], model);
    let (said, symbols) = goes_on("run/device-1.toml");
    assert!(said.contains(" answers in answers-1.log mean the same and are kept.\n"), "{said}");
    assert_eq!(symbols, 0);
    assert_eq!(&place.files("run")["device.toml"], &first);
    // Forth again: the answers of the other file are the second ones.
    let (said, symbols) = goes_on("other.toml");
    assert!(said.contains(" answers in answers-2.log mean the same and are kept.\n"), "{said}");
    assert_eq!(symbols, 0);
    assert_eq!(&place.files("run")["device-3.toml"], &first);
    // A session that ends before it has a model says where that of before is.
    let never = "expect = { match = \"never\", within_ms = 50 } #";
    let third = other.replace("expect = ", never);
    assert_ne!(third, other);
    std::fs::write(place.path("third.toml"), third).expect("a file");
    let third = ["learn", "--resume", "run", "--device", "third.toml"];
    let said = place.call(&third).ended(5).stdout;
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = "there is no model: the run ended before the first one; model-4.dot is what was learned with the device \
                 file before";
    assert!(words.contains(named), "{said}");
}

/// What may be another answer is asked again, and nothing else.
#[test]
fn a_change_says_which_key_it_is_and_what_is_asked_again() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let _device = begun(&place);
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let goes_on = |text: &str, said: &[&str]| {
        std::fs::write(place.path("other.toml"), text).expect("a file");
        let called = place.call(&["learn", "--resume", "run", "--device", "other.toml"]).ended(0);
        called.complains(said);
        let statistics = place.statistics("run");
        assert_eq!((&statistics["states"], &statistics["contradictions"]), (&6.into(), &0.into()));
        statistics["device"]["symbols"].as_u64().expect("a number")
    };
    // The same, written otherwise.
    let steps = text.replace("\"back\\n\"", "{ steps = [{ send = \"back\\n\" }] }");
    assert_ne!(steps, text);
    let same = "inputs.back has changed: no answer is asked again because of it.";
    assert_eq!(goes_on(&steps, &[same]), 0);
    // The simulated port answers at once, each reply with its line end.
    let patient = steps.replace("within_ms = 2000", "within_ms = 60000");
    assert_ne!(patient, steps);
    let within = "reply.within_ms is 60000, was 2000: no answer is asked again because of it.";
    assert_eq!(goes_on(&patient, &[within]), 0);
    // The replies are known, whatever they are called.
    assert!(patient.contains("[[output]]"), "its names do not show the replies");
    let replaced = format!("{REPLACE}{patient}");
    assert_eq!(goes_on(&replaced, &["[[replace]] is new: no answer is asked again"]), 0);
    let model = place.files("run")["model.dot"].clone();
    assert!(model.contains("back/i"), "{model}");
    // All answers depend on how a reply is read.
    let echo = replaced.replace("[reply]", "[reply]\ntime = { any = 0 }");
    let all = ["Note: 0 of ", "reply.time is new: ", " are asked again."];
    assert_ne!(goes_on(&echo, &all), 0);
}

/// Names outputs by a letter.
const REPLACE: &str = "[[replace]]\nmatch = 't([a-z])ck'\nwith = '$1'\n";

#[test]
fn replies_of_several_boards_are_known_too() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let devices = [start(&place, "clock.dot"), SimulatedPort::start(&place, &["clock.dot"])];
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let ports = devices.iter().flat_map(|device| ["--port", &device.port]).collect::<Vec<_>>();
    let begin = ["learn", "device.toml", "--out", "run", "--tests-in-a-row", "60"];
    place.call(&[&begin[..], &ports].concat()).ended(0);
    std::fs::write(place.path("device.toml"), format!("{REPLACE}{text}")).expect("a file");
    let resumed = place.call(&["learn", "--resume", "run", "--device", "device.toml"]).ended(0);
    resumed.complains(&["[[replace]] is new: no answer is asked again because of it."]);
}

/// The run was begun with a version that knew other keys, or its copy is damaged.
#[test]
fn a_copy_that_makes_no_sense_is_replaced_by_another_device_file() {
    let place = Workplace::new(&[("clock.dot", CLOCK)]);
    let _device = begun(&place);
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let old_key = text.replace("back = \"back\\n\"", "back = { send = \"back\\n\", old_key = 1 }");
    assert_ne!(old_key, text);
    for (copy, complaint, kept) in [
        (old_key, "old_key", "answers mean the same and are kept."),
        (
            "= =".to_owned(),
            "run/device.toml",
            "are kept, since the run's copy of its device file is not TOML.",
        ),
    ] {
        std::fs::write(place.path("run/device.toml"), &copy).expect("a file");
        let refused = place.call(&["learn", "--resume", "run"]);
        assert_ne!(refused.code, Some(0));
        refused.complains(&["--device FILE takes another one", "run/device.toml", complaint]);
        let resumed = place
            .call(&["learn", "--resume", "run", "--device", "device.toml", "--trust"])
            .ended(0);
        resumed.complains(&[kept]);
        assert_eq!(resumed.stderr.contains("Note: 0 of "), copy == "= =", "{}", resumed.stderr);
        assert_eq!(place.files("run")["device.toml"], text);
    }
}

#[test]
fn answers_to_a_file_that_has_changed_are_not_believed() {
    let kicks = ["off", "dim", "bright"].map(|it| format!("{it} -> {it} [label=\"kick / ouch\"];"));
    let lamp = LAMP.replace("digraph lamp {", &format!("digraph lamp {{ {}", kicks.concat()));
    let place = Workplace::new(&[("lamp.dot", &lamp)]);
    let device = start(&place, "lamp.dot");
    let text = std::fs::read_to_string(place.path("device.toml")).expect("a device file");
    let text = text.replace("kick = \"kick\\n\"\n", "");
    let text = text.replace("press = \"press\\n\"", "press = { file = \"p.bin\" }");
    assert!(text.contains("p.bin") && !text.contains("kick"), "{text}");
    for (folder, bytes) in [("one", "press\n"), ("two", "kick\n")] {
        std::fs::create_dir(place.path(folder)).expect("a folder");
        std::fs::write(place.path(folder).join("lamp.toml"), &text).expect("a file");
        std::fs::write(place.path(folder).join("p.bin"), bytes).expect("a file");
    }
    let begin = ["learn", "--port", &device.port, "one/lamp.toml", "--trust", "--out", "run"];
    place.call(&[&begin[..], &["--tests-in-a-row", "30", "--no-progress"]].concat()).ended(0);
    let goes_on = |arguments: &[&str], said: &[&str], states: u32| {
        let called = place.call(&[&["learn", "--resume", "run"], arguments].concat()).ended(0);
        called.complains(said);
        let statistics = place.statistics("run");
        assert_eq!(statistics["states"], states, "{arguments:?}");
        (called.stderr, statistics["device"]["symbols"] != 0)
    };
    let nothing = || (String::new(), false);
    assert_eq!(goes_on(&[], &[], 3), nothing());
    let kept = ["answers mean the same and are kept."];
    assert!(goes_on(&["--device", "two/lamp.toml", "--trust"], &kept, 1).1);
    assert!(goes_on(&["--device", "one/lamp.toml", "--trust"], &kept, 3).1);
    std::fs::write(place.path("one/p.bin"), "kick\n").expect("a file");
    let changed = ["one/p.bin has changed since the run last went on", kept[0]];
    assert!(goes_on(&[], &changed, 1).1);
    assert_eq!(goes_on(&[], &[], 1), nothing());
    // The same bytes in another place are no change.
    assert_eq!(goes_on(&["--device", "two/lamp.toml", "--trust"], &[], 1), nothing());
}

/// A port server: the device file changes when it is called, before the port is open.
#[test]
fn a_run_keeps_the_device_file_that_it_uses() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = format!("rfc2217:{}", listener.local_addr().expect("an address"));
    let text = "[[reset]]\nsteps = [{ send = 'r' }]\n[inputs]\na = 'a'\n";
    let place = Workplace::new(&[("device.toml", text)]);
    let file = place.path("device.toml");
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        std::fs::write(file, "[inputs]\nother = 'b'\n").expect("a file");
        let mut server = Server::new(PortSettings::default());
        let mut buffer = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let _nothing_for_the_device = server.receive(&buffer[..count]);
            while server.poll_event().is_some() {}
            stream.write_all(&server.take_output()).expect("the client takes it");
        }
    });
    let learn = ["learn", "--port", &port, "device.toml", "--out", "run", "--max-symbols", "1"];
    place.call(&learn).ended(3);
    assert_eq!(place.files("run")["device.toml"], text);
}
