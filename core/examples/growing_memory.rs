//! Begins in 256 bytes of memory and gives the session more whenever it asks for more.
//!
//! The device is the ring of the paper's Figure 2 with 16 places: input 0 moves one place on, input 1
//! turns around. The output is the place.

use std::error::Error;

use mealybug_core::{CapacityError, Options, Session, serve, sul};

const PLACES: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut place, mut step) = (0, 1);
    let mut ring = sul::from_fn(|input| {
        match input.map(|input| input.index()) {
            None => (place, step) = (0, 1),
            Some(0) => place = (place + step) % PLACES,
            Some(_) => step = PLACES - step,
        }
        place.to_string()
    });
    let mut session = Session::new(vec![0; 64], 2, Options::new())?;
    // Twice the memory each time, so that what is learned is copied a few times only. What an attempt
    // needs can be more than that.
    let mut grow = |session: &mut Session<Vec<u32>>, error: CapacityError| {
        let bytes = error.needed.max(2 * error.capacity);
        println!("{error}: {bytes} bytes");
        session.move_into(vec![0; bytes.div_ceil(size_of::<u32>())]).is_ok()
    };
    let end = serve::serve(&mut session, &mut ring, &mut grow)?;
    println!("{end:?}: {} components", session.progress().components);
    println!("{} bytes used of {}", session.progress().learner_bytes, session.capacity_bytes());
    Ok(())
}
