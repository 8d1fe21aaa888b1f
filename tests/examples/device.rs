//! Starts one of the real devices and keeps it running until ENTER, for trying things by hand:
//! `cargo run -p mealybug-tests --example device -- rx` (or `uboot`).

use std::error::Error;
use std::io;

use mealybug_tests::device_file;
use mealybug_tests::rx_bridge::{FOLDER_VARIABLE, RxBridge};
use mealybug_tests::uboot::UBoot;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    match name.as_deref() {
        Some("rx") => {
            let bridge = RxBridge::open()?;
            println!("export {FOLDER_VARIABLE}={}", bridge.folder().display());
            keep(bridge.port(), "rx/device.toml")
        }
        Some("uboot") => {
            let uboot = UBoot::start()?;
            keep(uboot.port(), "uboot/device.toml")
        }
        _ => Err("which one: rx or uboot?".into()),
    }
}

/// Prints how to learn the device behind `port`, and waits for ENTER.
fn keep(port: &std::path::Path, device: &str) -> Result<(), Box<dyn Error>> {
    println!("mealybug learn --port {} {}", port.display(), device_file(device).display());
    println!("ENTER ends it");
    io::stdin().read_line(&mut String::new())?;
    Ok(())
}
