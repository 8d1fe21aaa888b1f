//! Shared code of the end-to-end tests: real programs as devices, and their golden models.
//!
//! Some devices are firmware of this repository in QEMU ([`board`], [`alone`], [`qemu`]). Two are
//! programs by other people: `rx`, the XMODEM receiver of lrzsz ([`rx`], [`rx_bridge`]), and the
//! U-Boot console in QEMU ([`uboot`], [`console`]). Each has a folder in `tests/devices/` with its
//! device file, its golden model, and a README that says how the model was checked.

pub mod alone;
pub mod asked;
pub mod averages;
pub mod board;
pub mod cable;
pub mod console;
pub mod fuzz;
pub mod hardware;
pub mod labgrid;
pub mod learned;
pub mod line;
pub mod models;
pub mod needs;
pub mod pace;
pub mod pty;
pub mod qemu;
pub mod replay;
pub mod repository;
pub mod rx;
pub mod rx_bridge;
pub mod ser2net;
pub mod simulated;
pub mod stand_in;
pub mod target;
pub mod tool;
pub mod toy;
pub mod uboot;
pub mod verdict;
pub mod wait;
pub mod wires;
pub mod workloads;

/// Tests the example in the core's README, like those in the docs.
#[cfg(doctest)]
#[doc = include_str!("../../core/README.md")]
#[derive(Debug)]
pub struct CoreReadme;

use std::path::{Path, PathBuf};

use mealybug::dot;
use mealybug::machine::Machine;

/// A file in `tests/devices/`, such as `rx/device.toml`.
pub fn device_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("devices").join(name)
}

/// A golden model in `tests/devices/`, such as `rx/golden.dot`: the behaviour of a device, written
/// down once and checked by hand.
///
/// # Panics
/// There is no such model, or it is not minimal, so a state was written down twice.
pub fn golden(name: &str) -> Machine {
    let model = model(&device_file(name));
    assert_eq!(model.minimise().states(), model.states(), "{name} is minimal");
    model
}

/// The machine in a DOT file.
///
/// # Panics
/// The file cannot be read, or holds no machine.
pub fn model(path: &Path) -> Machine {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    dot::read(&path.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"))
}
