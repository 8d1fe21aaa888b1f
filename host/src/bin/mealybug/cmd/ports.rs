//! `mealybug ports`: the serial ports that there are.

use std::fmt::Write;

use clap::Args;
use mealybug::ports::{self, PortInfo};
use miette::{IntoDiagnostic, Result, WrapErr, miette};

use crate::exit::Exit;
use crate::terminal::say;

/// List the serial ports, and what is plugged into them.
///
/// The command opens no port, so it resets no board.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mealybug ports")]
pub(crate) struct PortsArgs {}

impl PortsArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let ports = ports::list().into_diagnostic().wrap_err("the system does not list ports")?;
        if ports.is_empty() {
            return Err(miette!(
                help = "is the device plugged in and on, and does its cable carry data? \
                        `sudo dmesg | tail` says what the system saw. To try without a device: \
                        `mealybug demo`",
                "there is no serial port"
            ));
        }
        say(&text(&ports));
        Ok(Exit::Done)
    }
}

/// A line for each port, and the name that stays beneath it.
fn text(ports: &[PortInfo]) -> String {
    let mut rows = vec![["PORT", "VID:PID", "SERIAL NUMBER", "WHAT IT IS"].map(str::to_owned)];
    rows.extend(ports.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            write!(text, "{cell:<width$}  ").expect("a string takes everything");
        }
        text += &row[3];
        text.push('\n');
        let port = number.checked_sub(1).map(|index| &ports[index]);
        if let Some(by_id) = port.and_then(|port| port.by_id.as_ref()) {
            writeln!(text, "  also {}", by_id.display()).expect("a string takes everything");
        }
    }
    text
}

fn row(port: &PortInfo) -> [String; 4] {
    let (id, serial) = match &port.usb {
        Some(usb) => {
            let id = format!("{}:{}", usb.vendor_id, usb.product_id);
            (id, usb.serial_number.clone().unwrap_or_else(|| "-".to_owned()))
        }
        None => ("-".to_owned(), "-".to_owned()),
    };
    let mine = if port.is_ours { "" } else { " (not yours to open)" };
    [port.path.display().to_string(), id, serial, format!("{}{mine}", port.description)]
}

#[cfg(test)]
mod tests {
    use mealybug::ports::Usb;

    use super::*;

    #[test]
    fn columns_are_aligned_and_names_that_stay_are_shown() {
        let ftdi = PortInfo {
            path: "/dev/ttyUSB0".into(),
            by_id: Some("/dev/serial/by-id/usb-FTDI-port0".into()),
            description: "FTDI FT232R USB UART".to_owned(),
            usb: Some(Usb {
                vendor_id: "0403".to_owned(),
                product_id: "6001".to_owned(),
                serial_number: Some("A50285BI".to_owned()),
            }),
            is_ours: false,
        };
        let built_in = PortInfo {
            path: "/dev/ttyS0".into(),
            by_id: None,
            description: "built in".to_owned(),
            usb: None,
            is_ours: true,
        };
        let expected = "\
PORT          VID:PID    SERIAL NUMBER  WHAT IT IS
/dev/ttyS0    -          -              built in
/dev/ttyUSB0  0403:6001  A50285BI       FTDI FT232R USB UART (not yours to open)
  also /dev/serial/by-id/usb-FTDI-port0
";
        assert_eq!(text(&[built_in, ftdi]), expected);
    }
}
