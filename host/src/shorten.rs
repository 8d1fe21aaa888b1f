//! Shortens a word that shows something by leaving out inputs.

use mealybug_core::Input;

/// Leaves out inputs of `word` until no single one can be left out.
///
/// `shows` is given a shorter word. If that still shows what the word shows, it returns it, or the beginning of it that does.
/// This is delta debugging (Zeller, Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE TSE 28(2), 2002), as
/// the learner does with counterexamples: it leaves out halves of the word first, and then smaller and smaller parts.
///
/// # Errors
/// Those of `shows`; `word` is the shortest that was found before.
pub(crate) fn shorten<E>(
    word: &mut Vec<Input>,
    mut shows: impl FnMut(&[Input]) -> Result<Option<Vec<Input>>, E>,
) -> Result<(), E> {
    let mut len = word.len() / 2;
    while len > 0 {
        let (mut start, mut has_progress) = (0, false);
        while start < word.len() {
            let end = word.len().min(start + len);
            let without = [&word[..start], &word[end..]].concat();
            let shorter = if without.is_empty() { None } else { shows(&without)? };
            match shorter {
                Some(shorter) => {
                    *word = shorter;
                    has_progress = true;
                }
                None => start += len,
            }
        }
        len = if len == 1 && has_progress { 1 } else { (len / 2).min(word.len() / 2) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn inputs(numbers: impl IntoIterator<Item = u32>) -> Vec<Input> {
        numbers.into_iter().map(Input::new).collect()
    }

    #[test]
    fn only_the_inputs_that_matter_are_left() {
        let mut word = inputs(0..21);
        let mut asked = 0;
        let result: Result<(), Infallible> = shorten(&mut word, |shorter| {
            asked += 1;
            let has = |number| shorter.contains(&Input::new(number));
            Ok((has(3) && has(17)).then(|| shorter.to_vec()))
        });
        assert!(result.is_ok() && asked < 40, "{asked}");
        assert_eq!(word, inputs([3, 17]));
    }

    #[test]
    fn an_end_keeps_the_shortest_word_and_a_beginning_may_do() {
        let mut word = inputs(0..8);
        let mut asked = 0;
        let result = shorten(&mut word, |shorter| {
            asked += 1;
            if asked > 1 { Err(()) } else { Ok(Some(shorter[..3].to_vec())) }
        });
        assert_eq!((result, word), (Err(()), inputs(4..7)));
    }
}
