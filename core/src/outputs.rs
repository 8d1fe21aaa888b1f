//! The outputs, discovered while learning: names, numbers, and the component of each.
//!
//! What a device answers is raw bytes, a *name*. A name is kept as soon as it arrives; it becomes an
//! [`Output`] when the learner takes in the answer that it belongs to. With several words in flight
//! names arrive in any order, while answers are taken in in one order: so outputs are numbered as
//! they would be with one word at a time.
//!
//! Which component an output belongs to is a rule, not a list (see [`Projections`]): an output that
//! appears later and is in no declared group opens a group, and so a component, of its own.

use crate::alphabet::Output;
use crate::error::{Misuse, Refused, Resource};
use crate::hash;
use crate::memory::{Field, Format, Index, Memory, MemoryRef, fields, index};
use crate::options::Projections;

index! {
    /// The raw bytes of an output, numbered in the order of arrival.
    Name
}

index! {
    /// A component, one for each projection.
    ComponentId
}

impl ComponentId {
    /// The one after it.
    pub(crate) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

index! {
    /// A group of outputs that the caller declared.
    Group
}

index! {
    /// A byte of a name.
    Byte
}

index! {
    /// Names with one hash.
    NameBucket
}

fields! {
    after 0;
    /// Bytes of the names, one after the other.
    BYTE: Field<Byte> = Format::Packed;
    /// Where each name ends.
    END: Field<Name> = Format::Wide;
    /// The first name of each hash, plus one.
    HEAD: Field<NameBucket> = Format::Packed;
    /// The next name of the same hash, plus one.
    NEXT: Field<Name> = Format::Packed;
    /// The group declared for each name, plus one.
    GROUP: Field<Name> = Format::Packed;
    /// The output of each name, plus one.
    OUTPUT: Field<Name> = Format::Wide;
    /// The name of each output.
    NAME: Field<Output> = Format::Packed;
    /// The component of each output.
    COMPONENT: Field<Output> = Format::Packed;
    /// The component of each declared group, plus one.
    GROUP_COMPONENT: Field<Group> = Format::Packed;
}

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
    /// None yet.
    pub(crate) const NONE: Self = Self { names: 0, bytes: 0, outputs: 0, components: 0 };

    /// How many outputs are known.
    pub(crate) fn len(&self) -> u32 {
        self.outputs
    }

    /// How many names are known.
    pub(crate) fn names(&self) -> u32 {
        self.names
    }

    /// How many components have an output.
    pub(crate) fn components(&self) -> u32 {
        self.components
    }

    /// Whether all names are names of outputs.
    pub(crate) fn all_known(&self) -> bool {
        self.names == self.outputs
    }

    /// The number of a name that is known; `guess` is looked at first.
    #[inline]
    pub(crate) fn find_name(&self, m: &Memory<'_>, bytes: &[u8], guess: Name) -> Option<Name> {
        if guess.0 < self.names && name_bytes(m.read(), guess) == bytes {
            return Some(guess);
        }
        self.find_by_hash(m, bytes)
    }

    fn find_by_hash(&self, m: &Memory<'_>, bytes: &[u8]) -> Option<Name> {
        let mut chain = if self.names > 0 { m.get(HEAD, bucket(bytes)) } else { 0 };
        while let Some(name) = chain.checked_sub(1).map(Name) {
            if name_bytes(m.read(), name) == bytes {
                return Some(name);
            }
            chain = m.get(NEXT, name);
        }
        None
    }

    /// Keeps a name that is new.
    pub(crate) fn add_name(&mut self, m: &mut Memory<'_>, bytes: &[u8]) -> Result<Name, Refused> {
        let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX).saturating_add(self.bytes);
        let (name, len) = (Name(self.names), self.names.wrapping_add(1));
        m.reserve(
            Resource::Outputs,
            &[
                BYTE.list(end, 255),
                END.list(len, end),
                HEAD.list(BUCKETS, len),
                NEXT.list(len, len),
                GROUP.list(len, 0),
                OUTPUT.list(len, len),
            ],
        )?;
        let place = m.bytes_mut(BYTE).iter_mut().skip(self.bytes as usize);
        for (to, from) in place.zip(bytes) {
            *to = *from;
        }
        let bucket = bucket(bytes);
        m.set(END, name, end);
        m.set(NEXT, name, m.get(HEAD, bucket));
        m.set(HEAD, bucket, len);
        self.bytes = end;
        self.names = len;
        Ok(name)
    }

    /// Declares that the output of this name belongs to a group.
    pub(crate) fn declare(
        &mut self,
        m: &mut Memory<'_>,
        bytes: &[u8],
        group: u32,
    ) -> Result<(), Refused> {
        if self.outputs > 0 {
            return Err(m.refuse(Misuse::TooLate.into()));
        }
        let groups = group.checked_add(1).ok_or_else(|| m.refuse(Misuse::TooMany.into()))?;
        let name = match self.find_by_hash(m, bytes) {
            Some(name) => name,
            None => self.add_name(m, bytes)?,
        };
        let shapes = [GROUP.list(self.names, groups), GROUP_COMPONENT.list(groups, 0)];
        m.reserve(Resource::Outputs, &shapes)?;
        m.set(GROUP, name, groups);
        Ok(())
    }

    /// The output of a name, if an answer with it was taken in.
    pub(crate) fn known(&self, m: &Memory<'_>, name: Name) -> Option<Output> {
        m.get(OUTPUT, name).checked_sub(1).map(Output::new)
    }

    /// The output of a name: the answer that it belongs to is being taken in.
    pub(crate) fn take_in(
        &mut self,
        m: &mut Memory<'_>,
        projections: Projections,
        name: Name,
    ) -> Result<Output, Refused> {
        if let Some(output) = self.known(m, name) {
            return Ok(output);
        }
        let groups = m.get(GROUP, name);
        let group = groups.checked_sub(1).map(Group);
        let component = match (projections, group) {
            (Projections::Identity, _) => 0,
            (_, None) => self.components,
            (_, Some(group)) => {
                m.get(GROUP_COMPONENT, group).checked_sub(1).unwrap_or(self.components)
            }
        };
        let (output, len) = (Output::new(self.outputs), self.outputs.wrapping_add(1));
        let end = component.wrapping_add(1);
        let components = self.components.max(end);
        m.reserve(
            Resource::Outputs,
            &[
                NAME.list(len, self.names),
                COMPONENT.list(len, components),
                GROUP_COMPONENT.list(groups, components),
            ],
        )?;
        if let Some(group) = group {
            m.set(GROUP_COMPONENT, group, end);
        }
        m.set(OUTPUT, name, len);
        m.set(NAME, output, name.0);
        m.set(COMPONENT, output, component);
        self.outputs = len;
        self.components = components;
        Ok(output)
    }
}

/// The component of an output.
#[inline]
pub(crate) fn component_of(m: MemoryRef<'_>, output: Output) -> ComponentId {
    ComponentId(m.get(COMPONENT, output))
}

/// The name of an output.
pub(crate) fn name_of(m: MemoryRef<'_>, output: Output) -> Name {
    Name(m.get(NAME, output))
}

/// The bytes of an output.
pub(crate) fn output_bytes(m: MemoryRef<'_>, output: Output) -> &[u8] {
    name_bytes(m, name_of(m, output))
}

/// The bytes of a name.
fn name_bytes(m: MemoryRef<'_>, name: Name) -> &[u8] {
    let start = name.index().checked_sub(1).map_or(0, |before| m.get(END, Name(before)));
    let end = m.get(END, name);
    m.bytes(BYTE).get(start as usize..end as usize).unwrap_or(&[])
}

fn bucket(bytes: &[u8]) -> NameBucket {
    let hash = bytes.iter().fold(0, |hash, &byte| hash::mix(hash, byte.into()));
    NameBucket(hash::finish(hash) % BUCKETS)
}
