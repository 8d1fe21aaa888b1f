//! Lines between ports: as they should be, that lose bytes, and that outlive what is at their far end.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::pty::{Pty, open_raw};

/// All bytes that came from one end of a line.
pub type Heard = Arc<Mutex<Vec<u8>>>;

/// Connects two ports for as long as both are there; what the first says is heard.
///
/// # Errors
/// One of them cannot be opened.
pub fn connect(learner: &Path, device: &Path) -> io::Result<Heard> {
    pass_both_ways(open_raw(learner)?, open_raw(device)?, || |_| {})
}

/// A port that is connected with that one by a line that loses one byte of a thousand, both ways; what
/// comes of what that port says is heard.
///
/// # Errors
/// The port cannot be opened.
pub fn lossy(port: &Path) -> io::Result<(Pty, Heard)> {
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

/// Passes on what comes both ways, each changed by a function of its own; what comes from the first is
/// heard.
fn pass_both_ways<F>(one: File, other: File, change: impl Fn() -> F) -> io::Result<Heard>
where
    F: FnMut(&mut Vec<u8>) + Send + 'static,
{
    let heard = Heard::default();
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

/// Passes on what comes, after somebody has looked at it and perhaps changed it.
fn pass(mut from: File, mut to: File, mut look: impl FnMut(&mut Vec<u8>)) {
    let mut buffer = [0; 1024];
    // It ends when one of the two ends does.
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut bytes = buffer[..count].to_vec();
        look(&mut bytes);
        if to.write_all(&bytes).is_err() {
            return;
        }
    }
}

/// A line that outlives what is at its far end.
#[derive(Debug)]
pub struct Socket {
    near: Pty,
    far: Arc<Mutex<Option<File>>>,
}

impl Socket {
    /// With nothing at its far end.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Self> {
        let near = Pty::open()?;
        let far = Arc::new(Mutex::new(None::<File>));
        let (mut from, to) = (near.device().try_clone()?, Arc::clone(&far));
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if let Some(far) = &mut *to.lock().expect("nobody panicked") {
                    // It fails when the far end has just gone, and what is sent then is lost.
                    let _ = far.write_all(&buffer[..count]);
                }
            }
        });
        Ok(Self { near, far })
    }

    /// The path of the port at its near end.
    pub fn port(&self) -> &Path {
        self.near.path()
    }

    /// Puts something at the far end.
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
