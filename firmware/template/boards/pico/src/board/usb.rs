//! The host at USB, where the board is a serial port (CDC ACM), which needs no driver; or at UART0, as long as no program has
//! opened that port.

use core::cell::RefCell;

use cortex_m::interrupt::{Mutex, free};
use cortex_m::singleton;
use mealybug_learner::adapters::{Ring, Uart};
use rp2040_hal::usb::UsbBus;
use usb_device::bus::UsbBusAllocator;
use usb_device::device::{StringDescriptors, UsbDevice, UsbDeviceBuilder, UsbVidPid};
use usbd_serial::{SerialPort, USB_CLASS_CDC};

/// The identity that V-USB lets all serial ports have.
const IDENTITY: UsbVidPid = UsbVidPid(0x16c0, 0x27dd);

/// The most bytes of a packet.
const PACKET_BYTES: usize = 64;

/// The port, once it has started.
static PORT: Mutex<RefCell<Option<UsbPort>>> = Mutex::new(RefCell::new(None));

/// A serial port at USB.
struct UsbPort {
    device: UsbDevice<'static, UsbBus>,
    serial: SerialPort<'static, UsbBus>,
    /// A byte for which the port had no room.
    waiting: Option<u8>,
}

/// Starts the port; `None` if that was done before.
pub(super) fn start(bus: UsbBus) -> Option<()> {
    let bus = singleton!(: UsbBusAllocator<UsbBus> = UsbBusAllocator::new(bus))?;
    let serial = SerialPort::new(bus);
    let names = StringDescriptors::default().manufacturer("Mealybug").product("Mealybug");
    let device = UsbDeviceBuilder::new(bus, IDENTITY).strings(&[names]).ok()?;
    let device = device.device_class(USB_CLASS_CDC).build();
    free(|token| PORT.borrow(token).replace(Some(UsbPort { device, serial, waiting: None })));
    Some(())
}

/// Calls `serve` with the host's ports: the one at USB, and this one.
pub(super) fn with_host<U: Uart>(uart: U, serve: impl FnOnce(&mut HostPorts<'_, U>)) {
    free(|token| {
        let mut usb = PORT.borrow(token).borrow_mut();
        serve(&mut HostPorts { uart, usb: usb.as_mut() });
    });
}

/// The host's ports, for their interrupts.
pub(super) struct HostPorts<'p, U> {
    uart: U,
    usb: Option<&'p mut UsbPort>,
}

impl<U> HostPorts<'_, U> {
    /// The port at USB, if a program has opened it.
    fn opened(&mut self) -> Option<&mut UsbPort> {
        self.usb.as_deref_mut().filter(|usb| usb.serial.dtr())
    }
}

impl<U: Uart> Uart for HostPorts<'_, U> {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        self.uart.receive(received);
        let Some(usb) = &mut self.usb else { return };
        usb.device.poll(&mut [&mut usb.serial]);
        let mut packet = [0; PACKET_BYTES];
        while let Ok(len) = usb.serial.read(&mut packet) {
            for &byte in packet.get(..len).unwrap_or(&[]) {
                received.push(byte);
            }
        }
    }

    fn has_room(&mut self) -> bool {
        let Some(usb) = self.opened() else { return self.uart.has_room() };
        if let Some(byte) = usb.waiting.take() {
            usb.send(byte);
        }
        usb.waiting.is_none()
    }

    fn send(&mut self, byte: u8) {
        match self.opened() {
            Some(usb) => usb.send(byte),
            None => self.uart.send(byte),
        }
    }

    /// The port at USB always tells.
    fn tell_of_room(&mut self, tell: bool) {
        let is_for_uart = self.opened().is_none();
        self.uart.tell_of_room(tell && is_for_uart);
    }
}

impl UsbPort {
    fn send(&mut self, byte: u8) {
        if self.serial.write(&[byte]).is_err() {
            self.waiting = Some(byte);
        }
    }
}
