//! What a run has found out, and its way into the run's folder.

use mealybug::learn::HostSession;
use mealybug::learned::Learned;
use mealybug::machine::{Machine, ProductError};
use mealybug::report::{self, Report};
use mealybug::result_file;
use mealybug::run_folder::RunFolder;
use mealybug::statistics::{ComponentRecord, Statistics};
use mealybug::store::AnswerTree;
use miette::Result;

use crate::endpoint::Subject;
use crate::run::options::RunOptions;
use crate::run::projections::ProjectionChoice;

/// What a run has found out.
#[derive(Debug)]
pub(crate) struct Results {
    /// Where it is written.
    pub(crate) folder: RunFolder,
    /// The last hypothesis.
    pub(crate) learned: Option<Learned>,
    /// The machine that its components make together, if it is not too large.
    pub(crate) model: Option<Machine>,
    /// How the run ended and what it cost.
    pub(crate) statistics: Statistics,
}

impl Results {
    /// Writes everything into the folder, and notes in the statistics what the user should know.
    pub(crate) fn write(
        folder: RunFolder,
        session: &HostSession,
        subject: Subject<'_>,
        answers: Option<&AnswerTree>,
        statistics: Statistics,
        options: &RunOptions,
    ) -> Result<Self> {
        let inputs = subject.inputs;
        let hypothesis = session.hypothesis();
        let bytes = result_file::encode(&session.summary(), inputs, hypothesis);
        let learned = hypothesis
            .map(|hypothesis| Learned::new(hypothesis, inputs, session.options().projections));
        Self::of(folder, &bytes, learned, subject, answers, statistics, options)
    }

    /// The same for what was learned elsewhere: the bytes of a result, and the model in it.
    pub(crate) fn of(
        folder: RunFolder,
        result: &[u8],
        learned: Option<Learned>,
        subject: Subject<'_>,
        answers: Option<&AnswerTree>,
        mut statistics: Statistics,
        options: &RunOptions,
    ) -> Result<Self> {
        folder.write_result(result)?;
        let product = learned.as_ref().map(|learned| learned.product(options.max_states()));
        statistics.gaps = match &product {
            Some(Ok(model)) => model.gaps(),
            _ => learned.as_ref().map(Learned::gaps).unwrap_or_default(),
        };
        let note = statistics.note();
        let note = note.as_deref();
        let model = match product {
            Some(Ok(model)) => {
                statistics.states = Some(model.states());
                folder.write_model(&model, note)?;
                Some(model)
            }
            without => {
                statistics.warnings.push(without_model(without));
                None
            }
        };
        if let Some(learned) = &learned {
            let files = folder.write_components(learned, note)?;
            statistics.components = components(learned, files);
            statistics.division = Some(learned.division.into());
        }
        statistics.warnings.extend(never_came(learned.as_ref(), options));
        folder.write_statistics(&statistics)?;
        let report = Report {
            name: subject.name,
            statistics: &statistics,
            learned: learned.as_ref(),
            model: model.as_ref(),
            inputs: subject.inputs,
            answers,
        };
        folder.write_report(&report::html(&report))?;
        let results = Self { folder, learned, model, statistics };
        results.draw(note)?;
        Ok(results)
    }

    /// Writes the pictures. They come last: a run that is killed meanwhile has written all else.
    fn draw(&self, note: Option<&str>) -> Result<()> {
        if let Some(model) = &self.model {
            self.folder.write_picture("model.dot", model, note)?;
        }
        if let Some(learned) = &self.learned {
            for (component, ComponentRecord { file, .. }) in
                learned.components.iter().zip(&self.statistics.components)
            {
                let machine = component.named(&learned.inputs, &learned.outputs);
                self.folder.write_picture(&format!("components/{file}"), &machine, note)?;
            }
        }
        Ok(())
    }
}

/// Why there is no model.
fn without_model(product: Option<Result<Machine, ProductError>>) -> String {
    match product {
        Some(Err(ProductError::TooManyStates { max_states })) => format!(
            "the model has more than {max_states} states and is written as its components only; \
             --max-states raises the limit"
        ),
        Some(Err(error @ ProductError::Defect { .. })) => {
            format!("there is no model, only components: {error}")
        }
        Some(Ok(_)) | None => "there is no model: the run ended before the first one".to_owned(),
    }
}

fn components(learned: &Learned, files: Vec<String>) -> Vec<ComponentRecord> {
    let components = learned.names.iter().zip(&learned.components).zip(files);
    components
        .map(|((name, component), file)| ComponentRecord {
            name: name.clone(),
            states: component.states(),
            gaps: component.gaps(),
            file,
        })
        .collect()
}

/// Outputs that the options name and the device never gave: a mistake, perhaps.
fn never_came(learned: Option<&Learned>, options: &RunOptions) -> Vec<String> {
    let ProjectionChoice::Groups(groups) = options.projections() else { return Vec::new() };
    let outputs = learned.map_or(&[][..], |learned| &learned.outputs);
    let unseen = groups.iter().flatten().filter(|name| !outputs.contains(name));
    unseen.map(|name| format!("the output `{name}` of --projections never came")).collect()
}
