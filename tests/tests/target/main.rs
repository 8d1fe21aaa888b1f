//! Targets and agents without hardware: what they hear of a device, and what a host makes of it.

mod conversation;
mod hardware;
mod images;
mod lines;
mod power;
mod probes;
mod run;
