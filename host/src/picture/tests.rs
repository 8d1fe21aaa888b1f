//! On machines of many kinds: nothing overlaps, and the picture is complete.

use roxmltree::Document;

use super::layout::{Point, Rectangle, Stroke};
use super::{MAX_STATES, PagePicture, for_page, layout, svg};
use crate::demo_lock::DemoLock;
use crate::machine::testing::{Random, lamp, partial, random};
use crate::machine::{Builder, Machine, Transition};

/// Machines of up to 60 states: tangles, chains with edges back, rings, stars, and long names.
fn machines() -> Vec<Machine> {
    let mut source = Random::new(41);
    let mut machines = vec![DemoLock::machine(), lamp()];
    for states in [1, 2, 5, 10, 20, 40, 60] {
        for inputs in [1, 2, 5] {
            machines.push(random(&mut source, states, inputs, 4));
            machines.push(chain(&mut source, states, inputs));
        }
    }
    machines.push(star(40));
    for states in [2, 5, 10, 20, 40] {
        for inputs in [2, 5, 10] {
            machines.push(partial(&mut source, states, inputs, 4));
        }
    }
    machines
}

/// The first input leads to the next state. The others stay, go back a little, or go to the start.
fn chain(source: &mut Random, states: u32, inputs: u32) -> Machine {
    let mut builder = Builder::default();
    for from in 0..states {
        for input in 0..inputs {
            let to = match (input, source.below(4)) {
                (0, _) => (from + 1) % states,
                (_, 0) => 0,
                (_, 1) => from.saturating_sub(source.below(5)),
                _ => from,
            };
            let output = format!("an output with a long name: {}", source.below(4));
            builder.add(from, &format!("input {input}"), to, &output).expect("new");
        }
    }
    builder.build(0).expect("complete")
}

/// Each input leads from the first state to another one, and from there back.
fn star(rays: u32) -> Machine {
    let mut builder = Builder::default();
    for from in 0..=rays {
        for input in 0..rays {
            let to = if from == 0 { input + 1 } else { 0 };
            builder.add(from, &format!("i{input}"), to, "o").expect("new");
        }
    }
    builder.build(0).expect("complete")
}

#[test]
fn nothing_lies_over_anything_else() {
    for machine in machines() {
        let (graph, layout) = layout(&machine).expect("few states");
        assert_eq!(layout.boxes.len(), graph.boxes.len());
        assert_eq!(layout.labels.len(), graph.edges.len());
        let solid: Vec<_> = layout.boxes.iter().chain(&layout.labels).collect();
        for (at, one) in solid.iter().enumerate() {
            let Rectangle { corner, size } = one;
            assert!(corner.x >= 0.0 && corner.x + size.width <= layout.size.width, "{one:?}");
            assert!(corner.y >= 0.0 && corner.y + size.height <= layout.size.height, "{one:?}");
            for other in &solid[..at] {
                assert!(!overlaps(one, other), "{one:?} {other:?}");
            }
        }
        for line in &layout.lines {
            for point in points(line, layout.is_rightward) {
                let inside = solid.iter().find(|rectangle| contains(rectangle, point));
                assert!(inside.is_none(), "{line:?} at {point:?} in {inside:?}");
            }
        }
    }
}

fn overlaps(one: &Rectangle, other: &Rectangle) -> bool {
    one.corner.x < other.corner.x + other.size.width
        && other.corner.x < one.corner.x + one.size.width
        && one.corner.y < other.corner.y + other.size.height
        && other.corner.y < one.corner.y + one.size.height
}

/// Whether a point is inside the rectangle, not on its border.
fn contains(rectangle: &Rectangle, point: Point) -> bool {
    let Rectangle { corner, size } = rectangle;
    let within = |at: f64, start: f64, len: f64| at > start + 0.01 && at < start + len - 0.01;
    within(point.x, corner.x, size.width) && within(point.y, corner.y, size.height)
}

/// Points along a line, at distances of a label's height.
fn points(line: &Stroke, is_rightward: bool) -> Vec<Point> {
    let [from, to] = line.bend;
    let mut points = straight(line.start, from);
    points.extend(straight(to, line.end));
    for step in 0..=100 {
        let t = f64::from(step) / 100.0;
        let u = 1.0 - t;
        // The control points lie halfway along, each at the same position across as its end.
        let along = |from: f64, to: f64| {
            let middle = f64::midpoint(from, to);
            u.powi(3) * from + 3.0 * u * t * middle + t.powi(3) * to
        };
        let across = |from: f64, to: f64| {
            (u.powi(3) + 3.0 * u * u * t) * from + (t.powi(3) + 3.0 * u * t * t) * to
        };
        points.push(if is_rightward {
            Point { x: along(from.x, to.x), y: across(from.y, to.y) }
        } else {
            Point { x: across(from.x, to.x), y: along(from.y, to.y) }
        });
    }
    points
}

fn straight(from: Point, to: Point) -> Vec<Point> {
    let part = |step: i32| {
        let t = f64::from(step) / 50.0;
        Point { x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t }
    };
    (0..=50).map(part).collect()
}

/// Judging by the lines alone, each edge is one path from its state through its label to the other
/// state.
#[test]
fn lines_lead_where_the_transitions_do() {
    for machine in machines() {
        let (graph, layout) = layout(&machine).expect("few states");
        let touches = |point: Point, rectangle: &Rectangle| {
            let Rectangle { corner, size } = rectangle;
            point.x >= corner.x - 0.01
                && point.x <= corner.x + size.width + 0.01
                && point.y >= corner.y - 0.01
                && point.y <= corner.y + size.height + 0.01
        };
        let arrows = |rectangle: &Rectangle| {
            let arrives = |line: &Stroke| {
                (line.arrows[0] && touches(line.start, rectangle))
                    || (line.arrows[1] && touches(line.end, rectangle))
            };
            layout.lines.iter().filter(|line| arrives(line)).count()
        };
        for (number, rectangle) in layout.boxes.iter().enumerate() {
            let reached = graph.edges.iter().any(|edge| edge.to == number);
            assert_eq!(arrows(rectangle) > 0, reached, "state {number}");
        }
        for rectangle in &layout.labels {
            let ends = layout.lines.iter().flat_map(|line| [line.start, line.end]);
            let ends = ends.filter(|&end| touches(end, rectangle)).count();
            assert_eq!(ends, 2, "one line to a label and one from it");
        }
    }
}

#[test]
fn the_picture_is_xml_and_says_every_transition() {
    for machine in machines() {
        let text = svg(&machine, Some("NOT CONVERGED: <it> & \"so\"\u{1}")).expect("few states");
        let document = Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let titles = document.descendants().filter(|node| node.has_tag_name("title"));
        let titles: Vec<_> = titles.filter_map(|node| node.text()).collect();
        let (graph, _) = layout(&machine).expect("few states");
        assert_eq!(titles.len(), graph.boxes.len() + graph.edges.len());
        for (from, by, Transition { target: to, output, is_open }) in machine.transitions() {
            let (input, output) = (machine.input_name(by), machine.output_name(output));
            if !graph.boxes.iter().any(|state| state.name == from.to_string()) {
                continue;
            }
            let guess = if is_open { ", a guess" } else { "" };
            let head = if from == to {
                format!("state {from}\n")
            } else {
                format!("{from} to {to}{guess}\n")
            };
            let title = titles.iter().find(|title| title.starts_with(&head)).expect("an edge");
            let says = |line: &str| {
                line.strip_suffix(output)
                    .and_then(|rest| rest.strip_suffix(" / "))
                    .is_some_and(|inputs| inputs.split(", ").any(|name| name == input))
            };
            assert!(title.lines().any(says), "{input} / {output} is not in {title}");
        }
        for state in &graph.boxes {
            let number = state.name.parse().expect("a number");
            let unknown: Vec<_> = machine.unknown_inputs(number).collect();
            let says = format!("\nnever asked: {}\n", unknown.join(", "));
            assert_eq!(state.title.contains(&says), !unknown.is_empty(), "{}", state.title);
        }
        let dashed = document.descendants().filter(|node| {
            node.attribute("class")
                .is_some_and(|class| class.split(' ').any(|class| class == "open"))
        });
        assert_eq!(
            dashed.count() > 0,
            machine.access_words().states().iter().any(|&state| !machine.gaps_of(state).is_empty())
        );
        assert!(text.contains("NOT CONVERGED: &lt;it&gt; &amp; &quot;so&quot;"));
    }
}

/// Each line says which edges it belongs to: along those of an edge one comes from its label to both its ends.
#[test]
fn lines_know_their_edges() {
    for machine in machines() {
        let (graph, layout) = layout(&machine).expect("few states");
        for (number, edge) in graph.edges.iter().enumerate() {
            let own: Vec<_> =
                layout.lines.iter().filter(|line| line.edges.contains(&number)).collect();
            let [from, to] = [edge.from, edge.to].map(|state| graph.boxes[state].rank);
            let expected = if to < from { 2 * (from - to) } else { 2 };
            assert_eq!(own.len(), expected, "an edge from rank {from} to {to}");
            assert!(own.iter().all(|line| line.look == edge.look));
            let arrows = own.iter().flat_map(|line| line.arrows).filter(|is_there| *is_there);
            assert_eq!(arrows.count(), 1);
        }
    }
}

/// A picture that is larger than a page has a smaller one, in which only what is usual is folded.
#[test]
fn what_is_usual_is_folded() {
    let mut builder = Builder::default();
    for from in 0..30_u32 {
        for input in 0..15 {
            let (to, output) = match input {
                0 => ((from + 1) % 30, "the next one"),
                1..5 => (0, "back to the beginning of it all"),
                _ => (from, "nothing that is worth a word"),
            };
            builder.add(from, &format!("input number {input}"), to, output).expect("new");
        }
    }
    let machine = builder.build(0).expect("complete");
    let PagePicture { full, folded } = for_page(&machine, Some("a note")).expect("few states");
    let folded = folded.expect("the picture is large");
    let width = |svg: &str| {
        let document = Document::parse(svg).expect("XML");
        let width: f64 = document
            .root_element()
            .attribute("width")
            .expect("it is there")
            .parse()
            .expect("a number");
        width
    };
    assert!(width(&folded) < 1200.0, "{} becomes {}", width(&full), width(&folded));
    assert_eq!(folded.matches("data-state=").count(), 30);
    // The chain is left, but for the last line, which leads back.
    assert_eq!(folded.matches("data-edge=").count(), 29);
    assert_eq!(folded.matches(">↺ 10</text>").count(), 29);
    assert_eq!(folded.matches(">↺ 14</text>").count(), 1);
    assert_eq!(folded.matches(">→ 0: 4</text>").count(), 28);
    assert_eq!(folded.matches(">→ 0: 5</text>").count(), 1);
    assert!(folded.contains(">a note</text>"));
    assert!(for_page(&lamp(), None).expect("small").folded.is_none());
}

#[test]
fn what_would_be_a_tangle_is_not_drawn() {
    let mut source = Random::new(42);
    let largest = chain(&mut source, MAX_STATES, 3);
    assert!(svg(&largest, None).is_some());
    assert!(svg(&chain(&mut source, MAX_STATES + 1, 3), None).is_none());
    let dense = random(&mut source, 1, 1, 1);
    assert!(svg(&dense, None).is_some());
    let mut builder = Builder::default();
    for from in 0..30 {
        for to in 0..30 {
            builder.add(from, &to.to_string(), to, "o").expect("new");
        }
    }
    assert!(svg(&builder.build(0).expect("complete"), None).is_none(), "870 edges");
}

/// The same machine gives the same picture, so runs with the same seed give the same files.
#[test]
fn the_same_machine_gives_the_same_picture() {
    assert_eq!(svg(&DemoLock::machine(), None), svg(&DemoLock::machine(), None));
}
