//! What commonly goes wrong with a device file, noticed while the device is being asked.

mod varying;

pub use varying::Varying;
