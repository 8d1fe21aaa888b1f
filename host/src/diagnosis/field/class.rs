//! What a field holds.

use super::last_digits::LastDigits;

/// With fewer hexadecimal digits than this, a zero in front may be a digit.
const PADDED: usize = 8;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum FieldClass {
    /// Digits.
    Digits,
    /// Digits, and marks between them.
    Number,
    /// A number with or without a sign.
    Signed,
    /// Hexadecimal digits.
    Hex,
    /// Hexadecimal digits with zeros in front: always this number of them.
    PaddedHex(usize),
    /// Letters, digits, and marks between them.
    Word,
    /// Numbers with signs, marks and blanks between them: at one time more of them than at another.
    List,
    /// A byte of a reply that is no text.
    Byte,
    /// The last digits of a number; those in front of them stay.
    LastDigits(LastDigits),
}

impl FieldClass {
    /// The classes of whole fields of text, the narrowest first.
    const TEXT: [Self; 5] = [Self::Digits, Self::Number, Self::Signed, Self::Hex, Self::Word];

    /// The narrowest class of a field of text that holds these bytes.
    pub(super) fn of<'b>(bytes: impl Iterator<Item = &'b u8> + Clone) -> Option<Self> {
        let holds = |class: &Self| class.test().is_some_and(|holds| bytes.clone().all(holds));
        Self::TEXT.into_iter().find(holds)
    }

    /// The same class; of hexadecimal digits, `PaddedHex` if these values have zeros in front.
    pub(super) fn with_padding(self, values: &[&[u8]]) -> Self {
        let Some(digits) = values.first().map(|value| value.len()) else { return self };
        // Without such zeros, some values would have fewer digits.
        let is_padded = values.iter().any(|value| value.starts_with(b"0"));
        let has_length = digits >= PADDED && values.iter().all(|value| value.len() == digits);
        if self == Self::Hex && is_padded && has_length { Self::PaddedHex(digits) } else { self }
    }

    /// The class of a field that is known from two sides; `None` if these are fields of different kinds. A number may be whole
    /// or positive by chance, and hexadecimal digits may happen to be digits.
    pub(in super::super) fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            _ if self == other => Some(self),
            (Self::Digits | Self::Number, Self::Signed)
            | (Self::Signed, Self::Digits | Self::Number) => Some(Self::Signed),
            (Self::Digits, class @ (Self::Number | Self::Hex))
            | (class @ (Self::Number | Self::Hex), Self::Digits) => Some(class),
            (Self::PaddedHex(_), Self::PaddedHex(_) | Self::Hex | Self::Digits)
            | (Self::Hex | Self::Digits, Self::PaddedHex(_)) => Some(Self::Hex),
            _ => None,
        }
    }

    /// Whether it is a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Digits | Self::Number | Self::Signed)
    }

    /// Which bytes beside those that differ are a part of the field, too: digits of a number that happen to be equal.
    pub(super) fn holds(self) -> Option<fn(&u8) -> bool> {
        if self.is_number() { Some(is_of_number) } else { self.test() }
    }

    /// Which bytes of text it holds.
    fn test(self) -> Option<fn(&u8) -> bool> {
        match self {
            Self::Digits => Some(u8::is_ascii_digit),
            Self::Number => Some(is_of_number),
            Self::Signed => Some(|byte| is_of_number(byte) || is_sign(byte)),
            Self::Hex | Self::PaddedHex(_) => Some(u8::is_ascii_hexdigit),
            Self::Word => Some(is_of_word),
            Self::List => Some(is_of_list),
            Self::Byte | Self::LastDigits(_) => None,
        }
    }

    /// What matches the part of it that stays, in a `match`.
    pub(super) fn kept_pattern(self) -> String {
        match self {
            Self::LastDigits(digits) => digits.kept_pattern(),
            _ => String::new(),
        }
    }

    /// What matches the part of it that is replaced, in a `match`.
    pub(super) fn pattern(self) -> String {
        let pattern = match self {
            Self::Digits => r"\d+",
            Self::Number => r"[\d.,:]+",
            Self::Signed => r"[-+]?[\d.,:]+",
            Self::Hex => "[0-9A-Fa-f]+",
            Self::Word => "[0-9A-Za-z.,:]+",
            Self::List => r"[-+/.,:\d ]+",
            Self::Byte => "(?s-u:.)",
            Self::PaddedHex(digits) => return format!("[0-9A-Fa-f]{{{digits}}}"),
            Self::LastDigits(digits) => return digits.pattern(),
        };
        pattern.to_owned()
    }
}

pub(in super::super) fn is_of_number(byte: &u8) -> bool {
    byte.is_ascii_digit() || b".,:".contains(byte)
}

pub(super) fn is_sign(byte: &u8) -> bool {
    b"+-".contains(byte)
}

pub(super) fn is_of_list(byte: &u8) -> bool {
    is_of_number(byte) || b"+-/ ".contains(byte)
}

pub(super) fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || is_of_number(byte)
}
