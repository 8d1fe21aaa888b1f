//! The page of `mealybug diff --html`: two models in one picture, and the words that tell them apart.

use maud::{Markup, PreEscaped, html};

use super::legend::legend_of_two;
use super::machines::{Kind, Machines};
use super::page;
use super::parts::counted;
use crate::export::shown;
use crate::machine::{Difference, Differences, Machine, Overlay};
use crate::picture::{self, PagePicture};
use crate::word;

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
        (both(comparison, &mut machines))
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

/// The picture of both.
fn both(comparison: &Comparison<'_>, data: &mut Machines) -> Markup {
    let Comparison { names, machines, notes, .. } = *comparison;
    let overlay = Overlay::new(machines[0], machines[1]);
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    let drawn = overlay.and_then(|overlay| {
        let drawn = picture::of_two(machines, &overlay, note.as_deref())?;
        let numbers = ["A", "B"]
            .into_iter()
            .zip(machines)
            .map(|(letter, machine)| data.add(Kind::Model, letter, machine).map(|n| n.to_string()));
        let numbers = numbers.collect::<Option<Vec<_>>>();
        data.compare(&overlay);
        Some((drawn, numbers.map(|numbers| numbers.join(" "))))
    });
    html! {
        section {
            h2 { "Both in one picture" }
            @if let Some((PagePicture { full, folded }, numbers)) = drawn {
                p.faint {
                    "States of A and B that behave alike are one state here. A transition with another output, or to \
                     another state, is there twice."
                }
                (legend_of_two(names))
                div.picture data-machine=[numbers] {
                    div.scroll { (PreEscaped(full)) }
                    @if let Some(folded) = folded { template { (PreEscaped(folded)) } }
                }
            } @else {
                p {
                    "The models are too large for a picture, which shows at most " (picture::MAX_STATES)
                    " states with few enough edges."
                }
            }
        }
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
            @if differences.is_cut { p { "There may be more; " code { "--limit" } " shows more." } }
            @if let Some([first, second]) = differences.not_compared.filter(|counts| *counts != [0, 0]) {
                p {
                    "Not compared, since one of them does not know what follows or how to get there: "
                    (counted(first, "transition")) " of A, " (counted(second, "transition")) " of B."
                }
            }
        }
    }
}

fn row(Difference { word, first, second, is_behind_another }: &Difference) -> Markup {
    let word: Vec<_> = word.iter().map(|name| word::quote(name)).collect();
    let class = if *is_behind_another { ["faint"; 2] } else { ["first", "second"] };
    html! {
        tr {
            td.word data-play="" { (word.join(" ")) }
            td class=(class[0]) { (shown(first)) }
            td class=(class[1]) { (shown(second)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Builder, differences};

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
    fn what_is_too_large_for_a_picture_still_has_its_words() {
        let html = page(&light(100), &light(101));
        assert!(html.contains("too large for a picture"), "{html}");
        assert!(html.contains("<td class=\"first\">level 0</td>"));
    }
}
