//! `git-lfs`: the files that `git lfs ls-files --long` lists: the SHA-256, `*` or `-`, and the name; with `--size` also the
//! size, rounded. A `-` means that the working tree has only the pointer of the file. Only read.

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::read::text::without_cr;
use crate::format::values::naming::named_as;
use crate::format::{Hint, Reader};
use std::io::Read;

/// The digits of a whole SHA-256; without `--long` there are [`SHORT`].
const LONG: usize = 64;
const SHORT: usize = 10;

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    all_have(first, LONG)
}

/// Returns whether a file is such a list with short digests, which prove too little.
pub(in crate::format) fn is_short(first: &[u8]) -> bool {
    all_have(first, SHORT)
}

fn all_have(first: &[u8], digits: usize) -> bool {
    content(first).next().is_some() && content(first).all(|line| split(line, digits).is_some())
}

/// Splits a line into digest and name.
fn split(line: &[u8], digits: usize) -> Option<(&[u8], &[u8])> {
    let (digest, rest) = line.split_at_checked(digits)?;
    let name = rest.strip_prefix(b" * ").or(rest.strip_prefix(b" - "))?;
    let is_digest = digest.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    (is_digest && !name.is_empty()).then_some((digest, name))
}

/// Splits off the size that is behind a name in parentheses: `name (1.2 MB)`.
fn without_size(name: &[u8]) -> Option<&[u8]> {
    let inner = name.strip_suffix(b")")?;
    let open = memchr::memmem::rfind(inner, b" (").filter(|open| *open > 0)?;
    let (number, unit) = str::from_utf8(&inner[open + 2..]).ok()?.split_once(' ')?;
    let is_size =
        number.parse::<f64>().is_ok() && matches!(unit, "B" | "KB" | "MB" | "GB" | "TB" | "PB" | "EB");
    is_size.then_some(&name[..open])
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    let has_size = |line| split(line, LONG).is_none_or(|(_, name)| without_size(without_cr(name)).is_some());
    let has_sizes = content(&first).all(has_size);
    Box::new(LineReader::new(input, Listed { has_sizes }))
}

struct Listed {
    /// Whether each name has the size behind it.
    has_sizes: bool,
}

impl Parse for Listed {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.is_empty() {
            return None;
        }
        let split = split(line, LONG).ok_or(Bad::new("line", Why::Unrecognised));
        Some(split.and_then(|(digest, name)| {
            let name = without_size(name).filter(|_| self.has_sizes).unwrap_or(name);
            Ok(Record::hashed(name.into(), None, vec![named_as("sha256", digest)?]))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<String> {
        let records = reader(Box::new(list.as_bytes()), Hint::None);
        records.map(|record| String::from_utf8(record.unwrap().path.into_vec()).unwrap()).collect()
    }

    #[test]
    fn sizes_are_no_part_of_names() {
        let line = |name: &str| format!("{} * {name}\n", "ab".repeat(32));
        assert_eq!(names(&(line("a (1.2 MB)") + &line("b (2 B) (3 B)"))), ["a", "b (2 B)"]);
        // Not all lines have one, so these are names.
        assert_eq!(names(&(line("a (1.2 MB)") + &line("b"))), ["a (1.2 MB)", "b"]);
        assert_eq!(names(&line("a (1 x)")), ["a (1 x)"]);
    }
}
