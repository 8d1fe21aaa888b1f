//! Questions about devices that answer in frames of bytes.

use super::*;

#[test]
fn frames_are_described_in_hex() {
    let answers =
        "4\n\n\n8\n!power cycle\n06 ff\n\nread=01 03 00\nwrite=010600\n\ncrc16\ncrc16-modbus\n";
    let (draft, shown) = asked(answers).expect("a draft");
    assert!(shown.contains("`crc16` is not accepted. Enter sum8, "), "{shown}");
    assert!(shown.contains("It is not run now: there is no port"), "{shown}");
    assert_eq!(draft.ends, Ends::Length(ReplyLength::Fixed(8)));
    assert_eq!(draft.inputs[1], ("write".to_owned(), vec![1, 6, 0]));
    let run = ResetDraft::Run("power cycle".to_owned());
    assert_eq!(draft.reset, [(run, vec![0x06, 0xff].into())]);
    assert_eq!(draft.checksum.as_deref(), Some("crc16-modbus"));
}

#[test]
fn a_checksum_that_was_typed_is_not_appended_again() {
    for (inputs, expected) in [
        ("a=01 02 03\nb=05 06 0b\nwrong=05 06 0c\n", None),
        ("a=01 02 03\nb=05 06 0c\nwrong=05 06 0d\n", Some("sum8")),
    ] {
        let answers = format!("4\n\n\n8\n!power cycle\n06 ff\n\n{inputs}\nsum8\n");
        let (draft, shown) = asked(&answers).expect("a draft");
        assert_eq!(draft.checksum.as_deref(), expected, "{shown}");
        let said = "2 of the 3 inputs end with it as they are: none is appended.";
        assert_eq!(shown.contains(said), expected.is_none(), "{shown}");
    }
}
