//! The speed of an agent on a line as slow as a serial port.
//!
//! `tests/run size` keeps the output in `docs/measurements/agent.txt`.

use std::time::{Duration, Instant};

use mealybug::agent::{AgentClient, LANES};
use mealybug::device::PortSection;
use mealybug::serial::SerialLink;
use mealybug::simulate::Simulated;
use mealybug_core::{Input, Sul};
use mealybug_tests::board::{LearnerBoard, all_built};
use mealybug_tests::golden;
use mealybug_tests::pace::{self, Pace};
use mealybug_tests::pty::{Pty, open_raw};

/// 115 200 baud, with a start and a stop bit.
const BYTES_PER_SECOND: u32 = 11_520;
/// The percentage of these bytes that must be symbols.
const PERCENT: u32 = 90;
const WORD: u32 = 10;
/// The numbers of words before the measurement, until the line is full, and during it.
const WARM_UP: u32 = 2000;
const WORDS: u32 = 3000;
/// Other load on the machine slows QEMU down; the best of this many attempts shows what the line
/// allows.
const ATTEMPTS: u32 = 4;

/// An endless sequence of words without a pattern.
fn words() -> impl Iterator<Item = Vec<Input>> {
    let mut state = 1_u32;
    let mut input = move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Input::new((state >> 16) % 4)
    };
    std::iter::repeat_with(move || (0..WORD).map(&mut input).collect())
}

/// How many symbols an agent answers in a second, with this latency each way. All answers must be
/// right.
fn symbols_per_second(latency: Duration) -> u32 {
    let board = LearnerBoard::start("agent-door-lock").expect("QEMU runs the agent");
    let near = Pty::open().expect("a pseudo-terminal");
    let far = open_raw(board.host_port()).expect("the agent's port");
    let pace = Pace { bytes_per_second: BYTES_PER_SECOND, latency };
    pace::connect(near.device(), &far, pace).expect("two ends");
    let port = near.path().to_str().expect("a plain path");
    let link = SerialLink::open(port, &PortSection::default()).expect("the near end");
    let mut agent = AgentClient::connect(link, None).expect("the agent answers");
    let model = golden("door-lock/golden.dot");
    let mut expected = Simulated::new(&model);
    let numbers: Vec<_> = agent.inputs().iter().map(|name| model.find_input(name)).collect();

    // The line stays full to the end: the last words announced are never asked.
    let mut announced = words();
    announced.by_ref().take(LANES as usize).for_each(|word| agent.announce(&word));
    let mut started = Instant::now();
    for (number, word) in (0..WARM_UP + WORDS).zip(words()) {
        if number == WARM_UP {
            started = Instant::now();
        }
        agent.reset_for(&word).expect("nothing is lost");
        expected.reset().expect("infallible");
        for &input in &word {
            let same = numbers[input.index() as usize].expect("the same inputs");
            let right = expected.step(same).expect("infallible");
            assert_eq!(agent.step(input).expect("an answer"), right);
        }
        announced.next().into_iter().for_each(|word| agent.announce(&word));
    }
    assert_eq!(agent.warnings(), [""; 0]);
    let symbols = f64::from(WORDS * WORD) / started.elapsed().as_secs_f64();
    format!("{symbols:.0}").parse().expect("a number")
}

/// The best of some attempts; `percent` of the line suffices.
fn measure(latency_ms: u64, percent: u32) {
    if !all_built("the speed of an agent", &["agent-door-lock"]) {
        return;
    }
    let enough = BYTES_PER_SECOND * percent / 100;
    let mut best = 0;
    for _ in 0..ATTEMPTS {
        best = symbols_per_second(Duration::from_millis(latency_ms)).max(best);
        if best >= enough {
            break;
        }
    }
    println!(
        "agent, lm3s6965evb: {best} symbols a second on words of {WORD} at {BYTES_PER_SECOND} bytes a \
         second each way, {latency_ms} ms latency (at least {enough})"
    );
    assert!(best >= enough);
}

/// Holds on any machine, however busy. One word per round trip would be 2 % of the line.
#[test]
fn an_agent_does_not_wait_for_its_line() {
    measure(16, 40);
}

#[test]
#[ignore = "wants a machine with nothing else to do"]
fn an_agent_fills_the_line() {
    for latency_ms in [1, 16] {
        measure(latency_ms, PERCENT);
    }
}
