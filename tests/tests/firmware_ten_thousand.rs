//! 10 000 states on a board with 64 KiB of RAM: the learner in QEMU, at its other port a simulated
//! device.

use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use mealybug::machine::separate;
use mealybug_tests::board::{Learner, all_built, connect};
use mealybug_tests::{model, models, tool};
use tempfile::TempDir;

/// The command that plays a model; dropping it ends it.
struct Simulated {
    command: Child,
    port: PathBuf,
}

impl Drop for Simulated {
    fn drop(&mut self) {
        // It fails when the command has ended by itself.
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

/// Plays a model, and writes its device file.
fn simulate(model: &std::path::Path, device_file: &std::path::Path) -> io::Result<Simulated> {
    let mut command = tool::mealybug();
    command.arg("simulate").arg(model).arg("--write-device").arg(device_file);
    let mut command = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut port = String::new();
    BufReader::new(command.stdout.take().expect("it is piped")).read_line(&mut port)?;
    Ok(Simulated { command, port: port.trim_end().into() })
}

#[test]
#[ignore = "takes long, and wants the models"]
fn ten_thousand_states() {
    let what = "10 000 states on target";
    let Some(models) = models::folder(what) else { return };
    if !all_built(what, &["learner"]) {
        return;
    }
    let simulated = models.join("artificial/random-5-5-6.dot");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("device.toml");
    let device = simulate(&simulated, &file).expect("it is played");
    let learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), &device.port).expect("two ports");
    let out = folder.path().join("out");
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(learner.host_port()).arg("--out").arg(&out);
    let ended = command.arg(&file).output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    println!("{}", String::from_utf8_lossy(&ended.stdout));
    let learned = model(&out.join("model.dot"));
    assert_eq!(learned.states(), 10_000);
    assert_eq!(separate(&learned, &model(&simulated)), Ok(None));
}
