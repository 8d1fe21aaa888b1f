//! `report.html`: what a run found out, on one page for people.
//!
//! The page needs nothing beside it and runs no scripts: pictures and plots are SVG within it. It is
//! made of what the other files of the run say, so it says nothing that cannot be checked there. It
//! is XML as well as HTML, which keeps the tests simple.

mod answers;
mod costs;
mod model;
mod page;
mod plot;

use std::fmt::{self, Write};

use crate::confidence::{AHEAD, Confidence, percent};
use crate::learned::Learned;
use crate::machine::Machine;
use crate::picture::escaped;
use crate::statistics::{Statistics, number};
use crate::store::Tree;

/// What is reported.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// How the run is called.
    pub name: &'a str,
    /// How it ended and what it cost.
    pub statistics: &'a Statistics,
    /// Its last hypothesis.
    pub learned: Option<&'a Learned>,
    /// The machine that its components make together, if it is not too large.
    pub model: Option<&'a Machine>,
    /// The names of the inputs.
    pub inputs: &'a [String],
    /// What the device said, if that was kept.
    pub answers: Option<&'a Tree>,
}

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let mut html = String::new();
        self.write(&mut html).expect("a string takes everything");
        html
    }

    fn write(&self, html: &mut String) -> fmt::Result {
        page::begin(html, self.name)?;
        self.summary(html)?;
        model::write(html, self)?;
        costs::write(html, self.statistics)?;
        answers::write(html, self)?;
        options(html, self.statistics)?;
        page::end(html)
    }

    /// How the run ended, in plain words, before anything else.
    fn summary(&self, html: &mut String) -> fmt::Result {
        let Statistics { converged, reason, refuted, equals_model, warnings, .. } = self.statistics;
        let verdict = if *converged { "Converged" } else { "NOT CONVERGED" };
        let is_good = *converged && !refuted && *equals_model != Some(false);
        let class = if is_good { "good" } else { "bad" };
        writeln!(html, "<h1>{}</h1>", escaped(self.name))?;
        writeln!(html, "<div class=\"verdict {class}\">")?;
        writeln!(html, "<p><strong>{verdict}:</strong> {}.</p>", escaped(reason))?;
        if !converged {
            html.push_str(
                "<p>The model below has not withstood all tests: it says what was seen so far, and \
                 may be wrong about the rest.</p>\n",
            );
        }
        if *refuted {
            html.push_str("<p>An answer contradicts the model: it is wrong somewhere.</p>\n");
        }
        if *equals_model == Some(false) {
            html.push_str(
                "<p>It <strong>differs</strong> from the model that was simulated.</p>\n",
            );
        }
        html.push_str("</div>\n");
        writeln!(html, "<p>{}</p>", self.facts())?;
        if let Some(confidence) = &self.statistics.confidence {
            tested(html, confidence)?;
        }
        if !warnings.is_empty() {
            html.push_str("<ul class=\"warnings\">\n");
            for warning in warnings {
                writeln!(html, "<li>Note: {}.</li>", escaped(warning))?;
            }
            html.push_str("</ul>\n");
        }
        Ok(())
    }

    /// The run in a sentence or two.
    fn facts(&self) -> String {
        let Statistics { states, gaps, components, inputs, outputs, rounds, device, .. } =
            self.statistics;
        let model = match states {
            Some(states) if gaps.is_empty() => {
                format!("a model of {}", counted(u64::from(*states), "state"))
            }
            Some(states) => {
                format!("a model of {} ({gaps})", counted(u64::from(*states), "state"))
            }
            None => "no single model".to_owned(),
        };
        format!(
            "The run ended with {model} and {}. It knows {} and saw {}. That took {}, {} and {} of \
             the device, and {}.",
            counted(components.len() as u64, "component"),
            counted(*inputs as u64, "input"),
            counted(u64::from(*outputs), "output"),
            counted(*rounds, "round"),
            counted(device.resets, "reset"),
            counted(device.symbols, "symbol"),
            duration(self.statistics.seconds),
        )
    }
}

/// How far the model was tested.
fn tested(html: &mut String, confidence: &Confidence) -> fmt::Result {
    let Confidence { chance, tried } = confidence;
    html.push_str("<p>");
    if let Some(tried) = tried {
        let (transitions, pairs) = (number(tried.transitions as u64), number(tried.pairs as u64));
        let (of, of_pairs) = (number(tried.of_transitions as u64), number(tried.of_pairs as u64));
        write!(
            html,
            "The device was taken through {transitions} of the model's {of} transitions, and through \
             {pairs} of {of_pairs} pairs of one transition after another. "
        )?;
    }
    if let Some(chance) = chance {
        write!(
            html,
            "{} more tests would find something with a chance of about {}, as devices go whose truth is \
             known.",
            number(AHEAD),
            percent(*chance)
        )?;
    }
    html.push_str("</p>\n");
    Ok(())
}

/// What the run was told.
fn options(html: &mut String, statistics: &Statistics) -> fmt::Result {
    let value = serde_json::to_value(&statistics.options).expect("numbers and names");
    html.push_str("<section><h2>Options</h2>\n<table class=\"facts\">\n");
    for (key, value) in value.as_object().into_iter().flatten() {
        let value = match value {
            _ if key == "algorithm" => statistics.options.algorithm.title().to_owned(),
            serde_json::Value::Null => "no limit".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let key = key.replace('_', " ");
        writeln!(html, "<tr><th>{}</th><td>{}</td></tr>", escaped(&key), escaped(&value))?;
    }
    html.push_str("</table>\n</section>\n");
    Ok(())
}

/// A number of things.
fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A time as people say it.
fn duration(seconds: f64) -> String {
    let whole = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests;
