//! Quarterly deltas: SQL scripts that SQLite runs on a copy of the database.

use super::database::RdsDatabase;
use super::guard;
use crate::error::{Error, Why};
use crate::import::input::Input;
use crate::import::intake::Intake;
use crate::import::scripts::each_script;
use hashmill_manifest::format::MAX_LINE;
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a statement: insertions may have thousands of rows.
pub(super) const LONGEST_STATEMENT: usize = 64 * MAX_LINE;

/// Statements that no change needs: all changes are one transaction, and settings are ours.
const IGNORED: [&str; 6] = ["begin", "commit", "end", "pragma", "analyze", "vacuum"];

/// Runs the statements of all deltas on a database.
pub(super) fn apply(deltas: &[Input], database: &RdsDatabase, intake: &Intake<'_>) -> Result<(), Error> {
    database.run("BEGIN", intake)?;
    for delta in deltas {
        each_script(&delta.path, &mut |stream| run(stream, delta, database, intake))?;
    }
    database.run("COMMIT", intake)
}

fn run(
    stream: Box<dyn Read + '_>,
    delta: &Input,
    database: &RdsDatabase,
    intake: &Intake<'_>,
) -> Result<(), Error> {
    let mut statements = Statements::new(stream);
    let failed = |stop| match stop {
        ScriptEnd::Io(source) => Error::io(&delta.path, "read")(source),
        ScriptEnd::Endless(line) => Error::new(&delta.path, Why::Statement(line)),
    };
    while let Some((line, text)) = statements.next().map_err(failed)? {
        let sql = str::from_utf8(text).map_err(|_| Error::new(&delta.path, Why::Statement(line)))?;
        let verb = sql.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
        if !IGNORED.contains(&&*verb.to_ascii_lowercase()) {
            let what = format!("the statement on line {line}");
            let why = |source| guard::why(&what, source, &intake.progress());
            database.change(sql).map_err(|source| Error::new(&delta.path, why(source)))?;
        }
    }
    Ok(())
}

/// The statements of a script, each with the number of its first line.
struct Statements<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    line: u64,
    text: Vec<u8>,
}

/// The reason why there is no further statement.
#[derive(Debug)]
enum ScriptEnd {
    Io(io::Error),
    /// A statement that starts on this line does not end, or is too long.
    Endless(u64),
}

impl<'a> Statements<'a> {
    fn new(input: Box<dyn Read + 'a>) -> Self {
        Statements { input: BufReader::with_capacity(1 << 20, input), line: 1, text: Vec::new() }
    }

    /// Returns the next statement, without its semicolon and leading comments.
    fn next(&mut self) -> Result<Option<(u64, &[u8])>, ScriptEnd> {
        self.text.clear();
        let mut scan = Scan::Plain;
        let mut start = self.line;
        loop {
            let before = self.text.len();
            // Reads up to semicolons, then scans the bytes between them for quotes and comments.
            let read = (&mut self.input)
                .take((LONGEST_STATEMENT - before) as u64 + 1)
                .read_until(b';', &mut self.text);
            let read = read.map_err(ScriptEnd::Io)?;
            if self.text.len() > LONGEST_STATEMENT {
                return Err(ScriptEnd::Endless(start));
            }
            for at in before..self.text.len() {
                scan = scan.after(self.text[at], self.text.get(at + 1).copied());
            }
            self.line += memchr_count(&self.text[before..]);
            let ended = read > 0 && scan == Scan::Plain && self.text.ends_with(b";");
            if ended || read == 0 {
                let content = content(&self.text);
                if content < self.text.len() - usize::from(ended) {
                    start += memchr_count(&self.text[..content]);
                    if !ended {
                        return Err(ScriptEnd::Endless(start));
                    }
                    let end = self.text.len() - 1;
                    return Ok(Some((start, &self.text[content..end])));
                }
                if read == 0 {
                    return Ok(None);
                }
                self.text.clear();
                start = self.line;
            }
        }
    }
}

fn memchr_count(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// The state of the scan of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scan {
    Plain,
    Quoted(u8),
    LineComment,
    BlockComment,
}

impl Scan {
    fn after(self, byte: u8, next: Option<u8>) -> Self {
        match (self, byte, next) {
            (Scan::Plain, b'\'' | b'"' | b'`', _) => Scan::Quoted(byte),
            (Scan::Plain, b'-', Some(b'-')) => Scan::LineComment,
            (Scan::Plain, b'/', Some(b'*')) => Scan::BlockComment,
            // A doubled quote leaves and re-enters the state, which has the same effect.
            (Scan::Quoted(quote), _, _) if byte == quote => Scan::Plain,
            (Scan::LineComment, b'\n', _) => Scan::Plain,
            (Scan::BlockComment, b'*', Some(b'/')) => Scan::Plain,
            (state, _, _) => state,
        }
    }
}

/// Returns the end of leading white space and comments.
fn content(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = &rest[blank..];
        let comment = match rest {
            [b'-', b'-', ..] => rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1),
            [b'/', b'*', ..] => {
                rest.windows(2).position(|end| end == b"*/").map_or(rest.len(), |end| end + 2)
            }
            _ => return at + blank,
        };
        at += blank + comment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(script: &str) -> Vec<(u64, String)> {
        let mut statements = Statements::new(Box::new(script.as_bytes()));
        let mut found = Vec::new();
        while let Some((line, text)) = statements.next().unwrap() {
            found.push((line, String::from_utf8_lossy(text).into_owned()));
        }
        found
    }

    #[test]
    fn scripts_are_split_outside_quotes_and_comments() {
        let script = "BEGIN;\n-- a; b\nINSERT 'x;\n''y';\n/* ; */ ;\nEND;\n-- end";
        let expected = [(1, "BEGIN"), (3, "INSERT 'x;\n''y'"), (6, "END")];
        assert_eq!(all(script), expected.map(|(line, text)| (line, text.to_string())));
    }

    #[test]
    fn a_cut_script_is_noticed() {
        let mut statements = Statements::new(Box::new(&b"BEGIN;\nINSERT INTO FILE VALUES ('a"[..]));
        assert!(statements.next().unwrap().is_some());
        assert!(matches!(statements.next(), Err(ScriptEnd::Endless(_))));
    }
}
