//! `[[reset]]`: the ways back to the initial state, as a list of methods.

use std::time::Duration;

use super::error::FileFault;
use super::fields::{Fields, at_least_one};
use super::probe::of_line;
use super::scope::FileScope;
use super::step::{self, DeviceStep, Expect};

/// One way to reset the device. If it fails, the next method is tried.
///
/// ```toml
/// [[reset]]
/// steps = [
///     { send = "\u0003", wait_ms = 20 },
///     { send = "reset\r" },
///     { expect = { match = 'Hit any key', within_ms = 5000 } },
///     { hex = "20" },
/// ]
/// expect = { match = '=> $', within_ms = 2000 }
/// quiet_ms = 20
/// tries = 2
///
/// [[reset]]
/// steps = [{ run = "uhubctl -a cycle -p 3", within_ms = 20000 }]
/// ```
///
/// A reset has worked when everything received since the last act matches `expect` and nothing more
/// comes for `quiet_ms`. What the device said before the last act, such as a prompt from before the
/// reset, is ignored. A method without `expect` works when its steps do. Write an `expect` whenever
/// the device says anything: a reset that silently failed is the hardest fault to find later.
#[derive(Clone, Debug)]
pub struct ResetMethod {
    /// The steps, in their order; at least one.
    pub steps: Vec<DeviceStep>,
    /// What the device says after the reset.
    pub expect: Option<Expect>,
    /// How long the line must stay silent afterwards; default 20 ms.
    pub quiet: Duration,
    /// How often to try this method before the next one.
    pub tries: usize,
}

/// The default for `quiet_ms`.
const QUIET: Duration = Duration::from_millis(20);

pub(super) fn read(
    mut fields: Fields<'_>,
    is_first: bool,
    scope: &FileScope<'_>,
) -> Result<ResetMethod, FileFault> {
    let place = fields.place();
    if scope.is_probed {
        if !is_first {
            return Err(FileFault::new(
                place,
                "there are two ways to reset the device",
                "this one is never tried",
            )
            .help("nothing shows whether the first one worked; put all steps into one [[reset]]"));
        }
        for key in ["expect", "quiet_ms", "tries"] {
            if let Some(field) = fields.peek(key) {
                return Err(of_line(field, &format!("`{key}` of a reset"))
                    .help("give the device time to come back: { wait_ms = 50 }"));
            }
        }
    }
    let steps = fields.field("steps");
    let expect = fields.take("expect")?;
    let quiet = fields.take("quiet_ms")?.unwrap_or(QUIET);
    let tries = fields.field("tries").map(|field| at_least_one(&field)).transpose()?.unwrap_or(1);
    fields.finish()?;
    let steps = match steps {
        Some(field) => step::read_all(&field, scope, false)?,
        None => Vec::new(),
    };
    if steps.is_empty() {
        return Err(FileFault::new(place, "this reset does nothing", "it has no steps")
            .help("say how, such as steps = [{ send = \"reset\\r\" }]"));
    }
    Ok(ResetMethod { steps, expect, quiet, tries })
}
