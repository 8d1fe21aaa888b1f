//! A target or an agent in this process, behind a TCP port, with a device in memory.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use mealybug_adapters::{Attached, Conversation, LineFault, Link};
use mealybug_agent::Agent;
use mealybug_core::wire::line::LineSettings;
use mealybug_devices::{Console, ConsoleDevice};
use mealybug_learner::Target;

use crate::line;
use crate::pty::Pty;

/// The memory of its learner.
const MEMORY_BYTES: usize = 48 << 10;

/// Starts a target that learns this device, and returns its address. It runs as long as the process.
///
/// # Errors
/// The system's errors.
pub fn start(device: impl Attached + Send + 'static) -> io::Result<String> {
    start_program(|host| Target::new(host, device, "test").run(&mut vec![0; MEMORY_BYTES / 4]))
}

/// Starts an agent of this device, and returns its address. It runs as long as the process.
///
/// # Errors
/// The system's errors.
pub fn start_agent(device: impl Attached + Send + 'static) -> io::Result<String> {
    start_program(|host| Agent::<_, _, 8>::new(host, device, "test").run())
}

/// Starts a target that learns this device, behind a pseudo-terminal. It runs as long as the process.
pub fn start_at(port: Pty, device: impl Attached + Send + 'static) {
    let host = SerialLine { port, started: Instant::now() };
    thread::spawn(move || Target::new(host, device, "test").run(&mut vec![0; MEMORY_BYTES / 4]));
}

/// Starts an agent of this device, behind a pseudo-terminal. It runs as long as the process.
pub fn start_agent_at(port: Pty, device: impl Attached + Send + 'static) {
    let host = SerialLine { port, started: Instant::now() };
    thread::spawn(move || Agent::<_, _, 8>::new(host, device, "test").run());
}

fn start_program(program: impl FnOnce(HostLine) + Send + 'static) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("tcp:{}", listener.local_addr()?);
    listener.set_nonblocking(true)?;
    let host = HostLine { listener, stream: None, started: Instant::now() };
    thread::spawn(move || program(host));
    Ok(address)
}

/// A device at the end of a line in memory, which answers at once. Its time passes only while somebody
/// waits.
#[derive(Debug)]
pub struct InMemory<D> {
    console: Console<D>,
    came: VecDeque<u8>,
    now_ms: u64,
    has_any_line: bool,
}

impl<D: ConsoleDevice + Default> Default for InMemory<D> {
    fn default() -> Self {
        Self { console: Console::default(), came: VecDeque::new(), now_ms: 0, has_any_line: false }
    }
}

impl<D: ConsoleDevice + Default> InMemory<D> {
    /// The device, talked to by the rules that a host sends.
    pub fn conversation() -> Conversation<Self> {
        Conversation::new(Self::default())
    }

    /// The same on a line that can have any settings.
    pub fn conversation_of_any_line() -> Conversation<Self> {
        Conversation::new(Self { has_any_line: true, ..Self::default() })
    }
}

impl<D: ConsoleDevice + Default> Link for InMemory<D> {
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn write(&mut self, bytes: &[u8]) {
        let Self { console, came, now_ms, .. } = self;
        bytes.iter().for_each(|&byte| console.take(byte, *now_ms, &mut |said| came.extend(said)));
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let byte = self.came.pop_front();
        if byte.is_none() {
            self.now_ms = self.now_ms.max(deadline_ms);
        }
        Ok(byte)
    }

    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        let fixed = LineSettings::DEFAULT;
        if self.has_any_line || settings == fixed { Ok(()) } else { Err(fixed) }
    }
}

/// The line to the host, which may come and go.
struct HostLine {
    listener: TcpListener,
    stream: Option<TcpStream>,
    started: Instant,
}

impl HostLine {
    /// A byte, if one is there.
    fn read(&mut self) -> Option<u8> {
        if let Ok((stream, _)) = self.listener.accept() {
            stream.set_nonblocking(true).expect("a socket can");
            self.stream = Some(stream);
        }
        let mut byte = [0];
        match self.stream.as_mut()?.read(&mut byte) {
            Ok(1..) => return Some(byte[0]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            _ => self.stream = None,
        }
        None
    }
}

impl Link for HostLine {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).expect("a short test")
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut left = bytes;
        while let Some(stream) = &mut self.stream
            && !left.is_empty()
        {
            match stream.write(left) {
                Ok(count) => left = &left[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::yield_now(),
                Err(_) => self.stream = None,
            }
        }
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            let byte = self.read();
            if byte.is_some() || self.now_ms() >= deadline_ms {
                return Ok(byte);
            }
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// The line to the host at a pseudo-terminal.
struct SerialLine {
    port: Pty,
    started: Instant,
}

impl Link for SerialLine {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).expect("a short test")
    }

    fn write(&mut self, bytes: &[u8]) {
        // The host may be gone.
        let _ = self.port.device().write_all(bytes);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let deadline = self.started.checked_add(Duration::from_millis(deadline_ms));
        let mut byte = [0];
        match line::wait([self.port.device()], deadline) {
            Ok([true]) if self.port.device().read_exact(&mut byte).is_ok() => Ok(Some(byte[0])),
            _ => Ok(None),
        }
    }
}
