//! Writes a picture as SVG.

use std::fmt::{self, Write};

use maud::html;

use crate::escape::is_not_markup;

use super::graph::{Graph, StateBox};
use super::layout::{ARROW, PictureLayout, Point, Rectangle, Stroke};
use super::mark::{LineStyle, Mark};
use super::text::LINE;

/// The height of the caption.
const CAPTION: f64 = 30.0;

/// Writes the picture, with the note as its caption.
pub(super) fn svg(
    graph: &Graph,
    layout: &PictureLayout,
    note: Option<&str>,
    style: Option<&str>,
) -> String {
    let mut svg = String::new();
    write(&mut svg, graph, layout, note, style).expect("a string takes everything");
    svg
}

fn write(
    svg: &mut String,
    graph: &Graph,
    layout: &PictureLayout,
    note: Option<&str>,
    style: Option<&str>,
) -> fmt::Result {
    let captions = captions(graph, note);
    let top = CAPTION
        * if captions.is_empty() {
            0.0
        } else if captions.len() == 1 {
            1.0
        } else {
            1.6
        };
    let widest =
        captions.iter().map(|line| super::text::width(line) * 1.2 + 20.0).fold(0.0, f64::max);
    let (width, height) = (layout.size.width.max(widest), layout.size.height + top);
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"machine\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 {} {width:.0} {height:.0}\">",
        -top
    )?;
    if let Some(style) = style {
        writeln!(svg, "<style>\n{style}</style>")?;
    }
    for (line, caption) in captions.iter().enumerate() {
        let y = if line == 0 { 22.0 } else { 40.0 } - top;
        writeln!(svg, "<text class=\"note\" x=\"10\" y=\"{y}\">{}</text>", escaped(caption))?;
    }
    for line in &layout.lines {
        piece(svg, line, layout.is_rightward)?;
    }
    for (state, rectangle) in graph.boxes.iter().zip(&layout.boxes) {
        if state.is_initial {
            arrow_to_initial(svg, rectangle, layout.is_rightward)?;
        }
        state_box(svg, state, rectangle)?;
    }
    for ((number, edge), rectangle) in graph.edges.iter().enumerate().zip(&layout.labels) {
        let [from, to] = [edge.from, edge.to].map(|number| &graph.boxes[number]);
        let class = class(to.rank < from.rank, edge.look);
        let Rectangle { corner, size } = rectangle;
        write!(
            svg,
            "<g data-edge=\"{number}\" data-from=\"{}\" data-to=\"{}\"><title>{}</title>",
            from.number,
            to.number,
            escaped(&edge.title)
        )?;
        lines(svg, &edge.label, corner.x + size.width / 2.0, corner.y + 12.0, &class)?;
        writeln!(svg, "</g>")?;
    }
    writeln!(svg, "</svg>")
}

/// The lines of the caption: the note, and how many states are left out.
fn captions(graph: &Graph, note: Option<&str>) -> Vec<String> {
    let unreachable = match graph.unreachable {
        0 => None,
        1 => Some("One state that cannot be reached is left out.".to_owned()),
        count => Some(format!("{count} states that cannot be reached are left out.")),
    };
    note.map(str::to_owned).into_iter().chain(unreachable).collect()
}

/// Writes the box of a state: its name, its loops, and below a rule what is unsure.
fn state_box(svg: &mut String, state: &StateBox, rectangle: &Rectangle) -> fmt::Result {
    let Rectangle { corner: Point { x, y }, size } = rectangle;
    let middle = x + size.width / 2.0;
    let initial = if state.is_initial { "initial" } else { "" };
    let class = classes(&[initial, state.mark.class()]);
    let (name, first) = state.bases();
    writeln!(
        svg,
        "<g data-state=\"{}\"><title>{}</title><rect{class} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" \
         height=\"{:.1}\" rx=\"7\"/><text class=\"name\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
        state.number,
        escaped(&state.title),
        size.width,
        size.height,
        y + name,
        escaped(&state.name),
    )?;
    for (at, (mark, line)) in (0_u16..).zip(&state.loops) {
        let y = y + first + LINE * f64::from(at);
        lines(svg, std::slice::from_ref(line), middle, y, &classes(&[mark.class()]))?;
    }
    if !state.unsure.is_empty() {
        let (rule, first) = state.unsure_bases();
        let (rule, end) = (y + rule, x + size.width);
        writeln!(svg, "<path class=\"open\" d=\"M{x:.1} {rule:.1}L{end:.1} {rule:.1}\"/>")?;
        lines(svg, &state.unsure, middle, y + first, " class=\"open\"")?;
    }
    writeln!(svg, "</g>")
}

/// The class attribute for the style of an edge.
fn class(is_back: bool, LineStyle { is_open, mark }: LineStyle) -> String {
    // A mark has a colour of its own.
    let is_back = is_back && mark == Mark::Both;
    let name = |is: bool, name| if is { name } else { "" };
    classes(&[name(is_back, "back"), name(is_open, "open"), mark.class()])
}

/// A class attribute with those of these names that are not empty.
fn classes(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().filter(|name| !name.is_empty()).copied().collect();
    if names.is_empty() { String::new() } else { format!(" class=\"{}\"", names.join(" ")) }
}

/// Writes lines of text one below the other.
fn lines(svg: &mut String, lines: &[String], x: f64, mut y: f64, class: &str) -> fmt::Result {
    for line in lines {
        write!(svg, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
        y += LINE;
    }
    Ok(())
}

/// Writes a line, with its arrows if it has any.
fn piece(svg: &mut String, line: &Stroke, is_rightward: bool) -> fmt::Result {
    let class = class(line.is_back, line.look);
    let edges: Vec<_> = line.edges.iter().map(ToString::to_string).collect();
    let edges = edges.join(" ");
    let inset = |point: Point, by: f64| along(point, by, is_rightward);
    let start = if line.arrows[0] { inset(line.start, ARROW - 1.0) } else { line.start };
    let end = if line.arrows[1] { inset(line.end, 1.0 - ARROW) } else { line.end };
    let [from, to] = line.bend;
    let middle = Point { x: f64::midpoint(from.x, to.x), y: f64::midpoint(from.y, to.y) };
    let (one, other) = if is_rightward {
        (Point { y: from.y, ..middle }, Point { y: to.y, ..middle })
    } else {
        (Point { x: from.x, ..middle }, Point { x: to.x, ..middle })
    };
    let [start, from, one, other, to, end] =
        [start, from, one, other, to, end].map(|Point { x, y }| format!("{x:.1} {y:.1}"));
    writeln!(
        svg,
        "<path{class} data-edges=\"{edges}\" d=\"M{start}L{from}C{one} {other} {to}L{end}\"/>"
    )?;
    let back = if line.is_back && line.look.mark == Mark::Both { "back" } else { "" };
    let head = classes(&["arrow", back, line.look.mark.class()]);
    let head = format!("{head} data-edges=\"{edges}\"");
    if line.arrows[0] {
        arrow(svg, line.start, -1.0, is_rightward, &head)?;
    }
    if line.arrows[1] {
        arrow(svg, line.end, 1.0, is_rightward, &head)?;
    }
    Ok(())
}

/// A point moved along the layers.
fn along(point: Point, by: f64, is_rightward: bool) -> Point {
    if is_rightward {
        Point { x: point.x + by, ..point }
    } else {
        Point { y: point.y + by, ..point }
    }
}

/// A triangle with its tip at `tip`, pointing along the layers or against them, with these attributes.
fn arrow(
    svg: &mut String,
    tip: Point,
    direction: f64,
    is_rightward: bool,
    attributes: &str,
) -> fmt::Result {
    let base = along(tip, -direction * ARROW, is_rightward);
    let half = ARROW * 0.45;
    let [one, other] = [-half, half].map(|by| along(base, by, !is_rightward));
    writeln!(
        svg,
        "<path{attributes} d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        tip.x, tip.y, one.x, one.y, other.x, other.y
    )
}

/// The arrow that marks the initial state.
fn arrow_to_initial(svg: &mut String, state: &Rectangle, is_rightward: bool) -> fmt::Result {
    let Rectangle { corner, size } = state;
    let tip = if is_rightward {
        Point { y: corner.y + size.height / 2.0, ..*corner }
    } else {
        Point { x: corner.x + size.width / 2.0, ..*corner }
    };
    let from = along(tip, -22.0, is_rightward);
    writeln!(
        svg,
        "<circle class=\"arrow\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>\
         <path d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
        from.x, from.y, from.x, from.y, tip.x, tip.y
    )?;
    arrow(svg, tip, 1.0, is_rightward, " class=\"arrow\"")
}

/// Text escaped for SVG.
fn escaped(text: &str) -> String {
    html! { (text.replace(is_not_markup, "\u{fffd}")) }.into_string()
}
