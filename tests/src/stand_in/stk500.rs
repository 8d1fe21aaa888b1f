//! A boot loader that speaks STK500 version 2 (Atmel AVR068): frames with numbers, lengths and
//! checksums; some commands work only in programming mode.

use super::{Line, StandIn};

const MESSAGE_START: u8 = 0x1b;
const TOKEN: u8 = 0x0e;

const SIGN_ON: u8 = 0x01;
const LOAD_ADDRESS: u8 = 0x06;
const ENTER_PROGMODE: u8 = 0x10;
const LEAVE_PROGMODE: u8 = 0x11;
const CHIP_ERASE: u8 = 0x12;
const PROGRAM_FLASH: u8 = 0x13;
const READ_FLASH: u8 = 0x14;

const OK: u8 = 0x00;
const FAILED: u8 = 0xc0;
const CHECKSUM_ERROR: u8 = 0xc1;
const UNKNOWN: u8 = 0xc9;
/// The answer to a frame with a wrong checksum.
const ANSWER_CHECKSUM_ERROR: u8 = 0xb0;

/// The size of a page, and how many there are; a real boot loader has more of both.
const PAGE: usize = 2;
const PAGES: usize = 2;

/// The boot loader. Its flash survives a reset; entering programming mode erases it.
#[derive(Clone, Debug, Default)]
pub struct Stk500 {
    frame: Vec<u8>,
    is_programming: bool,
    /// The page to read or write next.
    page: usize,
    flash: [[u8; PAGE]; PAGES],
}

impl StandIn for Stk500 {
    fn power_on(&mut self, _: &mut Line) {
        *self = Self { flash: self.flash, ..Self::default() };
    }

    fn receive(&mut self, byte: u8, line: &mut Line) {
        if self.frame.is_empty() && byte != MESSAGE_START {
            return;
        }
        self.frame.push(byte);
        let &[_, number, high, low, token, ref rest @ ..] = self.frame.as_slice() else { return };
        if token != TOKEN {
            self.frame.clear();
            return;
        }
        let size = usize::from(u16::from_be_bytes([high, low]));
        if rest.len() <= size {
            return;
        }
        let frame = std::mem::take(&mut self.frame);
        let is_whole = frame.iter().fold(0, |sum, byte| sum ^ byte) == 0;
        let answer = match &frame[5..5 + size] {
            _ if !is_whole => vec![ANSWER_CHECKSUM_ERROR, CHECKSUM_ERROR],
            [] => return,
            [command, data @ ..] => {
                let answer = self.command(*command, data);
                [vec![*command], answer].concat()
            }
        };
        let size = u16::try_from(answer.len()).expect("answers are short").to_be_bytes();
        let mut reply = vec![MESSAGE_START, number, size[0], size[1], TOKEN];
        reply.extend(answer);
        reply.push(reply.iter().fold(0, |sum, byte| sum ^ byte));
        line.say(reply);
    }
}

impl Stk500 {
    fn command(&mut self, command: u8, data: &[u8]) -> Vec<u8> {
        match command {
            SIGN_ON => [&[OK, 8][..], b"AVRISP_2"].concat(),
            ENTER_PROGMODE => {
                *self = Self { is_programming: true, ..Self::default() };
                self.flash = [[0xff; PAGE]; PAGES];
                vec![OK]
            }
            LEAVE_PROGMODE => {
                self.is_programming = false;
                vec![OK]
            }
            LOAD_ADDRESS | CHIP_ERASE | PROGRAM_FLASH | READ_FLASH if !self.is_programming => {
                vec![FAILED]
            }
            LOAD_ADDRESS => {
                self.page = usize::from(data.last().copied().unwrap_or(0)) % PAGES;
                vec![OK]
            }
            CHIP_ERASE => {
                self.flash = [[0xff; PAGE]; PAGES];
                vec![OK]
            }
            // Writing continues at the next page; it can only clear bits.
            PROGRAM_FLASH => {
                for (cell, byte) in self.flash[self.page].iter_mut().zip(data) {
                    *cell &= byte;
                }
                self.page = (self.page + 1) % PAGES;
                vec![OK]
            }
            READ_FLASH => {
                let page = self.flash[self.page];
                self.page = (self.page + 1) % PAGES;
                [&[OK][..], &page, &[OK]].concat()
            }
            _ => vec![UNKNOWN],
        }
    }
}
