//! Slow and suspicious answers.

use std::fmt::{self, Write};

use super::{Report, counted, duration};
use crate::export::shown;
use crate::learned::output_name;
use crate::picture::escaped;
use crate::statistics::{Spent, Statistics, number};
use crate::store::{NodeId, Tree};
use crate::word;

/// So many answers are listed.
const LISTED: usize = 20;

/// Faster answers are not called slow.
const SLOW_MS: u32 = 10;

pub(super) fn write(html: &mut String, report: &Report<'_>) -> fmt::Result {
    let statistics = report.statistics;
    html.push_str("<section><h2>Slow and suspicious answers</h2>\n");
    suspicious(html, statistics)?;
    if let Some(answers) = report.answers {
        settled(html, answers, report.inputs)?;
        slow(html, answers, report.inputs)?;
    }
    if let Some(serial) = &statistics.serial {
        html.push_str(
            "<h3>Where the time went</h3>\n<p class=\"faint\">The time that each input and each reset \
             took; in the order of what they took altogether.</p>\n",
        );
        let reset =
            |spent: &Spent| Spent { name: format!("reset {}", spent.name), ..spent.clone() };
        let mut spent: Vec<_> = serial.resets.iter().map(reset).collect();
        spent.extend(serial.inputs.iter().cloned());
        times(html, spent)?;
    }
    html.push_str("</section>\n");
    Ok(())
}

fn suspicious(html: &mut String, statistics: &Statistics) -> fmt::Result {
    let Statistics { retries, contradictions, .. } = *statistics;
    let late_bytes = statistics.serial.as_ref().map_or(0, |serial| serial.late_bytes);
    if late_bytes == 0 && retries == 0 && contradictions == 0 {
        html.push_str(
            "<p>No answer came late, none contradicted another, and no word had to be asked again.</p>\n",
        );
    }
    if late_bytes > 0 {
        writeln!(
            html,
            "<p>{} came after the end of a reply. Does the <code>[reply]</code> rule end replies too \
             early?</p>",
            counted(late_bytes, "byte")
        )?;
    }
    if retries > 0 {
        let times = if retries == 1 { "once".to_owned() } else { counted(retries, "time") };
        writeln!(html, "<p>Words were asked again {times} because the link failed.</p>")?;
    }
    if contradictions > 0 {
        writeln!(
            html,
            "<p>{} of the device {} not believed, since it gave another one more often.</p>",
            counted(contradictions, "answer"),
            if contradictions == 1 { "is" } else { "are" }
        )?;
    }
    Ok(())
}

/// The words to which the device gave several answers.
fn settled(html: &mut String, answers: &Tree, inputs: &[String]) -> fmt::Result {
    let is_settled =
        |&node: &NodeId| answers.is_believed(node) && answers.alternatives(node).nth(1).is_some();
    let mut nodes = answers.nodes().filter(is_settled).peekable();
    if nodes.peek().is_none() {
        return Ok(());
    }
    html.push_str(
        "<h3>Answers that contradicted each other</h3>\n<p class=\"faint\">The answer at the end of the \
         word, and how often each came; the first is believed.</p>\n<div class=\"scroll\"><table><thead>\
         <tr><th>word</th><th>answers</th></tr></thead><tbody>\n",
    );
    for node in nodes.by_ref().take(LISTED) {
        let answer = |(output, votes): (&[u8], u32)| {
            let name = output_name(output);
            format!("{} × {}", number(votes), shown(&name))
        };
        let all: Vec<_> = answers.alternatives(node).map(answer).collect();
        let word = word::format(&answers.word(node), inputs);
        writeln!(
            html,
            "<tr><td class=\"word\">{}</td><td class=\"word\">{}</td></tr>",
            escaped(&word),
            escaped(&all.join(", "))
        )?;
    }
    html.push_str("</tbody></table></div>\n");
    let more = nodes.count() as u64;
    if more > 0 {
        writeln!(html, "<p>And {} more.</p>", counted(more, "word"))?;
    }
    Ok(())
}

/// The answers that took longest, each with the word that it ended.
fn slow(html: &mut String, answers: &Tree, inputs: &[String]) -> fmt::Result {
    let mut nodes: Vec<_> =
        answers.nodes().filter(|&node| answers.longest_ms(node) >= SLOW_MS).collect();
    if nodes.is_empty() {
        return Ok(());
    }
    // The first of those that took as long has the shorter word, mostly.
    nodes.sort_by_key(|&node| std::cmp::Reverse(answers.longest_ms(node)));
    html.push_str(
        "<h3>The slowest answers</h3>\n<div class=\"scroll\"><table><thead><tr>\
         <th class=\"number\">took</th><th>at the end of the word</th><th>answer</th></tr></thead><tbody>\n",
    );
    for &node in nodes.iter().take(LISTED) {
        let name = output_name(answers.output(node));
        writeln!(
            html,
            "<tr><td class=\"number\">{} ms</td><td class=\"word\">{}</td><td class=\"word\">{}</td></tr>",
            number(answers.longest_ms(node)),
            escaped(&word::format(&answers.word(node), inputs)),
            escaped(shown(&name))
        )?;
    }
    html.push_str("</tbody></table></div>\n");
    Ok(())
}

/// A table of times, the most expensive first.
fn times(html: &mut String, mut spent: Vec<Spent>) -> fmt::Result {
    let total_ms = |spent: &Spent| {
        let count = u32::try_from(spent.count).map_or(f64::from(u32::MAX), f64::from);
        count * spent.mean_ms
    };
    spent.sort_by(|one, other| total_ms(other).total_cmp(&total_ms(one)));
    let most = spent.first().map_or(0.0, total_ms).max(f64::MIN_POSITIVE);
    html.push_str(
        "<div class=\"scroll\"><table><thead><tr><th>what</th><th class=\"number\">times</th>\
         <th class=\"number\">mean</th><th class=\"number\">longest</th>\
         <th class=\"number\">together</th><th></th></tr></thead><tbody>\n",
    );
    for spent in &spent {
        let share = 100.0 * total_ms(spent) / most;
        writeln!(
            html,
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{:.1} ms</td>\
             <td class=\"number\">{:.1} ms</td><td class=\"number\">{}</td>\
             <td style=\"width:12rem\"><span class=\"bar\" style=\"width:{share:.1}%\"></span></td></tr>",
            escaped(&spent.name),
            number(spent.count),
            spent.mean_ms,
            spent.longest_ms,
            duration(total_ms(spent) / 1000.0),
        )?;
    }
    html.push_str("</tbody></table></div>\n");
    Ok(())
}
