//! A first device file, made from a few answers, with comments that say how to go on.

mod changing_text;
mod prompt;

use std::sync::LazyLock;
use std::time::Duration;

pub use prompt::DevicePrompt;
use regex::{Regex, bytes};

use self::changing_text::{any_numbers, any_version, with_any_numbers};
use crate::device::{ReplyLength, message_text};
use crate::escape::hex_pairs;

/// What is known about a device before anything was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// How replies end.
    pub ends: Ends,
    /// Whether the name of an output says which of several prompts came.
    pub names_prompt: bool,
    /// The address of the port.
    pub port: Option<String>,
    /// Bits per second, if the port has a baud rate.
    pub baud: Option<u32>,
    /// The pause in ms that the device needs before each line; 0 for none.
    pub pause_ms: u64,
    /// How the device repeats what is sent.
    pub echo: Echo,
    /// Whether the device sends colours or moves a cursor.
    pub has_escapes: bool,
    /// Whether what is sent is written in hex digits, as a person types it for a device that takes bytes.
    pub is_hex: bool,
    /// Patterns for the lines that the device says unasked.
    pub unasked: Vec<String>,
    /// The steps of a reset, each with what the device says after it, which may be nothing.
    pub reset: Vec<(ResetDraft, ReadyText)>,
    /// The inputs: names, and what to send.
    pub inputs: Vec<(String, Vec<u8>)>,
    /// The names of the inputs that end the connection.
    pub closing: Vec<String>,
    /// The names of the inputs whose replies end otherwise than those of the others.
    pub own_ends: Vec<(String, OwnEnd)>,
    /// A shorter time to wait for an answer, where it would save much.
    pub shorter_within: Option<ShorterWithin>,
    /// The checksum to append to what is sent, by its name in the device file.
    pub checksum: Option<String>,
}

/// The `within_ms` of the file: how long to wait for an answer.
pub const WITHIN: Duration = Duration::from_secs(1);

/// A shorter time than [`WITHIN`] that may be enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShorterWithin {
    /// The time.
    pub within: Duration,
    /// How many inputs were answered...
    pub answers: usize,
    /// ...and the longest time until an answer was over.
    pub slowest: Duration,
    /// How many inputs were not answered.
    pub silences: usize,
}

impl ShorterWithin {
    /// The lines of the file about it.
    fn comment(&self) -> String {
        let Self { within, answers, slowest, silences } = self;
        let were = if *silences == 1 { "input was" } else { "inputs were" };
        format!(
            "# {silences} {were} not answered, and {answers} were, within {} ms. within_ms = {} may be enough, and makes\n\
             # silence cost less; `mealybug check` measures more answers.\n",
            slowest.as_millis() + 1,
            within.as_millis()
        )
    }
}

/// How the replies of a device end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With one of these prompts.
    Prompts(Vec<DevicePrompt>),
    /// With a final result of a modem, a line of its own: `OK`, `ERROR`.
    Result,
    /// With a line that fits this pattern.
    LastLine(String),
    /// With the end of a line.
    Line,
    /// With an empty line.
    EmptyLine,
    /// After this number of bytes.
    Length(ReplyLength),
    /// With silence.
    Silence,
}

/// How the reply to one input ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnEnd {
    /// After this number of lines.
    Lines(usize),
    /// With a line that is this one.
    LastLine(String),
}

impl OwnEnd {
    /// The key of the file for it, in `[reply]` or in the `reply` of an input.
    pub fn key(&self) -> String {
        match self {
            Self::Lines(lines) => format!("lines = {lines}"),
            // `END 3 entries` ends a list of three.
            Self::LastLine(line) => {
                let pattern = any_numbers(line.as_bytes());
                format!("last_line = {}", literal(&pattern))
            }
        }
    }

    /// What the file says of it at an input.
    pub fn reply(&self) -> String {
        format!("reply = {{ {} }}", self.key())
    }
}

/// How a device repeats what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Not at all.
    None,
    /// Byte by byte.
    Plain,
    /// As a line that is drawn anew with each key.
    Drawn,
}

/// The escape sequences of terminals: colours, cursor movements.
pub(crate) const ESCAPES: &str = r"\x1b\[[0-9;?]*[A-Za-z]";

/// How long to wait before a serial port is opened anew: one whose device starts again may be there for a while before it vanishes.
pub const RECONNECT_WAIT_MS: u64 = 1000;
/// How long to wait for what the device says when it is back from a reset.
pub(crate) const RESET_WITHIN_MS: u32 = 5000;

/// The pause after a step of a reset that the device does not answer.
pub const SILENT_STEP_MS: u64 = 100;

/// A step that helps to bring a device back to its initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResetDraft {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Pulse DTR.
    Dtr,
    /// End the connection and open a new one.
    Reconnect,
    /// Run a shell command.
    Run(String),
}

/// What a device says after a step of a reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadyText {
    /// It ends with these bytes; with none, it says nothing. Versions, times and dates in them may change.
    Ends(Vec<u8>),
    /// It matches this pattern.
    Matches(String),
}

impl ReadyText {
    /// Whether nothing is expected.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Ends(end) if end.is_empty())
    }

    /// A pattern for it.
    pub fn pattern(&self) -> String {
        match self {
            Self::Ends(end) => format!("{}$", any_version(end)),
            Self::Matches(pattern) => pattern.clone(),
        }
    }

    /// The pattern, compiled as that of a device file: any byte is a character.
    fn compiled(&self) -> Result<bytes::Regex, regex::Error> {
        bytes::RegexBuilder::new(&self.pattern()).unicode(false).build()
    }

    /// Whether its pattern is one that a device file may have.
    pub fn is_valid(&self) -> bool {
        self.compiled().is_ok()
    }

    /// Whether this was said.
    pub fn is_met(&self, heard: &[u8]) -> bool {
        self.compiled().is_ok_and(|pattern| pattern.is_match(heard))
    }

    /// The same with any number where another time another one came; `None` if more than numbers differ.
    #[must_use]
    pub fn with_any_numbers(&self, heard: &[u8]) -> Option<Self> {
        let Self::Ends(end) = self else { return None };
        Some(Self::Matches(with_any_numbers(end, heard)? + "$"))
    }
}

impl From<Vec<u8>> for ReadyText {
    fn from(end: Vec<u8>) -> Self {
        Self::Ends(end)
    }
}

impl Draft {
    /// The text of the device file `name`.
    pub fn text(&self, name: &str) -> String {
        let port = match self.baud {
            Some(baud) => format!(
                "baud = {baud}\n\
                 # format = \"8N1\"          # data bits, parity (N, E, O), stop bits\n\
                 # flow = \"none\"           # none, software, hardware"
            ),
            None => "# a TCP port has no baud rate and no format".to_owned(),
        };
        let echo = self.echo == Echo::Plain;
        let strip = self.strip();
        let closed = match self.baud {
            Some(_) => "",
            None => {
                "# closed = \"(closed)\"   # an answer, too, where an input ends the connection\n"
            }
        };
        let settle = match self.pause_ms {
            0 => String::new(),
            pause => format!(
                "settle_ms = {pause}  # the pause that the device needs before the next input\n"
            ),
        };
        let path = match &self.port {
            Some(path) => format!("path = {}  # --port and MEALYBUG_PORT come first", quoted(path)),
            None => "# path = \"/dev/ttyUSB0\"   # `mealybug ports` lists them".to_owned(),
        };
        let given = if self.port.is_some() { "" } else { "--port PORT " };
        let (reset, end) = (self.reset(), self.end());
        let (output, inputs, checksum) = (self.output(), self.inputs(), self.reply_checksum());
        let within = WITHIN.as_millis();
        let shorter = self.shorter_within.map(|it| it.comment()).unwrap_or_default();
        format!(
            r##"# How Mealybug talks to this device. docs/device-file.md explains every key.
#
#   mealybug try   {given}{name}    talk to it by hand, see the bytes
#   mealybug check {given}{name}    does this file fit?
#   mealybug learn {given}{name}    learn it

[port]
{path}
{port}

# The way back to the initial state, taken before each word. It must undo all that the
# inputs do: the same word must always be answered the same.
[[reset]]
{reset}

[reply]
{end}
{checksum}within_ms = {within}        # nothing in this time is an answer, too: (silence)
{shorter}echo = {echo}  # whether the device repeats what is sent
{settle}{closed}{strip}
# A field that changes from time to time: what surrounds it stays.
# [[replace]]
# match = '(up )\d+( ms)'
# with = "$1#$2"

{output}

# What may be sent. Begin with three or four: each one multiplies the words.
[inputs]
{inputs}"##
        )
    }

    /// The same checksum as that of what is sent is likely.
    fn reply_checksum(&self) -> String {
        let line = |name: &String| {
            format!(
                "# checksum = {}  # if replies end with it, too: `mealybug check` finds out\n",
                quoted(name)
            )
        };
        self.checksum.as_ref().map(line).unwrap_or_default()
    }

    fn strip(&self) -> String {
        let escapes = format!("'{ESCAPES}'");
        match (self.has_escapes, self.unasked.as_slice()) {
            (false, []) => String::new(),
            (true, []) => format!("strip = [{escapes}]  # colours, cursor movements\n"),
            (has_escapes, unasked) => {
                let unasked = unasked.iter().map(|pattern| literal(pattern));
                let all = has_escapes.then_some(escapes).into_iter().chain(unasked);
                let lines: String = all.map(|pattern| format!("    {pattern},\n")).collect();
                format!("strip = [  # what it says unasked\n{lines}]\n")
            }
        }
    }

    fn reset(&self) -> String {
        let mut steps = Vec::new();
        let mut last = &ReadyText::Ends(Vec::new());
        for (number, (step, answer)) in (1..).zip(&self.reset) {
            let is_last = number == self.reset.len();
            let away = match self.reset.get(number) {
                Some((ResetDraft::Reconnect, _)) if self.baud.is_some() => RECONNECT_WAIT_MS,
                _ => 0,
            };
            // The pause that the device needs stands behind the last step as `quiet_ms`.
            let is_silent = answer.is_empty() && !(is_last && self.pause_ms > 0);
            let pause = match self.pause_after_silent(step).max(away) {
                pause if pause > 0 && is_silent => format!(", wait_ms = {pause}"),
                _ => String::new(),
            };
            steps.push(match step {
                ResetDraft::Send(bytes) => format!("{{ {}{pause} }}", self.sent("send", bytes)),
                ResetDraft::Dtr => {
                    format!("{{ dtr = false, wait_ms = 100 }}, {{ dtr = true{pause} }}")
                }
                ResetDraft::Reconnect => format!("{{ reconnect = true{pause} }}"),
                ResetDraft::Run(command) => format!("{{ run = {}{pause} }}", quoted(command)),
            });
            if is_last {
                last = answer;
            } else if !answer.is_empty() {
                let pause = match self.pause_ms.max(away) {
                    0 => String::new(),
                    pause => format!(", wait_ms = {pause}"),
                };
                steps.push(format!("{{ expect = {}{pause} }}", expected(answer)));
            }
        }
        let steps = match steps.as_slice() {
            [step] => format!("steps = [{step}]"),
            steps => format!("steps = [\n    {},\n]", steps.join(",\n    ")),
        };
        let expect = match last.is_empty() {
            true => format!(
                "# expect = {{ match = 'ready', within_ms = {RESET_WITHIN_MS} }}  # what it says when it is back: \
                 write it if it says anything"
            ),
            false => format!("expect = {}  # what it says when it is back", expected(last)),
        };
        let quiet = match self.pause_ms {
            0 => String::new(),
            pause => format!("\nquiet_ms = {pause}  # the pause that the device needs"),
        };
        format!("{steps}\n{expect}{quiet}")
    }

    /// The pause in ms after a step after which the device says nothing: it may ignore what comes too soon.
    fn pause_after_silent(&self, step: &ResetDraft) -> u64 {
        // A server that says nothing at first takes what comes with the connection.
        let is_taken_at_once = *step == ResetDraft::Reconnect && self.baud.is_none();
        self.pause_ms.max(if is_taken_at_once { 0 } else { SILENT_STEP_MS })
    }

    fn end(&self) -> String {
        match &self.ends {
            Ends::Prompts(prompts) => {
                let match_ = match prompts.as_slice() {
                    [prompt] => literal(&format!("{}$", prompt.pattern())),
                    prompts => literal(&format!("{}$", any_of(prompts))),
                };
                format!(
                    "match = {match_}     # a reply ends with a prompt\n\
                     grace_ms = 20           #   and nothing after it for so long"
                )
            }
            Ends::Result => Self::last_line(RESULTS),
            Ends::LastLine(pattern) => Self::last_line(pattern),
            Ends::Line => "lines = 1               # a reply is one line".to_owned(),
            Ends::EmptyLine => {
                r"match = '\n\r?\n$'      # a reply ends with an empty line".to_owned()
            }
            Ends::Length(ReplyLength::Fixed(bytes)) => {
                format!("length = {bytes}              # the number of its bytes")
            }
            Ends::Length(ReplyLength::Field { at, size, plus, little_endian }) => {
                let order = if *little_endian { ", little_endian = true" } else { "" };
                format!(
                    "# The length field begins at byte {at}, counted from 0. A reply is {plus} bytes longer than it says.\n\
                     length = {{ at = {at}, size = {size}, plus = {plus}{order} }}"
                )
            }
            Ends::Silence => {
                "quiet_ms = 50           # a reply has ended after so much silence".to_owned()
            }
        }
    }

    fn last_line(pattern: &str) -> String {
        format!(
            "# A reply ends with a line that is one of these, without its line end.\nlast_line = {}",
            literal(pattern)
        )
    }

    fn output(&self) -> String {
        let drawn = if self.echo == Echo::Drawn { r"[^\n]*\n" } else { "" };
        let (what, pattern) = match &self.ends {
            Ends::Prompts(prompts) if self.names_prompt => return with_prompt(prompts, drawn),
            Ends::Prompts(prompts) => {
                let prompts = any_of(prompts);
                let (what, line) = match self.echo {
                    Echo::Drawn => {
                        ("the first line, which draws what was sent, nor the prompt", drawn)
                    }
                    Echo::None | Echo::Plain => ("the prompt", ""),
                };
                (what, literal(&format!(r"(?s)^{line}\s*(?<text>.*?)\s*{prompts}$")))
            }
            Ends::Result | Ends::LastLine(_) | Ends::EmptyLine => {
                ("the empty lines around it", r"'(?s)^\s*(?<text>.*?)\s*$'".to_owned())
            }
            Ends::Line if self.own_ends.is_empty() => {
                ("the line end", r"'^(?<text>.*?)\r?\n$'".to_owned())
            }
            Ends::Line => ("the last line end", r"'(?s)^(?<text>.*?)\r?\n$'".to_owned()),
            Ends::Length(_) | Ends::Silence if self.is_binary() => {
                return "# A reply is named by its bytes in hex digits. A rule before this one can give\n\
                        # a reply another name.\n\
                        # [[output]]\n# match = '^\\x06$'\n# name = \"ACK\"\n\
                        [[output]]\nmatch = '(?s)^.+$'\nname = \"${0:hex}\""
                    .to_owned();
            }
            Ends::Length(_) | Ends::Silence => {
                return "# Names for replies; without one, its bytes are its name.\n\
                        # [[output]]\n# match = '^\\x06'\n# name = \"ACK\""
                    .to_owned();
            }
        };
        format!(
            "# What of a reply is its name: not {what}.\n[[output]]\nmatch = {pattern}\n\
             name = \"${{text}}\""
        )
    }

    /// What is sent, with the key of its form.
    fn sent(&self, key: &str, bytes: &[u8]) -> String {
        match is_text(bytes) && !self.is_hex {
            true => format!("{key} = {}", ascii(bytes)),
            false => format!("hex = \"{}\"", hex_pairs(bytes)),
        }
    }

    /// Whether some input is no text.
    fn is_binary(&self) -> bool {
        self.inputs.iter().any(|(_, bytes)| !is_text(bytes))
    }

    fn inputs(&self) -> String {
        let mut lines = String::new();
        for (input, bytes) in &self.inputs {
            let name = if is_bare(input) { input.clone() } else { quoted(input) };
            let own_end = self.own_ends.iter().find(|(own, _)| own == input).map(|(_, end)| end);
            let value = match (&self.checksum, own_end) {
                (Some(checksum), _) => {
                    format!("{{ {}, append = {} }}", self.sent("text", bytes), quoted(checksum))
                }
                (None, _) if self.closing.contains(input) => {
                    let reply = "reply = { closed = \"(closed)\" }";
                    format!("{{ {}, {reply} }}  # ends the connection", self.sent("text", bytes))
                }
                (None, Some(end)) => format!("{{ {}, {} }}", self.sent("text", bytes), end.reply()),
                (None, None) if bytes.is_ascii() && !self.is_hex => ascii(bytes),
                (None, None) => format!("{{ {} }}", self.sent("text", bytes)),
            };
            lines += &format!("{name} = {value}\n");
        }
        lines
    }
}

/// Whether a line is a final result of a modem.
pub fn is_result(line: &str) -> bool {
    static RESULT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("^(?:{RESULTS})$")).expect("the pattern of a test"));
    RESULT.is_match(line)
}

/// The final results of modems (ITU-T V.250, 3GPP TS 27.007).
const RESULTS: &str =
    r"OK|ERROR|NO CARRIER|NO DIALTONE|NO ANSWER|BUSY|CONNECT.*|\+CM[ES] ERROR: .*";

/// Rules that name an output by its text and its prompt; `line` is a pattern for what comes before the text.
fn with_prompt(prompts: &[DevicePrompt], line: &str) -> String {
    let prompts: Vec<_> = prompts.iter().map(|prompt| prompt.trimmed().text_pattern()).collect();
    let prompts = format!(r"(?<prompt>{})\s*$", prompts.join("|"));
    let alone = literal(&format!(r"(?s)^{line}\s*{prompts}"));
    let whole = literal(&format!(r"(?s)^{line}\s*(?<text>.*?)\s*{prompts}"));
    format!(
        "# A reply is named by its text and by its prompt, since prompts tell modes apart.\n\
         [[output]]\nmatch = {alone}\nname = \"${{prompt}}\"\n\
         [[output]]\nmatch = {whole}\nname = \"${{text}} ${{prompt}}\""
    )
}

/// A pattern for one of these prompts.
fn any_of(prompts: &[DevicePrompt]) -> String {
    let patterns: Vec<_> = prompts.iter().map(DevicePrompt::text_pattern).collect();
    match patterns.as_slice() {
        [pattern] => pattern.clone(),
        patterns => format!("(?:{})", patterns.join("|")),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.is_ascii() && bytes.iter().any(u8::is_ascii_graphic)
}

fn ascii(bytes: &[u8]) -> String {
    quoted(&message_text(&bytes.iter().copied().map(char::from).collect::<String>()))
}

/// What a reset waits for.
fn expected(ready: &ReadyText) -> String {
    static BYTE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\(\?-u:(\\x[0-9a-f]{2})\)").expect("the pattern of a test"));
    // In a device file any byte is a character.
    let pattern = ready.pattern();
    let pattern = literal(&BYTE.replace_all(&pattern, "$1"));
    format!("{{ match = {pattern}, within_ms = {RESET_WITHIN_MS} }}")
}

/// A pattern, in single quotes if possible.
pub(crate) fn literal(pattern: &str) -> String {
    let is_plain = !pattern.contains('\'') && !pattern.contains(|c: char| c.is_control());
    if is_plain { format!("'{pattern}'") } else { quoted(pattern) }
}

/// A TOML string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\r' => quoted += "\\r",
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            control if control.is_control() => {
                quoted += &format!("\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// Whether a key needs no quotes.
fn is_bare(name: &str) -> bool {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.bytes().all(bare)
}

#[cfg(test)]
mod tests;
