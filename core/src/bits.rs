//! Fields of equal width packed into 32-bit words. The only module that knows the packing.
//!
//! Field `i` of width `w` lies in word `i / n`, bits `(i % n)·w ..`, where `n = ⌊32 / w⌋`: least
//! significant first, and no field straddles two words, so that a word can be compared as a whole.
//! What is left over at the top of a word is zero, and stays zero; so is what follows the last field.
//!
//! Sums and shifts wrap, which asks for no proof that they do not: `0 < w ≤ 32`, so all shifts are below
//! 32, and a word past the end of the memory is zero.
//!
//! ```text
//!  w = 5:   bit 31  30 29 .. 25  24 .. 20   ...   9 .. 5   4 .. 0
//!               0 0   field 5    field 4   ...   field 1  field 0
//! ```

use core::num::NonZeroU32;

/// How fields of one width are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    width_bits: NonZeroU32,
    per_word: NonZeroU32,
}

impl Packing {
    /// Fields that hold the values `0..=max`.
    pub(crate) const fn up_to(max: u32) -> Self {
        let width = u32::BITS - max.leading_zeros();
        match NonZeroU32::new(width) {
            None => Self { width_bits: NonZeroU32::MIN, per_word: Self::WORD_BITS },
            Some(width_bits) => match NonZeroU32::new(u32::BITS / width_bits.get()) {
                None => Self { width_bits, per_word: NonZeroU32::MIN },
                Some(per_word) => Self { width_bits, per_word },
            },
        }
    }

    const WORD_BITS: NonZeroU32 = match NonZeroU32::new(u32::BITS) {
        Some(bits) => bits,
        None => NonZeroU32::MIN,
    };

    /// The word that field `i` is in, and where in it the field begins.
    #[inline]
    fn place(self, i: u32) -> (u32, u32) {
        (i / self.per_word, (i % self.per_word).wrapping_mul(self.width_bits.get()))
    }

    /// Whether each field has a word of its own.
    // PERF: what is read most has (see `Format::is_wide`): no division, and no other field to be kept
    // (docs/measurements/speed.txt).
    #[inline]
    fn has_own_words(self) -> bool {
        cfg!(feature = "fast") && self.per_word == NonZeroU32::MIN
    }

    /// Fields in a word.
    pub(crate) const fn per_word(self) -> u32 {
        self.per_word.get()
    }

    /// The wider of two packings.
    pub(crate) fn max(self, other: Self) -> Self {
        if self.width_bits >= other.width_bits { self } else { other }
    }

    /// Words that hold `len` fields.
    pub(crate) const fn words(self, len: u32) -> u32 {
        len.div_ceil(self.per_word.get())
    }

    /// The bits of field 0.
    const fn field_mask(self) -> u32 {
        u32::MAX.wrapping_shr(u32::BITS.wrapping_sub(self.width_bits.get()))
    }

    /// Field `i` of those that begin with the word `start` of `words`; zero past their end.
    #[inline]
    pub(crate) fn get(self, words: &[u32], start: u32, i: u32) -> u32 {
        let word = |place: u32| words.get(start.wrapping_add(place) as usize).copied().unwrap_or(0);
        if self.has_own_words() {
            return word(i);
        }
        let (place, shift) = self.place(i);
        word(place).wrapping_shr(shift) & self.field_mask()
    }

    /// Puts `value` into field `i` of those that begin with the word `start` of `words`; nothing past
    /// their end.
    #[inline]
    pub(crate) fn set(self, words: &mut [u32], start: u32, i: u32, value: u32) {
        let (place, shift) = if self.has_own_words() { (i, 0) } else { self.place(i) };
        let mask = self.field_mask();
        let Some(word) = words.get_mut(start.wrapping_add(place) as usize) else { return };
        *word = if self.has_own_words() {
            value & mask
        } else {
            *word & !mask.wrapping_shl(shift) | (value & mask).wrapping_shl(shift)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Packing;

    #[test]
    fn a_field_is_as_wide_as_its_largest_value() {
        for (max, width) in
            [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (255, 8), (256, 9), (u32::MAX, 32)]
        {
            assert_eq!(Packing::up_to(max).width_bits.get(), width, "0..={max}");
        }
    }

    #[test]
    fn fields_are_independent_and_the_rest_stays_zero() {
        for width in 1..=32 {
            let packing = Packing::up_to(u32::MAX >> (32 - width));
            let len = 3 * packing.per_word() + 1;
            let mut words = [0; 100];
            let mut naive = [0; 100];
            let mut value = 12345_u32;
            for round in 0..5 * len {
                let i = round * 7 % len;
                value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                packing.set(&mut words, 0, i, value);
                naive[i as usize] = value & packing.field_mask();
                for j in 0..len {
                    assert_eq!(
                        packing.get(&words, 0, j),
                        naive[j as usize],
                        "width {width}, field {j}"
                    );
                }
            }
            let bits = packing.per_word() * width;
            for word in words {
                assert_eq!(u64::from(word) >> bits, 0, "width {width}");
            }
            assert!(words.iter().skip(packing.words(len) as usize).all(|&w| w == 0));
        }
    }
}
