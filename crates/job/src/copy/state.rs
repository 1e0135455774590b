//! The state of a copy: the files that were copied and verified at all destinations, so that a run after an interruption
//! need not read them again.
//!
//! It is a file that entries are added to while the copy runs. An entry has the facts of a source and of its copy at one
//! destination that show whether they are unchanged, and the digests. It ends with a checksum of its own: what a killed run wrote in
//! part, and all behind it, is cut off.

use super::threads::{join, start};
use crate::error::Error;
use crate::reuse::facts::FileFacts;
use hashmill_digest::{find, hash};
use hashmill_manifest::{Named, Record};
use hashmill_os::{FileId, Links, Owner};
use hashmill_source::Meta;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The beginning of a state.
const MAGIC: &[u8] = b"hashmill copy state 1\n";

/// The algorithm of checksums.
const CHECKSUM: &str = "blake3";

/// The number of bytes of a checksum that are kept.
const CHECKSUM_LENGTH: usize = 8;

/// The longest entry: a path, and facts of some destinations.
const LONGEST: u64 = 1 << 20;

/// How long a copy has had its name before it is noted, unchanged in that time: a change in the same tick of a file system's clock as
/// its last one leaves the same times.
const SETTLES: Duration = Duration::from_secs(3);

/// The most files that wait to be noted. Those beyond are compared by the next run.
const MOST_SETTLING: usize = 1 << 14;

/// How long an entry is believed: what is there is compared by its content where nobody goes on for so long.
pub(super) const BELIEVED: Duration = Duration::from_secs(7 * 24 * 3600);

/// How often what was noted is written.
const FLUSH: Duration = Duration::from_secs(1);

/// A state that no other run uses.
pub(super) struct LockedState {
    path: PathBuf,
    file: File,
}

/// A state that is being written.
pub(super) struct CopyState {
    path: PathBuf,
    file: BufWriter<File>,
    settling: VecDeque<Settling>,
    flushed: Instant,
}

/// A file whose copy at a destination has its name and was verified.
pub(super) struct DoneFile {
    key: Vec<u8>,
    facts: FileFacts,
    digests: Vec<u8>,
    copy: PathBuf,
}

/// The way of the files of one destination into a state.
#[derive(Debug, Clone)]
pub(super) struct StateSender {
    place: u64,
    done: SyncSender<DoneFile>,
}

/// The thread that notes files.
pub(super) struct StateThread {
    done: SyncSender<DoneFile>,
    thread: JoinHandle<io::Result<CopyState>>,
}

impl StateSender {
    /// Takes a file with this record and these facts, and its copy. One that comes while very many wait is compared by the next run.
    pub(super) fn add(&self, record: &Record, facts: FileFacts, copy: &Path) {
        let digests = record.digests.iter().flat_map(|Named { digest, .. }| digest.as_bytes().to_vec());
        let key = key(self.place, &record.path);
        let done = DoneFile { key, facts, digests: digests.collect(), copy: copy.to_path_buf() };
        let _ = self.done.try_send(done);
    }
}

impl StateThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If it can't be started.
    pub(super) fn start(state: CopyState) -> Result<StateThread, Error> {
        let (done, files) = sync_channel(MOST_SETTLING);
        let thread = start("noting copies", move || state.run(&files))?;
        Ok(StateThread { done, thread })
    }

    /// Returns the way of the files of a destination into the state.
    pub(super) fn sender(&self, place: usize) -> StateSender {
        StateSender { place: place as u64, done: self.done.clone() }
    }

    /// Ends the thread. The state of a copy that is complete is removed, any other kept for the next run.
    ///
    /// # Errors
    /// If the state could not be written, or can't be removed.
    pub(super) fn end(self, is_complete: bool) -> io::Result<()> {
        drop(self.done);
        let state = join(self.thread)?;
        if is_complete { state.remove() } else { Ok(()) }
    }
}

/// Returns the key of the entry of a file at a destination.
pub(super) fn key(place: u64, path: &[u8]) -> Vec<u8> {
    [&place.to_be_bytes(), path].concat()
}

/// A file that was just copied.
struct Settling {
    since: Instant,
    file: DoneFile,
    /// The copy as it was when it had its name.
    meta: Meta,
}

/// An entry of a state.
pub(super) struct StateEntry {
    /// The key of a file at a destination.
    pub(super) key: Vec<u8>,
    /// The facts of the source, then those of its copy, then the digests.
    pub(super) known: Vec<u8>,
}

impl LockedState {
    /// Opens a state, or begins one. Returns none where another run uses it.
    ///
    /// # Errors
    /// If it can't be opened.
    pub(super) fn open(path: &Path) -> io::Result<Option<LockedState>> {
        let folder = hashmill_output::directory(path);
        fs::create_dir_all(folder)?;
        sweep(folder);
        if let Err(error) = hashmill_os::create_own(path)
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let file = hashmill_os::open_to_change(path, Links::Stay)?;
        // Another user's would let that user say what is copied.
        if hashmill_os::owner(&file)? != Owner::Mine {
            return Err(io::Error::other("it belongs to another user"));
        }
        let is_locked = hashmill_os::try_lock(&file).is_ok();
        Ok(is_locked.then(|| LockedState { path: path.to_path_buf(), file }))
    }

    /// Returns the identity of the file.
    ///
    /// # Errors
    /// If the system doesn't tell.
    pub(super) fn id(&self) -> io::Result<FileId> {
        Ok(hashmill_os::facts(&self.file)?.id)
    }

    /// Passes the entries on, and returns the state for more of them.
    ///
    /// # Errors
    /// If it can't be read or written, or an entry can't be taken.
    pub(super) fn read(self, take: &mut dyn FnMut(StateEntry) -> io::Result<()>) -> io::Result<CopyState> {
        let LockedState { path, mut file } = self;
        let end = read(&file, take)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        if end == 0 {
            file.write_all(MAGIC)?;
        }
        let file = BufWriter::new(file);
        Ok(CopyState { path, file, settling: VecDeque::new(), flushed: Instant::now() })
    }
}

impl CopyState {
    /// Takes a file whose copy has its name and was verified.
    fn add(&mut self, file: DoneFile) {
        if let Ok(meta) = Meta::at(&file.copy)
            && self.settling.len() < MOST_SETTLING
        {
            self.settling.push_back(Settling { since: Instant::now(), file, meta });
        }
    }

    /// Notes files as they come, until no more do.
    fn run(mut self, files: &Receiver<DoneFile>) -> io::Result<CopyState> {
        loop {
            let done = files.recv_timeout(FLUSH);
            match done {
                Ok(done) => self.add(done),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.note_settled()?;
        }
        self.note_settled()?;
        self.file.flush()?;
        Ok(self)
    }

    /// Notes the files that have not changed for long enough.
    fn note_settled(&mut self) -> io::Result<()> {
        while self.settling.front().is_some_and(|first| first.since.elapsed() >= SETTLES) {
            let Some(entry) = self.settling.pop_front().and_then(Settling::entry) else { continue };
            write(&mut self.file, &entry)?;
        }
        if self.flushed.elapsed() >= FLUSH {
            self.flushed = Instant::now();
            self.file.flush()?;
        }
        Ok(())
    }

    /// Removes the state of a copy that is complete.
    ///
    /// # Errors
    /// If it can't be removed.
    fn remove(self) -> io::Result<()> {
        // Windows removes no file that is open.
        let CopyState { path, file, .. } = self;
        drop(file.into_parts());
        fs::remove_file(path)
    }
}

impl Settling {
    /// Returns its entry, if its copy is still as it was.
    fn entry(self) -> Option<StateEntry> {
        let Settling { file: DoneFile { key, facts, digests, copy }, meta, .. } = self;
        let now = crate::reuse::now()?;
        let found = Meta::at(&copy).ok()?;
        if (found.dev, found.ino) != (meta.dev, meta.ino) || !found.same_content(&meta) {
            return None;
        }
        let copy = FileFacts::at(&meta, now).to_bytes();
        let known = [facts.to_bytes().as_flattened(), copy.as_flattened(), &digests].concat();
        Some(StateEntry { key, known })
    }
}

fn write(to: &mut impl Write, entry: &StateEntry) -> io::Result<()> {
    let mut bytes = (entry.key.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(&entry.key);
    bytes.extend_from_slice(&entry.known);
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.write_all(&checksum(&bytes))
}

/// Passes the entries of a state on. Returns the length of those that are whole; 0 of one that is not begun.
///
/// # Errors
/// If it can't be read, is no state, or an entry can't be taken.
fn read(file: &File, take: &mut dyn FnMut(StateEntry) -> io::Result<()>) -> io::Result<u64> {
    let mut from = BufReader::new(file);
    match begins(&mut from)? {
        Beginning::State => {}
        Beginning::Torn => return Ok(0),
        Beginning::Foreign => return Err(io::Error::other("something else than a state of a copy is there")),
    }
    let mut end = MAGIC.len() as u64;
    loop {
        match next(&mut from) {
            Ok(Some((entry, length))) => {
                take(entry)?;
                end += length;
            }
            Ok(None) => return Ok(end),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(end),
            Err(error) => return Err(error),
        }
    }
}

/// The beginning of a file.
#[derive(PartialEq, Eq)]
enum Beginning {
    State,
    /// That of a state, cut off.
    Torn,
    /// That of anything else, which is not ours to change.
    Foreign,
}

/// Reads the beginning of a file.
fn begins(from: &mut impl Read) -> io::Result<Beginning> {
    let mut begun = Vec::new();
    from.take(MAGIC.len() as u64).read_to_end(&mut begun)?;
    Ok(match MAGIC.strip_prefix(&*begun) {
        Some([]) => Beginning::State,
        Some(_) => Beginning::Torn,
        None => Beginning::Foreign,
    })
}

/// Reads the next entry, and returns it with the number of its bytes; none if it is not whole.
fn next(from: &mut impl Read) -> io::Result<Option<(StateEntry, u64)>> {
    let length = number(from)?;
    if length > LONGEST {
        return Ok(None);
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    let mut sum = [0; CHECKSUM_LENGTH];
    from.read_exact(&mut sum)?;
    let Some((key, rest)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
    let key = usize::try_from(u64::from_le_bytes(*key)).unwrap_or(usize::MAX);
    let Some((key, known)) = rest.split_at_checked(key).filter(|_| sum == checksum(&bytes)) else {
        return Ok(None);
    };
    let entry = StateEntry { key: key.to_vec(), known: known.to_vec() };
    Ok(Some((entry, length + (size_of::<u64>() + CHECKSUM_LENGTH) as u64)))
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let algorithm = find(CHECKSUM).expect("the algorithm is in the registry");
    let digest = hash(algorithm, bytes);
    *digest.as_bytes().first_chunk().expect("a digest of BLAKE3 is longer")
}

/// Removes the states in a folder that nobody believes any more.
fn sweep(folder: &Path) {
    let Ok((names, _)) = hashmill_os::names_in(folder) else { return };
    for state in names.into_iter().map(|name| folder.join(name)) {
        let age = fs::metadata(&state).and_then(|meta| meta.modified()).ok();
        let is_old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > BELIEVED);
        if is_old && is_unused(&state) {
            let _ = fs::remove_file(&state);
        }
    }
}

/// Returns whether a file is a state that no run uses.
fn is_unused(state: &Path) -> bool {
    hashmill_os::open_to_change(state, Links::Stay).is_ok_and(|mut file| {
        hashmill_os::try_lock(&file).is_ok() && begins(&mut file).is_ok_and(|begun| begun == Beginning::State)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> StateEntry {
        StateEntry { key: name.into(), known: vec![7; 90] }
    }

    /// Opens a state, and returns the paths of its entries.
    fn opened(path: &Path) -> (Option<CopyState>, Vec<String>) {
        let mut paths = Vec::new();
        let state = LockedState::open(path).unwrap().map(|locked| {
            let state = locked.read(&mut |entry| {
                paths.push(String::from_utf8(entry.key).unwrap());
                Ok(())
            });
            state.unwrap()
        });
        (state, paths)
    }

    #[test]
    fn whole_entries_are_read_back_and_torn_ones_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/state");
        let (state, paths) = opened(&path);
        assert!(paths.is_empty());
        let mut state = state.unwrap();
        write(&mut state.file, &entry("a")).unwrap();
        write(&mut state.file, &entry("b")).unwrap();
        // Another run with the same paths goes without.
        assert!(opened(&path).0.is_none());
        state.file.flush().unwrap();
        drop(state);
        let whole = fs::read(&path).unwrap();
        let (state, paths) = opened(&path);
        assert_eq!(paths, ["a", "b"]);
        drop(state);
        let one = (whole.len() + MAGIC.len()) / 2;
        for end in MAGIC.len()..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            let (state, paths) = opened(&path);
            assert_eq!(paths, ["a", "b"][..usize::from(end >= one)], "{end}");
            let mut state = state.unwrap();
            write(&mut state.file, &entry("c")).unwrap();
            state.file.flush().unwrap();
            drop(state);
            assert_eq!(opened(&path).1.last().unwrap(), "c");
        }
        for at in MAGIC.len()..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(opened(&path).1.len() < 2, "{at}");
        }
        let (state, _) = opened(&path);
        state.unwrap().remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let old = std::time::SystemTime::now() - BELIEVED - Duration::from_secs(60);
        for (name, text) in [("mine", &b"my file"[..]), ("state", MAGIC)] {
            fs::write(at(name), text).unwrap();
            File::options().write(true).open(at(name)).unwrap().set_modified(old).unwrap();
        }
        assert!(opened(&at("new")).0.is_some());
        assert!(at("mine").exists() && !at("state").exists());
        assert!(LockedState::open(&at("mine")).unwrap().unwrap().read(&mut |_| Ok(())).is_err());
        assert_eq!(fs::read(at("mine")).unwrap(), b"my file");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("mine"), at("link")).unwrap();
            assert!(LockedState::open(&at("link")).is_err());
        }
    }
}
