//! `pooch`: registries of pooch: a name, a digest with or without its algorithm (`md5:…`; else SHA-256), and possibly a URL,
//! divided by blanks; names with blanks are quoted, and may have a colon behind them, as in YAML. Only read.

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::list_line::is_digest;
use crate::format::read::text::{is_comment, without_cr};
use crate::format::values::naming::{Naming, is_tag, named_as};
use crate::format::{Hint, Reader};
use std::io::Read;

/// Returns whether all lines are of a registry, and one has what lists of other programs don't.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let fits = |line| {
        let words = words(line)?;
        let has_more = words.len() == 3 || words[1].contains(&b':');
        Some(has_more)
    };
    let lines: Option<Vec<bool>> = content(first).map(fits).collect();
    lines.is_some_and(|lines| lines.contains(&true))
}

/// Splits a line into its words, if these are a name, a digest and possibly a URL.
fn words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut words, mut quote, mut is_open) = (vec![Vec::new()], None, false);
    for byte in without_cr(line).trim_ascii() {
        match (quote, byte) {
            (Some(mark), byte) if mark == *byte => quote = None,
            (None, b'"' | b'\'') => (quote, is_open) = (Some(*byte), true),
            (None, b' ' | b'\t') if is_open => {
                words.push(Vec::new());
                is_open = false;
            }
            (None, b' ' | b'\t') => {}
            (_, byte) => {
                words.last_mut()?.push(*byte);
                is_open = true;
            }
        }
    }
    // In settings, a colon ends the name.
    if let [first, _] = words.as_mut_slice() {
        first.pop_if(|last| *last == b':');
    }
    let is_url = |word: &Vec<u8>| memchr::memmem::find(word, b"://").is_some();
    let shaped = matches!(words.len(), 2 | 3) && is_named(&words[1]) && words.get(2).is_none_or(is_url);
    (quote.is_none() && shaped && !words[0].is_empty()).then_some(words)
}

fn is_named(text: &[u8]) -> bool {
    match memchr::memchr(b':', text) {
        Some(colon) => is_tag(&text[..colon]) && is_digest(&text[colon + 1..]),
        None => is_digest(text),
    }
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Registry(Naming::new(hint))))
}

struct Registry(Naming);

impl Parse for Registry {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        (!is_comment(line)).then(|| self.record(line))
    }
}

impl Registry {
    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let words = words(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        let named = match words[1].contains(&b':') {
            true => self.0.beside(None, &words[1]),
            false => named_as("sha256", &words[1]),
        };
        let named = named.map_err(|bad| bad.with_file(&words[0]))?;
        Ok(Record::hashed(words[0].as_slice().into(), None, vec![named]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_a_colon_behind_it() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        for line in [format!("a b: md5:{md5}"), format!("'a:': md5:{md5}"), format!("a md5:{md5}")] {
            assert_eq!(starts(line.as_bytes()), line.starts_with("'") || line.starts_with("a m"), "{line}");
        }
        let found = words(format!("'a:': md5:{md5}").as_bytes()).unwrap();
        assert_eq!(found[0], b"a:");
        assert_eq!(words(format!("a: md5:{md5}").as_bytes()).unwrap()[0], b"a");
    }
}
