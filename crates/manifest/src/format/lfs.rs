//! `git-lfs`: the files that `git lfs ls-files --long` lists: the SHA-256, `*` or `-`, and the name. A `-` means that the
//! working tree has only the pointer of the file. Only read.

use super::content::content;
use super::line_reader::{LineReader, Parse};
use super::malformed::{Bad, Why};
use super::naming::named_as;
use super::text::without_cr;
use super::{Hint, Reader};
use crate::Record;
use std::io::Read;

/// The digits of a whole SHA-256; without `--long` there are [`SHORT`].
const LONG: usize = 64;
const SHORT: usize = 10;

pub(super) fn starts(first: &[u8]) -> bool {
    all_have(first, LONG)
}

/// Returns whether a file is such a list with short digests, which prove too little.
pub(super) fn is_short(first: &[u8]) -> bool {
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

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Listed))
}

struct Listed;

impl Parse for Listed {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.is_empty() {
            return None;
        }
        let split = split(line, LONG).ok_or(Bad::new("line", Why::Unrecognised));
        Some(split.and_then(|(digest, name)| {
            Ok(Record::hashed(name.into(), None, vec![named_as("sha256", digest)?]))
        }))
    }
}
