//! Runs a machine as a device in its own thread: behind a pseudo-terminal, a TCP port, or the
//! standard streams.

use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};

use super::conversation::LineConversation;
use super::faults::Faults;
use super::serve::{ServeOver, serve};
use super::{Protocol, Terminal};
use crate::machine::Machine;

/// Where a simulated device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortPlace {
    /// Behind a pseudo-terminal.
    Terminal,
    /// At this TCP port, for one client after another.
    Tcp(SocketAddr),
    /// On the standard streams, as an [adapter](crate::adapter).
    Streams,
}

/// A machine that acts as a device in its own thread, until it is dropped.
///
/// Clients come and go; the device keeps its state, as a real one does.
#[derive(Debug)]
pub struct Simulator {
    port: String,
    /// Closing it ends the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Simulator {
    /// Opens a pseudo-terminal and serves `machine` behind it, without faults.
    ///
    /// # Errors
    /// The system cannot open a pseudo-terminal.
    pub fn start(machine: Machine) -> io::Result<Self> {
        Self::start_at(PortPlace::Terminal, machine, Faults::default(), None)
    }

    /// Serves `machine` at this place, with these faults. The `log` gets a line for each question,
    /// with a tabulator before the answer.
    ///
    /// # Errors
    /// The system cannot open the place.
    pub fn start_at(
        place: PortPlace,
        machine: Machine,
        faults: Faults,
        log: Option<File>,
    ) -> io::Result<Self> {
        let (port, end) = End::open(place)?;
        let (stop, stopped) = UnixStream::pair()?;
        let play = move || {
            let protocol = match end {
                End::Streams => Protocol::adapter(&machine),
                End::Terminal(_) | End::Tcp(_) => Protocol::new(&machine),
            };
            end.serve(&mut LineConversation::new(protocol.with_faults(faults), log), &stopped)
        };
        let thread = std::thread::Builder::new().name("simulator".to_owned()).spawn(play)?;
        Ok(Self { port, stop: Some(stop), thread: Some(thread) })
    }

    /// The address of the port, for `--port`; empty on the standard streams.
    pub fn port(&self) -> &str {
        &self.port
    }

    /// Whether the thread has ended by itself: it failed, or its standard input ended.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the thread, and reports whether it failed before.
    ///
    /// # Errors
    /// The line failed at some time, or the log could not be written.
    pub fn stop(mut self) -> io::Result<()> {
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        drop(self.stop.take());
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread.join().map_err(|_| io::Error::other("the simulator panicked"))?
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // Nobody is left to receive the error.
        let _ = self.end();
    }
}

/// An open place.
enum End {
    Terminal(Terminal),
    Tcp(TcpListener),
    Streams,
}

impl End {
    /// Opens a place; the text is the address for clients.
    fn open(place: PortPlace) -> io::Result<(String, Self)> {
        Ok(match place {
            PortPlace::Terminal => {
                let terminal = Terminal::open()?;
                (terminal.path().to_string_lossy().into_owned(), Self::Terminal(terminal))
            }
            PortPlace::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                (format!("tcp:{}", listener.local_addr()?), Self::Tcp(listener))
            }
            PortPlace::Streams => (String::new(), Self::Streams),
        })
    }

    fn serve(&self, conversation: &mut LineConversation<'_>, stop: &UnixStream) -> io::Result<()> {
        match self {
            Self::Terminal(terminal) => terminal.serve(conversation, stop).map(drop),
            Self::Tcp(listener) => listen(listener, conversation, stop),
            Self::Streams => {
                let (input, output) = (rustix::stdio::stdin(), rustix::stdio::stdout());
                serve(conversation, input, output, stop, || Ok(())).map(drop)
            }
        }
    }
}

/// Serves one client after another.
fn listen(
    listener: &TcpListener,
    conversation: &mut LineConversation<'_>,
    stop: &UnixStream,
) -> io::Result<()> {
    loop {
        let mut ready = [PollFd::new(stop, PollFlags::IN), PollFd::new(listener, PollFlags::IN)];
        match poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            count => count?,
        };
        if !ready[0].revents().is_empty() {
            return Ok(());
        }
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        match serve(conversation, &stream, &stream, stop, || Ok(()))? {
            ServeOver::Stopped => return Ok(()),
            ServeOver::Closed => conversation.hang_up(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use rustix::fs::{OFlags, fcntl_setfl};

    use super::super::conversation::MAX_LINE_BYTES;
    use super::*;
    use crate::machine::testing::lamp;

    fn open(simulator: &Simulator) -> File {
        OpenOptions::new().read(true).write(true).open(simulator.port()).expect("the port opens")
    }

    /// Sends `lines` and reads an answer as long as `expected`.
    fn ask(port: &mut (impl Read + Write), lines: &str, expected: &str) {
        port.write_all(lines.as_bytes()).expect("written");
        let mut answer = vec![0; expected.len()];
        port.read_exact(&mut answer).expect("read");
        assert_eq!(String::from_utf8_lossy(&answer), expected);
    }

    #[test]
    fn it_outlives_those_who_open_it() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        for _ in 0..3 {
            let mut port = open(&simulator);
            ask(&mut port, "\nreset\n", "ready\n");
            ask(&mut port, "hold\rpress\r\nhold\n", "off\non\non\n");
        }
        ask(&mut open(&simulator), "ho", "");
        let mut port = open(&simulator);
        ask(&mut port, "\nreset\n", "error: no such input: ho\nready\n");
        ask(&mut port, "press\n", "on\n");
        ask(&mut port, "jump\nhold\n", "error: no such input: jump\non\n");
        drop(port);
        simulator.stop().expect("it was well");
    }

    #[test]
    fn it_is_a_serial_port() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        for _ in 0..2 {
            let port = serialport::new(simulator.port(), 115_200).timeout(Duration::from_secs(5));
            let mut port = BufReader::new(port.open().expect("the port opens"));
            for (line, expected) in [("reset\n", "ready\n"), ("press\n", "on\n")] {
                port.get_mut().write_all(line.as_bytes()).expect("written");
                let mut answer = String::new();
                port.read_line(&mut answer).expect("read");
                assert_eq!(answer, expected);
            }
        }
    }

    #[test]
    fn clients_of_a_tcp_port_come_one_after_the_other_and_find_the_device_as_it_is() {
        let place = PortPlace::Tcp(([127, 0, 0, 1], 0).into());
        let simulator =
            Simulator::start_at(place, lamp(), Faults::default(), None).expect("a free port");
        let address = simulator.port().strip_prefix("tcp:").expect("an address");
        let connect = || TcpStream::connect(address).expect("it listens");
        ask(&mut connect(), "press\nho", "on\n");
        let mut second = connect();
        ask(&mut second, "hold\n", "on\n");
        let mut third = connect();
        third.write_all(b"hold\n").expect("it waits");
        ask(&mut second, "reset\n", "ready\n");
        drop(second);
        ask(&mut third, "", "off\n");
        simulator.stop().expect("it was well");
    }

    #[test]
    fn it_stops_even_when_nobody_reads() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        let port = open(&simulator);
        fcntl_setfl(&port, OFlags::RDWR | OFlags::NONBLOCK).expect("a flag");
        let long = "no such input\n".repeat(10_000);
        let mut written = 0;
        // Write as much as fits while nobody reads.
        let patience = Duration::from_millis(100).try_into().expect("a time");
        let is_full = || poll(&mut [PollFd::new(&port, PollFlags::OUT)], Some(&patience)) == Ok(0);
        while !is_full() {
            written += (&port).write(&long.as_bytes()[written % 14..]).unwrap_or(0);
        }
        assert!(written > 1000, "{written}");
        simulator.stop().expect("it was well");
    }

    #[test]
    fn too_long_lines_are_errors_and_take_no_memory() {
        let simulator = Simulator::start(lamp()).expect("a pseudo-terminal");
        let mut port = open(&simulator);
        let line = "x".repeat(MAX_LINE_BYTES * 3);
        port.write_all(line.as_bytes()).expect("written");
        port.write_all(b"\n").expect("written");
        let mut answers = BufReader::new(port.try_clone().expect("another handle"));
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("read");
        assert!(answer.starts_with("error: no such input: xxx"), "{}", answer.len());
        port.write_all(b"hold\n").expect("written");
        answer.clear();
        answers.read_line(&mut answer).expect("read");
        assert_eq!(answer, "off\n");
    }
}
