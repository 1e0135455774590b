//! The Sleuth Kit: its list of an image, and the bytes of a file by its number.

use crate::tools::run;
use std::path::Path;

/// A line of `fls`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    pub path: String,
    pub number: u64,
    pub is_directory: bool,
    pub is_deleted: bool,
}

/// Lists an image of FAT or exFAT, without what is no file in it (labels, tables, bitmaps); none, noted, if `fls`
/// is not installed.
pub fn listed(image: &Path, format: &str) -> Option<Vec<Line>> {
    let (succeeded, output) = run("fls", &["-r", "-p", "-f", format, image.to_str().unwrap()], "")?;
    assert!(succeeded, "fls");
    Some(String::from_utf8_lossy(&output).lines().filter_map(line).collect())
}

fn line(line: &str) -> Option<Line> {
    let (head, path) = line.split_once('\t')?;
    let words: Vec<&str> = head.split(' ').collect();
    let is_own = path.ends_with(" (Volume Label Entry)") || path.starts_with('$');
    let number = words.last()?.trim_end_matches(':').trim_end_matches("(realloc)");
    (!is_own).then(|| Line {
        path: path.into(),
        number: number.parse().unwrap(),
        is_directory: words[0].starts_with('d'),
        is_deleted: words.contains(&"*"),
    })
}

/// Reads the bytes of a file by its number.
pub fn read(image: &Path, format: &str, number: u64) -> Vec<u8> {
    let (_, output) = run("icat", &["-f", format, image.to_str().unwrap(), &number.to_string()], "").unwrap();
    output
}
