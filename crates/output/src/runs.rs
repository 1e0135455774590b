//! Sorted runs of entries in a file, and their merging: what all external sorts share, however their entries are laid out
//! and sorted in memory.

use hashmill_os::read_exact_at;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes that are gathered before they are written.
const GATHERED: usize = 1 << 20;

/// The least and the most bytes that are read of a run at once.
const READ: Range<usize> = 16 << 10..4 << 20;

/// The layout of the entries of a run.
pub trait Framing: Copy {
    /// Returns the length of the entry that begins with these bytes; `None` if they are too few to tell.
    fn length(self, bytes: &[u8]) -> Option<usize>;

    /// Returns the part of an entry that its place in the order depends on.
    fn key(self, entry: &[u8]) -> &[u8];
}

/// Sorted runs in a file.
pub struct Runs<F> {
    file: Arc<File>,
    /// The runs before the last one.
    runs: Vec<(F, Range<u64>)>,
    /// Bytes at the end of the last run that are not written yet.
    gathered: Vec<u8>,
}

/// The entries of several runs, in the order of their keys; those of equal keys in the order of the runs.
pub struct Merge<F> {
    file: Option<Arc<File>>,
    readers: Vec<Reader<F>>,
    /// The runs that have an entry left, with the beginning of its key, as a heap: the one with the least key is first.
    heap: Vec<(u64, usize)>,
    /// Whether the first entry was returned.
    has_begun: bool,
}

/// A reader of a run.
struct Reader<F> {
    framing: F,
    /// The place of the next bytes in the file.
    left: Range<u64>,
    bytes: Vec<u8>,
    /// The place of the current entry in `bytes`.
    entry: Range<usize>,
    /// The bytes to read at once.
    portion: usize,
}

impl<F: Framing> Runs<F> {
    /// Makes no runs yet, in an empty file.
    pub fn new(file: File) -> Runs<F> {
        Runs { file: Arc::new(file), runs: Vec::new(), gathered: Vec::new() }
    }

    /// Begins a run: entries up to the next run must come in order.
    pub fn begin(&mut self, framing: F) {
        let end = self.runs.last().map_or(0, |(_, run)| run.end);
        self.runs.push((framing, end..end));
    }

    /// Adds an entry to the last run: `write` appends its bytes.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let before = self.gathered.len();
        write(&mut self.gathered);
        if let Some((_, run)) = self.runs.last_mut() {
            run.end += (self.gathered.len() - before) as u64;
        }
        if self.gathered.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    /// Writes the gathered bytes.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn flush(&mut self) -> io::Result<()> {
        (&*self.file).write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    /// Returns the entries of all runs, read through buffers of about this many bytes in total.
    ///
    /// # Errors
    /// If the runs can't be written to their end or read back.
    pub fn merge(&mut self, memory: usize) -> io::Result<Merge<F>> {
        self.flush()?;
        let portion = (memory / self.runs.len().max(1)).clamp(READ.start, READ.end);
        let reader = |(framing, left): &(F, Range<u64>)| Reader {
            framing: *framing,
            left: left.clone(),
            bytes: Vec::new(),
            entry: 0..0,
            portion,
        };
        Merge::begin(Some(Arc::clone(&self.file)), self.runs.iter().map(reader).collect())
    }
}

impl<F: Framing> Merge<F> {
    /// Returns the entries of one run that is in memory.
    ///
    /// # Errors
    /// If the last one is not whole.
    pub fn in_memory(framing: F, bytes: Vec<u8>) -> io::Result<Merge<F>> {
        Merge::begin(None, vec![Reader { framing, left: 0..0, bytes, entry: 0..0, portion: 0 }])
    }

    fn begin(file: Option<Arc<File>>, readers: Vec<Reader<F>>) -> io::Result<Merge<F>> {
        let mut merge = Merge { file, readers, heap: Vec::new(), has_begun: false };
        for (number, reader) in merge.readers.iter_mut().enumerate() {
            if reader.step(merge.file.as_deref())? {
                merge.heap.push((lead(reader.key()), number));
            }
        }
        (0..merge.heap.len() / 2).rev().for_each(|place| merge.sift(place));
        Ok(merge)
    }

    /// Returns the next entry, and its layout.
    ///
    /// # Errors
    /// If a run can't be read back.
    pub fn next_entry(&mut self) -> io::Result<Option<(F, &[u8])>> {
        if self.has_begun
            && let Some((first, run)) = self.heap.first_mut()
        {
            let reader = &mut self.readers[*run];
            if reader.step(self.file.as_deref())? {
                *first = lead(reader.key());
            } else {
                self.heap.swap_remove(0);
            }
            self.sift(0);
        }
        self.has_begun = true;
        Ok(self.heap.first().map(|(_, run)| {
            let reader = &self.readers[*run];
            (reader.framing, reader.entry())
        }))
    }

    /// Moves the run at this place of the heap down to where it belongs.
    fn sift(&mut self, mut place: usize) {
        let key = |run: usize| self.readers[run].key();
        let order = |one: (u64, usize), other: (u64, usize)| {
            let by_lead = one.0.cmp(&other.0);
            by_lead.then_with(|| key(one.1).cmp(key(other.1))).then(one.1.cmp(&other.1))
        };
        loop {
            let children =
                [2 * place + 1, 2 * place + 2].into_iter().filter(|child| *child < self.heap.len());
            let least = children.min_by(|one, other| order(self.heap[*one], self.heap[*other]));
            match least {
                Some(child) if order(self.heap[child], self.heap[place]) == Ordering::Less => {
                    self.heap.swap(child, place);
                    place = child;
                }
                _ => return,
            }
        }
    }
}

impl<F: Framing> Reader<F> {
    fn entry(&self) -> &[u8] {
        &self.bytes[self.entry.clone()]
    }

    fn key(&self) -> &[u8] {
        self.framing.key(self.entry())
    }

    /// Goes to the next entry, and reads on until it is whole; returns false at the end.
    fn step(&mut self, file: Option<&File>) -> io::Result<bool> {
        self.entry.start = self.entry.end;
        loop {
            let rest = &self.bytes[self.entry.start..];
            if let Some(length) = self.framing.length(rest)
                && length <= rest.len()
            {
                self.entry.end = self.entry.start + length;
                return Ok(true);
            }
            let Some(file) = file.filter(|_| !self.left.is_empty()) else {
                return if rest.is_empty() { Ok(false) } else { Err(ErrorKind::UnexpectedEof.into()) };
            };
            self.bytes.drain(..self.entry.start);
            self.entry = 0..0;
            let start = self.bytes.len();
            let portion = (self.portion as u64).min(self.left.end - self.left.start);
            self.bytes.resize(start + portion as usize, 0);
            read_exact_at(file, &mut self.bytes[start..], self.left.start)?;
            self.left.start += portion;
        }
    }
}

/// Returns the first eight bytes of a key as a number that is in the same order; zeros stand for missing ones.
pub fn lead(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of as many bytes, of which the first two are the key.
    #[derive(Debug, Clone, Copy)]
    struct Fixed(usize);

    impl Framing for Fixed {
        fn length(self, _: &[u8]) -> Option<usize> {
            Some(self.0)
        }

        fn key(self, entry: &[u8]) -> &[u8] {
            &entry[..2]
        }
    }

    fn merged(runs: &mut Runs<Fixed>) -> Vec<Vec<u8>> {
        let (mut merge, mut found) = (runs.merge(0).unwrap(), Vec::new());
        while let Some((Fixed(length), entry)) = merge.next_entry().unwrap() {
            assert_eq!(length, entry.len());
            found.push(entry.to_vec());
        }
        assert!(merge.next_entry().unwrap().is_none());
        found
    }

    #[test]
    fn runs_of_several_layouts_are_merged_as_often_as_wanted() {
        let mut runs = Runs::new(tempfile::tempfile().unwrap());
        let mut all = Vec::new();
        for run in 0..5_u8 {
            let framing = Fixed(2 + usize::from(run % 3));
            runs.begin(framing);
            for number in 0..20_000_u16 {
                let mut entry = (number * 3 % 60_000).max(number * 3).to_be_bytes().to_vec();
                entry.resize(framing.0, run);
                runs.push(|bytes| bytes.extend_from_slice(&entry)).unwrap();
                all.push((entry[..2].to_vec(), run, entry));
            }
        }
        all.sort();
        let all: Vec<_> = all.into_iter().map(|(_, _, entry)| entry).collect();
        assert!(merged(&mut runs) == all);
        assert!(merged(&mut runs) == all);
    }

    #[test]
    fn an_entry_that_is_cut_off_is_an_error() {
        let mut runs = Runs::new(tempfile::tempfile().unwrap());
        runs.begin(Fixed(4));
        runs.push(|bytes| bytes.extend_from_slice(b"abcdef")).unwrap();
        let mut merge = runs.merge(0).unwrap();
        assert_eq!(merge.next_entry().unwrap().unwrap().1, b"abcd");
        assert_eq!(merge.next_entry().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
