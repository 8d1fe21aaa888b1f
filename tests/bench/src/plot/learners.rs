//! All learners side by side: symbols beside those of L*, as the geometric mean over the models that both
//! learned; a panel for each suite. A colour for each kind of learners.

use std::collections::{BTreeMap, BTreeSet};

use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, IntoTextStyle, TextStyle};

use super::drawing::{Area, Drawn, LearnerKind, font, svg};
use crate::cases::{Case, CostComparison};
use crate::summary::BASELINE;

/// Panels beside each other.
const COLUMNS: usize = 2;
const PANEL_WIDTH: i32 = 510;
const ROW_HEIGHT: i32 = 22;
/// Room for the title of all.
const TITLE_HEIGHT: u32 = 40;
/// Room for what the colours mean, for each of them, and for its square.
const LEGEND_HEIGHT: i32 = 24;
const LEGEND_WIDTH: i32 = 150;
const LEGEND_SQUARE: i32 = 12;
/// Room above the rows of a panel, for its title, and below.
const HEAD_HEIGHT: i32 = 34;
const FOOT_HEIGHT: i32 = 14;
/// Room for the name of a learner, and for numbers after its bar.
const NAME_WIDTH: i32 = 150;
const NUMBER_WIDTH: i32 = 120;

/// The learners of a suite: name, and its symbols beside those of L*.
type Panel<'c> = (&'c str, Vec<(&'c str, CostComparison)>);

/// The picture, if there is more than one learner.
pub(super) fn plot(tests: &str, cases: &[&Case]) -> Option<String> {
    let panels = panels(cases);
    let most = panels.iter().map(|(_, learners)| learners.len()).max()?;
    let columns = COLUMNS.min(panels.len());
    let rows = panels.len().div_ceil(COLUMNS);
    let pixels =
        |count: usize, each: i32| u32::try_from(count).ok()?.checked_mul(each.unsigned_abs());
    let height = HEAD_HEIGHT + FOOT_HEIGHT + i32::try_from(most).ok()? * ROW_HEIGHT;
    let all = panels.iter().flat_map(|(_, learners)| learners);
    let kinds: BTreeSet<_> = all.map(|(name, _)| LearnerKind::of(name)).collect();
    let legend = if kinds.len() > 1 { LEGEND_HEIGHT } else { 0 };
    let top = TITLE_HEIGHT + legend.unsigned_abs();
    let size = (pixels(columns, PANEL_WIDTH)?, top + pixels(rows, height)?);
    let means = || panels.iter().flat_map(|(_, learners)| learners).filter_map(|(_, c)| c.mean());
    let low = means().fold(0.5, f64::min);
    let high = means().fold(2.0, f64::max);
    let scale = Scale { low: low.ln(), high: high.ln() };
    Some(svg(size, |area| {
        let title = format!("symbols beside those of L*, {tests}: geometric means");
        let area = area.titled(&title, font(20))?;
        let (head, area) = area.split_vertically(legend);
        if legend > 0 {
            draw_legend(&head, &kinds)?;
        }
        let parts = area.split_evenly((rows, columns));
        for (part, panel) in parts.iter().zip(&panels) {
            draw(part, panel, &scale)?;
        }
        Ok(())
    }))
}

fn panels<'c>(cases: &[&'c Case]) -> Vec<Panel<'c>> {
    let suites: BTreeSet<_> = cases.iter().map(|case| case.suite.as_str()).collect();
    let panel = |suite| {
        let own: Vec<_> =
            cases.iter().filter(|case| case.suite == suite && case.is_exact()).collect();
        let baseline = own.iter().filter(|case| case.algorithm == BASELINE);
        let baseline: BTreeMap<_, _> =
            baseline.map(|case| (&case.model, case.costs.symbols)).collect();
        let mut learners = BTreeMap::<_, CostComparison>::new();
        for case in own {
            if let Some(&symbols) = baseline.get(&case.model) {
                let learner = learners.entry(case.algorithm.as_str()).or_default();
                learner.add(case.costs.symbols, symbols);
            }
        }
        let mut learners: Vec<_> = learners.into_iter().collect();
        learners.sort_by_key(|(name, _)| LearnerKind::of(name));
        (suite, learners)
    };
    suites.into_iter().map(panel).filter(|(_, learners)| learners.len() > 1).collect()
}

/// Logarithms from the left to the right end of the bars.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn place(&self, ratio: f64, width: i32) -> i32 {
        let left = NAME_WIDTH;
        let room = f64::from(width - NAME_WIDTH - NUMBER_WIDTH);
        let part = (ratio.ln() - self.low) / (self.high - self.low);
        #[expect(clippy::cast_possible_truncation, reason = "a place in a picture")]
        let place = (part * room).round() as i32;
        left + place
    }
}

/// Says what the colours mean.
fn draw_legend(area: &Area<'_>, kinds: &BTreeSet<LearnerKind>) -> Drawn {
    let style = font(14).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    let (middle, half) = (LEGEND_HEIGHT / 2, LEGEND_SQUARE / 2);
    let mut left = half;
    for kind in kinds {
        let square = [(left, middle - half), (left + LEGEND_SQUARE, middle + half)];
        area.draw(&Rectangle::new(square, kind.colour().filled()))?;
        let place = (left + LEGEND_SQUARE + half, middle);
        area.draw(&Text::new(kind.name(), place, style.clone()))?;
        left += LEGEND_WIDTH;
    }
    Ok(())
}

fn draw(area: &Area<'_>, (suite, learners): &Panel<'_>, scale: &Scale) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let width = i32::try_from(width).expect("a picture is small");
    let of = |size, horizontal| -> TextStyle<'static> {
        font(size).into_text_style(area).pos(Pos::new(horizontal, VPos::Center))
    };
    area.draw(&Text::new((*suite).to_owned(), (NAME_WIDTH, 16), of(16, HPos::Left)))?;
    let one = scale.place(1.0, width);
    let mut top = HEAD_HEIGHT;
    for (name, comparison) in learners {
        let middle = top + ROW_HEIGHT / 2;
        let mean = comparison.mean().unwrap_or(1.0);
        let end = scale.place(mean, width);
        let colour = LearnerKind::of(name).colour();
        let bar = Rectangle::new(
            [(one.min(end), top + 4), (one.max(end), top + ROW_HEIGHT - 4)],
            colour.filled(),
        );
        area.draw(&bar)?;
        area.draw(&Text::new((*name).to_owned(), (NAME_WIDTH - 8, middle), of(14, HPos::Right)))?;
        let number = format!("{mean:.2} ({} models)", comparison.cases);
        area.draw(&Text::new(number, (one.max(end) + 6, middle), of(13, HPos::Left)))?;
        top += ROW_HEIGHT;
    }
    area.draw(&PathElement::new([(one, HEAD_HEIGHT), (one, top)], BLACK.stroke_width(1)))
}
