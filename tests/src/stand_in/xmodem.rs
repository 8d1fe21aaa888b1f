//! An XMODEM receiver with CRC: it asks for the first block again and again, acknowledges blocks,
//! and must hear the end of the transmission twice.

use std::time::Duration;

use super::{Line, StandIn};

const SOH: u8 = 0x01;
const EOT: u8 = 0x04;
const ACK: u8 = 0x06;
const NAK: u8 = 0x15;
const CAN: u8 = 0x18;

/// How often the receiver asks for the first block.
const ASKING: Duration = Duration::from_millis(40);
/// How many bad blocks in a row make it give up.
const ERRORS: u32 = 2;
/// SOH, the number of the block, its complement, 128 bytes, CRC.
const BLOCK: usize = 133;

/// The receiver; each reset starts a new one.
#[derive(Debug, Default)]
pub struct Xmodem {
    phase: TransferPhase,
    /// The received bytes of the current block.
    block: Vec<u8>,
    /// The number of the last good block.
    number: u8,
    errors: u32,
    /// Whether the last byte was a CAN, or an EOT.
    cancelling: bool,
    ending: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TransferPhase {
    #[default]
    Asking,
    Receiving,
    Over,
}

impl StandIn for Xmodem {
    fn power_on(&mut self, line: &mut Line) {
        *self = Self::default();
        line.say("C");
        line.alarm_in(ASKING);
    }

    fn alarm(&mut self, line: &mut Line) {
        if self.phase == TransferPhase::Asking {
            line.say("C");
            line.alarm_in(ASKING);
        }
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        if self.phase == TransferPhase::Over {
            return;
        }
        if !self.block.is_empty() || byte == SOH {
            self.block.push(byte);
            if self.block.len() == BLOCK {
                let block = std::mem::take(&mut self.block);
                (self.cancelling, self.ending) = (false, false);
                self.take(&block, line);
            }
            return;
        }
        match byte {
            CAN if self.cancelling => {
                self.phase = TransferPhase::Over;
                line.say([ACK]);
            }
            // The first EOT may be noise.
            EOT if !self.ending => line.say([NAK]),
            EOT => {
                self.phase = TransferPhase::Over;
                line.say([ACK]);
            }
            _ => {}
        }
        (self.cancelling, self.ending) = (byte == CAN, byte == EOT);
    }
}

impl Xmodem {
    fn take(&mut self, block: &[u8], line: &mut Line) {
        let (number, complement) = (block[1], block[2]);
        let is_good = number == !complement && crc16(&block[3..]) == 0;
        if !is_good {
            self.errors += 1;
            if self.errors == ERRORS {
                self.phase = TransferPhase::Over;
                return line.say([CAN, CAN]);
            }
            return line.say([NAK]);
        }
        self.errors = 0;
        self.phase = TransferPhase::Receiving;
        if number == self.number.wrapping_add(1) {
            self.number = number;
            line.say([ACK]);
        } else if number == self.number {
            // The sender missed our ACK.
            line.say([ACK]);
        } else {
            self.phase = TransferPhase::Over;
            line.say([CAN, CAN]);
        }
    }
}

/// Zero over a message followed by its CRC.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| match crc & 0x8000 {
            0 => crc << 1,
            _ => crc << 1 ^ 0x1021,
        })
    })
}
