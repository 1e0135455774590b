//! Sizes of files that a walk has only listed: asked for on all threads at once, as where little else is to be done
//! this is most of the time.

use hashloom_source::{Entry, Error, Meta, Problem, Reader, Reading};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread;

/// Files below which a further thread takes longer to start than it saves.
const SHARE: usize = 512;

/// An entry, or why its size can't be had.
pub type Measured = Result<Entry, Error>;

/// How sizes are asked for.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Threads.
    pub threads: usize,
    /// Whether a symbolic link stands for what it leads to.
    pub follow: bool,
    /// How files are opened, where the path alone does not tell.
    pub reading: &'a Reading,
}

/// Adds size, device and inode number to entries that lack them, in their order.
pub fn measure(mut entries: Vec<Measured>, asking: Asking<'_>) -> Vec<Measured> {
    let share = entries.len().div_ceil(asking.threads.max(1)).max(SHARE);
    thread::scope(|scope| {
        let mut parts = entries.chunks_mut(share);
        let own = parts.next();
        for part in parts {
            scope.spawn(move || part.iter_mut().for_each(|entry| ask(entry, asking)));
        }
        own.into_iter().flatten().for_each(|entry| ask(entry, asking));
    });
    entries
}

fn ask(slot: &mut Measured, asking: Asking<'_>) {
    let Ok(entry) = slot else { return };
    if entry.size.is_some() {
        return;
    }
    match look(entry, asking) {
        Ok(meta) => (entry.size, entry.device, entry.ino) = (Some(meta.size), meta.dev, meta.ino),
        Err(error) => *slot = Err(error),
    }
}

fn look(entry: &Entry, asking: Asking<'_>) -> Result<Meta, Error> {
    let path = Path::new(OsStr::from_bytes(&entry.path));
    let meta = if asking.follow { path.metadata() } else { path.symlink_metadata() };
    match meta {
        Ok(meta) if meta.is_file() => Ok(Meta::of(&meta)),
        // A path too long for one call, or something else by now: opening takes the one, and names the other.
        Ok(meta) if meta.is_symlink() => Err(replaced(entry, &meta)),
        Ok(_) | Err(_) => Reader::open(entry, asking.reading).map(|reader| *reader.meta()),
    }
}

fn replaced(entry: &Entry, meta: &fs::Metadata) -> Error {
    Error { path: entry.path.clone(), problem: Problem::Replaced { mode: Meta::of(meta).mode } }
}
