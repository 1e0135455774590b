//! Hints for mistyped command lines.

use clap::Error;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::path::Path;

/// Options of other programs, and their equivalents here.
const ELSEWHERE: [(&[&str], &str); 7] = [
    (&["-a", "--audit"], "'hashmill audit -k MANIFEST PATH' compares with a manifest"),
    (&["--check"], "'hashmill check LIST' checks a list"),
    (&["--tag"], "'hashmill hash -f bsd' writes lines with the name of the algorithm"),
    (&["-b", "--binary", "-t"], "files are always read in binary mode: there is no other"),
    (
        &["-z", "--zero"],
        "'-0' reads lists of --files-from with NUL; 'hash -f jsonl' writes any name on one line",
    ),
    (&["-s", "--silent"], "'-q' prints only differences and errors"),
    (&["-l"], "paths are written as they are given: relative ones stay relative"),
];

/// Words of other programs for what is done with bags, and the commands here.
const BAG: [(&[&str], &str); 3] = [
    (&["validate", "check", "test", "is-valid"], "verify"),
    (&["make", "new", "init"], "create"),
    (&["save", "refresh"], "update"),
];

/// Replaces a misleading tip of clap for these words, or adds one.
pub fn better(error: &mut Error, words: &[OsString]) {
    let line: Vec<&str> = words.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => of_unknown_command(&line),
        ErrorKind::MissingRequiredArgument if line.first() == Some(&"audit") => of_audit(&line),
        ErrorKind::UnknownArgument => of_unknown_option(error, &line),
        ErrorKind::ValueValidation => of_list(&line),
        _ => None,
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
}

/// Suggests a command for a first word that is not one: a path, an algorithm, a program.
fn of_unknown_command(line: &[&str]) -> Option<String> {
    if let ["bag", word, rest @ ..] = line {
        let command = BAG.iter().find(|(words, _)| words.contains(word))?.1;
        return Some(format!("'{}'", typed(&["bag", command], rest)));
    }
    let (word, rest) = line.split_first()?;
    let algorithm = word.strip_suffix("sum").unwrap_or(word);
    match *word {
        "bag" if rest.first() == Some(&"validate") => {
            Some(format!("'{}'", typed(&["bag", "verify"], &rest[1..])))
        }
        "version" => Some("'hashmill --version'".into()),
        _ if hashmill_digest::find(algorithm).is_ok() => {
            Some(format!("'{}'", typed(&["hash", "-c", algorithm], rest)))
        }
        _ if Path::new(word).exists() => {
            Some(format!("a command comes first: '{}' writes a manifest", typed(&["hash"], line)))
        }
        _ => None,
    }
}

/// Suggests `-k` for an audit whose first operand looks like the manifest.
fn of_audit(line: &[&str]) -> Option<String> {
    let operand = |word: &&&str| !word.starts_with('-');
    let manifest = line.iter().skip(1).find(operand).filter(|word| Path::new(word).is_file());
    let tip = match manifest {
        Some(manifest) => {
            let rest: Vec<&str> = line.iter().skip(1).filter(|word| *word != manifest).copied().collect();
            format!("the manifest is named by -k: '{}'", typed(&["audit", "-k", manifest], &rest))
        }
        None => "'hashmill hash -o MANIFEST PATH' writes the manifest that -k names".into(),
    };
    Some(tip)
}

fn of_unknown_option(error: &mut Error, line: &[&str]) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let (word, first) = (word.clone(), *line.first()?);
    if first.starts_with('-') {
        return Some(match first {
            "-v" | "-V" => "'hashmill --version'".into(),
            "-c" if line.get(1).is_some_and(|word| is_list(word)) => checked(&line[1..]),
            _ => format!("a command comes first: '{}' writes a manifest", typed(&["hash"], line)),
        });
    }
    if let ["seal", "verify", rest @ ..] = line
        && !word.starts_with('-')
    {
        let rest: Vec<&str> = rest.iter().filter(|other| **other != word).copied().collect();
        let tip = typed(&["seal", "verify", "--seal-file", &word], &rest);
        return Some(format!("a seal is named by --seal-file: '{tip}'"));
    }
    if Path::new(&word).exists() {
        return None;
    }
    if let Some(name) = word.strip_prefix("--").filter(|name| hashmill_digest::find(name).is_ok()) {
        let rest: Vec<&str> = line[1..].iter().filter(|other| **other != word).copied().collect();
        return Some(format!("'{}'", typed(&[first, "-c", name], &rest)));
    }
    let known = ELSEWHERE.iter().find(|(words, _)| words.contains(&word.as_str()));
    if known.is_none() {
        // clap suggests to pass an unknown option as a value. It is one only if there is a file of that name.
        error.remove(ContextKind::Suggested);
    }
    known.map(|(_, tip)| (*tip).to_string())
}

/// Suggests `check` for a list where `hash` expects an algorithm.
fn of_list(line: &[&str]) -> Option<String> {
    let ["hash", "-c", rest @ ..] = line else { return None };
    rest.first().filter(|word| is_list(word)).map(|_| checked(rest))
}

/// Returns whether a word is a file and no algorithms, so that `-c` means what it does for sha256sum.
fn is_list(word: &str) -> bool {
    word.split(',').any(|name| hashmill_digest::find(name).is_err()) && Path::new(word).is_file()
}

fn checked(lists: &[&str]) -> String {
    format!("'{}' checks the files that a list names", typed(&["check"], lists))
}

/// Returns a hint at the name that a mistyped one is most like, if it is like any.
pub fn similar<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> String {
    let near = names.map(|name| (distance(typed, name), name)).min();
    let near = near.filter(|(distance, name)| *distance <= name.chars().count().div_ceil(3));
    near.map_or_else(String::new, |(_, name)| format!("; did you mean '{name}'?"))
}

/// Returns how many letters have to be put in, taken out or replaced to get one text from the other; letter case is
/// ignored.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.to_lowercase().chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], line + 1);
        for (column, wanted) in other.iter().enumerate() {
            let replaced = before + usize::from(letter != *wanted);
            before = row[column + 1];
            row[column + 1] = replaced.min(before + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Returns a command line, quoted for a shell.
fn typed(words: &[&str], rest: &[&str]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./,:=@%+".contains(&byte);
    let quoted = |word: &&str| match !word.is_empty() && word.bytes().all(plain) {
        true => (*word).to_string(),
        false => format!("\"{word}\""),
    };
    let all = ["hashmill"].iter().chain(words).chain(rest).map(quoted);
    all.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::whole;

    fn said(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut error = whole().try_get_matches_from(&words).unwrap_err();
        better(&mut error, &words);
        error.render().to_string()
    }

    #[test]
    fn no_tip_takes_an_option_for_a_value() {
        for line in
            ["hashmill hash -Q", "hashmill hash --nosuch", "hashmill dupes --zzz", "hashmill check -Z list"]
        {
            assert!(!said(line).contains("as a value"), "{line}");
        }
    }

    #[test]
    fn who_comes_from_other_programs_is_told_how_it_is_typed_here() {
        assert!(said("hashmill hash -a -k x").contains("hashmill audit -k MANIFEST"));
        assert!(said("hashmill hash --check list").contains("hashmill check LIST"));
        assert!(said("hashmill hash --tag x").contains("-f bsd"));
        assert!(said("hashmill bag validate x").contains("'hashmill bag verify x'"));
        assert!(said("hashmill bag refresh x").contains("'hashmill bag update x'"));
    }

    #[test]
    fn a_line_without_its_command_or_option_is_completed() {
        for (line, tip) in [
            ("hashmill src", "'hashmill hash src' writes a manifest"),
            ("hashmill -c Cargo.toml", "'hashmill check Cargo.toml' checks"),
            ("hashmill hash -c Cargo.toml", "'hashmill check Cargo.toml' checks"),
            ("hashmill -c md5 src", "'hashmill hash -c md5 src' writes a manifest"),
            ("hashmill sha256sum -o x src", "'hashmill hash -c sha256 -o x src'"),
            ("hashmill version", "'hashmill --version'"),
            ("hashmill hash --sha256 src", "'hashmill hash -c sha256 src'"),
            ("hashmill bag validate papers", "'hashmill bag verify papers'"),
            ("hashmill -v", "'hashmill --version'"),
            ("hashmill audit Cargo.toml src", "'hashmill audit -k Cargo.toml src'"),
            ("hashmill audit src", "'hashmill hash -o MANIFEST PATH' writes the manifest"),
            ("hashmill seal verify M M.seal", "'hashmill seal verify --seal-file M.seal M'"),
            ("hashmill seal verfy M", "a similar subcommand exists: 'verify'"),
            ("hashmill known querry M", "a similar subcommand exists: 'query'"),
        ] {
            assert!(said(line).contains(tip), "{}", said(line));
        }
        assert!(!said("hashmill qqqq").contains("tip"));
    }
}
