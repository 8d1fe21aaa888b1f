//! The outcome of testing as JUnit XML, which build servers show.
//!
//! A test case is a state of the model, named by a shortest word that leads there: so it says what
//! a failure means, and which states no test has visited (they are skipped).

use std::io;
use std::time::Duration;

use mealybug_core::Input;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Difference, Tested};
use crate::machine::{Gaps, Machine};
use crate::word;

/// The report of testing a device against the model called `name`. `ending` says why it ended where
/// that was not because the tests were over or had found a difference: no report must look
/// good that is not.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn junit<E>(
    name: &str,
    model: &Machine,
    tested: &Tested<E>,
    time: Duration,
    ending: Option<&str>,
) -> String {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, name, model, tested, time, ending).expect("memory takes everything");
    String::from_utf8(xml.into_inner()).expect("made of strings")
}

fn write<E>(
    xml: &mut Writer<Vec<u8>>,
    name: &str,
    model: &Machine,
    tested: &Tested<E>,
    time: Duration,
    ending: Option<&str>,
) -> io::Result<()> {
    let states = model.access_words();
    let of = |state: u32| tested.differences.iter().filter(move |d| d.state == state);
    let is_skipped = |state: u32| !tested.is_visited(model, state) && of(state).next().is_none();
    let failures = states.iter().filter(|(state, _)| of(*state).next().is_some()).count();
    let skipped = states.iter().filter(|(state, _)| is_skipped(*state)).count();
    let tests = states.len() + usize::from(ending.is_some());
    let seconds = format!("{:.3}", time.as_secs_f64());

    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuites").write_inner_content(|xml| {
        let suite = xml.create_element("testsuite").with_attributes([
            ("name", text(name).as_str()),
            ("tests", &tests.to_string()),
            ("failures", &failures.to_string()),
            ("errors", if ending.is_some() { "1" } else { "0" }),
            ("skipped", &skipped.to_string()),
            ("time", &seconds),
        ]);
        suite.write_inner_content(|xml| {
            properties(xml, tested, model.gaps())?;
            for (state, access) in &states {
                let inputs = model.inputs();
                let case = match access.is_empty() {
                    true => "from a reset".to_owned(),
                    false => format!("after {}", word::format(access, inputs)),
                };
                let case = [("classname", text(name)), ("name", text(&case))];
                let case = case.each_ref().map(|(key, value)| (*key, value.as_str()));
                let element = xml.create_element("testcase").with_attributes(case);
                let differences: Vec<_> = of(*state).collect();
                if is_skipped(*state) {
                    element.write_inner_content(|xml| {
                        let why = [("message", "no test came here")];
                        xml.create_element("skipped").with_attributes(why).write_empty().map(drop)
                    })?;
                } else if differences.is_empty() {
                    element.write_empty()?;
                } else {
                    element.write_inner_content(|xml| failure(xml, &differences, inputs))?;
                }
            }
            let Some(ending) = ending else { return Ok(()) };
            let case = [("classname", text(name)), ("name", "the tests end".to_owned())];
            let case = case.each_ref().map(|(key, value)| (*key, value.as_str()));
            xml.create_element("testcase").with_attributes(case).write_inner_content(|xml| {
                let error =
                    xml.create_element("error").with_attribute(("message", "not all tests"));
                error.write_text_content(BytesText::new(&text(ending))).map(drop)
            })?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

/// What it cost, and what a partial model could not judge.
fn properties<E>(xml: &mut Writer<Vec<u8>>, tested: &Tested<E>, gaps: Gaps) -> io::Result<()> {
    let costs = [
        ("tests", tested.tests),
        ("resets", tested.costs.resets),
        ("symbols", tested.costs.symbols),
        ("retries", tested.retries),
    ];
    let gaps = [("transitions open", gaps.open), ("transitions never asked", gaps.unknown)];
    let properties = costs.into_iter().chain(gaps.into_iter().filter(|(_, count)| *count > 0));
    xml.create_element("properties").write_inner_content(|xml| {
        for (name, value) in properties {
            let property = [("name", name), ("value", &value.to_string())];
            xml.create_element("property").with_attributes(property).write_empty()?;
        }
        Ok(())
    })?;
    Ok(())
}

/// All differences at a state are one failure: a test case has no more.
fn failure(
    xml: &mut Writer<Vec<u8>>,
    differences: &[&Difference],
    inputs: &[String],
) -> io::Result<()> {
    let said = |difference: &&Difference| {
        let Difference { word, expected, said, tests, .. } = difference;
        let last: &[Input] = word.last().map_or(&[], std::slice::from_ref);
        let (word, last) = (word::format(word, inputs), word::format(last, inputs));
        (
            format!("`{last}` was answered `{said}` instead of `{expected}`"),
            format!(
                "{word}\n  model:  {expected}\n  device: {said}\n  tests that met it: {tests}\n"
            ),
        )
    };
    let (messages, details): (Vec<_>, Vec<_>) = differences.iter().map(said).unzip();
    let message = text(&messages.join("; "));
    let failure = xml.create_element("failure").with_attribute(("message", message.as_str()));
    failure.write_text_content(BytesText::new(&text(&details.concat()))).map(drop)
}

/// A text without the characters that XML has no way to write.
fn text(text: &str) -> String {
    let shown = |c: char| {
        let is_there = c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
        if is_there { c.to_string() } else { c.escape_default().to_string() }
    };
    text.chars().map(shown).collect()
}
