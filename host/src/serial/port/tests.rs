//! What a pseudo-terminal cannot do, tested with a fake of the port library's port.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use serialport::Result;

use super::*;

/// A port that records what is done to it.
#[derive(Clone, Debug, Default)]
struct FakePort {
    done: Arc<Mutex<Vec<String>>>,
    /// The error that reads, writes and control lines return, if any.
    error: Option<(serialport::ErrorKind, &'static str)>,
    /// How many bytes wait to be sent, each time that somebody asks; the last is first.
    waiting: Arc<Mutex<Vec<u32>>>,
}

impl FakePort {
    fn failing(kind: serialport::ErrorKind, description: &'static str) -> Self {
        Self { error: Some((kind, description)), ..Self::default() }
    }

    fn note(&self, what: impl Into<String>) -> Result<()> {
        self.done.lock().expect("no test panics with it").push(what.into());
        match self.error {
            Some((kind, description)) => Err(serialport::Error::new(kind, description)),
            None => Ok(()),
        }
    }

    fn done(&self) -> Vec<String> {
        std::mem::take(&mut self.done.lock().expect("no test panics with it"))
    }

    fn link(&self, settings: &PortSection) -> SerialLink {
        SerialLink {
            port: Some(Box::new(self.clone())),
            path: "/dev/fake".to_owned(),
            settings: settings.clone(),
            opened: Instant::now(),
        }
    }
}

impl Read for FakePort {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.note("read")?;
        Ok(0)
    }
}

impl Write for FakePort {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.note(format!("write {}", bytes.escape_ascii()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(self.note("flush")?)
    }
}

impl SerialPort for FakePort {
    fn name(&self) -> Option<String> {
        None
    }
    fn baud_rate(&self) -> Result<u32> {
        unimplemented!("nobody asks")
    }
    fn data_bits(&self) -> Result<DataBits> {
        unimplemented!("nobody asks")
    }
    fn flow_control(&self) -> Result<serialport::FlowControl> {
        unimplemented!("nobody asks")
    }
    fn parity(&self) -> Result<serialport::Parity> {
        unimplemented!("nobody asks")
    }
    fn stop_bits(&self) -> Result<StopBits> {
        unimplemented!("nobody asks")
    }
    fn timeout(&self) -> Duration {
        Duration::ZERO
    }
    fn set_baud_rate(&mut self, _: u32) -> Result<()> {
        unimplemented!("it is opened with it")
    }
    fn set_data_bits(&mut self, bits: DataBits) -> Result<()> {
        self.note(format!("data bits {bits:?}"))
    }
    fn set_flow_control(&mut self, flow: serialport::FlowControl) -> Result<()> {
        self.note(format!("flow {flow:?}"))
    }
    fn set_parity(&mut self, parity: serialport::Parity) -> Result<()> {
        self.note(format!("parity {parity:?}"))
    }
    fn set_stop_bits(&mut self, bits: StopBits) -> Result<()> {
        self.note(format!("stop bits {bits:?}"))
    }
    fn set_timeout(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }
    fn write_request_to_send(&mut self, level: bool) -> Result<()> {
        self.note(format!("RTS {level}"))
    }
    fn write_data_terminal_ready(&mut self, level: bool) -> Result<()> {
        self.note(format!("DTR {level}"))
    }
    fn read_clear_to_send(&mut self) -> Result<bool> {
        unimplemented!("nobody asks")
    }
    fn read_data_set_ready(&mut self) -> Result<bool> {
        unimplemented!("nobody asks")
    }
    fn read_ring_indicator(&mut self) -> Result<bool> {
        unimplemented!("nobody asks")
    }
    fn read_carrier_detect(&mut self) -> Result<bool> {
        unimplemented!("nobody asks")
    }
    fn bytes_to_read(&self) -> Result<u32> {
        unimplemented!("nobody asks")
    }
    fn bytes_to_write(&self) -> Result<u32> {
        self.note("bytes to write?")?;
        Ok(self.waiting.lock().expect("no test panics with it").pop().unwrap_or(0))
    }
    fn clear(&self, which: ClearBuffer) -> Result<()> {
        self.note(format!("clear {which:?}"))
    }
    fn try_clone(&self) -> Result<Box<dyn SerialPort>> {
        unimplemented!("nobody asks")
    }
    fn set_break(&self) -> Result<()> {
        self.note("break true")
    }
    fn clear_break(&self) -> Result<()> {
        self.note("break false")
    }
}

#[test]
fn the_format_of_the_device_file_is_that_of_the_port() {
    let mut port = FakePort::default();
    configure(&mut port, &PortSection::default()).expect("it takes all");
    let plain = ["data bits Eight", "parity None", "stop bits One", "flow None"];
    assert_eq!(port.done(), plain);
    let formats = [(5, Parity::Even, "Five", "Even"), (6, Parity::Odd, "Six", "Odd")];
    for (data_bits, parity, bits, name) in formats {
        let format = CharacterFormat { data_bits, parity, stop_bits: 2 };
        let settings =
            PortSection { format, flow: FlowControl::Hardware, ..PortSection::default() };
        configure(&mut port, &settings).expect("it takes all");
        let [bits, parity] = [format!("data bits {bits}"), format!("parity {name}")];
        assert_eq!(port.done(), [&*bits, &*parity, "stop bits Two", "flow Hardware"]);
    }
    let mut odd = FakePort::failing(serialport::ErrorKind::InvalidInput, "Invalid argument");
    let error = configure(&mut odd, &PortSection::default()).expect_err("it takes nothing");
    let error = OpenError::new("/dev/fake", error);
    assert_eq!(error.to_string(), "the port /dev/fake cannot be opened");
}

#[test]
fn lines_breaks_and_bytes_reach_the_port() {
    let port = FakePort::default();
    let mut link = port.link(&PortSection::default());
    for line in [ControlLine::Dtr, ControlLine::Rts, ControlLine::Break] {
        for level in [true, false] {
            link.set(line, level).expect("it has it");
        }
    }
    let lines = ["DTR true", "DTR false", "RTS true", "RTS false", "break true", "break false"];
    assert_eq!(port.done(), lines);
    link.write(b"a\r").expect("it takes it");
    link.clear().expect("it is done");
    assert_eq!(port.done(), ["write a\\r", "bytes to write?", "flush", "clear All"]);
    // A device that hangs would keep `flush` for ever, so it is called when nothing waits any more.
    *port.waiting.lock().expect("no test panics with it") = vec![0, 1, 2];
    link.write(b"ab").expect("it takes it");
    let asked = ["bytes to write?"; 3];
    assert_eq!(port.done(), [&["write ab"], &asked[..], &["flush"]].concat());
    // The device may hold up the last bytes for as long as it likes.
    let settings = PortSection { flow: FlowControl::Hardware, ..PortSection::default() };
    port.link(&settings).write(b"a").expect("it takes it");
    assert_eq!(port.done(), ["write a"]);
}

#[test]
fn what_fails_is_told_apart() {
    use serialport::ErrorKind as Kind;
    let cases = [
        (Kind::Unknown, "Inappropriate ioctl for device", ErrorKind::Unsupported),
        (Kind::Unknown, "I/O error", ErrorKind::BrokenPipe),
        (Kind::Unknown, "No such device or address", ErrorKind::BrokenPipe),
        (Kind::Io(ErrorKind::TimedOut), "Operation timed out", ErrorKind::TimedOut),
    ];
    for (kind, description, expected) in cases {
        let mut link = FakePort::failing(kind, description).link(&PortSection::default());
        for error in [
            link.set(ControlLine::Dtr, true).expect_err(description),
            link.clear().expect_err(description),
            link.write(b"a").expect_err(description),
        ] {
            assert_eq!(error.kind(), expected, "{description}");
        }
    }
    // Nothing can be read, and nothing more will come.
    let mut link = FakePort::default().link(&PortSection::default());
    let until = link.now();
    assert_eq!(link.read(&mut [0], until).expect_err("it is gone").kind(), ErrorKind::BrokenPipe);
}

/// An adapter that counts whole blocks seems to send nothing for that long.
#[test]
fn a_slow_line_has_the_time_that_its_bytes_need() {
    let time = |baud, parity, bytes| {
        let format = CharacterFormat { data_bits: 8, parity, stop_bits: 1 };
        time_on_the_line(bytes, &PortSection { baud, format, ..PortSection::default() })
    };
    assert_eq!(time(300, Parity::None, 512), Duration::from_millis(17_066));
    assert_eq!(time(300, Parity::Even, 300), Duration::from_secs(11));
    assert!(time(115_200, Parity::None, 512) < Duration::from_millis(50));
}
