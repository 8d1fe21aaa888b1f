//! The host side of Mealybug: devices behind serial ports, simulation, models, reports.

pub mod adapter;
pub mod advice;
pub mod agent;
pub mod algorithm;
pub mod confidence;
pub mod conformance;
pub mod demo_lock;
pub mod device;
pub mod diagnosis;
pub mod dot;
pub mod draft;
pub mod duration;
pub mod escape;
pub mod events;
pub mod export;
pub mod hypotheses;
pub mod interrupt;
pub mod learn;
pub mod learned;
pub mod machine;
pub mod picture;
pub mod ports;
pub mod report;
pub mod result_file;
pub mod run_folder;
#[cfg(test)]
mod schema;
pub mod serial;
pub mod simulate;
pub mod statistics;
pub mod store;
pub mod target;
pub mod word;
pub mod words;
