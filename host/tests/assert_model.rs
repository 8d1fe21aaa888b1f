//! Firmware logic against its golden models, as its authors would test it.
//!
//! `MEALYBUG_UPDATE=1 cargo test -p mealybug --test assert_model` writes the models.

#[path = "assert_model/command_parser.rs"]
mod command_parser;
#[path = "assert_model/debouncer.rs"]
mod debouncer;
#[path = "assert_model/demo_lock.rs"]
mod demo_lock;
#[path = "assert_model/failures.rs"]
mod failures;
#[path = "assert_model/lock.rs"]
mod lock;
#[path = "assert_model/sensor.rs"]
mod sensor;
