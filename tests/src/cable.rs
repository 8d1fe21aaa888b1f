//! Lines between ports: perfect ones, lossy ones, and ones that outlive their far end.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::pty::{Pty, open_raw};

/// All bytes that came from one end of a line.
pub type HeardBytes = Arc<Mutex<Vec<u8>>>;

/// Connects two ports while both exist. Returns what the first one says.
///
/// # Errors
/// One of them cannot be opened.
pub fn connect(learner: &Path, device: &Path) -> io::Result<HeardBytes> {
    pass_both_ways(open_raw(learner)?, open_raw(device)?, || |_| {})
}

/// Connects a new port to `port` by a line that loses one byte in a thousand in each direction.
/// Returns the new port, and what is left of what `port` says.
///
/// # Errors
/// The port cannot be opened.
pub fn lossy(port: &Path) -> io::Result<(Pty, HeardBytes)> {
    let near = Pty::open()?;
    let lose = || {
        let mut seen = 0;
        move |bytes: &mut Vec<u8>| {
            bytes.retain(|_| {
                seen += 1;
                seen % 1000 != 0
            });
        }
    };
    let heard = pass_both_ways(open_raw(port)?, near.device().try_clone()?, lose)?;
    Ok((near, heard))
}

/// Copies bytes both ways. Each direction gets a function from `change` that may alter them.
/// Returns what came from the first end.
fn pass_both_ways<F>(one: File, other: File, change: impl Fn() -> F) -> io::Result<HeardBytes>
where
    F: FnMut(&mut Vec<u8>) + Send + 'static,
{
    let heard = HeardBytes::default();
    let (from, to, said) = (one.try_clone()?, other.try_clone()?, Arc::clone(&heard));
    let (mut there, back) = (change(), change());
    thread::spawn(move || {
        pass(from, to, |bytes| {
            there(bytes);
            said.lock().expect("nobody panicked").extend(&*bytes);
        });
    });
    thread::spawn(move || pass(other, one, back));
    Ok(heard)
}

/// Copies bytes, after `look` has seen and perhaps changed them.
fn pass(mut from: File, mut to: File, mut look: impl FnMut(&mut Vec<u8>)) {
    let mut buffer = [0; 1024];
    // The loop ends when one of the two ends closes.
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut bytes = buffer[..count].to_vec();
        look(&mut bytes);
        if to.write_all(&bytes).is_err() {
            return;
        }
    }
}

/// A line that outlives its far end.
#[derive(Debug)]
pub struct Socket {
    near: Pty,
    far: Arc<Mutex<Option<File>>>,
}

impl Socket {
    /// A line with nothing at its far end.
    ///
    /// # Errors
    /// The system's errors.
    pub fn new() -> io::Result<Self> {
        let near = Pty::open()?;
        let far = Arc::new(Mutex::new(None::<File>));
        let (mut from, to) = (near.device().try_clone()?, Arc::clone(&far));
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if let Some(far) = &mut *to.lock().expect("nobody panicked") {
                    // This fails when the far end has just closed; the bytes are lost.
                    let _ = far.write_all(&buffer[..count]);
                }
            }
        });
        Ok(Self { near, far })
    }

    /// The path of the port at the near end.
    pub fn port(&self) -> &Path {
        self.near.path()
    }

    /// Connects a port to the far end.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub fn plug(&self, port: &Path) -> io::Result<()> {
        let far = open_raw(port)?;
        let (from, to) = (far.try_clone()?, self.near.device().try_clone()?);
        *self.far.lock().expect("nobody panicked") = Some(far);
        thread::spawn(move || pass(from, to, |_| {}));
        Ok(())
    }
}
