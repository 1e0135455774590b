//! `dvc`: `.dvc` files and `dvc.lock` of DVC, which list outputs. hashmill writes a `.dvc` file with one output per
//! file.
//!
//! Outputs without `hash: md5` are from DVC before 3.0, which normalised line ends of text files to line feeds: for
//! files with other line ends the MD5 differs. Source: DVC's documentation, ".dvc Files".

use crate::Record;
use crate::format::file_list::{FileList, no_beginning};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{Naming, number, write_digest};
use crate::format::values::several::without_digest;
use crate::format::writer::{below, cannot_carry, text_name};
use crate::format::{Hint, Layout, Reader, Unusable, Writer};
use hashmill_os::{Links, open_now};
use serde_json::Value;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

pub(in crate::format) const HOLDS: &[&str] = &["md5"];

/// The most bytes of a `dvc.yaml` that are read.
const MAX_STAGES: u64 = 4 << 20;

/// A list without outputs.
const NONE: &[u8] = b"outs: []";

/// Recognises a `.dvc` file or a `dvc.lock` by a list of outputs with an MD5.
pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let lines = || first.split(|byte| *byte == b'\n').map(|line| without_cr(line).trim_ascii_start());
    let digest = |line: &[u8]| {
        let line = line.strip_prefix(b"- ").unwrap_or(line);
        let digest = line.strip_prefix(b"md5: ");
        // A digest without letters is quoted.
        let digest = digest.map(|digest| digest.strip_prefix(b"'").unwrap_or(digest));
        digest.is_some_and(|rest| rest.len() >= 32 && rest[..32].iter().all(u8::is_ascii_hexdigit))
    };
    lines().any(|line| line == b"outs:") && lines().any(digest) || first.trim_ascii() == NONE
}

/// Checks that the paths of a `dvc.lock` are relative to its folder: they are relative to the working folder of their
/// stage, which `dvc.yaml` alone names.
pub(in crate::format) fn check_folders(first: &[u8], folder: &Path) -> Result<(), Unusable> {
    let mut lines = first.split(|byte| *byte == b'\n');
    if !lines.any(|line| without_cr(line).trim_ascii_end() == b"stages:") {
        return Ok(());
    }
    let stages = match open_now(&folder.join("dvc.yaml"), Links::Follow) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        stages => stages.map_err(Unusable::Io)?,
    };
    let mut text = Vec::new();
    stages.take(MAX_STAGES).read_to_end(&mut text).map_err(Unusable::Io)?;
    let key = b"wdir";
    let names_folder = |place: usize| {
        let after = text[place + key.len()..].trim_ascii_start();
        let value = after.strip_prefix(b"\"").unwrap_or(after).strip_prefix(b":");
        let value = value.and_then(|value| value.split(|byte| b"\n,}".contains(byte)).next());
        value.is_some_and(|value| ![&b""[..], b".", b"./"].contains(&value.trim_ascii()))
    };
    let is_long = text.len() as u64 == MAX_STAGES;
    if is_long || memchr::memmem::find_iter(&text, key).any(names_folder) {
        let what = "has paths that are relative to the working folders (wdir) of stages in dvc.yaml";
        let advice = "hashmill does not follow these (dvc status compares them)";
        return Err(Unusable::Foreign { what, source: advice.into() });
    }
    Ok(())
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(
        input,
        Outputs {
            naming: Naming::new(Hint::None),
            list: None,
            items: None,
            output: None,
            errors: Vec::new(),
            has_records: false,
            folder: Vec::new(),
        },
    ))
}

/// The lines of the lists of outputs; all others are ignored.
struct Outputs {
    naming: Naming,
    /// The indentation of the current list of outputs, and of its items.
    list: Option<usize>,
    items: Option<usize>,
    output: Option<Output>,
    /// The errors in lines that end a list of outputs.
    errors: Vec<Bad>,
    /// Whether a record was read.
    has_records: bool,
    /// The folder that paths are relative to, relative to that of the list.
    folder: Vec<u8>,
}

/// An output whose keys arrive one by one.
#[derive(Default)]
struct Output {
    path: Option<Vec<u8>>,
    size: Option<Vec<u8>>,
    md5: Option<Vec<u8>>,
    /// The key of the previous line, if its value is plain: it may continue in lines with deeper indentation.
    plain: Option<Key>,
    /// The first error in it.
    broken: Option<Bad>,
}

/// A key of an output.
#[derive(Clone, Copy)]
enum Key {
    Path,
    Size,
    Md5,
}

impl Output {
    fn place(&mut self, key: Key) -> &mut Option<Vec<u8>> {
        match key {
            Key::Path => &mut self.path,
            Key::Size => &mut self.size,
            Key::Md5 => &mut self.md5,
        }
    }

    /// Takes a line `key: value`.
    fn pair(&mut self, text: &[u8]) {
        self.plain = None;
        let Some(colon) = memchr::memmem::find(text, b": ") else {
            let is_key = text.trim_ascii_end().ends_with(b":");
            return self.keep(if is_key { Ok(()) } else { Err(Bad::new("line", Why::Unrecognised)) });
        };
        let key = match scalar(&text[..colon]) {
            Ok(key) => key,
            Err(bad) => return self.keep(Err(bad)),
        };
        let (key, name) = match &*key {
            b"path" => (Key::Path, "path"),
            b"size" => (Key::Size, "size"),
            b"md5" => (Key::Md5, "md5"),
            _ => return,
        };
        let value = text[colon + 2..].trim_ascii();
        let taken = scalar(value).and_then(|value| match self.place(key).replace(value) {
            None => Ok(()),
            Some(_) => Err(Bad::new(name, Why::Twice)),
        });
        self.plain = (!value.starts_with(b"'") && !value.starts_with(b"\"")).then_some(key);
        self.keep(taken);
    }

    /// Takes a line that continues a plain value: the line break stands for a blank.
    fn more(&mut self, text: &[u8]) {
        let Some(key) = self.plain else { return };
        let taken = plain(text.trim_ascii_end());
        let taken = taken.map(|text| {
            let value = self.place(key).get_or_insert_default();
            value.push(b' ');
            value.extend(text);
        });
        self.keep(taken);
    }

    fn keep(&mut self, taken: Result<(), Bad>) {
        if let Err(bad) = taken {
            self.broken.get_or_insert(bad);
        }
    }
}

impl Parse for Outputs {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        let text = line.trim_ascii_start();
        if text.is_empty() || text.starts_with(b"#") {
            return None;
        }
        let indent = line.len() - text.len();
        // The dash of an item may have a line of its own.
        let item = text.strip_prefix(b"- ").or((text.trim_ascii_end() == b"-").then_some(b""));
        let item = item.filter(|_| self.items.is_none_or(|items| items == indent));
        let inside = self.list.is_some_and(|list| indent > list || indent == list && item.is_some());
        let done = if inside && item.is_none() { None } else { self.output() };
        if !inside {
            // The record comes first.
            let error = self.outside(text, indent).err();
            self.errors.extend(error);
            return done;
        }
        if item.is_some() {
            self.items = Some(indent);
            self.output = Some(Output::default());
        }
        // A list inside an output does not describe the output itself.
        let of_output = item.is_some() || self.items.is_some_and(|items| indent == items + 2);
        let is_deeper = self.items.is_some_and(|items| indent > items + 2);
        match &mut self.output {
            Some(_) if item == Some(b"") => {}
            Some(output) if of_output => output.pair(item.unwrap_or(text)),
            Some(output) if is_deeper => output.more(text),
            _ => return Some(Err(Bad::new("line", Why::Unrecognised))),
        }
        done
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        self.output().or_else(|| self.errors.pop().map(Err))
    }
}

impl Outputs {
    /// Ends the current output.
    fn output(&mut self) -> Option<Result<Record, Bad>> {
        let output = self.output.take()?;
        Some(self.record(output))
    }

    /// Takes a line outside of a list of outputs, which may begin one.
    fn outside(&mut self, text: &[u8], indent: usize) -> Result<(), Bad> {
        let was_inside = self.list.take();
        self.items = None;
        let bad = || Bad::new("line", Why::Unrecognised);
        let colon =
            memchr::memmem::find(text, b": ").or(text.trim_ascii_end().strip_suffix(b":").map(<[u8]>::len));
        let Some(colon) = colon else {
            // Texts over several lines and the marks of documents are not looked at, except where outputs are.
            let is_mark = [&b"---"[..], b"..."].contains(&text.trim_ascii_end());
            return if was_inside.is_some() && !is_mark { Err(bad()) } else { Ok(()) };
        };
        let key = scalar(&text[..colon]).unwrap_or_default();
        if key == b"wdir" && indent == 0 {
            return self.folder(&text[colon + 1..]);
        }
        if key != b"outs" {
            let is_key = !key.is_empty()
                && !text.starts_with(b"-")
                && (text.starts_with(b"'") || text.starts_with(b"\"") || !key.contains(&b' '));
            return if was_inside.is_some() && !is_key { Err(bad()) } else { Ok(()) };
        }
        let value = text[colon + 1..].trim_ascii();
        if was_inside == Some(indent) {
            return Err(Bad::new("outs", Why::Twice));
        }
        match value {
            b"[]" => {}
            value if value.is_empty() || value.starts_with(b"#") => self.list = Some(indent),
            _ => return Err(Bad::new("outs", Why::Unrecognised)),
        }
        Ok(())
    }

    /// Takes the folder that paths are relative to. It must come first, as DVC writes it.
    fn folder(&mut self, value: &[u8]) -> Result<(), Bad> {
        let folder = scalar(value)?;
        if self.has_records {
            return Err(Bad::new("wdir", Why::Unrecognised));
        }
        self.folder = match &*folder {
            b"" | b"." | b"./" => Vec::new(),
            _ => [&folder, &b"/"[..]].concat(),
        };
        Ok(())
    }

    fn record(&mut self, output: Output) -> Result<Record, Bad> {
        self.has_records = true;
        if let Some(broken) = output.broken {
            return Err(broken);
        }
        let path = output.path.filter(|path| !path.is_empty()).ok_or(Bad::new("path", Why::Missing))?;
        let path = if path.starts_with(b"/") { path } else { [&*self.folder, &path].concat() };
        let size = output.size.map(|size| number(&size).ok_or(Bad::new("size", Why::Number))).transpose()?;
        match output.md5 {
            None => Ok(without_digest(&path)),
            Some(digest) if digest.ends_with(b".dir") => {
                Ok(Record { reason: Some("folder".into()), ..without_digest(&path) })
            }
            Some(digest) => self
                .naming
                .tagged(b"md5", &digest)
                .map(|named| Record::hashed(path.into(), size, vec![named])),
        }
    }
}

/// Parses a YAML value on one line, plain or quoted. Values over several lines are refused.
fn scalar(text: &[u8]) -> Result<Vec<u8>, Bad> {
    let text = text.trim_ascii();
    let bad = || Bad::new("value", Why::Unrecognised);
    match text.first() {
        Some(b'\'') => {
            let inner = text[1..].strip_suffix(b"'").ok_or_else(bad)?;
            let pieces: Vec<u8> = String::from_utf8_lossy(inner).replace("''", "'").into_bytes();
            Ok(pieces)
        }
        // The escapes of JSON are a subset of YAML's.
        Some(b'"') => {
            let text: String =
                serde_json::from_slice(text).map_err(|source| Bad::new("value", Why::Json(source)))?;
            Ok(text.into_bytes())
        }
        Some(b'|' | b'>' | b'&' | b'*' | b'!' | b'{' | b'[') => Err(bad()),
        _ => plain(text),
    }
}

/// Parses a plain value. It may contain neither `#` after a blank nor `:` before one; DVC writes none.
fn plain(text: &[u8]) -> Result<Vec<u8>, Bad> {
    let has = |what: &[u8]| memchr::memmem::find(text, what).is_some();
    let bad = has(b" #") || has(b"\t#") || has(b": ") || has(b":\t") || text.ends_with(b":");
    if bad { Err(Bad::new("value", Why::Unrecognised)) } else { Ok(text.to_vec()) }
}

pub(in crate::format) fn writer(_: Layout) -> Box<dyn Writer> {
    let end = |items, out: &mut dyn Write| match items {
        0 => out.write_all(&[NONE, b"\n"].concat()),
        _ => Ok(()),
    };
    FileList { holds: HOLDS, begin: no_beginning, between: "", item, end }.writer()
}

fn item(record: &Record, number: u64, text: &mut Vec<u8>) -> io::Result<()> {
    let path = text_name(below(&record.path), "DVC")?;
    let [named] = record.digests.as_slice() else {
        return Err(cannot_carry("DVC holds an MD5 of each file"));
    };
    let mut digest = Vec::new();
    write_digest(named, &mut digest);
    // YAML would parse such a word as a number.
    let quote = if digest.iter().all(|digit| digit.is_ascii_digit() || *digit == b'e') { "'" } else { "" };
    text.extend_from_slice(if number > 1 { b"- md5: " } else { b"outs:\n- md5: " });
    text.extend_from_slice(quote.as_bytes());
    text.append(&mut digest);
    writeln!(text, "{quote}")?;
    if let Some(size) = record.size {
        writeln!(text, "  size: {size}")?;
    }
    writeln!(text, "  hash: md5\n  path: {}", quoted(path))
}

/// Writes a name in YAML: plain if it is unambiguous, else quoted with the escapes of JSON.
fn quoted(name: &str) -> String {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-');
    let word = WORDS.contains(&name.to_ascii_lowercase().as_str());
    if name.bytes().all(plain) && name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && !word {
        return name.to_string();
    }
    // YAML must not contain invisible characters, and has no short escapes for those beyond the basic plane.
    let hidden = |letter: char| {
        matches!(letter, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let mut text = String::new();
    for letter in Value::from(name).to_string().chars() {
        match letter {
            letter if hidden(letter) => text += &format!("\\u{:04x}", u32::from(letter)),
            letter => text.push(letter),
        }
    }
    text
}
