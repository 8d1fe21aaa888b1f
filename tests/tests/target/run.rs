//! The runs of a target, as its host sees them.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use mealybug::device::PortSection;
use mealybug::serial::PortAddress;
use mealybug::target::{Client, TargetEvent, Watch};
use mealybug_adapters::Conversation;
use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{Message, Request};
use mealybug_core::wire::types;
use mealybug_core::{Options, Session, TableLearner};
use mealybug_devices::motor::Motor;
use mealybug_tests::learned::{assert_golden, target};
use mealybug_tests::target::{InMemory, start};
use mealybug_tests::tool::{Running, mealybug, succeed, unwrapped};
use mealybug_tests::{device_file, golden};
use rustix::process::Signal;
use tempfile::TempDir;

/// The command that lets the target at this address learn the motor, with its device file.
fn learn(address: &str, out: &Path) -> Command {
    let mut command = target(Path::new(address), out);
    command.arg(device_file("motor/device.toml"));
    command
}

/// What a command says that must end with this status.
fn ends(status: i32, command: &mut Command) -> String {
    let ended = command.output().expect("it starts");
    let said = [&ended.stdout[..], &ended.stderr].map(String::from_utf8_lossy).concat();
    assert_eq!(ended.status.code(), Some(status), "{said}");
    said
}

/// All files of a run call the outputs as the device file does, whoever started the run.
#[test]
fn outputs_have_their_names_whenever_the_host_comes() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let result = |name: &str| fs::read(out(name).join("result.postcard")).expect("it is written");
    succeed(&mut learn(&address, &out("first")));
    assert_golden("motor", &out("first"));
    succeed(mealybug().arg("diff").args([out("first"), device_file("motor/golden.dot")]));

    // Without the device file the replies are as they came.
    succeed(&mut target(Path::new(&address), &out("raw")));
    assert_ne!(result("raw"), result("first"));
    let golden = golden("motor/golden.dot");
    assert!(golden.outputs().iter().any(|output| output == "stopped"), "{:?}", golden.outputs());

    // The run is not repeated, and gets its names again.
    let said = ends(0, &mut learn(&address, &out("again")));
    assert!(said.contains("the result of the target's last run"), "{said}");
    assert_eq!(result("again"), result("first"));
    let said = ends(0, learn(&address, &out("anew")).args(["--again", "--seed", "9"]));
    assert!(!said.contains("this is the result"), "{said}");
    assert_ne!(result("anew"), result("first"));
    assert_golden("motor", &out("anew"));
}

#[test]
fn a_run_whose_host_was_killed_is_watched_with_names() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let mut first = learn(&address, &out("first"));
    let host = Running::until(first.args(["--tests-in-a-row", "unlimited"]), "hypothesis 1:");
    host.kill();

    let said = ends(3, learn(&address, &out("second")).args(["--max-time", "1s"]));
    assert!(said.contains("the target is learning"), "{said}");
    assert_golden("motor", &out("second"));
}

#[test]
fn a_run_by_another_device_file_is_not_taken_for_this_one() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(device_file("motor/device.toml")).expect("it is there");
    let other = out("other.toml");
    fs::write(&other, text.replace("stop = \"stop\\r\"\n", "")).expect("there is room");
    let with_other = |out: &Path| {
        let mut command = target(Path::new(&address), out);
        command.arg(&other).args(["--tests-in-a-row", "unlimited"]);
        command
    };
    let host = Running::until(&mut with_other(&out("one")), "hypothesis 1:");
    host.kill();
    let said = ends(2, &mut learn(&address, &out("two")));
    assert!(said.contains("the target is learning, by another device file"), "{said}");
    let said = ends(2, with_other(&out("two")).arg("--again"));
    assert!(said.contains("the target is learning; --again starts no second run"), "{said}");
    assert!(!out("two").exists());
    ends(3, with_other(&out("three")).args(["--max-time", "10ms"]));
    succeed(&mut learn(&address, &out("four")));
    assert_golden("motor", &out("four"));
}

/// The rules are in the program of the board; the device file names the outputs.
#[test]
fn a_program_with_rules_gets_names_from_the_device_file() {
    let rules = fs::read(device_file("motor/device.rules")).expect("mealybug compile wrote it");
    let device = Conversation::with_rules(InMemory::<Motor>::default(), &rules);
    let address = start(device).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    succeed(&mut target(Path::new(&address), &out("raw")));
    let said = ends(0, &mut learn(&address, &out("named")));
    assert!(said.contains("the result of the target's last run"), "{said}");
    assert_golden("motor", &out("named"));
}

/// Nobody knows whether a host has fetched the last result, and the target forgets it for other rules.
#[test]
fn the_last_result_is_kept_before_another_run_starts_or_is_refused() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let read = |name: &str, file: &str| fs::read(out(name).join(file)).expect("it is written");
    succeed(&mut learn(&address, &out("first")));
    succeed(&mut target(Path::new(&address), &out("raw")));

    let said = ends(0, learn(&address, &out("anew")).args(["--again", "--seed", "9"]));
    assert!(said.contains("the result of the target's last run is kept in"), "{said}");
    assert_eq!(read("anew", "previous.postcard"), read("raw", "result.postcard"));
    succeed(mealybug().arg("show").arg(out("anew").join("previous.postcard")));
    succeed(&mut target(Path::new(&address), &out("raw anew")));

    // The board has no pins.
    let text = fs::read_to_string(device_file("motor/device.toml")).expect("it is there");
    let wrong = out("wrong.toml");
    let steps = text.find("steps = [").expect("it has a reset") + "steps = [".len();
    let (before, after) = text.split_at(steps);
    fs::write(&wrong, format!("{before}{{ pin = \"power\" }}, {after}")).expect("there is room");
    let said = ends(1, target(Path::new(&address), &out("refused")).arg(&wrong));
    assert!(said.contains("the board offers no pin to the device `power`"), "{said}");
    assert_eq!(read("refused", "previous.postcard"), read("raw anew", "result.postcard"));
}

#[test]
fn a_run_goes_on_without_its_terminal_and_ends_on_ctrl_c() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    for (signal, said) in [(Signal::HUP, "hypothesis 1:"), (Signal::TERM, "the target is learning")]
    {
        let mut watching = learn(&address, &out(&format!("{signal:?}")));
        let host = Running::until(watching.args(["--tests-in-a-row", "unlimited"]), said);
        host.send(signal);
        let (status, said) = host.end();
        assert_eq!(status, Some(130), "{said}");
        assert!(unwrapped(&said).contains("the run on the target goes on"), "{said}");
    }
    assert!(out(&format!("{:?}", Signal::HUP)).join("model.dot").is_file());
    let mut watching = learn(&address, &out("watched"));
    let host = Running::until(&mut watching, "the target is learning");
    host.interrupt();
    let (status, said) = host.end();
    assert_eq!(status, Some(130), "{said}");
    let said = ends(3, &mut learn(&address, &out("fetched")));
    assert!(said.contains("the result of the target's last run"), "{said}");
    assert!(said.contains("NOT converged: a host ended the run before."), "{said}");
}

/// A board that goes on after a reset counts its frames, and what the run has cost, from 0 again.
#[test]
fn a_reset_of_a_board_that_goes_on_is_told_and_no_frame_is_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("tcp:{}", listener.local_addr().expect("an address"));
    let board = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the host comes");
        let mut memory = vec![0; 4096];
        let session = Session::<_, TableLearner>::new(&mut memory[..], 1, Options::new());
        let mut progress = types::Progress::from(&session.expect("there is room").progress());
        let mut encoder = Encoder::new();
        for life in [&[10, 20, 90][..], &[5, 80]] {
            encoder = Encoder::new();
            for &symbols in life {
                progress.learning.symbols = symbols;
                let frame = encoder.encode(&Message::Progress(progress)).expect("it fits");
                stream.write_all(frame).expect("it is heard");
            }
        }
        let mut decoder = Decoder::new();
        let heard = BufReader::new(stream.try_clone().expect("a socket"));
        for byte in heard.bytes().map_while(Result::ok) {
            let Some(Ok(frame)) = decoder.push(byte) else { continue };
            let messages = match frame.message() {
                Ok(Request::Crash) => &[Message::Crash(&[])][..],
                Ok(Request::Result { .. }) => {
                    let part = Message::Part { round: None, from: 0, bytes: b"x", is_last: true };
                    &[Message::Ended(None), part]
                }
                _ => &[],
            };
            for message in messages {
                stream.write_all(encoder.encode(message).expect("it fits")).expect("it is heard");
            }
        }
    });
    let link = PortAddress::parse(&address).expect("an address").open(&PortSection::default());
    let mut client = Client::new(link.expect("the board listens")).expect("a line");
    let mut restarts = 0;
    let end = client.watch(
        || Watch::GoOn,
        |event| {
            restarts += u32::from(event == TargetEvent::Restarted { crash: None });
        },
    );
    assert_eq!(end.expect("the run ends").result, b"x");
    assert_eq!((restarts, client.lost_frames()), (1, 0));
    drop(client);
    board.join().expect("the board has done its part");
}
