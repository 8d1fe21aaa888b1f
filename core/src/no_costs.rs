//! Stands in for the costs without the feature `mixture`: nothing follows them.

use crate::alphabet::Input;
use crate::error::Refused;
use crate::machines::cover;
use crate::memory::Memory;

pub(crate) const FIELDS_END: u8 = cover::FIELDS_END;

pub(crate) fn set(
    _: &mut Memory<'_>,
    _: u32,
    _: u32,
    _: impl Fn(Input) -> u32,
) -> Result<(), Refused> {
    Ok(())
}

#[cfg(feature = "tree")]
pub(crate) fn of_reset(_: &Memory<'_>) -> u32 {
    0
}

pub(crate) fn of_input(_: &Memory<'_>, _: Input) -> u32 {
    1
}
