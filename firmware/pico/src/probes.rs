//! The learner on the Raspberry Pi Pico, for a device that the table `[probe]` of the host's device file describes. It may name
//! `reset` (GP6, low when active), `GP10` and `GP11` to the device, `GP12` and `GP13` from it (high when active), `GP14` to
//! `GP22` either way (open drains, low when active), and the bus `I2C0` (GP8, GP9).
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{NamedI2c, NamedPin, Probing, SensedPin, halt};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(PinState::High) else { halt() };
    let ([gp10, gp11], [gp12, gp13]) = (board.outputs, board.inputs);
    let active = PinState::High;
    let to = [
        NamedPin { name: "reset", pin: board.reset, active: PinState::Low },
        NamedPin { name: "GP10", pin: gp10, active },
        NamedPin { name: "GP11", pin: gp11, active },
    ];
    let from = [
        SensedPin { name: "GP12", pin: gp12, active },
        SensedPin { name: "GP13", pin: gp13, active },
    ];
    let bus = NamedI2c { name: "I2C0", bus: board.i2c };
    let device = Probing::new(((to, from), (board.named, bus)), board.delay);
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
