//! What a run cost: resets, symbols, and time at a serial port.

use std::ops::Add;
use std::time::Duration;

use mealybug_core::{Costs, KindCosts, MIXTURE_KINDS, Progress};
use serde::{Deserialize, Serialize};

use crate::device::DeviceFile;
use crate::export::shown;
use crate::learn::PublishedCosts;
use crate::serial;

/// Resets and symbols that were asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// The number of resets.
    pub resets: u64,
    /// The number of input symbols.
    pub symbols: u64,
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { resets: self.resets + other.resets, symbols: self.symbols + other.symbols }
    }
}

impl From<Costs> for Cost {
    fn from(Costs { resets, symbols }: Costs) -> Self {
        Self { resets, symbols }
    }
}

/// What earlier sessions of a resumed run cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EarlierSessions {
    /// What the answers that are kept have cost at the device.
    pub device: Cost,
    /// How long these sessions took, in seconds; those that were killed are not counted.
    pub seconds: f64,
}

/// Costs by the rules of the published figures; `resets` counts queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Published {
    /// The cost of learning.
    pub learning: Cost,
    /// The cost of testing.
    pub testing: Cost,
}

impl From<&PublishedCosts> for Published {
    fn from(costs: &PublishedCosts) -> Self {
        Self { learning: costs.learning().into(), testing: costs.testing().into() }
    }
}

/// What one kind of tests of the mixture cost and found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KindRecord {
    /// The kind, as `--tests` names it.
    pub tests: String,
    /// The symbols of its tests. A test whose answer is known is not asked and costs none.
    pub symbols: u64,
    /// The number of counterexamples that it found.
    pub found: u32,
}

impl KindRecord {
    /// Each kind of test in the mixture that was asked.
    pub(super) fn all(progress: &Progress) -> Vec<Self> {
        let kinds = MIXTURE_KINDS.iter().zip(progress.tests);
        let asked = kinds.filter(|(_, costs)| costs.symbols > 0);
        asked
            .map(|(kind, KindCosts { symbols, found, .. })| Self {
                tests: kind.to_string(),
                symbols,
                found,
            })
            .collect()
    }
}

/// Where the time went at a serial port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Serial {
    /// The number of bytes that came after the end of a reply.
    pub late_bytes: u64,
    /// The number of words that were asked again because bytes came after their last reply.
    pub suspect_words: u64,
    /// Each `[[reset]]` of the device file.
    pub resets: Vec<Spent>,
    /// Each input.
    pub inputs: Vec<Spent>,
}

impl Serial {
    /// The costs of a device behind a serial port.
    pub fn new(device: &DeviceFile, spent: &serial::PortStatistics) -> Self {
        let resets = (1..).zip(&spent.resets);
        let inputs = device.inputs.iter().zip(&spent.inputs);
        Self {
            late_bytes: spent.late_bytes,
            suspect_words: spent.suspect_words,
            resets: resets.map(|(number, spent)| Spent::new(number.to_string(), spent)).collect(),
            inputs: inputs.map(|(input, spent)| Spent::new(input.name.clone(), spent)).collect(),
        }
    }

    /// The shares of a run's `seconds` that all resets took together, and each input. Leaves out what took less than a tenth;
    /// the largest share comes first.
    pub fn most_of(&self, seconds: f64) -> Vec<(String, f64)> {
        let resets = self.resets.iter().map(Spent::seconds).sum();
        let name = |spent: &Spent| format!("`{}`", shown(&spent.name));
        let inputs = self.inputs.iter().map(|spent| (name(spent), spent.seconds()));
        let shares = inputs.chain([("resets".to_owned(), resets)]);
        let shares = shares.map(|(what, spent)| (what, spent / seconds));
        let mut most: Vec<_> = shares.filter(|(_, share)| *share >= 0.1).collect();
        most.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        most
    }
}

/// The time that one reset method or one input took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Spent {
    /// The name of the input, or the number of the `[[reset]]` in the device file.
    pub name: String,
    /// How often it was tried.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// The mean time in milliseconds.
    pub mean_ms: f64,
    /// The longest time in milliseconds.
    pub longest_ms: f64,
}

impl Spent {
    fn new(name: String, spent: &serial::TimeSpent) -> Self {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let count = u32::try_from(spent.count).unwrap_or(u32::MAX).max(1);
        Self {
            name,
            count: spent.count,
            failed: spent.failed,
            mean_ms: ms(spent.total / count),
            longest_ms: ms(spent.longest),
        }
    }

    /// What all tries took together.
    pub fn seconds(&self) -> f64 {
        let count = u32::try_from(self.count).map_or(f64::from(u32::MAX), f64::from);
        count * self.mean_ms / 1000.0
    }
}
