//! Targets without hardware: what they hear of a device, and what a host makes of their runs.

mod conversation;
mod run;
