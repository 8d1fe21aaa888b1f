//! `--projections`: which outputs a component sees.
//!
//! ```text
//! per-output        a component for each output
//! identity          one component that sees all outputs
//! OK,READY|ERROR    a component for OK and READY, one for ERROR, one for each other output
//! ```
//!
//! Names stand as they are, blanks too; `\,` and `\|` are a comma and a bar within a name.

use std::fmt;
use std::str::FromStr;

/// Which outputs the components see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProjectionChoice {
    /// One output each.
    PerOutput,
    /// All.
    Identity,
    /// Those of a group; one output each for the others.
    Groups(Vec<Vec<String>>),
}

impl FromStr for ProjectionChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "per-output" => return Ok(Self::PerOutput),
            "identity" => return Ok(Self::Identity),
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
            Self::PerOutput => f.write_str("per-output"),
            Self::Identity => f.write_str("identity"),
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
    fn what_makes_no_sense_is_said() {
        assert!("OK,|ERROR".parse::<ProjectionChoice>().is_err());
        assert!("".parse::<ProjectionChoice>().is_err());
        let twice = "OK|BUSY,OK".parse::<ProjectionChoice>();
        assert_eq!(twice, Err("the output `OK` is named twice".to_owned()));
    }
}
