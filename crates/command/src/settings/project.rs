//! `.hashmill.toml` in the working directory, or in the nearest directory above it that has one.
//!
//! Unpacking an archive or cloning a project brings such a file without anyone having looked at it. So it may only
//! contain harmless settings: how the manifests of the project are written, with digests that are not weaker than the
//! default, and how nice a run is. It never decides which files are read, written or left out, what commands that check
//! something do, or which programs run. All other keys are reported and ignored, and so is a file that can't be parsed:
//! it must not keep anybody from hashing.

use super::file::{File, read};
use crate::words::message::{Shown, say};
use hashmill_digest::{Algorithm, Class};
use hashmill_os::Links;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const NAME: &str = ".hashmill.toml";

/// Bits of the digests that are computed by default: a project can't ask for shorter ones.
const LEAST_BITS: u32 = 256;

/// Finds the file, and returns its permitted settings. Problems are reported.
pub fn find() -> Option<File> {
    let here = std::env::current_dir().ok()?;
    let path = nearest(&here)?;
    let table = read(&path, Links::Stay).unwrap_or_else(|problem| {
        say(format_args!("{problem} (the file is left out)"));
        None
    })?;
    let (table, refused) = harmless(table);
    for (key, why) in refused {
        let (path, key) = (Shown::path(&path), Shown(key.as_bytes()));
        say(format_args!("{path}: {key} is left out: {why}"));
    }
    Some(File::from_project(path, table))
}

fn nearest(here: &Path) -> Option<PathBuf> {
    here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.symlink_metadata().is_ok())
}

/// Returns the settings that are permitted, and the names of the others, with the reasons.
fn harmless(table: Table) -> (Table, Vec<(String, &'static str)>) {
    let (mut kept, mut refused) = (Table::new(), Vec::new());
    for (key, value) in table {
        match (key.as_str(), value) {
            ("nice" | "progress", value @ (Value::Boolean(_) | Value::String(_))) => {
                drop(kept.insert(key, value))
            }
            ("hash", Value::Table(table)) => {
                let (fine, others): (Vec<_>, Vec<_>) =
                    table.into_iter().partition(|(key, value)| is_harmless_to_hash(key, value));
                refused.extend(others.into_iter().map(|(key, _)| (format!("hash.{key}"), reason(&key))));
                kept.insert(key, Value::Table(fine.into_iter().collect()));
            }
            _ => refused.push((key, NO_SAY)),
        }
    }
    (kept, refused)
}

fn is_harmless_to_hash(key: &str, value: &Value) -> bool {
    match (key, value) {
        ("algorithms", Value::String(names)) => names.split(',').all(|name| is_strong(name.trim())),
        ("format", Value::String(_)) | ("times" | "metadata", Value::Boolean(_)) => true,
        _ => false,
    }
}

const NO_SAY: &str = "the file of a project has no say in that";

/// Returns why a key of `[hash]` is ignored.
fn reason(key: &str) -> &'static str {
    match key {
        "algorithms" => "the file of a project can only ask for cryptographic digests of 256 bits or more",
        _ => NO_SAY,
    }
}

fn is_strong(name: &str) -> bool {
    let strong = |algorithm: &Algorithm| {
        algorithm.class == Class::Cryptographic && algorithm.digest_bits() >= LEAST_BITS
    };
    hashmill_digest::find(name).is_ok_and(strong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_hurt_stays() {
        let text = "threads = 1000000\nnice = true\noutput = '/home/me/.bashrc'\nexclude = ['evil']\n\
            [hash]\nalgorithms = 'sha256,blake3'\nformat = 'jsonl'\ntimes = true\nexclude = 'evil'\nhashignore = true\n\
            [check]\nignore-missing = true\n[verify]\nallowed-signers = 'mine'\n[audit]\nignore-signature = true\n";
        let (kept, refused) = harmless(text.parse().unwrap());
        let wanted: Table =
            "nice = true\n[hash]\nalgorithms = 'sha256,blake3'\nformat = 'jsonl'\ntimes = true"
                .parse()
                .unwrap();
        assert_eq!(kept, wanted);
        assert_eq!(refused.len(), 8, "{refused:?}");
    }

    #[test]
    fn no_digest_gets_weaker() {
        for names in [
            "md5",
            "sha256,crc32",
            "xxh3",
            "ssdeep",
            "",
            "nosuch",
            "blake3:1",
            "sha256,blake2b:4",
            "blake3:31",
            "sha224",
            "blake2s-128",
        ] {
            let (kept, refused) = harmless(format!("[hash]\nalgorithms = '{names}'").parse().unwrap());
            assert!(kept["hash"].as_table().unwrap().is_empty(), "{names}");
            assert_eq!(refused, [("hash.algorithms".to_string(), reason("algorithms"))]);
        }
    }
}
