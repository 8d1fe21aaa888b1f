//! `result.postcard`: what was learned and how, in the same bytes that a target sends.
//!
//! The encoding is that of [`mealybug_core::wire`], so results of a microcontroller and of the host
//! have the same format. Here the names of inputs and outputs are text. The outputs of a target are the bytes that
//! came from its device; [`with_names`] adds what the device file calls them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use mealybug_core::wire::types::Unknown;
use mealybug_core::wire::{self, Reader, Record, WireError};
use mealybug_core::{Hypothesis, Output, Summary};
use miette::Diagnostic;
use thiserror::Error;

use crate::learned_components::LearnedComponents;
use crate::machine::{ComponentTransition, ProductComponent, Transition};
use crate::names::{find_twice, names_of};

/// Why bytes are not a result.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
pub enum ResultFileError {
    /// The bytes are not an undamaged result of this version.
    #[error(transparent)]
    #[diagnostic(help("{}", wire_advice(*.0)))]
    Wire(#[from] WireError),
    /// The bytes are undamaged, but contain something that this program does not know.
    #[error(transparent)]
    #[diagnostic(help("a newer mealybug wrote it: read it with that one"))]
    Unknown(#[from] Unknown),
    /// The checksum is right, but the contents are not a machine.
    #[error("the result makes no machine: {what}")]
    #[diagnostic(help("it was not written by this tool, or by one with a fault; learn it anew"))]
    NoMachine {
        /// What is wrong.
        what: String,
    },
}

/// The advice for bytes that are refused.
fn wire_advice(error: WireError) -> &'static str {
    match error {
        WireError::Version { found } if found < wire::VERSION => {
            "an older mealybug wrote it: read it with that one, or read the `model.dot` beside it; `mealybug \
             learn --resume` with the folder of the run writes it anew, from the answers kept there"
        }
        WireError::Version { .. } => "a newer mealybug wrote it: read it with that one",
        _ => "give a result.postcard as a run wrote it",
    }
}

/// Encodes a result; `inputs` names the inputs of the hypothesis.
pub fn encode(run: &Summary, inputs: &[String], hypothesis: Option<Hypothesis<'_>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let sink = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok::<(), Infallible>(())
    };
    match wire::write(run, inputs.iter().map(|name| name.as_bytes()), hypothesis, sink) {
        Ok(()) => bytes,
        Err(never) => match never {},
    }
}

/// Whether bytes begin like a result.
pub fn is_result(bytes: &[u8]) -> bool {
    bytes.starts_with(wire::MAGIC)
}

/// Reads a result: the run, and the learned model if there is one.
///
/// # Errors
/// The bytes are damaged, of another version, or not a result.
pub fn decode(bytes: &[u8]) -> Result<(Summary, Option<LearnedComponents>), ResultFileError> {
    let mut parts = ResultParts::default();
    for record in Reader::new(bytes)? {
        parts.take(record?)?;
    }
    parts.finish()
}

/// Adds names of outputs to a result of a target, whose outputs are the bytes that came from the device. They stay
/// beside their names.
///
/// # Errors
/// The bytes are damaged, of another version, or not a result.
pub fn with_names(
    bytes: &[u8],
    name: impl Fn(&[u8]) -> String,
) -> Result<Vec<u8>, ResultFileError> {
    let records = Reader::new(bytes)?.collect::<Result<Vec<_>, _>>()?;
    let records: Vec<_> = records
        .into_iter()
        .filter(|record| !matches!(record, Record::OutputName(_)))
        .map(|record| match record {
            Record::Output { name: bytes, .. } => (record, Some(name(bytes))),
            _ => (record, None),
        })
        .collect();
    let named = records.iter().flat_map(|(record, name)| {
        [Some(*record), name.as_ref().map(|name| Record::OutputName(name.as_bytes()))]
    });
    let mut bytes = Vec::new();
    let written = wire::write_records(named.flatten(), |part| {
        bytes.extend_from_slice(part);
        Ok::<(), Infallible>(())
    });
    match written {
        Ok(()) => Ok(bytes),
        Err(never) => match never {},
    }
}

/// The parts read so far.
#[derive(Default)]
struct ResultParts {
    run: Option<Summary>,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
    /// The names that a host gave to outputs.
    given: BTreeMap<usize, String>,
    /// The component of each output.
    owners: Vec<u32>,
    components: Vec<ProductComponent>,
    open: Option<OpenComponent>,
}

/// A component whose transitions are being read.
struct OpenComponent {
    states: u32,
    initial: u32,
    table: Vec<Option<ComponentTransition>>,
}

fn no_machine(what: impl Into<String>) -> ResultFileError {
    ResultFileError::NoMachine { what: what.into() }
}

impl ResultParts {
    fn take(&mut self, record: Record<'_>) -> Result<(), ResultFileError> {
        let has_component = !self.components.is_empty() || self.open.is_some();
        match record {
            Record::Input(_) | Record::Output { .. } | Record::OutputName(_) if has_component => {
                return Err(no_machine("an input or output after a component"));
            }
            Record::Summary(run) => self.run = Some(Summary::try_from(&run)?),
            Record::Input(name) => self.inputs.push(name.to_vec()),
            Record::Output { name, component } => {
                self.outputs.push(name.to_vec());
                self.owners.push(component);
            }
            Record::OutputName(name) => {
                let last = self.outputs.len().checked_sub(1);
                let last = last.ok_or_else(|| no_machine("a name of no output"))?;
                let name =
                    str::from_utf8(name).map_err(|_| no_machine("a name that is no text"))?;
                self.given.insert(last, name.to_owned());
            }
            Record::Component { states, initial } => {
                self.close()?;
                self.open = Some(OpenComponent { states, initial, table: Vec::new() });
            }
            Record::Transition { next, output } => self.transition(Some((next, output, false)))?,
            Record::OpenTransition { next, output } => {
                self.transition(Some((next, output, true)))?;
            }
            Record::UnknownTransition => self.transition(None)?,
            Record::End { .. } => self.close()?,
        }
        Ok(())
    }

    /// The next transition: where it leads, its output, and whether it is open.
    fn transition(
        &mut self,
        known: Option<(u32, Option<u32>, bool)>,
    ) -> Result<(), ResultFileError> {
        let open = self.open.as_mut();
        let open = open.ok_or_else(|| no_machine("a transition outside a component"))?;
        let known = known.map(|(target, output, is_open)| {
            if output.is_some_and(|output| output as usize >= self.outputs.len()) {
                return Err(no_machine("an output that has no name"));
            }
            Ok(Transition { target, output: output.map(Output::new), is_open })
        });
        open.table.push(known.transpose()?);
        Ok(())
    }

    /// Completes a component after its last transition.
    fn close(&mut self) -> Result<(), ResultFileError> {
        let Some(OpenComponent { states, initial, table }) = self.open.take() else {
            return Ok(());
        };
        let inputs = u32::try_from(self.inputs.len()).map_err(|_| no_machine("too many inputs"))?;
        if inputs == 0 {
            return Err(no_machine("a component without inputs"));
        }
        let number = self.components.len();
        if table.len() as u64 != u64::from(states) * u64::from(inputs) {
            return Err(no_machine(format!("component {number} lacks transitions")));
        }
        if initial >= states || table.iter().flatten().any(|known| known.target >= states) {
            return Err(no_machine(format!("component {number} lacks a state")));
        }
        self.components.push(ProductComponent::partial(inputs, initial, table));
        Ok(())
    }

    /// Puts the parts together.
    fn finish(self) -> Result<(Summary, Option<LearnedComponents>), ResultFileError> {
        let run = self.run.ok_or_else(|| no_machine("it does not say how it was learned"))?;
        let components = self.components.len();
        if self.owners.iter().any(|&component| component as usize >= components) {
            return Err(no_machine("an output that no component knows"));
        }
        let Self { inputs, outputs, mut given, owners, components, .. } = self;
        let inputs = names_of(&inputs);
        if let Some(name) = find_twice(&inputs) {
            return Err(no_machine(format!("two inputs are called `{name}`")));
        }
        let projections = run.options.projections;
        let learned = (!components.is_empty()).then(|| {
            let names = names_of(&outputs).into_iter().enumerate();
            let names = names.map(|(at, name)| given.remove(&at).unwrap_or(name));
            let outputs = names.zip(owners).collect();
            LearnedComponents::assemble(inputs, outputs, components, projections)
        });
        Ok((run, learned))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use mealybug_core::{Budget, Division, Observations, Options, Projections, Session};

    use super::*;
    use crate::demo_lock::DemoLock;
    use crate::learn::{HostSession, new_session};
    use crate::machine::{Builder, Gaps, separate};
    use crate::simulate::Simulated;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_result_that_is_read_is_the_model_that_was_learned() {
        let lock = DemoLock::machine();
        let inputs = u32::try_from(lock.inputs().len()).expect("few");
        let mut session =
            Session::new(vec![0; 1 << 16], inputs, Options::default()).expect("inputs");
        let why =
            mealybug_core::learn(&mut session, &mut Simulated::new(&lock)).expect("a simulation");
        assert!(why.is_converged());
        let bytes = encode(&session.summary(), lock.inputs(), session.hypothesis());
        assert!(is_result(&bytes));
        let (run, learned) = decode(&bytes).expect("just written");
        let learned = learned.expect("a hypothesis");
        let mut summary = session.summary();
        // It is not on the wire.
        summary.progress.longest_streak = 0;
        assert_eq!(run, summary);
        assert_eq!(
            learned,
            LearnedComponents::new(
                session.hypothesis().expect("learned"),
                lock.inputs(),
                session.options().projections
            )
        );
        let product = learned.product(1000).expect("a model");
        assert_eq!(separate(&product, &lock), Ok(None));
    }

    /// For each division of the lock into components, and for each limit that may end the run.
    #[test]
    fn components_that_are_read_have_the_names_that_they_were_learned_with() {
        let lock = DemoLock::machine();
        let divisions = [
            (Projections::Identity, Division::Whole, &["all"][..]),
            (Projections::PerOutput, Division::Outputs, &["light on", "wrong code"]),
            (Projections::PerInput, Division::Inputs, &["input light", "input enter"]),
            (Projections::PerPair, Division::Pairs, &["enter/none", "close/none", "enter/opened"]),
            (Projections::Chosen, Division::Inputs, &["input light", "inputs 1,2,enter,close"]),
        ];
        for (projections, division, names) in divisions {
            let mut gaps = 0;
            for symbols in [1, 2, 3, 8, 20, 60, u64::MAX] {
                let options = Options::new()
                    .observations(Observations::Tree)
                    .projections(projections)
                    .budget(Budget::UNLIMITED.symbols(symbols));
                let mut session: HostSession =
                    new_session(vec![0; 1 << 18], 5, options).expect("five inputs");
                mealybug_core::learn(&mut session, &mut Simulated::new(&lock))
                    .expect("a simulation");
                session.sketch().expect("there is room");
                let bytes = encode(&session.summary(), lock.inputs(), session.hypothesis());
                let (run, learned) = decode(&bytes).expect("just written");
                assert_eq!(run.options, *session.options());
                let hypothesis = session.hypothesis().expect("a tree has one");
                let learned = learned.expect("a hypothesis");
                assert_eq!(learned, LearnedComponents::new(hypothesis, lock.inputs(), projections));
                let different: HashSet<_> = learned.names.iter().collect();
                assert_eq!(different.len(), learned.components.len(), "{:?}", learned.names);
                gaps += learned.gaps().open + learned.gaps().unknown;
                if symbols == u64::MAX {
                    assert_eq!(learned.division, division, "{projections}");
                    for name in names {
                        let name = &(*name).to_owned();
                        assert!(learned.names.contains(name), "{name}: {:?}", learned.names);
                    }
                    let product = learned.product(1000).expect("a model");
                    assert_eq!(separate(&product, &lock), Ok(None));
                }
            }
            assert!(gaps > 0, "{projections}: a limit left something open");
        }
    }

    #[test]
    fn a_result_without_a_hypothesis_has_a_run_only() {
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let bytes = encode(&session.summary(), &names(&["a", "b"]), session.hypothesis());
        assert_eq!(decode(&bytes), Ok((session.summary(), None)));
    }

    #[test]
    fn what_is_damaged_is_refused() {
        assert_eq!(decode(b"digraph"), Err(WireError::NotAResult.into()));
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let mut bytes = encode(&session.summary(), &names(&["a", "b"]), None);
        *bytes.last_mut().expect("bytes") ^= 1;
        assert!(matches!(decode(&bytes), Err(ResultFileError::Wire(_))));
    }

    #[test]
    fn a_result_of_another_version_is_refused_with_advice() {
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let mut bytes = encode(&session.summary(), &names(&["a", "b"]), None);
        for (found, advice) in [
            (wire::VERSION - 1, "an older mealybug wrote it"),
            (wire::VERSION + 1, "a newer mealybug wrote it"),
        ] {
            bytes[wire::MAGIC.len()] = found;
            let error = decode(&bytes).expect_err("it has another version");
            let expected = format!(
                "the result has version {found}; this program reads version {}",
                wire::VERSION
            );
            assert_eq!(error.to_string(), expected);
            let help = error.help().expect("there is advice").to_string();
            assert!(help.starts_with(advice), "{help}");
        }
    }

    #[test]
    fn tests_of_a_newer_version_are_named() {
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let mut run = wire::types::Summary::from(&session.summary());
        run.options.tests.kind = 999;
        let taken = ResultParts::default().take(Record::Summary(run));
        let error = taken.expect_err("there are no such tests");
        assert_eq!(error.to_string(), "this program does not know tests of kind 999");
    }

    #[test]
    fn what_is_open_or_unknown_comes_back() {
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let records = [
            Record::Summary((&session.summary()).into()),
            Record::Input(b"a"),
            Record::Input(b"b"),
            Record::Output { name: b"x", component: 0 },
            Record::Component { states: 2, initial: 0 },
            Record::Transition { next: 1, output: Some(0) },
            Record::OpenTransition { next: 0, output: Some(0) },
            Record::UnknownTransition,
            Record::Transition { next: 0, output: Some(0) },
        ];
        let mut bytes = Vec::new();
        let written = wire::write_records(records.into_iter(), |part| {
            bytes.extend_from_slice(part);
            Ok::<(), Infallible>(())
        });
        assert_eq!(written, Ok(()));
        let (_, learned) = decode(&bytes).expect("a good result");
        let named = with_names(&bytes, |output| output.escape_ascii().to_string() + "!");
        let named = with_names(&named.expect("a good result"), |output| {
            assert_eq!(output, b"x", "the bytes are still there");
            "a name".to_owned()
        });
        let (_, named) = decode(&named.expect("a good result")).expect("a good result");
        assert_eq!(named.expect("a component").outputs, ["a name"]);
        let mut expected = Builder::default();
        expected.add(0, "a", 1, "x").expect("new");
        expected.add_open(0, "b", 0, "x").expect("new");
        expected.add(1, "b", 0, "x").expect("new");
        let learned = learned.expect("a component");
        assert_eq!(learned.gaps(), Gaps { open: 1, unknown: 1 });
        assert_eq!(learned.product(9), Ok(expected.build_partial(0)));
    }

    #[test]
    fn records_that_make_no_machine_are_refused() {
        let input = Record::Input(b"a");
        let output = Record::Output { name: b"x", component: 0 };
        let component = Record::Component { states: 1, initial: 0 };
        let transition = Record::Transition { next: 0, output: Some(0) };
        let end = Record::End { crc: 0 };
        let session = Session::new(vec![0; 1 << 10], 2, Options::default()).expect("inputs");
        let run = Record::Summary((&session.summary()).into());
        let read = |records: &[Record<'_>]| {
            let mut parts = ResultParts::default();
            records.iter().try_for_each(|&record| parts.take(record))?;
            parts.finish()
        };
        assert!(read(&[run, input, output, component, transition, end]).is_ok());
        for (records, what) in [
            (&[input, end][..], "it does not say how it was learned"),
            (&[run, input, transition], "a transition outside a component"),
            (&[run, input, component, transition], "an output that has no name"),
            (&[run, input, output, component, end], "component 0 lacks transitions"),
            (&[run, component, end], "a component without inputs"),
            (&[run, input, input, end], "two inputs are called `a`"),
            (&[run, input, component, input], "an input or output after a component"),
            (&[run, input, component, output], "an input or output after a component"),
            (&[run, input, Record::OutputName(b"x")], "a name of no output"),
            (&[run, input, output, Record::OutputName(b"\xff")], "a name that is no text"),
            (&[run, input, output, end], "an output that no component knows"),
            (&[run, input, Record::UnknownTransition], "a transition outside a component"),
            (
                &[run, input, component, Record::OpenTransition { next: 0, output: Some(0) }],
                "an output that has no name",
            ),
            (
                &[run, input, component, Record::OpenTransition { next: 1, output: None }, end],
                "component 0 lacks a state",
            ),
            (
                &[run, input, component, Record::Transition { next: 1, output: None }, end],
                "component 0 lacks a state",
            ),
        ] {
            assert_eq!(read(records).map(|_| ()), Err(no_machine(what)));
        }
    }
}
