//! A device on UART0.

use cortex_m::Peripherals;
use mealybug_devices::{Console, Device};

use crate::{Clock, Uart};

/// Serves a device for ever.
pub fn serve<D: Device + Default>() -> ! {
    // SAFETY: the program begins here, so there are no others.
    let peripherals = unsafe { Peripherals::steal() };
    let clock = Clock::start(peripherals.SYST);
    let [mut port, _] = Uart::take(&clock);
    let mut console = Console::<D>::default();
    console.start(&mut |bytes| port.write(bytes));
    loop {
        // A device does not know that bytes were lost: its next answer says that it is puzzled.
        if let Ok(Some(byte)) = port.read() {
            console.take(byte, clock.now_ms(), &mut |bytes| port.write(bytes));
        } else {
            clock.sleep_unless(|| port.is_ready());
        }
    }
}
