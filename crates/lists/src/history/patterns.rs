//! The patterns by which a list excludes files. A file that no list names and that a pattern matches is not reported as
//! new, but counted. A listed file is always compared, whatever the patterns say.

use super::Below;
use hashmill_manifest::format::history::PATTERNS;
use hashmill_source::IgnoreRules;
use std::collections::BTreeMap;
use std::fmt;

/// The patterns of a list.
pub struct Patterns {
    texts: Vec<Box<[u8]>>,
    rules: IgnoreRules,
    /// The folder that the patterns are relative to.
    below: Below,
}

impl Patterns {
    /// Parses patterns that are relative to a folder.
    pub fn new(texts: &[Box<[u8]>], below: Below) -> Patterns {
        // Each pattern is one line, even if it contains line breaks.
        let plain = |text: &[u8]| -> Box<[u8]> {
            text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b'?' } else { *byte }).collect()
        };
        let texts: Vec<Box<[u8]>> = texts.iter().map(|text| plain(text)).collect();
        let rules = IgnoreRules::parse(&texts.join(&b'\n'));
        Patterns { texts, rules, below }
    }

    /// Returns the pattern that excludes the file at this path of a walk.
    pub fn leaving_out(&self, path: &[u8]) -> Option<&[u8]> {
        self.leaving_out_below(&self.below.path(path)?)
    }

    /// Returns the pattern that excludes a file at this path, which is relative to the folder of the patterns.
    pub(crate) fn leaving_out_below(&self, path: &[u8]) -> Option<&[u8]> {
        let text = self.texts.get(self.rules.line_leaving_out(path)?)?;
        (!is_of_every_history(text) || is_meant(path)).then_some(&**text)
    }

    /// Returns whether a pattern excludes a folder at this path, which is relative to the folder of the patterns.
    pub(crate) fn leaves_out_folder(&self, path: &[u8]) -> bool {
        self.rules.line_leaving_out_directory(path).is_some()
    }
}

/// Returns whether a pattern is one that every history has, without anybody's typing it.
fn is_of_every_history(pattern: &[u8]) -> bool {
    let last = pattern.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty());
    last.is_some_and(|last| PATTERNS.iter().any(|known| known.as_bytes() == last))
}

/// Returns whether a file is what these patterns are meant for, and no file of a history, which is known by its chain: the
/// folder file of the Finder. Anything else in a folder with such a name was put there by somebody.
fn is_meant(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next() == Some(b".DS_Store")
}

/// The number of files that patterns of lists exclude, by pattern.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Ignored(BTreeMap<Box<[u8]>, u64>);

impl Ignored {
    /// Counts a file.
    pub fn add(&mut self, pattern: &[u8]) {
        *self.0.entry(pattern.into()).or_default() += 1;
    }

    /// Returns the number of files.
    pub fn files(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the patterns, as text, and the number of files that each excludes.
    pub fn patterns(&self) -> impl Iterator<Item = (String, u64)> {
        self.0.iter().map(|(pattern, files)| (String::from_utf8_lossy(pattern).into_owned(), *files))
    }
}

/// Formats the patterns as in `ascmhl/: 3, *.tmp: 1`.
impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.patterns().map(|(pattern, files)| format!("{}: {files}", pattern.escape_debug()));
        f.write_str(&all.collect::<Vec<_>>().join(", "))
    }
}

/// Converts a pattern of an inner history into one that is relative to the root.
pub(super) fn from(below: &[u8], pattern: &[u8]) -> Box<[u8]> {
    if below.is_empty() {
        return pattern.into();
    }
    let (keeps, pattern) = pattern.strip_prefix(b"!").map_or((&b""[..], pattern), |rest| (b"!", rest));
    let stem = pattern.strip_suffix(b"/").unwrap_or(pattern);
    // A pattern with a slash is relative to its folder; others match names at any depth.
    let between: &[u8] = if stem.contains(&b'/') { b"" } else { b"**/" };
    let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
    [keeps, b"/", &escaped(below), b"/", between, pattern].concat().into()
}

/// Returns a pattern that matches exactly this path.
fn escaped(path: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| b"\\*?[]!#".contains(byte);
    path.iter().flat_map(|byte| special(byte).then_some(b'\\').into_iter().chain([*byte])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_inner_histories_start_there() {
        let inner = |pattern: &str| String::from_utf8(from(b"a[1]/b", pattern.as_bytes()).into()).unwrap();
        assert_eq!(inner("*.tmp"), "/a\\[1\\]/b/**/*.tmp");
        assert_eq!(inner("cache/"), "/a\\[1\\]/b/**/cache/");
        assert_eq!(inner("/x"), "/a\\[1\\]/b/x");
        assert_eq!(inner("!x/y"), "!/a\\[1\\]/b/x/y");
    }
}
