//! A device at the other end of a real pseudo-terminal.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mealybug::device::{DeviceFile, PortSection};
use mealybug::serial::{LinkError, OpenError, SerialLink, SerialSul, TimedLink};
use mealybug_core::{Input, Sul};
use miette::Diagnostic;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What a device says, each piece after a delay in ms; `None` when it breaks down.
type DelayedPieces = Option<Vec<(u64, &'static [u8])>>;

/// A device in a thread, behind a pseudo-terminal.
struct FakeDevice {
    path: String,
    thread: JoinHandle<()>,
}

impl FakeDevice {
    /// Starts a device that reacts to each piece of input that it reads.
    fn start(mut react: impl FnMut(&[u8]) -> DelayedPieces + Send + 'static) -> Self {
        let (mut master, path) = pseudo_terminal();
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 64];
            // Reading fails once the learner has closed its side.
            while let Ok(count) = master.read(&mut buffer) {
                let Some(reaction) = react(&buffer[..count]) else {
                    return;
                };
                for (after, bytes) in reaction {
                    std::thread::sleep(Duration::from_millis(after));
                    master.write_all(bytes).expect("the terminal takes it");
                }
            }
        });
        Self { path, thread }
    }
}

/// The controlling side of a new pseudo-terminal, and the path of the other side.
fn pseudo_terminal() -> (File, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it opens");
    let path = ptsname(&master, Vec::new()).expect("it has a name");
    (File::from(master), path.into_string().expect("a path in ASCII"))
}

/// Opens `port` with this text of a device file; the file would be in `folder`.
fn open(port: &str, folder: &Path, text: &str) -> SerialSul<SerialLink> {
    let device = DeviceFile::parse(&folder.join("device.toml"), text).expect("a device file");
    let link = SerialLink::open(port, &device.port).expect("the port opens");
    SerialSul::new(link, device).expect("a device")
}

/// Waits until a condition holds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Opens a file without making it the terminal of this process.
fn open_readable(path: &Path, flags: OFlags) -> File {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | flags;
    rustix::fs::open(path, flags, Mode::empty()).expect("it opens").into()
}

fn step(sul: &mut SerialSul<SerialLink>, input: u32) -> Result<String, LinkError> {
    let output = sul.step(Input::new(input))?;
    Ok(String::from_utf8(output.to_vec()).expect("outputs are text"))
}

const RESET: &str = "[[reset]]\nsteps = [{ send = \"R\" }]\n\
                     expect = { match = 'ready\\n$', within_ms = 5000 }\nquiet_ms = 1\n";

#[test]
fn each_end_of_a_reply_works_on_a_real_terminal() {
    let device = FakeDevice::start(|bytes| {
        Some(match bytes {
            b"R" => vec![(0, b"ready\n")],
            // In two pieces, with bytes on which a terminal in its usual mode would act.
            b"line" => vec![(0, b"\x00\x03\x04\x11\x13\x7f\x80\xff\r"), (10, b"\n")],
            b"prompt" => vec![(0, b"> not yet\r\n"), (5, b"> ")],
            b"quiet" => vec![(5, b"\x06"), (5, b"\x15")],
            _ => Vec::new(),
        })
    });
    let text = format!(
        "{RESET}[reply]\nwithin_ms = 5000\n[inputs]\n\
         line = {{ text = \"line\", reply = {{ lines = 1 }} }}\n\
         prompt = {{ text = \"prompt\", reply = {{ match = '\\n> $', grace_ms = 5 }} }}\n\
         quiet = {{ text = \"quiet\", reply = {{ quiet_ms = 300 }} }}\n\
         nothing = {{ text = \"nothing\", reply = {{ within_ms = 20 }} }}"
    );
    let mut sul = open(&device.path, Path::new(""), &text);
    for _ in 0..2 {
        sul.reset().expect("a reset");
        let line = step(&mut sul, 0).expect("an output");
        assert_eq!(line, r"\x00\x03\x04\x11\x13\x7f\x80\xff\r\n");
        assert_eq!(step(&mut sul, 1).expect("an output"), r"> not yet\r\n> ");
        assert_eq!(step(&mut sul, 2).expect("an output"), r"\x06\x15");
        assert_eq!(step(&mut sul, 3).expect("an output"), "(silence)");
    }
    assert!(sul.statistics().inputs[3].longest >= Duration::from_millis(20));
    assert!(sul.statistics().inputs[0].longest < Duration::from_secs(5), "no patience was used");
    assert!(sul.warnings().is_empty());
    drop(sul);
    device.thread.join().expect("the device ends when the port is closed");
}

#[test]
fn bytes_reach_the_device_as_they_are() {
    let (mut master, path) = pseudo_terminal();
    let all: Vec<u8> = (0..=255).collect();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("all.bin"), &all).expect("a file");
    let text = format!(
        "{RESET}[inputs]\nall = {{ file = \"all.bin\", reply = {{ length = 256, within_ms = 5000 }} }}"
    );
    let mut sul = open(&path, folder.path(), &text);
    let device = std::thread::spawn(move || {
        let mut bytes = [0; 256];
        master.read_exact(&mut bytes).expect("they come");
        master.write_all(&bytes).expect("they go");
        (master, bytes)
    });
    let output = step(&mut sul, 0).expect("an output");
    assert_eq!(mealybug::escape::unescape(&output).as_ref(), Some(&all));
    let (_master, received) = device.join().expect("the device ends");
    assert_eq!(received[..], all);
}

/// The device reads nothing before the reset is over.
#[test]
fn a_reset_reaches_a_device_that_is_slow() {
    let (mut master, path) = pseudo_terminal();
    let text = "[[reset]]\nsteps = [{ send = \"R\" }, { send = \"S\" }]\nquiet_ms = 1\n\
                [inputs]\na = { text = \"a\", reply = { within_ms = 0 } }";
    let mut sul = open(&path, Path::new(""), text);
    sul.reset().expect("a reset");
    assert_eq!(step(&mut sul, 0).expect("an output"), "(silence)");
    wait_until("all that was sent is there", || {
        rustix::io::ioctl_fionread(master.as_fd()).expect("a terminal") == 3
    });
    let mut sent = [0; 3];
    master.read_exact(&mut sent).expect("it is there");
    assert_eq!(&sent, b"RSa");
}

#[test]
fn a_late_byte_is_noticed() {
    let (mut master, path) = pseudo_terminal();
    // The link keeps others from opening its port.
    let port = open_readable(Path::new(&path), OFlags::empty());
    let (ended, wait_for_end) = mpsc::channel();
    let device = std::thread::spawn(move || {
        let mut byte = [0];
        master.read_exact(&mut byte).expect("the input comes");
        master.write_all(b"one\n").expect("the terminal takes it");
        wait_for_end.recv().expect("the reply ends");
        master.write_all(b"two\n").expect("the terminal takes it");
        let mut others = [0; 2];
        master.read_exact(&mut others).expect("they come");
        assert_eq!(&others, b"Rb", "`b` was not sent before the reset");
        master
    });
    let text = "[[reset]]\nsteps = [{ send = \"R\" }]\nquiet_ms = 1\n\
                [reply]\nlines = 1\nwithin_ms = 5000\n[inputs]\na = \"a\"\n\
                b = { text = \"b\", reply = { within_ms = 0 } }";
    let mut sul = open(&path, Path::new(""), text);
    assert_eq!(step(&mut sul, 0).expect("an output"), r"one\n");
    ended.send(()).expect("the device listens");
    wait_until("the late bytes are at the port", || {
        rustix::io::ioctl_fionread(port.as_fd()).expect("a terminal") == 4
    });
    let error = step(&mut sul, 1).expect_err("something came meanwhile");
    assert_eq!(
        error.to_string(),
        r"4 bytes came after the reply to `a` (`one\n`) had ended, before `b` was sent: `two\n`"
    );
    sul.reset().expect("a reset");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    device.join().expect("it was sent after all");
}

#[test]
fn a_device_that_disappears_is_told_of() {
    let device = FakeDevice::start(|bytes| match bytes {
        b"R" => Some(vec![(0, b"ready\n")]),
        _ => None,
    });
    let text = format!("{RESET}[reply]\nwithin_ms = 5000\n[inputs]\na = \"a\"");
    let mut sul = open(&device.path, Path::new(""), &text);
    sul.reset().expect("a reset");
    let started = Instant::now();
    let error = step(&mut sul, 0).expect_err("it broke down");
    // The device may disappear so early that the port is still sending.
    let start = "the device disappeared while `a` was ";
    assert!(error.to_string().starts_with(start), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(4), "noticed at once, not after its patience");
    device.thread.join().expect("it has ended");
    let error = step(&mut sul, 0).expect_err("gone");
    assert!(error.is_gone() && !error.is_worth_a_retry(), "{error}");
}

#[test]
fn a_port_of_others_says_whom_to_ask() {
    use rustix::process::{Uid, getuid};
    let (_master, path) = pseudo_terminal();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(&path, mode).expect("it is ours");
    // Root may open everything, so become nobody in this thread.
    let nobody = std::thread::spawn(move || {
        if getuid().is_root() {
            rustix::thread::set_thread_uid(Uid::from_raw(65534)).expect("root may be anybody");
        }
        SerialLink::open(&path, &PortSection::default()).expect_err("it is not theirs")
    });
    let error = nobody.join().expect("it has ended");
    assert!(matches!(error, OpenError::Forbidden { .. }), "{error}");
    let help = miette::Diagnostic::help(&error).expect("what to do").to_string();
    assert!(help.contains("sudo usermod -aG dialout $USER"), "{help}");
}

#[test]
fn a_device_that_takes_nothing_does_not_keep_us() {
    // Nobody reads the other side, so the terminal takes some kilobytes and then nothing.
    let (_master, path) = pseudo_terminal();
    let mut link = SerialLink::open(&path, &PortSection::default()).expect("the port opens");
    let error = link.write(&[b'a'; 1 << 20]).expect_err("it does not take all of it");
    assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
}

#[test]
fn a_port_that_vanishes_and_comes_back_under_its_name_is_opened_again() {
    let start = || {
        FakeDevice::start(|bytes| match bytes {
            b"R" => Some(vec![(0, b"ready\n")]),
            b"a" => Some(vec![(0, b"yes\n")]),
            _ => None,
        })
    };
    // Like a link of udev in /dev/serial/by-id.
    let folder = tempfile::tempdir().expect("a folder");
    let name = folder.path().join("usb-lock");
    let link = |device: &FakeDevice| {
        std::os::unix::fs::symlink(&device.path, &name).expect("a link");
    };
    let first = start();
    link(&first);
    let text =
        format!("{RESET}[reply]\nlines = 1\nwithin_ms = 5000\n[inputs]\na = \"a\"\nb = \"b\"");
    let mut sul = open(name.to_str().expect("a path in UTF-8"), Path::new(""), &text);
    sul.reset().expect("a reset");
    assert_eq!(step(&mut sul, 0).expect("an output"), r"yes\n");
    assert!(step(&mut sul, 1).expect_err("it broke down").is_gone());
    first.thread.join().expect("it has ended");
    std::fs::remove_file(&name).expect("the link was there");
    for _ in 0..2 {
        let error = sul.reset().expect_err("it is not back");
        assert!(error.is_gone());
        let said = format!("the device is not back: there is no port {}", name.display());
        assert_eq!(error.to_string(), said);
    }
    let second = start();
    link(&second);
    sul.reset().expect("it is back");
    assert_eq!(step(&mut sul, 0).expect("an output"), r"yes\n");
}

#[test]
fn the_second_reset_method_is_tried_when_the_first_fails() {
    let device = FakeDevice::start(|bytes| {
        Some(match bytes {
            b"R" => vec![(0, b"what?\n")],
            b"!" => vec![(0, b"booting\n"), (10, b"ready\n")],
            _ => Vec::new(),
        })
    });
    let text = "[port]\ndtr = true\n\
        [[reset]]\nsteps = [{ send = \"R\" }]\nexpect = { match = 'ready', within_ms = 100 }\n\
        [[reset]]\nsteps = [{ dtr = false }, { rts = true }, { break_ms = 1 }, { send = \"!\" }]\n\
        expect = { match = 'ready', within_ms = 5000 }\n\
        [reply]\nwithin_ms = 10\n[inputs]\na = \"a\"";
    let mut sul = open(&device.path, Path::new(""), text);
    sul.reset().expect("a reset");
    let counts: Vec<_> = sul.statistics().resets.iter().map(|spent| spent.count).collect();
    assert_eq!(counts, [1, 1]);
    assert_eq!(
        sul.warnings(),
        ["DTR", "RTS"].map(|line| format!("this port has no {line}: setting it does nothing"))
    );
    assert_eq!(step(&mut sul, 0).expect("an output"), "(silence)");
}

#[test]
fn a_command_of_the_shell_resets_the_device() {
    // A device whose reset button is a file beside the device file. It speaks before the command
    // ends.
    let folder = tempfile::tempdir().expect("a folder");
    let [button, said] = ["button", "said"].map(|name| folder.path().join(name));
    let (mut master, path) = pseudo_terminal();
    let text = "[[reset]]\nsteps = [{ run = \": > button; until [ -e said ]; do sleep 0.01; done\", \
                within_ms = 20000 }]\n\
                expect = { match = '^ready\\n$', within_ms = 5000 }\n[inputs]\na = \"a\"";
    let mut sul = open(&path, folder.path(), text);
    let device = std::thread::spawn(move || {
        wait_until("the button is pressed", || button.exists());
        master.write_all(b"ready\n").expect("the terminal takes it");
        File::create(said).expect("a file");
        master
    });
    sul.reset().expect("a reset");
    device.join().expect("the button was pressed");
}

#[test]
fn a_command_that_fails_is_told_of_with_its_words() {
    let (_master, path) = pseudo_terminal();
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[[reset]]\nsteps = [{ run = \"echo no hub >&2; exit 3\" }]\n\
                [[reset]]\nsteps = [{ run = \"sleep 100 > alive & wait\", within_ms = 300 }]\n\
                [inputs]\na = \"a\"";
    let alive = folder.path().join("alive");
    mkfifoat(CWD, &alive, Mode::from_raw_mode(0o600)).expect("a pipe");
    let mut alive = open_readable(&alive, OFlags::NONBLOCK);
    let mut sul = open(&path, folder.path(), text);
    let error = sul.reset().expect_err("both fail");
    let help = error.help().expect("advice").to_string();
    assert!(
        help.starts_with("a command of [[reset]] failed, so the device was not asked: "),
        "{help}"
    );
    assert_eq!(
        error.to_string(),
        "the device did not come back from a reset\n\
         [[reset]] 1: `echo no hub >&2; exit 3` failed: exit status: 3: no hub\n\
         [[reset]] 2: `sleep 100 > alive & wait` did not end within 300 ms"
    );
    // The pipe ends when nobody can write to it any more.
    wait_until("what the command had started is stopped, too", || {
        !alive.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    });
}

#[test]
fn a_port_that_cannot_be_had_says_why() {
    let settings = PortSection::default();
    let open = |path: &str| SerialLink::open(path, &settings).expect_err("it cannot be opened");
    assert!(matches!(open("/dev/no-such-port"), OpenError::Missing { .. }));
    assert!(matches!(open("/dev/null"), OpenError::NotAPort { .. }));
    assert!(matches!(open("/"), OpenError::NotAPort { .. }));
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("a path in UTF-8");
    assert!(matches!(open(path), OpenError::NotAPort { .. }));

    let (_master, path) = pseudo_terminal();
    let first = SerialLink::open(&path, &settings).expect("the port opens");
    let error = open(&path);
    assert!(matches!(error, OpenError::Busy { .. }), "{error}");
    assert_eq!(error.to_string(), format!("the port {path} is in use by another program"));
    drop(first);
    SerialLink::open(&path, &settings).expect("it is free again");
}
