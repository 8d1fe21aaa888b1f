//! Models that play the device: in process ([`Simulated`]), or behind a real pseudo-terminal, a TCP
//! port or the standard streams ([`Simulator`]), with faults if wanted ([`Faults`]), and with the
//! [`device_file()`] that tells `mealybug learn` how to talk to it.

mod conversation;
mod device_file;
mod faults;
mod in_process;
mod protocol;
mod serve;
mod simulator;
mod terminal;

pub use device_file::device_file;
pub use faults::Faults;
pub use in_process::Simulated;
pub use protocol::Protocol;
pub use simulator::{Place, Simulator};
pub use terminal::Terminal;
