//! Averages of many costs.

/// The median; for an even count the larger of the two in the middle.
///
/// # Panics
/// There are no numbers.
pub fn median<T: Ord + Copy>(numbers: impl IntoIterator<Item = T>) -> T {
    let mut numbers: Vec<T> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

/// The geometric mean of the ratios first / second. Without pairs it is 1; zeros count as 1.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
pub fn geometric_mean(pairs: &[[u64; 2]]) -> f64 {
    let log = |&[one, other]: &[u64; 2]| (one.max(1) as f64 / other.max(1) as f64).ln();
    (pairs.iter().map(log).sum::<f64>() / pairs.len().max(1) as f64).exp()
}
