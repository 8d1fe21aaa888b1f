//! A target whose power is lost at every write to its flash.

mod chip;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::vec::Vec;

use embedded_storage::nor_flash::NorFlash;
use mealybug_adapters::{Attached, Conversation, LineFault, Link, NoCrashes};
use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{DeviceError, Fault, Message, Request};
use mealybug_core::wire::rule::{MAX_RULE, RuleFile};
use mealybug_core::wire::types;
use mealybug_core::{Budget, Input, Options, Session, Sul};
use mealybug_devices::BuiltIn;
use mealybug_devices::door_lock::DoorLock;

use super::{Answers, FlashAnswers, NoAnswers, RULES_BYTES};
use crate::Target;
use crate::tests::DeviceLink;
use chip::{Flash, FlashChip, PowerLost};

/// The words that a device was asked.
type AskedWords = Rc<RefCell<Vec<Vec<u32>>>>;

/// A device that notes what it is asked. It is reset from outside, with the target, at one of its words.
struct Noted<D> {
    device: D,
    asked: AskedWords,
    last: usize,
}

impl<D: Sul<Error = DeviceError>> Sul for Noted<D> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        if self.asked.borrow().len() == self.last {
            resume_unwind(std::boxed::Box::new(PowerLost));
        }
        self.asked.borrow_mut().push(Vec::new());
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.asked.borrow_mut().last_mut().expect("a word").push(input.index());
        self.device.step(input)
    }
}

impl<D: Attached> Attached for Noted<D> {
    fn inputs(&self) -> u32 {
        self.device.inputs()
    }

    fn input_name(&self, input: Input) -> &[u8] {
        self.device.input_name(input)
    }
}

/// One state, with 270 inputs whose outputs all differ. Some are as long as a line can have them.
struct Wide([u8; 256]);

impl Sul for Wide {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        self.0[..4].copy_from_slice(&input.index().to_le_bytes());
        Ok(&self.0[..if input.index().is_multiple_of(16) { 256 } else { 100 }])
    }
}

impl Attached for Wide {
    fn inputs(&self) -> u32 {
        270
    }

    fn input_name(&self, _: Input) -> &[u8] {
        b"i"
    }
}

/// A host that waits for the end of a run before its next request, unless that is to stop it. The target's program ends
/// when it waits for more.
struct Script {
    requests: VecDeque<(bool, Vec<u8>)>,
    to_target: VecDeque<u8>,
    from_target: Rc<RefCell<Vec<u8>>>,
}

/// Answers that are there for the next program, too.
impl<F: NorFlash> Answers for &mut FlashAnswers<F> {
    fn program(&self) -> u32 {
        (**self).program()
    }

    fn resume(&mut self, take: impl FnMut(u32, &[u8])) -> Option<(u32, types::Options)> {
        (**self).resume(take)
    }

    fn rule(&mut self, number: u32, rule: &[u8]) {
        (**self).rule(number, rule);
    }

    fn begin(&mut self, fingerprint: u32, options: types::Options) {
        (**self).begin(fingerprint, options);
    }

    fn forget(&mut self) {
        (**self).forget();
    }

    fn find(&mut self, word: impl Iterator<Item = Input>) -> bool {
        (**self).find(word)
    }

    fn is_found(&self) -> bool {
        (**self).is_found()
    }

    fn recall(&mut self, session: &Session<&mut [u32]>) -> Option<&[u8]> {
        (**self).recall(session)
    }

    fn keep(&mut self, session: &Session<&mut [u32]>, output: &[u8], is_last: bool) {
        (**self).keep(session, output, is_last);
    }

    fn finish(&mut self) {
        (**self).finish();
    }

    fn drop_word(&mut self) {
        (**self).drop_word();
    }
}

/// Why the target's program has ended.
struct NothingToDo;

impl Link for Script {
    fn now_ms(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.from_target.borrow_mut().extend(bytes);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let is_idle = deadline_ms == u64::MAX;
        if self.to_target.is_empty() {
            let next = self.requests.pop_front_if(|(stops, _)| is_idle || *stops);
            if next.is_none() && is_idle {
                resume_unwind(std::boxed::Box::new(NothingToDo));
            }
            self.to_target.extend(next.into_iter().flat_map(|(_, frame)| frame));
        }
        Ok(self.to_target.pop_front())
    }
}

/// What the target's program has done from one start to the end.
struct Ran {
    is_power_lost: bool,
    asked: Vec<Vec<u32>>,
    /// The last result that the host has heard of.
    result: Vec<u8>,
    fault: Option<Fault>,
}

/// Runs the target's program until its power is lost, or its host has nothing more to say.
fn run(
    device: impl Attached,
    asked: &AskedWords,
    answers: impl Answers,
    requests: &[Request<'_>],
) -> Ran {
    asked.borrow_mut().clear();
    let said = Rc::<RefCell<Vec<u8>>>::default();
    let mut encoder = Encoder::new();
    let requests = requests.iter().map(|request| {
        let frame = encoder.encode(request).expect("it fits");
        (*request == Request::Stop, frame.to_vec())
    });
    let link = Script {
        requests: requests.collect(),
        to_target: VecDeque::new(),
        from_target: said.clone(),
    };
    let mut memory = std::vec![0; 64 << 10];
    let mut target = Target::keeping_answers(link, device, "test", NoCrashes, answers);
    let end = catch_unwind(AssertUnwindSafe(|| {
        target.run(&mut memory);
    }));
    let end = end.expect_err("it runs for ever");
    let is_power_lost = end.is::<PowerLost>();
    if !is_power_lost && !end.is::<NothingToDo>() {
        resume_unwind(end);
    }
    let mut ran = Ran { is_power_lost, asked: asked.take(), result: Vec::new(), fault: None };
    let mut decoder = Decoder::new();
    for &byte in said.borrow().iter() {
        match decoder.push(byte).map(|frame| frame.expect("undamaged").message()) {
            Some(Ok(Message::Part { round: None, bytes, .. })) => ran.result.extend(bytes),
            Some(Ok(Message::Ended(fault))) => ran.fault = fault,
            _ => {}
        }
    }
    ran
}

/// The same with the door lock.
fn lock(answers: impl Answers, requests: &[Request<'_>], last: usize) -> Ran {
    let asked = AskedWords::default();
    let device = Noted { device: BuiltIn::<DoorLock>::default(), asked: asked.clone(), last };
    run(device, &asked, answers, requests)
}

fn start(options: Options) -> Request<'static> {
    Request::Start((&options).into())
}

fn few_tests() -> Request<'static> {
    start(Options::new().passing_tests(20))
}

/// Tells the program apart.
const PROGRAM: u32 = 7;

/// Never.
const NEVER: usize = usize::MAX;

/// The power is lost after each word of the flash that is written, and each page that is erased. After that, the target
/// asks exactly the words that are not in its flash.
fn is_whole_after_each_loss<const WORD: usize, const PAGE: usize>(pages: usize) {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    assert!(all.asked.len() > 100 && !all.result.is_empty());
    // A sample of all bytes of a record; all of its words.
    let step = if WORD == 1 { 7 } else { 1 };
    let (mut is_resumed, mut cut) = (0, 0);
    loop {
        // What is left in the word: sometimes what was there, sometimes anything.
        let chip = FlashChip::new(pages * PAGE, cut as u64 % 3);
        let flash = Flash::<WORD, PAGE>(chip.clone());
        chip.borrow_mut().power_left = cut;
        let before = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], NEVER);
        if !before.is_power_lost {
            assert_eq!(before.asked, all.asked);
            break;
        }
        chip.borrow_mut().power_left = NEVER;
        // The first record is the start of the run.
        let kept = chip.borrow().whole_writes.checked_sub(1);
        let after = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[], NEVER);
        let Some(kept) = kept else {
            assert_eq!(after.asked, Vec::<Vec<u32>>::new(), "cut {cut}: there was no run");
            let again = lock(FlashAnswers::new(flash, PROGRAM), &[few_tests()], NEVER);
            assert_eq!((again.asked, again.result), (all.asked.clone(), all.result.clone()));
            cut += step;
            continue;
        };
        is_resumed += 1;
        assert_eq!(before.asked[..], all.asked[..before.asked.len()], "cut {cut}");
        let words = before.asked.len();
        assert!(kept == words || kept + 1 == words, "cut {cut}: {kept} words are in the flash");
        assert_eq!(after.asked[..], all.asked[kept..], "cut {cut}: {kept} words are in the flash");
        assert_eq!((after.result == all.result, after.fault), (true, None), "cut {cut}");
        let later = lock(FlashAnswers::new(flash, PROGRAM), &[], NEVER);
        assert!(later.asked.is_empty() && later.result == all.result, "the run is over");
        cut += step;
    }
    assert!(is_resumed > 100, "{is_resumed}");
}

#[test]
fn the_words_after_a_loss_of_power_are_those_that_are_missing() {
    // Flashes as of an RP2040, an nRF52840 and an STM32H7, but with small pages.
    is_whole_after_each_loss::<1, 4096>(4);
    is_whole_after_each_loss::<4, 512>(24);
    is_whole_after_each_loss::<32, 512>(48);
}

/// The power is lost while the pages of a run that has ended are erased for another one.
#[test]
fn a_run_whose_pages_are_being_erased_does_not_come_back() {
    let other = start(Options::new().passing_tests(20).seed(7));
    for seed in 0..3 {
        let mut erased = 0;
        loop {
            let chip = FlashChip::new(RULES_BYTES + 8 * 512, seed);
            let flash = Flash::<4, 512>(chip.clone());
            assert!(
                !lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], NEVER)
                    .is_power_lost
            );
            chip.borrow_mut().whole_writes = 0;
            chip.borrow_mut().power_left = erased;
            assert!(lock(FlashAnswers::new(flash.clone(), PROGRAM), &[other], NEVER).is_power_lost);
            chip.borrow_mut().power_left = NEVER;
            if chip.borrow().whole_writes > 0 {
                break;
            }
            let after = lock(FlashAnswers::new(flash, PROGRAM), &[], NEVER);
            assert_eq!(after.asked, Vec::<Vec<u32>>::new(), "{erased} pages were erased");
            erased += 1;
        }
        assert!(erased > 3, "{erased}");
    }
}

/// Of a run that ends in the middle of a word, too.
#[test]
fn the_last_word_is_kept() {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    let symbols = all.asked.iter().map(|word| word.len() as u64).sum::<u64>();
    for symbols in (1..symbols).step_by(7) {
        let flash = Flash::<4, 512>(FlashChip::new(40 * 512, 0));
        let options = Options::new().passing_tests(20).budget(Budget::UNLIMITED.symbols(symbols));
        let before = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[start(options)], NEVER);
        let after = lock(FlashAnswers::new(flash, PROGRAM), &[], NEVER);
        assert_eq!(after.asked, Vec::<Vec<u32>>::new(), "after {symbols} symbols");
        assert_eq!(after.result, before.result);
    }
}

#[test]
fn power_may_be_lost_again_and_again() {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    for seed in 1..60 {
        let chip = FlashChip::new(40 * 512, seed);
        let flash = Flash::<4, 512>(chip.clone());
        let mut asked = Vec::new();
        let mut starts = 0;
        let result = loop {
            let before = chip.borrow().whole_writes;
            let power = chip.borrow_mut().random() % 60;
            chip.borrow_mut().power_left = 8 + power as usize;
            let requests = if before == 0 { &[few_tests()][..] } else { &[] };
            let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM), requests, NEVER);
            let kept = chip.borrow().whole_writes.saturating_sub(before.max(1));
            asked.extend(ran.asked.into_iter().take(kept));
            starts += 1;
            if !ran.is_power_lost || !ran.result.is_empty() {
                break ran.result;
            }
        };
        assert!(starts > 5, "seed {seed}");
        assert_eq!(asked, all.asked, "seed {seed}");
        assert_eq!(result, all.result, "seed {seed}");
    }
}

#[test]
fn a_full_flash_keeps_what_has_room() {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    let chip = FlashChip::new(RULES_BYTES + 1024, 0);
    let flash = Flash::<4, 512>(chip.clone());
    let last = all.asked.len() - 5;
    let before = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], last);
    assert!(before.is_power_lost && before.asked[..] == all.asked[..last]);
    let kept = chip.borrow().whole_writes - 1;
    assert!((20..last - 5).contains(&kept), "{kept}");
    let after = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[], NEVER);
    assert_eq!((&after.asked[..], after.result), (&all.asked[kept..], all.result.clone()));
    // The next run has all of the flash.
    let requests = [Request::Stop, few_tests()];
    let next = lock(FlashAnswers::new(flash.clone(), PROGRAM), &requests, last);
    assert_eq!(next.asked[..], all.asked[..last]);
    assert_eq!(lock(FlashAnswers::new(flash, PROGRAM), &[], NEVER).asked[..], all.asked[kept..]);
}

#[test]
fn a_flash_that_fails_or_is_too_small_changes_nothing() {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    for (size, is_broken) in [(24 * 512, true), (512, false), (0, false)] {
        let chip = FlashChip::new(size, 0);
        chip.borrow_mut().is_broken = is_broken;
        let flash = Flash::<4, 512>(chip);
        let ran = lock(FlashAnswers::new(flash, PROGRAM), &[few_tests()], NEVER);
        assert_eq!((ran.asked, ran.result), (all.asked.clone(), all.result.clone()), "{size}");
    }
}

#[test]
fn another_program_does_not_go_on_with_the_run() {
    let flash = Flash::<4, 512>(FlashChip::new(40 * 512, 0));
    assert!(lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], 50).is_power_lost);
    let asked = AskedWords::default();
    let motor = || Noted {
        device: BuiltIn::<mealybug_devices::motor::Motor>::default(),
        asked: asked.clone(),
        last: NEVER,
    };
    let ran = run(motor(), &asked, FlashAnswers::new(flash.clone(), PROGRAM), &[]);
    assert!(ran.asked.is_empty(), "it waits for its host");
    let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[], NEVER);
    assert!(ran.asked.is_empty(), "the run was dropped");
    let alone = run(motor(), &asked, NoAnswers, &[few_tests()]);
    let ran = run(motor(), &asked, FlashAnswers::new(flash, PROGRAM), &[few_tests()]);
    assert_eq!((ran.asked, ran.result), (alone.asked, alone.result), "it begins anew");
}

/// A program that awaits its target may drop it, and call it again.
#[test]
fn a_target_that_is_dropped_goes_on_with_its_run() {
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    let flash = Flash::<4, 512>(FlashChip::new(40 * 512, 0));
    let mut answers = FlashAnswers::new(flash, PROGRAM);
    let before = lock(&mut answers, &[few_tests()], 50);
    assert_eq!(before.asked[..], all.asked[..50]);
    let after = lock(&mut answers, &[], 30);
    assert_eq!(after.asked[..], all.asked[50..80]);
    let last = lock(&mut answers, &[], NEVER);
    assert_eq!((&last.asked[..], last.result), (&all.asked[80..], all.result));
}

/// Its inputs are called the same: only its image tells it apart.
#[test]
fn a_program_with_the_same_inputs_does_not_go_on_with_the_run() {
    let flash = Flash::<4, 512>(FlashChip::new(40 * 512, 0));
    assert!(lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], 50).is_power_lost);
    let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM + 1), &[], NEVER);
    assert!(ran.asked.is_empty(), "it waits for its host");
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM + 1), &[few_tests()], 50);
    assert_eq!(ran.asked[..], all.asked[..50], "it begins anew");
    let ran = lock(FlashAnswers::new(flash, PROGRAM + 1), &[], NEVER);
    assert_eq!(ran.asked[..], all.asked[50..], "its own run goes on");
}

#[test]
fn a_host_may_start_another_run_than_the_one_that_was_kept() {
    let flash = Flash::<4, 512>(FlashChip::new(40 * 512, 0));
    let stop = [Request::Stop, few_tests()];
    assert!(lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], 50).is_power_lost);
    let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM), &stop[..1], NEVER);
    assert!(ran.asked.is_empty() && !ran.result.is_empty(), "it was stopped");
    let ran = lock(FlashAnswers::new(flash.clone(), PROGRAM), &[], NEVER);
    assert!(ran.asked.is_empty() && ran.result.is_empty(), "a run that was stopped does not go on");
    assert!(lock(FlashAnswers::new(flash.clone(), PROGRAM), &[few_tests()], 50).is_power_lost);
    let ran = lock(FlashAnswers::new(flash, PROGRAM), &stop, NEVER);
    let all = lock(NoAnswers, &[few_tests()], NEVER);
    assert_eq!(ran.asked, all.asked, "all words are asked again");
}

/// Of words with outputs that do not fit into one record, and have no number below 255.
#[test]
fn long_outputs_and_many_are_kept() {
    let asked = AskedWords::default();
    let wide = |last| Noted { device: Wide([b'w'; 256]), asked: asked.clone(), last };
    let options = start(Options::new().budget(Budget::UNLIMITED.resets(400)));
    let all = run(wide(NEVER), &asked, NoAnswers, &[options]);
    assert_eq!(all.asked.len(), 400);
    for last in (1..400).step_by(23) {
        let flash = Flash::<4, 4096>(FlashChip::new(100 * 4096, 0));
        let before = run(wide(last), &asked, FlashAnswers::new(flash.clone(), PROGRAM), &[options]);
        assert_eq!(before.asked[..], all.asked[..last]);
        let after = run(wide(NEVER), &asked, FlashAnswers::new(flash, PROGRAM), &[]);
        assert_eq!((&after.asked[..], &after.result), (&all.asked[last..], &all.result));
    }
}

/// The motor on a line. It notes each reset, and the power is lost at one of them.
struct MotorLine {
    link: DeviceLink,
    asked: AskedWords,
    last: usize,
}

impl Link for MotorLine {
    fn now_ms(&self) -> u64 {
        self.link.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        if bytes == b"\x18" {
            if self.asked.borrow().len() == self.last {
                resume_unwind(std::boxed::Box::new(PowerLost));
            }
            self.asked.borrow_mut().push(Vec::new());
        }
        self.link.write(bytes);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        self.link.read_until(deadline_ms)
    }
}

#[test]
fn the_rules_of_the_host_are_kept_too() {
    let asked = AskedWords::default();
    let motor = |last| {
        Conversation::new(MotorLine { link: DeviceLink::default(), asked: asked.clone(), last })
    };
    let file = include_bytes!("../../../../tests/devices/motor/device.rules");
    let encoded = RuleFile::new(file).expect("rules").map(|rule| {
        let mut room = [0; MAX_RULE];
        rule.expect("undamaged").encode(&mut room).to_vec()
    });
    let encoded: Vec<_> = encoded.collect();
    let mut requests: Vec<_> =
        (0..).zip(&encoded).map(|(number, rule)| Request::Rule { number, rule }).collect();
    // A host repeats a request that it hears no answer to.
    requests.insert(1, requests[0]);
    requests.insert(5, requests[4]);
    requests.push(few_tests());
    let all = run(motor(NEVER), &asked, NoAnswers, &requests);
    assert!(all.asked.len() > 300 && !all.result.is_empty());
    for last in [1, 2, 100, all.asked.len() - 1] {
        let flash = Flash::<4, 512>(FlashChip::new(100 * 512, 0));
        assert!(
            run(motor(last), &asked, FlashAnswers::new(flash.clone(), PROGRAM), &requests)
                .is_power_lost
        );
        let after = run(motor(NEVER), &asked, FlashAnswers::new(flash.clone(), PROGRAM), &[]);
        assert_eq!((after.asked.len(), &after.result), (all.asked.len() - last, &all.result));
        // The host tells the rules once for several runs.
        let twice = [&requests[..], &[few_tests()]].concat();
        let last = all.asked.len() + 10;
        assert!(
            run(motor(last), &asked, FlashAnswers::new(flash.clone(), PROGRAM), &twice)
                .is_power_lost
        );
        let after = run(motor(NEVER), &asked, FlashAnswers::new(flash, PROGRAM), &[]);
        assert_eq!((after.asked.len(), &after.result), (all.asked.len() - 10, &all.result));
    }
}
