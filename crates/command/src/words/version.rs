//! `--version`; and with `-v` the details of the build.

use super::left_out;
use std::ffi::OsString;

/// Returns the text of the version, if these words (with the program's name) ask for it.
pub fn asked(words: &[OsString]) -> Option<String> {
    let is = |word: &OsString, names: [&str; 2]| names.iter().any(|name| word == name);
    let version = |word| is(word, ["-V", "--version"]);
    let verbose = |word| is(word, ["-v", "--verbose"]);
    match words {
        // clap would build all commands first.
        [_, one] if version(one) => Some(concat!("hashmill ", env!("CARGO_PKG_VERSION"), "\n").to_string()),
        [_, one, other] if version(one) && verbose(other) || verbose(one) && version(other) => Some(text()),
        _ => None,
    }
}

/// Returns version, commit, target, compiler and features, one per line.
fn text() -> String {
    let (here, absent) = left_out::features();
    let absent = if absent.is_empty() { "none".to_string() } else { absent.join(" ") };
    let rows = [
        ("commit", env!("BUILD_COMMIT").to_string()),
        ("target", env!("BUILD_TARGET").to_string()),
        ("compiler", env!("BUILD_COMPILER").to_string()),
        ("features", here.join(" ")),
        ("left out", absent),
    ];
    let rows = rows.iter().map(|(name, value)| format!("{name:10}{value}\n"));
    format!("hashmill {}\n{}", env!("CARGO_PKG_VERSION"), rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Option<String> {
        asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn both_words_in_either_order() {
        let is_long = |line: &str| said(line).is_some_and(|text| text.contains("\ncommit "));
        assert!(is_long("hashmill --version -v") && is_long("hashmill -v -V"));
        assert_eq!(said("hashmill -v -v").or(said("hashmill -V -v x")), None);
    }

    #[test]
    fn one_word_is_answered_as_clap_would() {
        let error = crate::args::whole().try_get_matches_from(["hashmill", "--version"]).unwrap_err();
        assert_eq!(said("hashmill --version"), Some(error.to_string()));
        assert_eq!(said("hashmill -V"), said("hashmill --version"));
    }
}
