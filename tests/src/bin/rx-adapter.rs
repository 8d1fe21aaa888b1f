//! `rx` as an adapter, for `mealybug learn --adapter … --workers N`: each worker asks an `rx` of its own.
//!
//! Its inputs are those of `tests/devices/rx/golden-full.dot`.

use std::io::{self, Write};

use mealybug_core::{Input, Sul};
use mealybug_tests::rx::{BLOCK, CAN, EOT, JUNK, RxSul};

/// The inputs, and their bytes in the same order.
const NAMES: [&str; 4] = ["block", "can", "eot", "junk"];
const BYTES: [&[u8]; NAMES.len()] = [BLOCK, CAN, EOT, JUNK];

fn main() -> io::Result<()> {
    let mut rx = RxSul::new(&BYTES)?;
    for line in io::stdin().lines() {
        let answer = answer(&mut rx, &line?).unwrap_or_else(|error| format!("error {error}"));
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

/// The answer to a line, as docs/connections.md describes it.
fn answer(rx: &mut RxSul<'_>, line: &str) -> io::Result<String> {
    if line == "inputs" {
        return Ok(NAMES.join(" "));
    }
    if line == "reset" {
        rx.reset()?;
        return Ok("ok".to_owned());
    }
    let name = line.strip_prefix("step ");
    let input = (0..).map(Input::new).zip(NAMES).find(|&(_, known)| name == Some(known));
    let Some((input, _)) = input else {
        return Err(io::Error::other(format!("{line:?} is no line that an adapter takes")));
    };
    Ok(String::from_utf8_lossy(rx.step(input)?).into_owned())
}
