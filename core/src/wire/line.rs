//! The settings of a serial line.

use core::fmt;

use serde::{Deserialize, Serialize};

/// The baud rate of a serial line, and the format of its characters.
///
/// ```
/// use mealybug_core::wire::line::{LineSettings, Parity};
///
/// assert_eq!(LineSettings::default().to_string(), "115200 8N1");
/// let modbus = LineSettings { baud: 19_200, parity: Parity::Even, ..LineSettings::default() };
/// assert_eq!(modbus.to_string(), "19200 8E1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LineSettings {
    /// Bits per second.
    pub baud: u32,
    /// Data bits of a character: 5 to 8.
    pub data_bits: u8,
    /// The parity bit.
    pub parity: Parity,
    /// Stop bits of a character: 1 or 2.
    pub stop_bits: u8,
}

/// The parity bit of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Parity {
    /// There is none.
    None,
    /// The number of ones is even.
    Even,
    /// The number of ones is odd.
    Odd,
}

impl LineSettings {
    /// 115 200 baud, 8 data bits, no parity, 1 stop bit: what a device file says that says nothing.
    pub const DEFAULT: Self =
        Self { baud: 115_200, data_bits: 8, parity: Parity::None, stop_bits: 1 };
}

impl Default for LineSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for LineSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { baud, data_bits, parity, stop_bits } = self;
        let parity = match parity {
            Parity::None => 'N',
            Parity::Even => 'E',
            Parity::Odd => 'O',
        };
        write!(f, "{baud} {data_bits}{parity}{stop_bits}")
    }
}
