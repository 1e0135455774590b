//! Long files: what was read of them when a run ends, so that the next one goes on behind it.

use super::ground::stamp;
use super::stop::Stop;
use crate::resume::states;
use hashmill_digest::Saved;
use hashmill_engine::{Plan, ReadSoFar, Saver};
use hashmill_keep::{Begun, Content};
use hashmill_manifest::Piece;
use hashmill_source::{Entry, Meta};
use parking_lot::Mutex;
use std::collections::HashMap;

/// The facts of the long files of a part.
#[derive(Debug)]
pub(super) struct Progress {
    files: Mutex<HashMap<Box<[u8]>, LongFile>>,
    /// The bytes that may be read of them.
    most: u64,
    stop: Stop,
}

/// The part of a long file that was read.
#[derive(Debug, Default)]
pub(super) struct LongFile {
    /// Its size and metadata at its opening.
    of: Option<Content>,
    states: Vec<Saved>,
    /// The bytes that earlier runs read, and in which way.
    pub(super) start: u64,
    earlier: ReadSoFar,
    /// How this run read.
    now: ReadSoFar,
}

impl Progress {
    /// Returns whether the states of all digests of a plan can be kept.
    pub(super) fn suits(plan: &Plan) -> bool {
        plan.algorithms.iter().all(|algorithm| algorithm.saving().is_some() && algorithm.key_mode.is_none())
    }

    pub(super) fn new(most: u64, stop: Stop) -> Progress {
        Progress { files: Mutex::default(), most, stop }
    }

    /// Adds a file that an earlier run began.
    pub(super) fn add(&self, begun: &Begun) {
        let Some(file) = LongFile::of_bytes(begun) else { return };
        self.files.lock().insert(begun.path.clone(), file);
    }

    /// Says where an object will be read from, before it is requested.
    pub(super) fn announce(&self, entry: &Entry) {
        let start = || self.files.lock().get(&entry.path).map(|file| file.start);
        if let Some(content) = &entry.content
            && let Some(start) = start()
        {
            content.start_at(start);
        }
    }

    /// Takes what is known of a file.
    pub(super) fn take(&self, path: &[u8]) -> Option<LongFile> {
        self.files.lock().remove(path)
    }
}

impl Saver for Progress {
    fn takes(&self, _: &Entry) -> bool {
        true
    }

    /// Returns the states of a file that has the size and the times that it had.
    fn begun(&self, entry: &Entry, meta: &Meta) -> Option<Vec<Saved>> {
        let mut files = self.files.lock();
        let file = files.get(&entry.path)?;
        let of = file.of.as_ref().filter(|of| of.stamp.is_some());
        match of == Some(&content(meta)) {
            true => Some(file.states.clone()),
            false => {
                files.remove(&entry.path);
                None
            }
        }
    }

    fn keep(&self, entry: &Entry, meta: &Meta, states: &[Saved], read: &ReadSoFar) {
        let mut files = self.files.lock();
        let file = files.entry(entry.path.clone()).or_default();
        (file.of, file.states, file.now) = (Some(content(meta)), states.to_vec(), read.clone());
        file.now.is_fresh |= entry.is_remote();
        if files.values().map(LongFile::read).sum::<u64>() >= self.most {
            self.stop.stop();
        }
    }
}

/// Returns the size and the metadata of a file, without digests.
fn content(meta: &Meta) -> Content {
    Content { digests: Box::default(), size: Some(meta.size), stamp: stamp(meta) }
}

impl LongFile {
    /// Returns the bytes that this run has read and can be kept.
    pub(super) fn read(&self) -> u64 {
        self.states.first().map_or(0, |state| state.bytes.saturating_sub(self.start))
    }

    /// Returns whether what was read now belongs to what earlier runs read.
    pub(super) fn fits(&self, content: &Content) -> bool {
        let stamped = self.of.as_ref();
        self.start == 0 || stamped.is_some_and(|of| (of.size, of.stamp) == (content.size, content.stamp))
    }

    /// Returns how earlier runs read their part.
    pub(super) fn into_earlier(self) -> Option<ReadSoFar> {
        (self.start > 0).then_some(self.earlier)
    }

    /// Returns what the state keeps of it, and of a first reading; nothing if nothing is known.
    pub(super) fn begun(&self, path: &[u8], first: Option<(Content, bool)>) -> Option<Begun> {
        let of = match (self.states.is_empty(), &first) {
            (false, _) => self.of.clone()?,
            (true, Some((content, _))) => Content { digests: Box::default(), ..content.clone() },
            (true, None) => return None,
        };
        Some(Begun { path: path.into(), of, read: self.bytes()?.into(), first })
    }

    /// Returns how all was read, and the states: whether from the medium, the number of bad blocks, each of these in two numbers
    /// of 64 bits, the states.
    fn bytes(&self) -> Option<Vec<u8>> {
        let bad = || self.earlier.bad_blocks.iter().chain(&*self.now.bad_blocks);
        let is_fresh = self.now.is_fresh && (self.start == 0 || self.earlier.is_fresh);
        let mut bytes = vec![u8::from(is_fresh)];
        bytes.extend((bad().count() as u64).to_le_bytes());
        bytes.extend(bad().flat_map(|block| [block.offset, block.length]).flat_map(u64::to_le_bytes));
        states::put(&self.states, &mut bytes)?;
        Some(bytes)
    }

    fn of_bytes(begun: &Begun) -> Option<LongFile> {
        let mut bytes = &*begun.read;
        let is_fresh = *bytes.split_off_first()? != 0;
        let mut number = || Some(u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?));
        let count = number()?;
        let blocks = (0..count).map(|_| Some(Piece { offset: number()?, length: number()? }));
        let bad_blocks = blocks.collect::<Option<Box<[Piece]>>>()?;
        let states = states::take(bytes)?;
        let (of, start) = (Some(begun.of.clone()), states[0].bytes);
        let earlier = ReadSoFar { is_fresh, bad_blocks };
        // This run has read nothing yet.
        Some(LongFile { of, start, now: earlier.clone(), earlier, states })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{About, StreamPart, find};
    use hashmill_keep::Stamp;

    fn states(bytes: u64) -> Vec<Saved> {
        let algorithm = find("sha256").unwrap();
        let mut bank = algorithm.saving().unwrap();
        let slot = bank.open_about(&About::sized(None));
        bank.update(&[StreamPart { slot, bytes: &vec![0; bytes as usize], last: false }]);
        vec![Saved::from_stream(algorithm, bytes, &*bank, slot).unwrap()]
    }

    #[test]
    fn what_is_kept_of_a_file_is_there_again() {
        let stamp = Stamp { device: 1, inode: 2, mtime: (3, 4), ctime: (5, 6) };
        let of = Content { digests: Box::default(), size: Some(1000), stamp: Some(stamp) };
        let block = |offset| Piece { offset, length: 512 };
        for (earlier, now) in [(true, true), (true, false), (false, true)] {
            let file = LongFile {
                of: Some(of.clone()),
                states: states(192),
                start: 64,
                earlier: ReadSoFar { is_fresh: earlier, bad_blocks: [block(0)].into() },
                now: ReadSoFar { is_fresh: now, bad_blocks: [block(512)].into() },
            };
            let begun = file.begun(b"a", None).unwrap();
            let again = LongFile::of_bytes(&begun).unwrap();
            assert_eq!((again.start, again.states.clone(), again.read()), (192, file.states, 0));
            let bad_blocks = [block(0), block(512)].into();
            let wanted = ReadSoFar { is_fresh: earlier && now, bad_blocks };
            assert_eq!(again.into_earlier(), Some(wanted));
            for end in 0..begun.read.len() {
                let cut = Begun { read: begun.read[..end].into(), ..begun.clone() };
                assert!(LongFile::of_bytes(&cut).is_none(), "{end}");
            }
        }
        let unread = LongFile { of: Some(of), ..LongFile::default() };
        assert!(unread.begun(b"a", None).is_none());
    }
}
