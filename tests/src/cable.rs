//! Lines between ports: perfect ones, lossy ones, ones that can be cut, and ones that outlive their far end.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::pty::{Pty, open_raw};
use crate::wait::wait_until;

/// All bytes that came from one end of a line.
pub type HeardBytes = Arc<Mutex<Vec<u8>>>;

/// Connects two ports while both exist. Returns what the first one says.
///
/// # Errors
/// One of them cannot be opened.
pub fn connect(learner: &Path, device: &Path) -> io::Result<HeardBytes> {
    pass_both_ways(open_raw(learner)?, open_raw(device)?, |_| {}, |_| {})
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
    let heard = pass_both_ways(open_raw(port)?, near.device().try_clone()?, lose(), lose())?;
    Ok((near, heard))
}

/// A line that can be cut and mended.
#[derive(Debug)]
pub struct CuttableLine {
    /// What the learner says.
    pub heard: HeardBytes,
    answered: HeardBytes,
    is_cut: Arc<AtomicBool>,
    to_device: File,
}

impl CuttableLine {
    /// Connects two ports while both exist.
    ///
    /// # Errors
    /// One of them cannot be opened.
    pub fn new(learner: &Path, device: &Path) -> io::Result<Self> {
        let device = open_raw(device)?;
        let to_device = device.try_clone()?;
        let (answered, is_cut) = (HeardBytes::default(), Arc::<AtomicBool>::default());
        let (said, loses) = (Arc::clone(&answered), Arc::clone(&is_cut));
        let lose = move |bytes: &mut Vec<u8>| {
            said.lock().expect("nobody panicked").extend(&*bytes);
            if loses.load(Ordering::SeqCst) {
                bytes.clear();
            }
        };
        let heard = pass_both_ways(open_raw(learner)?, device, |_| {}, lose)?;
        Ok(Self { heard, answered, is_cut, to_device })
    }

    /// Loses what the device answers from now on. Returns when the device has answered everything that it was asked before:
    /// it is asked `question`, and only this question has the answer `answer`. It is asked twice, since the learner may send
    /// an input while the line is cut.
    ///
    /// # Errors
    /// The device has gone.
    ///
    /// # Panics
    /// The device does not answer.
    pub fn cut(&mut self, question: &[u8], answer: &[u8]) -> io::Result<()> {
        self.is_cut.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let before = self.answered.lock().expect("nobody panicked").len();
            self.to_device.write_all(question)?;
            wait_until("the device answers", || {
                let answered = self.answered.lock().expect("nobody panicked");
                answered[before..].windows(answer.len()).any(|said| said == answer)
            });
        }
        Ok(())
    }

    /// What the device answers arrives again.
    pub fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

/// Copies bytes both ways; `there` and `back` may alter those from the first end and those from the other.
/// Returns what came from the first end.
fn pass_both_ways(
    one: File,
    other: File,
    mut there: impl FnMut(&mut Vec<u8>) + Send + 'static,
    back: impl FnMut(&mut Vec<u8>) + Send + 'static,
) -> io::Result<HeardBytes> {
    let heard = HeardBytes::default();
    let (from, to, said) = (one.try_clone()?, other.try_clone()?, Arc::clone(&heard));
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
