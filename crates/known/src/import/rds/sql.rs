//! The statements of a delta: enough SQL to split a script, and to parse statements about `FILE`.

use hashmill_manifest::format::MAX_LINE;
use std::io::{self, BufRead, BufReader, Read};

/// The most bytes of a statement: insertions may have thousands of rows.
const LONGEST: usize = 64 * MAX_LINE;

/// The statements of a script, each with the number of its first line.
pub(super) struct Statements<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    line: u64,
    text: Vec<u8>,
}

/// The reason why there is no further statement.
#[derive(Debug)]
pub(super) enum ScriptEnd {
    Io(io::Error),
    /// A statement that starts on this line does not end, or is too long.
    Endless(u64),
}

impl<'a> Statements<'a> {
    pub fn new(input: Box<dyn Read + 'a>) -> Self {
        Statements { input: BufReader::with_capacity(1 << 20, input), line: 1, text: Vec::new() }
    }

    /// Returns the next statement, without its semicolon and leading comments.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, ScriptEnd> {
        self.text.clear();
        let mut scan = Scan::Plain;
        let mut start = self.line;
        loop {
            let before = self.text.len();
            // Reads up to semicolons, then scans the bytes between them for quotes and comments.
            let read = (&mut self.input).take((LONGEST - before) as u64 + 1).read_until(b';', &mut self.text);
            let read = read.map_err(ScriptEnd::Io)?;
            if self.text.len() > LONGEST {
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
                    if !ended {
                        return Err(ScriptEnd::Endless(start));
                    }
                    start += memchr_count(&self.text[..content]);
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

/// A value in a statement; `None` is NULL. Numbers are kept as text.
pub(super) type Text = Option<Box<[u8]>>;

/// A column with its old or new value.
pub(super) type Pair = (String, Text);

/// A statement about `FILE`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Insert { columns: Vec<String>, rows: Vec<Vec<Text>> },
    Update { set: Vec<Pair>, of: Vec<Pair> },
    Delete { of: Vec<Pair> },
}

/// The subject of a statement.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
    /// A change of `FILE`.
    File(Change),
    Other,
    /// No table: transactions, settings.
    Nothing,
}

/// Parses a statement; `None` if it is about `FILE` and can't be applied.
pub(super) fn understand(statement: &[u8]) -> Option<StatementKind> {
    let mut words = Words { text: statement, at: 0 };
    let verb = words.name()?;
    match verb.as_str() {
        "begin" | "commit" | "end" | "pragma" | "analyze" | "vacuum" => Some(StatementKind::Nothing),
        "insert" | "replace" => insert(&mut words),
        "update" => update(&mut words),
        "delete" => delete(&mut words),
        _ => Some(StatementKind::Other),
    }
}

fn insert(words: &mut Words<'_>) -> Option<StatementKind> {
    let mut word = words.name()?;
    if word == "or" {
        words.name()?;
        word = words.name()?;
    }
    if word != "into" {
        return None;
    }
    if words.table()? != "file" {
        return Some(StatementKind::Other);
    }
    let mut columns = Vec::new();
    if words.eat(b'(') {
        columns = words.list(Words::name)?;
    }
    (words.name()? == "values").then_some(())?;
    let mut rows = Vec::new();
    loop {
        words.eat(b'(').then_some(())?;
        rows.push(words.list(Words::value)?);
        if !words.eat(b',') {
            break;
        }
    }
    words.is_done().then_some(StatementKind::File(Change::Insert { columns, rows }))
}

fn update(words: &mut Words<'_>) -> Option<StatementKind> {
    if words.table()? != "file" {
        return Some(StatementKind::Other);
    }
    (words.name()? == "set").then_some(())?;
    let mut set = vec![words.pair()?];
    while words.eat(b',') {
        set.push(words.pair()?);
    }
    let of = condition(words)?;
    Some(StatementKind::File(Change::Update { set, of }))
}

fn delete(words: &mut Words<'_>) -> Option<StatementKind> {
    (words.name()? == "from").then_some(())?;
    if words.table()? != "file" {
        return Some(StatementKind::Other);
    }
    condition(words).map(|of| StatementKind::File(Change::Delete { of }))
}

/// Parses `WHERE column = value AND …`, up to the end. A statement for all rows is considered an error.
fn condition(words: &mut Words<'_>) -> Option<Vec<Pair>> {
    (words.name()? == "where").then_some(())?;
    let mut pairs = vec![words.pair()?];
    while !words.is_done() {
        (words.name()? == "and").then_some(())?;
        pairs.push(words.pair()?);
    }
    Some(pairs)
}

/// A reader of a statement, word by word.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn rest(&mut self) -> &[u8] {
        self.at += content(&self.text[self.at..]);
        &self.text[self.at..]
    }

    fn is_done(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.rest().first() == Some(&byte);
        self.at += usize::from(there);
        there
    }

    /// Reads a name or keyword, quoted or not, in lower case.
    fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let (name, used) = match rest.first()? {
            b'"' | b'`' => quoted(rest)?,
            b'[' => {
                let end = rest.iter().position(|byte| *byte == b']')?;
                (rest[1..end].to_vec(), end + 1)
            }
            _ => {
                let plain = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                let length = rest.iter().take_while(plain).count();
                (rest[..length].to_vec(), length)
            }
        };
        self.at += used;
        let name = String::from_utf8(name).ok()?.to_ascii_lowercase();
        (!name.is_empty()).then_some(name)
    }

    /// Reads the name of a table, without its schema.
    fn table(&mut self) -> Option<String> {
        let name = self.name()?;
        if self.eat(b'.') { self.name() } else { Some(name) }
    }

    fn value(&mut self) -> Option<Text> {
        let rest = self.rest();
        if rest.first() == Some(&b'\'') {
            let (text, used) = quoted(rest)?;
            self.at += used;
            return Some(Some(text.into()));
        }
        let number = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+');
        let length = rest.iter().take_while(number).count();
        if length > 0 {
            let text: i64 = str::from_utf8(&rest[..length]).ok()?.parse().ok()?;
            self.at += length;
            return Some(Some(text.to_string().into_bytes().into()));
        }
        (self.name()? == "null").then_some(None)
    }

    fn pair(&mut self) -> Option<Pair> {
        let name = self.name()?;
        if self.eat(b'=') {
            self.eat(b'=');
            return Some((name, self.value()?));
        }
        (self.name()? == "is").then_some(())?;
        Some((name, self.value()?))
    }

    /// Reads items separated by commas, up to a closing parenthesis.
    fn list<T>(&mut self, item: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(b',') {
            items.push(item(self)?);
        }
        self.eat(b')').then_some(items)
    }
}

/// Reads a quoted text. Returns it and its length in the statement. A doubled quote stands for one.
fn quoted(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let quote = *text.first()?;
    let mut out = Vec::new();
    let mut at = 1;
    loop {
        let length = text[at..].iter().position(|byte| *byte == quote)?;
        out.extend_from_slice(&text[at..at + length]);
        at += length + 1;
        if text.get(at) != Some(&quote) {
            return Some((out, at));
        }
        out.push(quote);
        at += 1;
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

    #[test]
    fn changes_of_file_are_understood() {
        let text = |text: &str| Some(text.as_bytes().into());
        let insert =
            understand(b"INSERT OR IGNORE INTO main.\"FILE\" (md5, n) VALUES ('it''s', -5), (NULL, 7)");
        let rows = vec![vec![text("it's"), text("-5")], vec![None, text("7")]];
        let columns = vec!["md5".to_string(), "n".to_string()];
        assert_eq!(insert, Some(StatementKind::File(Change::Insert { columns, rows })));
        let update = understand(b"update FILE set package_id=3 where md5='A' and size is null");
        let of = vec![("md5".to_string(), text("A")), ("size".to_string(), None)];
        let set = vec![("package_id".to_string(), text("3"))];
        assert_eq!(update, Some(StatementKind::File(Change::Update { set, of })));
        assert_eq!(understand(b"DELETE FROM PKG WHERE package_id < 3"), Some(StatementKind::Other));
        assert_eq!(understand(b"DELETE FROM FILE WHERE package_id < 3"), None);
        assert_eq!(understand(b"DELETE FROM FILE"), None);
        assert_eq!(understand(b"BEGIN TRANSACTION"), Some(StatementKind::Nothing));
    }
}
