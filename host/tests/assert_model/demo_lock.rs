//! The demo's door lock, 28 states, against the model that its own table writes.

use mealybug::demo_lock::DemoLock;
use mealybug::{Device, LearnOptions, assert_model, learn};

#[test]
fn the_lock_does_what_its_model_says() {
    assert_model!("tests/models/demo-lock.dot", Device::from(&DemoLock::machine()));
}

/// What a test costs, most of it the thousand tests of the last hypothesis: it takes a debug build well under a second.
#[test]
fn a_device_of_28_states_costs_few_symbols() {
    let lock = DemoLock::machine();
    let learned = learn(Device::from(&lock), &LearnOptions::new().like(lock.clone()));
    let learned = learned.expect("it is learned");
    assert_eq!(learned.model().states(), 28);
    let statistics = learned.statistics();
    assert!(statistics.learning.symbols < 1_200, "{:?}", statistics.learning);
    assert!(statistics.device.symbols < 20_100, "{:?}", statistics.device);
    let modules = learned.modules().expect("a complete model");
    assert_eq!(modules.names(), ["light", "1,2,enter,close"]);
    assert!(learned.report("lock").contains("1,2,enter,close"));
}
