//! 10 000 states on a board with 64 KiB of RAM: the learner in QEMU, at its other port a simulated
//! device.

use mealybug::machine::separate;
use mealybug_tests::board::{Learner, all_built, connect};
use mealybug_tests::simulated::Simulated;
use mealybug_tests::{model, models, tool};
use tempfile::TempDir;

#[test]
fn ten_thousand_states() {
    let what = "10 000 states on target";
    let Some(models) = models::folder(what) else { return };
    if !all_built(what, &["learner"]) {
        return;
    }
    let simulated = models.join("artificial/random-5-5-6.dot");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("device.toml");
    let device = Simulated::start(&simulated, &file, &[]).expect("it is played");
    let learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("two ports");
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
