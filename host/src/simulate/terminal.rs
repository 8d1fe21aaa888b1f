//! A pseudo-terminal: its other end is a serial port like any other.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};

use super::conversation::LineConversation;
use super::serve::{ServeOver, serve};

/// A pseudo-terminal whose other end can be opened as a serial port, any number of times.
#[derive(Debug)]
pub struct Terminal {
    master: OwnedFd,
    /// The other end, kept open so that the terminal outlives its clients.
    slave: OwnedFd,
    path: PathBuf,
}

impl Terminal {
    /// Opens a pseudo-terminal, eight-bit clean and without echo.
    ///
    /// # Errors
    /// The system cannot open one.
    pub fn open() -> io::Result<Self> {
        let master = open_master()?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&name, flags, Mode::empty())?;
        let mut settings = tcgetattr(&slave)?;
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        let path = OsStr::from_bytes(name.as_bytes()).into();
        Ok(Self { master, slave, path })
    }

    /// The path of its other end.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// This end, and the other one.
    pub fn into_ends(self) -> (OwnedFd, OwnedFd) {
        (self.master, self.slave)
    }

    /// Carries a conversation until `stop` is readable or closed.
    pub(super) fn serve(
        &self,
        conversation: &mut LineConversation<'_>,
        stop: impl AsFd,
    ) -> io::Result<ServeOver> {
        // A client that does not read its answers must not keep the simulator from ending.
        fcntl_setfl(&self.master, fcntl_getfl(&self.master)? | OFlags::NONBLOCK)?;
        // A client may have locked the port with TIOCEXCL. The lock outlives the client because we
        // keep the port open, so it is removed as soon as a client sends something; its file lock
        // still holds.
        let unlock = || Ok(ioctl_tiocnxcl(&self.slave)?);
        serve(conversation, &self.master, &self.master, stop, unlock)
    }
}

/// Opens the master, which no command that is run inherits.
#[cfg(target_os = "linux")]
fn open_master() -> io::Result<OwnedFd> {
    Ok(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

/// macOS has no such flag.
#[cfg(not(target_os = "linux"))]
fn open_master() -> io::Result<OwnedFd> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
    Ok(master)
}
