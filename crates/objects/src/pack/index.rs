//! The index of a pack: names of objects in order, and where each begins in the pack.

use super::PackFault;

/// The index of a pack, in version 1 or 2.
#[derive(Debug)]
pub struct PackIndex {
    bytes: Vec<u8>,
    /// The bytes of a name.
    digest: usize,
    count: usize,
    is_old: bool,
}

/// The mark of version 2, and the version.
const VERSION_2: &[u8] = b"\xfftOc\0\0\0\x02";

/// The bytes of the table of how many names begin with each byte or a lower one.
const TABLE: usize = 256 * 4;

/// The bit of an offset that is the place of a longer one.
const LONG: u32 = 1 << 31;

impl PackIndex {
    /// Reads an index whose names have this many bytes.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(bytes: Vec<u8>, digest: usize) -> Result<PackIndex, PackFault> {
        let is_old = !bytes.starts_with(VERSION_2);
        if is_old && bytes.starts_with(&VERSION_2[..4]) {
            return Err(PackFault::Unchecked("is an index of a version that is not known"));
        }
        let mut index = PackIndex { bytes, digest, count: 0, is_old };
        if index.table() + TABLE > index.bytes.len() {
            return Err(PackFault::Damaged("is too short for an index of a pack"));
        }
        index.count = index.number(index.table() + TABLE - 4) as usize;
        if !index.has_length() {
            return Err(PackFault::Damaged("has another length than an index of so many objects"));
        }
        if !index.is_sorted() {
            return Err(PackFault::Damaged("has names that are not in order"));
        }
        Ok(index)
    }

    /// Returns the number of objects.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the digest of the pack.
    pub fn pack(&self) -> &[u8] {
        let end = self.bytes.len() - self.digest;
        &self.bytes[end - self.digest..end]
    }

    /// Returns the name of an object.
    pub fn name(&self, place: usize) -> &[u8] {
        let start = if self.is_old {
            TABLE + place * (4 + self.digest) + 4
        } else {
            self.after(0) + place * self.digest
        };
        &self.bytes[start..start + self.digest]
    }

    /// Returns the checksum of the stored bytes of an object, which version 2 has.
    pub fn crc(&self, place: usize) -> Option<u32> {
        (!self.is_old).then(|| self.number(self.after(self.digest) + place * 4))
    }

    /// Returns the place in the pack at which an object begins; `None` if the index has none.
    pub fn offset(&self, place: usize) -> Option<u64> {
        if self.is_old {
            return Some(self.number(TABLE + place * (4 + self.digest)).into());
        }
        let offset = self.number(self.after(self.digest + 4) + place * 4);
        if offset & LONG == 0 {
            return Some(offset.into());
        }
        let start = self.after(self.digest + 8) + (offset ^ LONG) as usize * 8;
        let end = self.bytes.len() - 2 * self.digest;
        let long = self.bytes.get(start..start + 8).filter(|_| start + 8 <= end)?;
        Some(u64::from_be_bytes(long.try_into().ok()?))
    }

    /// Finds an object by its name.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let first = usize::from(*name.first()?);
        let (mut low, mut high) = (self.before(first), self.before(first + 1));
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Returns the place of the table.
    fn table(&self) -> usize {
        if self.is_old { 0 } else { VERSION_2.len() }
    }

    /// Returns the place in version 2 after columns of so many bytes.
    fn after(&self, columns: usize) -> usize {
        VERSION_2.len() + TABLE + self.count * columns
    }

    /// Returns the number of names that begin with a lower byte.
    fn before(&self, byte: usize) -> usize {
        if byte == 0 { 0 } else { self.number(self.table() + (byte - 1) * 4) as usize }
    }

    fn number(&self, at: usize) -> u32 {
        self.bytes.get(at..at + 4).map_or(0, |bytes| u32::from_be_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn has_length(&self) -> bool {
        let columns = if self.is_old { self.digest + 4 } else { self.digest + 8 };
        let fixed = self.table() + TABLE + 2 * self.digest;
        let least = self.count.checked_mul(columns).and_then(|columns| columns.checked_add(fixed));
        let Some(rest) = least.and_then(|least| self.bytes.len().checked_sub(least)) else { return false };
        if self.is_old {
            return rest == 0;
        }
        let start = self.after(self.digest + 4);
        let long = (0..self.count).filter(|place| self.number(start + place * 4) & LONG != 0).count();
        rest == long * 8
    }

    /// Returns whether names are in order, and the table counts them.
    fn is_sorted(&self) -> bool {
        let mut place = 0;
        for byte in 0..=255_u8 {
            let end = self.before(usize::from(byte) + 1);
            if end < place || end > self.count {
                return false;
            }
            while place < end {
                let name = self.name(place);
                if name[0] != byte || place > 0 && self.name(place - 1) > name {
                    return false;
                }
                place += 1;
            }
        }
        place == self.count
    }
}
