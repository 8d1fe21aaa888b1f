//! What the end-to-end tests share: real programs as devices, and the golden models they are
//! compared with.
//!
//! Two devices are programs that nobody here wrote: `rx`, the XMODEM receiver of lrzsz
//! ([`rx`], [`rx_bridge`]), and the U-Boot console in QEMU ([`uboot`], [`console`]). Each has a
//! folder in `tests/devices/` with its device file, its golden model, and a README that says how
//! the model was checked.

pub mod console;
pub mod golden;
pub mod line;
pub mod models;
pub mod needs;
pub mod pty;
pub mod replay;
pub mod rx;
pub mod rx_bridge;
pub mod tool;
pub mod uboot;

use std::path::PathBuf;

/// A file in `tests/devices/`, such as `rx/device.toml`.
pub fn device_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("devices").join(name)
}
