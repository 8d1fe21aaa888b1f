//! Results, as files and from a target.

use mealybug::result_file;
use mealybug_core::wire::{MAGIC, Reader, Record, VERSION, WireError};

/// A larger machine is not built from the bytes.
const MAX_STATES: u32 = 1000;

/// A result gives a machine or an error, even with a valid checksum: the function tries the bytes
/// as they are, and inside the frame of a result.
///
/// # Panics
/// It gives neither.
pub fn result(data: &[u8]) {
    read(data);
    let mut bytes = [MAGIC, &[VERSION][..], data].concat();
    let len = bytes.len();
    let end = |crc| postcard::to_stdvec(&Record::End { crc }).expect("memory takes everything");
    bytes.extend(end(0));
    let last = Reader::new(&bytes).expect("it begins like one").last();
    if let Some(Err(WireError::Checksum { computed, .. })) = last {
        bytes.truncate(len);
        bytes.extend(end(computed));
        read(&bytes);
    }
}

fn read(bytes: &[u8]) {
    if let Ok((_, Some(learned))) = result_file::decode(bytes)
        && let Ok(machine) = learned.product(MAX_STATES)
    {
        assert!(machine.states() <= MAX_STATES);
        assert_eq!(machine.inputs(), learned.inputs);
    }
}
