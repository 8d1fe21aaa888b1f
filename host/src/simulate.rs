//! Models that play the device: in process ([`Simulated`]), or behind a real pseudo-terminal
//! ([`Simulator`]) with the [`device_file`] that tells `mealybug learn` how to talk to it.

mod device_file;
mod in_process;
mod protocol;
mod terminal;

pub use device_file::device_file;
pub use in_process::Simulated;
pub use protocol::Protocol;
pub use terminal::{Simulator, Terminal};
