//! Numbers of which only the last digits change by themselves, as in a measurement: `5.003`, `5.007`.

/// The last digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct LastDigits {
    /// How many they are.
    count: usize,
    /// How many digits the number has behind its point, if it has one.
    decimals: Option<usize>,
}

impl LastDigits {
    /// The digits in which the values of one word differ at most. `None` if some values of a word differ in more than
    /// digits, or if nothing is left in front of them.
    pub(super) fn of(words: &[Vec<&[u8]>]) -> Option<Self> {
        let decimals = decimals(words.iter().flatten().next()?)?;
        let mut count = 0;
        for values in words.iter().filter(|values| !values.is_empty()) {
            count = count.max(differing_end(values)?);
            if values.iter().any(|value| self::decimals(value) != Some(decimals)) {
                return None;
            }
        }
        let is_left = match decimals {
            Some(decimals) => count <= decimals,
            None => {
                let mut lengths = words.iter().flatten().map(|value| value.len());
                lengths.clone().all(|len| len >= count) && lengths.any(|len| len > count)
            }
        };
        (count > 0 && is_left).then_some(Self { count, decimals })
    }

    /// What matches the digits in front of them.
    pub(super) fn kept_pattern(self) -> String {
        match self.decimals {
            Some(decimals) => format!(r"\d+\.{}", digits(decimals - self.count)),
            None => r"\d*".to_owned(),
        }
    }

    /// What matches them.
    pub(super) fn pattern(self) -> String {
        digits(self.count)
    }
}

/// How many digits a number has behind its point, if it has one; `None` if it is no such number.
fn decimals(value: &[u8]) -> Option<Option<usize>> {
    let mut parts = value.split(|byte| *byte == b'.');
    let (whole, decimals) = (parts.next()?, parts.next());
    let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let is_number = is_digits(whole) && decimals.is_none_or(is_digits) && parts.next().is_none();
    is_number.then(|| decimals.map(<[u8]>::len))
}

/// The length of the ends in which values differ; `None` if their lengths differ.
fn differing_end(values: &[&[u8]]) -> Option<usize> {
    let (first, others) = values.split_first()?;
    if others.iter().any(|other| other.len() != first.len()) {
        return None;
    }
    let is_same = |at: &usize| others.iter().all(|other| other[*at] == first[*at]);
    Some(first.len() - (0..first.len()).take_while(is_same).count())
}

/// What matches this many digits.
fn digits(count: usize) -> String {
    if count <= 2 { r"\d".repeat(count) } else { format!(r"\d{{{count}}}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_digits(words: &[&[&str]]) -> Option<(String, String)> {
        let words: Vec<Vec<_>> =
            words.iter().map(|values| values.iter().map(|it| it.as_bytes()).collect()).collect();
        LastDigits::of(&words).map(|digits| (digits.kept_pattern(), digits.pattern()))
    }

    #[test]
    fn as_many_digits_stay_as_never_differ_in_one_word() {
        let cases: [(&[&[&str]], [&str; 2]); 6] = [
            (&[&["0.003", "0.001"], &["5.003", "5.007"]], [r"\d+\.\d\d", r"\d"]),
            (&[&["0.003", "0.001"], &["5.023", "5.017"]], [r"\d+\.\d", r"\d\d"]),
            (&[&["0.003", "0.101"], &["12.023"], &[]], [r"\d+\.", r"\d{3}"]),
            (&[&["1003", "1004"], &["5003", "5007"]], [r"\d*", r"\d"]),
            (&[&["3", "4"], &["5003", "5007"]], [r"\d*", r"\d"]),
            (&[&["0.12345", "0.12355"]], [r"\d+\.\d{3}", r"\d\d"]),
        ];
        for (words, [kept, dropped]) in cases {
            assert_eq!(
                last_digits(words),
                Some((kept.to_owned(), dropped.to_owned())),
                "{words:?}"
            );
        }
    }

    #[test]
    fn nothing_stays_of_numbers_that_differ_as_a_whole_or_in_form() {
        let others: [&[&[&str]]; 9] = [
            &[],
            &[&["0.003", "0.003"]],
            &[&["4.999", "5.001"]],
            &[&["9.999", "10.001"]],
            &[&["0.003", "0.001"], &["5.01"]],
            &[&["0.003", "0.001"], &["12:01"]],
            &[&["3", "4"], &["5", "7"]],
            &[&["7", "8"], &["5003", "5017"]],
            &[&["1.2.3", "1.2.4"]],
        ];
        for words in others {
            assert_eq!(last_digits(words), None, "{words:?}");
        }
    }
}
