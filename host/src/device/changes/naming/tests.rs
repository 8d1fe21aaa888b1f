use std::path::Path;

use super::*;

/// A device file with these rules for names, and this in its `[reply]`.
fn file(reply: &str, rules: &str) -> DeviceFile {
    let text = format!(
        "[[reset]]\nsteps = [{{ send = 'r' }}]\n[reply]\n{reply}\n{rules}\n[inputs]\na = 'a'\n"
    );
    DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file")
}

fn replace(pattern: &str, with: &str) -> String {
    format!("[[replace]]\nmatch = '{pattern}'\nwith = \"{with}\"\n")
}

fn output(pattern: &str, name: &str) -> String {
    format!("[[output]]\nmatch = '{pattern}'\nname = \"{name}\"\n")
}

#[test]
fn a_name_changes_where_its_reply_is_known_and_only_there() {
    let digits = replace(r"\d+", "#");
    let error = output("^ERR (.*)", "error $1");
    let oops = output("^OOPS", "oops");
    for (old, new, name, renamed) in [
        // A rule that is new after the others is given what they left.
        ("", digits.as_str(), "up 17 ms", Some("up # ms")),
        ("", &digits, "OK", Some("OK")),
        ("", &digits, r"a\n17", Some(r"a\n#")),
        ("", &digits, "(silence)", Some("(silence)")),
        (&digits, &format!("{digits}{}", replace("#", "N")), "up # ms", Some("up N ms")),
        // A rule that is new before another one would be given what nobody knows.
        (&digits, &format!("{}{digits}", replace("1", "one")), "up # ms", None),
        (&digits, &format!("{}{digits}", replace("1", "one")), "OK", Some("OK")),
        // A rule that is gone may have written the `#`.
        (&digits, "", "up # ms", None),
        (&digits, "", "OK", Some("OK")),
        (&replace("x", ""), "", "OK", None),
        // The reply behind a name of `[[output]]` is lost.
        (&error, &format!("{digits}{error}"), "error 7", None),
        (&error, &format!("{digits}{error}"), "up 7", Some("up #")),
        (&error, &format!("{error}{oops}"), "error 7", Some("error 7")),
        (&error, &format!("{error}{oops}"), "OOPS 7", Some("oops")),
        (&error, &format!("{oops}{error}"), "error 7", None),
        (&error, "", "error 7", None),
        ("", &error, "ERR 7", Some("error 7")),
        // It was no reply that `escape` wrote: a rule matches it.
        (&output("A", "B(.*)"), &digits, "A", None),
        // With this rule the text `OOPS` never becomes its own name, and `error OOPS` is ambiguous.
        (&error, &format!("{error}{}", output("error", "e")), "error OOPS", None),
    ] {
        let renaming = Renaming::new(&file("", old), &file("", new)).expect("short patterns");
        let found = renaming.rename(&ReplySection::default(), name);
        assert_eq!(found.as_deref(), renamed, "{name}\n{old}->\n{new}");
    }
}

#[test]
fn the_name_of_a_time_stays_and_what_was_not_a_reply_too() {
    let times = "time = { fast = 0, slow = 10 }\nsilent = 'no 1'\nclosed = 'end 1'";
    let (old, new) = (file(times, ""), file(times, &replace(r"\d", "#")));
    let reply = &old.inputs[0].reply;
    let renaming = Renaming::new(&old, &new).expect("short patterns");
    for (name, renamed) in [
        ("up 1 (fast)", Some("up # (fast)")),
        ("up 1 (slow)", Some("up # (slow)")),
        ("no 1", Some("no 1")),
        ("end 1", Some("end 1")),
        // No reply of this device is called so.
        ("up 1", None),
    ] {
        assert_eq!(renaming.rename(reply, name).as_deref(), renamed, "{name}");
    }
    let (old, new) = (file("silent = 'no 1'", ""), file("", &replace(r"\d", "#")));
    let renaming = Renaming::new(&old, &new).expect("short patterns");
    let found = renaming.rename(&old.inputs[0].reply, "no 1");
    assert_eq!(found, None, "silence, or a reply `no 1`");
}

#[test]
fn a_name_that_holds_what_came_unasked_is_not_taken_apart() {
    let late = "late = 'output'";
    let (old, new) = (file(late, ""), file(late, &replace("^1", "#")));
    let renaming = Renaming::new(&old, &new).expect("short patterns");
    let rename = |name| renaming.rename(&old.inputs[0].reply, name);
    assert_eq!(rename("RING + 1"), None);
    assert_eq!(rename("1").as_deref(), Some("#"));
}

/// Whatever the rules are, a new name is the one that the new file gives to the reply.
#[test]
fn a_new_name_is_the_one_that_the_new_file_gives() {
    let rules = [
        replace(r"\d+", "#"),
        replace("a", "b"),
        replace("(b)+", "$1"),
        replace("x", ""),
        replace("#", "<b>"),
        output("^b(.*)", "B$1"),
        output("a", "B"),
        output("(.)#", "$1"),
        output("x", "#"),
    ];
    let replies = ["", "a", "b", "x", "ax1", "b12", "bb#", "aab", "B", "B1", "#", "x#", "<b>1"];
    let mut random = crate::machine::testing::Random::new(7);
    let (mut known, mut all) = (0, 0);
    for _ in 0..3000 {
        let mut pick = |from: &[String]| {
            let count = random.below(3);
            let len = u32::try_from(from.len()).expect("few");
            (0..count).map(|_| from[random.below(len) as usize].clone()).collect::<Vec<_>>()
        };
        let mut old = [pick(&rules[..5]), pick(&rules[5..])];
        let mut new = old.clone();
        let changed = usize::from(pick(&rules).is_empty());
        let more = pick(&rules[if changed == 0 { 0..5 } else { 5..9 }]);
        match more.len() {
            2 => std::mem::swap(&mut old[changed], &mut new[changed]),
            _ => drop(new[changed].pop()),
        }
        new[changed].extend(more);
        let [old, new] = [old, new].map(|rules| file("", &rules.concat().concat()));
        let renaming = Renaming::new(&old, &new).expect("short patterns");
        for reply in replies {
            let renamed = renaming.rename(&old.inputs[0].reply, &old.name_output(reply.as_bytes()));
            all += 1;
            if let Some(name) = renamed {
                known += 1;
                assert_eq!(name, new.name_output(reply.as_bytes()), "{reply} {old:?} {new:?}");
            }
        }
    }
    assert!(2 * known > all, "{known} of {all} names are known");
}
