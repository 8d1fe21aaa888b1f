//! The subcommands, one file each.

pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod init;
pub(crate) mod learn;
pub(crate) mod man;
pub(crate) mod ports;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod target;
pub(crate) mod test;
pub(crate) mod try_out;
