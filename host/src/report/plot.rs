//! Plots of numbers by round, as SVG.

use maud::{Markup, html};

use crate::statistics::number;

/// A line in a plot: its name and its numbers. A missing number leaves a gap.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) numbers: Vec<Option<u64>>,
}

/// The size of the plot, with margins for the axes and for the names at the ends of the lines.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 30.0;

/// The classes that distinguish the lines.
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// Lines with more points are drawn without dots.
const MAX_DOTS: usize = 40;

/// The approximate number of horizontal grid lines.
const TICKS: u64 = 5;

/// The minimum distance between the names of two lines.
const NAME_HEIGHT: f64 = 15.0;

/// Plots numbers by round. `ends` is set if the last number is for the end of the run.
pub(super) fn plot(caption: &str, series: &[Series<'_>], ends: bool) -> Markup {
    let points = series.iter().map(|series| series.numbers.len()).max().unwrap_or(0);
    let largest = series.iter().flat_map(|series| series.numbers.iter().flatten()).max();
    let Some(&largest) = largest else { return html! {} };
    let step = step(largest);
    let top = largest.div_ceil(step).max(1) * step;
    let x = |at: usize| {
        let share = if points > 1 { float(at as u64) / float(points as u64 - 1) } else { 0.5 };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    };
    let y = |number: u64| HEIGHT - BOTTOM - float(number) / float(top) * (HEIGHT - TOP - BOTTOM);
    let ticks = (0..=top).step_by(usize::try_from(step).unwrap_or(usize::MAX));
    html! {
        figure {
            figcaption { (caption) }
            svg.plot xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(caption) width=(WIDTH)
                height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
                @for tick in ticks {
                    line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(tenth(y(tick))) y2=(tenth(y(tick))) {}
                    text x=(LEFT - 8.0) y=(tenth(y(tick) + 4.0)) text-anchor="end" { (number(tick)) }
                }
                @for (at, name) in rounds(points, ends) {
                    text x=(tenth(x(at))) y=(tenth(HEIGHT - 10.0)) text-anchor="middle" { (name) }
                }
                @for (series, class) in series.iter().zip(CLASSES) {
                    (line(&series.numbers, class, &x, &y))
                }
                @for (y, class, name) in names(series, &y) {
                    text class=(class) x=(WIDTH - RIGHT + 10.0) y=(tenth(y + 4.0)) { (name) }
                }
            }
        }
    }
}

/// The names at the ends of the lines, from the top down, without overlaps: position, class and
/// name.
fn names<'a>(series: &[Series<'a>], y: &impl Fn(u64) -> f64) -> Vec<(f64, &'static str, &'a str)> {
    let end = |(series, class): (&Series<'a>, _)| {
        let last = *series.numbers.iter().rev().flatten().next()?;
        Some((y(last), class, series.name))
    };
    let mut names: Vec<_> = series.iter().zip(CLASSES).filter_map(end).collect();
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = 0.0_f64;
    for (y, _, _) in &mut names {
        *y = y.max(free);
        free = *y + NAME_HEIGHT;
    }
    names
}

/// A line for each stretch of numbers without gaps.
fn line(
    numbers: &[Option<u64>],
    class: &str,
    x: &impl Fn(usize) -> f64,
    y: &impl Fn(u64) -> f64,
) -> Markup {
    let points: Vec<_> =
        (0..).zip(numbers).map(|(at, number)| number.map(|n| (x(at), y(n)))).collect();
    let joined = |stretch: &[Option<(f64, f64)>]| {
        let points = stretch.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}"));
        points.collect::<Vec<_>>().join(" ")
    };
    html! {
        @for stretch in points.split(Option::is_none).filter(|stretch| !stretch.is_empty()) {
            polyline class=(class) points=(joined(stretch)) {}
        }
        @if points.len() <= MAX_DOTS {
            @for (x, y) in points.iter().flatten() {
                circle class=(class) cx=(tenth(*x)) cy=(tenth(*y)) r="3" {}
            }
        }
    }
}

/// A length, rounded to one decimal.
fn tenth(length: f64) -> String {
    format!("{length:.1}")
}

/// The labels of the x axis: a few rounds, and the end.
fn rounds(points: usize, ends: bool) -> Vec<(usize, String)> {
    let rounds = points - usize::from(ends);
    let every = usize::try_from(step(rounds as u64)).unwrap_or(1);
    let mut names: Vec<_> = (1..=rounds)
        .filter(|&round| round == 1 || round.is_multiple_of(every))
        .map(|round| (round - 1, round.to_string()))
        .collect();
    if ends {
        // The end must not overlap the last round.
        if points > 12 {
            names.retain(|&(at, _)| at + points / 12 < points);
        }
        names.push((points - 1, "end".to_owned()));
    }
    names
}

/// The distance between ticks on an axis up to this number: 1, 2 or 5 times a power of ten.
fn step(largest: u64) -> u64 {
    let least = largest.div_ceil(TICKS).max(1);
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            if power.saturating_mul(factor) >= least {
                return power.saturating_mul(factor);
            }
        }
        power = power.saturating_mul(10);
    }
}

/// A number as a length. The rounding of large numbers is not visible.
fn float(number: u64) -> f64 {
    let (high, low) = (number >> 32, number & u64::from(u32::MAX));
    let part = |part: u64| u32::try_from(part).map_or(0.0, f64::from);
    part(high) * 4_294_967_296.0 + part(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_and_few() {
        let cases =
            [(0, 1), (1, 1), (5, 1), (6, 2), (10, 2), (11, 5), (99, 20), (1_234_567, 500_000)];
        for (largest, expected) in cases {
            assert_eq!(step(largest), expected, "{largest}");
        }
        assert!(step(u64::MAX) > u64::MAX / 10);
    }

    #[test]
    fn the_end_stands_below_the_last_point_and_over_nothing() {
        let names: Vec<_> = rounds(3, true).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["1", "2", "end"]);
        let names = rounds(101, true);
        assert_eq!(names.last(), Some(&(100, "end".to_owned())));
        assert!(names.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 8), "{names:?}");
    }
}
