//! The programs of `firmware/` in QEMU, built by `tests/run firmware`.

mod agent;
mod boards;
mod crashes;
mod devices;
mod faults;
mod figures;
mod log;
mod on_target;
mod pins;
mod rate;
mod ten_thousand;
