//! `--projections`: how what a device does is divided among components.
//!
//! ```text
//! chosen            parts of the outputs or of the inputs, or one component: chosen while learning
//! per-output        a component for each output
//! per-input         a component for each input, which has the outputs after it
//! per-pair          a component for each output after each input
//! identity          one component that has all outputs
//! OK,READY|ERROR    a component for OK and READY, one for ERROR, one for each other output
//! ```
//!
//! Names stand as they are, blanks too; `\,` and `\|` are a comma and a bar within a name.

use std::fmt;
use std::str::FromStr;

use mealybug_core::Projections;

/// How what a device does is divided among components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProjectionChoice {
    /// All outputs in one component.
    Identity,
    /// A component for each output.
    PerOutput,
    /// A component for each input.
    PerInput,
    /// A component for each pair of an input and an output.
    PerPair,
    /// What promises the fewest states, chosen while learning.
    Chosen,
    /// A component for each group of outputs, and one for each output in none.
    Groups(Vec<Vec<String>>),
}

impl ProjectionChoice {
    /// What a session is told; groups are declared to it in addition.
    pub(crate) fn projections(&self) -> Projections {
        match self {
            Self::Identity => Projections::Identity,
            Self::PerOutput | Self::Groups(_) => Projections::PerOutput,
            Self::PerInput => Projections::PerInput,
            Self::PerPair => Projections::PerPair,
            Self::Chosen => Projections::Chosen,
        }
    }

    /// Whether only a learner with a tree can divide so.
    pub(crate) fn needs_tree(&self) -> bool {
        matches!(self, Self::PerInput | Self::PerPair | Self::Chosen)
    }
}

impl From<Projections> for ProjectionChoice {
    fn from(projections: Projections) -> Self {
        match projections {
            Projections::Identity => Self::Identity,
            Projections::PerInput => Self::PerInput,
            Projections::PerPair => Self::PerPair,
            Projections::Chosen => Self::Chosen,
            _ => Self::PerOutput,
        }
    }
}

impl FromStr for ProjectionChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "identity" => return Ok(Self::Identity),
            "per-output" => return Ok(Self::PerOutput),
            "per-input" => return Ok(Self::PerInput),
            "per-pair" => return Ok(Self::PerPair),
            "chosen" => return Ok(Self::Chosen),
            _ => {}
        }
        let groups = groups(text);
        let mut names: Vec<_> = groups.iter().flatten().collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err("an output without a name; write groups as OK,READY|ERROR".into());
        }
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("the output `{}` is named twice", pair[0])),
            None => Ok(Self::Groups(groups)),
        }
    }
}

/// Takes `A,B|C` apart.
fn groups(text: &str) -> Vec<Vec<String>> {
    let mut groups = vec![vec![String::new()]];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let group = groups.last_mut().expect("there is a first one");
        let name = group.last_mut().expect("there is a first one");
        match c {
            '|' => groups.push(vec![String::new()]),
            ',' => group.push(String::new()),
            '\\' => name.push(rest.next_if(|c| matches!(c, ',' | '|')).unwrap_or('\\')),
            _ => name.push(c),
        }
    }
    groups
}

impl fmt::Display for ProjectionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity | Self::PerOutput | Self::PerInput | Self::PerPair | Self::Chosen => {
                self.projections().fmt(f)
            }
            Self::Groups(groups) => {
                let name = |name: &String| name.replace(',', "\\,").replace('|', "\\|");
                let group = |group: &Vec<_>| group.iter().map(name).collect::<Vec<_>>().join(",");
                f.write_str(&groups.iter().map(group).collect::<Vec<_>>().join("|"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_read_as_they_are_written() {
        let cases = [
            ("OK,READY|ERROR", vec![vec!["OK", "READY"], vec!["ERROR"]]),
            (r"a\,b|c\|d", vec![vec!["a,b"], vec!["c|d"]]),
            (r"OK\r\n, x", vec![vec![r"OK\r\n", " x"]]),
        ];
        for (text, groups) in cases {
            let read: ProjectionChoice = text.parse().expect(text);
            let owned = |group: Vec<&str>| group.into_iter().map(str::to_owned).collect();
            assert_eq!(read, ProjectionChoice::Groups(groups.into_iter().map(owned).collect()));
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn families_read_as_they_are_written() {
        for projections in [
            Projections::Identity,
            Projections::PerOutput,
            Projections::PerInput,
            Projections::PerPair,
            Projections::Chosen,
        ] {
            let read: ProjectionChoice = projections.to_string().parse().expect("it has a name");
            assert_eq!(read.projections(), projections);
            assert_eq!(read, ProjectionChoice::from(projections));
            assert_eq!(read.to_string(), projections.to_string());
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        assert!("OK,|ERROR".parse::<ProjectionChoice>().is_err());
        assert!("".parse::<ProjectionChoice>().is_err());
        let twice = "OK|BUSY,OK".parse::<ProjectionChoice>();
        assert_eq!(twice, Err("the output `OK` is named twice".to_owned()));
    }
}
