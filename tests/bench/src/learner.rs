//! The learners that can be measured.

use std::fmt;
use std::str::FromStr;

use mealybug::algorithm::Algorithm;
use mealybug_core::{Options, Projections, Tests};

/// Complete suites start in every state, up to this many.
const SUITE_STATES: u32 = 10_000;

/// A learner that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeasuredLearner {
    /// A session with these projections.
    Session(Algorithm, Projections),
    /// An L* for each output; they share their answers.
    Decompose,
}

impl MeasuredLearner {
    /// The name of [`MeasuredLearner::Decompose`] in rows.
    pub(crate) const DECOMPOSE: &str = "decompose";

    /// OL# with fixed projections: their names in rows, and the projections.
    pub(crate) const DIVIDED: [(&str, Projections); 3] = [
        ("ol-sharp:per-output", Projections::PerOutput),
        ("ol-sharp:per-input", Projections::PerInput),
        ("ol-sharp:per-pair", Projections::PerPair),
    ];

    /// The algorithm that learns the whole model, or each output.
    pub(crate) fn algorithm(self) -> Algorithm {
        match self {
            Self::Session(algorithm, _) => algorithm,
            Self::Decompose => Algorithm::LStar,
        }
    }

    /// The options of a run, which ends when the hypothesis is right.
    pub(crate) fn options(self, tests: Tests, seed: u64) -> Options {
        let is_suite = matches!(tests, Tests::W { .. } | Tests::Wp { .. });
        let default = Options::default();
        let algorithm = self.algorithm();
        let projections = match self {
            Self::Session(_, projections) => projections,
            Self::Decompose => algorithm.projections(),
        };
        default
            .observations(algorithm.observations())
            .projections(projections)
            .tests(tests)
            .seed(seed)
            .passing_tests(u64::MAX)
            .product_states(if is_suite { SUITE_STATES } else { default.product_states })
    }
}

impl From<Algorithm> for MeasuredLearner {
    fn from(algorithm: Algorithm) -> Self {
        Self::Session(algorithm, algorithm.projections())
    }
}

impl fmt::Display for MeasuredLearner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(algorithm, projections) if *projections != algorithm.projections() => {
                write!(f, "{algorithm}:{projections}")
            }
            Self::Session(algorithm, _) => f.write_str(algorithm.name()),
            Self::Decompose => f.write_str(Self::DECOMPOSE),
        }
    }
}

impl FromStr for MeasuredLearner {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            Self::DECOMPOSE => Ok(Self::Decompose),
            name => match Self::DIVIDED.into_iter().find(|(divided, _)| *divided == name) {
                Some((_, projections)) => Ok(Self::Session(Algorithm::OlSharp, projections)),
                None => name.parse().map(Algorithm::into),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_has_the_projections_in_its_name() {
        let projections = |name: &str| {
            let learner: MeasuredLearner = name.parse().expect(name);
            assert_eq!(learner.to_string(), name);
            learner.options(Tests::External, 0).projections
        };
        assert_eq!(projections("ol-sharp"), Projections::Chosen);
        assert_eq!(projections("ol-sharp:per-output"), Projections::PerOutput);
        assert_eq!(projections("ol-sharp:per-input"), Projections::PerInput);
        assert_eq!(projections("ol-star"), Projections::PerOutput);
        assert_eq!(projections("l-sharp"), Projections::Identity);
        assert!("ol-star:per-input".parse::<MeasuredLearner>().is_err());
    }
}
