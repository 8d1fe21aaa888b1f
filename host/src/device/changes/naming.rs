//! New names for stored replies, where `[[replace]]` or `[[output]]` has changed.

use std::borrow::Cow;

use super::LoggedReply;
use crate::device::{DeviceFile, Late, ReplySection};

/// The rules for names of two device files.
#[derive(Debug)]
pub(super) struct Renaming {
    old: DeviceFile,
    new: DeviceFile,
}

impl Renaming {
    pub(super) fn new(old: &DeviceFile, new: &DeviceFile) -> Self {
        Self { old: old.clone(), new: new.clone() }
    }

    /// The new name of an output of an input with this rule; `None` if it is not known.
    pub(super) fn rename<'o>(
        &self,
        rule: &ReplySection,
        output: &'o [u8],
        reply: LoggedReply<'o>,
    ) -> Option<Cow<'o, [u8]>> {
        match reply {
            LoggedReply::Reply(reply) => {
                // After the name of the reply comes that of a `time`.
                let time = output.strip_prefix(self.old.name_output(reply).as_bytes())?;
                Some([self.new.name_output(reply).as_bytes(), time].concat().into())
            }
            // The name of what came unasked is the name of a reply, too.
            LoggedReply::None if rule.late == Late::Output => {
                (!output.windows(3).any(|part| part == b" + ")).then_some(output.into())
            }
            // No rule names a silence or the end of a connection.
            LoggedReply::None => Some(output.into()),
            LoggedReply::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A device file with this in its `[reply]`, and these rules for names.
    fn file(reply: &str, rules: &str) -> DeviceFile {
        let text = format!(
            "[[reset]]\nsteps = [{{ send = 'r' }}]\n[reply]\n{reply}\n{rules}\n[inputs]\na = 'a'\n"
        );
        DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file")
    }

    #[test]
    fn a_reply_gets_the_name_that_the_new_file_gives_and_keeps_its_time() {
        let old = file("late = 'output'", "[[output]]\nmatch = '(?s)^(.*) up'\nname = '$1'");
        let new = file("late = 'output'", "[[replace]]\nmatch = '\\d+'\nwith = '#'");
        let renaming = Renaming::new(&old, &new);
        let rename = |output: &str, reply| {
            let name = renaming.rename(&old.inputs[0].reply, output.as_bytes(), reply)?;
            Some(String::from_utf8_lossy(&name).into_owned())
        };
        for (output, reply, name) in [
            ("7", LoggedReply::Reply(b"7 up"), Some("# up")),
            ("7 (slow)", LoggedReply::Reply(b"7 up"), Some("# up (slow)")),
            ("8", LoggedReply::Reply(b"8"), Some("#")),
            // The old file does not name this reply so.
            ("7 up", LoggedReply::Reply(b"7 up"), Some("# up up")),
            ("8", LoggedReply::Reply(b"7 up"), None),
            ("no 7", LoggedReply::None, Some("no 7")),
            ("7 + no 7", LoggedReply::None, None),
            ("7", LoggedReply::Unknown, None),
        ] {
            assert_eq!(rename(output, reply).as_deref(), name, "{output}");
        }
        let (old, new) = (file("", ""), file("", "[[replace]]\nmatch = '7'\nwith = '8'"));
        let silence = Renaming::new(&old, &new);
        let rule = &old.inputs[0].reply;
        assert_eq!(
            silence.rename(rule, b"7 + 7", LoggedReply::None).as_deref(),
            Some(&b"7 + 7"[..])
        );
    }
}
