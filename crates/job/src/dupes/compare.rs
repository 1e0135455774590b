//! Byte-by-byte comparison of files of one size whose bytes are in memory: that costs less than digests, and proves
//! more. Other cases (bytes that are not in memory, a file that can't be read, or that changed) are left to the engine,
//! which reports the problem and the file.

use hashmill_engine::Cancel;
use hashmill_source::{BadBlocks, Cached, Entry, Io, MapFiles, Mapped, Reader, Reading};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The maximum number of files of one size that are compared. More files are better told apart by digests.
pub(super) const MAX_COMPARED: usize = 32;

/// The number of bytes that a thread holds of all files together. They stay in the cache of one core.
pub(super) const BUFFER: usize = 512 << 10;

/// The maximum number of bytes that are held of one file.
const BLOCK: usize = 64 << 10;

/// The number of bytes at the start and at the end that are compared first.
pub(super) const EDGE: u64 = 4096;

/// The size in bytes below which a file is read at once, because comparing its start first would cost as much.
const SMALL: u64 = 64 << 10;

/// The size in bytes from which the end is compared before the rest, and the file is mapped if that is allowed.
const LARGE: u64 = 1 << 20;

/// The size in bytes from which files are compared by all threads together.
pub(super) const SHARED: u64 = 64 << 20;

/// The number of bytes of each file that a thread compares before it takes more.
const STRETCH: u64 = 4 << 20;

/// Sets of at least two files that are equal as far as is known, by their numbers.
pub(super) type Classes = Vec<Vec<usize>>;

/// The settings of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparing<'a> {
    pub reading: &'a Reading,
    pub cancel: &'a Cancel,
    /// The size in bytes of a thread's buffer, at least [`MAX_COMPARED`].
    pub buffer: usize,
}

/// Returns whether files are read without special settings. Only then are they compared.
pub(super) fn is_plain(reading: &Reading) -> bool {
    reading.io == Io::Auto
        && reading.bad_blocks == BadBlocks::Fail
        && reading.timeout.is_none()
        && reading.rate.is_none()
}

/// A thread's buffer, for any number of comparisons.
#[derive(Debug)]
pub(super) struct Buffer(Vec<u8>);

impl Buffer {
    pub fn new(bytes: usize) -> Buffer {
        Buffer(vec![0; bytes])
    }
}

impl Comparing<'_> {
    /// Returns the files of this size with the same content. Each was read to its end and did not change meanwhile.
    /// `None` means that the engine has to find out.
    pub fn classes(
        self,
        files: &[&Entry],
        size: u64,
        threads: usize,
        buffer: &mut Buffer,
    ) -> Option<Classes> {
        if size == 0 {
            // A file that states a size of 0 may still have content, so it has to be read.
            return None;
        }
        let mut group = Group::open(files, size, self)?;
        let mut classes = vec![(0..files.len()).collect()];
        if size < SMALL {
            classes = group.refine(classes, 0..size, buffer)?;
            return group.settle(classes);
        }
        classes = group.refine(classes, 0..EDGE, buffer)?;
        if size >= LARGE {
            classes = group.refine(classes, size - EDGE..size, buffer)?;
        }
        group.get_ready(&classes)?;
        classes = group.refine_together(classes, threads, buffer)?;
        group.settle(classes)
    }
}

/// Open files of one size.
struct Group<'a> {
    /// The files; `None` for those that are no longer of interest.
    files: Vec<Option<OpenFile>>,
    size: u64,
    with: Comparing<'a>,
}

struct OpenFile {
    reader: Reader,
    map: Option<Mapped>,
}

impl<'a> Group<'a> {
    fn open(files: &[&Entry], size: u64, with: Comparing<'a>) -> Option<Group<'a>> {
        let open = |entry: &&Entry| {
            let reader = Reader::open(entry, with.reading).ok()?;
            let fits = reader.meta().is_file() && reader.meta().size == size;
            fits.then_some(Some(OpenFile { reader, map: None }))
        };
        let files = files.iter().map(open).collect::<Option<Vec<_>>>()?;
        let group = Group { files, size, with };
        // The state of the first file shows what the others are likely to cost.
        group.is_cached(0).then_some(group)
    }

    fn is_cached(&self, file: usize) -> bool {
        self.files[file].as_ref().is_some_and(|file| file.reader.cached() == Cached::Yes)
    }

    /// Closes the files that equal no other, and maps the others where that pays.
    fn get_ready(&mut self, classes: &Classes) -> Option<()> {
        let is_left = |number: usize| classes.iter().any(|class| class.contains(&number));
        for number in 0..self.files.len() {
            if !is_left(number) {
                self.files[number] = None;
            } else if !self.is_cached(number) {
                return None;
            }
        }
        if self.size >= LARGE && self.with.reading.mapping != MapFiles::Never {
            self.files.iter_mut().flatten().for_each(|file| file.map = file.reader.map());
        }
        Some(())
    }

    /// Splits classes by a range of bytes.
    fn refine(&self, mut classes: Classes, range: Range<u64>, buffer: &mut Buffer) -> Option<Classes> {
        let most = classes.iter().map(Vec::len).max().unwrap_or(1);
        let block = BLOCK.min(buffer.0.len() / most);
        let mut at = range.start;
        while at < range.end && !classes.is_empty() {
            if self.with.cancel.is_set() {
                return None;
            }
            let end = range.end.min(at + block as u64);
            let mut finer = Vec::with_capacity(classes.len());
            for class in classes {
                self.split(class, at..end, buffer, &mut finer)?;
            }
            (classes, at) = (finer, end);
        }
        Some(classes)
    }

    /// Splits a class by one block of bytes.
    fn split(
        &self,
        class: Vec<usize>,
        range: Range<u64>,
        buffer: &mut Buffer,
        out: &mut Classes,
    ) -> Option<()> {
        let length = (range.end - range.start) as usize;
        let rooms = buffer.0.chunks_exact_mut(length);
        let blocks = class.iter().zip(rooms).map(|(file, room)| {
            let file = self.files[*file].as_ref()?;
            file.bytes(range.start, room)
        });
        let blocks = blocks.collect::<Option<Vec<&[u8]>>>()?;
        let [first, rest @ ..] = &blocks[..] else { return Some(()) };
        if rest.iter().all(|block| block == first) {
            out.push(class);
            return Some(());
        }
        let mut parts: Vec<(&[u8], Vec<usize>)> = Vec::new();
        for (file, block) in class.iter().zip(&blocks) {
            match parts.iter_mut().find(|(other, _)| other == block) {
                Some((_, part)) => part.push(*file),
                None => parts.push((block, vec![*file])),
            }
        }
        out.extend(parts.into_iter().map(|(_, part)| part).filter(|part| part.len() > 1));
        Some(())
    }

    /// Splits classes by all bytes. Threads take one stretch after another. Files that are equal in all stretches are
    /// equal, whichever thread compared them.
    fn refine_together(&self, classes: Classes, threads: usize, buffer: &mut Buffer) -> Option<Classes> {
        let (next, known) = (AtomicU64::new(0), Mutex::new(Some(classes)));
        let work = |buffer: &mut Buffer| {
            loop {
                let start = next.fetch_add(STRETCH, Ordering::Relaxed);
                let now = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let Some(now) = now.filter(|now| start < self.size && !now.is_empty()) else { return };
                let range = start..self.size.min(start + STRETCH);
                let finer = self.refine(now, range.clone(), buffer);
                self.release(range);
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                *known = known.take().zip(finer).map(|(known, finer)| common(&known, &finer));
            }
        };
        if threads > 1 {
            thread::scope(|scope| {
                for _ in 1..threads {
                    // If no thread can be started, this one does the work.
                    let spawned = || work(&mut Buffer::new(self.with.buffer));
                    let _ = thread::Builder::new().spawn_scoped(scope, spawned);
                }
                work(buffer);
            });
        } else {
            work(buffer);
        }
        known.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the mapped pages of a range, so that they don't add up.
    fn release(&self, range: Range<u64>) {
        let range = range.start as usize..range.end as usize;
        let maps = self.files.iter().flatten().filter_map(|file| file.map.as_ref());
        maps.for_each(|map| map.release(range.clone()));
    }

    /// Returns the classes if no file has changed. Files that seem to differ are checked, too, because bytes that were
    /// cut off from a mapped file read as zeros.
    fn settle(&self, classes: Classes) -> Option<Classes> {
        self.files.iter().flatten().all(OpenFile::held_still).then_some(classes)
    }
}

impl OpenFile {
    /// Returns the bytes at an offset, as many as there is room for.
    fn bytes<'a>(&'a self, offset: u64, room: &'a mut [u8]) -> Option<&'a [u8]> {
        if let Some(map) = &self.map {
            let start = usize::try_from(offset).ok()?;
            return map.get(start..start + room.len());
        }
        let read = self.reader.read_at(offset, room).ok()?;
        (read == room.len()).then_some(room)
    }

    fn held_still(&self) -> bool {
        let was_there = self.map.as_ref().is_none_or(|map| self.reader.check_map(map).is_ok());
        was_there && self.reader.finish(self.reader.meta().size).is_ok()
    }
}

/// Returns the files that are equal by both.
fn common(a: &Classes, b: &Classes) -> Classes {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let common = pairs.map(|(a, b)| a.iter().copied().filter(|file| b.contains(file)).collect());
    common.filter(|class: &Vec<usize>| class.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::Origin;
    use std::fs::{self, OpenOptions};
    use std::path::{Path, PathBuf};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("hashmill-compare-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> Entry {
            fs::write(self.0.join(name), bytes).unwrap();
            entry(&self.0.join(name))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn entry(path: &Path) -> Entry {
        Entry::new(hashmill_os::names::path_bytes(path).into(), Origin::Operand)
    }

    fn classes(files: &[Entry], size: usize, threads: usize) -> Option<Classes> {
        let (reading, cancel) = (Reading::default(), Cancel::default());
        let comparing = Comparing { reading: &reading, cancel: &cancel, buffer: BUFFER };
        let files: Vec<&Entry> = files.iter().collect();
        comparing.classes(&files, size as u64, threads, &mut Buffer::new(BUFFER))
    }

    /// Returns whether the kernel reports what is in memory. If it does not, nothing is compared.
    fn tells_of_pages(entry: &Entry) -> bool {
        let reader = Reader::open(entry, &Reading::default()).unwrap();
        reader.cached() == Cached::Yes || {
            println!("skipped: the kernel does not tell what is in memory");
            false
        }
    }

    #[test]
    fn one_byte_anywhere_tells_files_apart() {
        let folder = Folder::new("bytes");
        for size in [1, 4096, 65_535, 65_536, 70_001, 1 << 20, (1 << 20) + 70_001, (9 << 20) + 1] {
            let plain: Vec<u8> = (0..size).map(|at| ((at * 31) >> 3) as u8).collect();
            let changed = |at: usize| {
                let mut bytes = plain.clone();
                bytes[at] ^= 1;
                bytes
            };
            let contents = [
                plain.clone(),
                changed(size / 2),
                plain.clone(),
                changed(size / 2),
                changed(size - 1),
                changed(0),
                changed(size / 3),
            ];
            let files: Vec<Entry> = contents
                .iter()
                .enumerate()
                .map(|(number, bytes)| folder.file(&number.to_string(), bytes))
                .collect();
            if !tells_of_pages(&files[0]) {
                continue;
            }
            let mut wanted: Classes = Vec::new();
            for (number, content) in contents.iter().enumerate() {
                match wanted.iter_mut().find(|class| contents[class[0]] == *content) {
                    Some(class) => class.push(number),
                    None => wanted.push(vec![number]),
                }
            }
            wanted.retain(|class| class.len() > 1);
            for threads in [1, 3] {
                // A kernel that is short of memory may drop what was just written: then the files are read and compared
                // again.
                let again = |_: i32| {
                    (0..files.len()).for_each(|number| drop(fs::read(folder.0.join(number.to_string()))));
                    classes(&files, size, threads)
                };
                let found = classes(&files, size, threads).or_else(|| (0..5).find_map(again));
                let mut found = found.unwrap();
                found.sort();
                assert_eq!(found, wanted, "{size} bytes, {threads} threads");
            }
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_engine() {
        let folder = Folder::new("odd");
        let (a, b) = (folder.file("a", &[7; 5000]), folder.file("b", &[7; 5000]));
        let there = [a.clone(), b.clone()];
        if tells_of_pages(&a) {
            assert_eq!(classes(&there, 5000, 1), Some(vec![vec![0, 1]]));
        }
        // A file that has another size by now, a missing file, and files that state that they are empty.
        assert_eq!(classes(&[a.clone(), folder.file("c", &[7; 5001])], 5000, 1), None);
        assert_eq!(classes(&[a.clone(), entry(&folder.0.join("none"))], 5000, 1), None);
        assert_eq!(classes(&[folder.file("d", b""), folder.file("e", b"")], 0, 1), None);
        let slow = Reading { timeout: Some(std::time::Duration::from_secs(9)), ..Reading::default() };
        assert!(is_plain(&Reading::default()) && !is_plain(&slow));
    }

    #[test]
    fn files_that_change_while_they_are_compared_are_in_no_class() {
        let folder = Folder::new("changed");
        for size in [5000_usize, 2 << 20] {
            let files = [folder.file("a", &vec![7; size]), folder.file("b", &vec![7; size])];
            if !tells_of_pages(&files[0]) {
                continue;
            }
            let (reading, cancel) = (Reading::default(), Cancel::default());
            let comparing = Comparing { reading: &reading, cancel: &cancel, buffer: BUFFER };
            let mut group = Group::open(&[&files[0], &files[1]], size as u64, comparing).unwrap();
            let all = vec![vec![0, 1]];
            group.get_ready(&all).unwrap();
            let file = OpenOptions::new().write(true).open(folder.0.join("b")).unwrap();
            file.set_len(size as u64 / 2).unwrap();
            let found = group.refine_together(all, 1, &mut Buffer::new(BUFFER));
            assert_eq!(found.and_then(|classes| group.settle(classes)), None, "cut short");
            file.set_len(size as u64).unwrap();
            assert_eq!(group.settle(vec![vec![0, 1]]), None, "it has its size again, and another time");
        }
    }
}
