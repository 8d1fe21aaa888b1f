//! What a run takes by the states of its model: time and memory.

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::{Circle, Cross, Rectangle, Text, TriangleMarker};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoTextStyle};

use super::drawing::{Area, Drawn, GREY, LearnerKind, font, short, svg};
use crate::cases::{Case, CaseCosts};

/// Our learners, and those that are the same algorithm as one of them: what they are drawn with differs in
/// shape.
const LEARNERS: [&str; 6] =
    ["l-star", "ol-star", "l-sharp", "ol-sharp", "learnlib-lstar", "aalpy-lstar"];

/// Where the names of the learners stand in a panel.
const LEGEND_LEFT: i32 = 92;
const LEGEND_TOP: i32 = 56;

type Taken = fn(&CaseCosts) -> f64;

/// The picture, if there are models with different numbers of states.
pub(super) fn plot(tests: &str, cases: &[&Case]) -> Option<String> {
    let cases: Vec<_> = cases.iter().filter(|case| case.is_exact()).copied().collect();
    let of_these = |case: &&&Case| LEARNERS.contains(&case.algorithm.as_str());
    let states: Vec<u32> = cases.iter().filter(of_these).map(|case| case.states).collect();
    if states.iter().min() == states.iter().max() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
    let panels: [(&str, Taken); 2] = [
        ("seconds", |costs| costs.seconds),
        ("bytes of memory", |costs| costs.memory_bytes as f64),
    ];
    Some(svg((960, 500), |area| {
        let area = area.titled(&format!("{tests}: by the states of the model"), font(20))?;
        for (part, (title, of)) in area.split_evenly((1, 2)).iter().zip(panels) {
            panel(part, title, &cases, of)?;
        }
        Ok(())
    }))
}

fn panel(area: &Area<'_>, title: &str, cases: &[&Case], of: Taken) -> Drawn {
    let points = |learner: &str| -> Vec<(f64, f64)> {
        let own = cases.iter().filter(|case| case.algorithm == learner);
        let points = own.map(|case| (f64::from(case.states.max(1)), of(&case.costs)));
        points.filter(|&(_, taken)| taken > 0.0).collect()
    };
    let all: Vec<_> = LEARNERS.iter().flat_map(|learner| points(learner)).collect();
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = all
            .iter()
            .map(of)
            .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
        (10_f64.powf(low.log10().floor())..10_f64.powf(high.log10().floor() + 1.0)).log_scale()
    };
    if all.is_empty() {
        return Ok(());
    }
    let mut chart = ChartBuilder::on(area)
        .caption(title, font(17))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(range(|point| point.0), range(|point| point.1))?;
    chart
        .configure_mesh()
        .bold_line_style(GREY)
        .max_light_lines(0)
        .x_desc("states")
        .axis_desc_style(font(15))
        .label_style(font(13))
        .x_label_formatter(&|&value| short(value))
        .y_label_formatter(&|&value| short(value))
        .draw()?;
    let (left, top) = area.get_base_pixel();
    let mut line = LEGEND_TOP;
    for learner in LEARNERS {
        let points = points(learner);
        for point in &points {
            let (x, y) = chart.plotting_area().map_coordinate(point);
            mark(area, learner, (x - left, y - top))?;
        }
        if !points.is_empty() {
            mark(area, learner, (LEGEND_LEFT, line))?;
            let style = font(14).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(learner, (LEGEND_LEFT + 12, line), style))?;
            line += 20;
        }
    }
    Ok(())
}

/// Draws what stands for a learner.
fn mark(area: &Area<'_>, learner: &str, place: (i32, i32)) -> Drawn {
    let (x, y) = place;
    let square = [(x - 3, y - 3), (x + 3, y + 3)];
    let colour = LearnerKind::of(learner).colour();
    match learner {
        "l-star" => area.draw(&Circle::new(place, 3, colour.mix(0.7).filled())),
        "ol-star" => area.draw(&Circle::new(place, 3, colour.stroke_width(2))),
        "l-sharp" => area.draw(&Rectangle::new(square, colour.mix(0.7).filled())),
        "ol-sharp" => area.draw(&Rectangle::new(square, colour.stroke_width(2))),
        "learnlib-lstar" => area.draw(&Cross::new(place, 4, colour.stroke_width(1))),
        _ => area.draw(&TriangleMarker::new(place, 4, colour.mix(0.6).filled())),
    }
}
