//! State of files at the time when they were hashed, for a run that is resumed: a mark of each file, beside the partial
//! output.
//!
//! A mark binds the records of a file and of its pieces, byte for byte as the format writes them, to the inode, size
//! and times of the file; for an object of a store, to its location, ETag, version, size and time. All of these belong
//! to the file and come from the clock of its own file system; no other clock matters. A record counts only with its
//! mark, so a mark or record that a kill left alone does no harm.

use hashmill_content::output::{RunFiles, adopt};
use hashmill_digest::{Algorithm, Digest, Unknown, find, hash};
use hashmill_os::create_own;
use hashmill_source::Meta;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Number of bytes of a mark, of which the last four are of a digest of the others. A changed file has the same mark only by
/// chance.
const BYTES: usize = 20;

/// Number of bytes of a mark that the file decides.
const OWN: usize = 16;

/// The digest of a file's state and of its records.
pub type Mark = [u8; BYTES];

/// The algorithm that computes marks.
const ALGORITHM: &str = "blake3";

/// Computes claims and marks.
#[derive(Debug, Clone, Copy)]
pub struct Marker(&'static Algorithm);

/// A digest of all records of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim(Digest);

/// The marks that an interrupted run made.
pub struct Seen(HashSet<Mark>);

impl Marker {
    /// Makes a marker.
    ///
    /// # Errors
    /// If this build lacks the algorithm of marks.
    pub fn new() -> Result<Marker, Unknown> {
        Ok(Marker(find(ALGORITHM)?))
    }

    /// Extends the claim of the earlier records of a file by one more, as it is written. The record of the whole file
    /// comes last.
    pub fn claim(self, before: Option<&Claim>, written: &[u8]) -> Claim {
        let before = before.map_or(&[][..], |before| before.0.as_bytes());
        // All digests in a chain have the same length, so that no two chains consist of the same bytes.
        Claim(hash(self.0, &[&[before.len() as u8], before, hash(self.0, written).as_bytes()].concat()))
    }

    /// Returns the mark of a file with this state and this claim.
    pub fn mark(self, claim: &Claim, meta: &Meta) -> Mark {
        let (mtime, ctime) = (meta.mtime, meta.ctime);
        let mut bytes = claim.0.as_bytes().to_vec();
        for number in [meta.ino, meta.size, mtime.0 as u64, mtime.1.into(), ctime.0 as u64, ctime.1.into()] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&meta.stamp.to_le_bytes());
        let digest = hash(self.0, &bytes);
        let mut mark = [0; BYTES];
        mark[..OWN].copy_from_slice(&digest.as_bytes()[..OWN]);
        self.seal(&mut mark);
        mark
    }

    /// Sets the last bytes of a mark.
    fn seal(self, mark: &mut Mark) {
        let check = hash(self.0, &mark[..OWN]);
        mark[OWN..].copy_from_slice(&check.as_bytes()[..BYTES - OWN]);
    }
}

impl Seen {
    /// Returns whether the interrupted run made this mark: the file looked like this and had these records.
    pub fn has(&self, mark: &Mark) -> bool {
        self.0.contains(mark)
    }
}

/// Begins a file of marks.
///
/// # Errors
/// If it can't be created.
pub fn begin(path: &Path, files: &RunFiles) -> io::Result<File> {
    files.clear(path)?;
    create_own(path)
}

/// The last mark of a run that came to its end. It is that of no file.
const ENDED: [u8; BYTES] = [0xff; BYTES];

/// Notes that the run came to its end.
///
/// # Errors
/// If the file can't be written.
pub fn end(path: &Path) -> io::Result<()> {
    let mut file = adopt(path)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(&ENDED)
}

/// Returns whether the last run came to its end.
pub fn has_ended(path: &Path) -> bool {
    let last = || {
        let (mut file, mut mark) = (adopt(path)?, [0; BYTES]);
        file.seek(SeekFrom::End(-(BYTES as i64)))?;
        file.read_exact(&mut mark)?;
        io::Result::Ok(mark)
    };
    last().is_ok_and(|mark| mark == ENDED)
}

/// Reads the marks and returns them with the file, ready to append more. A missing file is created.
///
/// # Errors
/// If it can't be read, or others may have written it.
pub fn go_on(path: &Path) -> io::Result<(Seen, File)> {
    let mut file = match adopt(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => create_own(path)?,
        file => file?,
    };
    let whole = file.metadata()?.len() / BYTES as u64;
    let mut marks = HashSet::new();
    let mut reader = BufReader::new(&file);
    for _ in 0..whole {
        let mut mark = [0; BYTES];
        reader.read_exact(&mut mark)?;
        marks.insert(mark);
    }
    // A kill may have left an incomplete mark.
    let end = whole * BYTES as u64;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((Seen(marks), file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta() -> Meta {
        Meta {
            dev: 1,
            ino: 2,
            size: 3,
            mtime: (4, 5),
            ctime: (6, 7),
            blocks: 8,
            mode: 9,
            attributes: 0,
            stamp: 10,
        }
    }

    #[test]
    fn whatever_changes_of_a_file_changes_its_mark() {
        let marker = Marker::new().unwrap();
        let claim = marker.claim(None, b"a");
        let mark = marker.mark(&claim, &meta());
        let same = Meta { dev: 99, blocks: 99, mode: 99, ..meta() };
        assert_eq!(marker.mark(&claim, &same), mark);
        for other in [
            Meta { ino: 9, ..meta() },
            Meta { size: 9, ..meta() },
            Meta { mtime: (9, 5), ..meta() },
            Meta { mtime: (4, 9), ..meta() },
            // An earlier time counts, too: somebody may have set the clock.
            Meta { ctime: (1, 7), ..meta() },
            Meta { ctime: (6, 9), ..meta() },
            Meta { stamp: 11, ..meta() },
        ] {
            assert_ne!(marker.mark(&claim, &other), mark);
        }
        let chain = |records: &[&[u8]]| {
            records.iter().fold(None, |before, record| Some(marker.claim(before.as_ref(), record))).unwrap()
        };
        for other in [&[b"b".as_slice()][..], &[b"a", b"a"], &[b"", b"a"], &[b"a", b""]] {
            assert_ne!(marker.mark(&chain(other), &meta()), mark);
        }
    }

    #[test]
    fn a_torn_mark_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        let mut file = begin(&path, &RunFiles::default()).unwrap();
        assert_eq!(hashmill_os::facts(&file).unwrap().shared_mode(), None);
        file.write_all(&[[1; BYTES], [2; BYTES]].concat()).unwrap();
        file.write_all(&[3; 5]).unwrap();
        let (seen, mut file) = go_on(&path).unwrap();
        assert!(seen.has(&[1; BYTES]) && seen.has(&[2; BYTES]) && seen.0.len() == 2);
        file.write_all(&[4; BYTES]).unwrap();
        assert!(go_on(&path).unwrap().0.has(&[4; BYTES]));
    }
}
