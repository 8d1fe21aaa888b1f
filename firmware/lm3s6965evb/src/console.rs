//! A device on UART0.

use mealybug_adapters::Link;
use mealybug_devices::{Console, ConsoleDevice};

use crate::start;

/// Serves a device for ever.
pub fn serve<D: ConsoleDevice + Default>() -> ! {
    let [mut port, _] = start();
    let mut console = Console::<D>::default();
    console.start(&mut |bytes| port.write(bytes));
    loop {
        // A device does not notice lost bytes; its next answer shows that it misunderstood.
        if let Ok(Some(byte)) = port.read_until(u64::MAX) {
            console.take(byte, port.now_ms(), &mut |bytes| port.write(bytes));
        }
    }
}
