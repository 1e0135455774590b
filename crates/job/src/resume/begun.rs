//! Large objects that a run has begun to read: the states of their digests, with which a resumed run reads on.
//!
//! They stand in a file beside the partial output, one record after another: its length (4 bytes, the least significant
//! first, without these), the mark of the object (as `seen.rs` makes them: of its path, location, ETag, version, size
//! and time), the states, each after its length (4), and the first bytes of a digest of all that (16). The last record
//! of an object counts. Behind a damaged one nothing is read. An object that is not the same any more has another mark.

use crate::resume::states;
use crate::seen::{Mark, Marker};
use hashmill_content::output::{RunFiles, adopt};
use hashmill_digest::{Saved, Unknown, find, hash};
use hashmill_engine::{ReadSoFar, Saver};
use hashmill_os::create_own;
use hashmill_source::{Entry, Meta};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a record.
const MAX_RECORD: usize = 1 << 20;

/// The file is written anew when it has more bytes than this, and most of them are of no use any more.
const REWRITTEN_FROM: u64 = 16 << 20;

/// Bytes of a check.
const CHECK: usize = 16;

/// The states of objects that were begun.
#[derive(Debug)]
pub struct Begun {
    marker: Marker,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    place: Place,
    /// The newest record of each object.
    newest: HashMap<Mark, Vec<u8>>,
    /// The bytes of the file.
    bytes: u64,
}

#[derive(Debug)]
enum Place {
    /// There is no file yet.
    Unmade(PathBuf),
    Open(File),
    /// It could not be written. The run goes on without it.
    Lost,
}

impl Begun {
    /// Begins with none. The file is made when there is something to write.
    ///
    /// # Errors
    /// If there is a file that can't be removed, or this build lacks the algorithm of marks.
    pub fn begin(path: &Path, files: &RunFiles) -> io::Result<Begun> {
        files.clear(path)?;
        Begun::new(Place::Unmade(path.to_path_buf()), HashMap::new(), 0)
    }

    /// Reads those that an interrupted run left, to go on behind them. Without a file there are none.
    ///
    /// # Errors
    /// If it can't be read, or others may have written it.
    pub fn go_on(path: &Path, files: &RunFiles) -> io::Result<Begun> {
        let mut file = match adopt(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Begun::begin(path, files),
            file => file?,
        };
        let (mut newest, mut bytes) = (HashMap::new(), 0);
        let mut reader = BufReader::new(&file);
        while let Some((mark, record)) = next(&mut reader)? {
            bytes += record.len() as u64;
            newest.insert(mark, record);
        }
        // A kill may have left a part of one.
        file.set_len(bytes)?;
        file.seek(SeekFrom::Start(bytes))?;
        Begun::new(Place::Open(file), newest, bytes)
    }

    fn new(place: Place, newest: HashMap<Mark, Vec<u8>>, bytes: u64) -> io::Result<Begun> {
        let marker = Marker::new().map_err(|unknown: Unknown| io::Error::other(unknown.to_string()))?;
        Ok(Begun { marker, log: Mutex::new(Log { place, newest, bytes }) })
    }

    /// Announces where an object will be read from, if it was begun.
    pub fn announce(&self, entry: &Entry) {
        if let (Some(content), Some(states)) = (&entry.content, self.states(entry)) {
            content.start_at(states[0].bytes);
        }
    }

    fn states(&self, entry: &Entry) -> Option<Vec<Saved>> {
        if self.log.lock().newest.is_empty() {
            return None;
        }
        let mark = self.mark_of(entry)?;
        let log = self.log.lock();
        states_of(log.newest.get(&mark)?)
    }

    fn keep_states(&self, entry: &Entry, states: &[Saved]) {
        let Some((mark, record)) = self.mark_of(entry).and_then(|mark| Some((mark, record(mark, states)?)))
        else {
            return;
        };
        let mut log = self.log.lock();
        if log.append(&record).is_err() {
            log.place = Place::Lost;
        }
        log.newest.insert(mark, record);
    }

    /// Forgets a file whose record was written.
    pub fn done(&self, path: &[u8], meta: &Meta) {
        if meta.stamp != 0 && !self.log.lock().newest.is_empty() {
            let mark = self.mark(path, meta);
            self.log.lock().newest.remove(&mark);
        }
    }

    fn mark(&self, path: &[u8], meta: &Meta) -> Mark {
        self.marker.mark(&self.marker.claim(None, path), meta)
    }

    /// Returns the mark of an entry, if anything tells it from what lay in its place before.
    fn mark_of(&self, entry: &Entry) -> Option<Mark> {
        let meta = entry.content.as_ref()?.known()?;
        Some(self.mark(&entry.path, &meta))
    }
}

impl Saver for Begun {
    fn takes(&self, entry: &Entry) -> bool {
        entry.is_remote()
    }

    fn begun(&self, entry: &Entry, _: &Meta) -> Option<Vec<Saved>> {
        self.states(entry)
    }

    fn keep(&self, entry: &Entry, _: &Meta, states: &[Saved], _: &ReadSoFar) {
        self.keep_states(entry, states);
    }
}

impl Log {
    fn append(&mut self, record: &[u8]) -> io::Result<()> {
        if let Place::Unmade(path) = &self.place {
            self.place = Place::Open(create_own(path)?);
        }
        let Place::Open(file) = &mut self.place else { return Ok(()) };
        let used: usize = self.newest.values().map(Vec::len).sum();
        if self.bytes > REWRITTEN_FROM.max(4 * used as u64) {
            file.set_len(0)?;
            file.rewind()?;
            self.bytes = used as u64;
            self.newest.values().try_for_each(|record| file.write_all(record))?;
        }
        self.bytes += record.len() as u64;
        file.write_all(record)
    }
}

/// Makes the record of an object; `None` if it is too long.
fn record(mark: Mark, states: &[Saved]) -> Option<Vec<u8>> {
    let mut record = vec![0; 4];
    record.extend(mark);
    states::put(states, &mut record)?;
    let length = record.len() - 4 + CHECK;
    record[..4].copy_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    record.extend(check(&record)?);
    (length <= MAX_RECORD).then_some(record)
}

/// Reads the next record, whole; `None` at the end, or if it is damaged.
fn next(reader: &mut impl Read) -> io::Result<Option<(Mark, Vec<u8>)>> {
    let mut record = Vec::new();
    reader.take(4).read_to_end(&mut record)?;
    let Some(length) = record.first_chunk().map(|length| u32::from_le_bytes(*length)) else {
        return Ok(None);
    };
    if length as usize > MAX_RECORD {
        return Ok(None);
    }
    reader.take(length.into()).read_to_end(&mut record)?;
    let is_whole = record.len() == length as usize + 4;
    Ok(mark(&record).filter(|_| is_whole).map(|mark| (mark, record)))
}

/// Returns the mark in a record, if the check is right.
fn mark(record: &[u8]) -> Option<Mark> {
    let (record, own) = record.split_last_chunk::<CHECK>()?;
    let mark = record.get(4..)?.first_chunk()?;
    (check(record)? == *own).then_some(*mark)
}

fn check(record: &[u8]) -> Option<[u8; CHECK]> {
    hash(find("blake3").ok()?, record).as_bytes().first_chunk().copied()
}

/// Returns the states in a record; `None` unless there are some, all after the same number of bytes.
fn states_of(record: &[u8]) -> Option<Vec<Saved>> {
    let (rest, _) = record.get(4 + size_of::<Mark>()..)?.split_last_chunk::<CHECK>()?;
    states::take(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::StreamPart;
    use hashmill_source::{Bytes, EntryContent, Origin};
    use std::fs;
    use std::sync::Arc;

    /// An object with this stamp.
    #[derive(Debug)]
    struct Object(u128);

    impl EntryContent for Object {
        fn open(&self) -> io::Result<Box<dyn Bytes>> {
            Err(ErrorKind::Unsupported.into())
        }

        fn known(&self) -> Option<Meta> {
            Some(meta(self.0)).filter(|meta| meta.stamp != 0)
        }
    }

    fn meta(stamp: u128) -> Meta {
        Meta {
            dev: 0,
            ino: 0,
            size: 9,
            mtime: (1, 2),
            ctime: (1, 2),
            blocks: 1,
            mode: 1,
            attributes: 0,
            stamp,
        }
    }

    fn entry(path: &str, stamp: u128) -> Entry {
        Entry { content: Some(Arc::new(Object(stamp))), ..Entry::new(path.as_bytes().into(), Origin::Path) }
    }

    /// The states of two digests after this many bytes.
    fn after(bytes: u64) -> Vec<Saved> {
        let state = |name| {
            let algorithm = find(name).unwrap();
            let mut bank = algorithm.saving().unwrap();
            let slot = bank.open();
            bank.update(&[StreamPart { slot, bytes: &vec![7; bytes as usize], last: false }]);
            Saved::from_stream(algorithm, bytes, &*bank, slot).unwrap()
        };
        vec![state("sha256"), state("md5")]
    }

    #[test]
    fn the_last_states_of_the_same_object_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("begun");
        let first = Begun::begin(&path, &RunFiles::default()).unwrap();
        assert!(!path.exists(), "it is made when it is needed");
        for bytes in [10, 20] {
            first.keep_states(&entry("a", 1), &after(bytes));
        }
        first.keep_states(&entry("b", 2), &after(30));
        // Nothing would tell that it is the same.
        first.keep_states(&entry("c", 0), &after(40));
        let second = Begun::go_on(&path, &RunFiles::default()).unwrap();
        assert_eq!(second.states(&entry("a", 1)), Some(after(20)));
        assert_eq!(second.states(&entry("b", 2)), Some(after(30)));
        for other in [entry("a", 2), entry("b", 1), entry("c", 0), entry("d", 1)] {
            assert_eq!(second.states(&other), None);
        }
        second.keep_states(&entry("a", 1), &after(50));
        second.done(b"b", &meta(2));
        assert_eq!(second.states(&entry("b", 2)), None);
        let third = Begun::go_on(&path, &RunFiles::default()).unwrap();
        assert_eq!(third.states(&entry("a", 1)), Some(after(50)));
        // On Windows, a file keeps its name as long as it is open.
        drop((first, second, third));
        Begun::begin(&path, &RunFiles::default()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn nothing_damaged_is_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("begun");
        let begun = Begun::begin(&path, &RunFiles::default()).unwrap();
        begun.keep_states(&entry("a", 1), &after(10));
        let first = fs::read(&path).unwrap().len();
        begun.keep_states(&entry("a", 1), &after(20));
        let whole = fs::read(&path).unwrap();
        let states = || Begun::go_on(&path, &RunFiles::default()).unwrap().states(&entry("a", 1));
        for at in 0..whole.len() {
            let undamaged = (at >= first).then(|| after(10));
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(states(), undamaged, "a bit of byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(states(), undamaged, "{at} bytes");
        }
    }

    #[test]
    fn the_file_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("begun");
        let begun = Begun::begin(&path, &RunFiles::default()).unwrap();
        begun.keep_states(&entry("a", 1), &after(10));
        begun.log.lock().bytes = REWRITTEN_FROM + 1;
        begun.keep_states(&entry("b", 2), &after(20));
        assert_eq!(begun.log.lock().bytes, fs::metadata(&path).unwrap().len());
        let again = Begun::go_on(&path, &RunFiles::default()).unwrap();
        assert_eq!(again.states(&entry("a", 1)), Some(after(10)));
        assert_eq!(again.states(&entry("b", 2)), Some(after(20)));
    }
}
