//! The `mealybug` command, as a user runs it.

/// The program that [`workplace::Workplace::call`] runs.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mealybug");

#[path = "command/boards.rs"]
mod boards;
#[path = "command/check.rs"]
mod check;
#[path = "command/demo.rs"]
mod demo;
#[path = "command/device.rs"]
mod device;
#[path = "command/ends.rs"]
mod ends;
#[path = "command/faults.rs"]
mod faults;
#[path = "command/golden.rs"]
mod golden;
#[path = "command/guide.rs"]
mod guide;
#[path = "command/init.rs"]
mod init;
#[path = "command/like.rs"]
mod like;
#[path = "command/manual.rs"]
mod manual;
#[path = "command/models.rs"]
mod models;
#[path = "command/options.rs"]
mod options;
#[path = "command/output.rs"]
mod output;
#[path = "command/resume.rs"]
mod resume;
#[path = "command/signals.rs"]
mod signals;
#[path = "command/simulation.rs"]
mod simulation;
#[path = "command/state_names.rs"]
mod state_names;
#[path = "command/target.rs"]
mod target;
#[path = "command/trust.rs"]
mod trust;
#[path = "command/try_out.rs"]
mod try_out;
#[path = "command/workplace.rs"]
mod workplace;
#[path = "command/written_files.rs"]
mod written_files;
