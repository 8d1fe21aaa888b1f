//! Bytes to send, written as text, as hex digits, or in a file.

use super::error::FileFault;
use super::fields::{TomlField, Value};
use super::scope::FileScope;
use crate::escape::{hex_digit, hex_pairs};

/// The bytes of `text` in `field`. TOML's own escapes are already read, and there are no others.
pub(super) fn text(field: &TomlField<'_>, text: &str) -> Result<Vec<u8>, FileFault> {
    if let Some(wide) = text.chars().find(|letter| !letter.is_ascii()) {
        let message = format!("`{wide}` (U+{:04X}) is not one byte", u32::from(wide));
        return Err(field.fault(message, "text may hold bytes below 0x80 only").help(format!(
            "write the bytes that are meant as hex digits; in UTF-8 it is {{ hex = \"{}\" }}",
            hex_pairs(wide.to_string().as_bytes())
        )));
    }
    Ok(text.as_bytes().to_vec())
}

/// The bytes of the hex digits in `field`; blanks may stand between the pairs.
pub(super) fn hex(field: &TomlField<'_>, digits: &str) -> Result<Vec<u8>, FileFault> {
    let mut bytes = Vec::new();
    for group in digits.split_ascii_whitespace() {
        for pair in group.as_bytes().chunks(2) {
            let byte = match *pair {
                [high, low] => hex_digit(high).zip(hex_digit(low)),
                _ => None,
            };
            let (high, low) = byte.ok_or_else(|| {
                let message = format!("`{group}` is not pairs of hex digits");
                field.fault(message, "write it like \"01 03 ff\"")
            })?;
            bytes.push(high << 4 | low);
        }
    }
    Ok(bytes)
}

/// The bytes of the file that `field` names, relative to the device file.
pub(super) fn file(field: &TomlField<'_>, scope: &FileScope<'_>) -> Result<Vec<u8>, FileFault> {
    let path = scope.folder.join(<&str>::read(field)?);
    let bytes = (scope.read_file)(&path).map_err(|error| {
        field.fault(format!("cannot read {}", path.display()), error.to_string())
    })?;
    if bytes.is_empty() {
        return Err(field.fault("there is nothing to send", "an empty file"));
    }
    Ok(bytes)
}
