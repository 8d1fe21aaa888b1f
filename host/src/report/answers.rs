//! Slow and suspicious answers.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::Report;
use super::parts::{bar, counted};
use crate::duration_text;
use crate::export::shown;
use crate::learned_components::output_name;
use crate::statistics::{Serial, Spent, Statistics, number};
use crate::store::{AnswerTree, NodeId};
use crate::word;

/// The maximum number of answers in each table.
const LISTED: usize = 20;

/// Answers faster than this are not called slow.
const SLOW_MS: u32 = 10;

pub(super) fn section(report: &Report<'_>) -> Markup {
    let statistics = report.statistics;
    html! {
        section {
            h2 { "Slow and suspicious answers" }
            (suspicious(statistics))
            @if let Some(answers) = report.answers {
                (settled(answers, report.inputs))
                (slow(answers, report.inputs))
            }
            @if let Some(serial) = &statistics.serial {
                h3 {
                    "Where the time went"
                    @if statistics.earlier.is_some() { " in the last session" }
                }
                p.faint { "The time that each input and each reset took; the most expensive in total first." }
                (times(serial))
            }
        }
    }
}

fn suspicious(statistics: &Statistics) -> Markup {
    let Statistics { retries, contradictions, earlier, .. } = *statistics;
    // Faults of earlier sessions are not known here.
    let when = if earlier.is_some() { " in the last session" } else { "" };
    let late_bytes = statistics.serial.as_ref().map_or(0, |serial| serial.late_bytes);
    html! {
        @if late_bytes == 0 && retries == 0 && contradictions == 0 {
            p {
                "No answer came late, none contradicted another, and no word had to be asked again" (when) "."
            }
        }
        @if late_bytes > 0 {
            p {
                (counted(late_bytes, "byte")) " came after the end of a reply" (when) ". Does the " code { "[reply]" }
                " rule end replies too early?"
            }
        }
        @if retries > 0 {
            p {
                "Words were asked again "
                @if retries == 1 { "once" } @else { (counted(retries, "time")) }
                " because the link failed" (when) "."
            }
        }
        @if contradictions > 0 {
            p {
                (counted(contradictions, "answer")) " of the device "
                @if contradictions == 1 { "is" } @else { "are" }
                " not believed, since it gave another one more often."
            }
        }
    }
}

/// The words to which the device gave different answers.
fn settled(answers: &AnswerTree, inputs: &[String]) -> Markup {
    let is_settled =
        |&node: &NodeId| answers.is_believed(node) && answers.alternatives(node).nth(1).is_some();
    let nodes: Vec<_> = answers.nodes().filter(is_settled).collect();
    let given = |node: NodeId| {
        let answer = |(output, votes): (&[u8], u32)| {
            format!("{} × {}", number(votes), shown(&output_name(output)))
        };
        answers.alternatives(node).map(answer).collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !nodes.is_empty() {
            h3 { "Answers that contradicted each other" }
            p.faint {
                "The answer at the end of the word, and how often each came; the first is believed."
            }
            div.scroll {
                table {
                    thead { tr { th { "word" } th { "answers" } } }
                    tbody {
                        @for &node in nodes.iter().take(LISTED) {
                            tr {
                                td.word { (word::format(&answers.word(node), inputs)) }
                                td.word { (given(node)) }
                            }
                        }
                    }
                }
            }
        }
        @if nodes.len() > LISTED {
            p { "And " (counted((nodes.len() - LISTED) as u64, "word")) " more." }
        }
    }
}

/// The slowest answers, each with the word that it ended.
fn slow(answers: &AnswerTree, inputs: &[String]) -> Markup {
    let mut nodes: Vec<_> =
        answers.nodes().filter(|&node| answers.longest_ms(node) >= SLOW_MS).collect();
    // Among equally slow answers, the one with the shorter word usually comes first.
    nodes.sort_by_key(|&node| Reverse(answers.longest_ms(node)));
    html! {
        @if !nodes.is_empty() {
            h3 { "The slowest answers" }
            div.scroll {
                table {
                    thead {
                        tr { th.number { "took" } th { "at the end of the word" } th { "answer" } }
                    }
                    tbody {
                        @for &node in nodes.iter().take(LISTED) {
                            tr {
                                td.number { (number(answers.longest_ms(node))) " ms" }
                                td.word { (word::format(&answers.word(node), inputs)) }
                                td.word { (shown(&output_name(answers.output(node)))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A table of times, the longest first.
fn times(serial: &Serial) -> Markup {
    let reset = |spent: &Spent| Spent { name: format!("reset {}", spent.name), ..spent.clone() };
    let mut times: Vec<_> = serial.resets.iter().map(reset).collect();
    times.extend(serial.inputs.iter().cloned());
    times.sort_by(|one, other| other.seconds().total_cmp(&one.seconds()));
    let most = times.first().map_or(0.0, Spent::seconds).max(f64::MIN_POSITIVE);
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "what" }
                        th.number { "times" }
                        th.number { "mean" }
                        th.number { "longest" }
                        th.number { "together" }
                        th {}
                    }
                }
                tbody {
                    @for spent in &times {
                        tr {
                            td { (spent.name) }
                            td.number { (number(spent.count)) }
                            td.number { (format_args!("{:.1} ms", spent.mean_ms)) }
                            td.number { (format_args!("{:.1} ms", spent.longest_ms)) }
                            td.number { (duration_text::text(spent.seconds())) }
                            (bar(spent.seconds() / most))
                        }
                    }
                }
            }
        }
    }
}
