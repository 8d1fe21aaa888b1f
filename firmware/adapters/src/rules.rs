//! How to talk to a device: what the host made of a device file, in bounded room.

use mealybug_core::Input;
use mealybug_core::wire::message::{Refusal, Rule};

/// The most inputs.
pub const MAX_INPUTS: usize = 64;

/// The most steps of a reset.
pub const MAX_RESET_STEPS: usize = 8;

/// The most bytes of all texts together: what is sent, what is expected, names.
pub const MAX_TEXT: usize = 2048;

/// The rules that have come so far.
#[derive(Debug)]
pub struct Rules {
    taken: u32,
    text: [u8; MAX_TEXT],
    text_len: usize,
    pub(crate) reply: Option<ReplyRule>,
    strip: Text,
    silent: Text,
    resets: List<ResetStep, MAX_RESET_STEPS>,
    inputs: List<InputRule, MAX_INPUTS>,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    start: usize,
    len: usize,
}

/// How a reply ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyRule {
    pub(crate) ends_with: Text,
    pub(crate) lines: u32,
    pub(crate) quiet_ms: u32,
    pub(crate) within_ms: u32,
}

/// A step of a reset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResetStep {
    pub(crate) send: Text,
    pub(crate) expect: Text,
    pub(crate) within_ms: u32,
    pub(crate) quiet_ms: u32,
}

/// An input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputRule {
    name: Text,
    pub(crate) act: Act,
}

/// What an input does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    Send(Text),
    Wait { ms: u32 },
}

impl Rules {
    /// There are none yet.
    pub const fn new() -> Self {
        let none = Text { start: 0, len: 0 };
        let step = ResetStep { send: none, expect: none, within_ms: 0, quiet_ms: 0 };
        let input = InputRule { name: none, act: Act::Wait { ms: 0 } };
        Self {
            taken: 0,
            text: [0; MAX_TEXT],
            text_len: 0,
            reply: None,
            strip: none,
            silent: none,
            resets: List { items: [step; MAX_RESET_STEPS], len: 0 },
            inputs: List { items: [input; MAX_INPUTS], len: 0 },
        }
    }

    /// Takes a rule. Number 0 begins anew; the last one is not taken twice, as a host repeats it
    /// when our answer was lost.
    ///
    /// # Errors
    /// A rule before it is missing, or there is no room; the rules are as they were.
    pub fn take(&mut self, number: u32, rule: Rule<'_>) -> Result<(), Refusal> {
        if number == 0 {
            self.clear();
        } else if number + 1 == self.taken {
            return Ok(());
        } else if number != self.taken {
            return Err(Refusal::RuleMissing);
        }
        let text_len = self.text_len;
        let taken = self.add(rule);
        match taken {
            Some(()) => self.taken = number.saturating_add(1),
            None => self.text_len = text_len,
        }
        taken.ok_or(Refusal::RulesFull)
    }

    /// Whether there is enough to learn by.
    ///
    /// # Errors
    /// [`Refusal::NoRules`].
    pub fn check(&self) -> Result<(), Refusal> {
        let enough = self.reply.is_some() && self.inputs.len > 0 && self.resets.len > 0;
        if enough { Ok(()) } else { Err(Refusal::NoRules) }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        u32::try_from(self.inputs.len).unwrap_or(u32::MAX)
    }

    /// The name of an input; nothing for one that there is not.
    pub fn input_name(&self, input: Input) -> &[u8] {
        self.input(input).map_or(&[], |input| self.text(input.name))
    }

    pub(crate) fn act(&self, input: Input) -> Option<Act> {
        self.input(input).map(|input| input.act)
    }

    fn input(&self, input: Input) -> Option<&InputRule> {
        let index = usize::try_from(input.index()).ok()?;
        self.inputs.iter().nth(index)
    }

    pub(crate) fn reset_step(&self, at: usize) -> Option<ResetStep> {
        self.resets.iter().nth(at).copied()
    }

    pub(crate) fn silent(&self) -> &[u8] {
        self.text(self.silent)
    }

    /// Whether a byte counts for nothing.
    pub(crate) fn strips(&self, byte: u8) -> bool {
        self.text(self.strip).contains(&byte)
    }

    pub(crate) fn text(&self, text: Text) -> &[u8] {
        let from = self.text.get(text.start..).unwrap_or(&[]);
        from.get(..text.len).unwrap_or(&[])
    }

    // Not `*self = Self::new()`, which needs the room of all rules on the stack.
    fn clear(&mut self) {
        let none = Text { start: 0, len: 0 };
        self.taken = 0;
        self.text_len = 0;
        self.reply = None;
        self.strip = none;
        self.silent = none;
        self.resets.len = 0;
        self.inputs.len = 0;
    }

    /// `None` when there is no room.
    fn add(&mut self, rule: Rule<'_>) -> Option<()> {
        match rule {
            Rule::Reply { ends_with, lines, quiet_ms, within_ms } => {
                let ends_with = self.keep(ends_with)?;
                self.reply = Some(ReplyRule { ends_with, lines, quiet_ms, within_ms });
            }
            Rule::Strip(bytes) => self.strip = self.keep(bytes)?,
            Rule::Silent(name) => self.silent = self.keep(name)?,
            Rule::Reset { send, expect, within_ms, quiet_ms } => {
                let (send, expect) = (self.keep(send)?, self.keep(expect)?);
                self.resets.push(ResetStep { send, expect, within_ms, quiet_ms })?;
            }
            Rule::Input { name, send } => {
                let (name, send) = (self.keep(name)?, self.keep(send)?);
                self.inputs.push(InputRule { name, act: Act::Send(send) })?;
            }
            Rule::Wait { name, ms } => {
                let name = self.keep(name)?;
                self.inputs.push(InputRule { name, act: Act::Wait { ms } })?;
            }
        }
        Some(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Option<Text> {
        let text = Text { start: self.text_len, len: bytes.len() };
        let room = self.text.get_mut(text.start..)?;
        let room = room.get_mut(..text.len)?;
        for (place, byte) in room.iter_mut().zip(bytes) {
            *place = *byte;
        }
        self.text_len += text.len;
        Some(text)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

/// So many things at most.
#[derive(Debug)]
struct List<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T, const N: usize> List<T, N> {
    fn push(&mut self, item: T) -> Option<()> {
        *self.items.get_mut(self.len)? = item;
        self.len += 1;
        Some(())
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().take(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &[u8]) -> Rule<'_> {
        Rule::Input { name, send: b"x" }
    }

    fn names(rules: &Rules) -> std::vec::Vec<&[u8]> {
        (0..rules.inputs()).map(|input| rules.input_name(Input::new(input))).collect()
    }

    #[test]
    fn rules_come_in_order_and_the_last_may_come_twice() {
        let mut rules = Rules::new();
        assert_eq!(rules.check(), Err(Refusal::NoRules));
        assert_eq!(rules.take(1, input(b"a")), Err(Refusal::RuleMissing));
        for (number, name) in [(0, b"a"), (1, b"b"), (1, b"b"), (2, b"c")] {
            assert_eq!(rules.take(number, input(name)), Ok(()));
        }
        assert_eq!(rules.take(1, input(b"b")), Err(Refusal::RuleMissing));
        assert_eq!(names(&rules), [b"a", b"b", b"c"]);
        assert_eq!(rules.take(0, input(b"d")), Ok(()));
        assert_eq!(names(&rules), [b"d"]);
    }

    #[test]
    fn so_much_fits_and_no_more() {
        let mut rules = Rules::new();
        for number in 0..rules.inputs.items.len() {
            let number = u32::try_from(number).expect("few");
            assert_eq!(rules.take(number, input(b"a")), Ok(()));
        }
        let number = rules.inputs();
        assert_eq!(rules.take(number, input(b"a")), Err(Refusal::RulesFull));
        assert_eq!((rules.inputs(), rules.text_len), (number, 2 * MAX_INPUTS));
        assert_eq!(rules.take(number, Rule::Silent(b"s")), Ok(()), "there is room for others");

        let text = [b'x'; MAX_TEXT];
        let send: &[u8] = &text[..MAX_TEXT - 1];
        assert_eq!(rules.take(0, Rule::Input { name: b"n", send }), Ok(()));
        assert_eq!(rules.take(1, Rule::Silent(b"s")), Err(Refusal::RulesFull));
        assert_eq!(rules.take(1, Rule::Wait { name: b"", ms: 1 }), Ok(()));
        assert_eq!(rules.take(0, Rule::Input { name: b"nn", send }), Err(Refusal::RulesFull));
    }
}
