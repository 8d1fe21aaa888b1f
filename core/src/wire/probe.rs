//! How a target probes a device on pins and buses. A host makes these rules from a device file with
//! `[probe]`; they name what the program of the board offers.
//!
//! Each [`ProbeRule`] travels in a [`Rule::Probe`](super::rule::Rule::Probe). A target keeps their bytes one
//! after the other, and carries out the steps of an input as they stand there.
//!
//! # Outputs
//!
//! The output of an input is a text: what its steps see, and then the levels of the sensed pins, with
//! blanks in between. It is `ok` if nothing is seen.
//!
//! | seen by | text |
//! |---|---|
//! | [`ProbeStep::I2c`], [`ProbeStep::Spi`] | the bytes that came, `1f 00`; `ok` for none; `nack` if nobody acknowledged on I2C |
//! | [`ProbeStep::Voltage`], [`ProbeStep::Edges`] | the number, or the name of its [`ProbeStep::Level`] |
//! | [`ProbeRule::Sense`] | `0b01`: a digit for each pin, in the order of the rules |

use serde::{Deserialize, Serialize};

/// The most bytes of rules that a target has room for.
pub const MAX_PROBE_BYTES: usize = 1024;

/// The most bytes of a [`ProbeRule`].
pub const MAX_PROBE_RULE: usize = 192;

/// The most bytes of one read or transfer on a bus.
pub const MAX_BUS_BYTES: usize = 16;

/// The most pins that are sensed.
pub const MAX_SENSED: usize = 32;

/// The most bytes of an output.
pub const MAX_SEEN: usize = 63;

/// A rule. Rules of a kind keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeRule<'a> {
    /// How the sensed pins are read.
    Settle {
        /// How long to wait after the last step of an input.
        settle_us: u32,
        /// How long no level may change then; 0 for one reading.
        debounce_us: u32,
    },
    /// The next pin that is read after each input.
    Sense(&'a [u8]),
    /// How the device is reset. The steps follow.
    Reset,
    /// The next input, by its name. The steps follow.
    Input(&'a [u8]),
    /// The next step of the reset or of the last input.
    Step(ProbeStep<'a>),
}

/// A step of an input or of the reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeStep<'a> {
    /// Wait.
    Wait {
        /// How long.
        ms: u32,
    },
    /// Set a pin to its active level, and then back to rest.
    Pulse {
        /// The pin.
        pin: &'a [u8],
        /// How long it is active.
        ms: u32,
    },
    /// Set a pin.
    Set {
        /// The pin.
        pin: &'a [u8],
        /// Whether it is set to its active level; otherwise to rest.
        is_active: bool,
    },
    /// Write to a device on an I2C bus, then read after a repeated start.
    I2c {
        /// The bus.
        bus: &'a [u8],
        /// The seven-bit address of the device.
        address: u8,
        /// The bytes to write; with none, it only reads.
        write: &'a [u8],
        /// The number of bytes to read, at most [`MAX_BUS_BYTES`]; with 0, it only writes.
        read: u8,
    },
    /// A transfer on an SPI bus, during which the device stays selected.
    Spi {
        /// The device on its bus.
        device: &'a [u8],
        /// The bytes to send, at most [`MAX_BUS_BYTES`].
        send: &'a [u8],
        /// Number of bytes that come back first and are not seen.
        skip: u8,
    },
    /// Measure a voltage, in millivolts.
    Voltage {
        /// The analog input.
        input: &'a [u8],
    },
    /// Begin to count the edges of a signal.
    Count {
        /// The counter.
        counter: &'a [u8],
    },
    /// See the number of edges since [`ProbeStep::Count`].
    Edges {
        /// The counter.
        counter: &'a [u8],
    },
    /// The name of what the last step measured, if that is at least `from`. Of several, the last one counts.
    Level {
        /// The least number with this name.
        from: u32,
        /// The name.
        name: &'a [u8],
    },
}

/// What the program of a board can offer to rules by a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum OfferKind {
    /// A pin to the device.
    Drive,
    /// A pin from the device.
    Sense,
    /// An I2C bus.
    I2c,
    /// A device on an SPI bus.
    Spi,
    /// An analog input.
    Analog,
    /// A counter of edges.
    Edges,
}

impl<'a> ProbeRule<'a> {
    /// The bytes of a rule; `None` if it has more than [`MAX_PROBE_RULE`].
    pub fn encode<'b>(&self, room: &'b mut [u8; MAX_PROBE_RULE]) -> Option<&'b [u8]> {
        postcard::to_slice(self, room).ok().map(|bytes| &*bytes)
    }

    /// The first rule of these bytes, and the bytes after it; `None` if there is none.
    pub fn first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        postcard::take_from_bytes(bytes).ok()
    }

    /// What the board must offer for this rule, if anything.
    pub fn needs(&self) -> Option<(OfferKind, &'a [u8])> {
        match *self {
            Self::Sense(pin) => Some((OfferKind::Sense, pin)),
            Self::Step(step) => step.needs(),
            Self::Settle { .. } | Self::Reset | Self::Input(_) => None,
        }
    }
}

impl<'a> ProbeStep<'a> {
    fn needs(&self) -> Option<(OfferKind, &'a [u8])> {
        match *self {
            Self::Pulse { pin, .. } | Self::Set { pin, .. } => Some((OfferKind::Drive, pin)),
            Self::I2c { bus, .. } => Some((OfferKind::I2c, bus)),
            Self::Spi { device, .. } => Some((OfferKind::Spi, device)),
            Self::Voltage { input } => Some((OfferKind::Analog, input)),
            Self::Count { counter } | Self::Edges { counter } => Some((OfferKind::Edges, counter)),
            Self::Wait { .. } | Self::Level { .. } => None,
        }
    }
}
