//! Links only if nothing that this program calls in the core can panic.
//!
//! The panic handler calls a function that does not exist. As long as the optimiser can show that no
//! panic is ever reached, the call is gone before the linker looks for the function; a single slice
//! index in the core fails the link with `undefined reference to this_program_can_panic`, and so does a
//! sum that may overflow.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;
use core::pin::pin;
use core::task::{Context, Waker};

use mealybug_core::serve::{self, Answerer, learn_async, never_grow};
use mealybug_core::wire::crash::{Crash, MAX_CRASH};
use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{Message, Request};
use mealybug_core::wire::probe::{MAX_PROBE_RULE, ProbeRule};
use mealybug_core::wire::rule::{MAX_RULE, Rule, RuleFile};
use mealybug_core::wire::words::{input, symbol};
use mealybug_core::wire::{self, Reader, Record};
use mealybug_core::{
    AsyncSul, Budget, Hypothesis, Input, KnownModel, Mealy, NumberedMealy, Options, Output,
    Projections, Reply, Session, Sul, Summary, TableLearner, Tests, product_output,
};

unsafe extern "C" {
    fn this_program_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here was never linked.
    unsafe { this_program_can_panic() }
}

/// A device of which the optimiser knows nothing.
struct UnknownDevice([u8; 64]);

impl Sul for UnknownDevice {
    type Error = u8;

    fn reset(&mut self) -> Result<(), u8> {
        black_box(Ok(()))
    }

    fn step(&mut self, input: Input) -> Result<&[u8], u8> {
        self.0 = black_box(self.0);
        self.0.get(..black_box(input.index() as usize)).ok_or(0)
    }
}

impl AsyncSul for UnknownDevice {
    type Error = u8;

    async fn reset(&mut self) -> Result<(), u8> {
        Sul::reset(self)
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], u8> {
        Sul::step(self, input)
    }
}

/// Such a device for each lane; what fails is asked again.
struct UnknownDevices(UnknownDevice);

impl<L> Answerer<Region, L> for UnknownDevices {
    type Error = u8;

    fn reset(&mut self, _: &mut Session<Region, L>, lane: u32) -> Result<(), u8> {
        self.0.0[0] = black_box(lane.to_le_bytes()[0]);
        Sul::reset(&mut self.0)
    }

    fn step(&mut self, _: &mut Session<Region, L>, _: u32, input: Input) -> Result<&[u8], u8> {
        Sul::step(&mut self.0, input)
    }

    fn retry(&mut self, _: &mut Session<Region, L>, _: u32, why: u8, tried: u32) -> Result<(), u8> {
        if black_box(tried) < 3 { Ok(()) } else { Err(why) }
    }
}

/// A model of which the optimiser knows nothing.
struct UnknownModel([u8; 64]);

impl Mealy for UnknownModel {
    type State = u32;

    fn inputs(&self) -> u32 {
        black_box(2)
    }

    fn initial(&self) -> u32 {
        black_box(0)
    }

    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        *state = black_box(*state);
        black_box(Some(Output::new(input.index())))
    }
}

impl NumberedMealy for UnknownModel {
    fn outputs(&self) -> u32 {
        black_box(2)
    }

    fn states(&self) -> u32 {
        black_box(2)
    }

    fn output_name(&self, output: Output) -> &[u8] {
        self.0.get(..black_box(output.index() as usize)).unwrap_or(&[])
    }
}

type Region = [u32; 4096];

fn memory() -> Region {
    black_box([0; 4096])
}

fn options() -> Options {
    let extra_states = black_box(0);
    let tests = match black_box(0) {
        0 => Tests::RandomWp,
        1 => Tests::RandomWords,
        2 => Tests::W { extra_states },
        3 => Tests::Wp { extra_states },
        4 => Tests::Components { extra_states },
        5 => Tests::Mixture,
        6 => Tests::Systematic,
        7 => Tests::Splice,
        8 => Tests::Coverage,
        _ => Tests::External,
    };
    let projections = if black_box(true) { Projections::Identity } else { Projections::PerOutput };
    let budget = Budget::UNLIMITED
        .rounds(black_box(0))
        .symbols(black_box(0))
        .resets(black_box(0));
    black_box(Options::new().projections(projections).tests(tests).budget(budget))
}

fn learn() -> Option<()> {
    let mut session = Session::new(memory(), black_box(2), options()).ok()?;
    black_box(session.declare_group(black_box(b"output"), black_box(1))).ok()?;
    let why = mealybug_core::learn(&mut session, &mut UnknownDevice(black_box([0; 64])));
    black_box(why).ok()?;
    poll_once(learn_async(&mut session, &mut UnknownDevice(black_box([0; 64]))));
    black_box(session.newest_access().last());
    black_box(session.inconsistencies());
    use_learner(session)
}

fn poll_once(future: impl Future) {
    let _ = black_box(pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready());
}

fn test_model() -> Option<()> {
    let model = UnknownModel(black_box([0; 64]));
    use_model(Session::of_model(memory(), &model, options()).ok()?)
}

/// A function for each learner, as the trait that they share is private.
macro_rules! use_sessions {
    ($($name:ident($Learner:ty);)*) => {$(
        fn $name(mut session: Session<Region, $Learner>) -> Option<()> {
            let price = |input: Input| black_box(input.index());
            black_box(session.set_costs(black_box(1), price)).ok()?;
            session.set_passing_tests(black_box(1));
            let mut devices = UnknownDevices(UnknownDevice(black_box([0; 64])));
            let mut grow = |session: &mut Session<Region, $Learner>, _| {
                black_box(session.move_into(memory())).is_ok()
            };
            black_box(serve::serve(&mut session, &mut devices, &mut grow)).ok()?;
            black_box(serve::ask(&mut session, black_box(1), &mut devices, &mut grow)).ok()?;
            let (word, name) = black_box(([Input::new(0); 8], [0; 4]));
            let names: [&[u8]; 2] = [&name, &[]];
            for number in 0..black_box(5) {
                let reply = reply(number, &word, &names);
                black_box(serve::next(&mut session, black_box(0), reply, &mut never_grow)).ok()?;
                black_box(session.next(black_box(0), reply)).ok()?;
            }
            session.failed(black_box(0));
            session.set_noise(black_box(1000));
            black_box(session.sketch()).ok()?;
            black_box(session.known_answers().last());
            black_box(session.word(black_box(0)).chain(session.ahead(black_box(0))).last());
            black_box(session.output_name(Output::new(black_box(0))));
            black_box((session.purpose(), session.is_refuted(), session.capacity_bytes()));
            black_box(session.options());
            black_box(session.progress());
            black_box(session.move_into(memory())).ok()?;
            write_result(&session.summary(), session.hypothesis())?;
            session.stop();
            use_hypothesis(session.hypothesis()?)
        }
    )*};
}

use_sessions! {
    use_learner(TableLearner);
    use_model(KnownModel);
}

#[cfg(feature = "tree")]
use_sessions! {
    use_any_learner(mealybug_core::AnyLearner);
}

/// The learner in a tree, which is one of those that `AnyLearner` is.
#[cfg(feature = "tree")]
fn learn_in_a_tree() -> Option<()> {
    let options = options().observations(black_box(mealybug_core::Observations::Tree));
    let learner = mealybug_core::AnyLearner::new(black_box(2), &options);
    use_any_learner(Session::with_learner(memory(), learner, options).ok()?)
}

#[cfg(not(feature = "tree"))]
fn learn_in_a_tree() -> Option<()> {
    Some(())
}

/// The reply with a number.
fn reply<'a>(number: u32, word: &'a [Input], outputs: &'a [&'a [u8]]) -> Reply<'a> {
    match number {
        0 => Reply::Ready,
        1 => Reply::Equivalent,
        2 => Reply::Output(outputs.first().copied().unwrap_or(&[])),
        3 => Reply::Outputs(outputs.get(..black_box(1)).unwrap_or(&[])),
        4 => Reply::Advice(word),
        _ => Reply::Counterexample(word),
    }
}

fn use_hypothesis(hypothesis: Hypothesis<'_>) -> Option<()> {
    for component in hypothesis.components() {
        black_box(component.step(&mut black_box(0), Input::new(black_box(0))));
        black_box((component.states(), component.initial(), component.inputs()));
        black_box(component.knowledge(black_box(0), Input::new(black_box(0))));
        black_box(component.outputs().last());
    }
    for output in (0..hypothesis.outputs()).map(Output::new) {
        black_box((hypothesis.output_name(output), hypothesis.component_of(output)));
    }
    black_box(product_output(black_box([Some(0); 4]))).ok()?;
    black_box(hypothesis.knowledge(&black_box([0; 4]), Input::new(black_box(0))));
    black_box(hypothesis.step(&mut black_box([0; 4]), Input::new(black_box(0)))).ok()?;
    Some(())
}

fn write_result(summary: &Summary, hypothesis: Option<Hypothesis<'_>>) -> Option<()> {
    let sink = |bytes: &[u8]| black_box(Ok::<(), usize>(())).map_err(|_| black_box(bytes.len()));
    wire::write(summary, core::iter::empty(), hypothesis, sink).ok()?;
    wire::write_records(black_box([Record::OutputName(b"name")]).into_iter(), sink).ok()?;
    for record in Reader::new(&black_box([0; 512])).ok()? {
        if let Record::Summary(summary) = black_box::<Record<'_>>(record.ok()?) {
            black_box(Summary::try_from(&summary).ok()?);
        }
    }
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
        let rule = rule?;
        black_box::<&[u8]>(rule.encode(&mut [0; MAX_RULE]));
        black_box(rule.digest(black_box(0)));
    }
    black_box(Rule::decode(black_box(&file))?);
    let (probe, rest) = ProbeRule::first(black_box(&file))?;
    black_box((probe.encode(&mut [0; MAX_PROBE_RULE])?, probe.needs(), rest));
    let crash = Crash::decode(black_box(&file))?;
    black_box::<&[u8]>(crash.encode(&mut [0; MAX_CRASH]));
    black_box(Crash::panic_at(black_box("main.rs"), black_box(7)));
    let (input, begins) = black_box(input(black_box(0)));
    black_box(symbol(input, begins)?);
    Some(())
}

/// Where the program would start.
#[unsafe(no_mangle)]
pub extern "C" fn _start() -> ! {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    loop {
        black_box(learn());
        black_box(learn_in_a_tree());
        black_box(test_model());
        black_box(exchange(&mut encoder, &mut decoder));
        black_box(rules());
    }
}
