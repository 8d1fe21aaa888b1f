//! Learns with one board, then with four boards of the same kind at once: a lane for each board.
//!
//! A board is a thread here, and takes its time for each input. It gets its inputs through a channel,
//! `None` for a reset, and all boards send their answers to the one channel that serves the session.

use std::error::Error;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use mealybug_core::{Action, EndReason, Input, Options, Reply, Session};

/// A lane and its output; `None` after a reset.
type Answer = (u32, Option<&'static str>);

fn main() -> Result<(), Box<dyn Error>> {
    for boards in [1, 4] {
        let start = Instant::now();
        let (end, states) = learn(boards)?;
        println!("{boards} at once: {end:?}, {states} states in {:.2?}", start.elapsed());
    }
    Ok(())
}

fn learn(lanes: u32) -> Result<(EndReason, u32), Box<dyn Error>> {
    let options = Options::new().lanes(lanes).passing_tests(200);
    let mut session = Session::new(vec![0; 4096], 2, options)?;
    let (answers, answered) = mpsc::channel();
    let boards: Vec<_> = (0..lanes).map(|lane| board(lane, answers.clone())).collect();
    // Every lane begins with `Reply::Ready`.
    let mut ready: Vec<u32> = (0..lanes).collect();
    let mut idle = Vec::new();
    loop {
        let (lane, output) = match ready.pop() {
            Some(lane) => (lane, None),
            None => answered.recv()?,
        };
        let reply = output.map_or(Reply::Ready, |output: &str| Reply::Output(output.as_bytes()));
        match session.next(lane, reply)? {
            Action::Reset => boards[lane as usize].send(None)?,
            Action::Input(input) => boards[lane as usize].send(Some(input))?,
            Action::Hypothesis => ready.push(lane),
            Action::Idle => {
                idle.push(lane);
                continue;
            }
            Action::Done(end) => return Ok((end, session.progress().component_states)),
        }
        // Something has happened: there may be a word for the lanes that had none.
        ready.append(&mut idle);
    }
}

/// A door: input 0 turns the key, input 1 pushes. It opens when unlocked and shuts when pushed again.
fn board(lane: u32, answers: Sender<Answer>) -> Sender<Option<Input>> {
    let (inputs, to_do) = mpsc::channel::<Option<Input>>();
    thread::spawn(move || {
        let mut door = "locked";
        for input in to_do {
            thread::sleep(Duration::from_micros(100));
            let output = match (input.map(Input::index), door) {
                (None, _) => {
                    door = "locked";
                    None
                }
                (Some(0), "locked") => Some("unlocked"),
                (Some(0), "unlocked") => Some("locked"),
                (Some(1), "unlocked") => Some("open"),
                (Some(1), "open") => Some("unlocked"),
                (Some(_), same) => Some(same),
            };
            door = output.unwrap_or(door);
            if answers.send((lane, output)).is_err() {
                break; // the session is over
            }
        }
    });
    inputs
}
