//! The log of a store, on a disk that may have changed it.

use std::fs;

use mealybug::store::Store;
use tempfile::NamedTempFile;

/// A log that can be opened holds the same answers when it is opened again. If the first byte is
/// odd, the function tries each line of the data as the content of an undamaged frame; else it
/// tries the data as they are.
///
/// # Panics
/// It holds something else.
pub fn answers(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let inputs = ["a", "b"].map(str::to_owned);
    let file = NamedTempFile::new().expect("there is room for a file");
    if kind % 2 == 1 {
        // The header, as a store writes it.
        fs::remove_file(&file).expect("it was just made");
        drop(Store::open(file.path(), &inputs).expect("it is new"));
        let mut bytes = fs::read(&file).expect("it is there");
        data.split(|&byte| byte == b'\n').for_each(|record| bytes.extend(framed(record)));
        fs::write(&file, bytes).expect("there is room");
    } else {
        fs::write(&file, data).expect("there is room");
    }
    let nodes = || {
        let store = Store::open(file.path(), &inputs)?;
        let tree = store.tree();
        let answer = |node| (tree.origin(node), tree.output(node).to_vec(), tree.votes(node));
        Ok::<Vec<_>, mealybug::store::StoreError>(tree.nodes().map(answer).collect())
    };
    if let Ok(answers) = nodes() {
        assert_eq!(nodes().expect("it was open before"), answers);
    }
}

/// A record in the store's framing.
fn framed(record: &[u8]) -> Vec<u8> {
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(record);
    let mut frame = cobs::encode_vec(&[record, &crc.to_le_bytes()].concat());
    frame.push(0);
    frame
}
