//! Makes the objects of a tree of deltas, and compares their digests with their names.
//!
//! A tree is made from its root down, so that each delta is applied once. The objects above the current one wait in
//! memory for their other deltas. Where there is no room for them, the uppermost are dropped and made again later. An
//! object without deltas, which may be of any size, is not held in memory.

use super::inflate::Inflater;
use super::{PackFault, PackObjects, delta};
use hashmill_digest::{Algorithm, Bank, Digest, StreamPart};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most deltas from an object down to a root: git makes no longer chains.
const DEEPEST: usize = 4096;

/// The fault of an object that does not fit into memory.
const TOO_LARGE: &str = "takes more memory than there is for it";

/// An object of a tree of deltas takes more memory than there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Unpacks objects, one tree of deltas after the other.
pub struct Unpacker<'a> {
    objects: &'a PackObjects<'a>,
    bank: Box<dyn Bank>,
    inflater: Inflater,
    /// The bytes of memory that objects may take.
    room: u64,
    /// The bytes that may still be made of the pack, by all that unpack it.
    left: &'a AtomicU64,
    /// Returns whether to end early.
    stop: &'a (dyn Fn() -> bool + Sync),
    large: Large,
}

/// The way to treat a tree of deltas that does not fit into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Large {
    /// [`Unpacker::check`] fails: another unpacker may have more room.
    Fails,
    /// The objects that do not fit are told.
    IsTold,
}

/// An object on the way from the root to that which is made.
struct Level {
    number: usize,
    /// The place of its next delta.
    next: usize,
    data: Option<Vec<u8>>,
}

/// The reason why a delta was not applied.
enum Failure {
    TooLarge,
    Fault(PackFault),
}

impl From<PackFault> for Failure {
    fn from(fault: PackFault) -> Failure {
        Failure::Fault(fault)
    }
}

/// Takes the number of an object that is not right, and the reason.
type Teller<'t> = dyn FnMut(usize, PackFault) + 't;

impl<'a> Unpacker<'a> {
    /// Creates an unpacker whose objects take at most `room` bytes of memory. All that unpack a pack share `left`, the
    /// bytes that may be made of it: a pack that is made for that could take years.
    pub fn new(
        objects: &'a PackObjects<'a>,
        algorithm: &Algorithm,
        room: u64,
        left: &'a AtomicU64,
        stop: &'a (dyn Fn() -> bool + Sync),
        large: Large,
    ) -> Unpacker<'a> {
        Unpacker { objects, bank: (algorithm.bank)(), inflater: Inflater::new(), room, left, stop, large }
    }

    /// Checks a root and all its deltas, and tells which are not right.
    ///
    /// # Errors
    /// [`TooLarge`] with [`Large::Fails`]. What was told until then will be told again.
    pub fn check(&mut self, root: usize, tell: &mut Teller<'_>) -> Result<(), TooLarge> {
        let word = match self.begin(root) {
            Ok(word) => word,
            Err(fault) => {
                self.fail(root, fault, tell);
                return Ok(());
            }
        };
        if self.objects.deltas(root).is_empty() {
            if let Err(fault) = self.stream(root, word) {
                tell(root, fault);
            }
            return Ok(());
        }
        if self.large == Large::IsTold && self.objects.head(root).is_ok_and(|(_, size, _)| size > self.room) {
            self.check_large(root, word, tell);
            return Ok(());
        }
        match self.whole(root) {
            Err(Failure::TooLarge) => Err(TooLarge),
            Err(Failure::Fault(fault)) => {
                self.fail(root, fault, tell);
                Ok(())
            }
            Ok((data, crc)) => {
                self.compare(root, word, &data, crc, tell);
                self.descend(Level { number: root, next: 0, data: Some(data) }, word, tell)
            }
        }
    }

    /// Checks a root that does not fit into memory, and tells that its deltas can't be made.
    fn check_large(&mut self, root: usize, word: &str, tell: &mut Teller<'_>) {
        if let Err(fault) = self.stream(root, word) {
            tell(root, fault);
        }
        for delta in self.objects.deltas(root) {
            self.fail(*delta as usize, PackFault::Unchecked(TOO_LARGE), tell);
        }
    }

    /// Returns the content of one object; none if it has more bytes than `most`.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn content(&mut self, number: usize, most: u64) -> Result<Option<Vec<u8>>, PackFault> {
        let mut chain = vec![number];
        while let Some(base) = chain.last().and_then(|last| self.objects.base_of(*last)) {
            if chain.len() > DEEPEST {
                return Err(PackFault::Unchecked("is a delta of more than 4096 others"));
            }
            chain.push(base);
        }
        self.made(chain, most).map_err(|failure| match failure {
            Failure::Fault(fault) => fault,
            Failure::TooLarge => PackFault::Unchecked(TOO_LARGE),
        })
    }

    /// Makes the first object of a chain of deltas, whose last is a root.
    fn made(&mut self, mut chain: Vec<usize>, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let root = chain.pop().unwrap_or_default();
        self.begin(root)?;
        let (_, size, head) = self.objects.head(*chain.first().unwrap_or(&root))?;
        let size = if chain.is_empty() {
            size
        } else {
            self.make_room(&mut [], size)?;
            let (delta, _) = self.inflated(chain[0], size, head)?;
            delta::sizes(&delta).ok_or(PackFault::Damaged("is no delta"))?.1
        };
        if size > most {
            return Ok(None);
        }
        let mut levels = [Level { number: root, next: 0, data: Some(self.whole(root)?.0) }];
        while let Some(number) = chain.pop() {
            let (data, _) = self.apply(&mut levels, number)?;
            levels = [Level { number, next: 0, data: Some(data) }];
        }
        let [Level { data, .. }] = levels;
        Ok(data)
    }

    /// Tells that an object can't be made, and so none of its deltas.
    pub fn fail(&self, number: usize, fault: PackFault, tell: &mut Teller<'_>) {
        let is_damaged = matches!(fault, PackFault::Damaged(_));
        tell(number, fault);
        let mut queue = self.objects.deltas(number).to_vec();
        while let Some(number) = queue.pop() {
            let why = "is a delta of an object that can't be made";
            tell(
                number as usize,
                if is_damaged { PackFault::Damaged(why) } else { PackFault::Unchecked(why) },
            );
            queue.extend(self.objects.deltas(number as usize));
        }
    }

    /// Returns the type of a root.
    fn begin(&self, root: usize) -> Result<&'static str, PackFault> {
        let (word, _, _) = self.objects.head(root)?;
        word.ok_or(PackFault::Damaged("is a delta of an object that the pack lacks"))
    }

    /// Makes all deltas of a root.
    fn descend(&mut self, root: Level, word: &'static str, tell: &mut Teller<'_>) -> Result<(), TooLarge> {
        let mut levels = vec![root];
        while let Some(level) = levels.last_mut().filter(|_| !(self.stop)()) {
            let Some(child) = self.objects.deltas(level.number).get(level.next) else {
                levels.pop();
                continue;
            };
            let child = *child as usize;
            level.next += 1;
            if levels.len() > DEEPEST {
                self.fail(child, PackFault::Unchecked("is a delta of more than 4096 others"), tell);
                continue;
            }
            match self.apply(&mut levels, child) {
                Err(Failure::TooLarge) => return Err(TooLarge),
                Err(Failure::Fault(fault)) => self.fail(child, fault, tell),
                Ok((data, crc)) => {
                    self.compare(child, word, &data, crc, tell);
                    let deltas = self.objects.deltas(child);
                    release(self.objects, &mut levels);
                    if !deltas.is_empty() {
                        levels.push(Level { number: child, next: 0, data: Some(data) });
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes an object from the last of these levels.
    fn apply(&mut self, levels: &mut [Level], child: usize) -> Result<(Vec<u8>, u32), Failure> {
        self.restore(levels)?;
        let (delta, crc) = self.delta(child, levels, 0)?;
        let base = levels.last().and_then(|level| level.data.as_deref()).unwrap_or_default();
        Ok((self.result(base, &delta)?, crc))
    }

    /// Makes the object of the last level again, if it was dropped.
    fn restore(&mut self, levels: &mut [Level]) -> Result<(), Failure> {
        let Some(from) = levels.iter().rposition(|level| level.data.is_some()) else {
            levels[0].data = Some(self.whole(levels[0].number)?.0);
            return self.restore(levels);
        };
        let last = levels.len() - 1;
        let mut made: Option<Vec<u8>> = None;
        for number in from + 1..=last {
            let held = made.as_ref().map_or(0, Vec::len);
            let (delta, _) = self.delta(levels[number].number, &mut levels[..number], held)?;
            let base = made.as_deref().or(levels[from].data.as_deref()).unwrap_or_default();
            made = Some(self.result(base, &delta)?);
        }
        if made.is_some() {
            levels[last].data = made;
        }
        Ok(())
    }

    /// Decompresses a delta, and drops levels until there is room for its result, beside so many other bytes.
    fn delta(&mut self, child: usize, levels: &mut [Level], held: usize) -> Result<(Vec<u8>, u32), Failure> {
        let (_, size, head) = self.objects.head(child)?;
        let others = held as u64;
        self.make_room(levels, size.saturating_add(others))?;
        let (delta, crc) = self.inflated(child, size, head)?;
        let (_, result, _) = delta::sizes(&delta).ok_or(PackFault::Damaged("is no delta"))?;
        self.make_room(levels, size.saturating_add(result).saturating_add(others))?;
        Ok((delta, crc))
    }

    fn result(&self, base: &[u8], delta: &[u8]) -> Result<Vec<u8>, Failure> {
        let size = delta::sizes(delta).map_or(0, |(_, size, _)| size);
        self.count(size)?;
        delta::apply(base, delta).ok_or(Failure::Fault(PackFault::Damaged("is no delta of its base")))
    }

    /// Makes a root that has deltas.
    fn whole(&mut self, root: usize) -> Result<(Vec<u8>, u32), Failure> {
        let (_, size, head) = self.objects.head(root)?;
        if size > self.room { Err(self.too_large()) } else { Ok(self.inflated(root, size, head)?) }
    }

    /// Drops the data of the uppermost levels until there is room for so many bytes beside those of the last one.
    fn make_room(&self, levels: &mut [Level], bytes: u64) -> Result<(), Failure> {
        let size = |level: &Level| level.data.as_ref().map_or(0, Vec::len) as u64;
        let mut needed = levels.iter().map(size).sum::<u64>().saturating_add(bytes);
        let others = levels.len().saturating_sub(1);
        for level in &mut levels[..others] {
            if needed <= self.room {
                break;
            }
            needed -= size(level);
            level.data = None;
        }
        if needed <= self.room { Ok(()) } else { Err(self.too_large()) }
    }

    fn too_large(&self) -> Failure {
        match self.large {
            Large::Fails => Failure::TooLarge,
            Large::IsTold => PackFault::Unchecked(TOO_LARGE).into(),
        }
    }

    /// Decompresses what is stored of an object.
    fn inflated(&mut self, number: usize, size: u64, head: usize) -> Result<(Vec<u8>, u32), PackFault> {
        self.count(size)?;
        let (part, mut bytes) = (self.objects.part(number), Vec::new());
        let crc = self
            .inflater
            .run(self.objects.reader(), part, head, size, &mut |more| bytes.extend_from_slice(more))?;
        Ok((bytes, crc))
    }

    /// Checks an object of any size that has no deltas.
    fn stream(&mut self, number: usize, word: &str) -> Result<(), PackFault> {
        let (_, size, head) = self.objects.head(number)?;
        self.count(size)?;
        let (slot, bank) = (self.bank.open(), &mut self.bank);
        let mut take = |bytes: &[u8], last| bank.update(&[StreamPart { slot, bytes, last }]);
        take(git_header(word, size).as_bytes(), false);
        let (reader, part) = (self.objects.reader(), self.objects.part(number));
        let crc = self.inflater.run(reader, part, head, size, &mut |bytes| take(bytes, false));
        take(b"", true);
        let digest = self.bank.close(slot);
        self.problem(number, digest, crc?).map_or(Ok(()), Err)
    }

    /// Compares an object with its name.
    fn compare(&mut self, number: usize, word: &str, data: &[u8], crc: u32, tell: &mut Teller<'_>) {
        let (slot, header) = (self.bank.open(), git_header(word, data.len() as u64));
        let header = StreamPart { slot, bytes: header.as_bytes(), last: false };
        self.bank.update(&[header, StreamPart { slot, bytes: data, last: true }]);
        let digest = self.bank.close(slot);
        if let Some(fault) = self.problem(number, digest, crc) {
            tell(number, fault);
        }
    }

    fn problem(&self, number: usize, digest: Digest, crc: u32) -> Option<PackFault> {
        if digest.as_bytes() != self.objects.name(number) {
            return Some(PackFault::Damaged("has another digest than its name says"));
        }
        let is_other = self.objects.crc(number).is_some_and(|stored| stored != crc);
        is_other.then_some(PackFault::Damaged("has another checksum (CRC-32) than the index says"))
    }

    /// Counts bytes that will be made.
    fn count(&self, size: u64) -> Result<(), PackFault> {
        let less =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(size));
        less.map(drop).map_err(|_| PackFault::Unchecked("is in a pack that unpacks to too many bytes"))
    }
}

impl std::fmt::Debug for Unpacker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Unpacker({:?})", self.objects)
    }
}

/// Drops the data of the last level if all its deltas were made.
fn release(objects: &PackObjects<'_>, levels: &mut [Level]) {
    if let Some(level) = levels.last_mut().filter(|level| level.next == objects.deltas(level.number).len()) {
        level.data = None;
    }
}

/// Returns what git hashes before an object.
fn git_header(word: &str, size: u64) -> String {
    format!("{word} {size}\0")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Made, whole};
    use super::*;
    use hashmill_digest::{find, hash};
    use std::collections::BTreeMap;

    /// Returns what is told of a pack: numbers and reasons.
    fn told(made: &Made, room: u64, left: u64) -> BTreeMap<usize, String> {
        let (index, left, stop) = (made.index(), AtomicU64::new(left), || false);
        let objects = PackObjects::find(&index, made, 20, made.pack.len() as u64).unwrap();
        let sha1 = find("sha1").unwrap();
        let mut unpacker = Unpacker::new(&objects, sha1, room, &left, &stop, Large::IsTold);
        let mut all = BTreeMap::new();
        for root in objects.roots() {
            let checked = unpacker.check(root, &mut |number, fault| {
                assert!(all.insert(number, fault.to_string()).is_none());
            });
            checked.unwrap();
        }
        for number in objects.circular() {
            assert!(all.insert(number, "circle".to_owned()).is_none());
        }
        all
    }

    /// Returns a tree of deltas: each object has 1000 bytes and is a delta of one before it.
    fn tree(count: usize, base: impl Fn(usize) -> usize) -> Made {
        let mut made = Made::default();
        let mut contents = vec![vec![7; 1000]];
        made.add(whole(&contents[0]), "blob", &contents[0]);
        for number in 1..count {
            let base = base(number);
            let text = number.to_le_bytes();
            // All but the last bytes of the base, and the number.
            let delta = [&b"\xe8\x07\xe8\x07\xb0\xe0\x03\x08"[..], &text].concat();
            let content = [&contents[base][..992], &text].concat();
            made.add_delta(base, &delta, &content);
            contents.push(content);
        }
        made
    }

    #[test]
    fn trees_of_deltas_are_made_with_little_memory() {
        for made in
            [tree(300, |number| number - 1), tree(300, |number| number / 2), tree(300, |number| number / 7)]
        {
            assert_eq!(told(&made, 1 << 20, u64::MAX), BTreeMap::new());
            assert_eq!(told(&made, 2100, u64::MAX), BTreeMap::new());
            let small = told(&made, 1500, u64::MAX);
            assert_eq!(small.len(), 299);
            assert!(small[&1].contains("more memory"));
        }
    }

    #[test]
    fn too_many_bytes_and_too_long_chains_are_told() {
        let made = tree(4200, |number| number - 1);
        let deep = told(&made, 1 << 20, u64::MAX);
        assert_eq!((deep.len(), *deep.first_key_value().unwrap().0), (4200 - DEEPEST - 1, DEEPEST + 1));
        assert!(deep[&(DEEPEST + 1)].contains("4096"));
        let many = told(&made, 1 << 20, 500_000);
        assert!(many.len() > 3700 && many.values().next().unwrap().contains("too many bytes"));
    }

    #[test]
    fn wrong_objects_are_told_alone_or_with_their_deltas() {
        let mut made = tree(9, |number| number / 2);
        made.names[3] = [9; 20];
        let wrong = told(&made, 1 << 20, u64::MAX);
        assert_eq!(wrong.keys().copied().collect::<Vec<_>>(), [3]);
        let mut made = tree(3, |number| number - 1);
        let bad = made.add_delta(2, b"\xe8\x07\x04\x03xyz", b"xyz");
        made.add_delta(bad, b"\x03\x03\x90\x03", b"xyz");
        let wrong = told(&made, 1 << 20, u64::MAX);
        assert_eq!(wrong.keys().copied().collect::<Vec<_>>(), [3, 4]);
        assert!(wrong[&3].contains("no delta of its base") && wrong[&4].contains("can't be made"));
    }

    #[test]
    fn bases_are_named_and_must_be_there() {
        let (base, content) = (b"abc".as_slice(), b"abcabc".as_slice());
        let delta = b"\x03\x06\x90\x03\x90\x03";
        let mut made = Made::default();
        // The base comes after its delta.
        let name = hash(find("sha1").unwrap(), b"blob 3\0abc");
        made.add_named(name.as_bytes(), delta, content);
        made.add(whole(base), "blob", base);
        assert_eq!(told(&made, 1 << 20, u64::MAX), BTreeMap::new());
        made.add_named(&[3; 20], delta, content);
        let thin = told(&made, 1 << 20, u64::MAX);
        assert!(thin.len() == 1 && thin[&2].contains("the pack lacks"), "{thin:?}");
        let mut made = Made::default();
        made.add_named(&[1; 20], delta, content);
        made.add_named(&[2; 20], delta, content);
        (made.names[0], made.names[1]) = ([2; 20], [1; 20]);
        assert_eq!(told(&made, 1 << 20, u64::MAX).into_values().collect::<Vec<_>>(), ["circle", "circle"]);
    }

    #[test]
    fn stored_bytes_must_have_their_size_and_checksum() {
        let stored = whole(b"abc");
        let mut cut = stored.clone();
        cut.pop();
        let fault = |stored: &[u8]| {
            let mut made = Made::default();
            made.add(stored.to_vec(), "blob", b"abc");
            told(&made, 1 << 20, u64::MAX).remove(&0).unwrap_or_default()
        };
        assert_eq!(fault(&stored), "");
        assert!(fault(&cut).contains("shorter"));
        assert!(fault(&[&stored[..], b"x"].concat()).contains("after its end"));
        assert!(fault(&[&b"\x32"[..], &stored[1..]].concat()).contains("longer"));
        assert!(fault(&[&b"\x34"[..], &stored[1..]].concat()).contains("shorter"));
        assert!(fault(&[&b"\x33"[..], b"noise and more"].concat()).contains("not well compressed"));
        assert!(fault(b"\x03").contains("no head"));
        let mut made = Made::default();
        made.add(stored, "blob", b"abc");
        made.crcs[0] ^= 1;
        assert!(told(&made, 1 << 20, u64::MAX)[&0].contains("CRC-32"));
    }
}
