//! What is sent: bytes, with what is only known when they are sent.

use std::sync::Arc;

use super::bytes;
use super::checksum::{Checksum, number_bytes};
use super::error::Fault;
use super::fields::{Field, Fields, Value};
use super::scope::Scope;

/// A message to the device.
///
/// In text and between hex digits, `${…}` stands for what is only known when it is sent:
///
/// | | |
/// |---|---|
/// | `${seq}` | the number of the message, counted from 0 after each reset |
/// | `${NAME}` | what `[captures]` has remembered under this name |
/// | `${crc16-modbus}` | the checksum of all that stands before it, see [`Checksum`] |
/// | `${data}`, `${length}` | in `[frame]`: the message itself, and how many bytes it has |
///
/// A number may be counted on, `${seq+1}`, and come as its complement, `${~seq+1}` or
/// `${-sum8}`. How it is written stands behind a colon: `u8`, `u16`, `u24`, `u32`, the last three
/// also low byte first, `u16le`; `dec`; `hex`, with as many digits as it has bytes. Between hex
/// digits a number is a `u8` and a checksum as it is on the wire; in text they are `dec` and `hex`.
/// All other dollar signs are sent as they are, and `${$}` is one.
///
/// ```toml
/// [frame]                      # around what the inputs send
/// hex = "1b ${seq} ${length:u16} 0e ${data} ${xor8}"
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    data: Template,
    frame: Option<Arc<Template>>,
}

/// What is known only when a message is sent. All of it starts anew with a reset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// How many messages were sent that bear a number.
    pub sequence: u32,
    /// What was captured, in the order of `[captures]`.
    pub captures: Vec<Vec<u8>>,
}

/// Bytes with gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Bytes(Vec<u8>),
    Capture(usize),
    Data,
    Number { source: Source, complement: Complement, plus: u32, format: Format },
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Sequence,
    /// That of the data in a frame.
    Length,
    /// Of all that stands before.
    Checksum(Checksum),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Complement {
    None,
    /// `~`
    Ones,
    /// `-`
    Twos,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Binary { size: usize, low_first: bool },
    Decimal,
    Hex { digits: usize },
}

/// How the text around the gaps is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    Text,
    Hex,
}

impl Message {
    /// The bytes of the message, which is sent now: if it bears a number, the next one that does
    /// has the next number.
    pub fn send(&self, variables: &mut Variables) -> Vec<u8> {
        let data = self.data.fill(variables, &[]);
        let is_numbered = |template: &Template| template.is_numbered();
        let numbered = is_numbered(&self.data) || self.frame.as_deref().is_some_and(is_numbered);
        let bytes = match &self.frame {
            Some(frame) => frame.fill(variables, &data),
            None => data,
        };
        variables.sequence = variables.sequence.wrapping_add(u32::from(numbered));
        bytes
    }

    /// Takes what `fields` say is sent: the bytes of `send`, `text`, `hex` and `file`, of which
    /// there should be one.
    pub(super) fn take_all(
        fields: &mut Fields<'_>,
        scope: &Scope<'_>,
        framed: bool,
    ) -> Result<Vec<Self>, Fault> {
        let mut templates = Vec::new();
        for key in ["send", "text"] {
            if let Some(field) = fields.field(key) {
                templates.push(Template::text(&field, scope)?);
            }
        }
        if let Some(field) = fields.field("hex") {
            templates.push(Template::hex(&field, scope)?);
        }
        if let Some(field) = fields.field("file") {
            let bytes = bytes::file(&field, scope.folder)?;
            templates.push(Template(vec![Part::Bytes(bytes)]));
        }
        if templates.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(checksum) = fields.take::<Checksum>("append")? {
            for template in &mut templates {
                template.0.push(Part::checksum(checksum));
            }
        }
        let frame = match &scope.frame {
            Some(frame) if fields.take("frame")?.unwrap_or(framed) => Some(Arc::clone(frame)),
            _ => None,
        };
        let message = |data| Self { data, frame: frame.clone() };
        Ok(templates.into_iter().map(message).collect())
    }

    /// The message that is this text, as an input.
    pub(super) fn text(field: &Field<'_>, scope: &Scope<'_>) -> Result<Self, Fault> {
        Ok(Self { data: Template::text(field, scope)?, frame: scope.frame.clone() })
    }
}

/// The text with which a file says that this is sent as it is.
pub fn message_text(sent: &str) -> String {
    sent.replace("${", "${$}{")
}

/// Reads `[frame]`.
pub(super) fn read_frame(mut fields: Fields<'_>, scope: &Scope<'_>) -> Result<Template, Fault> {
    let scope = &Scope { in_frame: true, ..scope.clone() };
    let mut templates = Vec::new();
    if let Some(field) = fields.field("text") {
        templates.push(Template::text(&field, scope)?);
    }
    if let Some(field) = fields.field("hex") {
        templates.push(Template::hex(&field, scope)?);
    }
    let place = fields.place();
    fields.finish()?;
    let example = "write it like hex = \"02 ${length} ${data} ${xor8}\", or as `text`";
    let [template] = <[Template; 1]>::try_from(templates).map_err(|_| {
        let message = "[frame] is either text or hex digits";
        Fault::new(place.clone(), message, "not one of them").help(example)
    })?;
    if !template.0.contains(&Part::Data) {
        let message = "[frame] must say where the message itself is";
        return Err(Fault::new(place, message, "there is no `${data}`").help(example));
    }
    Ok(template)
}

impl Template {
    fn text(field: &Field<'_>, scope: &Scope<'_>) -> Result<Self, Fault> {
        Self::parse(field, scope, Notation::Text)
    }

    fn hex(field: &Field<'_>, scope: &Scope<'_>) -> Result<Self, Fault> {
        Self::parse(field, scope, Notation::Hex)
    }

    fn parse(field: &Field<'_>, scope: &Scope<'_>, notation: Notation) -> Result<Self, Fault> {
        let literal = |text: &str| match notation {
            Notation::Text => bytes::text(field, text),
            Notation::Hex => bytes::hex(field, text),
        };
        let mut parts = Vec::new();
        let mut rest = <&str>::read(field)?;
        if rest.is_empty() {
            return Err(field
                .fault("there is nothing to send", "empty text")
                .help("to let time pass, write { wait_ms = 500 }"));
        }
        while let Some((before, after)) = rest.split_once("${") {
            parts.push(Part::Bytes(literal(before)?));
            let (gap, after) = after.split_once('}').ok_or_else(|| {
                field
                    .fault("`${` without its `}`", "where does it end?")
                    .help("to send a dollar sign before a brace, write ${$}{")
            })?;
            parts.push(Part::parse(gap, field, scope, notation)?);
            rest = after;
        }
        parts.push(Part::Bytes(literal(rest)?));
        parts.retain(|part| !matches!(part, Part::Bytes(bytes) if bytes.is_empty()));
        if parts.is_empty() {
            return Err(field.fault("there is nothing to send", "no hex digits"));
        }
        Ok(Self(parts))
    }

    fn is_numbered(&self) -> bool {
        let numbered = |part: &Part| matches!(part, Part::Number { source: Source::Sequence, .. });
        self.0.iter().any(numbered)
    }

    fn fill(&self, variables: &Variables, data: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        for part in &self.0 {
            match part {
                Part::Bytes(bytes) => all.extend_from_slice(bytes),
                Part::Data => all.extend_from_slice(data),
                Part::Capture(index) => {
                    all.extend_from_slice(
                        variables.captures.get(*index).map_or(&[], Vec::as_slice),
                    );
                }
                Part::Number { source, complement, plus, format } => {
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

impl Part {
    /// A checksum as it is on the wire.
    fn checksum(checksum: Checksum) -> Self {
        let format = Format::Binary { size: checksum.size(), low_first: checksum.is_low_first() };
        let source = Source::Checksum(checksum);
        Self::Number { source, complement: Complement::None, plus: 0, format }
    }

    /// Reads what stands between `${` and `}`.
    fn parse(
        gap: &str,
        field: &Field<'_>,
        scope: &Scope<'_>,
        notation: Notation,
    ) -> Result<Self, Fault> {
        let unknown = |name: &str| {
            let nearest = scope.nearest(name).unwrap_or_else(|| Checksum::nearest(name).to_owned());
            let label = format!("did you mean `{nearest}`?");
            field.fault(format!("nothing is called `${{{name}}}`"), label).help(
                "it may be `seq`, a name in [captures], a checksum, and in [frame] `length` or \
                 `data`. To send a dollar sign before a brace, write ${$}{",
            )
        };
        match gap {
            "$" => return Ok(Self::Bytes(b"$".to_vec())),
            "data" if scope.in_frame => return Ok(Self::Data),
            _ => {}
        }
        if let Some(index) = scope.captures.iter().position(|capture| capture == gap) {
            return Ok(Self::Capture(index));
        }
        let (number, format) = match gap.split_once(':') {
            Some((number, format)) => (number, Some(format)),
            None => (gap, None),
        };
        let (complement, number) = match number.split_at_checked(1) {
            Some(("~", number)) => (Complement::Ones, number),
            Some(("-", number)) => (Complement::Twos, number),
            _ => (Complement::None, number),
        };
        let (name, plus) = match number.split_once('+') {
            Some((name, plus)) => (name, plus.parse().map_err(|_| unknown(number))?),
            None => (number, 0),
        };
        let source = match name {
            "seq" => Source::Sequence,
            "length" if scope.in_frame => Source::Length,
            "length" | "data" => {
                let message = format!("`${{{name}}}` belongs into [frame]");
                return Err(field.fault(message, "there is no frame around this").help(
                    "[frame] says what is put around all that the inputs send: \
                     hex = \"02 ${length} ${data} ${xor8}\"",
                ));
            }
            _ => Source::Checksum(Checksum::find(name).ok_or_else(|| unknown(name))?),
        };
        let format = match format {
            Some(format) => Format::parse(format, source).ok_or_else(|| {
                let message = format!("`{format}` is no way to write a number");
                field.fault(message, "unknown format").help(
                    "one of u8, u16, u24, u32, u16le, u24le, u32le, dec and hex; hex has as many \
                     digits as the number has bytes, and hex4 has four",
                )
            })?,
            None => Format::usual(source, notation),
        };
        Ok(Self::Number { source, complement, plus, format })
    }
}

impl Complement {
    fn of(self, number: u32) -> u32 {
        match self {
            Self::None => number,
            Self::Ones => !number,
            Self::Twos => number.wrapping_neg(),
        }
    }
}

impl Format {
    fn parse(text: &str, source: Source) -> Option<Self> {
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

    /// How a number is written unless the file says otherwise.
    fn usual(source: Source, notation: Notation) -> Self {
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
    /// The bits that it can have.
    fn mask(self) -> u32 {
        match self {
            Self::Checksum(checksum) => u32::MAX >> (32 - 8 * checksum.size()),
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
