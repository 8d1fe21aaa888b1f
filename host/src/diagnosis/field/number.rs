//! The values of numbers in fields, so that they can be compared.

/// The value of a field that is a number, in billionths: digits with a sign and one point or comma (which must not be one between
/// thousands), or a time of day or a span
/// with colons, in seconds. `None` for all others.
pub(in super::super) fn number(field: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(field).ok()?;
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, decimals) = match text.split_once(['.', ',']) {
        Some((whole, decimals)) => (whole, decimals),
        None => (text, ""),
    };
    let may_be_thousands = text.contains(',') && decimals.len() == 3;
    if may_be_thousands {
        return None;
    }
    let mut value: i128 = 0;
    for part in whole.split(':') {
        value = value.checked_mul(60)?.checked_add(unsigned(part)?)?;
    }
    let fraction: String = decimals.chars().take(9).collect();
    if !decimals.is_empty() {
        unsigned(decimals)?;
    }
    let value =
        value.checked_mul(1_000_000_000)?.checked_add(unsigned(&format!("{fraction:0<9}"))?)?;
    Some(if is_negative { -value } else { value })
}

/// The value of digits.
fn unsigned(digits: &str) -> Option<i128> {
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_value_in_whatever_form_it_is_written() {
        let cases: [(&str, i128); 9] = [
            ("0", 0),
            ("17", 17_000_000_000),
            ("-0.003", -3_000_000),
            ("+5,25", 5_250_000_000),
            ("12:59:58", 46_798_000_000_000),
            ("1:30.5", 90_500_000_000),
            ("0.1234567891", 123_456_789),
            ("007", 7_000_000_000),
            ("18446744073709551616", 18_446_744_073_709_551_616_000_000_000),
        ];
        for (text, value) in cases {
            assert_eq!(number(text.as_bytes()), Some(value), "{text}");
        }
        let long = "9".repeat(40);
        for other in
            ["", "-", "1.2.3", "1,234.5", "1,234", "a1", ".5", "1::2", "1.2:3", "1.+2", &long]
        {
            assert_eq!(number(other.as_bytes()), None, "{other}");
        }
        assert_eq!(number(b"\xff"), None);
    }
}
