//! Plots of numbers by round, as SVG.

use std::fmt::{self, Write};

use crate::picture::escaped;
use crate::statistics::number;

/// A line in a plot: how it is called, and its numbers; a missing one leaves a gap.
pub(super) struct Series<'a> {
    pub(super) name: &'a str,
    pub(super) numbers: Vec<Option<u64>>,
}

/// The plot, with room for the axes and for the names at the ends of the lines.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 30.0;

/// How lines are told apart.
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// With more points there are no dots.
const MAX_DOTS: usize = 40;

/// About so many lines across.
const TICKS: u64 = 5;

/// So far apart are the names of lines at least.
const NAME_HEIGHT: f64 = 15.0;

/// Numbers by round; `ends` says whether the last of them is the end of the run.
pub(super) fn plot(
    html: &mut String,
    caption: &str,
    series: &[Series<'_>],
    ends: bool,
) -> fmt::Result {
    let points = series.iter().map(|series| series.numbers.len()).max().unwrap_or(0);
    let largest = series.iter().flat_map(|series| series.numbers.iter().flatten()).max();
    let Some(&largest) = largest else { return Ok(()) };
    let step = step(largest);
    let top = largest.div_ceil(step).max(1) * step;
    let x = |at: usize| {
        let share = if points > 1 { float(at as u64) / float(points as u64 - 1) } else { 0.5 };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    };
    let y = |number: u64| HEIGHT - BOTTOM - float(number) / float(top) * (HEIGHT - TOP - BOTTOM);
    writeln!(
        html,
        "<figure><figcaption>{}</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" \
         role=\"img\" aria-label=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\">",
        escaped(caption),
        escaped(caption)
    )?;
    for tick in (0..=top).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        let y = y(tick);
        writeln!(
            html,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            number(tick)
        )?;
    }
    for (at, name) in rounds(points, ends) {
        writeln!(
            html,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            x(at),
            HEIGHT - 10.0
        )?;
    }
    let mut names = Vec::new();
    for (series, class) in series.iter().zip(CLASSES) {
        line(html, &series.numbers, class, x, y)?;
        if let Some(&last) = series.numbers.iter().rev().flatten().next() {
            names.push((y(last), class, series.name));
        }
    }
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = 0.0_f64;
    for (y, class, name) in names {
        let y = y.max(free);
        free = y + NAME_HEIGHT;
        let x = WIDTH - RIGHT + 10.0;
        writeln!(
            html,
            "<text class=\"{class}\" x=\"{x}\" y=\"{:.1}\">{}</text>",
            y + 4.0,
            escaped(name)
        )?;
    }
    html.push_str("</svg></figure>\n");
    Ok(())
}

fn line(
    html: &mut String,
    numbers: &[Option<u64>],
    class: &str,
    x: impl Fn(usize) -> f64,
    y: impl Fn(u64) -> f64,
) -> fmt::Result {
    let points: Vec<_> = (0..).zip(numbers).collect();
    for piece in points.split(|(_, number)| number.is_none()) {
        let piece: Vec<_> =
            piece.iter().map(|(at, number)| (x(*at), y(number.unwrap_or(0)))).collect();
        let text: Vec<_> = piece.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        if !piece.is_empty() {
            writeln!(html, "<polyline class=\"{class}\" points=\"{}\"/>", text.join(" "))?;
        }
        if numbers.len() <= MAX_DOTS {
            for (x, y) in piece {
                writeln!(html, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>")?;
            }
        }
    }
    Ok(())
}

/// Which rounds stand below the plot: a few, and the end.
fn rounds(points: usize, ends: bool) -> Vec<(usize, String)> {
    let rounds = points - usize::from(ends);
    let every = usize::try_from(step(rounds as u64)).unwrap_or(1);
    let mut names: Vec<_> = (1..=rounds)
        .filter(|&round| round == 1 || round.is_multiple_of(every))
        .map(|round| (round - 1, round.to_string()))
        .collect();
    if ends {
        // Not over the last round, if they are close to each other.
        if points > 12 {
            names.retain(|&(at, _)| at + points / 12 < points);
        }
        names.push((points - 1, "end".to_owned()));
    }
    names
}

/// The distance of ticks up to this number: 1, 2 or 5, and zeros.
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

/// A number as a length; that large ones lose digits does not show.
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
