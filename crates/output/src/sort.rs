//! Sorting of entries of any length, more than fit into memory: full parts are sorted into runs, which are merged at the
//! end. Entries with equal keys keep their order.

use crate::output::WriteError;
use crate::runs::{Framing, Merge, Runs, lead};
use crate::scratch;
use std::io::{self, ErrorKind};

/// The bytes before each entry: the lengths of its key and of the rest.
const HEADER: usize = 8;

/// Takes entries in any order.
pub struct Sorter {
    /// The bytes after which a run is written.
    memory: usize,
    /// The entries of the next run: header, key, rest.
    entries: Vec<u8>,
    count: usize,
    /// The number of bytes that all keys in `entries` begin with.
    shared: usize,
    /// The runs so far, in a file without a name.
    runs: Option<Runs<Lengths>>,
}

/// The entries in the order of their keys.
pub struct Sorted(Merge<Lengths>);

/// The framing of entries of any length: the lengths of key and rest, the key, the rest.
#[derive(Debug, Clone, Copy)]
struct Lengths;

impl Framing for Lengths {
    fn length(self, bytes: &[u8]) -> Option<usize> {
        (bytes.len() >= HEADER).then(|| length(bytes))
    }

    fn key(self, entry: &[u8]) -> &[u8] {
        key(entry, 0)
    }
}

/// The key of an entry, and the rest of it.
pub type KeyAndRest<'a> = (&'a [u8], &'a [u8]);

impl Sorter {
    /// Makes a sorter that takes about this many bytes of memory.
    pub fn new(memory: usize) -> Sorter {
        // An eighth is for the order of short entries.
        let memory = (memory - memory / 8).min(u32::MAX as usize);
        Sorter { memory, entries: Vec::new(), count: 0, shared: usize::MAX, runs: None }
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
        if self.runs.is_some() {
            self.spill().map_err(scratch::failed)?;
        }
        let merge = match &mut self.runs {
            Some(runs) => {
                self.entries = Vec::new();
                runs.merge(self.memory)
            }
            None => {
                let mut bytes = Vec::with_capacity(self.entries.len());
                let order = self.order().into_iter();
                order.for_each(|(_, at)| bytes.extend_from_slice(entry(&self.entries, at as usize)));
                Merge::in_memory(Lengths, bytes)
            }
        };
        Ok(Sorted(merge.map_err(scratch::failed)?))
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
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::new(tempfile::tempfile()?)),
        };
        runs.begin(Lengths);
        for (_, at) in order {
            runs.push(|bytes| bytes.extend_from_slice(entry(&self.entries, at as usize)))?;
        }
        self.entries.clear();
        self.count = 0;
        Ok(())
    }
}

impl Sorted {
    /// Returns the next entry.
    ///
    /// # Errors
    /// If a run can't be read back.
    pub fn next_entry(&mut self) -> Result<Option<KeyAndRest<'_>>, WriteError> {
        let next = self.0.next_entry().map_err(scratch::failed)?;
        Ok(next.map(|(_, entry)| entry[HEADER..].split_at(word(entry, 0))))
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

/// Returns how many bytes two keys have in common at their start.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::{Random, cases};

    #[test]
    fn entries_come_in_the_order_of_keys_and_then_as_they_were_added() {
        let mut random = Random(5);
        for _ in 0..cases(200) {
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
            while let Some((key, rest)) = sorted.next_entry().unwrap() {
                found.push((key.to_vec(), rest.to_vec()));
            }
            // The numbers are written with their least byte first.
            let number = |rest: &[u8]| u64::from_le_bytes(rest.try_into().unwrap());
            all.sort_by(|one, other| one.0.cmp(&other.0).then(number(&one.1).cmp(&number(&other.1))));
            assert_eq!(found, all);
            assert!(sorted.next_entry().unwrap().is_none());
        }
    }
}
