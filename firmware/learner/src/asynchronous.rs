//! The target for programs that wait with `await`: beside other tasks of an executor.
//!
//! It is the same [`Target`], on a link and with a device of
//! [`adapters::asynchronous`](mealybug_adapters::asynchronous): its file is compiled twice.

mod parts;
#[path = "target.rs"]
mod target;

pub use target::Target;

use maybe_async::must_be_async as waiting;
use mealybug_adapters::asynchronous::{Attached, Frames, Link};
use mealybug_core::serve::{AsyncAnswerer as Answerer, serve_async as serve};
