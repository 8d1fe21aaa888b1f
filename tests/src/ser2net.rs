//! ser2net, a server that puts a serial port on the network.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::needs::Need;

/// What [`Ser2net`] needs.
pub const NEEDS: &[Need] = &[Need { what: "/usr/sbin/ser2net", package: "ser2net" }];

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running ser2net with one serial port behind two TCP ports; dropping it kills the process.
#[derive(Debug)]
pub struct Ser2net {
    child: Child,
    raw: u16,
    rfc2217: u16,
    _folder: TempDir,
}

impl Ser2net {
    /// Puts the serial port at `path` on the network, and waits until it is reachable.
    ///
    /// # Errors
    /// The system's errors, or it does not start.
    pub fn start(path: &Path) -> io::Result<Self> {
        let [raw, rfc2217, started] = free_ports()?;
        let folder = tempfile::tempdir()?;
        let connection = |name: &str, accepter: &str, port: u16, connector: &str| {
            format!(
                "connection: &{name}\n  accepter: {accepter},127.0.0.1,{port}\n  \
                 connector: {connector}\n"
            )
        };
        let port = format!("serialdev,{},115200n81,local", path.display());
        let file = folder.path().join("ser2net.yaml");
        // The last one only shows that ser2net has started; connecting to the others would make
        // them busy.
        let text = connection("raw", "tcp", raw, &port)
            + &connection("rfc2217", "telnet(rfc2217),tcp", rfc2217, &port)
            + &connection("started", "tcp", started, "echo");
        fs::write(&file, text)?;
        // In the foreground, without a lock file in a system folder.
        let child = Command::new(NEEDS[0].what)
            .args(["-n", "-u", "-c"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.path().join("log"))?)
            .spawn()?;
        let server = Self { child, raw, rfc2217, _folder: folder };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", started)).is_err() {
            if Instant::now() > deadline {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "ser2net does not start"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// The address of the raw bytes, for `--port`.
    pub fn raw(&self) -> String {
        format!("tcp:127.0.0.1:{}", self.raw)
    }

    /// The address with RFC 2217, for `--port`.
    pub fn rfc2217(&self) -> String {
        format!("rfc2217:127.0.0.1:{}", self.rfc2217)
    }
}

impl Drop for Ser2net {
    fn drop(&mut self) {
        // This fails when ser2net has exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// TCP ports that nobody uses at this moment.
pub(crate) fn free_ports<const N: usize>() -> io::Result<[u16; N]> {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0"));
    let mut ports = [0; N];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        let listener = listener.as_ref().map_err(|error| error.kind())?;
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}
