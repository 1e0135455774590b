//! Lines of a query as JSON objects.

use super::part::MALFORMED;
use crate::account::{Account, Item, Outcome};
use hashmill_known::Category;
use std::borrow::Cow;

/// The format of results.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum QueryFormat {
    /// One line for each digest, with tabs between its parts.
    #[default]
    Tabs,
    /// One JSON object a line: `digest`, `category`, `set` (`null` if no set has a claim), `detail` and
    /// `account`.
    Objects,
    /// One JSON document: an array of such objects.
    List,
}

/// A converter of lines to the output format.
pub(super) struct Formed {
    form: QueryFormat,
    /// Returns whether each set has digests of this many bits.
    is_held: Box<dyn Fn(u32) -> bool>,
    /// Whether something was written.
    any: bool,
}

impl Formed {
    pub fn new(form: QueryFormat, is_held: Box<dyn Fn(u32) -> bool>) -> Formed {
        Formed { form, is_held, any: false }
    }

    /// Converts complete lines with tabs to this format.
    pub fn lines<'a>(&mut self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        if self.form == QueryFormat::Tabs {
            return Cow::Borrowed(lines);
        }
        let mut out = Vec::with_capacity(2 * lines.len());
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            out.extend_from_slice(self.before());
            object(line, &self.is_held, &mut out);
            out.extend_from_slice(if self.form == QueryFormat::Objects { b"\n" } else { b"" });
        }
        Cow::Owned(out)
    }

    /// Returns the text after the last line.
    pub fn end(&self) -> &'static [u8] {
        match (self.form, self.any) {
            (QueryFormat::List, true) => b"\n]\n",
            (QueryFormat::List, false) => b"[]\n",
            _ => b"",
        }
    }

    /// Returns the text before an object.
    fn before(&mut self) -> &'static [u8] {
        let first = !std::mem::replace(&mut self.any, true);
        match (self.form, first) {
            (QueryFormat::List, true) => b"[\n",
            (QueryFormat::List, false) => b",\n",
            _ => b"",
        }
    }
}

/// Appends the object of a line. The last part of a line is JSON already.
fn object(line: &[u8], is_held: &dyn Fn(u32) -> bool, out: &mut Vec<u8>) {
    let mut parts = line.splitn(4, |byte| *byte == b'\t').map(String::from_utf8_lossy);
    let mut next = || serde_json::Value::from(parts.next().unwrap_or_default().into_owned());
    let (digest, category, set) = (next(), next(), next());
    let set = if set == "" { serde_json::Value::Null } else { set };
    let detail = parts.next().unwrap_or(Cow::Borrowed("{}"));
    let bits = digest.as_str().map_or(0, |text| 4 * text.len() as u32);
    let is_held = is_held(bits);
    let account = account(&category, &set, is_held).to_json();
    let text = format!(
        "{{\"digest\":{digest},\"category\":{category},\"set\":{set},\"detail\":{detail},\"account\":{account}}}"
    );
    out.extend_from_slice(text.as_bytes());
}

/// Returns the account of a digest with this category, which a set may call anything. `is_held`: each set has such digests.
fn account(category: &serde_json::Value, set: &serde_json::Value, is_held: bool) -> Account {
    let outcome = match category.as_str() {
        Some(category) if category == Category::Bad.word() => Outcome::Differs,
        _ if !is_held => Outcome::Failed,
        Some(MALFORMED) if set.is_null() => Outcome::Failed,
        _ => Outcome::Done,
    };
    Account::new(Item::Record, outcome, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[u8] = b"ab\tbad\ta \"set\"\t{\"size\":3}\ncd\tunknown\t\t{}\n";
    const BAD: &str = r#"{"digest":"ab","category":"bad","set":"a \"set\"","detail":{"size":3},"account":{"records":{"differs":1}}}"#;
    const UNKNOWN: &str =
        r#"{"digest":"cd","category":"unknown","set":null,"detail":{},"account":{"records":{"done":1}}}"#;

    fn formed(form: QueryFormat, writes: &[&[u8]]) -> String {
        let mut formed = Formed::new(form, Box::new(|_| true));
        let mut text: Vec<u8> = writes.iter().flat_map(|lines| formed.lines(lines).into_owned()).collect();
        text.extend_from_slice(formed.end());
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn lines_become_objects() {
        assert_eq!(formed(QueryFormat::Tabs, &[LINES]).as_bytes(), LINES);
        assert_eq!(formed(QueryFormat::Objects, &[LINES]), format!("{BAD}\n{UNKNOWN}\n"));
        assert_eq!(
            formed(QueryFormat::List, &[LINES, LINES]),
            format!("[\n{BAD},\n{UNKNOWN},\n{BAD},\n{UNKNOWN}\n]\n")
        );
        assert_eq!(formed(QueryFormat::List, &[]), "[]\n");
        assert_eq!(formed(QueryFormat::Objects, &[b""]), "");
    }
}
