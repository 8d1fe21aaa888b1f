//! A pseudo-terminal: at its other end it is a serial port like any other.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};

use super::conversation::Conversation;
use super::serve::{Over, serve};

/// A pseudo-terminal whose other end others open as a serial port, again and again.
#[derive(Debug)]
pub struct Terminal {
    master: OwnedFd,
    /// The other end, kept open so that the terminal outlives each of those who open it.
    slave: OwnedFd,
    path: PathBuf,
}

impl Terminal {
    /// Opens a pseudo-terminal, eight-bit clean and without echo.
    ///
    /// # Errors
    /// The system has none to give.
    pub fn open() -> io::Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
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
        conversation: &mut Conversation<'_>,
        stop: impl AsFd,
    ) -> io::Result<Over> {
        // Who does not read the answers must not keep the simulator from ending.
        fcntl_setfl(&self.master, fcntl_getfl(&self.master)? | OFlags::NONBLOCK)?;
        // Who opened the port may have locked it, and a lock outlives him while we keep the port
        // open ourselves. It is undone as soon as he speaks: his file lock still holds.
        let unlock = || Ok(ioctl_tiocnxcl(&self.slave)?);
        serve(conversation, &self.master, &self.master, stop, unlock)
    }
}
