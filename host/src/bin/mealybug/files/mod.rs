//! Files that commands read and write.

pub(crate) mod change_file;
pub(crate) mod device_file;
pub(crate) mod model;
pub(crate) mod new_file;
pub(crate) mod out_file;
pub(crate) mod trust;
pub(crate) mod words;
