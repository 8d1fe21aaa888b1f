//! The pins of the edge connector, as a device file with `[probe]` may name them.

use embedded_hal::digital::PinState;
use mealybug_adapters::{NamedPin, Probing, SensedPin};
use microbit::board::Edge;
use microbit::hal::gpio::{Floating, Input, Level, Output, Pin, PushPull};

use crate::Delay;

/// A device at the edge connector.
pub type EdgeProbing =
    Probing<([NamedPin<Pin<Output<PushPull>>>; 3], [SensedPin<Pin<Input<Floating>>>; 2]), Delay>;

/// A device at the edge connector, which a host says how to probe. To it go `button` (pin 0), `lid` (pin
/// 1) and `reset` (pin 2, active low); from it come `washing` (pin 8) and `spinning` (pin 12).
pub fn probing(edge: Edge) -> EdgeProbing {
    let (low, high) = (PinState::Low, PinState::High);
    let to = [
        (edge.e00.into_push_pull_output(Level::Low).degrade(), "button", high),
        (edge.e01.into_push_pull_output(Level::Low).degrade(), "lid", high),
        (edge.e02.into_push_pull_output(Level::High).degrade(), "reset", low),
    ];
    let from = [
        (edge.e08.into_floating_input().degrade(), "washing"),
        (edge.e12.into_floating_input().degrade(), "spinning"),
    ];
    let to = to.map(|(pin, name, active)| NamedPin { name, pin, active });
    let from = from.map(|(pin, name)| SensedPin { name, pin, active: high });
    Probing::new((to, from), Delay)
}
