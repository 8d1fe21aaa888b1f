//! Files that commands read and write.

pub(crate) mod model;
pub(crate) mod new_file;
