//! Templates: bytes with gaps that are filled when a message is sent.

use super::checksum::{Checksum, number_bytes};

/// Values that are known only when a message is sent. A reset sets them to their initial values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// The number of messages with a sequence number that were sent.
    pub sequence: u32,
    /// What was captured, in the order of `[captures]`.
    pub captures: Vec<Vec<u8>>,
}

/// Bytes with gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Template(pub(super) Vec<MessagePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MessagePart {
    Bytes(Vec<u8>),
    Capture(usize),
    Data,
    Number { source: Source, complement: Complement, plus: u32, format: NumberFormat },
}

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Sequence,
    /// The length of the data in a frame.
    Length,
    /// The checksum of everything before it.
    Checksum(Checksum),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Complement {
    None,
    /// Bitwise complement: `~`.
    Ones,
    /// Negative: `-`.
    Twos,
}

/// The format of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberFormat {
    Binary { size: usize, low_first: bool },
    Decimal,
    Hex { digits: usize },
}

/// How the bytes around the gaps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Text,
    Hex,
}

impl Template {
    /// Whether the template contains the sequence number.
    pub(super) fn is_numbered(&self) -> bool {
        let numbered = |part: &MessagePart| {
            matches!(part, MessagePart::Number { source: Source::Sequence, .. })
        };
        self.0.iter().any(numbered)
    }

    /// The bytes with all gaps filled; `data` is the content of a frame.
    pub(super) fn fill(&self, variables: &Variables, data: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for part in &self.0 {
            match part {
                MessagePart::Bytes(bytes) => all.extend_from_slice(bytes),
                MessagePart::Data => all.extend_from_slice(data),
                MessagePart::Capture(index) => {
                    all.extend_from_slice(
                        variables.captures.get(*index).map_or(&[], Vec::as_slice),
                    );
                }
                MessagePart::Number { source, complement, plus, format } => {
                    let number = match source {
                        Source::Sequence => variables.sequence,
                        Source::Length => u32::try_from(data.len()).unwrap_or(u32::MAX),
                        Source::Checksum(checksum) => checksum.of(&all),
                    };
                    let number = complement.of(number.wrapping_add(*plus)) & source.mask();
                    all.extend(format.write(number));
                }
            }
        }
        all
    }
}

impl MessagePart {
    /// A checksum in its byte order on the wire.
    pub(super) fn checksum(checksum: Checksum) -> Self {
        let format =
            NumberFormat::Binary { size: checksum.size(), low_first: checksum.is_low_first() };
        let source = Source::Checksum(checksum);
        Self::Number { source, complement: Complement::None, plus: 0, format }
    }
}

impl Complement {
    /// The complement that the sign before a number stands for, and the number.
    pub(super) fn split(number: &str) -> (Self, &str) {
        match number.split_at_checked(1) {
            Some(("~", number)) => (Self::Ones, number),
            Some(("-", number)) => (Self::Twos, number),
            _ => (Self::None, number),
        }
    }

    /// The complement of a number.
    pub(super) fn of(self, number: u32) -> u32 {
        match self {
            Self::None => number,
            Self::Ones => !number,
            Self::Twos => number.wrapping_neg(),
        }
    }
}

impl NumberFormat {
    /// Reads the format of a number.
    pub(super) fn parse(text: &str, source: Source) -> Option<Self> {
        let (name, low_first) = match text.strip_suffix("le") {
            Some(name) => (name, true),
            None => (text, false),
        };
        let size = match name {
            "u8" if !low_first => 1,
            "u16" => 2,
            "u24" => 3,
            "u32" => 4,
            "dec" if !low_first => return Some(Self::Decimal),
            "hex" if !low_first => return Some(Self::Hex { digits: 2 * source.size() }),
            _ => {
                let digits = name.strip_prefix("hex")?.parse().ok()?;
                return (!low_first && (1..=8).contains(&digits)).then_some(Self::Hex { digits });
            }
        };
        Some(Self::Binary { size, low_first })
    }

    /// The default format of a number.
    pub(super) fn usual(source: Source, notation: Notation) -> Self {
        match (source, notation) {
            (Source::Checksum(_), Notation::Text) => Self::Hex { digits: 2 * source.size() },
            (Source::Checksum(checksum), Notation::Hex) => {
                Self::Binary { size: checksum.size(), low_first: checksum.is_low_first() }
            }
            (_, Notation::Text) => Self::Decimal,
            (_, Notation::Hex) => Self::Binary { size: 1, low_first: false },
        }
    }

    fn write(self, number: u32) -> Vec<u8> {
        match self {
            Self::Binary { size, low_first } => number_bytes(number, size, low_first),
            Self::Decimal => number.to_string().into_bytes(),
            Self::Hex { digits } => {
                let text = format!("{number:08X}");
                text.as_bytes()[text.len() - digits.min(text.len())..].to_vec()
            }
        }
    }
}

impl Source {
    /// The bits that a number of this format can have.
    fn mask(self) -> u32 {
        match self {
            Self::Checksum(checksum) => checksum.mask(),
            Self::Sequence | Self::Length => u32::MAX,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Checksum(checksum) => checksum.size(),
            Self::Sequence | Self::Length => 1,
        }
    }
}
