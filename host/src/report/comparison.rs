//! The page of `mealybug diff --html`: two models in one picture, and the words that tell them apart.

use maud::{Markup, PreEscaped, html};

use super::legend::legend_of_two;
use super::machines::{MachineKind, Machines};
use super::page;
use super::parts::counted;
use crate::export::shown;
use crate::machine::{Difference, Differences, Machine, Overlay, Parting};
use crate::picture::{self, PagePicture};
use crate::word;

/// The most partings that are drawn.
const DRAWN: usize = 12;

/// Two models, and how they differ.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The names of the models.
    pub names: [&'a str; 2],
    /// The models, minimal.
    pub machines: [&'a Machine; 2],
    /// What must be said about them, such as why one did not converge.
    pub notes: [Option<&'a str>; 2],
    /// How they differ.
    pub differences: &'a Differences,
}

/// Writes the page.
pub fn comparison_html(comparison: &Comparison<'_>) -> String {
    let mut machines = Machines::default();
    let Comparison { names: [first, second], .. } = comparison;
    let body = html! {
        (summary(comparison))
        (pictures(comparison, &mut machines))
        (words(comparison.differences))
    };
    page::page(&format!("{first} and {second}: the differences"), &body, &machines, "")
}

fn summary(comparison: &Comparison<'_>) -> Markup {
    let Comparison { names, machines, notes, differences } = comparison;
    let only = [&differences.only_first, &differences.only_second];
    html! {
        h1 { (names[0]) " and " (names[1]) }
        div.verdict.good[differences.is_empty()].bad[!differences.is_empty()] {
            p { strong { (differences.verdict()) "." } }
        }
        @for (at, letter) in ["A", "B"].into_iter().enumerate() {
            p {
                strong { (letter) } ": " (names[at]) ", " (counted(machines[at].states().into(), "state")) " when minimal"
                @if !machines[at].gaps().is_empty() { "; " (machines[at].gaps()) }
                "."
                @if let Some(note) = notes[at] { " " (note) "." }
            }
        }
        @for (letter, inputs) in ["A", "B"].into_iter().zip(only) {
            @if !inputs.is_empty() {
                p { "Only " (letter) " has the inputs " code { (inputs.join(", ")) } "." }
            }
        }
    }
}

/// The picture of both, or where they part if that would be too large.
fn pictures(comparison: &Comparison<'_>, data: &mut Machines) -> Markup {
    let Comparison { names, machines, notes, .. } = *comparison;
    let Some(overlay) = Overlay::new(machines[0], machines[1]) else { return too_large() };
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    let drawn = picture::of_two(machines, &overlay, note.as_deref());
    let added = ["A", "B"].into_iter().zip(machines);
    let added = added.map(|(letter, machine)| data.add(MachineKind::Model, letter, machine));
    let numbers = added.map(|number| Some(number?.to_string())).collect::<Option<Vec<_>>>();
    let numbers = numbers.map(|numbers| numbers.join(" "));
    data.compare(&overlay);
    html! {
        section {
            @if let Some(drawn) = drawn {
                h2 { "Both in one picture" }
                p.faint { (ALIKE) }
                (legend_of_two(names))
                (marked(&drawn, numbers, false))
            } @else {
                (partings(comparison, &overlay, note.as_deref(), numbers.as_deref()))
            }
        }
    }
}

/// What a picture of two models is.
const ALIKE: &str = "States of A and B that behave alike are one state here. A transition with another output, or to another \
                     state, is there twice.";

/// A picture of two models; `numbers` are theirs in the data of the page.
fn marked(drawn: &PagePicture, numbers: Option<String>, is_part: bool) -> Markup {
    html! {
        div.picture data-machine=[numbers] data-part[is_part] {
            div.scroll { (PreEscaped(&drawn.full)) }
            @if let Some(folded) = &drawn.folded { template { (PreEscaped(folded)) } }
        }
    }
}

fn too_large() -> Markup {
    html! { section { p { "The models are too large for pictures of their differences." } } }
}

/// The transitions to which the differences go back, each with what is around it.
fn partings(
    comparison: &Comparison<'_>,
    overlay: &Overlay,
    note: Option<&str>,
    numbers: Option<&str>,
) -> Markup {
    let Comparison { names, machines, differences, .. } = *comparison;
    let partings = Parting::all(machines, overlay, &differences.places);
    let label = |place| picture::place_label(machines, overlay, place);
    let input = |parting: &Parting| parting.word.last().cloned().unwrap_or_default();
    html! {
        h2 { "Where they part" }
        @if partings.is_empty() {
            p { "Nowhere, as far as both know." }
        } @else {
            p.faint {
                "The models are too large for one picture. Each picture here is of a transition to which words below go back, \
                 and of what is around it. " (ALIKE)
            }
            (legend_of_two(names))
            @for (at, parting) in partings.iter().enumerate().take(DRAWN) {
                h3 { (at + 1) ". " code { (shown(&input(parting))) } " in the state " (label(parting.from)) }
                p { (said(parting, label)) }
                p { "A word to it: " code data-play="" { (quoted(&parting.word)) } }
                @if let Some(drawn) = picture::of_parting(machines, overlay, parting, note) {
                    (marked(&drawn, numbers.map(str::to_owned), true))
                }
            }
            @if partings.len() > DRAWN {
                p { "And at " (counted((partings.len() - DRAWN) as u64, "other transition")) "." }
            }
        }
    }
}

/// What the models do where they part, and how many words show it.
fn said(Parting { steps, differences, .. }: &Parting, label: impl Fn(usize) -> String) -> Markup {
    let is_same_output = steps[0].0 == steps[1].0;
    let count = differences.len() as u64;
    html! {
        @if is_same_output { "Both say " code { (shown(&steps[0].0)) } ". " }
        @for (at, (letter, class)) in [("A", "first"), ("B", "second")].into_iter().enumerate() {
            @let (output, to) = &steps[at];
            @let goes = format!("goes to the state {}", label(*to));
            @if at == 1 { "; " }
            span class=(class) { (letter) }
            @if is_same_output { " " (goes) } @else { " says " code { (shown(output)) } " and " (goes) }
        }
        ". " (counted(count, "word")) " below " @if count == 1 { "goes" } @else { "go" } " back to this."
    }
}

/// The words that tell the models apart.
fn words(differences: &Differences) -> Markup {
    html! {
        section {
            h2 { "Words that tell them apart" }
            @if differences.places.is_empty() {
                p { "None." }
            } @else {
                p.faint {
                    "The shortest word to each place, and what A and B say at its end. Outputs in grey stand behind \
                     another difference, and differ perhaps only for its sake."
                }
                div.scroll.table {
                    table {
                        thead { tr { th { "word" } th { "A" } th { "B" } } }
                        tbody { @for place in &differences.places { (row(place)) } }
                    }
                }
            }
            @if let Some(early_end) = differences.early_end() { p { (early_end) } }
            @if let Some([first, second]) = differences.not_compared.filter(|counts| *counts != [0, 0]) {
                p {
                    "Not compared, since one of them does not know what follows or how to get there: "
                    (counted(first, "transition")) " of A, " (counted(second, "transition")) " of B."
                }
            }
        }
    }
}

/// A word as `mealybug try` takes it.
fn quoted(word: &[String]) -> String {
    let word: Vec<_> = word.iter().map(|name| word::quote(name)).collect();
    word.join(" ")
}

fn row(Difference { word, first, second, is_behind_another }: &Difference) -> Markup {
    let class = if *is_behind_another { ["faint"; 2] } else { ["first", "second"] };
    html! {
        tr {
            td.word data-play="" { (quoted(word)) }
            td class=(class[0]) { (shown(first)) }
            td class=(class[1]) { (shown(second)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Builder, Cut, differences};

    /// A light switch; the second one has a level more.
    fn light(levels: u32) -> Machine {
        let mut builder = Builder::default();
        for level in 0..levels {
            let next = (level + 1) % levels;
            builder.add(level, "press", next, &format!("level {next}")).expect("new");
            builder.add(level, "off", 0, "<dark>").expect("new");
        }
        builder.build(0).expect("complete")
    }

    fn page(first: &Machine, second: &Machine) -> String {
        comparison_html(&Comparison {
            names: ["old.dot", "a <new> one"],
            machines: [first, second],
            notes: [None, Some("NOT CONVERGED: so")],
            differences: &differences(first, second, 10),
        })
    }

    #[test]
    fn what_only_one_model_has_is_marked() {
        let html = page(&light(3), &light(4));
        for part in [
            "<strong>DIFFERENT.</strong>",
            "A</strong>: old.dot, 3 states when minimal.",
            "B</strong>: a &lt;new&gt; one, 4 states when minimal. NOT CONVERGED: so.",
            "<td class=\"word\" data-play=\"\">press press press</td><td class=\"first\">level 0</td>\
             <td class=\"second\">level 3</td>",
            "− press / level 0</text>",
            "+ press / level 3</text>",
            "<rect class=\"second\"",
            ">B3</text>",
            "data-machine=\"0 1\"",
            "\"overlay\":[[0,0],[1,1],[2,2],[null,3]]",
        ] {
            assert!(html.contains(part), "`{part}` is not in:\n{html}");
        }
    }

    #[test]
    fn equal_models_have_no_marks() {
        let html = page(&light(3), &light(3));
        assert!(html.contains("<strong>Equal.</strong>"));
        let (_, picture) = html.split_once("class=\"picture\"").expect("a picture");
        let (picture, _) = picture.split_once("</svg>").expect("its end");
        assert!(!picture.contains("first") && !picture.contains("second"), "{picture}");
    }

    #[test]
    fn a_comparison_that_found_nothing_in_time_promises_no_more_of_it() {
        let light = light(3);
        let html = comparison_html(&Comparison {
            names: ["old.dot", "new.dot"],
            machines: [&light, &light],
            notes: [None, None],
            differences: &Differences { cut: Some(Cut::Pairs), ..Differences::default() },
        });
        assert!(html.contains("<strong>NOT DECIDED.</strong>"), "{html}");
        assert!(
            html.contains("No difference was found so far; ") && !html.contains("more;"),
            "{html}"
        );
    }

    /// The words of two large models go back to the one transition that only the second has.
    #[test]
    fn large_models_are_shown_where_they_part() {
        let html = page(&light(100), &light(101));
        let press = "press ".repeat(100);
        for part in [
            "<h2>Where they part</h2>",
            "<h3>1. <code>press</code> in the state 99</h3>",
            &format!("A word to it: <code data-play=\"\">{}</code>", press.trim_end()),
            "<span class=\"first\">A</span> says <code>level 0</code> and goes to the state 0; \
             <span class=\"second\">B</span> says <code>level 100</code> and goes to the state B100.",
            " data-part><div class=\"scroll\"><svg ",
            "<g data-state=\"99\">",
            "− press / level 0</text>",
            "+ press / level 100</text>",
            &format!("{}</td><td class=\"first\">level 0</td>", press.trim_end()),
            "\"overlay\":[[0,0],",
        ] {
            assert!(html.contains(part), "`{part}` is not in:\n{html}");
        }
        assert!(!html.contains("<h3>2. "), "{html}");
        assert_eq!(html.matches("class=\"picture\"").count(), 1);
        let equal = page(&light(100), &light(100));
        assert!(equal.contains("Nowhere, as far as both know."));
        assert!(!equal.contains("class=\"picture\""));
    }

    #[test]
    fn what_is_too_large_for_pictures_still_has_its_words() {
        let html = page(&light(2001), &light(2002));
        assert!(html.contains("too large for pictures"), "{html}");
        assert!(html.contains("<td class=\"first\">level 0</td>"));
    }
}
