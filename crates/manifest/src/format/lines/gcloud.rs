//! `gcloud`: what `gcloud storage hash`, `gcloud storage objects list` and `gsutil hash`, `stat` and `ls -L` write about
//! objects of Google Cloud Storage and files: a block of lines for each, with digests in base64 or in hexadecimal. Only read.

use crate::Record;
use crate::format::json::minio::key_of;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{named_as, number};
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use std::io::Read;

/// The keys of digests of gcloud and of gsutil, and the algorithms.
const DIGESTS: [(&str, &str); 4] =
    [("md5_hash", "md5"), ("crc32c_hash", "crc32c"), ("Hash (md5)", "md5"), ("Hash (crc32c)", "crc32c")];
/// The keys of names and sizes.
const NAMES: [&str; 3] = ["url", "name", "storage_url"];
const SIZES: [&str; 2] = ["size", "Content-Length"];

/// Returns whether the first block has a name and a digest.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let (mut has_name, mut has_digest) = (false, false);
    for line in content(first) {
        match part(line) {
            Part::Title(_) => has_name = true,
            Part::Value(key, _) if NAMES.contains(&key) => has_name = true,
            Part::Value(key, _) if DIGESTS.iter().any(|(known, _)| *known == key) => has_digest = true,
            Part::Value(..) | Part::Mark => {}
            Part::Other => return false,
        }
        if has_name && has_digest {
            return true;
        }
    }
    false
}

/// A line of a block.
enum Part<'a> {
    /// `---` of YAML.
    Mark,
    /// The line above a block of gsutil.
    Title(&'a str),
    Value(&'a str, &'a str),
    Other,
}

fn part(line: &[u8]) -> Part<'_> {
    let Ok(line) = str::from_utf8(without_cr(line)) else { return Part::Other };
    if line.trim_end() == "---" {
        return Part::Mark;
    }
    let title = line.strip_suffix(':').filter(|_| !line.starts_with([' ', '\t']));
    if let Some(title) = title {
        let hashes = title.strip_prefix("Hashes [").and_then(|rest| rest.split_once("] for "));
        return match hashes {
            Some((_, name)) => Part::Title(name),
            None if title.starts_with("gs://") => Part::Title(title),
            None => Part::Value(title, ""),
        };
    }
    match line.split_once(": ").or(line.split_once(":\t")) {
        Some((key, value)) => Part::Value(key.trim(), value.trim()),
        // Lists and texts of several lines in YAML, the last line of gsutil.
        None if line.starts_with([' ', '-']) || line.starts_with("TOTAL:") => Part::Value("", ""),
        None => Part::Other,
    }
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Blocks(Block::default())))
}

/// The facts about a file.
#[derive(Default)]
struct Block {
    names: [Option<String>; NAMES.len()],
    size: Option<u64>,
    digests: Several,
}

struct Blocks(Block);

impl Parse for Blocks {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        match part(line) {
            Part::Mark => self.end(),
            Part::Title(name) => {
                let before = self.end();
                self.0.names[0] = Some(name.to_string());
                before
            }
            Part::Value(key, value) => self.0.value(key, value).err().map(Err),
            Part::Other => Some(Err(Bad::new("line", Why::Unrecognised))),
        }
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let Block { names, size, digests } = std::mem::take(&mut self.0);
        match names.into_iter().flatten().next() {
            Some(name) => Some(digests.record_or_bare(key_of(&name).as_bytes(), size)),
            None if digests.is_empty() => None,
            None => Some(Err(Bad::new("name", Why::Missing))),
        }
    }
}

impl Block {
    fn value(&mut self, key: &str, value: &str) -> Result<(), Bad> {
        let value = value.trim_matches(['\'', '"']);
        if let Some((_, algorithm)) = DIGESTS.iter().find(|(known, _)| *known == key) {
            self.digests.add(named_as(algorithm, value.as_bytes()))?;
        } else if let Some(place) = NAMES.iter().position(|known| *known == key) {
            self.names[place] = Some(value.to_string());
        } else if SIZES.contains(&key) {
            self.size = Some(number(value.as_bytes()).ok_or(Bad::new("size", Why::Number))?);
        }
        Ok(())
    }
}
