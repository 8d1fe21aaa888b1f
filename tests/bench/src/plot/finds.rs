//! What each kind of tests finds: the share of states that hypotheses have after so many tests, a panel for each suite.

use std::collections::BTreeMap;

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::{PathElement, Text};
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoTextStyle, RGBColor};

use super::drawing::{Area, Drawn, GREY, font, short, svg};
use crate::verdict::VerdictRow;

/// The kinds that are drawn, and their colours: the mixture last, above the others.
const KINDS: [(&str, RGBColor); 6] = [
    ("systematic", RGBColor(45, 115, 200)),
    ("splice", RGBColor(200, 105, 10)),
    ("coverage", RGBColor(20, 130, 70)),
    ("repetition", RGBColor(190, 40, 90)),
    ("long-words", RGBColor(130, 80, 180)),
    ("mixture", RGBColor(30, 30, 30)),
];
/// The share is drawn after this many tests, and after each that is so many times as large.
const FIRST: f64 = 1.0;
const LAST: f64 = 10_000.0;
const STEPS: u32 = 60;

const PANEL_HEIGHT: u32 = 260;
const LEGEND_HEIGHT: u32 = 60;
const COLUMNS: i32 = 3;

/// States that were found after so many tests, for the runs with a kind of tests.
type KindRows<'r> = Vec<&'r VerdictRow>;

/// The picture, if runs with several kinds of tests are there.
pub(super) fn plot(rows: &[VerdictRow]) -> Option<String> {
    let mut suites = BTreeMap::<&str, BTreeMap<&str, KindRows<'_>>>::new();
    for row in rows {
        suites.entry(&row.suite).or_default().entry(&row.tests).or_default().push(row);
    }
    let is_drawn = |kind: &str| KINDS.iter().any(|&(name, _)| name == kind);
    suites.retain(|_, kinds| kinds.keys().filter(|kind| is_drawn(kind)).count() > 1);
    let panels = u32::try_from(suites.len()).ok().filter(|&count| count > 0)?;
    Some(svg((480, LEGEND_HEIGHT + PANEL_HEIGHT * panels), |area| {
        let (top, parts) = area.split_vertically(LEGEND_HEIGHT);
        legend(&top)?;
        let parts = parts.split_evenly((suites.len(), 1));
        for (part, (suite, kinds)) in parts.iter().zip(&suites) {
            panel(part, suite, kinds)?;
        }
        Ok(())
    }))
}

fn legend(area: &Area<'_>) -> Drawn {
    let style = font(16).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    for (at, (name, colour)) in (0..).zip(KINDS) {
        let (left, middle) = (20 + at % COLUMNS * 150, 16 + at / COLUMNS * 24);
        let width = if name == "mixture" { 4 } else { 2 };
        let line = [(left, middle), (left + 24, middle)];
        area.draw(&PathElement::new(line, colour.stroke_width(width)))?;
        area.draw(&Text::new(name, (left + 32, middle), style.clone()))?;
    }
    Ok(())
}

fn panel(area: &Area<'_>, suite: &str, kinds: &BTreeMap<&str, KindRows<'_>>) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{suite}: states found, %"), font(18))
        .margin(8)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(48)
        .build_cartesian_2d((FIRST..LAST).log_scale(), 0.0..100.0)?;
    chart
        .configure_mesh()
        .bold_line_style(GREY)
        .max_light_lines(0)
        .y_labels(6)
        .x_desc("tests")
        .axis_desc_style(font(16))
        .label_style(font(15))
        .x_label_formatter(&|&value| short(value))
        .y_label_formatter(&|value| format!("{value:.0}"))
        .draw()?;
    for (name, colour) in KINDS {
        let Some(runs) = kinds.get(name) else { continue };
        let width = if name == "mixture" { 4 } else { 2 };
        chart.draw_series(LineSeries::new(shares(runs), colour.stroke_width(width)))?;
    }
    Ok(())
}

/// After so many tests, the share of states in per cent: a mean over the runs.
fn shares(runs: &[&VerdictRow]) -> Vec<(f64, f64)> {
    let found: Vec<Vec<(f64, f64)>> = runs.iter().filter_map(|row| found(row)).collect();
    let grow = (LAST / FIRST).powf(1.0 / f64::from(STEPS));
    let all = (0..=STEPS).map(|step| {
        let tests = FIRST * grow.powf(f64::from(step));
        let after = |run: &Vec<(f64, f64)>| {
            run.iter().rev().find(|&&(before, _)| before <= tests).map_or(0.0, |&(_, share)| share)
        };
        #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
        let mean = found.iter().map(after).sum::<f64>() / found.len().max(1) as f64;
        (tests, mean)
    });
    all.collect()
}

/// The tests before each hypothesis of a run, and the share of states that it has, in per cent.
fn found(row: &VerdictRow) -> Option<Vec<(f64, f64)>> {
    let (mut before, mut points) = (0.0, Vec::new());
    for hypothesis in row.judged()?.hypotheses {
        let share = f64::from(hypothesis.states) / f64::from(row.states.max(1));
        points.push((before, 100.0 * share.min(1.0)));
        #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
        let passed = hypothesis.passed as f64;
        before += passed + 1.0;
    }
    Some(points)
}
