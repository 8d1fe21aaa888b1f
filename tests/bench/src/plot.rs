//! Plots of rows, as SVG.
//!
//! For each suite and kind of tests, the figures of the paper: L* against OL*, a point for each model,
//! on logarithmic axes. For each kind of tests, all learners side by side, and what they need as models
//! grow.

mod calibration;
mod drawing;
mod finds;
mod growth;
mod learners;
mod scatter;

use std::collections::BTreeMap;

use crate::cases::Case;
use crate::row::RunRow;
use crate::verdict::VerdictRow;

/// The pictures: for each the name of its file and its text.
pub(crate) fn plots(rows: &[RunRow]) -> BTreeMap<String, String> {
    let cases = Case::all(rows);
    let mut plots = BTreeMap::new();
    let mut by_suite = BTreeMap::<_, Vec<&Case>>::new();
    let mut by_tests = BTreeMap::<_, Vec<&Case>>::new();
    for case in &cases {
        by_suite.entry((&case.suite, &case.tests)).or_default().push(case);
        by_tests.entry(&case.tests).or_default().push(case);
    }
    for ((suite, tests), cases) in by_suite {
        let pairs = scatter::pairs(&cases);
        if !pairs.is_empty() {
            let name = |what| format!("{what}-{}-{}.svg", file_name(suite), file_name(tests));
            plots.insert(name("symbols"), scatter::symbols(suite, tests, &pairs));
            plots.insert(name("queries"), scatter::queries(suite, tests, &pairs));
        }
    }
    for (tests, cases) in by_tests {
        let name = |what| format!("{what}-{}.svg", file_name(tests));
        plots.extend(learners::plot(tests, &cases).map(|plot| (name("learners"), plot)));
        plots.extend(growth::plot(tests, &cases).map(|plot| (name("growth"), plot)));
    }
    plots
}

/// The pictures of `mealybug-bench verdicts`: for each the name of its file and its text.
pub(crate) fn verdict_plots(rows: &[VerdictRow]) -> BTreeMap<String, String> {
    let calibration = calibration::plot(rows).map(|plot| ("calibration.svg".to_owned(), plot));
    let finds = finds::plot(rows).map(|plot| ("finds.svg".to_owned(), plot));
    calibration.into_iter().chain(finds).collect()
}

/// A name as a part of a file's.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use super::*;
    use crate::row::testing::row;

    fn rows() -> Vec<RunRow> {
        let of = |model, algorithm, symbols| row(["a b", model, algorithm, "wp:1"], 0, symbols, 0);
        let mut rows = vec![
            of("less", "ol-star", 10),
            of("less", "l-star", 400),
            of("more", "ol-star", 1000),
            of("more", "l-star", 999),
            of("none", "ol-star", 1000),
            of("none", "l-star", 999),
        ];
        rows[5].outcome = "time-out".to_owned();
        rows
    }

    #[test]
    fn a_point_a_model_and_a_bar_a_learner() {
        let plots = plots(&rows());
        let names: Vec<_> = plots.keys().map(String::as_str).collect();
        assert_eq!(names, ["learners-wp-1.svg", "queries-a-b-wp-1.svg", "symbols-a-b-wp-1.svg"]);
        let count = |name: &str, what: &str, fill: bool| {
            let document = Document::parse(&plots[name]).expect("XML");
            let is_full = |node: &roxmltree::Node<'_, '_>| node.attribute("fill") != Some("none");
            let of = document.descendants().filter(|node| node.has_tag_name(what));
            of.filter(|node| is_full(node) == fill).count()
        };
        // Below and above the diagonal; the model that L* did not learn is left out.
        assert_eq!(count("symbols-a-b-wp-1.svg", "circle", true), 1);
        assert_eq!(count("symbols-a-b-wp-1.svg", "circle", false), 1);
        let circles = [true, false].map(|fill| count("queries-a-b-wp-1.svg", "circle", fill));
        assert_eq!(circles.iter().sum::<usize>(), 8);
        // The ground, and the bars: √(10/400 · 1000/999) of L*'s symbols.
        assert_eq!(count("learners-wp-1.svg", "rect", true), 3);
        assert!(plots["learners-wp-1.svg"].contains("0.16 (2 models)"));
    }

    #[test]
    fn learners_of_a_kind_stand_together_in_one_colour() {
        let mut rows = rows();
        for (algorithm, symbols) in
            [("aalpy-kv", 200), ("ol-sharp", 20), ("l-sharp", 30), ("ol-sharp:per-input", 40)]
        {
            rows.push(row(["a b", "less", algorithm, "wp:1"], 0, symbols, 0));
        }
        let plot = &plots(&rows)["learners-wp-1.svg"];
        let document = Document::parse(plot).expect("XML");
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let texts: Vec<_> = texts.filter_map(|node| node.text()).map(str::trim).collect();
        let learners =
            ["l-sharp", "ol-sharp", "ol-sharp:per-input", "l-star", "ol-star", "aalpy-kv"];
        let shown = texts.into_iter().filter(|text| learners.contains(text));
        assert_eq!(shown.collect::<Vec<_>>(), learners);
        // The longest name ends left of its bar, and is not cut off: a letter takes at most 7 pixels.
        let longest = "ol-sharp:per-output";
        let mut texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let name = texts.find(|node| node.text().is_some_and(|text| text.trim() == learners[2]));
        let end =
            name.and_then(|name| name.attribute("x")?.parse::<usize>().ok()).expect("a place");
        assert!(end >= 7 * longest.len(), "{end}");
        let rectangles = document.descendants().filter(|node| node.has_tag_name("rect"));
        let colours: Vec<_> = rectangles.filter_map(|node| node.attribute("fill")).collect();
        // The bars, and one more that tells what the colour means; L* is as long as itself.
        for (colour, bars) in [("#C8690A", 3), ("#2D73C8", 2), ("#808080", 1)] {
            let count = colours.iter().filter(|&&other| other == colour).count();
            assert_eq!(count, bars + 1, "{colour}: {colours:?}");
        }
    }

    #[test]
    fn what_models_take_as_they_grow() {
        let mut rows = rows();
        rows[0].states = 600;
        rows[1].states = 600;
        let plot = &plots(&rows)["growth-wp-1.svg"];
        let document = Document::parse(plot).expect("XML");
        let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
        // Five runs learned their model: seconds and bytes of each; and two names in either panel.
        assert_eq!(circles.count(), 2 * 5 + 2 * 2);
        assert!(plot.contains("l-star") && !plot.contains("learnlib"));
    }

    #[test]
    fn without_l_star_there_is_nothing_to_draw() {
        let rows: Vec<_> = rows().into_iter().filter(|row| row.algorithm == "ol-star").collect();
        assert!(plots(&rows).is_empty(), "nor to compare");
    }
}
