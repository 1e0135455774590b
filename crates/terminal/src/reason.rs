//! System error messages without numbers.

use std::borrow::Cow;
use std::io;

/// The text that Rust puts between a system error message and its number.
const BEFORE: &str = " (os error ";

/// Removes the numbers after system error messages: `No such file or directory (os error 2)`.
///
/// A number is only removed after the system's message for that number, so that file names are unchanged.
pub fn without_numbers(text: &str) -> Cow<'_, str> {
    let Some(at) = text.find(BEFORE) else { return Cow::Borrowed(text) };
    let (before, rest) = (&text[..at], &text[at + BEFORE.len()..]);
    match rest.split_once(')') {
        Some((number, rest)) if is_reason(before, number) => {
            Cow::Owned([before, &without_numbers(rest)].concat())
        }
        _ => Cow::Owned([before, BEFORE, &without_numbers(rest)].concat()),
    }
}

/// Returns whether `text` ends with the system error message of this number.
fn is_reason(text: &str, number: &str) -> bool {
    let Ok(number) = number.parse() else { return false };
    let reason = io::Error::from_raw_os_error(number).to_string();
    reason.split_once(BEFORE).is_some_and(|(message, _)| text.ends_with(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_reasons_go() {
        let absent = io::Error::from_raw_os_error(2);
        let (absent, denied) = (absent.to_string(), io::Error::from_raw_os_error(13).to_string());
        let text = format!("x (os error 2): cannot open: {absent}; y (os error 13: {denied}): {absent}");
        let words = |text: &str| text[..text.find(BEFORE).unwrap()].to_string();
        let (no_file, no_right) = (words(&absent), words(&denied));
        assert_eq!(
            without_numbers(&text),
            format!("x (os error 2): cannot open: {no_file}; y (os error 13: {no_right}): {no_file}")
        );
        for text in
            ["", "nothing", " (os error ", " (os error x)", " (os error 99999999999)", " (os error 2)"]
        {
            assert_eq!(without_numbers(text), text);
        }
    }
}
