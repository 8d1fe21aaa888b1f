//! What `labgrid-client show` says about a place.

use regex::Regex;

use super::error::PlaceError;

/// Where the serial port of a place is: `HOST:PORT`, and what is spoken there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacePort {
    /// Plain bytes.
    Tcp(String),
    /// RFC 2217.
    Rfc2217(String),
}

/// A place, as `labgrid-client -p NAME show` describes it.
///
/// ```text
/// Place 'lock':
///   ...
///   acquired: desk/anna
///   changed: 2026-11-24 08:15:32
/// Acquired resource 'console' (desk/lock/NetworkSerialPort/USBSerialPort):
///   {'acquired': 'lock',
///    'avail': True,
///    'cls': 'NetworkSerialPort',
///    'params': {'extra': {'proxy': 'desk', 'proxy_required': False},
///               'host': 'desk',
///               'port': 4000,
///               'speed': 115200}}
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its name, where it was called by a part of it or by a reservation.
    pub(super) name: String,
    /// `HOST/USER`, if somebody has acquired it.
    pub(super) holder: Option<String>,
    /// Who else may use it: such as `desk/anna, lab/bert`.
    allowed: String,
    /// When it was changed last. A place that is acquired anew has another time.
    pub(super) changed: String,
    resources: Vec<PlaceResource>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PlaceResource {
    name: String,
    class: String,
    /// A Python dictionary.
    text: String,
}

/// The class of a serial port behind a TCP port. Exporters make one of each serial port that they have.
const SERIAL_PORT: &str = "NetworkSerialPort";

impl Shown {
    /// Reads what labgrid-client printed; `None` if it describes no place.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let name = capture(text, r"(?m)^Place '(.*)':$")?;
        let value = |key: &str| capture(text, &format!(r"(?m)^  {key}: (.*)$"));
        let heading = r"(?m)^(?:Acquired|Matching) resource '(.*)' \([^/]*/[^/]*/([^/)]*).*\):$";
        let headings = Regex::new(heading).expect("it is a pattern");
        let all: Vec<_> = headings.captures_iter(text).collect();
        let ends = all.iter().skip(1).map(|next| next.get_match().start()).chain([text.len()]);
        let resources = all.iter().zip(ends).map(|(found, end)| PlaceResource {
            name: found[1].to_owned(),
            class: found[2].to_owned(),
            text: text[found.get_match().end()..end].to_owned(),
        });
        Some(Self {
            holder: value("acquired").filter(|holder| holder != "None"),
            allowed: value("allowed").unwrap_or_default(),
            changed: value("changed").unwrap_or_default(),
            resources: resources.collect(),
            name,
        })
    }

    /// Whether this user, `HOST/USER`, may use it.
    pub(super) fn allows(&self, user: &str) -> bool {
        self.holder.as_deref() == Some(user) || self.allowed.split(", ").any(|other| other == user)
    }

    /// Where its serial port is: the one called `wanted`, or the only one.
    pub(super) fn port(&self, wanted: Option<&str>) -> Result<PlacePort, PlaceError> {
        let name = || self.name.clone();
        let ports = || self.resources.iter().filter(|resource| resource.class == SERIAL_PORT);
        let names = || list(ports().map(|port| &*port.name));
        let port = match wanted {
            Some(wanted) => ports().find(|port| port.name == wanted).ok_or_else(|| {
                PlaceError::NoSuchPort { name: name(), port: wanted.to_owned(), has: names() }
            })?,
            None => ports().next().ok_or_else(|| {
                let has = list(self.resources.iter().map(|resource| &*resource.class));
                PlaceError::NoPort { name: name(), has }
            })?,
        };
        if wanted.is_none() && ports().count() > 1 {
            let first = port.name.clone();
            return Err(PlaceError::SeveralPorts { name: name(), ports: names(), first });
        }
        let (Some(host), Some(number)) = (port.text_of("host"), port.word_of("port")) else {
            return Err(PlaceError::Away { name: name(), port: port.name.clone() });
        };
        if port.word_of("avail").as_deref() != Some("True") || number == "None" {
            return Err(PlaceError::Away { name: name(), port: port.name.clone() });
        }
        let address = match host.contains(':') {
            true => format!("[{host}]:{number}"),
            false => format!("{host}:{number}"),
        };
        if port.word_of("proxy_required").as_deref() == Some("True") {
            let proxy = port.text_of("proxy").unwrap_or_default();
            return Err(PlaceError::Proxy { name: name(), address, proxy });
        }
        // labgrid's default, which exporters leave out, is RFC 2217.
        Ok(match port.text_of("protocol").as_deref() {
            Some("raw") => PlacePort::Tcp(address),
            _ => PlacePort::Rfc2217(address),
        })
    }
}

impl PlaceResource {
    /// The text behind a key.
    fn text_of(&self, key: &str) -> Option<String> {
        capture(&self.text, &format!(r"'{key}':\s*'([^']*)'"))
    }

    /// The number or constant behind a key.
    fn word_of(&self, key: &str) -> Option<String> {
        capture(&self.text, &format!(r"'{key}':\s*(\w+)"))
    }
}

fn capture(text: &str, pattern: &str) -> Option<String> {
    let pattern = Regex::new(pattern).expect("it is a pattern");
    Some(pattern.captures(text)?[1].to_owned())
}

/// Such as `console, modem`, or `nothing`.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
