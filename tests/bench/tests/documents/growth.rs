//! How the costs of OL# grow with the components of a model.

use mealybug::statistics::number;
use serde::Deserialize;

use crate::rows::root;
use crate::section::DocsSection;

/// A line of docs/measurements/tree-growth.csv.
#[derive(Deserialize)]
struct GrowthLine {
    #[serde(rename = "Model")]
    model: String,
    #[serde(rename = "Component states")]
    component_states: u32,
    #[serde(rename = "Learning symbols")]
    symbols: u32,
    #[serde(rename = "Memory bytes")]
    bytes: u32,
}

/// The slope of the line that fits these points best.
fn slope(points: &[[f64; 2]]) -> f64 {
    let mean = |at: usize| points.iter().map(|point| point[at]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let together: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    together / points.iter().map(|point| (point[0] - x).powi(2)).sum::<f64>()
}

#[test]
fn growth_with_the_components() {
    let file = root().join("docs/measurements/tree-growth.csv");
    let lines: Result<Vec<GrowthLine>, _> =
        csv::Reader::from_path(file).expect("a file").into_deserialize().collect();
    let lines = lines.expect("its lines");
    let largest = lines.iter().find(|line| line.model == "random-5-5-6.dot").expect("a line");
    let points: Vec<_> = lines
        .iter()
        .map(|line| [line.component_states, line.symbols].map(|it| f64::from(it).ln()))
        .collect();
    let power = slope(&points);
    let states = lines.iter().map(|line| line.component_states);
    let section = DocsSection::of("docs/benchmarks.md", "### Growth and memory");
    section.says(&format!(
        "`random-5-5-6`, with 10 000 states, takes {} symbols and",
        number(largest.symbols)
    ));
    section.says(&format!("{} in the rows", number(largest.bytes)));
    section.says(&format!(
        "grow with the power {power:.2} of the sum of the states of the components that it learns ({} to {})",
        states.clone().min().unwrap_or(0),
        states.max().unwrap_or(0)
    ));
    DocsSection::of("docs/measurements/tree.md", "## Growth").says(&format!(
        "The learning symbols of the {} artificial models grow with the power {power:.2}",
        lines.len()
    ));
}
