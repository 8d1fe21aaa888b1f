//! The rules by which to probe a device. The host makes them of a device file; here they lie one
//! after the other in bounded room.

use heapless::Vec;
use mealybug_core::Input;
use mealybug_core::wire::message::Refusal;
use mealybug_core::wire::probe::{MAX_PROBE_BYTES, MAX_SENSED, ProbeRule, ProbeStep};
use mealybug_core::wire::rule::Rule;

use crate::Offers;
use crate::arrived::Arrived;

/// The rules that have come so far.
#[derive(Debug)]
pub(crate) struct ProbeRules {
    arrived: Arrived,
    bytes: Vec<u8, MAX_PROBE_BYTES>,
}

impl ProbeRules {
    pub(crate) const fn new() -> Self {
        Self { arrived: Arrived::new(), bytes: Vec::new() }
    }

    /// Takes a rule, as [`Rules::take`](crate::Rules::take) does.
    pub(crate) fn take(
        &mut self,
        number: u32,
        rule: Rule<'_>,
        offers: &impl Offers,
    ) -> Result<(), Refusal> {
        let Rule::Probe(bytes) = rule else { return Err(Refusal::NoLine) };
        let Some((probe, [])) = ProbeRule::first(bytes) else { return Err(Refusal::NoRules) };
        if number == 0 {
            self.clear();
        }
        if self.arrived.has(number)? {
            return Ok(());
        }
        if probe.needs().is_some_and(|(kind, name)| !offers.has(kind, name)) {
            return Err(Refusal::NoOffer);
        }
        let is_too_much =
            matches!(probe, ProbeRule::Sense(_)) && self.sensed().count() == MAX_SENSED;
        if is_too_much || self.bytes.extend_from_slice(bytes).is_err() {
            return Err(Refusal::RulesFull);
        }
        self.arrived.note(rule);
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.arrived = Arrived::new();
        self.bytes.clear();
    }

    /// The [digest](Rule::digest) of the rules.
    pub(crate) fn digest(&self) -> u32 {
        self.arrived.digest()
    }

    /// Whether the rules suffice for learning.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let is_enough = self.inputs() > 0 && self.reset().is_some();
        if is_enough { Ok(()) } else { Err(Refusal::NoRules) }
    }

    /// The number of inputs.
    pub(crate) fn inputs(&self) -> u32 {
        self.named().fold(0, |count, _| count + 1)
    }

    /// The name of an input, and its steps.
    pub(crate) fn input(&self, input: Input) -> Option<(&[u8], ProbeSteps<'_>)> {
        self.named().nth(usize::try_from(input.index()).ok()?)
    }

    /// The steps of the reset.
    pub(crate) fn reset(&self) -> Option<ProbeSteps<'_>> {
        self.all().find_map(|(rule, rest)| (rule == ProbeRule::Reset).then_some(ProbeSteps(rest)))
    }

    /// The names of the sensed pins.
    pub(crate) fn sensed(&self) -> impl Iterator<Item = &[u8]> {
        self.all().filter_map(|(rule, _)| match rule {
            ProbeRule::Sense(pin) => Some(pin),
            _ => None,
        })
    }

    /// How long pins take to settle, and for how long they must then keep their levels, in
    /// microseconds.
    pub(crate) fn settle_us(&self) -> (u32, u32) {
        let settle = self.all().find_map(|(rule, _)| match rule {
            ProbeRule::Settle { settle_us, debounce_us } => Some((settle_us, debounce_us)),
            _ => None,
        });
        settle.unwrap_or_default()
    }

    fn named(&self) -> impl Iterator<Item = (&[u8], ProbeSteps<'_>)> {
        self.all().filter_map(|(rule, rest)| match rule {
            ProbeRule::Input(name) => Some((name, ProbeSteps(rest))),
            _ => None,
        })
    }

    /// All rules, each with the bytes after it.
    fn all(&self) -> impl Iterator<Item = (ProbeRule<'_>, &[u8])> {
        let mut left: &[u8] = &self.bytes;
        core::iter::from_fn(move || {
            let (rule, rest) = ProbeRule::first(left)?;
            left = rest;
            Some((rule, rest))
        })
    }
}

/// The steps of an input or of the reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProbeSteps<'r>(&'r [u8]);

impl<'r> Iterator for ProbeSteps<'r> {
    type Item = ProbeStep<'r>;

    fn next(&mut self) -> Option<ProbeStep<'r>> {
        let (rule, rest) = ProbeRule::first(self.0)?;
        let ProbeRule::Step(step) = rule else { return None };
        self.0 = rest;
        Some(step)
    }
}
