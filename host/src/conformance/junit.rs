//! Test results as JUnit XML, which build servers show.
//!
//! A test case is a state of the model, named by a shortest word that leads there, and by its name if people gave it one. The report thus
//! shows where a failure occurs, and lists states that no test has visited as skipped. A test
//! case's time is the time the device took to answer in that state; resets count for the initial
//! state.

use chrono::{DateTime, Utc};
use mealybug_core::Input;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Deviation, Tested};
use crate::escape::is_not_markup;
use crate::machine::{Gaps, Machine};
use crate::word;

/// The report of testing a device against the model called `name`. `ending` gives the reason if the
/// run ended before all tests passed or a difference was found, so that an incomplete run never
/// looks like a success.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn junit<E>(name: &str, model: &Machine, tested: &Tested<E>, ending: Option<&str>) -> String {
    let name = &text(name);
    let began = DateTime::<Utc>::from(tested.began);
    let mut suite = TestSuite::new(name);
    suite.set_timestamp(began).set_time(tested.time);
    suite.add_properties(properties(tested, model.gaps()));
    for (state, access) in model.access_words().iter() {
        let case = match access.is_empty() {
            true => "from a reset".to_owned(),
            false => format!("after {}", word::format(&access, model.inputs())),
        };
        let case = match model.state_name(state) {
            Some(name) => format!("{case} ({name})"),
            None => case,
        };
        let mut case = TestCase::new(text(&case), status(model, tested, state));
        case.set_classname(name).set_time(tested.times[state as usize]);
        suite.add_test_case(case);
    }
    if let Some(ending) = ending {
        suite.add_test_case(error(name, "the tests end", "not all tests", ending));
    }
    let mut report = Report::new(name);
    report.set_time(tested.time).add_test_suite(suite);
    report.to_string().expect("memory takes everything")
}

/// The report where no test of the model called `name` could be asked, and why. It takes the place of the report of an
/// earlier run, which a build server would show otherwise.
///
/// # Panics
/// Never: writing to memory does not fail.
pub fn junit_of_no_tests(name: &str, why: &str) -> String {
    let name = &text(name);
    let mut suite = TestSuite::new(name);
    suite.set_timestamp(Utc::now());
    suite.add_test_case(error(name, "the tests begin", "no tests", why));
    let mut report = Report::new(name);
    report.add_test_suite(suite);
    report.to_string().expect("memory takes everything")
}

/// A test case that is an error.
fn error(model: &str, name: &str, message: &str, why: &str) -> TestCase {
    let mut error = TestCaseStatus::non_success(NonSuccessKind::Error);
    error.set_message(message).set_description(text(why));
    let mut case = TestCase::new(name, error);
    case.set_classname(model);
    case
}

/// The cost of the run, and the transitions that a partial model could not judge.
fn properties<E>(tested: &Tested<E>, gaps: Gaps) -> impl Iterator<Item = Property> {
    let costs = [
        ("tests", tested.tests),
        ("resets", tested.costs.resets),
        ("symbols", tested.costs.symbols),
        ("retries", tested.retries),
    ];
    let gaps = [("transitions open", gaps.open), ("transitions never asked", gaps.unknown)];
    let all = costs.into_iter().chain(gaps.into_iter().filter(|(_, count)| *count > 0));
    all.map(|(name, value)| Property::new(name, value.to_string()))
}

/// The result of a state. All its differences make one failure, because a test case has at most
/// one.
fn status<E>(model: &Machine, tested: &Tested<E>, state: u32) -> TestCaseStatus {
    let differences = tested.differences.iter().filter(|difference| difference.state == state);
    let said = differences.map(|difference| said(difference, model.inputs()));
    let (messages, details): (Vec<_>, Vec<_>) = said.unzip();
    if !messages.is_empty() {
        let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failure.set_message(text(&messages.join("; "))).set_description(text(&details.concat()));
        failure
    } else if tested.is_visited(model, state) {
        TestCaseStatus::success()
    } else {
        let mut skipped = TestCaseStatus::skipped();
        // Text, and no attribute: GitLab shows text alone, and the schema of Jenkins has no such attribute.
        skipped.set_description("no test came here");
        skipped
    }
}

/// A difference, summarised in one line and in full.
fn said(difference: &Deviation, inputs: &[String]) -> (String, String) {
    let Deviation { word, expected, said, tests, .. } = difference;
    let last: &[Input] = word.last().map_or(&[], std::slice::from_ref);
    let (word, last) = (word::format(word, inputs), word::format(last, inputs));
    (
        format!("`{last}` was answered `{said}` instead of `{expected}`"),
        format!("{word}\n  model:  {expected}\n  device: {said}\n  tests that met it: {tests}\n"),
    )
}

/// Escapes characters that XML cannot represent; quick-junit would drop them.
fn text(text: &str) -> String {
    let shown = |c: char| {
        if is_not_markup(c) { c.escape_default().to_string() } else { c.to_string() }
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use mealybug_core::Costs;
    use roxmltree::{Document, Node};

    use super::*;
    use crate::conformance::TestOutcome;
    use crate::machine::testing::lamp;

    /// The schema with which Jenkins checks reports, `junit-4.xsd`: an element, its attributes, and its children in
    /// their order. quick-junit adds `skipped` to `testsuites`.
    const SCHEMA: [(&str, &[&str], &[&str]); 8] = [
        (
            "testsuites",
            &["name", "time", "tests", "failures", "disabled", "errors", "skipped"],
            &["testsuite"],
        ),
        (
            "testsuite",
            &[
                "name",
                "tests",
                "failures",
                "errors",
                "time",
                "disabled",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
            ],
            &["properties", "testcase", "system-out", "system-err"],
        ),
        ("properties", &[], &["property"]),
        ("property", &["name", "value"], &[]),
        (
            "testcase",
            &["name", "assertions", "time", "classname", "status"],
            &["skipped", "error", "failure", "system-out", "system-err"],
        ),
        ("skipped", &[], &[]),
        ("error", &["type", "message"], &[]),
        ("failure", &["type", "message"], &[]),
    ];

    fn check(node: Node<'_, '_>) {
        let name = node.tag_name().name();
        let (_, attributes, children) =
            SCHEMA.iter().find(|(element, ..)| *element == name).expect("a known element");
        for attribute in node.attributes() {
            assert!(attributes.contains(&attribute.name()), "{name}: {}", attribute.name());
        }
        let order = node.children().filter(Node::is_element).map(|child| {
            check(child);
            let name = child.tag_name().name();
            children.iter().position(|known| *known == name).expect("an element that may be here")
        });
        assert!(order.is_sorted(), "{name}");
    }

    /// A failure, a state that no test has visited, and an early end.
    #[test]
    fn the_report_keeps_to_the_schema_and_says_all_in_text() {
        let deviation = Deviation {
            word: vec![Input::new(1)],
            expected: "off".to_owned(),
            said: "on".to_owned(),
            state: 0,
            tests: 2,
        };
        let tested = Tested::<()> {
            ending: TestOutcome::Time,
            tests: 7,
            costs: Costs::default(),
            differences: vec![deviation],
            taken: vec![0, 2, 0, 0],
            retries: 0,
            contradictions: 0,
            began: SystemTime::UNIX_EPOCH,
            time: Duration::from_millis(1500),
            times: vec![Duration::from_millis(1250), Duration::ZERO],
        };
        let xml = junit("lamp", &lamp(), &tested, Some("the time is used up"));
        let report = Document::parse(&xml).expect("XML");
        check(report.root_element());
        let cases = report.descendants().filter(|node| node.has_tag_name("testcase"));
        let cases = cases.map(|case| {
            let said = case.first_element_child().and_then(|said| said.text()).unwrap_or_default();
            let attribute = |name| case.attribute(name).unwrap_or_default();
            [attribute("classname"), attribute("name"), attribute("time"), said].join(" | ")
        });
        assert_eq!(
            cases.collect::<Vec<_>>(),
            [
                "lamp | from a reset | 1.250 | hold\n  model:  off\n  device: on\n  tests that met it: 2\n",
                "lamp | after press | 0.000 | no test came here",
                "lamp | the tests end |  | the time is used up",
            ]
        );
    }
}
