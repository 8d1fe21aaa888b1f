//! A lab of [labgrid](https://labgrid.readthedocs.io) on this computer: a coordinator, an exporter, and lamps whose serial
//! ports and power switches they share.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::needs::skip;
use crate::ser2net::free_ports;
use crate::tool::{mealybug, succeed};
use crate::wait::wait_until;

/// Where `tests/run --install real` puts labgrid.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/labgrid/bin");

/// Whether labgrid is there; if not, says that `test` is skipped.
pub fn is_there(test: &str) -> bool {
    let is_there = Path::new(PROGRAMS).join("labgrid-client").is_file();
    if !is_there {
        skip(test, "there is no labgrid in target/labgrid (tests/run --install real)");
    }
    is_there
}

/// A running lab. Dropping it ends its programs.
#[derive(Debug)]
pub struct Lab {
    coordinator: String,
    programs: Vec<Child>,
    folder: TempDir,
}

impl Lab {
    /// Starts a lab with a place for each of `lamps`, with the lamp's serial port and power switch, and the place `bare`
    /// with the switch alone.
    ///
    /// # Panics
    /// It does not start.
    pub fn start(lamps: &[(&str, &Lamp)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let [port] = free_ports().expect("a free port");
        let coordinator = format!("127.0.0.1:{port}");
        let mut lab = Self { coordinator, programs: Vec::new(), folder };
        let groups = lamps.iter().map(|(place, lamp)| {
            let serial = format!(
                "  NetworkSerialPort:\n    host: 127.0.0.1\n    port: {}\n    protocol: raw\n",
                lamp.port
            );
            format!("{place}:\n{serial}{}", lamp.switch())
        });
        let bare = lamps.iter().take(1).map(|(_, lamp)| format!("bare:\n{}", lamp.switch()));
        let exported: String = groups.chain(bare).collect();
        fs::write(lab.path("exporter.yaml"), exported).expect("a file");
        lab.run("labgrid-coordinator", &["-l", &lab.coordinator.clone()]);
        wait_until("the coordinator listens", || TcpStream::connect(&lab.coordinator).is_ok());
        lab.run("labgrid-exporter", &["-n", "desk", "--hostname", "127.0.0.1", "exporter.yaml"]);
        let last = "desk/bare/NetworkPowerPort";
        let exported = |lab: &Self| lab.said(&["resources"]).contains(last);
        wait_until("the exporter is there", || exported(&lab));
        for (place, _) in lamps.iter().copied().chain([("bare", lamps[0].1)]) {
            lab.said(&["-p", place, "create"]);
            lab.said(&["-p", place, "add-match", &format!("desk/{place}/*")]);
        }
        lab
    }

    /// A file in the folder of the lab, in which its programs and the commands run.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command `mealybug` for a user of the lab.
    pub fn mealybug(&self, arguments: &[&str]) -> Command {
        // Under nohup a hang-up would be ignored.
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP").arg(mealybug().get_program());
        self.in_lab(&mut command).args(arguments);
        command
    }

    /// Calls `labgrid-client` as this user.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn client(&self, user: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new("labgrid-client");
        self.in_lab(&mut command).args(arguments).env("LG_USERNAME", user);
        command.output().expect("it starts")
    }

    /// Who has acquired which place: lines such as `anna here lock`.
    ///
    /// # Panics
    /// The coordinator does not answer.
    pub fn who(&self) -> Vec<String> {
        let said = self.said(&["who"]);
        let words = |line: &str| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        said.lines().skip(1).map(words).collect()
    }

    /// How many processes of `labgrid-client` run in the lab.
    ///
    /// # Panics
    /// There is no list of processes.
    pub fn clients(&self) -> usize {
        let coordinator = format!("LG_COORDINATOR={}", self.coordinator);
        let processes = fs::read_dir("/proc").expect("a list of processes");
        let folders = processes.map_while(Result::ok).map(|process| process.path());
        let has = |folder: &Path, file, text: &str| {
            let content = fs::read(folder.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&content).contains(text)
        };
        let is_ours = |folder: &PathBuf| {
            has(folder, "cmdline", "labgrid-client") && has(folder, "environ", &coordinator)
        };
        folders.filter(is_ours).count()
    }

    /// What `labgrid-client` prints, which must succeed.
    fn said(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("labgrid-client");
        let output = succeed(self.in_lab(&mut command).args(arguments));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn run(&mut self, program: &str, arguments: &[&str]) {
        let log = File::create(self.path(&format!("{program}.log"))).expect("a file");
        let mut command = Command::new(program);
        self.in_lab(&mut command).args(arguments).stdin(Stdio::null());
        let both = (log.try_clone().expect("a file"), log);
        self.programs.push(command.stdout(both.0).stderr(both.1).spawn().expect("it starts"));
    }

    fn in_lab<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{PROGRAMS}:{path}")).current_dir(self.folder.path());
        command.env("LG_COORDINATOR", &self.coordinator).env("XDG_DATA_HOME", self.path("data"));
        command.env("LG_HOSTNAME", "here").env("LG_USERNAME", "anna")
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for program in self.programs.iter_mut().rev() {
            // This fails when it has ended already.
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// A lamp with a button, behind a TCP port, and a power switch with a web page. Its threads end with the process.
#[derive(Debug)]
pub struct Lamp {
    port: u16,
    switch: u16,
    state: Arc<Mutex<LampState>>,
}

#[derive(Debug, Default)]
struct LampState {
    is_off: bool,
    presses: usize,
    /// How often the power came back.
    cycles: usize,
    connections: Vec<TcpStream>,
}

impl Lamp {
    /// The model of the lamp.
    pub const MODEL: &'static str = r#"digraph lamp {
  off -> dim [label="press / dim"];
  dim -> bright [label="press / bright"];
  bright -> off [label="press / off"];
}"#;

    /// Starts a lamp that takes this long for each answer.
    ///
    /// # Panics
    /// There is no free port.
    pub fn start(delay: Duration) -> Self {
        let [serial, page] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let number = |listener: &TcpListener| listener.local_addr().expect("an address").port();
        let (port, switch) = (number(&serial), number(&page));
        let state = Arc::<Mutex<LampState>>::default();
        let lamp = Self { port, switch, state };
        let (of_serial, of_page) = (Arc::clone(&lamp.state), Arc::clone(&lamp.state));
        thread::spawn(move || {
            for stream in serial.incoming().map_while(Result::ok) {
                let copy = stream.try_clone().expect("a socket");
                lock(&of_serial).connections.push(copy);
                let state = Arc::clone(&of_serial);
                thread::spawn(move || answer_lines(&stream, &state, delay));
            }
        });
        thread::spawn(move || {
            for stream in page.incoming().map_while(Result::ok) {
                // A client that has gone needs no answer.
                let _ = answer_page(&stream, &of_page);
            }
        });
        lamp
    }

    /// How often its power came back.
    pub fn cycles(&self) -> usize {
        lock(&self.state).cycles
    }

    /// Its power switch, as exporters describe it.
    fn switch(&self) -> String {
        let host = format!("http://127.0.0.1:{}/{{index}}/{{value}}", self.switch);
        format!("  NetworkPowerPort:\n    model: simplerest\n    host: '{host}'\n    index: 1\n")
    }
}

/// Answers `press` with how bright the lamp is then, and `reset` with `ready`.
fn answer_lines(stream: &TcpStream, state: &Mutex<LampState>, delay: Duration) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        thread::sleep(delay);
        let mut state = lock(state);
        if state.is_off {
            continue;
        }
        state.presses = if line == "press" { state.presses + 1 } else { 0 };
        let said = match line.as_str() {
            "press" => ["off\n", "dim\n", "bright\n"][state.presses % 3],
            _ => "ready\n",
        };
        // The client may have gone.
        let _ = (&*stream).write_all(said.as_bytes());
    }
}

/// `GET /1/0` switches the power off, `GET /1/1` on, `GET /1` tells.
fn answer_page(mut stream: &TcpStream, state: &Mutex<LampState>) -> io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The client waits for an answer only once it has sent all of its request.
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let mut state = lock(state);
    match request.split_whitespace().nth(1) {
        Some("/1/0") => state.is_off = true,
        Some("/1/1") => {
            (state.is_off, state.presses) = (false, 0);
            state.cycles += 1;
            for mut connection in &state.connections {
                // A connection may have been closed long ago.
                let _ = connection.write_all(b"ready\n");
            }
        }
        _ => {}
    }
    let power = u8::from(!state.is_off);
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{power}")
}

fn lock(state: &Mutex<LampState>) -> MutexGuard<'_, LampState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
