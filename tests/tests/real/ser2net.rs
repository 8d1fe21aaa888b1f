//! Serial ports behind ser2net, as bytes on a TCP port and by RFC 2217.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mealybug::device::DeviceFile;
use mealybug::dot;
use mealybug::serial::{OpenError, PortAddress, SerialSul, TimedLink};
use mealybug::simulate::{Simulator, device_file};
use mealybug_core::{Input, Sul};
use mealybug_tests::needs::all_there;
use mealybug_tests::pty::Pty;
use mealybug_tests::ser2net::{NEEDS, Ser2net};
use mealybug_tests::tool::mealybug;
use rustix::termios::tcgetattr;

const LAMP: &str = r#"digraph lamp {
  off -> dim [label="press / dim"];
  dim -> bright [label="press / bright"];
  bright -> off [label="press / off"];
  off -> off [label="hold / nothing"];
  dim -> off [label="hold / off"];
  bright -> off [label="hold / off"];
}"#;

#[test]
fn a_device_behind_ser2net_is_learned() {
    if !all_there("learning through ser2net", NEEDS) {
        return;
    }
    let lamp = dot::read("lamp", LAMP).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lamp.toml");
    fs::write(&file, device_file(&lamp)).unwrap();
    let golden = dot::write(&lamp.minimise());
    let simulator = Simulator::start(lamp).unwrap();
    for raw in [true, false] {
        let server = Ser2net::start(simulator.port().as_ref()).unwrap();
        let port = if raw { server.raw() } else { server.rfc2217() };
        let out = folder.path().join(raw.to_string());
        let run = mealybug()
            .args(["learn", "--tests-in-a-row", "30", "--port", &port, "--out"])
            .args([&out, &file])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{port}: {said}");
        assert_eq!(fs::read_to_string(out.join("model.dot")).unwrap(), golden);
    }
}

/// A device that says nothing, opened through `server`.
fn open(server: &Ser2net, port: &str) -> Result<SerialSul<Box<dyn TimedLink + Send>>, OpenError> {
    let text = format!(
        "[port]\n{port}\n[[reset]]\nsteps = [{{ dtr = false }}, {{ dtr = true }}]\nquiet_ms = 0\n\
         [inputs]\na = {{ text = \"a\", reply = {{ within_ms = 10 }} }}\n"
    );
    let device = DeviceFile::parse(Path::new("device.toml"), &text).expect("a device file");
    // ser2net needs a moment to release its last client.
    let deadline = Instant::now() + Duration::from_secs(10);
    let link = loop {
        match PortAddress::parse(&server.rfc2217())?.open(&device.port) {
            Err(OpenError::Closed { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => break result?,
        }
    };
    Ok(SerialSul::new(link, device).expect("a device"))
}

#[test]
fn the_baud_rate_of_the_device_file_is_set_at_the_port_and_lines_that_it_lacks_do_not_hold_us() {
    if !all_there("settings through ser2net", NEEDS) {
        return;
    }
    let pty = Pty::open().unwrap();
    let server = Ser2net::start(pty.path()).unwrap();
    for baud in [9600, 57_600] {
        let mut sul = open(&server, &format!("baud = {baud}")).unwrap();
        assert_eq!(tcgetattr(pty.device()).unwrap().output_speed(), baud);
        let started = Instant::now();
        for _ in 0..20 {
            sul.reset().unwrap();
        }
        // The link waits in vain for one answer, not for forty.
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(sul.warnings(), ["this port has no DTR: setting it does nothing"]);
        assert_eq!(sul.step(Input::new(0)).unwrap(), b"(silence)");
    }
}

#[test]
fn a_port_that_another_client_has_is_told_of() {
    if !all_there("two clients of ser2net", NEEDS) {
        return;
    }
    let pty = Pty::open().unwrap();
    let server = Ser2net::start(pty.path()).unwrap();
    let _first = open(&server, "").unwrap();
    let settings = mealybug::device::PortSection::default();
    let error = PortAddress::parse(&server.rfc2217()).unwrap().open(&settings).unwrap_err();
    assert!(matches!(error, OpenError::Closed { .. }), "{error}");
}
