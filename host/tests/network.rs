//! Devices at the other end of a network: TCP ports, and port servers that speak RFC 2217.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mealybug::device::DeviceFile;
use mealybug::serial::{LinkError, OpenError, PortAddress, SerialSul, TimedLink};
use mealybug_core::{Input, Sul};
use rfc2217::{DataBits, FlowControl, Parity, PortSettings, Purge, Server, ServerEvent, StopBits};

const FILE: &str = "[[reset]]\nsteps = [{ send = \"R\" }]\n\
                    expect = { match = 'ready\\n$', within_ms = 5000 }\nquiet_ms = 0\n\
                    [reply]\nlines = 1\nwithin_ms = 5000\n[inputs]\na = \"a\"\n";

/// The device's answer to a byte.
fn answer(byte: u8) -> &'static [u8] {
    match byte {
        b'R' => b"ready\n",
        b'a' => b"\xffyes\xff\n",
        _ => b"",
    }
}

fn open(address: &str, text: &str) -> Result<SerialSul<Box<dyn TimedLink + Send>>, OpenError> {
    let device = DeviceFile::parse(Path::new("device.toml"), text).expect("a device file");
    let link = PortAddress::parse(address)?.open(&device.port)?;
    Ok(SerialSul::new(link, device).expect("a device"))
}

fn step(sul: &mut SerialSul<Box<dyn TimedLink + Send>>) -> Result<String, LinkError> {
    let output = sul.step(Input::new(0))?;
    Ok(String::from_utf8(output.to_vec()).expect("outputs are text"))
}

fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address").to_string();
    (listener, address)
}

/// Serves the next client until it sends `until`, then closes the connection.
fn serve(listener: TcpListener, until: u8) -> JoinHandle<TcpListener> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut byte = [0];
        while stream.read_exact(&mut byte).is_ok() && byte[0] != until {
            stream.write_all(answer(byte[0])).expect("the client takes it");
        }
        listener
    })
}

#[test]
fn a_server_that_goes_and_comes_back_is_found_again() {
    let (listener, address) = listen();
    let first = serve(listener, b'a');
    let mut sul = open(&format!("tcp:{address}"), FILE).expect("it listens");
    sul.reset().expect("a reset");
    let error = step(&mut sul).expect_err("it goes away");
    assert!(matches!(error, LinkError::Gone { .. }), "{error}");
    drop(first.join().expect("it has ended"));
    let error = sul.reset().expect_err("it is not back");
    let said = format!("the device is not back: nothing listens at {address}");
    assert_eq!((error.to_string(), error.is_gone()), (said, true));

    let second = serve(TcpListener::bind(&address).expect("it is free"), b'x');
    sul.reset().expect("it is back");
    assert_eq!(step(&mut sul).expect("an output"), r"\xffyes\xff\n");
    drop(sul);
    second.join().expect("it ends with its client");
}

/// The server has Nagle's algorithm on, so the second piece waits until the first is acknowledged.
#[test]
fn an_answer_in_two_pieces_does_not_wait_for_a_delayed_acknowledgement() {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut byte = [0];
        while stream.read_exact(&mut byte).is_ok() {
            for piece in answer(byte[0]).chunks(3) {
                stream.write_all(piece).expect("the client takes it");
            }
        }
    });
    let mut sul = open(&format!("tcp:{address}"), FILE).expect("it listens");
    sul.reset().expect("a reset");
    let mut times: Vec<_> = (0..41)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(step(&mut sul).expect("an output"), r"\xffyes\xff\n");
            start.elapsed()
        })
        .collect();
    times.sort();
    let median = times[times.len() / 2];
    println!("median of an answer: {median:?}");
    if cfg!(target_os = "linux") {
        assert!(median < Duration::from_millis(20), "{median:?}");
    }
    drop(sul);
    server.join().expect("it ends with its client");
}

/// Whenever the client notices it, by the reply, the next input or the reset.
#[test]
fn a_server_that_ends_the_connection_gives_an_output_if_the_file_says_so() {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let mut byte = [0];
            while stream.read_exact(&mut byte).is_ok() && byte[0] != b'q' {
                if byte[0] == b'x' {
                    return;
                }
                stream.write_all(answer(byte[0])).expect("the client takes it");
            }
            stream.write_all(b"bye\n").expect("the client takes it");
        }
    });
    let text = format!("{FILE}q = {{ text = \"q\", reply = {{ closed = \"(closed)\" }} }}\n");
    let mut sul = open(&format!("tcp:{address}"), &text).expect("it listens");
    for times in 0..60 {
        sul.reset().expect("a reset");
        let word = &[0, 1, 0, 1][..times % 5];
        let said: Vec<_> = word
            .iter()
            .map(|&input| {
                let output = sul.step(Input::new(input)).expect("an output");
                String::from_utf8(output.to_vec()).expect("outputs are text")
            })
            .collect();
        assert_eq!(said, [r"\xffyes\xff\n", r"bye\n", "(closed)", "(closed)"][..word.len()]);
    }
    let mut last = TcpStream::connect(&address).expect("it listens");
    drop(sul);
    last.write_all(b"x").expect("it takes it");
    server.join().expect("it ends");
}

/// The server greets each client and counts its bytes, beginning with zero for each.
#[test]
fn a_reset_may_be_a_new_connection() {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        for _ in 0..4 {
            let (mut stream, _) = listener.accept().expect("a client");
            let (mut byte, mut count) = ([0], 0);
            stream.write_all(b"ready\n").expect("the client takes it");
            while stream.read_exact(&mut byte).is_ok() {
                count += 1;
                writeln!(stream, "{count}").expect("the client takes it");
            }
        }
    });
    let text = FILE.replace("send = \"R\"", "reconnect = true");
    let mut sul = open(&format!("tcp:{address}"), &text).expect("it listens");
    for _ in 0..3 {
        sul.reset().expect("a reset");
        assert_eq!([(); 2].map(|()| step(&mut sul).expect("an output")), [r"1\n", r"2\n"]);
    }
    drop(sul);
    server.join().expect("it ends");
}

#[test]
fn what_is_not_there_is_told_of() {
    let (listener, address) = listen();
    drop(listener);
    for kind in ["tcp", "rfc2217"] {
        let error = open(&format!("{kind}:{address}"), FILE).expect_err("nobody listens");
        assert_eq!(error.to_string(), format!("nothing listens at {address}"));
        let error = open(&format!("{kind}:no-such-host.invalid:1"), FILE).expect_err("no host");
        assert_eq!(error.to_string(), "there is no host no-such-host.invalid");
    }
}

#[test]
fn a_server_without_rfc_2217_is_told_of() {
    // The server says nothing; refuses (IAC DONT, IAC WONT COM-PORT-OPTION); closes the connection.
    let cases: [(Option<&[u8]>, &str); 3] = [
        (Some(b""), "does not speak RFC 2217: it does not answer in Telnet"),
        (Some(b"\xff\xfe\x2c\xff\xfc\x2c"), "does not speak RFC 2217: it refuses to"),
        (None, "takes the connection and closes it"),
    ];
    for (says, said) in cases {
        let (listener, address) = listen();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let Some(says) = says else { return };
            stream.write_all(says).expect("the client takes it");
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let error = open(&format!("rfc2217:{address}"), FILE).expect_err("it does not");
        assert_eq!(error.to_string(), format!("{address} {said}"));
        server.join().expect("it ends with its client");
    }
}

/// A port server with a device behind it; reports requests about its port.
fn port_server() -> (String, Receiver<ServerEvent>) {
    let (listener, address) = listen();
    let (sender, events) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut server = Server::new(PortSettings::default());
        let mut buffer = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            for byte in server.receive(&buffer[..count]) {
                server.write_data(answer(byte));
            }
            while let Some(event) = server.poll_event() {
                sender.send(event).expect("somebody listens");
            }
            stream.write_all(&server.take_output()).expect("the client takes it");
        }
    });
    (address, events)
}

#[test]
fn settings_lines_and_bytes_pass_through_a_port_server() {
    let (address, events) = port_server();
    let text = "[port]\nbaud = 19200\nformat = \"7E2\"\nflow = \"software\"\ndtr = false\n\
                [[reset]]\nsteps = [{ rts = true }, { break_ms = 1 }, { send = \"R\" }]\n\
                expect = { match = 'ready\\n$', within_ms = 5000 }\nquiet_ms = 0\n\
                [reply]\nlines = 1\nwithin_ms = 5000\n[inputs]\na = \"a\"\n";
    let mut sul = open(&format!("rfc2217:{address}"), text).expect("it speaks RFC 2217");
    for _ in 0..2 {
        sul.reset().expect("a reset");
        assert_eq!(step(&mut sul).expect("an output"), r"\xffyes\xff\n");
    }
    assert!(sul.warnings().is_empty(), "{:?}", sul.warnings());
    drop(sul);
    let events: Vec<_> = events.iter().collect();
    let settings = events.iter().rev().find_map(|event| match event {
        ServerEvent::SettingsChanged(settings) => Some(*settings),
        _ => None,
    });
    let settings = settings.expect("they were set");
    assert_eq!((settings.baud_rate, settings.data_bits), (19_200, DataBits::Seven));
    assert_eq!((settings.parity, settings.stop_bits), (Parity::Even, StopBits::Two));
    assert_eq!(settings.flow_control, FlowControl::XonXoff);
    let lines: Vec<_> = events
        .iter()
        .filter(|event| {
            matches!(event, ServerEvent::Dtr(_) | ServerEvent::Rts(_) | ServerEvent::Break(_))
        })
        .collect();
    let reset = [ServerEvent::Rts(true), ServerEvent::Break(true), ServerEvent::Break(false)];
    let expected: Vec<_> =
        [ServerEvent::Dtr(false)].into_iter().chain(reset.clone()).chain(reset).collect();
    assert_eq!(lines, expected.iter().collect::<Vec<_>>());
    assert!(events.contains(&ServerEvent::Purge(Purge::Both)));
}

#[test]
fn a_command_without_an_answer_is_waited_for_once() {
    // A port server that negotiates its settings and then says nothing more.
    let (listener, address) = listen();
    let (negotiated, is_negotiated) = mpsc::channel();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut server = Server::new(PortSettings::default());
        let mut buffer = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            assert!(server.receive(&buffer[..count]).is_empty(), "nothing for the device");
            if is_negotiated.try_recv().is_err() {
                stream.write_all(&server.take_output()).expect("the client takes it");
            } else {
                break;
            }
        }
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let settings = mealybug::device::PortSection::default();
    let address = PortAddress::parse(&format!("rfc2217:{address}")).expect("an address");
    let mut link = address.open(&settings).expect("it speaks RFC 2217");
    negotiated.send(()).expect("it listens");
    let started = Instant::now();
    for level in [true, false, true, false] {
        let error = link.set(mealybug::device::ControlLine::Dtr, level).expect_err("no answer");
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
    }
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(900), "{took:?}");
    assert!(took < Duration::from_millis(3500), "waited for once only: {took:?}");
    drop(link);
    server.join().expect("it ends with its client");
}

#[test]
fn half_a_reply_before_the_end_is_no_reply() {
    let (listener, address) = listen();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let mut client = BufReader::new(stream);
        client.read_until(b'R', &mut Vec::new()).expect("a reset");
        client.get_mut().write_all(b"ready\n").expect("the client takes it");
        client.read_until(b'a', &mut Vec::new()).expect("an input");
        client.get_mut().write_all(b"ye").expect("the client takes it");
        drop::<TcpStream>(client.into_inner());
    });
    let mut sul = open(&format!("tcp:{address}"), FILE).expect("it listens");
    sul.reset().expect("a reset");
    let error = step(&mut sul).expect_err("it goes away");
    assert_eq!(error.to_string(), "the device disappeared while `a` was being answered");
    server.join().expect("it has ended");
}
