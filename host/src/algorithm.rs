//! The four learners and their names on the command line, in files and in text.

use std::fmt;
use std::str::FromStr;

use mealybug_core::{Observations, Options, Projections};
use serde::{Deserialize, Serialize};

/// A learner: where it keeps what the device answered, and whether it divides it among components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// An observation tree, and components that divide outputs, inputs or pairs; chosen while learning if nothing
    /// else is said.
    OlSharp,
    /// An observation tree, and one machine.
    LSharp,
    /// An observation table, and a component for each output or group of outputs.
    OlStar,
    /// An observation table, and one machine.
    LStar,
}

impl Algorithm {
    /// All learners, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::OlSharp, Self::LSharp, Self::OlStar, Self::LStar];

    /// The default learner on the host.
    pub const DEFAULT: Self = Self::OlSharp;

    /// The default learner on a board.
    pub const TARGET_DEFAULT: Self = Self::OlStar;

    /// The learner of a session with these options.
    pub fn of(options: &Options) -> Self {
        let is_tree = options.observations == Observations::Tree;
        let is_one_machine = options.projections == Projections::Identity;
        match (is_tree, is_one_machine) {
            (true, false) => Self::OlSharp,
            (true, true) => Self::LSharp,
            (false, false) => Self::OlStar,
            (false, true) => Self::LStar,
        }
    }

    /// Its name on the command line and in files: `ol-sharp`.
    pub fn name(self) -> &'static str {
        match self {
            Self::OlSharp => "ol-sharp",
            Self::LSharp => "l-sharp",
            Self::OlStar => "ol-star",
            Self::LStar => "l-star",
        }
    }

    /// Its name in text: `OL#`.
    pub fn title(self) -> &'static str {
        match self {
            Self::OlSharp => "OL#",
            Self::LSharp => "L#",
            Self::OlStar => "OL*",
            Self::LStar => "L*",
        }
    }

    /// Where it stores the answers of the device.
    pub fn observations(self) -> Observations {
        match self {
            Self::OlSharp | Self::LSharp => Observations::Tree,
            Self::OlStar | Self::LStar => Observations::Table,
        }
    }

    /// Its default division of the device into components.
    pub fn projections(self) -> Projections {
        match self {
            Self::OlSharp => Projections::Chosen,
            Self::OlStar => Projections::PerOutput,
            Self::LSharp | Self::LStar => Projections::Identity,
        }
    }

    /// The default options with this learner.
    pub fn options(self) -> Options {
        Options::new().observations(self.observations()).projections(self.projections())
    }

    /// Whether it learns one machine that sees all outputs.
    pub fn is_one_machine(self) -> bool {
        self.projections() == Projections::Identity
    }

    /// The counterpart with an observation table, with components if this learner has them.
    #[must_use]
    pub fn with_table(self) -> Self {
        if self.is_one_machine() { Self::LStar } else { Self::OlStar }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        named.ok_or_else(|| "write ol-sharp, l-sharp, ol-star or l-star".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_is_what_its_options_and_its_name_say() {
        for algorithm in Algorithm::ALL {
            let options = algorithm.options();
            assert_eq!(Algorithm::of(&options), algorithm);
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(serde_json::json!(algorithm), algorithm.name());
            assert_eq!(algorithm.with_table().observations(), Observations::Table);
            assert_eq!(algorithm.with_table().is_one_machine(), algorithm.is_one_machine());
        }
        let tree = Options::new().observations(Observations::Tree);
        for divided in [Projections::PerOutput, Projections::PerInput, Projections::PerPair] {
            assert_eq!(Algorithm::of(&tree.projections(divided)), Algorithm::OlSharp);
        }
        assert!("lstar".parse::<Algorithm>().is_err());
        assert_eq!(Algorithm::TARGET_DEFAULT.observations(), Observations::Table);
    }
}
