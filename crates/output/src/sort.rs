//! Sorting of more than fits into memory: full parts are sorted into runs in a temporary file, which are merged at the
//! end. Entries with equal keys keep their order.

use crate::output::WriteError;
use crate::scratch;
use hashmill_os::read_exact_at;
use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;

/// The bytes before each entry: the lengths of its key and of the rest.
const HEADER: usize = 8;

/// The least and the most bytes that are read of a run at once.
const READ: Range<usize> = 16 << 10..1 << 20;

/// Takes entries in any order.
pub struct Sorter {
    /// The bytes after which a run is written.
    memory: usize,
    /// The entries of the next run: header, key, rest.
    entries: Vec<u8>,
    count: usize,
    /// The number of bytes that all keys in `entries` begin with.
    shared: usize,
    runs: Vec<Range<u64>>,
    /// The file of the runs, which has no name.
    file: Option<File>,
}

/// The entries in the order of their keys.
pub struct Sorted {
    runs: Vec<Run>,
    /// The runs that have an entry left, as a heap: the one with the least key is first.
    heap: Vec<usize>,
    file: Option<File>,
    /// Whether the first entry was returned.
    has_begun: bool,
}

/// A sorted run.
struct Run {
    /// The place of the next bytes in the file.
    left: Range<u64>,
    bytes: Vec<u8>,
    /// The place of the current entry in `bytes`.
    at: usize,
    /// The bytes to read at once.
    portion: usize,
}

/// The key of an entry, and the rest of it.
pub type KeyAndRest<'a> = (&'a [u8], &'a [u8]);

impl Sorter {
    /// Makes a sorter that takes about this many bytes of memory.
    pub fn new(memory: usize) -> Sorter {
        // An eighth is for the order of short entries.
        let memory = (memory - memory / 8).min(u32::MAX as usize);
        Sorter { memory, entries: Vec::new(), count: 0, shared: usize::MAX, runs: Vec::new(), file: None }
    }

    /// Adds an entry, whose rest is the concatenation of these parts.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub fn push(&mut self, key: &[u8], rest: &[&[u8]]) -> Result<(), WriteError> {
        let length: usize = rest.iter().map(|part| part.len()).sum();
        if self.count > 0 && self.entries.len() + HEADER + key.len() + length > self.memory {
            self.spill().map_err(scratch::failed)?;
        }
        let lengths = [key.len(), length].map(u32::try_from);
        let [Ok(key_length), Ok(length)] = lengths else {
            return Err(scratch::failed(ErrorKind::InvalidInput.into()));
        };
        self.shared = match self.count {
            0 => key.len(),
            _ => common(&self.entries[HEADER..HEADER + self.shared], key),
        };
        self.entries.extend_from_slice(&key_length.to_le_bytes());
        self.entries.extend_from_slice(&length.to_le_bytes());
        self.entries.extend_from_slice(key);
        rest.iter().for_each(|part| self.entries.extend_from_slice(part));
        self.count += 1;
        Ok(())
    }

    /// Returns the entries in order.
    ///
    /// # Errors
    /// If there is no room for temporary files, or they can't be read back.
    pub fn sorted(mut self) -> Result<Sorted, WriteError> {
        let runs = if self.file.is_none() {
            let order = self.order();
            let mut bytes = Vec::with_capacity(self.entries.len());
            order.into_iter().for_each(|(_, at)| bytes.extend_from_slice(entry(&self.entries, at as usize)));
            vec![Run { left: 0..0, bytes, at: 0, portion: 0 }]
        } else {
            self.spill().map_err(scratch::failed)?;
            let portion = (self.memory / self.runs.len().max(1)).clamp(READ.start, READ.end);
            let run = |left: &Range<u64>| Run { left: left.clone(), bytes: Vec::new(), at: 0, portion };
            self.runs.iter().map(run).collect()
        };
        self.entries = Vec::new();
        let mut sorted = Sorted { runs, heap: Vec::new(), file: self.file, has_begun: false };
        sorted.begin().map_err(scratch::failed)?;
        Ok(sorted)
    }

    /// Returns the places of the entries in the order of their keys, each with the first bytes in which keys differ.
    fn order(&self) -> Vec<(u64, u32)> {
        let mut order = Vec::with_capacity(self.count);
        let mut at = 0;
        while at < self.entries.len() {
            let key = key(&self.entries, at);
            order.push((lead(&key[self.shared..]), at as u32));
            at += entry(&self.entries, at).len();
        }
        let rest = |at: u32| &key(&self.entries, at as usize)[self.shared..];
        order.sort_unstable_by(|one, other| {
            let by_key = one.0.cmp(&other.0).then_with(|| rest(one.1).cmp(rest(other.1)));
            by_key.then(one.1.cmp(&other.1))
        });
        order
    }

    /// Writes the entries as a run.
    fn spill(&mut self) -> io::Result<()> {
        let order = self.order();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let mut out = io::BufWriter::with_capacity(READ.end, file);
        for (_, at) in order {
            out.write_all(entry(&self.entries, at as usize))?;
        }
        out.flush()?;
        let start = self.runs.last().map_or(0, |run| run.end);
        self.runs.push(start..start + self.entries.len() as u64);
        self.entries.clear();
        self.count = 0;
        Ok(())
    }
}

impl Sorted {
    fn begin(&mut self) -> io::Result<()> {
        for run in 0..self.runs.len() {
            if self.runs[run].fill(self.file.as_ref())? {
                self.heap.push(run);
            }
        }
        (0..self.heap.len() / 2).rev().for_each(|place| self.sift(place));
        Ok(())
    }

    /// Returns the next entry.
    ///
    /// # Errors
    /// If a run can't be read back.
    pub fn next(&mut self) -> Result<Option<KeyAndRest<'_>>, WriteError> {
        if self.has_begun
            && let Some(run) = self.heap.first()
        {
            let run = &mut self.runs[*run];
            run.at += entry(&run.bytes, run.at).len();
            if !run.fill(self.file.as_ref()).map_err(scratch::failed)? {
                self.heap.swap_remove(0);
            }
            self.sift(0);
        }
        self.has_begun = true;
        Ok(self.heap.first().map(|run| {
            let Run { bytes, at, .. } = &self.runs[*run];
            let key = key(bytes, *at);
            (key, &entry(bytes, *at)[HEADER + key.len()..])
        }))
    }

    /// Moves the run at this place of the heap down to where it belongs.
    fn sift(&mut self, mut place: usize) {
        let key = |run: usize| key(&self.runs[run].bytes, self.runs[run].at);
        let order = |one: usize, other: usize| key(one).cmp(key(other)).then(one.cmp(&other));
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

impl Run {
    /// Reads on until the current entry is whole; returns false at the end.
    fn fill(&mut self, file: Option<&File>) -> io::Result<bool> {
        while !self.is_whole() {
            let Some(file) = file.filter(|_| !self.left.is_empty()) else {
                return if self.at == self.bytes.len() {
                    Ok(false)
                } else {
                    Err(ErrorKind::UnexpectedEof.into())
                };
            };
            self.bytes.drain(..self.at);
            self.at = 0;
            let start = self.bytes.len();
            let portion = (self.portion as u64).min(self.left.end - self.left.start);
            self.bytes.resize(start + portion as usize, 0);
            read_exact_at(file, &mut self.bytes[start..], self.left.start)?;
            self.left.start += portion;
        }
        Ok(true)
    }

    fn is_whole(&self) -> bool {
        let rest = &self.bytes[self.at..];
        rest.len() >= HEADER && rest.len() >= length(rest)
    }
}

fn word(bytes: &[u8], at: usize) -> usize {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word) as usize
}

/// Returns the length of the entry that begins with these bytes.
fn length(bytes: &[u8]) -> usize {
    HEADER + word(bytes, 0) + word(bytes, 4)
}

fn entry(entries: &[u8], at: usize) -> &[u8] {
    &entries[at..at + length(&entries[at..])]
}

fn key(entries: &[u8], at: usize) -> &[u8] {
    &entries[at + HEADER..at + HEADER + word(entries, at)]
}

/// Returns the first eight bytes as a number that is in the same order; zeros stand for missing ones.
fn lead(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

/// Returns how many bytes two keys have in common at their start.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::{Random, times};

    #[test]
    fn entries_come_in_the_order_of_keys_and_then_as_they_were_added() {
        let mut random = Random(5);
        for _ in 0..200 * times() {
            let memory = *random.pick(&[100, 1000, 1 << 20]);
            let longest = *random.pick(&[1, 3, 40, 300]);
            let shared = *random.pick(&[0, 0, 5, 20]);
            let prefix = random.bytes(shared);
            let mut sorter = Sorter::new(memory);
            let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
            for number in 0..random.below(400) {
                let length = random.below(longest);
                let tail: Vec<u8> = random.bytes(length).into_iter().map(|byte| byte % 3).collect();
                let (key, rest) = ([&prefix[..], &tail].concat(), number.to_le_bytes().to_vec());
                sorter.push(&key, &[&rest[..3], &rest[3..]]).unwrap();
                all.push((key, rest));
            }
            all.sort();
            let (mut sorted, mut found) = (sorter.sorted().unwrap(), Vec::new());
            while let Some((key, rest)) = sorted.next().unwrap() {
                found.push((key.to_vec(), rest.to_vec()));
            }
            // The numbers are written with their least byte first.
            let number = |rest: &[u8]| u64::from_le_bytes(rest.try_into().unwrap());
            all.sort_by(|one, other| one.0.cmp(&other.0).then(number(&one.1).cmp(&number(&other.1))));
            assert_eq!(found, all);
            assert!(sorted.next().unwrap().is_none());
        }
    }
}
