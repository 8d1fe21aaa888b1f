//! Slow and suspicious answers.

use std::fmt::{self, Write};

use super::{counted, duration};
use crate::picture::escaped;
use crate::statistics::{Spent, Statistics, number};

pub(super) fn write(html: &mut String, statistics: &Statistics) -> fmt::Result {
    html.push_str("<section><h2>Slow and suspicious answers</h2>\n");
    suspicious(html, statistics)?;
    if let Some(serial) = &statistics.serial {
        html.push_str(
            "<p>The time that each input and each reset took; in the order of what they took \
             altogether.</p>\n",
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
    let late_bytes = statistics.serial.as_ref().map_or(0, |serial| serial.late_bytes);
    if late_bytes == 0 && statistics.retries == 0 {
        html.push_str("<p>No answer came late, and no word had to be asked again.</p>\n");
    }
    if late_bytes > 0 {
        writeln!(
            html,
            "<p>{} came after the end of a reply. Does the <code>[reply]</code> rule end replies too \
             early?</p>",
            counted(late_bytes, "byte")
        )?;
    }
    if statistics.retries > 0 {
        writeln!(
            html,
            "<p>{} asked again because the link failed.</p>",
            counted(statistics.retries, "time a word was").replace("was s", "was")
        )?;
    }
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
