//! Programs that behave as devices, and programs that do not.

use std::time::Instant;

use miette::Diagnostic;

use super::*;

/// A program that answers `inputs`, `reset` and `step NAME` with these shell commands.
fn program(inputs: &str, reset: &str, step: &str) -> String {
    format!(
        "while read -r word name; do case $word in inputs) {inputs};; reset) {reset};; \
         step) {step};; esac; done"
    )
}

fn start(program: &str) -> Result<Adapter, AdapterError> {
    Adapter::start_with(program, None, Duration::from_secs(10), Arc::default())
}

fn step(adapter: &mut Adapter, input: u32) -> Result<String, AdapterError> {
    let output = adapter.step(Input::new(input))?;
    Ok(String::from_utf8(output.to_vec()).expect("text"))
}

#[test]
fn names_and_outputs_may_be_anything() {
    let step_it = r#"case $name in a\\x20b) echo;; \\\\) printf '%s\r\n' '\x00é \\ ';; *) printf '%s\n' "$name";; esac"#;
    let program = program(r"printf '%s\n' 'press a\x20b  \\ é'", "echo ok", step_it);
    let mut adapter = start(&program).expect("it starts");
    assert_eq!(adapter.inputs(), ["press", "a b", "\\", "é"]);
    adapter.reset().expect("a reset");
    let outputs: Vec<_> =
        (0..4).map(|input| step(&mut adapter, input).expect("an output")).collect();
    assert_eq!(outputs, ["press", "", r"\x00\xc3\xa9 \\ ", "é"]);
}

#[test]
fn what_is_no_adapter_is_told_of() {
    let cases = [
        ("exit 3", "the adapter ended at `inputs`: exit status: 3"),
        ("no-such-program", "the adapter ended at `inputs`: exit status: 127"),
        ("read x; printf 'a b'; exit 4", "the adapter ended at `inputs`: exit status: 4"),
        ("exec >&-; sleep 0.1", "the adapter ended at `inputs`: exit status: 0"),
        ("read x; echo", "the adapter answered `inputs` by ``, and not by the names of its"),
        (
            "read x; echo 1,2,enter,close",
            "by one name, `1,2,enter,close`: names have blanks between, not commas",
        ),
        ("read x; echo a b a", "the adapter has two inputs called `a`"),
        ("read x; printf '%s\\n' 'b a \\x61'", "the adapter has two inputs called `a`"),
        ("read x; printf '%s\\n' 'a\\b'", "by `a\\\\b`, and not by names in which a backslash"),
        ("read x; printf '\\377\\n'", "by `\\xff`, and not by the names of its inputs, as text"),
        ("read x; echo error no device", "the device failed at `inputs`: no device"),
    ];
    for (program, said) in cases {
        let error = start(program).expect_err(program).to_string();
        assert!(error.contains(said), "{program}: {error}");
    }
}

#[test]
fn commas_are_part_of_names_where_there_are_several_or_they_are_escaped() {
    let inputs = |said: &str| {
        let list = format!("printf '%s\\n' '{said}'");
        start(&program(&list, "echo ok", "echo")).map(|adapter| adapter.inputs().to_vec())
    };
    assert_eq!(inputs("1,2 3").expect("two inputs"), ["1,2", "3"]);
    for only in ["a,b", ",", "a, b"] {
        let written = quote_names(&[only.as_bytes().to_vec()]);
        assert_eq!(inputs(&written[0]).expect("an input"), [only]);
    }
    let help = inputs("1,2,enter").expect_err("one name").help().map(|help| help.to_string());
    assert!(help.is_some_and(|help| help.contains("print `1 2 enter`")));
}

#[test]
fn a_program_that_hangs_is_stopped_and_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("hung");
    let mark = mark.display();
    let hang = format!("if [ -e {mark} ]; then echo fine; else : > {mark}; sleep 100; fi");
    let program = program("echo a", "echo ok", &hang);
    let started = Instant::now();
    let patience = Duration::from_millis(300);
    let mut adapter =
        Adapter::start_with(&program, None, patience, Arc::default()).expect("it starts");
    adapter.reset().expect("a reset");
    let error = step(&mut adapter, 0).expect_err("it hangs");
    assert_eq!(error.to_string(), "the adapter has not answered `step a` for 0.3 s");
    assert!(matches!(step(&mut adapter, 0), Err(AdapterError::Stopped)));
    adapter.reset().expect("it is started again");
    assert_eq!(step(&mut adapter, 0).expect("an output"), "fine");
    drop(adapter);
    assert!(started.elapsed() < Duration::from_secs(20), "what it had started is stopped, too");
}

#[test]
fn a_program_that_breaks_down_is_started_again_and_must_be_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("started");
    let mark = mark.display();
    let inputs = format!("if [ -e {mark} ]; then echo b; else echo a; : > {mark}; fi");
    let mut adapter = start(&program(&inputs, "echo ok", "exit 7")).expect("it starts");
    adapter.reset().expect("a reset");
    let error = step(&mut adapter, 0).expect_err("it ended");
    assert_eq!(error.to_string(), "the adapter ended at `step a`: exit status: 7");
    let error = adapter.reset().expect_err("it is another now");
    assert_eq!(error.to_string(), "the adapter has other inputs than before, when they were: a");
    std::fs::remove_file(folder.path().join("started")).expect("it was there");
    adapter.reset().expect("it is the same again");
}

/// `ope` is no answer of its own where the line was to be `opened`.
#[test]
fn half_a_line_of_a_program_that_dies_is_no_answer() {
    let step_it = "case $name in open) printf ope; exit 6;; close) echo closed;; esac";
    let mut adapter = start(&program("echo open close", "echo ok", step_it)).expect("it starts");
    adapter.reset().expect("a reset");
    let error = step(&mut adapter, 0).expect_err("it died").to_string();
    assert_eq!(error, "the adapter ended at `step open`: exit status: 6");
    adapter.reset().expect("it is started again");
    assert_eq!(step(&mut adapter, 1).expect("a whole line"), "closed");
}

#[test]
fn nonsense_is_no_output_and_a_failure_is_one_of_the_device() {
    let step_it = "case $name in slash) echo 'C:\\users';; fail) echo error the fuse blew;; \
                   fails) echo errors;; twice) echo one; echo two;; esac";
    let mut adapter =
        start(&program("echo slash fail fails twice", "echo ok", step_it)).expect("it starts");
    adapter.reset().expect("a reset");
    let error = step(&mut adapter, 0).expect_err("no escape").to_string();
    assert!(error.starts_with("the adapter answered `step slash` by `C:\\\\users`"), "{error}");
    adapter.reset().expect("a reset");
    let error = step(&mut adapter, 1).expect_err("it failed").to_string();
    assert_eq!(error, "the adapter says that the device failed at `step fail`: the fuse blew");
    assert_eq!(step(&mut adapter, 2).expect("it goes on, and this is an output"), "errors");
    assert_eq!(step(&mut adapter, 3).expect("the first line"), "one");
    let error = adapter.reset().expect_err("there is another line, now or then").to_string();
    let late = "the adapter answered `reset` by `two`, and not by `ok`";
    let early = "the adapter said `two` before it was asked `reset`";
    assert!([late, early].contains(&error.as_str()), "{error}");
    adapter.reset().expect("a new start");
}

#[test]
fn nobody_waits_when_it_is_interrupted() {
    let interrupted = Arc::new(AtomicBool::new(true));
    let started = Instant::now();
    let result = Adapter::start("sleep 100", interrupted);
    assert!(matches!(result, Err(AdapterError::Interrupted)));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn bytes_and_the_text_of_their_escape_have_different_names() {
    let step_it = r"printf '%s\n' 'x\x0d' 'x\\r' '\x1b[2J' '\xe2\x80\xae' | sed -n ${name}p";
    let program = program("echo 1 2 3 4", "echo ok", step_it);
    let mut adapter = start(&program).expect("it starts");
    adapter.reset().expect("a reset");
    let outputs: Vec<_> = (0..4).map(|input| step(&mut adapter, input).expect("one")).collect();
    assert_eq!(outputs, [r"x\r", r"x\\r", r"\x1b[2J", r"\xe2\x80\xae"]);
    let failing = r"printf 'error \033[2J\342\200\256\n'";
    let mut adapter = start(&super::tests::program("echo a", failing, "")).expect("it starts");
    let said = adapter.reset().expect_err("it failed").to_string();
    assert!(said.ends_with(r": \x1b[2J\xe2\x80\xae"), "{said}");
}

#[test]
fn a_line_is_bounded_and_so_are_lines_that_nobody_asked_for() {
    let long = |bytes: u64| format!("head -c {bytes} /dev/zero | tr '\\0' x; echo");
    let limit = process::MAX_LINE_BYTES;
    let step_it = format!("case $name in a) {};; b) {};; esac", long(limit - 1), long(limit));
    let mut adapter = start(&program("echo a b", "echo ok", &step_it)).expect("it starts");
    adapter.reset().expect("a reset");
    assert_eq!(step(&mut adapter, 0).expect("it fits").len() as u64, limit - 1);
    let error = step(&mut adapter, 1).expect_err("it is too long").to_string();
    assert_eq!(error, "the adapter answered `step b` by a line of more than 1048576 bytes");
    adapter.reset().expect("it is started again");

    // A program that prints without end has to wait, and is told of.
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let endless = format!("while echo y; do echo >>'{}'; done", count.display());
    let mut adapter = start(&program("echo a", "echo ok", &endless)).expect("it starts");
    adapter.reset().expect("a reset");
    assert_eq!(step(&mut adapter, 0).expect("the first line"), "y");
    let lines = || std::fs::metadata(&count).map_or(0, |file| file.len());
    // It fills the pipe, some 64 KiB, and then waits.
    let started = Instant::now();
    let mut before = 0;
    while before == 0 || lines() > before {
        before = lines();
        std::thread::sleep(Duration::from_millis(300));
        assert!(started.elapsed() < Duration::from_secs(60), "it goes on: {before}");
    }
    assert!(matches!(adapter.reset(), Err(AdapterError::Unasked { .. })));
}

/// A program that is started again and does not say its inputs is not used.
#[test]
fn a_program_that_no_longer_says_its_inputs_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    // The first start is right and ends after a reset; the others have no inputs.
    let program = format!(
        "if [ -e '{0}' ]; then read x; echo error none; while read x; do echo ok; done; \
         else touch '{0}'; read x; echo a; read x; echo ok; fi",
        count.display()
    );
    let mut adapter = start(&program).expect("a program");
    adapter.reset().expect("a reset");
    adapter.reset().expect_err("it has ended");
    for _ in 0..3 {
        adapter.reset().expect_err("it does not say its inputs");
    }
}
