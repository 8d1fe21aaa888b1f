//! Models that act as a device: in process ([`Simulated`]), or behind a pseudo-terminal, a TCP port
//! or the standard streams ([`Simulator`]), with optional faults ([`Faults`]). [`device_file()`]
//! writes the device file that tells `mealybug learn` how to talk to them.

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
pub use simulator::{PortPlace, Simulator};
pub use terminal::Terminal;
