//! Finds in a stack where its functions were called from.

use mealybug_core::wire::crash::CALLS;

/// The first return addresses among the words of a stack; 0 where there are fewer. `code` returns the halfword at
/// an address if code is there.
///
/// A word counts if a call stands before the address that it is. A number that happens to be such an address counts,
/// too, and so may one that an earlier call has left in the stack.
pub(crate) fn calls(
    stack: impl Iterator<Item = u32>,
    code: impl Fn(u32) -> Option<u16>,
) -> [u32; CALLS] {
    let mut found = [0; CALLS];
    let mut places = found.iter_mut();
    for word in stack.filter(|&word| is_return(word, &code)) {
        let Some(place) = places.next() else { break };
        *place = word & !1;
    }
    found
}

/// Whether a word is the address after a call, with the bit that says that the code is Thumb.
fn is_return(word: u32, code: impl Fn(u32) -> Option<u16>) -> bool {
    let at = |before: u32| code((word & !1).checked_sub(before)?);
    let is_register_call = at(2).is_some_and(|half| half & 0xff87 == 0x4780);
    let is_call = at(4).is_some_and(|half| half & 0xf800 == 0xf000)
        && at(2).is_some_and(|half| half & 0xd000 == 0xd000);
    word & 1 == 1 && (is_call || is_register_call)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `bl` at 0x100, `blx r3` at 0x106, and in between what is neither.
    fn code(address: u32) -> Option<u16> {
        match address {
            0x100 => Some(0xf7ff),
            0x102 => Some(0xfffe),
            0x104 => Some(0xbf00),
            0x106 => Some(0x4798),
            0x108 => Some(0x4718),
            0x10a => Some(0xf7ff),
            0x10c => Some(0x8000),
            _ => None,
        }
    }

    #[test]
    fn the_addresses_after_calls_are_found() {
        let stack = [7, 0x105, 0x104, 0x107, 0x2000_0001, 0x109, 0x10b, 0x10f, 1, 0];
        assert_eq!(calls(stack.into_iter(), code), [0x104, 0x108, 0, 0]);
        assert_eq!(
            calls([0x105; 9].into_iter(), code),
            [0x104; CALLS],
            "no more than there is room"
        );
        assert_eq!(calls([].into_iter(), code), [0; CALLS]);
    }
}
