//! Flags beside a field that keeps changing.

use std::collections::BTreeSet;

use regex::bytes::Regex;

use super::super::field::{ChangingField, taken_out};

/// The most of these replies that have the same flag: a digit with two values, beside a field that has many. What the device counts
/// may be kept out of the outputs, its state may not.
pub(super) fn of_one_state(replies: Vec<&[u8]>) -> Vec<&[u8]> {
    let field = ChangingField::find(&replies);
    let Some(regex) = field.and_then(|it| Regex::new(&it.shape.rule().pattern).ok()) else {
        return replies;
    };
    let rows: Vec<_> = replies.iter().filter_map(|reply| taken_out(&regex, reply)).collect();
    let columns = rows.first().map_or(0, Vec::len);
    if rows.len() < replies.len() || rows.iter().any(|row| row.len() != columns) {
        return replies;
    }
    let values = |column: usize| rows.iter().map(move |row| row[column]);
    let different = |column: usize| values(column).collect::<BTreeSet<_>>().len();
    let is_flag = |column: &usize| {
        different(*column) == 2 && values(*column).all(|value| matches!(value, [b'0'..=b'9']))
    };
    let has_many = (0..columns).any(|column| different(column) > replies.len() / 2);
    let Some(flag) = (0..columns).find(is_flag).filter(|_| has_many) else { return replies };
    let count = |value: &[u8]| values(flag).filter(|it| *it == value).count();
    let Some(most) = values(flag).max_by_key(|value| count(value)) else { return replies };
    let pairs = replies.iter().zip(&rows);
    pairs.filter(|(_, row)| row[flag] == most).map(|(reply, _)| *reply).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_beside_a_counter_stays() {
        let pattern = |replies: &[&str]| {
            let replies = replies.iter().map(|reply| reply.as_bytes()).collect();
            let field = ChangingField::find(&of_one_state(replies));
            field.map(|field| field.shape.rule().pattern)
        };
        let counter = ["S: 1, 17, 1", "S: 0, 16, 1", "S: 1, 15, 1", "S: 1, 14, 1"];
        assert_eq!(pattern(&counter).as_deref(), Some(r"(S: 1, )\d+(, 1)"));
        // Two measurements.
        let measured = ["S: 40, 17, 1", "S: 41, 16, 1", "S: 40, 15, 1", "S: 40, 14, 1"];
        assert_eq!(pattern(&measured).as_deref(), Some(r"(S: )\d+(, )\d+(, 1)"));
        // Nothing that keeps changing.
        let flags = ["S: 1, 17, 1", "S: 0, 17, 1", "S: 1, 18, 1", "S: 1, 18, 1"];
        assert_eq!(pattern(&flags).as_deref(), Some(r"(S: )\d+(, )\d+(, 1)"));
    }
}
