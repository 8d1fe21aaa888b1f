//! Prompts: what is taken back, and what no reply ends with.

use super::*;

#[test]
fn what_is_taken_back_after_nothing_is_nothing() {
    // Kind, port, harmless line, prompt, no other, back, another one, no other, outputs, reset, ready, no other step, inputs.
    let react = |_, _: &[u8]| (&b"7\r\nsqlite> "[..], false);
    let answers = "1\nx\nselect 7;\n\n\n<\n   ...> \n\n\nboot\n\n\n\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    assert!(shown.contains("Taken back: no other prompt.\nAnother prompt [-]: "), "{shown}");
    assert_eq!(
        draft.ends,
        Ends::Prompts(["sqlite> ", "   ...> "].map(DevicePrompt::from).to_vec())
    );
}

#[test]
fn a_prompt_with_which_no_reply_ends_is_asked_for_again() {
    let react = |_, _: &[u8]| (&b"7\r\nsqlite> "[..], false);
    let prompts = |typed: &str| {
        // Kind, port, harmless line, prompts, reset, ready, no other step, inputs.
        let answers = format!("1\nx\nselect 7;\n{typed}\nboot\n\n\n\n\n");
        let (draft, shown) = asked_at(true, react, &answers);
        let said = "No reply so far ends with `   ...> `: they end with `sqlite> `.";
        assert_eq!(shown.matches(said).count(), 1, "{shown}");
        draft.ends
    };
    assert_eq!(prompts("   ...> \n\n"), Ends::Prompts(vec!["sqlite> ".into()]));
    assert_eq!(prompts("   ...> \n   ...> \n"), Ends::Prompts(vec!["   ...> ".into()]));
}

#[test]
fn another_prompt_that_looks_like_none_is_asked_for_again() {
    let prompts = |typed: &str| {
        // Kind, port, harmless line, prompt, others, prompts in outputs, reset, ready, no other step, inputs.
        let answers = format!("1\nx\nselect 7;\n\n{typed}boot\n\n\n\n\n");
        let (draft, shown) = asked_at(true, |_, _: &[u8]| (&b"7\r\nsqlite> "[..], false), &answers);
        let said = "No reply so far ends with `ATZ`: they end with `sqlite> `. Enter - if there is no other prompt, or the same";
        assert_eq!(shown.contains(said), typed.contains("ATZ"), "{shown}");
        let Ends::Prompts(prompts) = draft.ends else { panic!("{shown}") };
        prompts[1..].iter().map(DevicePrompt::typed).collect::<Vec<_>>()
    };
    assert!(prompts("ATZ\n-\n").is_empty());
    assert_eq!(prompts("ATZ\n   ...> \n\n\n"), ["   ...> "]);
    assert_eq!(prompts("ATZ\nATZ\n\n\n"), ["ATZ"]);
    // The harmless line shows one mode only, and who types a pattern knows.
    let others = "   ...> \n(y or n) \n/wait \\d+/\n";
    assert_eq!(prompts(&format!("{others}\n\n")).join("\n") + "\n", others);
}

#[test]
fn prompts_are_kept_out_of_outputs_by_n_and_by_nothing() {
    // Kind, no port, baud rate, prompts, no other, in outputs, line end, echo, reset, ready, no other step, inputs.
    let names = |typed: &str| {
        let answers = format!("1\n\n\n(gdb) \n(y or n) \n\n{typed}\n\n\nboot\n\n\nhelp\n\n");
        let (draft, shown) = asked(&answers).expect("a draft");
        let asked = "An output can name its prompt, such as `ok (y or n)`, where prompts tell modes of the device apart.\n  Do these \
                     prompts do so (y or n)? [y]: ";
        assert!(shown.contains(asked) && !shown.contains("is not accepted"), "{shown}");
        draft.names_prompt
    };
    assert_eq!(["", "y", "n", "-"].map(names), [true, true, false, false]);
}

#[test]
fn a_reply_that_ends_with_none_of_the_prompts_is_told_of() {
    let react = |_, sent: &[u8]| match sent {
        b"select (\r" => (&b"   ...> "[..], false),
        b".quit\r" => (&b"bye\r\n"[..], true),
        _ => (&b"7\r\nsqlite> "[..], false),
    };
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let inputs = "select 7;\nselect (\n.quit\n";
    let answers = format!("1\ntcp:desk:1\nselect 7;\n\n\nreconnect\n\n\n{inputs}\n");
    let (_, shown) = asked_at(false, react, &answers);
    assert!(shown.contains("It ends with none of the prompts, but with `   ...> `."), "{shown}");
    assert_eq!(shown.matches("It ends with none").count(), 1, "{shown}");
}

#[test]
fn a_prompt_may_be_a_pattern() {
    let react = |_, sent: &[u8]| match sent {
        b"new\r" => (&b"new game\r\nWhite (1) : "[..], false),
        _ => (&b"moves\r\nBlack (7) : "[..], false),
    };
    // Kind, port, harmless line, patterns, no other, reset, ready, no other step, inputs.
    let patterns = "/(White/\n/Red \\(\\d+\\) : /\n/(White|Black) \\(\\d+\\) : /\n";
    let answers = format!("1\nx\nhelp\n{patterns}\nnew\nnew game\n\n\n\n");
    let (draft, shown) = asked_at(true, react, &answers);
    assert!(shown.contains("`/(White/` is not accepted. Enter a regular expression"), "{shown}");
    let unmet = "No reply so far ends with `/Red \\(\\d+\\) : /`: they end with `Black (7) : `.";
    assert!(shown.contains(unmet), "{shown}");
    let pattern = r"(White|Black) \(\d+\) : ";
    assert_eq!(draft.ends, Ends::Prompts(vec![DevicePrompt::Pattern(pattern.to_owned())]));
    let ready = draft.reset[0].1.pattern();
    assert_eq!(ready, format!("new game(?s:.*)(?:{pattern})$"), "{shown}");
}

#[test]
fn only_yes_and_no_answer_a_question_for_them() {
    // Kind, no port, baud rate, prompt, no other, line end, echo, reset, ready, no other step, inputs.
    let asked_echo =
        |echo: &str| asked(&format!("1\n\n\n\n\n\n{echo}\nboot\n\n\nhelp\n\n")).expect("a draft");
    for (typed, echo) in
        [("y", Echo::Plain), ("Yes", Echo::Plain), ("n", Echo::None), ("NO ", Echo::None)]
    {
        assert_eq!(asked_echo(typed).0.echo, echo);
    }
    let (draft, shown) = asked_echo("new\ny");
    assert!(shown.contains("`new` is not accepted. Enter y or n."), "{shown}");
    assert_eq!(draft.echo, Echo::Plain);
}

/// The end of replies in the file for a device whose lines are followed by this, and what was shown.
fn ended(answers: [&'static [u8]; 3]) -> (Ends, String) {
    let react = move |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"get" => (answers[0], false),
        b"list" => (answers[1], false),
        b"quit" => (&b"bye\r\n"[..], true),
        _ => (answers[2], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let answers = "2\ntcp:desk:1\nget\nboot\n\n\nlist\nset\nquit\n\n";
    let (draft, shown) = asked_at(false, react, answers);
    (draft.ends, shown)
}

#[test]
fn lines_that_a_prompt_follows_end_with_it() {
    let (ends, shown) = ended([b"ok\r\n> ", b"a\r\nb\r\n> ", b"> "]);
    assert_eq!(ends, Ends::Prompts(vec!["> ".into()]), "{shown}");
    assert!(shown.contains("Each answer so far ended with the prompt `> `: the file"), "{shown}");
    for answers in [
        // A value, markup, different ends, no lines, no prompt at an end.
        [&b"temp\r\n25.0"[..], b"temp\r\n25.0", b"temp\r\n25.0"],
        [b"<a>\r\n</a>", b"<a>\r\n</a>", b"<a>\r\n</a>"],
        [b"ok\r\n> ", b"ok\r\n# ", b"ok\r\n> "],
        [b"ok> ", b"ok> ", b"ok> "],
        [b"ok\r\n> ", b"ok\r\n> ", b"ok\r\n"],
    ] {
        let (ends, shown) = ended(answers);
        assert!(!matches!(ends, Ends::Prompts(_)), "{ends:?}: {shown}");
        assert!(!shown.contains("the prompt `"), "{shown}");
    }
}

#[test]
fn a_reset_waits_for_the_line_before_the_prompt_of_lines() {
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"boot" => (&b"BOOT 5\r\nready\r\n> "[..], false),
        _ => (&b"ok\r\n> "[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\nget\nboot\n\n\nhelp\n\n");
    assert_eq!(draft.reset[0].1.pattern(), r"ready\r\n> $", "{shown}");
    let text = draft.text("x");
    let device = DeviceFile::parse("x".as_ref(), &text).expect("a device file");
    assert!(device.inputs[0].reply.lines.is_none() && text.contains("match = '> $'"), "{text}");
}

/// A device with the time since its start in the prompt.
#[test]
fn a_prompt_with_a_number_that_changes_is_any_number() {
    let mut started = Duration::from_secs(0);
    let react = move |now: Duration, sent: &[u8]| {
        if sent == b"boot\r" {
            started = now;
        }
        let up = (now - started).as_millis() + 51;
        let said = format!("ok\r\n[{:3}.{:03}] main> ", up / 1000, up % 1000);
        (said.leak().as_bytes() as &[u8], false)
    };
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "1\nx\nhelp\n\n\nboot\n\n\n\n\n");
    assert!(shown.contains("has other numbers now: the file has the pattern `/"), "{shown}");
    let text = draft.text("lock.toml");
    let device = DeviceFile::parse("lock.toml".as_ref(), &text).expect("a device file");
    assert_eq!(device.name_output(b"ok\r\n[ 26.123] main> "), "ok", "{shown}");
}
