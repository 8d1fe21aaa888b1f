//! What is taken out of replies before anything else looks at them.

use std::borrow::Cow;

use regex::bytes::Regex;

/// `bytes` without the matches of the patterns, which are applied in turn.
pub(crate) fn clean<'b>(strip: &[Regex], bytes: &'b [u8]) -> Cow<'b, [u8]> {
    strip.iter().fold(Cow::Borrowed(bytes), |bytes, pattern| {
        if pattern.is_match(&bytes) {
            Cow::Owned(pattern.replace_all(&bytes, &b""[..]).into_owned())
        } else {
            bytes
        }
    })
}
