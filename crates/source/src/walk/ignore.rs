//! Ignore files in a tree, in the syntax of gitignore(5).
//!
//! Patterns that are not understood (not UTF-8, an unclosed bracket) and files that can't be read ignore nothing: when
//! in doubt, a file is included.
//!
//! The matcher of the `ignore` crate reads braces as alternatives and an unclosed bracket as itself, unlike git.

use super::filter;
use super::filter::LetterCase;
use crate::opening::Want;
use crate::{OperandDirectory, sys};
use globset::{Candidate, GlobSet, GlobSetBuilder};
use hashmill_os::Links;
use std::io::Read;

/// The size limit of an ignore file, in bytes. Longer ones are not applied.
const MAX_FILE: u64 = 4 << 20;

/// The subject of a question to rules, some of which are of directories alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesOf {
    Files,
    Directories,
}

/// Rules in the order of their lines: the last match decides.
#[derive(Debug, Clone, Default)]
pub struct IgnoreRules {
    globs: GlobSet,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    /// Whether it re-includes what earlier rules ignored.
    keeps: bool,
    /// Whether it only matches directories.
    directories: bool,
    line: usize,
}

impl IgnoreRules {
    /// Parses the text of an ignore file.
    pub fn parse(text: &[u8]) -> IgnoreRules {
        IgnoreRules::parse_with(text, LetterCase::Matters)
    }

    /// Parses the text of an ignore file; `case` says whether its patterns tell capital letters from small ones.
    pub fn parse_with(text: &[u8], case: LetterCase) -> IgnoreRules {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut globs = GlobSetBuilder::new();
        let mut rules = Vec::new();
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some((glob, rule)) = str::from_utf8(line).ok().and_then(parse_line) else { continue };
            let rule = Rule { line: number, ..rule };
            if let Ok(glob) = filter::parse(&glob, case) {
                globs.add(glob);
                rules.push(rule);
            }
        }
        // Each glob is valid by itself, but all together may be too many to match.
        match globs.build() {
            Ok(globs) => IgnoreRules { globs, rules },
            Err(_) => IgnoreRules::default(),
        }
    }

    /// Reads the ignore files of these names in a directory whose path ends in a slash; later names win. `None` if
    /// there are none.
    pub(crate) fn of_directory(
        directory: &[u8],
        operand: Option<&OperandDirectory>,
        names: &[Box<[u8]>],
    ) -> Option<IgnoreRules> {
        if names.is_empty() {
            return None;
        }
        let mut text = Vec::new();
        for name in names {
            let path = [directory, name].concat();
            if let Some(rules) = read(&path, operand) {
                text.extend_from_slice(&rules);
                text.push(b'\n');
            }
        }
        let rules = IgnoreRules::parse(&text);
        (!rules.rules.is_empty()).then_some(rules)
    }

    /// Returns whether a path, relative to the directory of the rules, is ignored; `None` if no rule matches.
    pub(crate) fn leave_out(&self, below: &[u8], of: RulesOf) -> Option<bool> {
        self.rule(below, of).map(|rule| !rule.keeps)
    }

    /// Returns the line, from 0, that ignores a file at this path or a directory above it; `None` if the file is not
    /// ignored.
    pub fn line_leaving_out(&self, path: &[u8]) -> Option<usize> {
        self.leaving_out(path, RulesOf::Files)
    }

    /// Returns the line, from 0, that ignores a directory at this path or one above it.
    pub fn line_leaving_out_directory(&self, path: &[u8]) -> Option<usize> {
        self.leaving_out(path, RulesOf::Directories)
    }

    fn leaving_out(&self, path: &[u8], of: RulesOf) -> Option<usize> {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        let above = ends.map(|end| (&path[..end], RulesOf::Directories));
        let rules = above.chain([(path, of)]).filter_map(|(path, of)| self.rule(path, of));
        rules.filter(|rule| !rule.keeps).map(|rule| rule.line).next()
    }

    /// Returns the rule that decides about a path.
    fn rule(&self, below: &[u8], of: RulesOf) -> Option<Rule> {
        if self.rules.is_empty() {
            return None;
        }
        let matching = self.globs.matches_candidate(&Candidate::from_bytes(below));
        let about = |rule: &&Rule| of == RulesOf::Directories || !rule.directories;
        matching.iter().rev().map(|number| &self.rules[*number]).find(about).copied()
    }
}

/// Reads a regular file. Never waits for another type of file, and follows no link.
fn read(path: &[u8], operand: Option<&OperandDirectory>) -> Option<Vec<u8>> {
    let file = match operand {
        Some(operand) => operand.open_file(path).ok()?,
        None => sys::open(path, Want::ReadNow, Links::Stay).ok()?,
    };
    let meta = file.metadata().ok()?;
    let mut text = Vec::new();
    let fits = meta.is_file() && meta.len() <= MAX_FILE;
    fits.then(|| file.take(MAX_FILE).read_to_end(&mut text))?.ok()?;
    Some(text)
}

/// Parses a line to a glob relative to the directory of the rules; `None` for comments and empty lines.
fn parse_line(line: &str) -> Option<(String, Rule)> {
    if line.starts_with('#') {
        return None;
    }
    let line = without_blanks(line);
    let (keeps, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (directories, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    if line.is_empty() {
        return None;
    }
    // A slash anchors a pattern to the directory; other patterns match names at any depth.
    let glob = match line.strip_prefix('/') {
        Some(rest) => escaped(rest),
        None if line.contains('/') => escaped(line),
        None => format!("**/{}", escaped(line)),
    };
    (!glob.is_empty()).then_some((glob, Rule { keeps, directories, line: 0 }))
}

/// Removes blanks at the end of a line, except one after a backslash.
fn without_blanks(line: &str) -> &str {
    let bare = line.trim_end_matches(' ');
    let backslashes = bare.len() - bare.trim_end_matches('\\').len();
    let keeps_one = backslashes % 2 == 1 && bare.len() < line.len();
    &line[..bare.len() + usize::from(keeps_one)]
}

/// Converts the pattern to a glob: braces stand for themselves in gitignore(5).
fn escaped(pattern: &str) -> String {
    let letters: Vec<char> = pattern.chars().collect();
    let mut glob = String::with_capacity(pattern.len());
    let mut at = 0;
    while at < letters.len() {
        let end = match letters[at] {
            '\\' => at + 2,
            '[' => class_end(&letters, at).unwrap_or(at + 1),
            '{' | '}' => {
                glob.push('\\');
                at + 1
            }
            _ => at + 1,
        };
        glob.extend(&letters[at..end.min(letters.len())]);
        at = end;
    }
    glob
}

/// Returns the end of a character class; a bracket at its start is one of its characters.
fn class_end(letters: &[char], start: usize) -> Option<usize> {
    let mut first = start + 1;
    for skipped in [['!', '^'], [']', ']']] {
        first += usize::from(letters.get(first).is_some_and(|letter| skipped.contains(letter)));
    }
    let close = (first..letters.len()).find(|place| letters[*place] == ']')?;
    Some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rules: &str, path: &str) -> Option<bool> {
        let directory = path.strip_suffix('/');
        let of = if directory.is_some() { RulesOf::Directories } else { RulesOf::Files };
        let path = directory.unwrap_or(path);
        IgnoreRules::parse(rules.as_bytes()).leave_out(path.as_bytes(), of)
    }

    #[test]
    fn the_line_that_leaves_out_a_file_is_named() {
        let rules = IgnoreRules::parse(b"*.tmp\nascmhl/\n*.log\n!keep.log");
        let line = |path: &str| rules.line_leaving_out(path.as_bytes());
        assert_eq!(
            [line("a/b.tmp"), line("ascmhl/x"), line("a/ascmhl/b/c"), line("a.log")],
            [Some(0), Some(1), Some(1), Some(2)]
        );
        assert_eq!([line("ascmhl"), line("keep.log"), line("a")], [None; 3]);
    }

    #[test]
    fn rules_are_those_of_gitignore() {
        for (rules, path, wanted) in [
            ("*.o", "a.o", Some(true)),
            ("*.o", "x/y/a.o", Some(true)),
            ("*.o", "a.c", None),
            ("/a.o", "a.o", Some(true)),
            ("/a.o", "x/a.o", None),
            ("x/a.o", "x/a.o", Some(true)),
            ("x/a.o", "y/x/a.o", None),
            ("x/*.o", "x/y/a.o", None),
            ("x/**", "x/y/a.o", Some(true)),
            ("x/**/a.o", "x/a.o", Some(true)),
            ("**/x/a.o", "y/x/a.o", Some(true)),
            ("d/", "d/", Some(true)),
            ("d/", "x/d/", Some(true)),
            ("d/", "d", None),
            ("x/d/", "y/x/d/", None),
            ("# *.o", "a.o", None),
            ("\\#a", "#a", Some(true)),
            ("\\!a", "!a", Some(true)),
            ("*\n!a.o", "a.o", Some(false)),
            ("!a.o\n*", "a.o", Some(true)),
            ("d\n!d/", "d/", Some(false)),
            ("d\n!d/", "d", Some(true)),
            ("a.o  ", "a.o", Some(true)),
            ("a.o\\ ", "a.o ", Some(true)),
            ("a.o\\ ", "a.o", None),
            ("a.o\r\n", "a.o", Some(true)),
            ("{a,b}", "a", None),
            ("{a,b}", "{a,b}", Some(true)),
            ("[ab].o", "b.o", Some(true)),
            ("[!ab].o", "b.o", None),
            ("[!ab].o", "c.o", Some(true)),
            ("[{]", "{", Some(true)),
            ("a?", "a/", None),
            ("[a", "[a", None),
            ("/", "a", None),
            ("\u{feff}a", "a", Some(true)),
            ("größe", "größe", Some(true)),
        ] {
            assert_eq!(verdict(rules, path), wanted, "{rules:?} {path}");
        }
    }

    #[test]
    fn names_are_bytes_and_lines_that_are_no_text_leave_nothing_out() {
        let rules = IgnoreRules::parse(b"\xff*\n*.o");
        assert_eq!(rules.leave_out(b"\xff.o", RulesOf::Files), Some(true));
        assert_eq!(rules.leave_out(b"\xff.c", RulesOf::Files), None);
    }
}
