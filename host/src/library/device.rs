//! A device for programs: a SUL with the names of its inputs.

use std::convert::Infallible;
use std::fmt::Debug;
use std::time::Duration;

use mealybug_core::{Input, Sul};

use crate::adapter::Adapter;
use crate::machine::Machine;
use crate::serial::{SerialSul, TimedLink};
use crate::simulate::Simulated;
use crate::word::quote;

/// What is learned: something that can be reset and asked, and the names of its inputs.
///
/// [`from_fn`](Self::from_fn) makes one of a type of your own. [`new`](Self::new) takes any
/// [`Sul`]. An [`Adapter`], a [`SerialSul`] and a complete [`Machine`] know their inputs:
/// `Device::from(adapter)`.
#[derive(Clone, Debug)]
pub struct Device<S> {
    pub(super) inputs: Vec<String>,
    pub(super) sul: S,
}

impl<S: Sul> Device<S> {
    /// A device whose input with number 0 has the first of these names, and so on.
    pub fn new(inputs: impl IntoIterator<Item: Into<String>>, sul: S) -> Self {
        Self { inputs: inputs.into_iter().map(Into::into).collect(), sul }
    }
}

impl Device<()> {
    /// A device made of a type of your own: `new` makes it, for each reset a new one, and `step` gives it
    /// an input and returns its output.
    ///
    /// ```
    /// use mealybug::{Device, LearnOptions, learn};
    ///
    /// #[derive(Clone, Copy, Debug)]
    /// enum Event { Press, Release }
    ///
    /// #[derive(Default)]
    /// struct Counter(u8);
    ///
    /// impl Counter {
    ///     fn handle(&mut self, event: Event) -> Option<u8> {
    ///         self.0 = (self.0 + u8::from(matches!(event, Event::Press))) % 3;
    ///         matches!(event, Event::Press).then_some(self.0)
    ///     }
    /// }
    ///
    /// let inputs = [Event::Press, Event::Release];
    /// let device = Device::from_fn(inputs, Counter::default, Counter::handle);
    /// let learned = learn(device, &LearnOptions::new())?;
    /// assert_eq!(learned.model().inputs(), ["Press", "Release"]);
    /// assert_eq!(learned.model().outputs(), ["Some(1)", "None", "Some(2)", "Some(0)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Inputs and outputs are named by their `Debug` form; a text or a character stands without its
    /// quotation marks. Outputs must not have what changes from run to run, such as an address or a time.
    ///
    /// If the device panics, so does what asks it, and standard error says after which word.
    pub fn from_fn<I, D, O>(
        inputs: impl IntoIterator<Item = I>,
        new: impl FnMut() -> D,
        step: impl FnMut(&mut D, I) -> O,
    ) -> Device<impl Sul<Error = Infallible>>
    where
        I: Clone + Debug,
        O: Debug,
    {
        let symbols: Vec<I> = inputs.into_iter().collect();
        let inputs = symbols.iter().map(name).collect();
        let sul = FunctionDevice {
            symbols,
            new,
            step,
            device: None,
            word: Vec::new(),
            is_called: false,
            output: String::new(),
        };
        Device { inputs, sul }
    }
}

impl From<Adapter> for Device<Adapter> {
    fn from(adapter: Adapter) -> Self {
        Self::new(adapter.inputs().to_vec(), adapter)
    }
}

impl<L: TimedLink> From<SerialSul<L>> for Device<SerialSul<L>> {
    fn from(sul: SerialSul<L>) -> Self {
        let inputs: Vec<_> = sul.device().inputs.iter().map(|input| input.name.clone()).collect();
        Self::new(inputs, sul)
    }
}

/// A simulated device; the machine must be complete.
impl<'m> From<&'m Machine> for Device<Simulated<'m>> {
    fn from(machine: &'m Machine) -> Self {
        Self::new(machine.inputs().to_vec(), Simulated::new(machine))
    }
}

/// A device made of functions.
struct FunctionDevice<I, D, N, F> {
    symbols: Vec<I>,
    new: N,
    step: F,
    /// `None` before the first reset.
    device: Option<D>,
    /// The names of the inputs since the reset.
    word: Vec<String>,
    /// Whether a function is being called.
    is_called: bool,
    output: String,
}

impl<I, D, N, F, O> Sul for FunctionDevice<I, D, N, F>
where
    I: Clone + Debug,
    N: FnMut() -> D,
    F: FnMut(&mut D, I) -> O,
    O: Debug,
{
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.word.clear();
        self.is_called = true;
        self.device = Some((self.new)());
        self.is_called = false;
        Ok(())
    }

    /// # Panics
    /// The device has no such input.
    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        let symbol = self.symbols[input.index() as usize].clone();
        self.word.push(name(&symbol));
        self.is_called = true;
        let device = self.device.get_or_insert_with(&mut self.new);
        self.output = name(&(self.step)(device, symbol));
        self.is_called = false;
        Ok(self.output.as_bytes())
    }

    /// No time, so that the words that are asked never depend on the load of the machine.
    fn elapsed(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }
}

/// Says which word made the device panic.
impl<I, D, N, F> Drop for FunctionDevice<I, D, N, F> {
    fn drop(&mut self) {
        if self.is_called && std::thread::panicking() {
            let word: Vec<_> = self.word.iter().map(|name| quote(name)).collect();
            eprintln!("the device panicked after a reset and `{}`", word.join(" "));
        }
    }
}

/// The `Debug` form, without the quotation marks of a text or a character.
fn name(symbol: &impl Debug) -> String {
    let text = format!("{symbol:?}");
    for mark in ['"', '\''] {
        let inner = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
        if let Some(inner) = inner {
            // In a text each such mark has a backslash.
            return inner.replace(&format!("\\{mark}"), &mark.to_string());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_debug_says_and_texts_have_no_quotation_marks() {
        assert_eq!(name(&"press"), "press");
        assert_eq!(name(&String::from("say \"x\"\n")), "say \"x\"\\n");
        assert_eq!(name(&Some("x")), "Some(\"x\")");
        assert_eq!([name(&'x'), name(&'\''), name(&'"')], ["x", "'", "\""]);
        assert_eq!([name(&()), name(&""), name(&b'x')], ["()", "", "120"]);
        // Different texts have different names.
        let texts = ["\\", "\"", "\\\"", "\n", "\\n", "\u{7f}", "\\u{7f}"];
        for (at, one) in texts.iter().enumerate() {
            assert!(texts[..at].iter().all(|other| name(other) != name(one)), "{one:?}");
        }
    }

    #[test]
    fn each_reset_makes_a_new_device() {
        let count = |count: &mut u32, _| {
            *count += 1;
            *count
        };
        let mut device = Device::from_fn(["up"], u32::default, count).sul;
        for _ in 0..2 {
            device.reset().expect("infallible");
            assert_eq!(device.step(Input::new(0)), Ok(&b"1"[..]));
            assert_eq!(device.step(Input::new(0)), Ok(&b"2"[..]));
        }
    }
}
