//! What the run cost, and when.

use std::fmt::{self, Write};

use super::plot::{Series, plot};
use crate::picture::escaped;
use crate::statistics::{Cost, Round, Statistics, Tested, number};

/// So many rounds stand in the table.
const LISTED: usize = 100;

pub(super) fn write(html: &mut String, statistics: &Statistics) -> fmt::Result {
    html.push_str("<section><h2>Costs</h2>\n");
    totals(html, statistics)?;
    if !statistics.hypotheses.is_empty() {
        plots(html, statistics)?;
        rounds(html, &statistics.hypotheses)?;
    }
    html.push_str("</section>\n");
    Ok(())
}

fn totals(html: &mut String, statistics: &Statistics) -> fmt::Result {
    let Statistics { learning, testing, device, published, advice, mixture, .. } = statistics;
    html.push_str(
        "<table><thead><tr><th></th><th class=\"number\">resets</th>\
         <th class=\"number\">symbols</th></tr></thead><tbody>\n",
    );
    let mut row = |what: &str, cost: &Cost| {
        let (resets, symbols) = (number(cost.resets), number(cost.symbols));
        writeln!(
            html,
            "<tr><td>{what}</td><td class=\"number\">{resets}</td>\
             <td class=\"number\">{symbols}</td></tr>"
        )
    };
    row("learning", learning)?;
    row("testing", testing)?;
    row("what reached the device", device)?;
    if let Some(published) = published {
        row("learning, as published figures count", &published.learning)?;
        row("testing, as published figures count", &published.testing)?;
    }
    for advice in advice {
        let (resets, symbols) = (number(advice.asked.resets), number(advice.asked.symbols));
        writeln!(
            html,
            "<tr><td class=\"faint\">of learning: on the advice of {}</td><td class=\"number\">{resets}</td>\
             <td class=\"number\">{symbols}</td></tr>",
            escaped(&advice.to_string())
        )?;
    }
    for Tested { tests, symbols, found } in mixture {
        let found = if *found == 1 {
            "1 counterexample".to_owned()
        } else {
            format!("{found} counterexamples")
        };
        writeln!(
            html,
            "<tr><td class=\"faint\">of testing: {tests} tests, {found}</td><td></td>\
             <td class=\"number\">{}</td></tr>",
            number(*symbols)
        )?;
    }
    html.push_str(
        "</tbody></table>\n<p class=\"faint\">Learning and testing count the words that the learner \
         asked. Fewer symbols reach the device where their answers were known before; more where words \
         were asked again, and a word that the end of the run broke off counts as far as it came.</p>\n",
    );
    Ok(())
}

fn plots(html: &mut String, statistics: &Statistics) -> fmt::Result {
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
            name: "components, in sum",
            numbers: by_round(|round| Some(u64::from(round.component_states)), Some(sum)),
        },
    ];
    html.push_str("<div class=\"plots\">\n");
    plot(html, "Symbols asked until each hypothesis was made", &spent, true)?;
    plot(html, "States of each hypothesis", &sizes, true)?;
    html.push_str("</div>\n");
    Ok(())
}

fn rounds(html: &mut String, rounds: &[Round]) -> fmt::Result {
    html.push_str(
        "<details><summary>Round by round</summary>\n<table><thead><tr>\
         <th class=\"number\">hypothesis</th><th class=\"number\">states</th>\
         <th class=\"number\">components</th><th class=\"number\">their states</th>\
         <th class=\"number\">symbols learning</th><th class=\"number\">symbols testing</th>\
         <th>after a counterexample of</th></tr></thead><tbody>\n",
    );
    for (at, round) in rounds.iter().enumerate().take(LISTED) {
        let states = round.states.map_or_else(|| "–".to_owned(), number);
        let Round { components, component_states, learning, testing, .. } = round;
        html.push_str("<tr>");
        let cells = [
            (at + 1).to_string(),
            states,
            number(*components),
            number(*component_states),
            number(learning.symbols),
            number(testing.symbols),
        ];
        for cell in cells {
            write!(html, "<td class=\"number\">{cell}</td>")?;
        }
        let found_by = round.found_by.as_deref().unwrap_or("–");
        writeln!(html, "<td>{found_by}</td></tr>")?;
    }
    html.push_str("</tbody></table>\n");
    if rounds.len() > LISTED {
        writeln!(html, "<p>The others are in statistics.json.</p>")?;
    }
    html.push_str("</details>\n");
    Ok(())
}
