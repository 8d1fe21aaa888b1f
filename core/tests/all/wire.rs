//! Results as bytes: what is written is read, and every damage is seen.

use std::convert::Infallible;

use mealybug_core::wire::{self, Reader, Record, WireError};
use mealybug_core::{Hypothesis, Input, Mealy, Options, Session, sul};

/// A counter to five that says where it is at every second step.
fn session() -> Session<Vec<u32>> {
    let mut count = 0;
    let mut device = sul::from_fn(|input| {
        count = match input.map(Input::index) {
            None => 0,
            Some(0) => (count + 1) % 5,
            Some(_) => count,
        };
        if count % 2 == 0 { format!("at {count}") } else { String::from("odd") }
    });
    let mut session = Session::new(vec![0; 4096], 2, Options::default()).expect("two inputs");
    mealybug_core::learn(&mut session, &mut device).expect("a closure does not fail");
    session
}

fn written(session: &Session<Vec<u32>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let names: [&[u8]; 2] = [b"step", b"look"];
    let sink = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok::<(), Infallible>(())
    };
    let done = wire::write(&session.summary(), names.into_iter(), session.hypothesis(), sink);
    done.expect("infallible");
    bytes
}

fn read(bytes: &[u8]) -> Result<Vec<Record<'_>>, WireError> {
    Reader::new(bytes)?.collect()
}

/// The records that a hypothesis should become, one after the other.
fn expected<'a>(hypothesis: &Hypothesis<'a>) -> Vec<Record<'a>> {
    let mut records = vec![Record::Input(b"step"), Record::Input(b"look")];
    for output in (0..hypothesis.outputs()).map(mealybug_core::Output::new) {
        let component = hypothesis.component_of(output).expect("it is known");
        records.push(Record::Output { name: hypothesis.output_name(output), component });
    }
    for component in hypothesis.components() {
        let (states, initial) = (component.states(), component.initial());
        records.push(Record::Component { states, initial });
        for state in 0..states {
            for input in 0..2 {
                let mut next = state;
                let output = component.step(&mut next, Input::new(input));
                let output = output.map(mealybug_core::Output::index);
                records.push(Record::Transition { next, output });
            }
        }
    }
    records
}

#[test]
fn what_is_written_is_read() {
    let session = session();
    let bytes = written(&session);
    let records = read(&bytes).expect("just written");
    assert_eq!(records[0], Record::Summary((&session.summary()).into()));
    assert_eq!(records[1..records.len() - 1], expected(&session.hypothesis().expect("learned")));
    assert!(matches!(records.last(), Some(Record::End { .. })));
}

#[test]
fn records_that_are_written_again_make_the_same_result() {
    let bytes = written(&session());
    let records = read(&bytes).expect("just written");
    let mut again = Vec::new();
    let sink = |part: &[u8]| {
        again.extend_from_slice(part);
        Ok::<(), Infallible>(())
    };
    wire::write_records(records.into_iter(), sink).expect("infallible");
    assert_eq!(again, bytes);
}

#[test]
fn every_cut_and_every_flipped_bit_is_seen() {
    let bytes = written(&session());
    for len in 0..bytes.len() {
        assert_eq!(read(&bytes[..len]), Err(WireError::CutShort { len }), "cut after {len} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {bit} of {}", 8 * bytes.len());
    }
}

#[test]
fn what_is_no_result_is_told_apart() {
    let mut bytes = written(&session());
    assert_eq!(read(b"digraph g {}"), Err(WireError::NotAResult));
    assert_eq!(read(b""), Err(WireError::CutShort { len: 0 }));
    bytes.push(0);
    assert_eq!(read(&bytes), Err(WireError::Trailing { at: bytes.len() - 1 }));
    bytes[8] = 99;
    assert_eq!(read(&bytes), Err(WireError::Version { found: 99 }));
}

#[test]
fn the_first_error_of_the_sink_ends_the_writing() {
    let session = session();
    let mut calls = 0;
    let sink = |_: &[u8]| {
        calls += 1;
        if calls == 5 { Err("full") } else { Ok(()) }
    };
    let result = wire::write(&session.summary(), std::iter::empty(), session.hypothesis(), sink);
    assert_eq!((result, calls), (Err("full"), 5));
}
