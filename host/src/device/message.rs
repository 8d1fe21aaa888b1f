//! Messages: bytes with gaps that are filled when the message is sent.

use std::sync::Arc;

use super::bytes;
use super::checksum::Checksum;
use super::error::FileFault;
use super::fields::{Fields, TomlField, Value};
use super::frame::FrameTemplate;
use super::scope::FileScope;
use super::template::{
    Complement, MessagePart, Notation, NumberFormat, Source, Template, Variables,
};

/// A message to the device.
///
/// In text and between hex digits, `${…}` stands for a value that is only known when it is sent:
///
/// | | |
/// |---|---|
/// | `${seq}` | the number of the message, counted from 0 after each reset |
/// | `${NAME}` | what `[captures]` stored under this name |
/// | `${crc16-modbus}` | the checksum of everything before it, see [`Checksum`] |
/// | `${data}`, `${length}` | in `[frame]`: the message itself, and its number of bytes |
///
/// A number may have an offset, `${seq+1}` or `${length-1}`, and may be complemented: `${~seq+1}`, `${-sum8}`. Its
/// format follows a colon: `u8`; `u16`, `u24` and `u32`, high byte first; `u16le`, `u24le` and
/// `u32le`, low byte first; `dec`; `hex`, with two digits for each byte. Without a format, a number
/// between hex digits is a `u8` and a checksum has its byte order on the wire; in text they are
/// `dec` and `hex`. Any other dollar sign is sent as it is; `${$}` is a dollar sign, too.
///
/// ```toml
/// [frame]                      # around what the inputs send
/// hex = "1b ${seq} ${length:u16} 0e ${data} ${xor8}"
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTemplate {
    data: Template,
    frame: Option<Arc<FrameTemplate>>,
}

impl MessageTemplate {
    /// The bytes of the message. A message that contains `${seq}` takes the next sequence number.
    pub fn send(&self, variables: &mut Variables) -> Vec<u8> {
        let data = self.data.fill(variables, &[]);
        let is_numbered = |template: &Template| template.is_numbered();
        let numbered = is_numbered(&self.data)
            || self.frame.as_ref().is_some_and(|frame| is_numbered(&frame.template));
        let bytes = match &self.frame {
            Some(frame) => frame.fill(variables, &data),
            None => data,
        };
        variables.sequence = variables.sequence.wrapping_add(u32::from(numbered));
        bytes
    }

    /// Takes the keys that say what is sent: `send`, `text`, `hex` and `file`. There should be
    /// exactly one of them.
    pub(super) fn take_all(
        fields: &mut Fields<'_>,
        scope: &FileScope<'_>,
        framed: bool,
    ) -> Result<Vec<Self>, FileFault> {
        let mut templates = Vec::new();
        for key in ["send", "text"] {
            if let Some(field) = fields.field(key) {
                templates.push(parse(&field, scope, Notation::Text)?);
            }
        }
        if let Some(field) = fields.field("hex") {
            templates.push(parse(&field, scope, Notation::Hex)?);
        }
        if let Some(field) = fields.field("file") {
            let bytes = bytes::file(&field, scope)?;
            templates.push(Template(vec![MessagePart::Bytes(bytes)]));
        }
        if templates.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(checksum) = fields.take::<Checksum>("append")? {
            for template in &mut templates {
                template.0.push(MessagePart::checksum(checksum));
            }
        }
        let frame = match &scope.frame {
            Some(frame) if fields.take("frame")?.unwrap_or(framed) => Some(Arc::clone(frame)),
            _ => None,
        };
        let message = |data| Self { data, frame: frame.clone() };
        Ok(templates.into_iter().map(message).collect())
    }

    /// Reads `text` as the message of an input.
    pub(super) fn text(field: &TomlField<'_>, scope: &FileScope<'_>) -> Result<Self, FileFault> {
        Ok(Self { data: parse(field, scope, Notation::Text)?, frame: scope.frame.clone() })
    }
}

/// Writes `sent` so that a device file sends it literally.
pub fn message_text(sent: &str) -> String {
    sent.replace("${", "${$}{")
}

/// Reads `[frame]`.
pub(super) fn read_frame(
    mut fields: Fields<'_>,
    scope: &FileScope<'_>,
) -> Result<FrameTemplate, FileFault> {
    let scope = &FileScope { in_frame: true, ..scope.clone() };
    let stuffing = fields.take("stuffing")?;
    let mut templates = Vec::new();
    if let Some(field) = fields.field("text") {
        templates.push(parse(&field, scope, Notation::Text)?);
    }
    if let Some(field) = fields.field("hex") {
        templates.push(parse(&field, scope, Notation::Hex)?);
    }
    let place = fields.place();
    fields.finish()?;
    if stuffing.is_some() && templates.is_empty() {
        templates.push(Template(vec![MessagePart::Data]));
    }
    let example = "write it like hex = \"02 ${length} ${data} ${xor8}\", or as `text`";
    let [template] = <[Template; 1]>::try_from(templates).map_err(|_| {
        let message = "[frame] is either text or hex digits";
        FileFault::new(place.clone(), message, "not one of them").help(example)
    })?;
    if !template.0.contains(&MessagePart::Data) {
        let message = "[frame] must say where the message itself is";
        return Err(FileFault::new(place, message, "there is no `${data}`").help(example));
    }
    Ok(FrameTemplate { template, stuffing })
}

/// Reads a template.
fn parse(
    field: &TomlField<'_>,
    scope: &FileScope<'_>,
    notation: Notation,
) -> Result<Template, FileFault> {
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
        parts.push(MessagePart::Bytes(literal(before)?));
        let (gap, after) = after.split_once('}').ok_or_else(|| {
            field
                .fault("`${` without its `}`", "where does it end?")
                .help("to send a dollar sign before a brace, write ${$}{")
        })?;
        parts.push(parse_gap(gap, field, scope, notation)?);
        rest = after;
    }
    parts.push(MessagePart::Bytes(literal(rest)?));
    parts.retain(|part| !matches!(part, MessagePart::Bytes(bytes) if bytes.is_empty()));
    if parts.is_empty() {
        return Err(field.fault("there is nothing to send", "no hex digits"));
    }
    Ok(Template(parts))
}

/// Reads what stands between `${` and `}`.
fn parse_gap(
    gap: &str,
    field: &TomlField<'_>,
    scope: &FileScope<'_>,
    notation: Notation,
) -> Result<MessagePart, FileFault> {
    let unknown = |name: &str| {
        let label = match scope.nearest(name) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "unknown name".to_owned(),
        };
        field.fault(format!("nothing is called `${{{name}}}`"), label).help(
            "it may be `seq`, a name in [captures], a checksum, and in [frame] `length` or \
             `data`. To send a dollar sign before a brace, write ${$}{",
        )
    };
    match gap {
        "$" => return Ok(MessagePart::Bytes(b"$".to_vec())),
        "data" if scope.in_frame => return Ok(MessagePart::Data),
        _ => {}
    }
    if let Some(index) = scope.captures.iter().position(|capture| capture == gap) {
        return Ok(MessagePart::Capture(index));
    }
    let (number, format) = match gap.split_once(':') {
        Some((number, format)) => (number, Some(format)),
        None => (gap, None),
    };
    let (complement, number) = Complement::split(number);
    let (name, plus) = counted_on(number).ok_or_else(|| unknown(number))?;
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
        Some(format) => NumberFormat::parse(format, source).ok_or_else(|| {
            let message = format!("`{format}` is no way to write a number");
            field.fault(message, "unknown format").help(
                "one of u8, u16, u24, u32, u16le, u24le, u32le, dec and hex; hex has as many \
                 digits as the number has bytes, and hex4 has four",
            )
        })?,
        None => NumberFormat::usual(source, notation),
    };
    Ok(MessagePart::Number { source, complement, plus, format })
}

/// A number's name, and what is added to it: `seq+1`, `length-1`. The name of a checksum may end with a number, too.
fn counted_on(number: &str) -> Option<(&str, u32)> {
    if let Some((name, plus)) = number.split_once('+') {
        return Some((name, plus.parse().ok()?));
    }
    let minus = number.rsplit_once('-').filter(|_| Checksum::find(number).is_none());
    let minus = minus.and_then(|(name, minus)| Some((name, minus.parse::<u32>().ok()?)));
    Some(minus.map_or((number, 0), |(name, minus)| (name, minus.wrapping_neg())))
}
