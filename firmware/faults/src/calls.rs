//! Finds in a stack where its functions were called from.

use mealybug_core::wire::crash::CALLS;

/// The first return addresses among the words of a stack; 0 where there are fewer. `return_address` returns the address
/// that a word is if a call stands before it.
///
/// A number that happens to be such an address counts, too, and so may one that an earlier call has left in the stack.
pub(crate) fn calls(
    stack: impl Iterator<Item = u32>,
    return_address: impl Fn(u32) -> Option<u32>,
) -> [u32; CALLS] {
    let mut found = [0; CALLS];
    for (place, address) in found.iter_mut().zip(stack.filter_map(return_address)) {
        *place = address;
    }
    found
}

/// The address that a word is, if it has the bit that says that the code is Thumb, and a call stands before it. `code`
/// returns the halfword at an address if code is there.
#[cfg(any(test, target_arch = "arm"))]
pub(crate) fn thumb_return(word: u32, code: impl Fn(u32) -> Option<u16>) -> Option<u32> {
    let address = word & !1;
    let at = |before: u32| code(address.checked_sub(before)?);
    let is_register_call = at(2).is_some_and(|half| half & 0xff87 == 0x4780);
    let is_call = at(4).is_some_and(|half| half & 0xf800 == 0xf000)
        && at(2).is_some_and(|half| half & 0xd000 == 0xd000);
    (word & 1 == 1 && (is_call || is_register_call)).then_some(address)
}

/// Whether a word is the address after a call of RISC-V, which links to `ra`: `jal`, `jalr`, or their compressed forms.
/// `code` returns the halfword at an address if code is there.
#[cfg(any(test, target_arch = "riscv32"))]
pub(crate) fn is_risc_v_return(word: u32, code: impl Fn(u32) -> Option<u16>) -> bool {
    let at = |before: u32| code(word.checked_sub(before)?);
    let is_call = at(4).is_some_and(|half| half & 0xfff == 0x0ef || half & 0x7fff == 0x00e7);
    let is_short_call = at(2).is_some_and(|half| {
        let is_register_call = half & 0xf07f == 0x9002 && half & 0x0f80 != 0;
        is_register_call || half & 0xe003 == 0x2001
    });
    word & 1 == 0 && (is_call || is_short_call)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `bl` at 0x100, `blx r3` at 0x106, and in between what is neither.
    fn thumb(address: u32) -> Option<u16> {
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
        let found = |stack: &[u32]| calls(stack.iter().copied(), |word| thumb_return(word, thumb));
        assert_eq!(found(&stack), [0x104, 0x108, 0, 0]);
        assert_eq!(found(&[0x105; 9]), [0x104; CALLS], "no more than there is room");
        assert_eq!(found(&[]), [0; CALLS]);
    }

    #[test]
    fn the_addresses_after_calls_of_risc_v_are_found() {
        // In turn: `jal ra`, `jal zero`, `jalr ra, a0`, `jalr zero, ra`, `c.jal`, `c.j`, `c.jalr a5`, `c.jr ra`, `c.ebreak`.
        const CODE: [u16; 13] = [
            0x00ef, 0x3f80, 0xa06f, 0x3f80, 0x00e7, 0x0005, 0x8067, 0x0000, 0x2011, 0xa001, 0x9782,
            0x8082, 0x9002,
        ];
        let code = |address: u32| {
            let index = address.checked_sub(0x200)? as usize / 2;
            CODE.get(index).copied()
        };
        let after = |word: &u32| is_risc_v_return(*word, code);
        let found: std::vec::Vec<_> = (0x1f0..0x240).filter(after).collect();
        assert_eq!(found, [0x204, 0x20c, 0x212, 0x216]);
    }
}
