//! The one hash of numbers: for chains, counters and digests.
//!
//! A multiplication by 2³² divided by the golden ratio and a rotation (Knuth, *The Art of Computer
//! Programming* 3, section 6.4). It need not withstand an adversary: a collision costs time only.

/// Mixes a number into a hash. The first hash is 0.
#[inline]
pub(crate) const fn mix(hash: u32, value: u32) -> u32 {
    (hash ^ value).wrapping_mul(0x9e37_79b1).rotate_left(15)
}

/// Mixes the upper half of a hash into its lower half, from which a remainder is taken.
#[inline]
pub(crate) const fn finish(hash: u32) -> u32 {
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_spread() {
        let mut buckets = [0; 64];
        for a in 0..64 {
            for b in 0..64 {
                buckets[finish(mix(mix(0, a), b)) as usize % 64] += 1;
            }
        }
        assert!(buckets.iter().all(|count| (32..128).contains(count)), "{buckets:?}");
    }
}
