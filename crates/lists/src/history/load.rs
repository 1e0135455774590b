//! Reading of a history. The chain is taken as it is, and each manifest only if it has the C4 that the chain states.

use super::chain::read_chain;
use super::{root_of, unfit, unread};
use crate::error::Error;
use hashmill_digest::hashes::copy_hashed;
use hashmill_digest::{Digest, find};
use hashmill_manifest::format::history::{CHAIN, Chain, FOLDER, Link, Merged, Parts, number_of};
use hashmill_manifest::format::{Malformed, Why};
use hashmill_os::{Links, names, open_now};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::SpooledTempFile;

/// The maximum size in bytes of a manifest in memory; a longer one goes to an unnamed temporary file.
const IN_MEMORY: usize = 4 << 20;

/// A history.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The path of its tree, relative to the outermost one; empty for the outermost one.
    pub below: Box<[u8]>,
    pub chain: Chain,
    /// Whether the chain exists already.
    pub is_old: bool,
    /// Whether none of its generations counts.
    pub is_empty: bool,
    pub merged: Arc<Merged>,
    /// The highest number of a manifest in the folder, whether the chain names it or not.
    pub highest: u64,
    /// Parts that could not be parsed, and manifests that the chain does not name.
    pub malformed: Vec<Malformed>,
}

impl History {
    /// Makes an empty history.
    pub fn new(below: &[u8]) -> History {
        History { below: below.into(), ..History::default() }
    }

    /// Reads the history of a folder, and of it the generations that count. Those that don't, behind the last one that does,
    /// are reported.
    ///
    /// # Errors
    /// If the chain is not usable, or a manifest that it names is missing or altered.
    pub fn read(
        root: &Path,
        below: &[u8],
        chain: &mut dyn Read,
        counts: &dyn Fn(&Link) -> bool,
    ) -> Result<History, Error> {
        let folder = root.join(FOLDER);
        let path = folder.join(CHAIN);
        let text = read_chain(chain).map_err(unread(&path))?;
        let chain = Chain::parse(text).map_err(|why| unfit(&path, why))?;
        let (mut merged, mut malformed) = (Merged::default(), Vec::new());
        let last = chain.links().iter().rposition(counts);
        for (place, link) in chain.links().iter().enumerate() {
            if counts(link) {
                generation(&folder, link, &mut merged, &mut malformed)?;
            } else if last.is_none_or(|last| place > last) {
                malformed.push(whole("generation", Why::Unsigned(link.name.clone())));
            }
        }
        let merged = Arc::new(merged);
        let is_empty = last.is_none();
        let mut history = History { chain, is_old: true, is_empty, merged, malformed, ..History::new(below) };
        history.look_around(&folder);
        Ok(history)
    }

    /// Looks for manifests that the chain does not name.
    fn look_around(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let listed: HashSet<&[u8]> = self.chain.links().iter().map(|link| &*link.name).collect();
        let mut strays: Vec<Vec<u8>> = Vec::new();
        for name in entries.map(|entry| names::into_bytes(entry.file_name())) {
            let Some(number) = number_of(&name) else { continue };
            self.highest = self.highest.max(number);
            if !listed.contains(&*name) {
                strays.push(name);
            }
        }
        strays.sort();
        self.malformed.extend(strays.into_iter().map(|name| whole("generation", Why::Stray(name.into()))));
    }

    /// Returns the number of its next generation.
    pub fn next_number(&self) -> u64 {
        let last = self.chain.links().last().map_or(0, |link| link.number);
        last.max(self.highest) + 1
    }
}

/// Returns whether the history in a folder can be read, and nothing in it is odd.
pub(super) fn is_whole(folder: &Path) -> bool {
    let chain = File::open(folder.join(CHAIN));
    let read = |mut chain| History::read(&root_of(folder), b"", &mut chain, &|_| true);
    chain.is_ok_and(|chain| read(chain).is_ok_and(|history| history.malformed.is_empty()))
}

/// Reads a manifest, which must have the C4 that the chain states.
fn generation(
    folder: &Path,
    link: &Link,
    merged: &mut Merged,
    malformed: &mut Vec<Malformed>,
) -> Result<(), Error> {
    let path = folder.join(names::path_to_try(&link.name));
    let mut copy = SpooledTempFile::new(IN_MEMORY);
    let digest = copied(&mut open(&path)?, &mut copy).map_err(unread(&path))?;
    if digest != link.digest {
        return Err(unfit(&path, format!("was altered: its C4 is not the one in {CHAIN}")));
    }
    copy.rewind().map_err(unread(&path))?;
    for part in Parts::new(Box::new(copy)) {
        match part {
            Ok(part) => merged.take(part),
            Err(why) => malformed.push(whole("generation", Why::In(link.name.clone(), Box::new(why)))),
        }
    }
    Ok(())
}

/// Makes a remark about a history as a whole.
fn whole(part: &'static str, why: Why) -> Malformed {
    Malformed { line: 0, part, why }
}

/// Opens a regular file, and doesn't wait for anything else.
fn open(path: &Path) -> Result<File, Error> {
    let opened = open_now(path, Links::Follow);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(unfit(path, format!("is missing, and {CHAIN} names it")));
        }
        opened => opened.map_err(unread(path))?,
    };
    let is_file = file.metadata().map_err(unread(path))?.is_file();
    if is_file { Ok(file) } else { Err(unfit(path, "is not a regular file")) }
}

/// Copies bytes and returns their SHA-512, which is the digest behind a C4.
pub(super) fn copied(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<Digest> {
    copy_hashed(from, to, find("sha512").map_err(io::Error::other)?)
}
