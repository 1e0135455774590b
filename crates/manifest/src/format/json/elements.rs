//! The objects in the lists of a JSON document, one at a time, so that a list may have any length.

use crate::format::json;
use crate::format::malformed::{Bad, Why};
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read};

/// The maximum number of bytes of an object, and of the text around objects.
const MAX_OBJECT: usize = 16 << 20;

/// Extracts objects from the text around them.
pub(in crate::format) struct Elements<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    line: u64,
    /// The text around objects, with one `null` for those of a list.
    around: Vec<u8>,
    open: Vec<Bracket>,
    /// A pending comma after an object of a list; it only counts if something else follows.
    comma: bool,
    ended: bool,
}

struct Bracket {
    byte: u8,
    /// The key before it; empty in a list.
    key: Box<[u8]>,
    /// Whether objects were extracted from it.
    taken: bool,
}

/// An object of a list.
pub(in crate::format) struct Element {
    /// The keys that lead to its list, joined by dots: `predicate.materials`. Empty if the document itself is the list.
    pub list: Box<[u8]>,
    pub text: Vec<u8>,
    /// The line on which it begins.
    pub line: u64,
}

impl Element {
    /// Parses the object.
    pub fn value(&self) -> Result<Value, Bad> {
        json::parse(&self.text).map_err(|source| Bad::new("object", Why::Json(source)))
    }
}

/// The state of the text being read.
#[derive(Default)]
struct Text {
    quoted: bool,
    escaped: bool,
    /// The object being collected, and the number of brackets open before it.
    object: Option<(Element, usize)>,
}

impl<'a> Elements<'a> {
    pub fn new(input: Box<dyn Read + 'a>) -> Self {
        let input = BufReader::new(input);
        Elements { input, line: 1, around: Vec::new(), open: Vec::new(), comma: false, ended: false }
    }

    /// Returns the current line.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the next object of a list; `None` at the end of the document and after an error.
    pub fn next(&mut self) -> Result<Option<Element>, Bad> {
        if self.ended {
            return Ok(None);
        }
        let found = self.element().map_err(|why| Bad::new("object", why));
        self.ended = !matches!(found, Ok(Some(_)));
        found
    }

    /// Parses the text around the objects, once all are extracted.
    pub fn rest(&self) -> Result<Value, Bad> {
        json::parse(&self.around).map_err(|source| Bad::new("document", Why::Json(source)))
    }

    fn element(&mut self) -> Result<Option<Element>, Why> {
        let mut text = Text::default();
        while let Some(byte) = self.byte()? {
            if !text.quoted {
                self.bracket(byte, &mut text);
            }
            self.keep(byte, &mut text)?;
            (text.quoted, text.escaped) = match byte {
                b'"' if !text.escaped => (!text.quoted, false),
                b'\\' if text.quoted => (true, !text.escaped),
                _ => (text.quoted, false),
            };
            let whole = |(_, before): &mut (Element, usize)| *before == self.open.len();
            if !text.quoted && text.object.as_mut().is_some_and(whole) {
                self.comma = false;
                return Ok(text.object.map(|(element, _)| element));
            }
        }
        if text.object.is_some() { Err(Why::Truncated) } else { Ok(None) }
    }

    /// Notes a bracket. An object of a list begins with one.
    fn bracket(&mut self, byte: u8, text: &mut Text) {
        match byte {
            b'{' | b'[' => {
                let listed = self.open.last_mut().filter(|list| list.byte == b'[' && byte == b'{');
                if let Some(list) = listed.filter(|_| text.object.is_none()) {
                    if !std::mem::replace(&mut list.taken, true) {
                        self.around.extend_from_slice(b"null");
                    }
                    let element = Element { list: self.keys(), text: Vec::new(), line: self.line };
                    text.object = Some((element, self.open.len()));
                }
                let key = if text.object.is_none() { key(&self.around) } else { Box::default() };
                self.open.push(Bracket { byte, key, taken: false });
            }
            b'}' | b']' => drop(self.open.pop()),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8, text: &mut Text) -> Result<(), Why> {
        if !text.quoted && byte.is_ascii_whitespace() {
            return Ok(());
        }
        let kept = match &mut text.object {
            Some((element, _)) => &mut element.text,
            None => {
                let objects = self.open.last().is_some_and(|list| list.taken);
                if objects && byte == b',' && !text.quoted {
                    self.comma = true;
                    return Ok(());
                }
                if std::mem::take(&mut self.comma) && byte != b']' {
                    self.around.push(b',');
                }
                &mut self.around
            }
        };
        kept.push(byte);
        if kept.len() > MAX_OBJECT { Err(Why::TooLong(MAX_OBJECT)) } else { Ok(()) }
    }

    /// Returns the keys of the open brackets.
    fn keys(&self) -> Box<[u8]> {
        let keys: Vec<&[u8]> =
            self.open.iter().map(|open| &*open.key).filter(|key| !key.is_empty()).collect();
        keys.join(&b'.').into()
    }

    fn byte(&mut self) -> Result<Option<u8>, Why> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => {
                    let Some(byte) = bytes.first().copied() else { return Ok(None) };
                    self.input.consume(1);
                    self.line += u64::from(byte == b'\n');
                    return Ok(Some(byte));
                }
                Err(source) if source.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Why::Io(source)),
            }
        }
    }
}

/// Returns the key at the end of a text, unescaped as other readers do.
fn key(text: &[u8]) -> Box<[u8]> {
    let Some(text) = text.strip_suffix(b"\":") else { return Box::default() };
    let start = memchr::memrchr(b'"', text).map_or(0, |quote| quote + 1);
    let quoted = [b"\"", &text[start..], b"\""].concat();
    serde_json::from_slice::<String>(&quoted)
        .map_or_else(|_| text[start..].into(), |key| key.into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut elements = Elements::new(Box::new(text.as_bytes()));
        let mut found = Vec::new();
        loop {
            match elements.next() {
                Ok(Some(element)) => found.push(format!(
                    "{}:{}:{}",
                    element.line,
                    String::from_utf8_lossy(&element.list),
                    String::from_utf8_lossy(&element.text)
                )),
                Ok(None) => break,
                Err(bad) => found.push(bad.at(elements.line()).to_string()),
            }
        }
        found.push(elements.rest().map_or_else(|bad| bad.at(1).to_string(), |value| value.to_string()));
        found
    }

    #[test]
    fn objects_of_lists_are_taken_out_with_the_keys_of_their_list() {
        let text = "{\"a\": [\n{\"x\": \"}],{\", \"l\": [{}]}, {\"y\\\"\": 1}],\n \"b\": {\"c\": [\"s\", \"t\"], \"d\": [{}, 7]}}";
        assert_eq!(
            all(text),
            [
                r#"2:a:{"x":"}],{","l":[{}]}"#,
                r#"2:a:{"y\"":1}"#,
                "3:b.d:{}",
                r#"{"a":[null],"b":{"c":["s","t"],"d":[null,7]}}"#,
            ]
        );
        assert_eq!(all("[{}, {}]"), ["1::{}", "1::{}", "[null]"]);
    }

    #[test]
    fn what_is_cut_short_or_no_json_is_told() {
        assert_eq!(all("[{}, {")[1], "line 1: object: cut short");
        assert!(
            all("{\"a\":[{}]")[1].starts_with("line 1: document: it ends too early"),
            "{:?}",
            all("{\"a\":[{}]")
        );
        assert!(all("[{}] x")[1].starts_with("line 1: document: something follows"), "{:?}", all("[{}] x"));
    }
}
