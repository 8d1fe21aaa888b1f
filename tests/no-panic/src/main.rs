//! Links only if nothing that this program calls in the core can panic.
//!
//! The panic handler calls a function that does not exist. As long as the optimiser can show that no
//! panic is ever reached, the call is gone before the linker looks for the function; a single slice
//! index in the core fails the link with `undefined reference to this_program_can_panic`.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{Message, Request};
use mealybug_core::wire::rule::{MAX_RULE, Rule, RuleFile};
use mealybug_core::wire::{self, Reader, Record};
use mealybug_core::{Projections, Input, Mealy, Options, Output, Reply, Run, Session, Sul, Tests, sul};

unsafe extern "C" {
    fn this_program_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here was never linked.
    unsafe { this_program_can_panic() }
}

/// A device of which the optimiser knows nothing.
struct Unknown([u8; 64]);

impl Sul for Unknown {
    type Error = u8;

    fn reset(&mut self) -> Result<(), u8> {
        black_box(Ok(()))
    }

    fn step(&mut self, input: Input) -> Result<&[u8], u8> {
        self.0 = black_box(self.0);
        self.0.get(..black_box(input.index() as usize)).ok_or(0)
    }
}

fn options() -> Options {
    let extra_states = black_box(0);
    let tests = match black_box(0) {
        0 => Tests::RandomWp,
        1 => Tests::RandomWords,
        2 => Tests::W { extra_states },
        3 => Tests::Wp { extra_states },
        _ => Tests::External,
    };
    let projections = if black_box(true) { Projections::Identity } else { Projections::PerOutput };
    black_box(Options::new().tests(tests).projections(projections))
}

fn use_everything() -> Option<()> {
    let mut session = Session::new(black_box([0; 4096]), black_box(2), options()).ok()?;
    black_box(session.declare_group(black_box(b"output"), black_box(1))).ok()?;
    let price = |input: Input| black_box(input.index());
    black_box(session.set_costs(black_box(1), price)).ok()?;
    let why = mealybug_core::learn(&mut session, &mut Unknown(black_box([0; 64])));
    black_box(why).ok()?;
    let counterexample = black_box([Input::new(0); 8]);
    let reply = match black_box(0) {
        0 => Reply::Ready,
        1 => Reply::Equivalent,
        _ => Reply::Counterexample(&counterexample),
    };
    black_box(session.next(black_box(0), reply)).ok()?;
    session.failed(black_box(0));
    black_box(session.word(black_box(0)).chain(session.ahead(black_box(0))).last());
    black_box(session.newest_access().last());
    black_box(session.output_name(Output::new(black_box(0))));
    session = {
        let mut moved = session;
        black_box(moved.move_into(black_box([0; 4096]))).ok()?;
        moved
    };
    let hypothesis = session.hypothesis()?;
    for component in hypothesis.components() {
        black_box(component.step(&mut black_box(0), Input::new(black_box(0))));
    }
    black_box(hypothesis.step(&mut black_box([0; 4]), Input::new(black_box(0)))).ok()?;
    let sink = |bytes: &[u8]| black_box(Ok::<(), usize>(())).map_err(|_| black_box(bytes.len()));
    wire::write(&session.summary(), core::iter::empty(), session.hypothesis(), sink).ok()?;
    for record in Reader::new(&black_box([0; 512])).ok()? {
        if let Record::Summary(run) = black_box::<Record<'_>>(record.ok()?) {
            black_box(Run::try_from(&run).ok()?);
        }
    }
    session.stop();
    black_box(black_box("wp:1").parse::<Tests>().ok()?);
    Some(())
}

fn exchange(encoder: &mut Encoder, decoder: &mut Decoder) -> Option<()> {
    let frame = encoder.encode(&black_box(Request::Start((&options()).into()))).ok()?;
    black_box::<&[u8]>(frame);
    black_box(encoder.encode(&black_box(Message::Log(&[0; 300]))).ok()?);
    let frame = decoder.push(black_box(0))?.ok()?;
    black_box::<Message<'_>>(frame.message().ok()?);
    black_box::<Request<'_>>(frame.message().ok()?);
    Some(())
}

fn rules() -> Option<()> {
    let mut file = [0; 2 * MAX_RULE];
    let mut len = 0;
    let rule = black_box(Rule::Text(&[7; 20]));
    let written = RuleFile::write([rule, rule].into_iter(), |bytes| {
        let room = file.get_mut(len..).and_then(|room| room.get_mut(..bytes.len())).ok_or(())?;
        room.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
        len += bytes.len();
        Ok(())
    });
    black_box::<Result<(), ()>>(written).ok()?;
    for rule in RuleFile::new(black_box(&file))? {
        black_box::<&[u8]>(rule?.encode(&mut [0; MAX_RULE]));
    }
    black_box(Rule::decode(black_box(&file))?);
    Some(())
}

/// Where the program would start.
#[unsafe(no_mangle)]
pub extern "C" fn _start() -> ! {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    loop {
        black_box(use_everything());
        black_box(exchange(&mut encoder, &mut decoder));
        black_box(rules());
    }
}
