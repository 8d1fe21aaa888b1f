//! A page that shows a run while it goes on, for a browser on the same computer.
//!
//! The page is served on 127.0.0.1 at a port that the system picks, under a path that nobody can guess: whoever has the
//! address may look, and nobody can change anything. Only `GET` is answered, requests are short, and few at a time are
//! served, so no visitor can hold up the run. Pictures are drawn when they are asked for, not by the thread that learns.

mod http;

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::Serialize;

use crate::learned_components::LearnedComponents;
use crate::report;
use crate::state_names::NameSources;
use http::{PageRequest, Status, response};

/// How many visitors are served at the same time.
const MAX_CONNECTIONS: usize = 16;

/// A pause after the system gave no connection.
const AFTER_ERROR: Duration = Duration::from_millis(50);

/// Where a run stands. The page shows the texts as they are.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LiveState {
    /// What is being done.
    pub phase: String,
    /// More about it: a name and a value each.
    pub facts: Vec<(&'static str, String)>,
    /// Where the time went: what took it, how many words that is, and the seconds.
    pub times: Vec<(&'static str, Option<u64>, f64)>,
    /// The last words that were answered: a word, its outputs, and what it was asked for.
    pub answers: Vec<(String, String, &'static str)>,
    /// What happened that the user should know.
    pub notes: Vec<String>,
    /// How many hypotheses there were; the page asks for each.
    pub hypotheses: u64,
}

/// Serves the page of a run until it is dropped.
#[derive(Debug)]
pub struct LivePage {
    shared: Arc<SharedPage>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

/// What the thread of the run and those of visitors share.
#[derive(Debug)]
struct SharedPage {
    name: String,
    /// What people call the states.
    states: NameSources,
    /// The secret part of the path.
    token: String,
    /// The state of the run, as JSON.
    state: Mutex<String>,
    /// The last hypothesis and its number.
    hypothesis: Mutex<Option<(u64, Arc<LearnedComponents>)>>,
    /// A hypothesis as HTML. Locked while it is drawn, so that it is drawn once.
    drawn: Mutex<Option<(Arc<LearnedComponents>, Arc<String>)>>,
    is_stopped: AtomicBool,
    connections: AtomicUsize,
}

impl LivePage {
    /// Starts to serve the page of the run `name`, whose hypotheses get those of the names of `states` that fit.
    ///
    /// # Errors
    /// The system gives no port, no random numbers or no thread.
    pub fn start(name: &str, states: NameSources) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(SharedPage {
            name: name.to_owned(),
            states,
            token: token()?,
            state: Mutex::default(),
            hypothesis: Mutex::default(),
            drawn: Mutex::default(),
            is_stopped: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let mut page = Self { shared: Arc::clone(&shared), address, thread: None };
        page.set_state(&LiveState::default());
        let thread = thread::Builder::new().name("live page".to_owned());
        page.thread = Some(thread.spawn(move || serve(&listener, &shared))?);
        Ok(page)
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.token)
    }

    /// Says where the run stands.
    pub fn set_state(&self, state: &LiveState) {
        *lock(&self.shared.state) = serde_json::to_string(state).expect("texts and numbers");
    }

    /// There is a new hypothesis with this number.
    pub fn set_hypothesis(&self, round: u64, learned: LearnedComponents) {
        *lock(&self.shared.hypothesis) = Some((round, Arc::new(learned)));
    }
}

impl Drop for LivePage {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        // The thread waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Takes connections until the run is over.
fn serve(listener: &TcpListener, shared: &Arc<SharedPage>) {
    for stream in listener.incoming() {
        if shared.is_stopped.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            thread::sleep(AFTER_ERROR);
            continue;
        };
        let visitor = Visitor(Arc::clone(shared));
        if shared.connections.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS {
            // A visitor who cannot be served, or goes away, is no concern of the run.
            let _ = thread::Builder::new().spawn(move || visitor.answer(stream));
        }
    }
}

/// A connection that is counted while it lasts.
struct Visitor(Arc<SharedPage>);

impl Visitor {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        let response = match http::read(&mut stream)? {
            PageRequest::Get(path) => self.0.get(&path),
            PageRequest::Refused(status) => {
                response(status, "text/plain", status.text().as_bytes())
            }
        };
        stream.write_all(&response)
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SharedPage {
    fn get(&self, path: &str) -> Vec<u8> {
        let html = "text/html; charset=utf-8";
        let under = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        match under {
            Some("/") => response(Status::Ok, html, report::live_html(&self.name).as_bytes()),
            Some("/state") => {
                let state = lock(&self.state).clone();
                response(Status::Ok, "application/json", state.as_bytes())
            }
            Some("/model") => response(Status::Ok, html, self.drawn().as_bytes()),
            _ => response(Status::NotFound, "text/plain", Status::NotFound.text().as_bytes()),
        }
    }

    /// The last hypothesis as HTML.
    fn drawn(&self) -> Arc<String> {
        let mut drawn = lock(&self.drawn);
        let hypothesis = lock(&self.hypothesis).clone();
        let Some((round, learned)) = hypothesis else { return Arc::default() };
        if let Some((_, html)) = drawn.as_ref().filter(|(drawn, _)| Arc::ptr_eq(drawn, &learned)) {
            return Arc::clone(html);
        }
        let html = Arc::new(report::live_model_html(round, &learned, &self.states));
        *drawn = Some((learned, Arc::clone(&html)));
        html
    }
}

/// A visitor's thread that failed has changed nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// 128 random bits of the system.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use mealybug_core::{Options, Session};

    use super::*;
    use crate::demo_lock::DemoLock;
    use crate::simulate::Simulated;
    use crate::state_names::StateNames;

    /// What the page answers to these bytes.
    fn asked(page: &LivePage, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(page.address).expect("it listens");
        stream.write_all(request).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    }

    fn get(page: &LivePage, path: &str) -> String {
        asked(page, format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
    }

    fn learned() -> LearnedComponents {
        let lock = DemoLock::machine();
        let mut session =
            Session::new(vec![0; 1 << 16], 5, Options::default()).expect("five inputs");
        mealybug_core::learn(&mut session, &mut Simulated::new(&lock)).expect("a simulation");
        let hypothesis = session.hypothesis().expect("learned");
        LearnedComponents::new(hypothesis, lock.inputs(), session.options().projections)
    }

    #[test]
    fn who_has_the_address_sees_the_run() {
        let mut states = NameSources::default();
        states.file(
            StateNames::parse("states.toml", "shut = ''\nopen = '1 2 enter'").expect("names"),
        );
        let page = LivePage::start("a <lock>", states).expect("a port");
        let url = page.url();
        let path = url.strip_prefix(&format!("http://{}", page.address)).expect("an address");
        assert!(page.address.ip().is_loopback());
        let shell = get(&page, path);
        assert!(shell.starts_with("HTTP/1.1 200 OK\r\n"), "{shell}");
        assert!(shell.contains("a &lt;lock&gt;"));
        assert!(shell.contains("\r\nReferrer-Policy: no-referrer\r\n"), "the path is secret");
        assert!(get(&page, &format!("{path}model")).ends_with("\r\n\r\n"), "no hypothesis");
        let facts = vec![("symbols", "12".to_owned())];
        page.set_state(&LiveState { phase: "learning".to_owned(), facts, ..LiveState::default() });
        page.set_hypothesis(3, learned());
        let state = get(&page, &format!("{path}state"));
        assert!(state.contains(r#""facts":[["symbols","12"]]"#), "{state}");
        for _ in 0..2 {
            let model = get(&page, &format!("{path}model"));
            assert!(model.contains("Hypothesis 3"), "{model}");
            assert!(model.contains("<svg ") && model.contains("id=\"machines\""));
            assert!(model.contains(">0 shut</text>") && model.contains("<b>open</b>"), "{model}");
        }
        let address = page.address;
        drop(page);
        assert!(TcpStream::connect(address).is_err(), "it ends with the run");
    }

    #[test]
    fn who_has_not_sees_nothing() {
        let page = LivePage::start("lock", NameSources::default()).expect("a port");
        let url = page.url();
        let token = &page.shared.token;
        assert_eq!(token.len(), 32);
        let other = LivePage::start("lock", NameSources::default()).expect("a port");
        assert_ne!(url, other.url());
        let wrong = format!("/{}/", "0".repeat(32));
        let paths = [
            "/",
            "/state",
            "//state",
            wrong.as_str(),
            &format!("/{token}"),
            &format!("/{token}/x"),
        ];
        for path in paths {
            let answer = get(&page, path);
            assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
            assert!(!answer.contains(token.as_str()) && !answer.contains("lock"), "{answer}");
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"] {
            let request = format!("{method} /{token}/ HTTP/1.1\r\n\r\n");
            let answer = asked(&page, request.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 405 "), "{method}: {answer}");
        }
        for request in
            [&b"\r\n\r\n"[..], b"GET\r\n\r\n", b"GET / FTP\r\n\r\n", b"\xff \xff\r\n\r\n"]
        {
            assert!(asked(&page, request).starts_with("HTTP/1.1 400 "), "{request:?}");
        }
    }

    #[test]
    fn visitors_do_not_hold_up_the_run() {
        let page = LivePage::start("lock", NameSources::default()).expect("a port");
        let mut idle: Vec<_> = (0..MAX_CONNECTIONS)
            .map(|_| TcpStream::connect(page.address).expect("it listens"))
            .collect();
        // All places are taken: one more is sent away.
        let deadline = Instant::now() + Duration::from_secs(10);
        while page.shared.connections.load(Ordering::Relaxed) < MAX_CONNECTIONS {
            assert!(Instant::now() < deadline);
            thread::yield_now();
        }
        let mut extra = TcpStream::connect(page.address).expect("it listens");
        assert_eq!(extra.read(&mut [0; 1]).unwrap_or(0), 0);
        // A head that is too long is refused, and makes room.
        let mut long = idle.pop().expect("one");
        let _ = long.write_all(&vec![b'a'; http::MAX_HEAD_BYTES + 1]);
        let mut answer = [0; 13];
        long.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 431 ");
        let started = Instant::now();
        page.set_state(&LiveState::default());
        drop(page);
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    }
}
