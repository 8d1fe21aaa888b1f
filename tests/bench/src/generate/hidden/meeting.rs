//! How well a behaviour is hidden: the symbols of random words that it takes to meet it.

use std::collections::{BTreeMap, HashMap};

use mealybug::machine::Machine;
use mealybug_core::{Input, Mealy};

/// The mean length of the random words: each input is the last of its word with a chance of one in this many.
pub const WORD: f64 = 20.0;

/// Pairs of states with more than this many are not measured.
const MAX_PAIRS: usize = 20_000;

/// The mean number of symbols until an output of `machine` differs from that of `plain`. The symbols are those of
/// random words, whose inputs are drawn uniformly and whose length is geometric with mean [`WORD`]. `None` if there are too
/// many pairs of states; infinite if none of them differ.
///
/// The pair of states that both machines are in is a Markov chain. Its states are eliminated one after the other by the
/// method of Grassmann, Taksar and Heyman (*Regenerative analysis and steady state distributions for Markov chains*, 1985),
/// which only adds and divides positive numbers: so chances of 10⁻²⁰ lose no digits.
///
/// # Panics
/// A machine is partial, or the inputs differ.
pub fn symbols_to_meet(plain: &Machine, machine: &Machine) -> Option<f64> {
    let mut chain = Chain::new(plain, machine)?;
    for state in (1..chain.rows.len()).rev() {
        chain.eliminate(state);
    }
    let first = &chain.rows[0];
    Some(first.symbols / first.met)
}

/// The chances of one step from a pair of states.
#[derive(Clone, Debug, Default)]
struct MeetingRow {
    /// To other pairs, without itself.
    to: BTreeMap<usize, f64>,
    /// That an output differs.
    met: f64,
    /// Mean symbols of a step.
    symbols: f64,
}

/// Pairs of states, the initial pair first.
struct Chain {
    rows: Vec<MeetingRow>,
    /// The pairs from which there is a step to each.
    from: Vec<Vec<usize>>,
}

impl Chain {
    fn new(plain: &Machine, machine: &Machine) -> Option<Self> {
        let first = (Mealy::initial(plain), Mealy::initial(machine));
        let mut found = vec![first];
        let mut numbers = HashMap::from([(first, 0)]);
        let mut rows: Vec<MeetingRow> = Vec::new();
        let inputs = Mealy::inputs(plain);
        let (each, stays) = (1.0 / f64::from(inputs), 1.0 - 1.0 / WORD);
        while let Some(&(one, other)) = found.get(rows.len()) {
            let mut row = MeetingRow { symbols: 1.0, ..MeetingRow::default() };
            for input in (0..inputs).map(Input::new) {
                let (to, output) = plain.expect_transition(one, input);
                let (other_to, other_output) = machine.expect_transition(other, input);
                if plain.output_name(output) != machine.output_name(other_output) {
                    row.met += each;
                    continue;
                }
                let new = found.len();
                let next = *numbers.entry((to, other_to)).or_insert_with(|| {
                    found.push((to, other_to));
                    new
                });
                *row.to.entry(next).or_default() += each * stays;
                *row.to.entry(0).or_default() += each * (1.0 - stays);
            }
            rows.push(row);
            if found.len() > MAX_PAIRS {
                return None;
            }
        }
        let mut from = vec![Vec::new(); rows.len()];
        for (at, row) in rows.iter_mut().enumerate() {
            // Staying takes time, and leads nowhere.
            let stay = row.to.remove(&at).unwrap_or(0.0);
            row.scale(1.0 - stay);
            row.to.keys().for_each(|&to| from[to].push(at));
        }
        Some(Self { rows, from })
    }

    /// Leads all steps to `state` on to where it leads.
    fn eliminate(&mut self, state: usize) {
        let row = std::mem::take(&mut self.rows[state]);
        for before in std::mem::take(&mut self.from[state]) {
            if before >= state {
                continue;
            }
            let Some(chance) = self.rows[before].to.remove(&state) else { continue };
            let earlier = &mut self.rows[before];
            earlier.met += chance * row.met;
            earlier.symbols += chance * row.symbols;
            let mut rest = earlier.met;
            for (&to, &on) in &row.to {
                if to == before {
                    continue;
                }
                if earlier
                    .to
                    .insert(to, earlier.to.get(&to).unwrap_or(&0.0) + chance * on)
                    .is_none()
                {
                    self.from[to].push(before);
                }
            }
            rest += earlier.to.values().sum::<f64>();
            earlier.scale(rest);
        }
    }
}

impl MeetingRow {
    /// Divides by the chance of leaving the pair.
    fn scale(&mut self, leaves: f64) {
        if leaves <= 0.0 {
            self.symbols = f64::INFINITY;
            return;
        }
        self.met /= leaves;
        self.symbols /= leaves;
        self.to.values_mut().for_each(|chance| *chance /= leaves);
    }
}

#[cfg(test)]
mod tests {
    use mealybug::machine::Builder;

    use super::*;

    /// A machine that answers `n` after `count` inputs `a` in a row, and `y` otherwise.
    fn counter(count: u32) -> Machine {
        let mut builder = Builder::default();
        for state in 0..count {
            let last = state + 1 == count;
            let to = if last { 0 } else { state + 1 };
            builder.add(state, "a", to, if last { "n" } else { "y" }).expect("new");
            builder.add(state, "b", 0, "y").expect("new");
        }
        builder.build(0).expect("complete")
    }

    #[test]
    fn it_is_what_simulation_counts() {
        let mut builder = Builder::default();
        builder.add(0, "a", 0, "y").expect("new");
        builder.add(0, "b", 0, "y").expect("new");
        let plain = builder.build(0).expect("complete");
        for count in 1..=6 {
            let said = symbols_to_meet(&plain, &counter(count)).expect("few pairs");
            // With a chance p a symbol goes on: p = 1/2, and with 19/20 the word does.
            let (hit, go) = (0.5, 0.5 * (1.0 - 1.0 / WORD));
            // E = (1 + go + go² + …) / (hit · go^(count - 1))
            let steps: f64 = (0..count).map(|at| go.powi(i32::try_from(at).expect("small"))).sum();
            let expected = steps / (hit * go.powi(i32::try_from(count - 1).expect("small")));
            assert!((said / expected - 1.0).abs() < 1e-9, "{count}: {said}, not {expected}");
        }
    }

    #[test]
    fn what_cannot_be_met_takes_for_ever() {
        assert_eq!(symbols_to_meet(&counter(3), &counter(3)), Some(f64::INFINITY));
    }
}
