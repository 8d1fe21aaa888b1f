//! Evidence for tests.

use std::path::Path;

use super::Evidence;
use crate::device::DeviceFile;
use crate::diagnosis::device_file::EditableDeviceFile;

/// Empty evidence about the device of a device file with this text.
pub(in super::super) fn evidence_of(text: &str) -> Evidence {
    let device = DeviceFile::parse(Path::new("lock.toml"), text).expect("a device file");
    Evidence::of_file(EditableDeviceFile::new(device, text).expect("TOML"))
}
