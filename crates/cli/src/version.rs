//! `--version -v`: what exactly this program is.

use crate::left_out;
use std::ffi::OsString;

/// Whether it is asked for.
pub fn is_asked(words: &[OsString]) -> bool {
    let [_, one, other] = words else { return false };
    let is = |word: &OsString, names: [&str; 2]| names.iter().any(|name| word == name);
    let version = ["-V", "--version"];
    let verbose = ["-v", "--verbose"];
    is(one, version) && is(other, verbose) || is(one, verbose) && is(other, version)
}

/// Version, commit, target, compiler and features, a line each.
pub fn text() -> String {
    let (here, absent) = left_out::features();
    let absent = if absent.is_empty() { "none".to_string() } else { absent.join(" ") };
    let rows = [
        ("commit", env!("HASHLOOM_COMMIT").to_string()),
        ("target", env!("HASHLOOM_TARGET").to_string()),
        ("compiler", env!("HASHLOOM_COMPILER").to_string()),
        ("features", here.join(" ")),
        ("left out", absent),
    ];
    let rows = rows.iter().map(|(name, value)| format!("{name:10}{value}\n"));
    format!("hashloom {}\n{}", env!("CARGO_PKG_VERSION"), rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_words_in_either_order() {
        let asked = |line: &str| is_asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asked("hashloom --version -v") && asked("hashloom -v -V"));
        assert!(!asked("hashloom --version") && !asked("hashloom -v -v") && !asked("hashloom -V -v x"));
    }
}
