//! Results, as files and from a target.

use mealybug::result_file;
use mealybug_core::wire::{MAGIC, Reader, Record, VERSION, WireError};

/// A larger machine is not made of what comes.
const MAX_STATES: u32 = 1000;

/// What stands in a result makes a machine or an error, also where its checksum is right: the bytes
/// are tried as they are, and with all around them that a result has.
///
/// # Panics
/// It makes something else.
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
