//! The DFXML document of `-d`.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::date::iso;
use crate::hashed::Hashed;
use crate::hashed::{HashedDigests, Span};
use crate::personality::VERSION;
use crate::sys;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_os::names;
use std::ffi::OsString;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The first line, which precedes any other output of `-d`.
pub const PROLOGUE: &[u8] = b"<?xml version='1.0' encoding='UTF-8'?>\n";

/// The attributes of the root element.
const NAMESPACES: &str = "\
    \n  xmlns='http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML' \
    \n  xmlns:deep='http://md5deep.sourceforge.net/md5deep/' \
    \n  xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
    \n  xmlns:dc='http://purl.org/dc/elements/1.1/' version='1.0'";

/// The name of the replaced program, which readers of such documents expect as their creator.
const PROGRAM: &str = "MD5DEEP";

/// The build information in Debian's hashdeep.
const COMPILER: &str = "GCC 12.2";

/// The element for names that XML can't contain.
const IN_FULL: &str = "hashmill:path_b64";

/// A document that is being written.
pub struct Document {
    started: Instant,
    open: Vec<&'static str>,
    /// Text that was not taken by `take` yet.
    text: Vec<u8>,
    /// The digests of the current file.
    digests: String,
}

/// The contents of a file's element.
pub struct FileObject<'a> {
    pub file: &'a Hashed<'a>,
    /// The size to show.
    pub size: u64,
    pub attributes: &'a str,
}

impl Document {
    /// Starts a document, up to the place of the files.
    pub fn new(algorithms: AlgorithmSet, words: &[OsString]) -> Document {
        let mut document =
            Document { started: Instant::now(), open: Vec::new(), text: Vec::new(), digests: String::new() };
        document.open_element("dfxml", NAMESPACES);
        document.configuration(algorithms);
        document.open_element("metadata", "");
        document.element("dc:type", b"Hash List");
        document.close_element();
        document.creator(words);
        document
    }

    /// Returns the text written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    fn configuration(&mut self, algorithms: AlgorithmSet) {
        self.open_element("deep:configuration", "");
        self.open_element("algorithms", "");
        let rows =
            Algorithm::all().map(|algorithm| (algorithm.name(), u8::from(algorithms.contains(algorithm))));
        // The last row is for an algorithm that 4.4 lacks.
        for (name, enabled) in rows.chain([("", 0)]) {
            self.indent();
            self.put(format!("<algorithm name='{name}' enabled='{enabled}'/>\n"));
        }
        self.close_element();
        self.close_element();
    }

    fn creator(&mut self, words: &[OsString]) {
        self.open_element("creator", "version='1.0'");
        self.element("program", PROGRAM.as_bytes());
        self.element("version", VERSION.as_bytes());
        self.open_element("build_environment", "");
        self.element("compiler", COMPILER.as_bytes());
        self.close_element();
        self.execution_environment(words);
        self.close_element();
    }

    fn execution_environment(&mut self, words: &[OsString]) {
        self.open_element("execution_environment", "");
        for (tag, text) in sys::system() {
            self.element(tag, &text);
        }
        self.element("command_line", &names::bytes(&words.join(" ".as_ref())));
        if let Some(user) = sys::user() {
            self.element("uid", user.to_string().as_bytes());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.element("start_time", iso(now.as_secs() as i64).as_bytes());
        self.close_element();
    }

    /// Adds the digests of a file, or of a piece, whose place is stated.
    pub fn digests(
        &mut self,
        file: &Hashed<'_>,
        algorithms: AlgorithmSet,
        piece: Option<Span>,
        matched: bool,
    ) {
        if let Some(Span { offset, length }) = piece {
            self.digests += &format!("<byte_run file_offset='{offset}' len='{length}'>   \n");
        }
        self.plain_digests(&file.digests, algorithms, if piece.is_some() { "  " } else { "" });
        if matched {
            self.digests += "<matched>1</matched>";
        }
        if piece.is_some() {
            self.digests += "</byte_run>\n";
        }
    }

    pub fn plain_digests(&mut self, digests: &HashedDigests, algorithms: AlgorithmSet, indent: &str) {
        for algorithm in algorithms.iter() {
            let (name, text) = (algorithm.name().to_uppercase(), digests.text(algorithm));
            self.digests += &format!("{indent}<hashdigest type='{name}'>{text}</hashdigest>\n");
        }
    }

    /// Drops the pending digests.
    pub fn drop_digests(&mut self) {
        self.digests.clear();
    }

    /// Writes a file with the pending digests.
    pub fn file(&mut self, object: &FileObject<'_>) {
        let facts = object.file.facts;
        self.open_element("fileobject", object.attributes);
        self.name(object.file.name);
        self.element("filesize", object.size.to_string().as_bytes());
        for (tag, seconds) in [("mtime", facts.mtime), ("ctime", facts.ctime), ("atime", facts.atime)] {
            if seconds != 0 {
                self.element(tag, iso(seconds).as_bytes());
            }
        }
        for line in std::mem::take(&mut self.digests).split_inclusive('\n') {
            self.indent();
            self.put(line);
        }
        self.close_element();
    }

    /// Writes an error about a file.
    pub fn error(&mut self, path: &[u8], text: &str) {
        self.open_element("fileobject", "");
        self.name(path);
        self.element("error", text.as_bytes());
        self.close_element();
    }

    /// Writes a name. As XML can't contain all bytes, other names are written twice: as text with a mark in place of
    /// each invalid byte, and completely in base64, as in hashmill's own documents.
    fn name(&mut self, name: &[u8]) {
        self.element("filename", name);
        if !is_xml(name) {
            self.indent();
            let coded = STANDARD.encode(name);
            self.put(format!("<{IN_FULL} xmlns:hashmill='urn:hashmill:dfxml'>{coded}</{IN_FULL}>\n"));
        }
    }

    /// Writes the end of the document.
    pub fn finish(&mut self) {
        if let Some(usage) = sys::usage() {
            self.open_element("rusage", "");
            self.element("utime", seconds(usage.user).as_bytes());
            self.element("stime", seconds(usage.system).as_bytes());
            let counts = [
                ("maxrss", usage.peak / 1024),
                ("minflt", usage.minor_faults),
                ("majflt", usage.major_faults),
                // Linux does not count swaps.
                ("nswap", 0),
                ("inblock", usage.reads),
                ("oublock", usage.writes),
            ];
            for (tag, count) in counts {
                self.element(tag, count.to_string().as_bytes());
            }
            let elapsed = self.started.elapsed();
            let clock = format!("{}.{:06}", elapsed.as_secs(), elapsed.subsec_micros());
            self.element("clocktime", clock.as_bytes());
            self.close_element();
        }
        self.close_element();
    }

    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.text.extend_from_slice(text.as_ref());
    }

    fn indent(&mut self) {
        self.put("  ".repeat(self.open.len()));
    }

    fn open_element(&mut self, tag: &'static str, attributes: &str) {
        let gap = if attributes.is_empty() { "" } else { " " };
        self.indent();
        self.put(format!("<{tag}{gap}{attributes}>\n"));
        self.open.push(tag);
    }

    fn close_element(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.indent();
            self.put(format!("</{tag}>\n"));
        }
    }

    fn element(&mut self, tag: &str, text: &[u8]) {
        self.indent();
        self.put(format!("<{tag}>{}</{tag}>\n", escape(text)));
    }
}

fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// Returns whether XML 1.0 can contain a character.
fn allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

fn is_xml(text: &[u8]) -> bool {
    str::from_utf8(text).is_ok_and(|text| text.chars().all(allowed))
}

fn escape(text: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in String::from_utf8_lossy(text).chars() {
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '\'' => escaped += "&apos;",
            '"' => escaped += "&quot;",
            other if allowed(other) => escaped.push(other),
            _ => escaped.push('\u{fffd}'),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_always_xml() {
        assert_eq!(escape(b"<a & 'b' \"c\">"), "&lt;a &amp; &apos;b&apos; &quot;c&quot;&gt;");
        assert_eq!(escape(b"a\xff\x01"), "a\u{fffd}\u{fffd}");
        assert!(is_xml("né\n".as_bytes()) && !is_xml(b"\xff") && !is_xml(b"\x1b"));
    }
}
