//! A Modbus RTU slave (MODBUS over serial line V1.02): registers behind a lock, exceptions, and
//! the listen-only mode.

use std::time::Duration;

use super::{Line, StandIn};

const SLAVE: u8 = 0x11;
/// A frame ends after this silence. At 19200 baud it would be 1.75 ms.
const GAP: Duration = Duration::from_millis(2);

const ILLEGAL_FUNCTION: u8 = 1;
const ILLEGAL_ADDRESS: u8 = 2;
const DEVICE_FAILURE: u8 = 4;

/// The slave. Register 0 is a set point, writable while register 16 holds 0x55aa.
#[derive(Clone, Debug, Default)]
pub struct Modbus {
    frame: Vec<u8>,
    set_point: u16,
    is_unlocked: bool,
    only_listens: bool,
    /// The number of frames with a wrong CRC, in register 32; nothing resets it.
    bad_frames: u16,
}

impl StandIn for Modbus {
    fn power_on(&mut self, _: &mut Line) {
        *self = Self::default();
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        self.frame.push(byte);
        line.alarm_in(GAP);
    }

    fn alarm(&mut self, line: &mut Line) {
        let frame = std::mem::take(&mut self.frame);
        let Some((request, crc)) = frame.split_last_chunk::<2>() else { return };
        if *crc != crc16(request).to_le_bytes() {
            self.bad_frames += 1;
            return;
        }
        let [address, function, data @ ..] = request else { return };
        if *address != SLAVE {
            return;
        }
        let only_listened = self.only_listens;
        let mut reply = vec![SLAVE];
        match self.request(*function, data) {
            Ok(answer) => {
                reply.push(*function);
                reply.extend(answer);
            }
            Err(exception) => reply.extend([function | 0x80, exception]),
        }
        if only_listened || self.only_listens {
            return;
        }
        reply.extend(crc16(&reply).to_le_bytes());
        line.say(reply);
    }
}

impl Modbus {
    fn request(&mut self, function: u8, data: &[u8]) -> Result<Vec<u8>, u8> {
        let words: Vec<_> =
            data.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        match (function, words.as_slice()) {
            // Diagnostics: restart communications, force listen only.
            (8, [1, _]) => {
                *self = Self { bad_frames: self.bad_frames, ..Self::default() };
                Ok(data.to_vec())
            }
            _ if self.only_listens => Ok(Vec::new()),
            (8, [4, _]) => {
                self.only_listens = true;
                Ok(Vec::new())
            }
            (3, &[register, count @ 1..=2]) => {
                let mut answer = vec![u8::try_from(2 * count).unwrap_or(0)];
                for register in register..register + count {
                    answer.extend(self.register(register).ok_or(ILLEGAL_ADDRESS)?.to_be_bytes());
                }
                Ok(answer)
            }
            (6, &[0, _]) if !self.is_unlocked => Err(DEVICE_FAILURE),
            (6, &[0, value]) => {
                self.set_point = value;
                Ok(data.to_vec())
            }
            (6, &[16, value]) => {
                self.is_unlocked = value == 0x55aa;
                Ok(data.to_vec())
            }
            (3 | 6, [_, _]) => Err(ILLEGAL_ADDRESS),
            _ => Err(ILLEGAL_FUNCTION),
        }
    }

    fn register(&self, register: u16) -> Option<u16> {
        match register {
            0 => Some(self.set_point),
            1 => Some(u16::from(self.is_unlocked)),
            32 => Some(self.bad_frames),
            _ => None,
        }
    }
}

/// As in appendix B of the standard: bit by bit.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| match crc & 1 {
            0 => crc >> 1,
            _ => crc >> 1 ^ 0xa001,
        })
    })
}
