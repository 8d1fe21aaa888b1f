//! The rules by which to talk to a device. The host makes them of a device file; here they have
//! bounded room.

use heapless::Vec;
use mealybug_core::Input;
use mealybug_core::wire::message::Refusal;
use mealybug_core::wire::rule::{
    MAX_INPUTS, MAX_REPLIES, MAX_RESETS, MAX_STEPS, MAX_STRIPS, MAX_TEXT, ReplyRule, ResetRule,
    Rule, Span, Step,
};

use crate::arrived::Arrived;
use crate::automaton::Automaton;

/// The rules that have come so far.
#[derive(Debug)]
pub struct Rules {
    arrived: Arrived,
    shows_line_errors: bool,
    text: Vec<u8, MAX_TEXT>,
    skip: Span,
    strips: Vec<Span, MAX_STRIPS>,
    replies: Vec<ReplyRule, MAX_REPLIES>,
    resets: Vec<(ResetRule, Steps), MAX_RESETS>,
    inputs: Vec<InputSteps, MAX_INPUTS>,
    steps: Vec<Step, MAX_STEPS>,
}

/// A range of steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    first: u16,
    count: u16,
}

/// What an input does, and how the reply to its last step ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InputSteps {
    name: Span,
    pub(crate) reply: u8,
    pub(crate) steps: Steps,
}

impl Rules {
    /// No rules.
    pub const fn new() -> Self {
        Self {
            arrived: Arrived::new(),
            shows_line_errors: false,
            text: Vec::new(),
            skip: Span { start: 0, len: 0 },
            strips: Vec::new(),
            replies: Vec::new(),
            resets: Vec::new(),
            inputs: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Takes a rule. Rule 0 starts a new set. The last rule may come twice, because a host repeats
    /// it when our answer was lost; the second time it is ignored.
    ///
    /// # Errors
    /// An earlier rule is missing, or there is no room; the rules stay as they were.
    pub fn take(&mut self, number: u32, rule: Rule<'_>) -> Result<(), Refusal> {
        if number == 0 {
            self.clear();
        }
        if self.arrived.has(number)? {
            return Ok(());
        }
        self.add(rule).ok_or(Refusal::RulesFull)?;
        self.arrived.note(rule);
        Ok(())
    }

    /// Whether a rule has its turn, or comes a second time.
    ///
    /// # Errors
    /// [`Refusal::RuleMissing`].
    pub(crate) fn expect(&self, number: u32) -> Result<(), Refusal> {
        // Rule 0 always has.
        if number == 0 { Ok(()) } else { self.arrived.has(number).map(|_| ()) }
    }

    /// The [digest](Rule::digest) of the rules.
    pub fn digest(&self) -> u32 {
        self.arrived.digest()
    }

    /// Whether the rules suffice for learning.
    ///
    /// # Errors
    /// [`Refusal::NoRules`].
    pub fn check(&self) -> Result<(), Refusal> {
        let enough = !self.replies.is_empty() && !self.inputs.is_empty() && !self.resets.is_empty();
        if enough { Ok(()) } else { Err(Refusal::NoRules) }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> u32 {
        u32::try_from(self.inputs.len()).unwrap_or(u32::MAX)
    }

    /// The name of an input; empty if there is no such input.
    pub fn input_name(&self, input: Input) -> &[u8] {
        self.input(input).map_or(&[], |input| self.text(input.name))
    }

    /// Whether an error on the line is an output.
    pub(crate) fn shows_line_errors(&self) -> bool {
        self.shows_line_errors
    }

    /// What an input does.
    pub(crate) fn input(&self, input: Input) -> Option<InputSteps> {
        self.inputs.get(usize::try_from(input.index()).ok()?).copied()
    }

    /// How a reply ends.
    pub(crate) fn reply(&self, number: u8) -> ReplyRule {
        self.replies.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// A way to reset the device.
    pub(crate) fn reset(&self, number: usize) -> Option<(ResetRule, Steps)> {
        self.resets.get(number).copied()
    }

    /// A step of the range, counted from 0.
    pub(crate) fn step(&self, steps: Steps, at: u16) -> Option<Step> {
        let at = steps.first.checked_add(at).filter(|_| at < steps.count)?;
        self.steps.get(usize::from(at)).copied()
    }

    /// Whether a byte does not count.
    pub(crate) fn skips(&self, byte: u8) -> bool {
        self.text(self.skip).contains(&byte)
    }

    /// Whether there are `strip` patterns, which remove more than single bytes.
    pub(crate) fn has_strips(&self) -> bool {
        !self.strips.is_empty()
    }

    /// Moves the bytes that count to the front and returns their number.
    pub(crate) fn clean(&self, text: &mut [u8]) -> usize {
        let skipped =
            remove(text, |rest| usize::from(rest.first().is_some_and(|&byte| self.skips(byte))));
        self.strips.iter().fold(skipped, |len, &strip| {
            let text = text.get_mut(..len).unwrap_or_default();
            remove(text, |rest| self.automaton(strip).accepted_len(rest))
        })
    }

    pub(crate) fn automaton(&self, span: Span) -> Automaton<'_> {
        Automaton(self.text(span))
    }

    pub(crate) fn text(&self, span: Span) -> &[u8] {
        let from = self.text.as_slice().get(span.start.into()..).unwrap_or_default();
        from.get(..span.len.into()).unwrap_or_default()
    }

    // Not `*self = Self::new()`, which would need room for all rules on the stack.
    pub(crate) fn clear(&mut self) {
        self.arrived = Arrived::new();
        self.shows_line_errors = false;
        self.text.clear();
        self.skip = Span::default();
        self.strips.clear();
        self.replies.clear();
        self.resets.clear();
        self.inputs.clear();
        self.steps.clear();
    }

    /// Returns `None` when there is no room, or nothing that the rule belongs to.
    fn add(&mut self, rule: Rule<'_>) -> Option<()> {
        let steps = Steps { first: u16::try_from(self.steps.len()).ok()?, count: 0 };
        match rule {
            Rule::Text(bytes) => self.text.extend_from_slice(bytes).ok(),
            Rule::Skip(bytes) => {
                self.skip = bytes;
                Some(())
            }
            // It is a matter of the line.
            Rule::Line(_) => Some(()),
            // No conversation takes it.
            Rule::Probe(_) => None,
            Rule::ShowLineErrors => {
                self.shows_line_errors = true;
                Some(())
            }
            Rule::Strip(by) => self.strips.push(by).ok(),
            Rule::Reply(reply) => self.replies.push(reply).ok(),
            Rule::Reset(reset) => self.resets.push((reset, steps)).ok(),
            Rule::Input { name, reply } => self.inputs.push(InputSteps { name, reply, steps }).ok(),
            Rule::Step(step) => {
                let reset = self.resets.last_mut().map(|(_, steps)| steps);
                let input = self.inputs.last_mut().map(|input| &mut input.steps);
                let owner = input.or(reset)?;
                self.steps.push(step).ok()?;
                owner.count += 1;
                Some(())
            }
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

/// At each position removes as many bytes as `removed` returns for the rest of the text. Returns
/// the length of what is left.
fn remove(text: &mut [u8], removed: impl Fn(&[u8]) -> usize) -> usize {
    let (mut from, mut to) = (0, 0);
    while let Some((&byte, rest)) = text.get(from..).and_then(|rest| Some((rest.first()?, rest))) {
        match removed(rest) {
            0 => {
                if let Some(place) = text.get_mut(to) {
                    *place = byte;
                }
                from += 1;
                to += 1;
            }
            removed => from += removed,
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Span = Span { start: 0, len: 1 };

    fn input(start: u16) -> Rule<'static> {
        Rule::Input { name: Span { start, ..NAME }, reply: 0 }
    }

    fn names(rules: &Rules) -> std::vec::Vec<&[u8]> {
        (0..rules.inputs()).map(|input| rules.input_name(Input::new(input))).collect()
    }

    #[test]
    fn rules_come_in_order_and_the_last_may_come_twice() {
        let mut rules = Rules::new();
        assert_eq!(rules.check(), Err(Refusal::NoRules));
        assert_eq!(rules.take(1, input(0)), Err(Refusal::RuleMissing));
        assert_eq!(rules.take(0, Rule::Text(b"ab")), Ok(()));
        for (number, rule) in [(1, Rule::Text(b"c")), (1, Rule::Text(b"c")), (2, input(0))] {
            assert_eq!(rules.take(number, rule), Ok(()));
        }
        for (number, start) in [(3, 1), (3, 1), (4, 2)] {
            assert_eq!(rules.take(number, input(start)), Ok(()));
        }
        assert_eq!(rules.take(3, input(1)), Err(Refusal::RuleMissing));
        let all = [Rule::Text(b"ab"), Rule::Text(b"c"), input(0), input(1), input(2)];
        assert_eq!(rules.digest(), all.iter().fold(0, |before, rule| rule.digest(before)));
        assert_eq!(names(&rules), [b"a", b"b", b"c"]);
        assert_eq!(rules.take(0, Rule::Text(b"d")), Ok(()));
        assert_eq!(rules.take(1, input(0)), Ok(()));
        assert_eq!(names(&rules), [b"d"]);
    }

    #[test]
    fn steps_belong_to_what_came_before_them() {
        let step = |ms| Rule::Step(Step::Wait { ms });
        let reset = Rule::Reset(ResetRule::default());
        let mut rules = Rules::new();
        assert_eq!(rules.take(0, step(1)), Err(Refusal::RulesFull), "nothing came before it");
        let all = [reset, step(1), reset, step(2), step(3), input(0), input(0), step(4)];
        for (number, rule) in (0..).zip(all) {
            assert_eq!(rules.take(number, rule), Ok(()));
        }
        let ms = |steps: Option<Steps>| -> std::vec::Vec<_> {
            let step = |at| rules.step(steps.unwrap_or_default(), at);
            (0..).map_while(step).collect()
        };
        let wait = |ms| Step::Wait { ms };
        assert_eq!(ms(rules.reset(0).map(|reset| reset.1)), [wait(1)]);
        assert_eq!(ms(rules.reset(1).map(|reset| reset.1)), [wait(2), wait(3)]);
        assert_eq!(ms(rules.reset(2).map(|reset| reset.1)), []);
        assert_eq!(ms(rules.input(Input::new(0)).map(|input| input.steps)), []);
        assert_eq!(ms(rules.input(Input::new(1)).map(|input| input.steps)), [wait(4)]);
        assert!(rules.input(Input::new(2)).is_none());
    }

    #[test]
    fn so_much_fits_and_no_more() {
        let mut rules = Rules::new();
        for number in 0..MAX_INPUTS {
            let number = u32::try_from(number).expect("few");
            assert_eq!(rules.take(number, input(0)), Ok(()));
        }
        let number = rules.inputs();
        assert_eq!(rules.take(number, input(0)), Err(Refusal::RulesFull));
        assert_eq!(rules.inputs(), number);
        assert_eq!(rules.take(number, Rule::Text(b"s")), Ok(()), "there is room for others");

        assert_eq!(rules.take(0, Rule::Text(&[b'x'; MAX_TEXT - 1])), Ok(()));
        assert_eq!(rules.take(1, Rule::Text(b"yz")), Err(Refusal::RulesFull));
        assert_eq!(rules.take(1, Rule::Text(b"y")), Ok(()));
        let last = Span { start: u16::try_from(MAX_TEXT - 1).expect("small"), len: 1 };
        assert_eq!(rules.text(last), b"y");
        assert_eq!(rules.text(Span { len: 2, ..last }), b"", "beyond the text");
        assert_eq!(rules.take(2, Rule::Text(b"z")), Err(Refusal::RulesFull));
    }
}
