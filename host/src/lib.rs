//! The host side of Mealybug: devices behind serial ports, simulation, models, reports.

pub mod device;
pub mod dot;
pub mod escape;
pub mod machine;
pub mod serial;
pub mod simulate;
