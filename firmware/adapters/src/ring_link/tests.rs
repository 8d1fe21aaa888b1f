//! A port in virtual time: bytes come and go at 921 600 baud, and its interrupt comes between any
//! two accesses of the program to the rings.
//!
//! A processor's interrupt runs to its end before the program goes on. So an interrupt before each
//! access of the program is every interleaving that there can be.

use std::boxed::Box;
use std::cell::{Cell, RefCell, RefMut};
use std::collections::VecDeque;
use std::rc::Rc;
use std::vec::Vec;

use super::*;
use crate::interrupt::{access, unwatch, watch};

/// The time of ten bits at 921 600 baud.
const BYTE_NS: u64 = 10_851;

/// The port tells of bytes that are fewer than its level after 32 bits without another one.
const TIMEOUT_NS: u64 = BYTE_NS * 32 / 10;

/// A chip's port, and how it is treated.
#[derive(Clone, Copy, Debug)]
struct Chip {
    /// The bytes that it holds each way, beside the one on the line.
    depth: usize,
    /// The port interrupts after this number of received bytes.
    level: usize,
    /// An interrupt tells of room when the level of the bytes to send falls to a half, as on a
    /// PL011, and not for as long as there is room.
    is_told_once: bool,
    /// The interrupt comes at most so much later, because others are held back or served.
    latency_ns: u64,
    /// The program is busy for up to so long, without reading, after some bytes.
    busy_ns: u64,
}

const PL011: Chip = Chip {
    depth: 16,
    level: 8,
    is_told_once: true,
    latency_ns: 6 * BYTE_NS,
    busy_ns: 20 * BYTE_NS,
};
const RP2040: Chip = Chip { depth: 32, level: 16, latency_ns: 14 * BYTE_NS, ..PL011 };
const STM32: Chip =
    Chip { depth: 1, level: 1, is_told_once: false, latency_ns: BYTE_NS / 2, ..PL011 };
const NRF51: Chip = Chip { depth: 6, latency_ns: 4 * BYTE_NS, ..STM32 };
const FE310: Chip = Chip { depth: 8, latency_ns: 6 * BYTE_NS, ..STM32 };
const ESP32_C3: Chip = Chip { depth: 128, level: 64, latency_ns: 60 * BYTE_NS, ..STM32 };

/// Numbers that look random (Marsaglia's xorshift, 2003).
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The port, its two lines, and the time.
struct World {
    chip: Chip,
    random: Xorshift,
    now_ns: u64,
    /// How many bytes still come, and when the next one does.
    coming: usize,
    next_ns: u64,
    burst: u64,
    /// What comes next.
    came: u8,
    received: VecDeque<u8>,
    last_ns: u64,
    has_lost: bool,
    to_send: VecDeque<u8>,
    /// The byte on the line, and when it is over.
    sending: Option<(u8, u64)>,
    sent: Vec<u8>,
    tells_of_room: bool,
    has_told: bool,
    is_pended: bool,
    /// When the interrupt that is wanted comes.
    due_ns: Option<u64>,
    is_held_back: bool,
}

impl World {
    fn new(chip: Chip, seed: u64, coming: usize) -> Self {
        Self {
            chip,
            random: Xorshift(seed),
            now_ns: 0,
            coming,
            next_ns: BYTE_NS,
            burst: 1,
            came: 0,
            received: VecDeque::new(),
            last_ns: 0,
            has_lost: false,
            to_send: VecDeque::new(),
            sending: None,
            sent: Vec::new(),
            tells_of_room: false,
            has_told: false,
            is_pended: false,
            due_ns: None,
            is_held_back: false,
        }
    }

    /// When something happens on the lines, or a time-out.
    fn next_event_ns(&self) -> Option<u64> {
        let comes = (self.coming > 0).then_some(self.next_ns);
        let is_over = self.sending.map(|(_, over_ns)| over_ns);
        let times_out = (!self.received.is_empty()).then_some(self.last_ns + TIMEOUT_NS);
        let times_out = times_out.filter(|&at| at > self.now_ns);
        [comes, is_over, times_out].into_iter().flatten().min()
    }

    fn pass(&mut self, ns: u64) {
        let until_ns = self.now_ns + ns;
        while let Some(at_ns) = self.next_event_ns().filter(|&at_ns| at_ns <= until_ns) {
            self.now_ns = at_ns;
            if self.coming > 0 && self.next_ns == at_ns {
                self.receive();
            }
            if let Some((byte, _)) = self.sending.take_if(|(_, over_ns)| *over_ns == at_ns) {
                self.sent.push(byte);
                self.shift();
            }
        }
        self.now_ns = until_ns;
    }

    /// A byte comes, and it is known when the next one does: at once, or after a pause.
    fn receive(&mut self) {
        if self.received.len() < self.chip.depth {
            self.received.push_back(self.came);
        } else {
            self.has_lost = true;
        }
        self.came = self.came.wrapping_add(1);
        self.coming -= 1;
        self.last_ns = self.now_ns;
        self.burst -= 1;
        let mut pause_ns = 0;
        if self.burst == 0 {
            self.burst = 1 + self.random.below(400);
            pause_ns = self.random.below(200 * BYTE_NS);
        }
        self.next_ns = self.now_ns + BYTE_NS + pause_ns;
    }

    /// The next byte goes to the line.
    fn shift(&mut self) {
        let half = self.chip.depth / 2;
        self.has_told |= self.to_send.len() == half + 1;
        self.sending = self.to_send.pop_front().map(|byte| (byte, self.now_ns + BYTE_NS));
    }

    fn wants_interrupt(&self) -> bool {
        let Chip { level, depth, is_told_once, .. } = self.chip;
        let received = self.received.len();
        let has_room = if is_told_once { self.has_told } else { self.to_send.len() < depth };
        self.is_pended
            || received >= level
            || received > 0 && self.now_ns >= self.last_ns + TIMEOUT_NS
            || self.tells_of_room && has_room
    }

    /// Whether the interrupt comes now.
    fn interrupts(&mut self) -> bool {
        if !self.wants_interrupt() || self.is_held_back {
            return false;
        }
        let due_ns = self
            .due_ns
            .unwrap_or_else(|| self.now_ns + self.random.below(self.chip.latency_ns.max(1)));
        self.due_ns = Some(due_ns).filter(|_| self.now_ns < due_ns);
        self.due_ns.is_none()
    }
}

/// The world, as the board, its port and its program know it.
#[derive(Clone)]
struct SharedWorld(Rc<RefCell<World>>);

impl SharedWorld {
    /// A port with its rings, whose interrupt comes between any two accesses of this thread.
    fn link<const RECEIVED: usize, const TO_SEND: usize>(
        world: World,
    ) -> (Self, RingLink<Self, RECEIVED, TO_SEND>) {
        let rings: &'static Rings<RECEIVED, TO_SEND> = Box::leak(Box::default());
        let this = Self(Rc::new(RefCell::new(world)));
        let mut seen = this.clone();
        watch(move || {
            seen.busy(100);
            if seen.world().interrupts() {
                seen.interrupt(rings);
            }
        });
        (this.clone(), RingLink::new(this, rings))
    }

    fn world(&self) -> RefMut<'_, World> {
        self.0.borrow_mut()
    }

    /// Time passes.
    fn busy(&self, ns: u64) {
        let mut world = self.world();
        let ns = ns + world.random.below(ns.max(1));
        world.pass(ns);
    }

    /// The program works for up to so long; an interrupt may come at any time.
    fn work(&mut self, at_most_ns: u64) {
        let until_ns = self.now_ns() + self.world().random.below(at_most_ns);
        while self.now_ns() < until_ns {
            access();
        }
    }

    fn now_ns(&self) -> u64 {
        self.world().now_ns
    }

    fn is_going_on(&self) -> bool {
        let world = self.world();
        world.coming > 0 || !world.received.is_empty()
    }

    fn interrupt<const RECEIVED: usize, const TO_SEND: usize>(
        &mut self,
        rings: &Rings<RECEIVED, TO_SEND>,
    ) {
        self.world().is_pended = false;
        self.world().is_held_back = true;
        self.busy(1000);
        rings.serve(self);
        self.busy(1000);
        self.world().is_held_back = false;
    }
}

impl Uart for SharedWorld {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        while let Some(byte) = self.world().received.pop_front() {
            received.push(byte);
        }
        if std::mem::take(&mut self.world().has_lost) {
            received.fail(LineFault::Overrun);
        }
    }

    fn has_room(&mut self) -> bool {
        let world = self.world();
        world.to_send.len() < world.chip.depth
    }

    fn send(&mut self, byte: u8) {
        let mut world = self.world();
        world.to_send.push_back(byte);
        if world.to_send.len() > world.chip.depth / 2 {
            world.has_told = false;
        }
        if world.sending.is_none() {
            world.shift();
        }
    }

    fn tell_of_room(&mut self, tell: bool) {
        self.world().tells_of_room = tell;
    }
}

impl RingBoard for SharedWorld {
    fn now_ms(&self) -> u64 {
        self.now_ns() / 1_000_000
    }

    fn interrupt_soon(&mut self) {
        self.world().is_pended = true;
    }

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, _: u64) {
        self.world().is_held_back = true;
        if !is_ready() {
            let mut world = self.world();
            while !world.wants_interrupt() {
                let at_ns = world.next_event_ns().expect("it does not sleep for ever");
                let ns = at_ns - world.now_ns;
                world.pass(ns);
            }
        }
        self.world().is_held_back = false;
    }
}

/// A program that sends back what it hears, in pieces, until a given number of bytes came. Fails if one is
/// missing.
fn echo(chip: Chip, seed: u64, bytes: usize) {
    let (mut board, mut link) = SharedWorld::link::<512, 64>(World::new(chip, seed, bytes));
    let mut piece = Vec::new();
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(bytes).collect();
    for (number, &byte) in bytes.iter().enumerate() {
        assert_eq!(link.read_until(u64::MAX), Ok(Some(byte)), "{chip:?}, seed {seed}: {number}");
        piece.push(byte);
        if number + 1 == bytes.len() || board.world().random.below(20) == 0 {
            link.write(&piece);
            piece.clear();
            board.work(chip.busy_ns);
        }
    }
    link.flush();
    unwatch();
    board.world().pass(1_000_000_000);
    assert!(board.world().sent == bytes, "{chip:?}, seed {seed}: sent other bytes than came");
}

#[test]
fn a_million_bytes_come_and_go() {
    echo(PL011, 1, 1_000_000);
}

#[test]
fn no_byte_is_lost_on_any_chip_with_any_seed() {
    for chip in [PL011, RP2040, STM32, NRF51, FE310, ESP32_C3] {
        for seed in 1..=20 {
            echo(chip, seed, 5_000);
        }
    }
}

/// A clock that goes on while the program sleeps, and a port that takes bytes only where a test calls it.
#[derive(Default)]
struct Sleeper(Cell<u64>);

impl RingBoard for Sleeper {
    const PATIENCE_MS: u64 = 500;

    fn now_ms(&self) -> u64 {
        self.0.get()
    }

    fn interrupt_soon(&mut self) {}

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, _: u64) {
        assert!(!is_ready());
        self.0.set(self.0.get() + 1);
    }
}

/// A port that takes a number of bytes, and then has no room.
struct Taking(usize, Vec<u8>);

impl Uart for Taking {
    fn receive<const SIZE: usize>(&mut self, _: &Ring<SIZE>) {}

    fn has_room(&mut self) -> bool {
        self.1.len() < self.0
    }

    fn send(&mut self, byte: u8) {
        self.1.push(byte);
    }

    fn tell_of_room(&mut self, _: bool) {}
}

#[test]
fn a_port_that_takes_nothing_delays_the_program_once() {
    let rings: &'static Rings<16, 16> = Box::leak(Box::default());
    let mut link = RingLink::new(Sleeper::default(), rings);
    link.write(&[1; 15]);
    assert_eq!(link.now_ms(), 0, "there is room");
    link.write(&[2; 9]);
    assert_eq!(link.now_ms(), 500);
    for _ in 0..100 {
        link.write(&[3; 9]);
    }
    assert_eq!(link.now_ms(), 500, "it drops the others at once");
    let mut port = Taking(4, Vec::new());
    rings.serve(&mut port);
    link.write(&[4; 9]);
    assert_eq!(link.now_ms(), 1000, "the port took some bytes, and then none");
    port.0 = usize::MAX;
    rings.serve(&mut port);
    link.write(&[5; 2]);
    rings.serve(&mut port);
    assert_eq!(port.1, [&[1; 15][..], &[4; 4], &[5; 2]].concat());
    assert_eq!(link.now_ms(), 1000);
}

/// What a program hears of so many bytes that listens too late, and so loses some.
fn hear<const RECEIVED: usize>(chip: Chip, seed: u64, bytes: usize) -> HeardItems {
    let (mut board, mut link) = SharedWorld::link::<RECEIVED, 2>(World::new(chip, seed, bytes));
    let mut heard = Vec::new();
    while board.is_going_on() || !link.rings.received.is_empty() {
        board.work(chip.busy_ns);
        while let Some(what) = link.read_until(0).transpose() {
            heard.push(what);
        }
    }
    unwatch();
    heard
}

type HeardItems = Vec<Result<u8, LineFault>>;

/// Checks that what was heard of 0, 1, 2, … has one overrun in each gap, and none elsewhere. Returns
/// the bytes that are missing.
fn check(heard: &HeardItems, bytes: usize) -> usize {
    let mut next = 0_u8;
    let mut missing = 0;
    let mut is_gap = false;
    for &what in heard {
        match what {
            Ok(byte) => {
                let gap = byte.wrapping_sub(next);
                assert_eq!(gap != 0, is_gap, "{gap} bytes are missing before {byte}");
                missing += usize::from(gap);
                next = byte.wrapping_add(1);
                is_gap = false;
            }
            Err(fault) => {
                assert_eq!((fault, is_gap), (LineFault::Overrun, false));
                is_gap = true;
            }
        }
    }
    let came = heard.iter().filter(|what| what.is_ok()).count();
    let at_end = bytes - came - missing;
    assert_eq!(at_end != 0, is_gap, "{at_end} bytes are missing at the end");
    bytes - came
}

#[test]
fn a_ring_that_is_too_small_says_where_bytes_are_missing() {
    for chip in [PL011, STM32, NRF51, FE310] {
        // A gap has fewer than 256 bytes.
        let chip = Chip { busy_ns: 100 * BYTE_NS, ..chip };
        let mut missing = 0;
        for seed in 1..=20 {
            missing += check(&hear::<16>(chip, seed, 5_000), 5_000);
        }
        assert!(missing > 1000, "{chip:?}: {missing}");
        assert_eq!(check(&hear::<128>(chip, 1, 5_000), 5_000), 0);
    }
}

#[test]
fn a_port_that_waits_too_long_for_its_interrupt_says_so() {
    let late = Chip { latency_ns: 30 * BYTE_NS, ..PL011 };
    let heard = hear::<512>(late, 1, 5_000);
    let overruns = heard.iter().filter(|what| what.is_err()).count();
    assert!(heard.len() - overruns < 5_000 && overruns > 10, "{overruns}");
}

/// Every way in which an interrupt that brings four bytes, one at a time, can come between the
/// accesses of a program that reads.
#[test]
fn no_interleaving_loses_a_byte_unheard() {
    const BYTES: usize = 4;
    let mut lost = 0;
    let mut whole = 0;
    for at in (0..20_u32.pow(4)).map(|number| [1, 20, 400, 8000].map(|base| number / base % 20)) {
        if !at.is_sorted() {
            continue;
        }
        let ring: &'static Ring<4> = Box::leak(Box::default());
        let mut came = 0..u8::try_from(BYTES).expect("few");
        let mut now = 0;
        watch(move || {
            at.iter()
                .filter(|&&at| at == now)
                .for_each(|_| ring.push(came.next().expect("a byte")));
            now += 1;
        });
        // A read of a byte has four accesses.
        let mut heard: HeardItems = (0..20).filter_map(|_| ring.pop().transpose()).collect();
        unwatch();
        heard.extend(std::iter::from_fn(|| ring.pop().transpose()));
        let missing = check(&heard, BYTES);
        lost += usize::from(missing > 0);
        whole += usize::from(missing == 0);
    }
    assert!(lost > 100 && whole > 5000, "{lost}, {whole}");
}
