//! Chooses the family: the partition of the inputs, or of the outputs, whose components have the fewest states.
//!
//! Counted on the [sample](super::sample), a component has as many states as there are words that are pairwise
//! apart for it. Parts are merged, two at a time, as long as the component of both has fewer states than the two have
//! together: then they depend on each other. What is independent stays apart: together two such components
//! have as many states as the product of their numbers. All partitions are measured on the same words, so that what was
//! not asked yet speaks for none of them.
//!
//! Words that are the same as far as was asked may turn out to be apart, so the sample counts too few states of a
//! part. [`Experience`] corrects that. If the components of a division have more states than the whole is known to have,
//! the learner leaves the division. It notes how many states the sample hid, and adds them to later counts. And if the
//! largest component that was learned has about as many states as the product of two parts of it, these are
//! independent, though a full sample does not show it.

use core::ops::Range;

use super::family::{self, Atom, Family};
use super::sample::{self, GROUPS, Pick, Sample};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::outputs::ComponentId;
use crate::progress::Forecast;

index! {
    /// A part, and 32 words of the sample.
    PartBits
}

fields! {
    before sample::FIELDS_START;
    /// From which other words each word of the sample is apart for a part. A part has the number of its first atom.
    APART: Field<Pick, PartBits> = Format::Packed;
    /// The states of the component of each part; zero for a part that was merged into another.
    STATES: Field<Atom> = Format::Packed;
    /// The part of each atom.
    PART: Field<Atom> = Format::Packed;
    /// The later part with which each part is merged best; in the end its component.
    PARTNER: Field<Atom> = Format::Packed;
    /// How many states fewer there are then.
    GAIN: Field<Atom> = Format::Packed;
    /// One for each atom of the largest component.
    IN_LARGEST: Field<Atom> = Format::Packed;
    /// How many of these each part has.
    SHARE: Field<Atom> = Format::Packed;
}

/// How good a family is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RatedDivision {
    /// The states of all components without their initial states.
    states: u32,
    parts: u32,
}

impl RatedDivision {
    fn all_states(self) -> u32 {
        self.states.saturating_add(self.parts)
    }

    /// Fewer states; of as many, more parts: what is divided already is not learned together.
    fn is_better_than(self, other: Self) -> bool {
        (self.states, other.parts) < (other.states, self.parts)
    }
}

/// The largest component of a division so far.
#[derive(Clone, Copy, Debug)]
struct Largest {
    /// Its states, without its initial state. The whole has no fewer.
    states: u32,
    atoms: u32,
}

impl Largest {
    fn all_states(self) -> u32 {
        self.states.saturating_add(1)
    }
}

/// What learning has shown that the sample does not. States are counted without initial states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Experience {
    largest: Largest,
    /// How many states of a division that was left the sample did not show.
    hidden: u32,
}

impl Experience {
    /// None.
    pub(super) const fn new() -> Self {
        Self { largest: Largest { states: 0, atoms: 0 }, hidden: 0 }
    }

    /// Learning a division has found states: notes the largest component. `atoms` is how many there are in all,
    /// `divided` are those that the division divides.
    fn note_largest(
        &mut self,
        m: &mut Memory<'_>,
        (now, found): (Family, StatesFound),
        (atoms, divided): (u32, &Range<u32>),
    ) {
        if found.largest <= self.largest.states {
            return;
        }
        self.largest = Largest { states: found.largest, atoms: 0 };
        // All of them, since the largest component before may be one of the other division.
        for atom in (0..atoms).map(Atom) {
            let is_in = divided.contains(&atom.0)
                && now.of_atom(m, atom, divided.start) == found.largest_component;
            m.set(IN_LARGEST, atom, u32::from(is_in));
            self.largest.atoms = self.largest.atoms.wrapping_add(u32::from(is_in));
        }
    }

    /// Learning a division has found states; the sample rates the whole and the division.
    fn learn(&mut self, found: StatesFound, whole: RatedDivision, rated: RatedDivision) {
        let whole = whole.states.max(self.largest.states).max(found.product);
        if found.states > whole {
            self.hidden = self.hidden.max(found.states.saturating_sub(rated.states));
        }
    }

    /// A division with as many states as it will turn out to have.
    fn correct(self, rated: RatedDivision) -> RatedDivision {
        RatedDivision { states: rated.states.saturating_add(self.hidden), ..rated }
    }
}

/// How many states learning has found so far, without initial states.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatesFound {
    /// Of all components.
    pub(super) states: u32,
    /// Of the largest component.
    pub(super) largest: u32,
    /// The largest component.
    pub(super) largest_component: ComponentId,
    /// Of the last hypothesis.
    pub(super) product: u32,
}

/// Chooses a family that is better than the one that is learned now, if there is one; says why, and how many
/// words were compared.
pub(super) fn choose(
    m: &mut Memory<'_>,
    sample: Sample,
    experience: &mut Experience,
    (now, found): (Family, StatesFound),
) -> Result<(Option<Family>, Forecast, u32), Refused> {
    let (inputs, outputs) = (sample.inputs(), sample.outputs());
    let atoms = outputs.end;
    let (len, room) = (sample.len() | 7, atoms | 15);
    m.reserve(
        Resource::Tree,
        &[
            APART.matrix(len, room.saturating_mul(GROUPS), u32::MAX),
            STATES.list(room, u32::MAX),
            PART.list(room, room),
            PARTNER.list(room, room),
            GAIN.list(room, u32::MAX),
            IN_LARGEST.list(room, 1),
            SHARE.list(room, room),
        ],
    )?;
    family::reserve_parts(m, room)?;
    let whole = RatedDivision { states: sample.len().saturating_sub(1), parts: 1 };
    let rated_now = match now {
        Family::Identity => whole,
        _ => {
            let divided = if let Family::Inputs { .. } = now { &inputs } else { &outputs };
            experience.note_largest(m, (now, found), (atoms, divided));
            let rated = Blocks::new(sample, divided, experience.largest).rate_family(m, now);
            experience.learn(found, whole, rated);
            experience.correct(rated)
        }
    };
    let [mut of_inputs, mut of_outputs] =
        [&inputs, &outputs].map(|atoms| Blocks::new(sample, atoms, experience.largest));
    let by_input = experience.correct(of_inputs.merge(m));
    let by_output = experience.correct(of_outputs.merge(m));
    let best = [by_input, by_output]
        .into_iter()
        .fold(whole, |best, rated| if rated.is_better_than(best) { rated } else { best });
    let better = if !best.is_better_than(rated_now) {
        None
    } else if best == whole {
        Some(Family::Identity)
    } else if best == by_input {
        of_inputs.keep(m);
        Some(Family::Inputs { parts: best.parts })
    } else {
        of_outputs.keep(m);
        let groups = outputs.end.saturating_sub(outputs.start);
        Some(Family::Outputs { parts: best.parts, groups })
    };
    let forecast = Forecast {
        whole: whole.all_states(),
        outputs: by_output.all_states(),
        inputs: by_input.all_states(),
        output_components: by_output.parts,
        input_components: by_input.parts,
    };
    Ok((better, forecast, of_inputs.compared.saturating_add(of_outputs.compared)))
}

/// A partition of the inputs, or of the groups of outputs.
struct Blocks {
    sample: Sample,
    atoms: Range<u32>,
    largest: Largest,
    /// How many words were compared with all that came before.
    compared: u32,
}

impl Blocks {
    fn new(sample: Sample, atoms: &Range<u32>, largest: Largest) -> Self {
        Self { sample, atoms: atoms.clone(), largest, compared: 0 }
    }

    fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        self.atoms.clone().map(Atom)
    }

    /// Rates a family.
    fn rate_family(&mut self, m: &mut Memory<'_>, family: Family) -> RatedDivision {
        // Components are numbered in the order of their first atoms.
        let mut parts = 0_u32;
        for atom in self.atoms() {
            self.begin(m, atom);
            let component = family.of_atom(m, atom, self.atoms.start).0;
            if component == parts {
                m.set(PARTNER, Atom(component), atom.0);
                parts = parts.wrapping_add(1);
            } else {
                self.unite(m, (Atom(m.get(PARTNER, Atom(component))), atom));
            }
        }
        for part in self.atoms() {
            if m.get(STATES, part) > 0 {
                let states = self.own_states(m, part);
                m.set(STATES, part, states);
            }
        }
        self.rate(m)
    }

    /// Makes an atom a part of its own.
    fn begin(&self, m: &mut Memory<'_>, atom: Atom) {
        for pick in self.sample.picks() {
            for group in self.sample.groups() {
                let apart = Sample::apart(m, pick, atom, group);
                m.put(APART, pick, bits(atom, group), apart);
            }
        }
        m.set(PART, atom, atom.0);
        m.set(STATES, atom, 1);
        m.set(SHARE, atom, m.get(IN_LARGEST, atom));
    }

    /// Merges the second part into the first.
    fn unite(&self, m: &mut Memory<'_>, (to, from): (Atom, Atom)) {
        for pick in self.sample.picks() {
            for group in self.sample.groups() {
                let both = [to, from].map(|part| m.at(APART, pick, bits(part, group)));
                m.put(APART, pick, bits(to, group), both[0] | both[1]);
            }
        }
        m.set(PART, from, to.0);
        m.set(STATES, from, 0);
        let share = m.get(SHARE, to).wrapping_add(m.get(SHARE, from));
        m.set(SHARE, to, share);
    }

    /// Adds the states of all parts.
    fn rate(&self, m: &Memory<'_>) -> RatedDivision {
        let parts = self.atoms().map(|part| m.get(STATES, part)).filter(|&states| states > 0);
        parts.fold(RatedDivision { states: 0, parts: 0 }, |rated, states| RatedDivision {
            states: rated.states.saturating_add(states.saturating_sub(1)),
            parts: rated.parts.saturating_add(1),
        })
    }

    /// Merges parts as long as there are fewer states then.
    fn merge(&mut self, m: &mut Memory<'_>) -> RatedDivision {
        let mut trivial = None;
        for atom in self.atoms() {
            self.begin(m, atom);
            let states = self.own_states(m, atom);
            m.set(STATES, atom, states);
            // All that has only one state is one part.
            let first = if states == 1 { *trivial.get_or_insert(atom) } else { atom };
            if first != atom {
                m.set(PART, atom, first.0);
                m.set(STATES, atom, 0);
            }
        }
        for part in self.atoms() {
            self.find_partner(m, part);
        }
        while let Some(part) = self.best(m) {
            let partner = Atom(m.get(PARTNER, part));
            let states = self.states_together(m, (part, partner));
            self.unite(m, (part, partner));
            m.set(STATES, part, states);
            for other in self.atoms() {
                let merged = Atom(m.get(PARTNER, other));
                if other == part || merged == part || merged == partner {
                    self.find_partner(m, other);
                } else if other < part {
                    self.consider(m, (other, part));
                }
            }
        }
        self.rate(m)
    }

    /// The part that gains the most when it is merged with its partner.
    fn best(&self, m: &Memory<'_>) -> Option<Atom> {
        let mut best = None;
        let mut most = 0;
        for part in self.atoms() {
            let gain = if m.get(STATES, part) > 0 { m.get(GAIN, part) } else { 0 };
            if gain > most {
                (best, most) = (Some(part), gain);
            }
        }
        best
    }

    /// Finds the later part with which a part is merged best.
    fn find_partner(&mut self, m: &mut Memory<'_>, part: Atom) {
        m.set(GAIN, part, 0);
        m.set(PARTNER, part, part.0);
        for other in self.atoms().filter(|&other| other > part) {
            self.consider(m, (part, other));
        }
    }

    /// Makes a later part the partner of a part if that is better than the one it has.
    fn consider(&mut self, m: &mut Memory<'_>, (part, other): (Atom, Atom)) {
        let (states, more) = (m.get(STATES, part), m.get(STATES, other));
        // Merging saves no more than all states of the smaller one, without its initial state.
        if states.min(more).saturating_sub(1) > m.get(GAIN, part) {
            let merged = self.states_together(m, (part, other));
            let gain = states.saturating_add(more).saturating_sub(1).saturating_sub(merged);
            if gain > m.get(GAIN, part) {
                m.set(GAIN, part, gain);
                m.set(PARTNER, part, other.0);
            }
        }
    }

    /// How many states the component of a part has.
    fn own_states(&mut self, m: &Memory<'_>, part: Atom) -> u32 {
        let counted = self.count(m, (part, part));
        if self.is_known(m.get(SHARE, part)) {
            counted.max(self.largest.all_states())
        } else {
            counted
        }
    }

    /// How many states the component of two parts has. If it is known to have less than half of their product, they
    /// may depend on each other, and only the sample speaks.
    fn states_together(&mut self, m: &Memory<'_>, (one, other): (Atom, Atom)) -> u32 {
        let counted = self.count(m, (one, other));
        let share = m.get(SHARE, one).wrapping_add(m.get(SHARE, other));
        let product = m.get(STATES, one).saturating_mul(m.get(STATES, other));
        let known = self.largest.all_states();
        if self.is_known(share) && known >= product / 2 { counted.max(known) } else { counted }
    }

    /// Whether the states of a part are known from learning. It has all atoms of the largest component, of which
    /// `share` are in it, and the sample cannot show more states.
    fn is_known(&self, share: u32) -> bool {
        self.sample.is_full() && self.largest.atoms > 0 && share == self.largest.atoms
    }

    /// How many words of the sample are pairwise apart for one of two parts.
    fn count(&mut self, m: &Memory<'_>, (one, other): (Atom, Atom)) -> u32 {
        self.compared = self.compared.saturating_add(self.sample.len());
        let mut basis = [0_u32; GROUPS as usize];
        let mut len = 0_u32;
        for pick in self.sample.picks() {
            let is_apart = basis.iter().zip(self.sample.groups()).all(|(basis, group)| {
                let [one, other] = [one, other].map(|part| m.at(APART, pick, bits(part, group)));
                basis & !(one | other) == 0
            });
            if is_apart {
                len = len.wrapping_add(1);
                if let Some(basis) = basis.get_mut((pick.0 / 32) as usize) {
                    *basis |= 1 << (pick.0 % 32);
                }
            }
        }
        len
    }

    /// Makes the parts the components of a family.
    fn keep(&self, m: &mut Memory<'_>) {
        let mut parts = 0_u32;
        for atom in self.atoms() {
            // A part has the number of its first atom, which comes before all others.
            let mut part = atom;
            while m.get(PART, part) != part.0 {
                part = Atom(m.get(PART, part));
            }
            if part == atom {
                m.set(PARTNER, atom, parts);
                parts = parts.wrapping_add(1);
            }
            let component = ComponentId(m.get(PARTNER, part));
            family::set_part(m, Atom(atom.0.wrapping_sub(self.atoms.start)), component);
        }
    }
}

fn bits(part: Atom, group: u32) -> PartBits {
    PartBits(part.0.wrapping_mul(GROUPS).wrapping_add(group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Layout;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn only_the_atoms_of_the_largest_component_are_noted() {
        let (mut words, mut layout) = (vec![0; 1 << 10], Layout::new());
        let m = &mut Memory::new(&mut words, &mut layout);
        m.reserve(Resource::Tree, &[IN_LARGEST.list(6, 1)]).expect("room");
        let mut experience = Experience::new();
        let divisions = [(Family::PerOutput, 3..6), (Family::PerInput, 0..3)];
        for ((family, divided), (largest, noted)) in divisions.into_iter().zip([(5, 4), (9, 1)]) {
            let largest_component = ComponentId(1);
            let found = StatesFound { states: 20, largest, largest_component, product: 20 };
            experience.note_largest(m, (family, found), (6, &divided));
            let atoms: Vec<u32> =
                (0..6).filter(|&atom| m.get(IN_LARGEST, Atom(atom)) > 0).collect();
            assert_eq!((atoms, experience.largest.atoms), (vec![noted], 1), "{family:?}");
        }
    }
}
