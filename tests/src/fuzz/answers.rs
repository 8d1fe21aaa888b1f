//! The log of a store, on a disk that may have changed it.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use mealybug::store::{AnswerTree, Store};

/// The inputs of the device whose log it is.
fn inputs() -> [String; 2] {
    ["a", "b"].map(str::to_owned)
}

/// A log that can be read has a complete part that reads the same, and is complete. If the first byte is odd, the function
/// tries each line of the data as the content of an undamaged frame; else it tries the data as they are.
///
/// # Panics
/// The complete part reads otherwise.
pub fn answers(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let log = match kind % 2 {
        1 => {
            let records = data.split(|&byte| byte == b'\n').map(framed);
            [header().to_vec()].into_iter().chain(records).flatten().collect()
        }
        _ => data.to_vec(),
    };
    let inputs = inputs();
    let read = |log: &[u8]| Store::from_log(Path::new("answers.log"), log, &inputs);
    match read(&log) {
        Ok((store, complete)) => {
            let again = read(&log[..complete]).expect("it was read before");
            assert_eq!(again.1, complete);
            assert_eq!(all(again.0.tree()), all(store.tree()));
        }
        Err(error) => drop(error.to_string()),
    }
}

/// Each answer: where it was given, which one, and how often.
fn all(tree: &AnswerTree) -> Vec<impl PartialEq + std::fmt::Debug> {
    let answer = |node| (tree.origin(node), tree.output(node).to_vec(), tree.votes(node));
    tree.nodes().map(answer).collect()
}

/// The first frame of a log, as a store writes it.
fn header() -> &'static [u8] {
    static HEADER: OnceLock<Vec<u8>> = OnceLock::new();
    HEADER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let path = folder.path().join("answers.log");
        drop(Store::open(&path, &inputs()).expect("it is new"));
        fs::read(path).expect("it is there")
    })
}

/// A record in the store's framing.
fn framed(record: &[u8]) -> Vec<u8> {
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(record);
    let mut frame = cobs::encode_vec(&[record, &crc.to_le_bytes()].concat());
    frame.push(0);
    frame
}
