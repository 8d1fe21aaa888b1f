//! The outputs, discovered while learning: names, numbers, and the component of each.
//!
//! What a device answers is raw bytes, a *name*. A name is kept as soon as it arrives; it becomes an
//! [`Output`] when the learner takes in the answer that it belongs to. With several words in flight
//! names may arrive in any order, while answers are taken in in one order: so outputs are numbered
//! as they would be with one word at a time.
//!
//! # Projections
//!
//! A projection shows part of the output: *the output itself inside a block of outputs, ⊥ outside*.
//! The blocks are disjoint and cover all outputs, so a family of such projections is jointly
//! injective (paper, Definition 5) whatever the blocks: exactly one projection of an output is not
//! ⊥, and it is that output. One block for each output is the family `{1_y}` of OL*, one block of
//! all outputs is `{id}` of L*. Blocks are a rule, not a list: an output that appears later and is
//! in no declared block opens a block of its own.

use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};
use crate::{Misuse, Output};

/// How the outputs are divided into blocks; one component is learned for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Family {
    /// All outputs in one block: L*.
    Identity,
    /// A block for each output, but for the blocks declared: OL*.
    PerOutput,
}

/// The raw bytes of an output, numbered in the order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) u32);

/// How many names, outputs and components there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outputs {
    names: u32,
    bytes: u32,
    outputs: u32,
    components: u32,
}

/// Chains of names with one hash.
const BUCKETS: u32 = 64;

impl Outputs {
    /// Outputs known.
    pub(crate) fn len(&self) -> u32 {
        self.outputs
    }

    /// Blocks that have an output.
    pub(crate) fn components(&self) -> u32 {
        self.components
    }

    /// The number of a name, new or known; it may be `guess`.
    #[inline]
    pub(crate) fn name_like(
        &mut self,
        m: &mut Memory<'_>,
        bytes: &[u8],
        guess: Name,
    ) -> Result<Name, Stop> {
        if guess.0 < self.names && name_bytes(m.read(), guess) == bytes {
            return Ok(guess);
        }
        self.name(m, bytes)
    }

    /// Whether all names are names of outputs.
    pub(crate) fn all_known(&self) -> bool {
        self.names == self.outputs
    }

    /// The number of a name, new or known.
    pub(crate) fn name(&mut self, m: &mut Memory<'_>, bytes: &[u8]) -> Result<Name, Stop> {
        let bucket = hash(bytes) % BUCKETS;
        let known = self.names > 0;
        let mut chain = if known { m.get(Field::NameHead, bucket) } else { 0 };
        while let Some(name) = chain.checked_sub(1) {
            if name_bytes(m.read(), Name(name)) == bytes {
                return Ok(Name(name));
            }
            chain = m.get(Field::NameNext, name);
        }
        let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX).saturating_add(self.bytes);
        let len = self.names + 1;
        m.reserve(
            Resource::Outputs,
            &[
                Want::list(Field::NameByte, end, 255),
                Want::list(Field::NameEnd, len, end),
                Want::list(Field::NameHead, BUCKETS, len),
                Want::list(Field::NameNext, len, len),
                Want::list(Field::NameBlock, len, 0),
                Want::list(Field::NameOutput, len, len),
                Want::matrix(Field::LaneAnswer, 0, 1, len),
            ],
        )?;
        let place = m.bytes_mut(Field::NameByte).iter_mut().skip(self.bytes as usize);
        for (to, from) in place.zip(bytes) {
            *to = *from;
        }
        m.set(Field::NameEnd, self.names, end);
        m.set(Field::NameNext, self.names, m.get(Field::NameHead, bucket));
        m.set(Field::NameHead, bucket, len);
        self.bytes = end;
        self.names = len;
        Ok(Name(len - 1))
    }

    /// Declares that the output of this name belongs to `block`.
    pub(crate) fn declare(
        &mut self,
        m: &mut Memory<'_>,
        bytes: &[u8],
        block: u32,
    ) -> Result<(), Stop> {
        if self.outputs > 0 {
            return Err(m.refuse(Misuse::TooLate.into()));
        }
        let blocks = block.checked_add(1).ok_or_else(|| m.refuse(Misuse::TooMany.into()))?;
        let Name(name) = self.name(m, bytes)?;
        m.reserve(
            Resource::Outputs,
            &[
                Want::list(Field::NameBlock, self.names, blocks),
                Want::list(Field::BlockComponent, blocks, 0),
            ],
        )?;
        m.set(Field::NameBlock, name, blocks);
        Ok(())
    }

    /// The output of a name, if an answer with it was taken in.
    pub(crate) fn known(&self, m: &Memory<'_>, name: Name) -> Option<Output> {
        m.get(Field::NameOutput, name.0).checked_sub(1).map(Output::new)
    }

    /// The output of a name: the answer that it belongs to is being taken in.
    pub(crate) fn output(
        &mut self,
        m: &mut Memory<'_>,
        family: Family,
        name: Name,
    ) -> Result<Output, Stop> {
        if let Some(output) = self.known(m, name) {
            return Ok(output);
        }
        let block = m.get(Field::NameBlock, name.0);
        let component = match (family, block.checked_sub(1)) {
            (Family::Identity, _) => 0,
            (Family::PerOutput, None) => self.components,
            (Family::PerOutput, Some(block)) => {
                m.get(Field::BlockComponent, block).checked_sub(1).unwrap_or(self.components)
            }
        };
        let len = self.outputs + 1;
        let components = self.components.max(component + 1);
        m.reserve(
            Resource::Outputs,
            &[
                Want::list(Field::OutputName, len, self.names),
                Want::list(Field::OutputComponent, len, components),
                Want::list(Field::BlockComponent, block, components),
            ],
        )?;
        if let Some(block) = block.checked_sub(1) {
            m.set(Field::BlockComponent, block, component + 1);
        }
        m.set(Field::NameOutput, name.0, len);
        m.set(Field::OutputName, self.outputs, name.0);
        m.set(Field::OutputComponent, self.outputs, component);
        self.outputs = len;
        self.components = components;
        Ok(Output::new(len - 1))
    }
}

/// The bytes of a name.
fn name_bytes(m: Read<'_>, name: Name) -> &[u8] {
    let start = name.0.checked_sub(1).map_or(0, |before| m.get(Field::NameEnd, before));
    let end = m.get(Field::NameEnd, name.0);
    m.bytes(Field::NameByte).get(start as usize..end as usize).unwrap_or(&[])
}

/// The bytes of an output.
pub(crate) fn output_bytes(m: Read<'_>, output: Output) -> &[u8] {
    name_bytes(m, Name(m.get(Field::OutputName, output.index())))
}

/// FNV-1a, 32 bits.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
