//! 10 000 states on a board with 64 KiB of RAM: the learner runs in QEMU, with a simulated device
//! at its other port.

use mealybug_tests::board::{LearnerBoard, all_built};
use mealybug_tests::learned::{assert_learned, target};
use mealybug_tests::simulated::SimulateCommand;
use mealybug_tests::tool::succeed;
use mealybug_tests::{model, models};
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
    let device = SimulateCommand::start(&simulated, &file, &[]).expect("it is played");
    let learner = LearnerBoard::start_at(device.port(), "learner").expect("QEMU runs the learner");
    let out = folder.path().join("out");
    let ended = succeed(target(learner.host_port(), &out).arg(&file));
    println!("{}", String::from_utf8_lossy(&ended.stdout));
    assert_eq!(model(&out.join("model.dot")).states(), 10_000);
    assert_learned(&model(&simulated), &out);
}
