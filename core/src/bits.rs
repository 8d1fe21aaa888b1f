//! Numbers of equal width packed into 32-bit words. The only module that knows the packing.
//!
//! Number `i` of width `w` lies in the bits `i·w ..` of the words, least significant first; it may begin
//! in one word and end in the next. What is left over at the top of the last word is zero.
//!
//! ```text
//!  w = 5:   word 1                             word 0
//!     ... 9 8 7 .. 3  2 1 0 | bit 31 30  29 .. 25  24 .. 20   ...   9 .. 5   4 .. 0
//!         number 7   number 6            number 5  number 4   ...  number 1 number 0
//! ```
//!
//! Sums and shifts wrap, which asks for no proof that they do not: `0 < w ≤ 32`, so all shifts are below
//! 32, and a word past the end of the memory is zero.

use core::num::NonZeroU32;

/// How numbers of one width are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    width_bits: NonZeroU32,
}

impl Packing {
    /// Numbers `0..=max`.
    pub(crate) const fn up_to(max: u32) -> Self {
        match NonZeroU32::new(u32::BITS - max.leading_zeros()) {
            None => Self { width_bits: NonZeroU32::MIN },
            Some(width_bits) => Self { width_bits },
        }
    }

    /// The word in which number `i` begins, and at which of its bits.
    #[inline]
    fn place(self, start: u32, i: u32) -> (usize, u32) {
        // OK: the bits of a field that is laid out can be counted (see `words`).
        let bit = (i as usize).wrapping_mul(self.width_bits.get() as usize);
        ((start as usize).wrapping_add(bit / 32), i.wrapping_mul(self.width_bits.get()) % 32)
    }

    /// Whether each number has a word of its own.
    // PERF: fields that are read most have a word for each number (see `Format::is_wide`): no shift, and no other number to
    // be kept (docs/measurements/speed.txt).
    #[inline]
    fn has_own_words(self) -> bool {
        cfg!(feature = "fast") && self.width_bits.get() == u32::BITS
    }

    /// The wider of two packings.
    pub(crate) fn max(self, other: Self) -> Self {
        if self.width_bits >= other.width_bits { self } else { other }
    }

    /// Words that hold `len` numbers; `u32::MAX` if their bits cannot be counted.
    pub(crate) fn words(self, len: u32) -> u32 {
        let bits = (len as usize).checked_mul(self.width_bits.get() as usize);
        bits.and_then(|bits| u32::try_from(bits.div_ceil(32)).ok()).unwrap_or(u32::MAX)
    }

    /// The bits of a number.
    const fn mask(self) -> u32 {
        u32::MAX.wrapping_shr(u32::BITS.wrapping_sub(self.width_bits.get()))
    }

    /// How many bits of a number that begins at bit `shift` are in the next word.
    #[inline]
    fn bits_in_next(self, shift: u32) -> u32 {
        shift.wrapping_add(self.width_bits.get()).saturating_sub(u32::BITS)
    }

    /// Number `i` of those that begin with the word `start` of `words`; zero past their end.
    #[cfg_attr(feature = "fast", inline)]
    #[cfg_attr(not(feature = "fast"), inline(never))]
    pub(crate) fn get(self, words: &[u32], start: u32, i: u32) -> u32 {
        let word = |place: usize| words.get(place).copied().unwrap_or(0);
        if self.has_own_words() {
            return word((start as usize).wrapping_add(i as usize));
        }
        let (place, shift) = self.place(start, i);
        let mut value = word(place).wrapping_shr(shift);
        if self.bits_in_next(shift) > 0 {
            value |= word(place.wrapping_add(1)).wrapping_shl(u32::BITS.wrapping_sub(shift));
        }
        value & self.mask()
    }

    /// Puts `value` in the place of number `i` of those that begin with the word `start` of `words`;
    /// nothing past their end.
    #[cfg_attr(feature = "fast", inline)]
    #[cfg_attr(not(feature = "fast"), inline(never))]
    pub(crate) fn set(self, words: &mut [u32], start: u32, i: u32, value: u32) {
        let mut put = |place: usize, mask: u32, bits: u32| {
            if let Some(word) = words.get_mut(place) {
                *word = *word & !mask | bits;
            }
        };
        if self.has_own_words() {
            return put((start as usize).wrapping_add(i as usize), u32::MAX, value);
        }
        let (place, shift) = self.place(start, i);
        let (mask, value) = (self.mask(), value & self.mask());
        put(place, mask.wrapping_shl(shift), value.wrapping_shl(shift));
        if self.bits_in_next(shift) > 0 {
            let back = u32::BITS.wrapping_sub(shift);
            put(place.wrapping_add(1), mask.wrapping_shr(back), value.wrapping_shr(back));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Packing;

    #[test]
    fn a_number_is_as_wide_as_the_largest() {
        for (max, width) in
            [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (255, 8), (256, 9), (u32::MAX, 32)]
        {
            assert_eq!(Packing::up_to(max).width_bits.get(), width, "0..={max}");
        }
    }

    #[test]
    fn numbers_are_independent_and_the_rest_stays_zero() {
        for width in 1..=32 {
            let packing = Packing::up_to(u32::MAX >> (32 - width));
            for start in [0, 3] {
                let len = 97;
                let mut words = [0; 110];
                let mut naive = [0; 97];
                let mut value = 12345_u32;
                for round in 0..5 * len {
                    let i = round * 7 % len;
                    value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    packing.set(&mut words, start, i, value);
                    naive[i as usize] = value & packing.mask();
                    for j in 0..len {
                        let number = packing.get(&words, start, j);
                        assert_eq!(number, naive[j as usize], "width {width}, number {j}");
                    }
                }
                let end = start + packing.words(len);
                let rest = words.iter().skip(end as usize);
                assert!(rest.chain(&words[..start as usize]).all(|&word| word == 0));
                let bits = len * width % 32;
                assert!(bits == 0 || words[end as usize - 1] >> bits == 0, "width {width}");
            }
        }
    }

    #[test]
    fn words_hold_all_bits() {
        for (width, len, words) in [(1, 32, 1), (1, 33, 2), (5, 6, 1), (5, 7, 2), (32, 7, 7)] {
            let packing = Packing::up_to(u32::MAX >> (32 - width));
            assert_eq!(packing.words(len), words, "{len} numbers of {width} bits");
        }
    }
}
