//! Fields of equal width packed into 32-bit words. The only module that knows the packing.
//!
//! Field `i` of width `w` lies in word `i / n`, bits `(i % n)·w ..`, where `n = ⌊32 / w⌋`: least
//! significant first, and no field straddles two words, so that a word can be compared as a whole.
//! What is left over at the top of a word is zero, and stays zero; so is what follows the last field.
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
    fn place(self, i: u32) -> (usize, u32) {
        // PERF: no division for what is read most, which is as wide as a word (see `Field::is_wide`;
        // docs/measurements/speed.txt).
        if cfg!(feature = "fast") && self.per_word == NonZeroU32::MIN {
            return (i as usize, 0);
        }
        ((i / self.per_word) as usize, (i % self.per_word) * self.width_bits.get())
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
        u32::MAX >> (u32::BITS - self.width_bits.get())
    }

    /// A word with `value` in each field.
    fn repeat(self, value: u32) -> u32 {
        let mut word = 0;
        let mut shift = 0;
        for _ in 0..self.per_word.get() {
            word |= (value & self.field_mask()) << shift;
            shift += self.width_bits.get();
        }
        word
    }

    /// Field `i` of those that begin with the word `start` of `words`; zero past their end.
    #[inline]
    pub(crate) fn get(self, words: &[u32], start: u32, i: u32) -> u32 {
        let (word, shift) = self.place(i);
        let word = words.get(start as usize + word).copied().unwrap_or(0);
        (word >> shift) & self.field_mask()
    }

    /// Puts `value` into field `i` of those that begin with the word `start` of `words`; nothing past
    /// their end.
    #[inline]
    pub(crate) fn set(self, words: &mut [u32], start: u32, i: u32, value: u32) {
        let (word, shift) = self.place(i);
        if let Some(word) = words.get_mut(start as usize + word) {
            *word = *word & !(self.field_mask() << shift) | (value & self.field_mask()) << shift;
        }
    }

    /// Finds values in all fields of a word at once.
    pub(crate) fn finder(self) -> Finder {
        let low = self.repeat(1);
        Finder { packing: self, low, high: low << (self.width_bits.get() - 1) }
    }
}

/// Finds values in all fields of a word at once, in a few word operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finder {
    packing: Packing,
    /// The lowest bit of each field.
    low: u32,
    /// The highest bit of each field.
    high: u32,
}

impl Finder {
    /// The pattern that [`keep`](Self::keep) wants for `value`.
    pub(crate) fn pattern(self, value: u32) -> u32 {
        self.low.wrapping_mul(value & self.packing.field_mask())
    }

    /// `word` with every field cleared that differs from the value of `pattern`.
    #[inline]
    pub(crate) fn keep(self, word: u32, pattern: u32) -> u32 {
        let differing = word ^ pattern;
        // The highest bit of a field is set iff the field differs: adding the mask of the lower
        // bits carries into it iff one of them is set, and never out of the field.
        let differs = (((differing & !self.high) + (self.high - self.low)) | differing) & self.high;
        let equal = self.high & !differs;
        word & (equal | (equal - (equal >> (self.packing.width_bits.get() - 1))))
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

    #[test]
    fn keep_is_what_a_loop_over_fields_does() {
        for width in 1..=16 {
            let packing = Packing::up_to(u32::MAX >> (32 - width));
            let finder = packing.finder();
            let mut word = 1_u32;
            for _ in 0..2000 {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let mut words = [0];
                for i in 0..packing.per_word() {
                    // Few values, so that fields are equal often.
                    packing.set(&mut words, 0, i, (word >> i) & 3);
                }
                for value in 0..4.min(1 << width) {
                    let kept = [finder.keep(words[0], finder.pattern(value))];
                    for i in 0..packing.per_word() {
                        let field = packing.get(&words, 0, i);
                        let expected = if field == value { value } else { 0 };
                        assert_eq!(
                            packing.get(&kept, 0, i),
                            expected,
                            "width {width} word {words:x?}"
                        );
                    }
                }
            }
        }
    }
}
