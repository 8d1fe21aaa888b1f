//! Durations, as people read and write them.
//!
//! `humantime` formats every digit (`59s 943ms 211us`), which nobody reads. Here a duration has at
//! most three digits or two units.

use std::time::Duration;

/// A measured time: `59.9 s`, `1 min 1 s`, `2 h 1 min`.
pub fn text(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// An estimated time, with one or two digits: `40 s`, `3 min`, `11 h`. `None` below 10 s: it would
/// be over before it is read.
pub fn estimate(seconds: f64) -> Option<String> {
    let (minutes, hours) = (seconds / 60.0, seconds / 3600.0);
    match seconds {
        ..10.0 => None,
        ..95.0 => Some(format!("{:.0} s", (seconds / 10.0).round() * 10.0)),
        ..5400.0 => Some(format!("{minutes:.0} min")),
        ..172_800.0 => Some(format!("{hours:.0} h")),
        _ => Some(format!("{:.0} days", hours / 24.0)),
    }
}

/// Parses a time above 0, such as `90s`.
///
/// # Errors
/// The text is no such time: what to write.
pub fn parse(text: &str) -> Result<Duration, String> {
    let parsed = parsed(text).filter(|time| !time.is_zero());
    parsed.ok_or_else(|| "write a time above 0, such as 500ms, 90s, 10m or 1h 30m".to_owned())
}

/// Parses a time, such as `90s` or `0s`.
///
/// # Errors
/// The text is no time: what to write.
pub fn parse_or_zero(text: &str) -> Result<Duration, String> {
    parsed(text).ok_or_else(|| "write a time such as 500ms, 90s, 10m or 0s".to_owned())
}

/// `M` is months to humantime; who writes it means minutes.
fn parsed(text: &str) -> Option<Duration> {
    humantime::parse_duration(text).ok().filter(|_| !text.contains('M'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_times_have_three_digits_or_two_units() {
        let cases =
            [(0.04, "0.0 s"), (59.94, "59.9 s"), (61.0, "1 min 1 s"), (7261.0, "2 h 1 min")];
        for (seconds, expected) in cases {
            assert_eq!(text(seconds), expected);
        }
    }

    #[test]
    fn estimated_times_have_one_or_two_digits() {
        let cases = [
            (9.9, None),
            (10.0, Some("10 s")),
            (94.0, Some("90 s")),
            (96.0, Some("2 min")),
            (5399.0, Some("90 min")),
            (5401.0, Some("2 h")),
            (172_799.0, Some("48 h")),
            (172_801.0, Some("2 days")),
        ];
        for (seconds, expected) in cases {
            assert_eq!(estimate(seconds).as_deref(), expected, "{seconds}");
        }
    }

    #[test]
    fn times_have_units() {
        let times = [
            ("500ms", 500),
            ("90s", 90_000),
            ("90 sec", 90_000),
            ("2h", 7_200_000),
            ("1.5h", 5_400_000),
            ("1h 30m", 5_400_000),
            ("1h30min", 5_400_000),
            ("2 days", 172_800_000),
        ];
        for (text, ms) in times {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "90", "s", "-1s", "0", "0s", "10M", "1e99h", "NaNs"] {
            let error = parse(text).expect_err(text);
            assert!(error.contains("a time above 0, such as 500ms"), "{text}: {error}");
        }
    }
}
