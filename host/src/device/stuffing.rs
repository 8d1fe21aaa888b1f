//! Byte stuffing: how a frame keeps its end mark out of its contents.

use std::borrow::Cow;

use super::error::FileFault;
use super::fields::{TomlField, Value};

/// How frames are told apart on the line.
///
/// ```toml
/// [frame]
/// stuffing = "hdlc"
/// text = "${data}${crc16-ibm-sdlc:u16le}"   # inside the stuffing; optional
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuffing {
    /// SLIP (RFC 1055): frames between two `c0`; `db dc` and `db dd` stand for `c0` and `db`.
    Slip,
    /// HDLC on lines of bytes, as in PPP (RFC 1662): frames between two `7e`; `7d` comes before a byte whose bit
    /// `20` is changed.
    Hdlc,
    /// Consistent overhead byte stuffing (Cheshire and Baker, 1999): `00` ends a frame.
    Cobs,
}

/// What a part of a stuffed stream contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unstuffed {
    /// What each frame contains, with as much as there is of the last one. Frames without contents, such as idle marks, are
    /// left out.
    pub frames: Vec<Vec<u8>>,
    /// Whether the last one has no end yet.
    pub is_open: bool,
    /// What is wrong with one of them.
    pub fault: Option<&'static str>,
}

impl Stuffing {
    /// A frame with these contents.
    pub fn stuff(self, contents: &[u8]) -> Vec<u8> {
        let escaped = |mark: u8, escape: u8, change: fn(u8) -> u8| {
            let escaped = contents.iter().flat_map(|&byte| {
                let is_special = byte == mark || byte == escape;
                is_special.then_some(escape).into_iter().chain([if is_special {
                    change(byte)
                } else {
                    byte
                }])
            });
            [mark].into_iter().chain(escaped).chain([mark]).collect()
        };
        match self {
            Self::Slip => escaped(0xc0, 0xdb, |byte| if byte == 0xc0 { 0xdc } else { 0xdd }),
            Self::Hdlc => escaped(0x7e, 0x7d, |byte| byte ^ 0x20),
            Self::Cobs => {
                let mut frame = cobs::encode_vec(contents);
                frame.push(0);
                frame
            }
        }
    }

    /// What a part of a stream contains that begins where a frame may begin.
    pub fn unstuff(self, stream: &[u8]) -> Unstuffed {
        let mut all = Unstuffed::default();
        let mark = match self {
            Self::Slip => 0xc0,
            Self::Hdlc => 0x7e,
            Self::Cobs => 0,
        };
        let mut parts = stream.split(|byte| *byte == mark).peekable();
        while let Some(part) = parts.next() {
            if part.is_empty() {
                continue;
            }
            let (contents, fault) = match self {
                Self::Slip => unescape(part, 0xdb, |byte| match byte {
                    0xdc => Some(0xc0),
                    0xdd => Some(0xdb),
                    _ => None,
                }),
                Self::Hdlc => unescape(part, 0x7d, |byte| Some(byte ^ 0x20)),
                Self::Cobs => match cobs::decode_vec(part) {
                    Ok(contents) => (contents, None),
                    Err(_) => (part.to_vec(), Some("it is no COBS")),
                },
            };
            all.frames.push(contents);
            all.is_open = parts.peek().is_none();
            all.fault = all.fault.or(fault.filter(|_| !all.is_open));
        }
        all
    }

    /// What a part of a stream contains, or the stream itself where nothing is stuffed.
    pub(crate) fn contents(stuffing: Option<Self>, stream: &[u8]) -> Cow<'_, [u8]> {
        stuffing.map_or(Cow::Borrowed(stream), |stuffing| {
            stuffing.unstuff(stream).frames.concat().into()
        })
    }
}

/// Takes escapes back, and says what is wrong with one.
fn unescape(
    part: &[u8],
    escape: u8,
    change: impl Fn(u8) -> Option<u8>,
) -> (Vec<u8>, Option<&'static str>) {
    let mut contents = Vec::with_capacity(part.len());
    let mut fault = None;
    let mut bytes = part.iter();
    while let Some(&byte) = bytes.next() {
        if byte != escape {
            contents.push(byte);
        } else if let Some(byte) = bytes.next().and_then(|byte| change(*byte)) {
            contents.push(byte);
        } else {
            fault = Some("it has an escape that means nothing");
        }
    }
    (contents, fault)
}

impl<'t> Value<'t> for Stuffing {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match <&str>::read(field)? {
            "slip" => Ok(Self::Slip),
            "hdlc" => Ok(Self::Hdlc),
            "cobs" => Ok(Self::Cobs),
            other => Err(field
                .fault(format!("`{other}` is not a kind of byte stuffing"), "unknown kind")
                .help("one of `slip`, `hdlc`, `cobs`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Stuffing; 3] = [Stuffing::Slip, Stuffing::Hdlc, Stuffing::Cobs];

    #[test]
    fn frames_look_as_their_documents_say() {
        let contents = [1, 0xc0, 0xdb, 0x7e, 0x7d, 0];
        let [slip, hdlc, cobs] = ALL.map(|stuffing| stuffing.stuff(&contents));
        assert_eq!(slip, [0xc0, 1, 0xdb, 0xdc, 0xdb, 0xdd, 0x7e, 0x7d, 0, 0xc0]);
        assert_eq!(hdlc, [0x7e, 1, 0xc0, 0xdb, 0x7d, 0x5e, 0x7d, 0x5d, 0, 0x7e]);
        assert_eq!(cobs, [6, 1, 0xc0, 0xdb, 0x7e, 0x7d, 1, 0]);
    }

    #[test]
    fn what_is_stuffed_comes_back() {
        for stuffing in ALL {
            for len in [1, 2, 253, 254, 255, 600] {
                let contents: Vec<u8> = (0..len).map(|at: u32| at.to_le_bytes()[0]).collect();
                for contents in [contents, vec![0; 5], vec![0xdb; 7], vec![0x7d, 0x5e]] {
                    let mut stream = stuffing.stuff(&contents);
                    assert_eq!(
                        stuffing.unstuff(&stream),
                        Unstuffed { frames: vec![contents.clone()], ..Unstuffed::default() }
                    );
                    stream.extend(stuffing.stuff(b"two"));
                    let both = stuffing.unstuff(&stream);
                    assert_eq!(both.frames, [&contents[..], b"two"], "{stuffing:?}");
                    // Without its last byte the second frame is open.
                    stream.pop();
                    let open = stuffing.unstuff(&stream);
                    assert_eq!((open.frames.len(), open.is_open, open.fault), (2, true, None));
                }
            }
        }
    }

    #[test]
    fn marks_between_frames_are_nothing() {
        for (stuffing, idle) in
            [(Stuffing::Slip, 0xc0), (Stuffing::Hdlc, 0x7e), (Stuffing::Cobs, 0)]
        {
            assert_eq!(stuffing.unstuff(&[idle; 4]), Unstuffed::default());
        }
    }

    #[test]
    fn wrong_escapes_are_faults() {
        let faults = [
            (Stuffing::Slip, &[0xc0, 1, 0xdb, 2, 0xc0][..], "it has an escape that means nothing"),
            (Stuffing::Slip, &[0xc0, 1, 0xdb, 0xc0], "it has an escape that means nothing"),
            // An aborted frame.
            (Stuffing::Hdlc, &[0x7e, 1, 0x7d, 0x7e], "it has an escape that means nothing"),
            (Stuffing::Cobs, &[9, 1, 0], "it is no COBS"),
        ];
        for (stuffing, stream, fault) in faults {
            assert_eq!(stuffing.unstuff(stream).fault, Some(fault), "{stuffing:?} {stream:x?}");
        }
    }
}
