//! The serial ports of this computer, and what is plugged in there.
//!
//! They are read from `/sys/class/tty` and `/dev/serial/by-id`, which the kernel and udev maintain.
//! No port is opened: that would change DTR, which resets many boards.
//!
//! The port library can list ports, too. But without libudev it misses the on-board ports of most
//! single-board computers, and lists ports that a PC does not have.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// A serial port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// The path, such as `/dev/ttyUSB0`.
    pub path: PathBuf,
    /// A path that leads to this adapter wherever it is plugged in.
    pub by_id: Option<PathBuf>,
    /// A short description.
    pub description: String,
    /// The description in the USB device.
    pub usb: Option<Usb>,
    /// Whether this user may open it.
    pub is_ours: bool,
}

/// What a USB device says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usb {
    /// The vendor ID, four hex digits.
    pub vendor_id: String,
    /// The product ID, four hex digits.
    pub product_id: String,
    /// The serial number, if the device has one.
    pub serial_number: Option<String>,
}

/// The ports of this computer, ordered by name.
///
/// # Errors
/// The list cannot be read: there is no `/sys`.
pub fn list() -> io::Result<Vec<PortInfo>> {
    list_in(Path::new("/"))
}

/// The ports of the computer whose file system is at `root`.
fn list_in(root: &Path) -> io::Result<Vec<PortInfo>> {
    let by_id = by_id(&root.join("dev/serial/by-id"));
    let mut ports = Vec::new();
    for entry in fs::read_dir(root.join("sys/class/tty"))? {
        let terminal = entry?.path();
        let Some(name) = terminal.file_name() else { continue };
        let path = root.join("dev").join(name);
        let Some((description, usb)) = describe(&terminal).filter(|_| path.exists()) else {
            continue;
        };
        let by_id = path.canonicalize().ok().and_then(|path| by_id.get(&path).cloned());
        let is_ours = access(&path, Access::READ_OK | Access::WRITE_OK).is_ok();
        ports.push(PortInfo { path, by_id, description, usb, is_ours });
    }
    ports.sort_by_cached_key(|port| natural(&port.path.to_string_lossy()));
    Ok(ports)
}

/// The stable names of ports, by the ports that they lead to.
fn by_id(folder: &Path) -> HashMap<PathBuf, PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.map(|entry| entry.path());
    links.filter_map(|link| Some((link.canonicalize().ok()?, link))).collect()
}

/// Describes a terminal; `None` if it is not a serial port, or has no hardware.
fn describe(terminal: &Path) -> Option<(String, Option<Usb>)> {
    if terminal.file_name()?.to_string_lossy().starts_with("rfcomm") {
        return Some(("Bluetooth".to_owned(), None));
    }
    // Consoles and pseudo-terminals have no device.
    let device = terminal.join("device").canonicalize().ok()?;
    // Type 0 means that no hardware was found.
    if read(terminal, "type").as_deref() == Some("0") {
        return None;
    }
    let usb = device.ancestors().find(|folder| folder.join("idVendor").exists());
    let Some(folder) = usb else {
        let driver = device.join("driver").canonicalize().ok();
        let driver = driver.as_ref().and_then(|driver| driver.file_name()).unwrap_or_default();
        return Some(match driver.to_string_lossy() {
            driver if driver.is_empty() => ("built in".to_owned(), None),
            driver => (format!("built in ({driver})"), None),
        });
    };
    let words: Vec<_> =
        ["manufacturer", "product"].into_iter().filter_map(|file| read(folder, file)).collect();
    let usb = Usb {
        vendor_id: read(folder, "idVendor").unwrap_or_default(),
        product_id: read(folder, "idProduct").unwrap_or_default(),
        serial_number: read(folder, "serial"),
    };
    let description = if words.is_empty() { "USB".to_owned() } else { words.join(" ") };
    Some((description, Some(usb)))
}

/// The contents of a kernel file, if there are any.
fn read(folder: &Path, file: &str) -> Option<String> {
    let text = fs::read(folder.join(file)).ok()?;
    let text = String::from_utf8_lossy(&text);
    let text: String = text.trim().chars().filter(|c| !c.is_control()).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// A sort key that puts `ttyUSB2` before `ttyUSB10`.
fn natural(name: &str) -> (String, u64) {
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (stem, number) = name.split_at(digits);
    (stem.to_owned(), number.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A computer made of files.
    struct Computer(tempfile::TempDir);

    impl Computer {
        fn new() -> Self {
            let computer = Self(tempfile::tempdir().expect("a folder"));
            fs::create_dir_all(computer.path("sys/class/tty")).expect("a folder");
            fs::create_dir_all(computer.path("dev/serial/by-id")).expect("a folder");
            computer
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.path(path);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            fs::write(path, text).expect("a file");
        }

        /// Adds a terminal whose device is in this folder of `/sys/devices`.
        fn terminal(&self, name: &str, device: Option<&str>) {
            self.write(&format!("dev/{name}"), "");
            let folder = self.path(&format!("sys/class/tty/{name}"));
            fs::create_dir_all(&folder).expect("a folder");
            if let Some(device) = device {
                let device = self.path(&format!("sys/devices/{device}"));
                fs::create_dir_all(&device).expect("a folder");
                symlink(device, folder.join("device")).expect("a link");
            }
        }

        fn list(&self) -> Vec<PortInfo> {
            list_in(self.0.path()).expect("there is a /sys")
        }
    }

    #[test]
    fn a_usb_adapter_says_what_it_is() {
        let computer = Computer::new();
        // The layout of an FTDI adapter in the kernel: device, interface, port.
        computer.terminal("ttyUSB0", Some("usb1/1-2/1-2:1.0/ttyUSB0"));
        computer.write("sys/devices/usb1/idVendor", "1d6b\n");
        for (file, text) in [
            ("idVendor", "0403\n"),
            ("idProduct", "6001\n"),
            ("manufacturer", "FTDI\n"),
            ("product", "FT232R USB UART\n"),
            ("serial", "A50285BI\n"),
        ] {
            computer.write(&format!("sys/devices/usb1/1-2/{file}"), text);
        }
        let link = computer.path("dev/serial/by-id/usb-FTDI-port0");
        symlink("../../ttyUSB0", &link).expect("a link");
        // An ACM device has no folder for its port, and may lack a serial number.
        computer.terminal("ttyACM0", Some("usb1/1-3/1-3:1.0"));
        computer.write("sys/devices/usb1/1-3/idVendor", "2e8a");
        computer.write("sys/devices/usb1/1-3/idProduct", "000a");
        let usb = |vendor: &str, product: &str, serial: Option<&str>| Usb {
            vendor_id: vendor.to_owned(),
            product_id: product.to_owned(),
            serial_number: serial.map(str::to_owned),
        };
        let expected = [
            PortInfo {
                path: computer.path("dev/ttyACM0"),
                by_id: None,
                description: "USB".to_owned(),
                usb: Some(usb("2e8a", "000a", None)),
                is_ours: true,
            },
            PortInfo {
                path: computer.path("dev/ttyUSB0"),
                by_id: Some(link),
                description: "FTDI FT232R USB UART".to_owned(),
                usb: Some(usb("0403", "6001", Some("A50285BI"))),
                is_ours: true,
            },
        ];
        assert_eq!(computer.list(), expected);
    }

    #[test]
    fn consoles_and_places_without_a_port_are_left_out() {
        let computer = Computer::new();
        for name in ["console", "tty0", "ptmx"] {
            computer.terminal(name, None);
        }
        for number in [10, 2, 0] {
            computer.terminal(&format!("ttyS{number}"), Some(&format!("platform/{number}")));
            let kind = if number == 0 { "0\n" } else { "4\n" };
            computer.write(&format!("sys/class/tty/ttyS{number}/type"), kind);
        }
        let driver = computer.path("sys/bus/drivers/serial8250");
        fs::create_dir_all(&driver).expect("a folder");
        symlink(driver, computer.path("sys/devices/platform/2/driver")).expect("a link");
        let found = computer.list();
        let found: Vec<_> = found
            .iter()
            .map(|port| (port.path.file_name().expect("it has one"), port.description.as_str()))
            .map(|(name, description)| (name.to_string_lossy(), description))
            .collect();
        assert_eq!(
            found,
            [("ttyS2".into(), "built in (serial8250)"), ("ttyS10".into(), "built in")]
        );
    }
}
