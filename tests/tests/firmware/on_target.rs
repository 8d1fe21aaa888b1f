//! The learner in one QEMU learns a device in another, and the host fetches the result.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use mealybug::device::{DeviceFile, Variables};
use mealybug::machine::Machine;
use mealybug::result_file;
use mealybug::simulate::Simulated;
use mealybug_core::{Action, Options, Projections, Reply, Session, Sul, Tests};
use mealybug_tests::board::{EmulatedBoard, LearnerBoard, all_built};
use mealybug_tests::cable::{CuttableLine, connect};
use mealybug_tests::learned::{assert_golden, assert_learned, target};
use mealybug_tests::tool::{Running, succeed};
use mealybug_tests::{device_file, golden};
use tempfile::TempDir;

/// The options of a target by default.
fn default() -> Options {
    Options::new().tests(Tests::RandomWp)
}

/// The bytes that the learner should send to the device: the words of a session in this process.
fn expected(model: &Machine, sent: impl Fn(&str) -> Vec<u8>, options: Options) -> Vec<u8> {
    let inputs = u32::try_from(model.inputs().len()).expect("few");
    let mut session = Session::new(vec![0; 12 << 10], inputs, options).expect("inputs");
    let mut device = Simulated::new(model);
    let mut bytes = Vec::new();
    let mut reply = Reply::Ready;
    loop {
        reply = match session.next(0, reply).expect("there is room") {
            Action::Reset => {
                bytes.push(0x18);
                device.reset().expect("infallible");
                Reply::Ready
            }
            Action::Input(input) => {
                bytes.extend(sent(model.input_name(input)));
                Reply::Output(device.step(input).expect("infallible"))
            }
            Action::Idle | Action::Hypothesis => Reply::Ready,
            Action::Done(_) => return bytes,
        };
    }
}

/// The same for a device of this name.
fn words(name: &str, options: Options) -> Vec<u8> {
    let file = device_file(name).join("device.toml");
    let device = DeviceFile::load(&file).expect("it can be read");
    let sent = |name: &str| {
        let input = device.inputs.iter().find(|input| input.name == name);
        input.expect("the golden model has these inputs").sends(&Variables::default())
    };
    expected(&golden(&format!("{name}/golden.dot")), sent, options)
}

/// Learns a device on the target. The result must be the golden model, with the words that the host
/// asks.
fn learns(name: &str, options: &[&str], session: Options) {
    if !all_built(&format!("learning {name} on target"), &["learner", name]) {
        return;
    }
    let device = EmulatedBoard::start(name).expect("QEMU runs the device");
    let learner = LearnerBoard::start("learner").expect("QEMU runs the learner");
    let heard = connect(learner.device_port(), device.port()).expect("two ports");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let file = device_file(name).join("device.toml");
    let ended = succeed(target(learner.host_port(), &out).arg(&file).args(options));
    println!("{}", String::from_utf8_lossy(&ended.stdout));

    assert_learned(&golden(&format!("{name}/golden.dot")), &out);
    let heard = heard.lock().expect("a list");
    assert_words(&heard, &words(name, session));
    let result = std::fs::read(out.join("result.postcard")).expect("it is written");
    let (run, _) = result_file::decode(&result).expect("a result");
    assert_eq!(run.options, session);

    // A host that connects after the end gets the same.
    let again = folder.path().join("again");
    succeed(target(learner.host_port(), &again).arg(&file));
    assert_eq!(std::fs::read(again.join("result.postcard")).expect("it is written"), result);
}

/// The learner's words are these, in this order. A word whose answer failed, as on a machine that stalls, is asked again.
fn assert_words(heard: &[u8], expected: &[u8]) {
    let mut heard = heard.split(|&byte| byte == 0x18);
    let mut before: &[u8] = &[];
    for word in expected.split(|&byte| byte == 0x18) {
        let is_again = |asked: &[u8]| before.starts_with(asked) || word.starts_with(asked);
        let asked = heard.by_ref().find(|&asked| asked == word || !is_again(asked));
        assert_eq!(asked, Some(word), "another word than on the host");
        before = word;
    }
    assert!(heard.all(|asked| before.starts_with(asked)), "more words than on the host");
}

#[test]
fn the_boot_loader() {
    learns("boot-loader", &[], default());
}

/// With another seed, and with L*: one component for all outputs.
#[test]
fn the_motor() {
    let session = default().seed(7).projections(Projections::Identity).passing_tests(300);
    let options = ["--seed", "7", "--algorithm", "l-star", "--tests-in-a-row", "300"];
    learns("motor", &options, session);
}

/// The lock-out needs a clock at the learner too, because `wait` sends nothing.
#[test]
fn the_door_lock() {
    let session = default().passing_tests(20);
    learns("door-lock", &["--tests-in-a-row", "20"], session);
}

/// The board is reset twice while it learns. It goes on by itself, its host watches on, and of all words only those are
/// asked a second time that a reset interrupted.
#[test]
fn a_run_goes_on_after_a_reset() {
    if !all_built("a run that goes on after a reset", &["learner-motor", "motor"]) {
        return;
    }
    let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
    let mut learner = LearnerBoard::start("learner-motor").expect("QEMU runs the learner");
    let mut line = CuttableLine::new(learner.device_port(), device.port()).expect("two ports");
    let heard = Arc::clone(&line.heard);
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = target(learner.host_port(), &out);
    command.arg(device_file("motor/device.toml")).args(["--tests-in-a-row", "300"]);
    let host = Running::until(&mut command, "hypothesis");
    let until = Instant::now() + Duration::from_secs(60);
    for resets in [150, 400] {
        let asked = || heard.lock().expect("a list").iter().filter(|&&byte| byte == 0x18).count();
        while asked() < resets {
            assert!(Instant::now() < until, "{} words were asked", asked());
            thread::sleep(Duration::from_millis(1));
        }
        // A pseudo-terminal may deliver the last answer after the reset. A wire does not.
        line.cut(b"\x18jump\r", b"E0 unknown command\r\n> ").expect("the device answers");
        learner.reset().expect("QEMU runs");
        line.mend();
    }
    let (status, said) = host.end();
    assert_eq!(status, Some(0), "{said}");
    assert_golden("motor", &out);
    let heard = heard.lock().expect("a list");
    let words = words("motor", default().passing_tests(300));
    assert_words(&heard, &words);
    let count = |bytes: &[u8]| bytes.split(|&byte| byte == 0x18).count();
    assert!(count(&heard) <= count(&words) + 4, "{} of {}", count(&heard), count(&words));
}

/// The learner's program contains the rules of the motor: the host brings no device file, and names
/// the outputs afterwards.
#[test]
fn a_device_that_the_program_knows() {
    if !all_built("learning a device that the target knows", &["learner-motor", "motor"]) {
        return;
    }
    let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
    let learner =
        LearnerBoard::start_at(device.port(), "learner-motor").expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let options = ["--tests-in-a-row", "300"];
    succeed(target(learner.host_port(), &folder.path().join("raw")).args(options));
    for (name, again) in [("named", None), ("again", Some("--again"))] {
        let (out, file) = (folder.path().join(name), device_file("motor").join("device.toml"));
        succeed(target(learner.host_port(), &out).args(options).arg(file).args(again));
        assert_golden("motor", &out);
    }
}
