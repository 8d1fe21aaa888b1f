use std::path::PathBuf;

use super::super::versions::FileDigests;
use super::*;

const FILE: &str = r#"
    [port]
    baud = 9600
    [[reset]]
    steps = [{ send = "reset" }]
    expect = { match = "ok", within_ms = 700 }
    [reply]
    lines = 1
    within_ms = 100
    max_ms = 1000
    [inputs]
    a = "a"
    b = { send = "b", reply = { within_ms = 50, max_ms = 70 } }
"#;

/// What changes between two texts that name no files.
fn changes(old: &str, new: &str) -> Option<DeviceChanges> {
    let (path, files) = (Path::new("lock.toml"), &FileDigests::new());
    let [old, new] = [old, new].map(|text| DeviceVersion { path, text, files });
    DeviceChanges::between(&old, &new, true)
}

/// An answer with this output. What is no silence shows its reply.
fn answer<'o>(
    input: &'o str,
    output: &'o str,
    reply: &'o Option<Vec<u8>>,
    ms: u32,
) -> LoggedAnswer<'o> {
    let reply = reply.as_deref().map_or(LoggedReply::None, LoggedReply::Reply);
    LoggedAnswer { input, before: None, output: output.as_bytes(), reply, ms }
}

/// What becomes of an answer with this output.
fn fate(changes: &DeviceChanges, input: &str, output: &str, ms: u32) -> Result<String, usize> {
    let reply = unescape(output).filter(|_| !output.ends_with("(silence)"));
    let name = changes.fate(&answer(input, output, &reply, ms))?;
    Ok(String::from_utf8(name.into_owned()).expect("a name"))
}

/// The inputs whose answers are kept, if each gave this output after `ms` milliseconds.
fn kept(changes: Option<&DeviceChanges>, output: &str, ms: u32) -> String {
    let is_kept = |name: &&str| {
        changes.is_none_or(|it| fate(it, name, output, ms).is_ok_and(|kept| kept == output))
    };
    ["a", "b"].into_iter().filter(is_kept).collect::<Vec<_>>().join(" ")
}

#[test]
fn an_answer_is_kept_where_it_would_be_the_same() {
    for (from, to, quick, slow, silent) in [
        ("baud = 9600", "baud = 9600\npath = 'COM3'", "a b", "a b", "a b"),
        ("9600", "115200", "", "", ""),
        ("baud = 9600", "baud = 9600\nformat = '7E1'", "", "", ""),
        ("baud = 9600", "baud = 9600\nflow = 'hardware'", "", "", ""),
        ("baud = 9600", "baud = 9600\ndtr = false", "", "", ""),
        ("baud = 9600", "baud = 9600\nrts = false", "", "", ""),
        ("baud = 9600", "baud = 9600\nchar_delay_ms = 1", "", "", ""),
        ("baud = 9600", "baud = 9600\nline_delay_ms = 1", "", "", ""),
        ("max_ms = 1000", "max_ms = 2000", "a b", "a b", "a b"),
        ("max_ms = 1000", "settle_ms = 10", "a b", "a b", "a b"),
        ("max_ms = 70", "max_bytes = 7", "a b", "a b", "a b"),
        ("[port]", "[word]\nmax_ms = 5\n[port]", "a b", "a b", "a b"),
        ("[port]", "[[state]]\nname = 'on'\nword = 'a'\n[port]", "a b", "a b", "a b"),
        ("[port]", "noise = 0.01\n[port]", "a b", "a b", "a b"),
        // The same, written otherwise.
        ("\"a\"", "{ send = \"a\" }", "a b", "a b", "a b"),
        ("\"a\"", "{ text = \"a\" }", "a b", "a b", "a b"),
        ("\"a\"", "{ hex = \"61\" }", "a b", "a b", "a b"),
        ("\"a\"", "{ steps = [{ send = \"a\" }] }", "a b", "a b", "a b"),
        ("\"a\"", "{ send = \"a\", reply = { lines = 1 } }", "a b", "a b", "a b"),
        ("{ send = \"b\"", "{ steps = [{ text = \"b\" }]", "a b", "a b", "a b"),
        ("[reply]", "[reply]\ngrace_ms = 20\nsilent = '(silence)'", "a b", "a b", "a b"),
        // What an input does.
        ("\"a\"", "\"x\"", "b", "b", "b"),
        ("\"a\"", "{ send = \"a\", wait_ms = 1 }", "b", "b", "b"),
        ("\"b\"", "\"x\"", "a", "a", "a"),
        ("a = \"a\"", "c = \"a\"", "b", "b", "b"),
        ("a = \"a\"", "a = \"a\"\nc = \"c\"", "a b", "a b", "a b"),
        // Time limits. A reply with its line feed has come to its end.
        ("within_ms = 100", "within_ms = 200", "a b", "a b", "b"),
        ("within_ms = 100", "within_ms = 60", "a b", "b", "b"),
        ("within_ms = 50", "within_ms = 60", "a b", "a b", "a"),
        ("within_ms = 50", "within_ms = 5", "a b", "a", "a"),
        ("[reply]", "[reply]\ngrace_ms = 30", "a b", "a b", "a b"),
        // How a reply ends.
        ("lines = 1", "length = 1", "", "", ""),
        ("lines = 1", "lines = 1\nquiet_ms = 30", "a b", "", ""),
        ("lines = 1", "lines = 1\nlast_line = 'OK'", "", "", ""),
        ("lines = 1", "lines = 1\nlength = 4", "", "", ""),
        ("lines = 1", "lines = 1\nchecksum = '~sum8'", "", "", ""),
        ("[port]", "[frame]\nstuffing = 'slip'\n[port]", "", "", ""),
        ("lines = 1", "lines = 1\nmatch = '> $'", "", "", ""),
        ("reply = {", "reply = { quiet_ms = 5,", "a", "a", "a"),
        ("lines = 1", "lines = 1\nlate = 'drop'", "a b", "a b", "a b"),
        ("lines = 1", "lines = 1\nclosed = 'end'", "a b", "a b", "a b"),
        ("lines = 1", "lines = 1\necho = true", "", "", ""),
        ("lines = 1", "lines = 1\ntime = { fast = 0 }", "", "", ""),
        ("lines = 1", "lines = 1\nsilent = 'x'", "", "", ""),
        ("lines = 1", "lines = 1\nstrip = ['x']", "", "", ""),
        ("[port]", "[captures]\nx = 'x'\n[port]", "", "", ""),
        // The way back.
        ("\"reset\" }]", "\"reset\" }, { wait_ms = 1 }]", "", "", ""),
        ("\"reset\"", "\"*RST\"", "", "", ""),
        ("within_ms = 700", "within_ms = 900", "a b", "a b", "a b"),
        ("\"ok\"", "\"o\"", "", "", ""),
        ("[reply]", "[[reset]]\nsteps = [{ run = 'off' }]\n[reply]", "a b", "a b", "a b"),
        ("[[reset]]", "[[reset]]\ntries = 2", "a b", "a b", "a b"),
        ("[[reset]]", "[[reset]]\nquiet_ms = 0", "", "", ""),
        // Names.
        ("[port]", "[[replace]]\nmatch = 'x'\nwith = 'y'\n[port]", "a b", "a b", "a b"),
        ("[port]", "[[replace]]\nmatch = 'o'\nwith = 'y'\n[port]", "", "", "a b"),
        ("[port]", "[[output]]\nmatch = 'x'\nname = 'y'\n[port]", "a b", "a b", "a b"),
        ("[port]", "", "", "", ""),
        ("lines", "= =", "", "", ""),
    ] {
        let new = FILE.replacen(from, to, 1);
        assert_ne!(new, FILE);
        let new = if to.is_empty() { String::new() } else { new };
        let found = changes(FILE, &new);
        let all = [(r"on\n", 3), (r"on\n", 80), ("(silence)", 400)];
        let all = all.map(|(output, ms)| kept(found.as_ref(), output, ms));
        assert_eq!(all, [quick, slow, silent], "{from} -> {to}");
    }
}

/// What the file above has no keys for.
#[test]
fn the_other_keys_count_too() {
    let slip = FILE.replace("[port]", "[frame]\nstuffing = 'slip'\n[port]");
    let frames = slip.replace("lines = 1", "frames = 1");
    let waits = FILE.replace("a = \"a\"", "a = { text = \"a\", wait_ms = 5 }");
    let waits = waits.replace("lines = 1", "length = 8");
    let sums = waits.replace("length = 8", "length = 8\nchecksum = 'sum8'");
    let command = FILE.replace("[reply]", "[[reset]]\nsteps = [{ run = 'off' }]\n[reply]");
    let both = |text: &str, with: &str| text.replace("a = \"a\"", with);
    let run = both(FILE, "a = { steps = [{ run = 'on' }, { send = 'a' }] }");
    for (old, from, to, is_kept) in [
        (&frames, "frames = 1", "frames = 2", ""),
        (&frames, "'slip'", "'hdlc'", ""),
        (&waits, "length = 8", "length = { at = 0, size = 1 }", "a"),
        (&sums, "length = 8", "length = { at = 0, size = 1 }", ""),
        (&command, "'off'", "'off now'", ""),
        (&command, "run = 'off'", "run = 'off', within_ms = 7", "a b"),
        (&run, "'on'", "'on now'", "b"),
        (&run, "run = 'on'", "run = 'on', within_ms = 7", "a b"),
    ] {
        let new = old.replace(from, to);
        assert_ne!(new, *old);
        assert_eq!(kept(changes(old, &new).as_ref(), "on", 3), is_kept, "{from} -> {to}");
    }
}

#[test]
fn rules_that_are_gone_are_told_from_rules_that_are_new() {
    let two = FILE.replace("[reply]", "[[reset]]\nsteps = [{ run = 'off' }]\n[reply]");
    assert_eq!(kept(changes(&two, FILE).as_ref(), "on", 3), "", "it was perhaps reset so");
    for (key, from) in
        [("late", "drop"), ("late", "output"), ("closed", "end"), ("line_errors", "output")]
    {
        let with = FILE.replace("lines = 1", &format!("lines = 1\n{key} = '{from}'"));
        assert_eq!(kept(changes(&with, FILE).as_ref(), "on", 3), "", "{key} = {from}");
    }
}

#[test]
fn a_silence_in_a_reply_is_told_from_its_end_where_the_output_shows_it() {
    let file = |reply: &str| FILE.replace("lines = 1", reply);
    for (reply, names, output, is_kept) in [
        ("match = '> $'", "", "x> ", true),
        ("match = '> $'", "", "x", false),
        ("last_line = 'OK'", "", r"x\nOK\n", true),
        ("last_line = 'OK'", "", r"x\n", false),
        ("lines = 2", "", r"x\n", false),
        ("length = 2", "", "xy", true),
        ("length = 2", "", "x", false),
        // The name of a silence is no reply.
        ("length = 2", "", "(silence)", false),
        ("length = { at = 0, size = 1 }", "", "xy", false),
        // `grace_ms` is longer than `within_ms`, which therefore ended the reply.
        ("match = '> $'\ngrace_ms = 300", "", "x> ", false),
        ("match = '> $'\necho = true", "", "x> ", false),
        ("match = '> $'", "[frame]\nstuffing = 'slip'", "x> ", false),
        // What the ends of the rule looked at was another text than this reply.
        ("match = '> $'\nchecksum = '~sum8'", "", "x> ", false),
        ("match = '> $'\ntime = { fast = 0, slow = 50 }", "", "x> ", false),
        ("match = '> $'\nlate = 'output'", "", "x> ", false),
        ("match = '> $'\nlate = 'drop'", "", "x> ", true),
        // Rules for names change nothing about the end.
        ("match = '> $'", "[[output]]\nmatch = '(x.*)'\nname = '$1'", "x> ", true),
        ("match = '> $'", "[[replace]]\nmatch = 'y'\nwith = 'x'", "x> ", true),
        // With `quiet_ms`, `within_ms` is for the first byte alone.
        ("quiet_ms = 50", "", "x", true),
        ("quiet_ms = 50", "", "(silence)", false),
        ("quiet_ms = 50\nlate = 'output'", "", "x + (silence)", false),
        // It may have come unasked, before a silence.
        ("quiet_ms = 50\nlate = 'reply'", "", "x", false),
        // It may be the beginning of an echo.
        ("quiet_ms = 50\necho = true", "", "x", false),
    ] {
        let old = format!("{}{names}", file(reply));
        let new = old.replace("within_ms = 100", "within_ms = 200");
        let found = changes(&old, &new).expect("it has changed");
        let slow = fate(&found, "a", output, 150);
        assert_eq!(slow.is_ok(), is_kept, "{reply} {names} {output}");
        assert!(fate(&found, "a", output, 97).is_ok(), "no time has ended it");
        let shorter = changes(&new, &old).expect("it has changed");
        assert!(fate(&shorter, "a", output, 150).is_err(), "{reply} {names} {output}");
    }
}

#[test]
fn what_follows_an_input_with_another_time_to_act_is_asked_again() {
    let new = FILE.replace("a = \"a\"", "a = { send = \"a\", reply = { settle_ms = 200 } }");
    for [old, new] in [[FILE, &new], [&new, FILE]] {
        let found = changes(old, new).expect("it has changed");
        let reply = Some(b"on\n".to_vec());
        let is_kept = |before, input| {
            found.fate(&LoggedAnswer { before, ..answer(input, r"on\n", &reply, 3) }).is_ok()
        };
        let all = [(None, "a"), (Some("b"), "a"), (Some("a"), "a"), (Some("a"), "b")];
        assert_eq!(all.map(|(before, input)| is_kept(before, input)), [true, true, false, false]);
        let key = found.fate(&LoggedAnswer { before: Some("a"), ..answer("b", "on", &None, 3) });
        assert_eq!(found.keys()[key.expect_err("asked again")].key, "inputs.a.reply.settle_ms");
    }
}

/// The clock ends it, and nothing is waited for after that.
#[test]
fn an_input_that_ends_with_a_wait_has_no_time_to_act() {
    let old = format!("{FILE}\nw = {{ wait_ms = 500 }}\n");
    let new = old.replace("max_ms = 1000", "settle_ms = 20");
    let found = changes(&old, &new).expect("it has changed");
    let is_kept =
        |before| found.fate(&LoggedAnswer { before: Some(before), ..answer("a", "on", &None, 3) });
    assert!(is_kept("w").is_ok() && is_kept("a").is_err());
}

/// Only an answer without a reply may be a silence.
#[test]
fn a_reply_with_the_name_of_a_silence_is_kept() {
    let old = FILE.replace("lines = 1", "quiet_ms = 50");
    let new = old.replace("within_ms = 100", "within_ms = 200");
    let found = changes(&old, &new).expect("it has changed");
    let is_kept = |reply| found.fate(&answer("a", "(silence)", &reply, 150)).is_ok();
    assert!(is_kept(Some(b"(silence)".to_vec())) && !is_kept(None));
}

#[test]
fn the_end_of_a_connection_has_the_name_of_the_input_before_that_may_end_it() {
    let one = FILE.replace("max_ms = 70", "max_ms = 70, closed = 'gone'");
    let both = one.replace("a = \"a\"", "a = { send = \"a\", reply = { closed = 'bye' } }");
    // Of the word `a b`, `gone` would be `bye` if the connection had ended after `a`.
    assert_eq!(kept(changes(&one, &both).as_ref(), "gone", 3), "b");
    assert_eq!(kept(changes(FILE, &one).as_ref(), r"on\n", 3), "a b");
}

/// What changes for a device that an agent asked.
fn changes_of_agent(old: &str, new: &str) -> DeviceChanges {
    let (path, files) = (Path::new("lock.toml"), &FileDigests::new());
    let [old, new] = [old, new].map(|text| DeviceVersion { path, text, files });
    DeviceChanges::between(&old, &new, false).expect("it has changed")
}

#[test]
fn times_of_agents_are_not_relied_on() {
    let found = changes_of_agent(FILE, &FILE.replace("within_ms = 100", "within_ms = 200"));
    let is_kept = |input, output| found.fate(&answer(input, output, &None, 0)).is_ok();
    assert!(!is_kept("a", "on") && !is_kept("a", "(silence)"));
    assert!(is_kept("a", r"on\n") && is_kept("b", "on"));
}

#[test]
fn an_output_of_an_agent_is_the_reply_where_no_rule_gives_names() {
    let ends = FILE.replace("lines = 1", "length = 2\nclosed = 'end'");
    for (names, output, is_kept) in [
        ("", "on", true),
        ("", "end", false),
        ("", "(silence)", false),
        ("[[output]]\nmatch = '(x+)'\nname = '$1'", "on", false),
        ("[[replace]]\nmatch = 'x+'\nwith = 'on'", "on", false),
    ] {
        let old = format!("{ends}{names}");
        let found = changes_of_agent(&old, &old.replace("within_ms = 100", "within_ms = 200"));
        let fate = found.fate(&answer("a", output, &None, 0));
        assert_eq!(fate.is_ok(), is_kept, "{names} {output}");
    }
}

#[test]
fn no_answer_of_an_agent_gets_a_new_name() {
    for rule in ["[[output]]\nmatch = 'x'\nname = 'y'", "[[replace]]\nmatch = 'x'\nwith = 'y'"] {
        let found = changes_of_agent(FILE, &format!("{FILE}{rule}"));
        let key = found.fate(&answer("a", "on", &None, 0)).expect_err("asked again");
        assert!(rule.contains(&found.keys()[key].key), "{rule}");
    }
}

#[test]
fn each_input_is_told_by_itself() {
    let file = |wait: &str, expect: u32, wanted: &str| {
        format!(
            "{FILE}\nw = {{ send = 'w', wait_ms = 500{wait} }}\n\
             l = {{ steps = [{{ send = 'l' }}, {{ expect = {{ match = '{wanted}', within_ms = {expect} }} }}, {{ send = 'm' }}] }}\n"
        )
    };
    let old = file("", 300, "P");
    let is_kept = |new: &str, input: &str, ms| {
        fate(&changes(&old, new).expect("it has changed"), input, r"x\n", ms).is_ok()
    };
    // The clock ends a wait.
    let within = old.replace("within_ms = 100", "within_ms = 200");
    assert!(is_kept(&within, "w", 500));
    assert!(is_kept(&within, "l", 50) && !is_kept(&within, "l", 150), "which reply is it?");
    let expect = file("", 400, "P");
    assert!(is_kept(&expect, "l", 200) && !is_kept(&expect, "l", 300));
    assert!(is_kept(&expect, "a", 900));
    // The text of an `expect` may be followed by more, as that of a `match` may.
    let grace = old.replace("[reply]", "[reply]\ngrace_ms = 30");
    assert!(is_kept(&grace, "l", 10) && !is_kept(&grace, "l", 25) && is_kept(&grace, "a", 25));
    assert!(!is_kept(&file("", 300, "Q"), "l", 1));
    assert!(!is_kept(&file(", reply = { silent = 'x' }", 300, "P"), "w", 500));
}

#[test]
fn a_file_is_its_bytes_wherever_it_is() {
    let text = FILE.replace("\"a\"", "{ steps = [{ file = 'p.bin' }] }");
    let version = |folder: &str, digest: &str| {
        let files = [(PathBuf::from(folder).join("p.bin"), digest.to_owned())].into();
        (PathBuf::from(folder).join("lock.toml"), files)
    };
    let between = |old: &(PathBuf, FileDigests), new: &(PathBuf, FileDigests)| {
        let [old, new] = [old, new].map(|(path, files)| DeviceVersion { path, text: &text, files });
        DeviceChanges::between(&old, &new, true)
    };
    let old = version("one", "1");
    assert!(between(&old, &version("two", "1")).is_none());
    let changed = between(&old, &version("one", "2"));
    assert_eq!(kept(changed.as_ref(), "on", 3), "b");
}

/// An older version wrote the copy: its inputs count by what is written.
#[test]
fn a_version_that_cannot_be_read_is_compared_as_text() {
    let old = FILE.replace("send = \"b\"", "send = \"b\", old_key = 1");
    let found = changes(&old, FILE);
    assert_eq!(kept(found.as_ref(), "on", 3), "a");
    let within = FILE.replace("within_ms = 100", "within_ms = 200");
    let found = changes(&old, &within);
    assert_eq!(kept(found.as_ref(), "on", 3), "");
    let text = found.expect("it has changed").keys()[1].sentence(2);
    assert!(
        text.starts_with("reply.within_ms is 200, was 100: 2 answers that depend on it"),
        "{text}"
    );
}

#[test]
fn keys_are_named_with_what_they_were_and_are() {
    let told = |from: &str, to: &str, key: &str| {
        let found = changes(FILE, &FILE.replacen(from, to, 1)).expect("it has changed");
        let keys = found.keys().iter().filter(|key| key.is_changed());
        let told: Vec<_> = keys.map(|key| key.sentence(0)).collect();
        let end = ": no answer is asked again because of it";
        assert_eq!(told, [format!("{key}{end}")], "{from} -> {to}");
    };
    told("baud = 9600", "baud = 9600\npath = 'COM3'", "port.path is \"COM3\", was not there");
    told("within_ms = 100", "within_ms = 200", "reply.within_ms is 200, was 100");
    told("within_ms = 50", "within_ms = 60", "inputs.b.reply.within_ms is 60, was 50");
    told("within_ms = 50,", "", "inputs.b.reply.within_ms is not there, was 50");
    told("lines = 1", "lines = 1\nlate = 'drop'", "reply.late is \"drop\", was not there");
    told("[port]", "[[replace]]\nmatch = 'x'\nwith = 'y'\n[port]", "[[replace]] is new");
    told("\"reset\"", "\"*RST\"", "[[reset]] has changed");
    told("\"a\"", "\"x\"", "inputs.a has changed");
    told("a = \"a\"", "a = \"a\"\nc = \"c\"", "inputs.c is new");
    told("a = \"a\"", "", "inputs.a is gone");
    told("lines = 1", "lines = 1\ntime = { fast = 0 }", "reply.time is new");
    told("[port]", "[word]\nmax_ms = 5\n[port]", "word.max_ms is 5, was not there");
    told("[port]", "[frame]\nstuffing = 'slip'\n[port]", "[frame] is new");
    for (from, to) in [
        ("lines = 1", "lines = 1\ntime = { fast = 0 }"),
        ("[port]", "[frame]\nhex = '02 ${data}'\n[port]"),
        ("[port]", "[captures]\nx = 'x'\n[port]"),
    ] {
        let found = changes(FILE, &FILE.replacen(from, to, 1)).expect("it has changed");
        let key = fate(&found, "a", "on", 3).expect_err("it is asked again");
        assert!(found.keys()[key].is_changed(), "{to}: {found:?}");
    }
    let found = changes(FILE, &FILE.replace("within_ms = 50", "within_ms = 60"));
    let found = found.expect("it has changed");
    let key = fate(&found, "b", "x", 900).expect_err("asked again");
    let told = found.keys()[key].sentence(1);
    assert!(
        told.ends_with(
            "60, was 50: 1 answer that it may have ended, or that follows one, is asked again"
        ),
        "{told}"
    );
}
