//! The host side of Mealybug: devices behind serial ports, simulation, models, reports.

pub mod demo_lock;
pub mod dot;
pub mod machine;
pub mod simulate;
