//! What the run cost, and when.

use maud::{Markup, html};

use super::parts::counted;
use super::plot::{Series, plot};
use crate::statistics::{Cost, KindRecord, Round, Statistics, number};

/// The maximum number of rounds in the table.
const LISTED: usize = 100;

pub(super) fn section(statistics: &Statistics) -> Markup {
    html! {
        section {
            h2 { "Costs" }
            (totals(statistics))
            @if !statistics.hypotheses.is_empty() {
                (plots(statistics))
                (rounds(&statistics.hypotheses))
            }
        }
    }
}

fn totals(statistics: &Statistics) -> Markup {
    let Statistics {
        learning, testing, device, boards, published, advice, mixture, earlier, ..
    } = statistics;
    let row = |what: &str, cost: &Cost| {
        html! {
            tr {
                td { (what) }
                td.number { (number(cost.resets)) }
                td.number { (number(cost.symbols)) }
            }
        }
    };
    html! {
        table {
            thead { tr { th {} th.number { "resets" } th.number { "symbols" } } }
            tbody {
                (row("learning", learning))
                (row("testing", testing))
                @if let Some(earlier) = earlier {
                    (row("what reached the device in earlier sessions", &earlier.device))
                    (row("and in the last session", device))
                } @else {
                    (row("what reached the device", device))
                }
                @for board in boards {
                    tr {
                        td.faint {
                            "of " (counted(boards.len() as u64, "board")) ": " (board.name)
                            @if !board.to_string().is_empty() { " (" (board) ")" }
                        }
                        td.number { (number(board.asked.resets)) }
                        td.number { (number(board.asked.symbols)) }
                    }
                }
                @if let Some(published) = published {
                    (row("learning, as published figures count", &published.learning))
                    (row("testing, as published figures count", &published.testing))
                }
                @for advice in advice {
                    tr {
                        td.faint { "of learning: on the advice of " (advice) }
                        td.number { (number(advice.asked.resets)) }
                        td.number { (number(advice.asked.symbols)) }
                    }
                }
                @for KindRecord { tests, symbols, found } in mixture {
                    tr {
                        td.faint { "of testing: " (tests) " tests, " (counted((*found).into(), "counterexample")) }
                        td {}
                        td.number { (number(*symbols)) }
                    }
                }
            }
        }
        p.faint {
            "Learning and testing count the words that the learner asked. Fewer symbols reach the device where \
             their answers were known before; more where words were asked again, and a word that the end of the \
             run broke off counts as far as it came."
            @if !boards.is_empty() {
                " Boards also asked tests ahead of their turn that then were not needed."
            }
        }
    }
}

fn plots(statistics: &Statistics) -> Markup {
    let Statistics { hypotheses, learning, testing, states, .. } = statistics;
    let by_round = |of: fn(&Round) -> Option<u64>, end: Option<u64>| {
        hypotheses.iter().map(of).chain([end]).collect()
    };
    let spent = [
        Series {
            name: "learning",
            numbers: by_round(|round| Some(round.learning.symbols), Some(learning.symbols)),
        },
        Series {
            name: "testing",
            numbers: by_round(|round| Some(round.testing.symbols), Some(testing.symbols)),
        },
    ];
    let sum = statistics.components.iter().map(|component| u64::from(component.states)).sum();
    let sizes = [
        Series {
            name: "the model",
            numbers: by_round(|round| round.states.map(u64::from), states.map(u64::from)),
        },
        Series {
            name: "components, in total",
            numbers: by_round(|round| Some(u64::from(round.component_states)), Some(sum)),
        },
    ];
    html! {
        div.plots {
            (plot("Symbols asked until each hypothesis was made", &spent, true))
            (plot("States of each hypothesis", &sizes, true))
        }
    }
}

fn rounds(rounds: &[Round]) -> Markup {
    html! {
        details {
            summary { "Round by round" }
            table {
                thead {
                    tr {
                        th.number { "hypothesis" }
                        th.number { "states" }
                        th.number { "components" }
                        th.number { "their states" }
                        th.number { "symbols learning" }
                        th.number { "symbols testing" }
                        th { "after a counterexample of" }
                    }
                }
                tbody {
                    @for (round, at) in rounds.iter().zip(1..=LISTED) {
                        tr {
                            td.number { (at) }
                            td.number { (round.states.map_or_else(|| "–".to_owned(), number)) }
                            td.number { (number(round.components)) }
                            td.number { (number(round.component_states)) }
                            td.number { (number(round.learning.symbols)) }
                            td.number { (number(round.testing.symbols)) }
                            td { (round.found_by.as_deref().unwrap_or("–")) }
                        }
                    }
                }
            }
            @if rounds.len() > LISTED {
                p { "The others are in statistics.json." }
            }
        }
    }
}
