//! The page is valid XML and contains what a reader must know.

use mealybug_core::{EndReason, Input, Observations, Options, Projections, Session};
use roxmltree::Document;

use super::*;
use crate::algorithm::Algorithm;
use crate::demo_lock::DemoLock;
use crate::learn::{HostSession, Outcome, new_session};
use crate::learned_components::LearnedComponents;
use crate::machine::Machine;
use crate::modules::Modules;
use crate::simulate::Simulated;
use crate::statistics::{self, ComponentRecord, Round, Serial, Spent};
use crate::store::AnswerTree;
use crate::store::{NodeId, Tried};

struct ReportedRun {
    statistics: Statistics,
    learned: LearnedComponents,
    model: Machine,
    answers: AnswerTree,
}

/// The lock, learned; the given reason ended the run.
fn run(why: EndReason) -> ReportedRun {
    let lock = DemoLock::machine();
    let mut session = Session::new(vec![0; 1 << 16], 5, Options::default()).expect("five inputs");
    mealybug_core::learn(&mut session, &mut Simulated::new(&lock)).expect("a simulation");
    let learned = LearnedComponents::new(
        session.hypothesis().expect("learned"),
        lock.inputs(),
        session.options().projections,
    );
    let model = learned.product(1000).expect("a model");
    let options = statistics::OptionsRecord {
        algorithm: Algorithm::OlStar,
        projections: "per-output".to_owned(),
        tests: "random-wp".to_owned(),
        tests_in_a_row: Some(1000),
        confidence_wanted: None,
        seed: 77,
        profile: "default".to_owned(),
        max_rounds: None,
        max_symbols: None,
        max_seconds: None,
        max_states: 10_000,
        memory_bytes: 1 << 30,
        product_states: 256,
    };
    let ending = Outcome::<std::convert::Infallible>::Session(why);
    let mut statistics = Statistics::new(options, &ending, session.progress());
    statistics.states = Some(model.states());
    statistics.hypotheses = vec![Round::new(Some(28), session.progress()); 3];
    let lines = "a field changes:\n[[replace]]\nwith = \"#\"".to_owned();
    statistics.warnings = vec!["a <b>warning</b>".to_owned(), lines];
    let tried = Tried { transitions: 139, of_transitions: 140, pairs: 600, of_pairs: 700 };
    let hour = Some(HourMore { tests: 1200, chance: 0.049 });
    statistics.confidence = Some(Confidence { chance: Some(0.12), tried: Some(tried), hour });
    statistics.components = (learned.names.iter().zip(&learned.components))
        .map(|(name, component)| ComponentRecord {
            name: name.clone(),
            states: component.states(),
            gaps: component.gaps(),
            file: format!("{name}.dot"),
        })
        .collect();
    let spent = |name: &str, mean_ms| {
        let name = name.to_owned();
        Spent { name, count: 10, failed: 0, mean_ms, longest_ms: 1234.5 }
    };
    statistics.serial = Some(Serial {
        suspect_words: 0,
        late_bytes: 3,
        resets: vec![spent("1", 2.0)],
        inputs: vec![spent("enter", 1.0), spent("light", 400.0)],
    });
    ReportedRun { statistics, learned, model, answers: answers() }
}

/// After `1`, the device beeps twice and gives another answer once; then it is slow.
fn answers() -> AnswerTree {
    let mut answers = AnswerTree::default();
    let [one, enter] = [0, 2].map(Input::new);
    for output in ["beep", "b<e>p", "beep"] {
        answers.observe(NodeId::ROOT, one, output.as_bytes(), 3);
    }
    let beeped = answers.answer(NodeId::ROOT, one).expect("it did");
    answers.observe(beeped, enter, b"wrong code", 1234);
    answers
}

impl ReportedRun {
    fn html(&self) -> String {
        let modules = Modules::new(&self.model);
        let report = Report {
            name: "a <lock>",
            statistics: &self.statistics,
            learned: Some(&self.learned),
            model: Some(&self.model),
            modules: modules.as_ref(),
            inputs: &self.learned.inputs,
            answers: Some(&self.answers),
        };
        super::html(&report)
    }
}

/// The text of the page as the reader sees it. The body has no void elements, so it is valid XML.
/// Scripts are its last elements.
fn text(html: &str) -> String {
    let (start, end) = (html.find("<body>"), html.find("<script"));
    let body = format!("{}</body>", &html[start.expect("a body")..end.expect("scripts")]);
    let body = body.as_str();
    let document = Document::parse(body).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let pieces = document.descendants().filter(|node| node.is_text());
    let pieces: Vec<_> = pieces.filter_map(|node| node.text()).collect();
    pieces.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_says_how_the_run_ended_before_anything_else() {
    let page = text(&run(EndReason::TestsPassed).html());
    assert!(page.starts_with("a <lock> Not sure: "), "{page}");
    assert!(!page.contains("NOT CONVERGED"));
    let page = text(&run(EndReason::Rounds).html());
    let start =
        "a <lock> NOT CONVERGED: the rounds are used up (--rounds). The model below has not";
    assert!(page.starts_with(start), "{page}");
    // Each picture repeats the warning, because it may be cut out: the model, whole and folded, two modules and eight
    // components.
    let warnings = page.matches("NOT CONVERGED: the rounds are used up").count();
    assert_eq!(warnings, 1 + 2 + 2 + 8);
}

#[test]
fn the_page_has_all_sections_and_stands_alone() {
    let html = run(EndReason::TestsPassed).html();
    let page = text(&html);
    let parts = [
        "a model of 28 states and 8 components",
        "Note: a <b>warning</b>.",
        "What it is This device is 2 machines side by side. Each gets all inputs",
        "They have 16 states in total. As one machine the device has 28,",
        "light 2 states; inputs: light",
        "14 states; inputs: 1, 2, enter, close",
        "through 139 of the model's 140 transitions, and through 600 of 700 pairs",
        "About 1 in 8 models like this one still hides something",
        "An hour more, about 1 200 tests, would make it 1 in 20.",
        "in 13 565 552 ways, of which 28 can be reached",
        "wrong code: 11 states",
        "1 2 enter beep, beep, opened",
        "3 bytes came after the end of a reply",
        "1 2 × beep, 1 × b<e>p",
        "1 234 ms 1 enter wrong code",
        "light 10 400.0 ms 1234.5 ms 4.0 s reset 1 10",
        "Symbols asked until each hypothesis was made",
        "seed 77",
        "max rounds no limit",
    ];
    for part in parts {
        assert!(page.contains(part), "`{part}` is not in:\n{page}");
    }
    for needs in ["src=", "href=", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!html.contains(needs), "{needs}");
    }
    assert!(html.contains("content=\"default-src 'none'; "), "nothing is loaded");
    // Lines of a device file are copied as they stand.
    assert!(html.contains("a field changes:\n[[replace]]\nwith = &quot;#&quot;</li>"), "{page}");
    assert!(html.contains(".warnings li { white-space: pre-line }"));
    // The pictures of the model, of the modules and of the components. The model has a folded one, too.
    assert_eq!(html.matches("class=\"legend faint\"").count(), 1, "at the first pictures");
    let pictures = html.matches("<svg xmlns=").count() - html.matches("<template>").count();
    assert_eq!(pictures, 1 + 2 + 8);
    assert_eq!(html.matches("class=\"plot\"").count(), 2);
}

/// The machines that the page's script gets are the model, the modules and the components, in that order of kinds.
#[test]
fn each_picture_belongs_to_a_machine_in_the_data() {
    let run = run(EndReason::TestsPassed);
    let html = run.html();
    let (_, data) = html.split_once("id=\"machines\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let machines = data["machines"].as_array().expect("a list");
    let kinds: Vec<_> = machines.iter().map(|machine| machine["kind"].as_str()).collect();
    let of = |kind| kinds.iter().filter(|other| **other == Some(kind)).count();
    assert_eq!((of("model"), of("module"), of("component")), (1, 2, 8));
    for (number, machine) in machines.iter().enumerate() {
        let (_, picture) =
            html.split_once(&format!("data-machine=\"{number}\"")).expect("a picture");
        let (picture, _) = picture.split_once("</svg>").expect("its end");
        let states = machine["states"].as_u64().expect("a number");
        assert_eq!(picture.matches("data-state=").count() as u64, states);
    }
    let model = kinds.iter().position(|kind| *kind == Some("model")).expect("a model");
    assert!(html.contains(&format!("data-table=\"{model}\"")));
    let next = machines[model]["next"].as_array().expect("a list");
    assert_eq!(next.len(), 28 * 5);
}

/// The lock with two unknown transitions, and what its page says about them.
#[test]
fn what_the_model_does_not_know_is_said_and_marked() {
    let mut run = run(EndReason::Symbols);
    let mut builder = crate::machine::Builder::default();
    for (at, (from, input, to, output)) in run.model.named_transitions().enumerate() {
        match at {
            0..137 => builder.add(from, input, to, output).expect("new"),
            137 => builder.add_open(from, input, to, output).expect("new"),
            _ => {}
        }
    }
    run.model = builder.build_partial(0);
    run.statistics.gaps = run.model.gaps();
    let html = run.html();
    let page = text(&html);
    for part in [
        "a model of 28 states (1 transition open, 2 never asked) and 8 components",
        "The model is partial. 1 transition is open: what the device says is known, where it leads is a \
         guess (dashed in the picture). 2 transitions were never asked ( ? ).",
        "NOT CONVERGED: the symbols are used up (--max-symbols); 1 transition open, 2 never asked",
    ] {
        assert!(page.contains(part), "`{part}` is not in:\n{page}");
    }
    assert_eq!(html.matches("<td class=\"unknown\">?</td>").count(), 2);
    assert_eq!(html.matches("<td class=\"open\">").count(), 1);
}

/// The lock, learned with these projections, and what its page says about the components.
#[test]
fn what_components_divide_is_said() {
    let said = |projections, forecast| {
        let lock = DemoLock::machine();
        let options = Options::new().observations(Observations::Tree).projections(projections);
        let mut session: HostSession =
            new_session(vec![0; 1 << 18], 5, options).expect("five inputs");
        mealybug_core::learn(&mut session, &mut Simulated::new(&lock)).expect("a simulation");
        let hypothesis = session.hypothesis().expect("learned");
        let mut run = run(EndReason::TestsPassed);
        run.learned = LearnedComponents::new(hypothesis, lock.inputs(), projections);
        let component =
            |(name, component): (&String, &crate::machine::ProductComponent)| ComponentRecord {
                name: name.clone(),
                states: component.states(),
                gaps: component.gaps(),
                file: "x.dot".to_owned(),
            };
        run.statistics.components =
            run.learned.names.iter().zip(&run.learned.components).map(component).collect();
        run.statistics.division = Some(run.learned.division.into());
        run.statistics.forecast = forecast;
        text(&run.html())
    };
    let forecast = Some(statistics::Forecast {
        whole: 28,
        outputs: 31,
        inputs: 16,
        output_components: 2,
        input_components: 2,
    });
    let cases = [
        (
            Projections::Chosen,
            forecast,
            &[
                "learned as 2 components that divide its inputs and have 16 states in total. A \
                 component knows what the device says to some of the inputs",
                "The learner chose to divide inputs: in a sample of the words asked that leaves 14 \
                 states to find beside the initial ones, 27 as one machine and 29 divided by outputs.",
                "knows the outputs after",
                "input light 2",
            ][..],
        ),
        (
            Projections::PerPair,
            None,
            &["that divide its pairs of an input and an output and have", "knows the pairs"],
        ),
        (
            Projections::PerOutput,
            None,
            &["that divide its outputs and have", "says which of them comes at its end"],
        ),
        (Projections::Identity, forecast, &["as one component", "The learner chose one machine: "]),
    ];
    for (projections, forecast, parts) in cases {
        let page = said(projections, forecast);
        for part in parts {
            assert!(page.contains(part), "`{part}` is not in:\n{page}");
        }
        assert_eq!(page.contains("The learner chose"), forecast.is_some());
        assert!(!page.contains("<code>"), "an element as text: {page}");
    }
}

#[test]
fn a_run_without_a_model_has_a_page_too() {
    let mut run = run(EndReason::Stopped);
    run.statistics.hypotheses.clear();
    run.statistics.components.clear();
    run.statistics.states = None;
    let statistics = &run.statistics;
    let none = Report {
        name: "x",
        statistics,
        learned: None,
        model: None,
        modules: None,
        inputs: &[],
        answers: None,
    };
    let page = text(&super::html(&none));
    assert!(page.contains("There is no model as one machine"), "{page}");
    assert!(page.contains("ended with no single model"), "{page}");
}
