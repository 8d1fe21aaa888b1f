//! How often a predicted chance comes true: a ring for each suite and range of chances, a disc for all suites together.

use std::collections::BTreeMap;

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::{Circle, Text};
use plotters::series::{DashedLineSeries, LineSeries};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, IntoTextStyle, RGBColor};

use super::drawing::{Area, Drawn, GREY, LearnerKind, font, svg};
use crate::calibration::{Calibration, ChanceRange};
use crate::verdict::{VerdictRow, verdicts};

/// Ranges with fewer predictions say little.
const CASES: u32 = 40;
/// What comes true more seldom stands here, in per cent.
const LEAST: f64 = 0.1;

/// The picture, if there is a range with enough predictions.
pub(super) fn plot(rows: &[VerdictRow]) -> Option<String> {
    let mut learners = BTreeMap::<String, Vec<Calibration>>::new();
    for ((algorithm, _), calibration) in verdicts(rows) {
        learners.entry(algorithm).or_default().push(calibration);
    }
    let counted = |it: &Calibration| points(it).next().is_some();
    learners.retain(|_, suites| suites.iter().any(counted));
    let panels = u32::try_from(learners.len()).ok().filter(|&count| count > 0)?;
    Some(svg((480, 480 * panels), |area| {
        let parts = area.split_evenly((learners.len(), 1));
        for (part, (learner, suites)) in parts.iter().zip(&learners) {
            panel(part, learner, suites)?;
        }
        Ok(())
    }))
}

/// The predicted chance and how often it came true, in per cent, in each range with enough predictions.
fn points(calibration: &Calibration) -> impl Iterator<Item = (f64, f64)> {
    let known = calibration.ranges.into_iter().filter(|range| range.cases >= CASES);
    known.map(|ChanceRange { cases, said, wrong }| {
        let cases = f64::from(cases);
        (100.0 * said / cases, (100.0 * f64::from(wrong) / cases).max(LEAST))
    })
}

fn panel(area: &Area<'_>, learner: &str, suites: &[Calibration]) -> Drawn {
    let mut all = Calibration::default();
    suites.iter().for_each(|suite| all.merge(suite));
    let percent = |value: &f64| match *value {
        value if value <= LEAST => format!("≤{LEAST}"),
        value => format!("{value}"),
    };
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{learner}: said and come true, %"), font(20))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(48)
        .y_label_area_size(64)
        .build_cartesian_2d((1.0..100.0).log_scale(), (LEAST..100.0).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GREY)
        .max_light_lines(0)
        .x_desc("models that are said to be wrong, %")
        .y_desc("models that are wrong, %")
        .axis_desc_style(font(17))
        .label_style(font(15))
        .x_label_formatter(&percent)
        .y_label_formatter(&percent)
        .draw()?;
    chart.draw_series(DashedLineSeries::new([(1.0, 1.0), (100.0, 100.0)], 6, 4, BLACK.into()))?;
    let rings = suites.iter().flat_map(points);
    let ring = RGBColor(110, 110, 110);
    chart.draw_series(rings.map(|point| Circle::new(point, 4, ring.stroke_width(1))))?;
    let colour = LearnerKind::of(learner).colour();
    let line: Vec<_> = points(&all).collect();
    chart.draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))?;
    chart.draw_series(line.iter().map(|&point| Circle::new(point, 6, colour.filled())))?;
    let style = font(15).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    for (line, text) in [(60, "disc: all suites"), (80, "ring: a suite")] {
        area.draw(&Text::new(text, (90, line), style.clone()))?;
    }
    area.draw(&Text::new("dashed: as said", (90, 100), style))
}
