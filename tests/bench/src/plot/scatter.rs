//! L* against OL*, a point a model.

use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange;
use plotters::element::Circle;
use plotters::series::DashedLineSeries;
use plotters::style::{BLACK, Color};

use super::drawing::{Area, DARK, Drawn, GREY, LIGHT, font, short, svg};
use crate::cases::{Case, CaseCosts};

/// What a model costs with L*, and with OL*.
pub(super) type BothCosts = (CaseCosts, CaseCosts);

/// The models that both learned with every seed.
pub(super) fn pairs(cases: &[&Case]) -> Vec<BothCosts> {
    let of = |algorithm: &str, model: &str| {
        let mut own = cases.iter().filter(|case| case.algorithm == algorithm && case.is_exact());
        own.find(|case| case.model == model).map(|case| case.costs)
    };
    let mut models: Vec<_> = cases.iter().map(|case| case.model.as_str()).collect();
    models.dedup();
    models.iter().filter_map(|model| Some((of("l-star", model)?, of("ol-star", model)?))).collect()
}

/// What is counted in a figure.
type Count = fn(&CaseCosts) -> u64;

/// The figure of symbols.
pub(super) fn symbols(suite: &str, tests: &str, pairs: &[BothCosts]) -> String {
    let title = format!("{suite}, {tests}: symbols of {} models", pairs.len());
    svg((480, 480), |area| scatter(area, &title, pairs, |costs| costs.symbols))
}

/// The four figures of the appendix.
pub(super) fn queries(suite: &str, tests: &str, pairs: &[BothCosts]) -> String {
    let panels: [(&str, Count); 4] = [
        ("membership and testing queries", |costs| costs.queries),
        ("membership queries", |costs| costs.learning_queries),
        ("testing queries", |costs| costs.testing_queries),
        ("equivalence queries", |costs| costs.stages),
    ];
    svg((960, 1000), |area| {
        let title = format!("{suite}, {tests}: {} models", pairs.len());
        let area = area.titled(&title, font(20))?;
        for (part, (title, of)) in area.split_evenly((2, 2)).iter().zip(panels) {
            scatter(part, title, pairs, of)?;
        }
        Ok(())
    })
}

fn scatter(area: &Area<'_>, title: &str, pairs: &[BothCosts], of: Count) -> Drawn {
    // Nothing has no logarithm: it stands at the lower end, as 1 does.
    #[expect(clippy::cast_precision_loss, reason = "a place in a picture")]
    let place = |costs: &CaseCosts| of(costs).max(1) as f64;
    let points: Vec<(f64, f64)> = pairs.iter().map(|(l, ol)| (place(l), place(ol))).collect();
    let all = || points.iter().flat_map(|&(x, y)| [x, y]);
    let low = 10_f64.powf(all().fold(f64::MAX, f64::min).log10().floor());
    let high = 10_f64.powf(all().fold(0.0, f64::max).log10().floor() + 1.0);
    let mut chart = ChartBuilder::on(area)
        .caption(title, font(17))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d((low..high).log_scale(), (low..high).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GREY)
        .max_light_lines(0)
        .x_desc("L*")
        .y_desc("OL*")
        .axis_desc_style(font(15))
        .label_style(font(13))
        .x_label_formatter(&|&value| short(value))
        .y_label_formatter(&|&value| short(value))
        .draw()?;
    chart.draw_series(DashedLineSeries::new([(low, low), (high, high)], 6, 4, BLACK.into()))?;
    for &(x, y) in &points {
        let point = if y > x {
            // A ring, and not only another colour.
            Circle::new((x, y), 4, LIGHT.stroke_width(2))
        } else {
            Circle::new((x, y), 4, DARK.mix(0.7).filled())
        };
        chart.draw_series([point])?;
    }
    Ok(())
}
