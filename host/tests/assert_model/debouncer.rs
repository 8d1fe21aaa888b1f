//! A button that bounces: samples in, events out.

use mealybug::{Device, assert_model};

/// The level of the pin at a tick of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Pressed,
    Held,
    Released,
}

/// This many equal samples in a row are no bounce.
const STABLE: u8 = 3;
/// A button is held if it is down for this many more.
const HELD: u8 = 2;

struct Debouncer {
    is_down: bool,
    /// How many samples in a row differ from what is believed.
    differing: u8,
    /// For how many ticks the button has been down, up to [`HELD`].
    down_for: u8,
}

impl Debouncer {
    fn new() -> Self {
        Self { is_down: false, differing: 0, down_for: 0 }
    }

    fn sample(&mut self, sample: Sample) -> Option<Event> {
        if (sample == Sample::Down) == self.is_down {
            self.differing = 0;
            if self.is_down && self.down_for < HELD {
                self.down_for += 1;
                return (self.down_for == HELD).then_some(Event::Held);
            }
            return None;
        }
        self.differing += 1;
        if self.differing < STABLE {
            return None;
        }
        (self.is_down, self.differing, self.down_for) = (!self.is_down, 0, 0);
        Some(if self.is_down { Event::Pressed } else { Event::Released })
    }
}

#[test]
fn the_debouncer_does_what_its_model_says() {
    let samples = [Sample::Up, Sample::Down];
    let device = Device::from_fn(samples, Debouncer::new, Debouncer::sample);
    assert_model!("tests/models/debouncer.dot", device);
}
