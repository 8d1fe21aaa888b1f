//! As much of HTTP as a page needs that is only looked at (RFC 9112): one `GET` for each connection.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of a request.
pub(super) const MAX_HEAD_BYTES: usize = 8192;

/// How long a visitor may take to ask, and to take each piece of the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a visitor wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PageRequest {
    /// What is at this path.
    Get(String),
    /// Something that there is not.
    Refused(Status),
}

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    BadRequest,
    NotFound,
    MethodNotAllowed,
    TooLarge,
}

impl Status {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Ok => "200 OK",
            Self::BadRequest => "400 Bad Request",
            Self::NotFound => "404 Not Found",
            Self::MethodNotAllowed => "405 Method Not Allowed",
            Self::TooLarge => "431 Request Header Fields Too Large",
        }
    }
}

/// Reads a request.
pub(super) fn read(stream: &mut TcpStream) -> io::Result<PageRequest> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&piece[..count]);
        if head.windows(4).any(|end| end == b"\r\n\r\n") {
            return Ok(parse(&head));
        }
        if head.len() > MAX_HEAD_BYTES {
            return Ok(PageRequest::Refused(Status::TooLarge));
        }
    }
}

/// The request with this head. Its fields do not matter.
fn parse(head: &[u8]) -> PageRequest {
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let words: Vec<_> = line.split(|&byte| byte == b' ').collect();
    let [method, path, version] = words[..] else {
        return PageRequest::Refused(Status::BadRequest);
    };
    if !version.starts_with(b"HTTP/1.") {
        return PageRequest::Refused(Status::BadRequest);
    }
    match (method, str::from_utf8(path)) {
        (b"GET", Ok(path)) => PageRequest::Get(path.to_owned()),
        (b"GET", Err(_)) => PageRequest::Refused(Status::BadRequest),
        _ => PageRequest::Refused(Status::MethodNotAllowed),
    }
}

/// An answer with this content.
pub(super) fn response(status: Status, kind: &str, content: &[u8]) -> Vec<u8> {
    let (status, length) = (status.text(), content.len());
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\r\n"
    );
    [head.as_bytes(), content].concat()
}
