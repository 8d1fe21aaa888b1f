//! Why a place of a labgrid coordinator cannot be used.

use std::io;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use crate::interrupt::InterruptError;

/// Why a place of a labgrid coordinator cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum PlaceError {
    /// There is no program `labgrid-client`.
    #[error("there is no labgrid-client, which takes places from a coordinator")]
    #[diagnostic(help(
        "`pip install labgrid` installs it; the folder that it is in must be in PATH"
    ))]
    NoClient,
    /// The program cannot be started.
    #[error("labgrid-client cannot be started")]
    #[diagnostic(help("does `labgrid-client places` work?"))]
    Start(#[source] io::Error),
    /// The coordinator does not answer.
    #[error("there is no labgrid coordinator at {address}: {said}")]
    #[diagnostic(help(
        "say where it is with the environment variable LG_COORDINATOR=HOST:PORT; `labgrid-client places` lists its places"
    ))]
    NoCoordinator {
        /// Where it was looked for.
        address: String,
        /// What labgrid-client says.
        said: String,
    },
    /// There is no place with this name.
    #[error("there is no place {name}: {said}")]
    #[diagnostic(help("`labgrid-client places` lists the places of the coordinator"))]
    Unknown {
        /// The name.
        name: String,
        /// What labgrid-client says.
        said: String,
    },
    /// Somebody else has acquired it.
    #[error("place {name} is acquired by {holder}")]
    #[diagnostic(help(
        "ask them to release it, or reserve it and wait: `labgrid-client reserve --wait --shell name={name}`. \
         `labgrid-client who` shows who has what"
    ))]
    Held {
        /// The place.
        name: String,
        /// `HOST/USER`.
        holder: String,
    },
    /// A run on this computer uses it.
    #[error("place {name} is in use by another mealybug on this computer, process {process}")]
    #[diagnostic(help("wait until it ends, or end it: it releases the place"))]
    InUse {
        /// The place.
        name: String,
        /// The number of its process.
        process: String,
    },
    /// labgrid-client failed in another way.
    #[error("`{command}` failed: {said}")]
    #[diagnostic(help("does the command work when you type it?"))]
    Failed {
        /// What was called.
        command: String,
        /// What it says.
        said: String,
    },
    /// labgrid-client did not end.
    #[error("`{command}` did not end within {} s", within.as_secs())]
    #[diagnostic(help("does the coordinator answer? `labgrid-client places` asks it"))]
    TimedOut {
        /// What was called.
        command: String,
        /// How long it could take.
        within: Duration,
    },
    /// Signals cannot be caught, so the place could stay acquired for ever.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Signals(#[from] InterruptError),
    /// The program is to end.
    #[error("stopped before the place was acquired")]
    Interrupted,
    /// The place has no serial port.
    #[error("place {name} has no serial port on the network; it has {has}")]
    #[diagnostic(help(
        "its exporter must be running and export a USBSerialPort, a RawSerialPort or a NetworkSerialPort that the \
         place matches: `labgrid-client -p {name} show`"
    ))]
    NoPort {
        /// The place.
        name: String,
        /// Its resources.
        has: String,
    },
    /// The place has several serial ports.
    #[error("place {name} has several serial ports: {ports}")]
    #[diagnostic(help("say which one: --place {name}/{first}"))]
    SeveralPorts {
        /// The place.
        name: String,
        /// Their names.
        ports: String,
        /// The name of one.
        first: String,
    },
    /// The place has no serial port with this name.
    #[error("place {name} has no serial port {port}; it has {has}")]
    #[diagnostic(help("`labgrid-client -p {name} show` lists its resources"))]
    NoSuchPort {
        /// The place.
        name: String,
        /// The name of the port.
        port: String,
        /// Its serial ports.
        has: String,
    },
    /// The port is exported, but there is nothing behind it.
    #[error("the serial port {port} of place {name} is not available")]
    #[diagnostic(help(
        "does its exporter run, and is the adapter plugged in there? `labgrid-client -p {name} show`"
    ))]
    Away {
        /// The place.
        name: String,
        /// The port.
        port: String,
    },
    /// The port can only be reached through a proxy.
    #[error("the serial port of place {name} at {address} can only be reached through {proxy}")]
    #[diagnostic(help(
        "open a tunnel, `ssh -L 4000:{address} {proxy}`, acquire the place yourself, and give --port with the protocol \
         that the exporter speaks: rfc2217:localhost:4000 or tcp:localhost:4000"
    ))]
    Proxy {
        /// The place.
        name: String,
        /// `HOST:PORT`.
        address: String,
        /// The host between.
        proxy: String,
    },
    /// Somebody took the place away.
    #[error("place {name} was taken away: {how}")]
    #[diagnostic(help(
        "`labgrid-client who` shows who has it now; when it is free, --resume goes on"
    ))]
    Taken {
        /// The place.
        name: String,
        /// What happened to it.
        how: String,
    },
}
