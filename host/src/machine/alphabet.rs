//! Matches the inputs of two machines by name.

use std::collections::HashMap;

use thiserror::Error;

/// Two machines have different inputs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the machines do not have the same inputs{}{}", only("first", .only_first), only("second", .only_second))]
pub struct AlphabetError {
    /// Inputs that only the first machine has.
    pub only_first: Vec<String>,
    /// Inputs that only the second machine has.
    pub only_second: Vec<String>,
}

/// One half of the message of an [`AlphabetError`].
fn only(which: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!("; only the {which} has `{}`", names.join("`, `"))
}

/// For each input of `first`, its index in `second`.
pub(super) fn same_inputs(
    first: &[String],
    second: &[String],
) -> Result<Vec<usize>, AlphabetError> {
    let places: HashMap<_, _> = second.iter().enumerate().map(|(at, name)| (name, at)).collect();
    let order: Option<Vec<_>> = first.iter().map(|name| places.get(name).copied()).collect();
    if let Some(order) = order
        && first.len() == second.len()
    {
        return Ok(order);
    }
    let without = |names: &[String], others: &[String]| {
        names.iter().filter(|name| !others.contains(name)).cloned().collect()
    };
    Err(AlphabetError { only_first: without(first, second), only_second: without(second, first) })
}
