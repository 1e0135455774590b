//! What helps whom a command line failed: clap takes an unknown option for a value, which it never is unless there is a
//! file of that name.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// What other programs have, and how it is typed here.
const ELSEWHERE: [(&[&str], &str); 7] = [
    (&["-a", "--audit"], "'hashloom audit -k MANIFEST PATH' compares with a manifest"),
    (&["--check"], "'hashloom check LIST' checks a list"),
    (&["--tag"], "'hashloom hash -f bsd' writes lines with the name of the algorithm"),
    (&["-b", "--binary", "-t"], "files are always read as they are: there is nothing to choose"),
    (
        &["-z", "--zero"],
        "'-0' reads lists of --files-from with NUL; 'hash -f jsonl' writes any name on one line",
    ),
    (&["-s", "--silent"], "'-q' says only what is not as it should be"),
    (&["-l"], "paths are written as they are named: relative ones stay relative"),
];

/// Replaces a tip that misleads, or adds one.
pub fn better(error: &mut Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return };
    if Path::new(word).exists() {
        return;
    }
    let known = ELSEWHERE.iter().find(|(words, _)| words.contains(&word.as_str()));
    match known {
        Some((_, tip)) => {
            error.remove(ContextKind::SuggestedArg);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(*tip)]));
        }
        None => drop(error.remove(ContextKind::Suggested)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    fn said(line: &str) -> String {
        let mut error = whole().try_get_matches_from(line.split(' ')).unwrap_err();
        better(&mut error);
        error.render().to_string()
    }

    #[test]
    fn no_tip_takes_an_option_for_a_value() {
        for line in
            ["hashloom hash -Q", "hashloom hash --nosuch", "hashloom dupes --zzz", "hashloom check -Z list"]
        {
            assert!(!said(line).contains("as a value"), "{line}");
        }
    }

    #[test]
    fn who_comes_from_other_programs_is_told_how_it_is_typed_here() {
        assert!(said("hashloom hash -a -k x").contains("hashloom audit -k MANIFEST"));
        assert!(said("hashloom hash --check list").contains("hashloom check LIST"));
        assert!(said("hashloom hash --tag x").contains("-f bsd"));
    }
}
