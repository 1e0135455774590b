//! Packed storage for the items of one side, by path: some fifty bytes beside a path and its digests, not a dozen
//! boxes.

use super::packed::{Reader, Writer};
use hashmill_content::selection::Bytes;
use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Named, Status};
use hashmill_source::{Entry, OperandDirectory, Origin};
use hashmill_store::{Delivery, Object, Stored};
use std::sync::Arc;

/// The stored form of an unknown size. No file is that long.
const NO_SIZE: u64 = u64::MAX;

/// The files and objects of one side.
#[derive(Default)]
pub(super) struct Items {
    /// The path of each item, then its description; computed digests follow where they were added.
    bytes: Vec<u8>,
    rows: Vec<PackedItem>,
    /// Positions of computed digests in `bytes` plus 1, or 0 where there are none. It is as long as `rows` once there
    /// are any, else empty.
    computed: Vec<u64>,
    /// Values that many items share.
    words: Words,
    /// Entries that can't be described by a head and an inode.
    entries: Vec<Entry>,
}

/// A file or object.
#[derive(Clone, Copy)]
struct PackedItem {
    /// Position of its path in `bytes`.
    start: u64,
    /// Size in bytes, or [`NO_SIZE`].
    size: u64,
}

/// Values that many items share, each stored once.
#[derive(Default)]
struct Words {
    algorithms: Vec<&'static Algorithm>,
    names: Vec<&'static str>,
    statuses: Vec<Status>,
    heads: Vec<Head>,
}

/// Properties that the entries of many files share.
struct Head {
    /// The part of the entry's path before the path of the item.
    before: Bytes,
    origin: Origin,
    device: u64,
    operand: Option<Arc<OperandDirectory>>,
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        let operand = |head: &Head| head.operand.as_ref().map(Arc::as_ptr);
        self.before == other.before
            && (self.origin, self.device, operand(self)) == (other.origin, other.device, operand(other))
    }
}

/// The description of a file or an object.
pub(super) enum ItemDescription {
    /// A local file.
    File(Entry),
    /// The digests that manifests state; the strength of the evidence, if they come from a store.
    Known(Vec<Named>, Option<Strength>),
    /// The listing of an object, without its key.
    Object(Object),
    /// An item that exists but can't be read.
    Unread(Status),
}

/// The kind of an item. Its number is its place in [`KINDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    File,
    /// A file with a complete entry in `entries`.
    Entry,
    Known,
    Object,
    Unread,
}

const KINDS: [ItemKind; 5] =
    [ItemKind::File, ItemKind::Entry, ItemKind::Known, ItemKind::Object, ItemKind::Unread];

impl Items {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds an item.
    pub fn push(&mut self, path: &[u8], size: Option<u64>, of: ItemDescription) {
        let start = self.write(path, of);
        self.rows.push(PackedItem { start, size: stored_size(size) });
    }

    /// Sorts the items by path. Earlier places become invalid.
    pub fn sort(&mut self) {
        let Items { rows, bytes, .. } = self;
        rows.sort_by(|one, other| path_at(bytes, *one).cmp(path_at(bytes, *other)));
    }

    /// Returns the path below the operand.
    pub fn path(&self, place: usize) -> &[u8] {
        path_at(&self.bytes, self.rows[place])
    }

    /// Returns whether an item has this path. The items must be sorted.
    pub fn has(&self, path: &[u8]) -> bool {
        self.rows.binary_search_by(|row| path_at(&self.bytes, *row).cmp(path)).is_ok()
    }

    pub fn size(&self, place: usize) -> Option<u64> {
        Some(self.rows[place].size).filter(|size| *size != NO_SIZE)
    }

    pub fn set_size(&mut self, place: usize, size: Option<u64>) {
        self.rows[place].size = stored_size(size);
    }

    /// Returns the description of an item.
    pub fn description(&self, place: usize) -> ItemDescription {
        let mut reader = self.reader(place);
        match self.kind_of(&mut reader) {
            ItemKind::File => ItemDescription::File(self.file(place, &mut reader)),
            ItemKind::Entry => ItemDescription::File(self.entries[reader.number() as usize].clone()),
            ItemKind::Known => {
                // 0 means that there is no strength.
                let strength = reader.number().checked_sub(1).map(|place| Strength::ALL[place as usize]);
                ItemDescription::Known(self.words.digests(&mut reader), strength)
            }
            ItemKind::Object => {
                ItemDescription::Object(self.words.object(self.rows[place].size, &mut reader))
            }
            ItemKind::Unread => ItemDescription::Unread(self.words.statuses[reader.number() as usize]),
        }
    }

    /// Returns the kind of an item.
    pub fn kind(&self, place: usize) -> ItemKind {
        self.kind_of(&mut self.reader(place))
    }

    /// Returns whether the item has bytes that can be read.
    pub fn is_readable(&self, place: usize) -> bool {
        matches!(self.kind(place), ItemKind::File | ItemKind::Entry | ItemKind::Object)
    }

    /// Replaces the description of an item.
    pub fn replace(&mut self, place: usize, of: ItemDescription) {
        let path = self.path(place).to_vec();
        self.put(place, &path, of);
    }

    /// Gives an item another path. The order of items does not change.
    pub fn rename(&mut self, place: usize, path: &[u8]) {
        self.put(place, path, self.description(place));
    }

    fn put(&mut self, place: usize, path: &[u8], of: ItemDescription) {
        self.rows[place].start = self.write(path, of);
    }

    /// Returns the digests that were computed for an item; `None` if there are none.
    pub fn computed(&self, place: usize) -> Option<Vec<Named>> {
        let start = self.computed.get(place)?.checked_sub(1)?;
        Some(self.words.digests(&mut Reader(&self.bytes[start as usize..])))
    }

    /// Adds computed digests to an item.
    pub fn compute(&mut self, place: usize, digests: &[Named]) {
        let mut all = self.computed(place).unwrap_or_default();
        all.extend(digests);
        self.computed.resize(self.rows.len(), 0);
        self.computed[place] = self.bytes.len() as u64 + 1;
        self.words.write_digests(&all, &mut Writer(&mut self.bytes));
    }

    /// Appends a path and a description to the bytes.
    fn write(&mut self, path: &[u8], of: ItemDescription) -> u64 {
        let start = self.bytes.len() as u64;
        let Items { bytes, words, entries, .. } = self;
        let mut writer = Writer(bytes);
        writer.text(path);
        match of {
            ItemDescription::File(entry) => match words.head(&entry, path) {
                Some(head) => {
                    writer.number(ItemKind::File as u64);
                    writer.number(head);
                    writer.number(entry.ino);
                }
                None => {
                    writer.number(ItemKind::Entry as u64);
                    writer.number(entries.len() as u64);
                    entries.push(entry);
                }
            },
            ItemDescription::Known(digests, strength) => {
                writer.number(ItemKind::Known as u64);
                writer.number(strength.map_or(0, |strength| strength as u64 + 1));
                words.write_digests(&digests, &mut writer);
            }
            ItemDescription::Object(object) => {
                writer.number(ItemKind::Object as u64);
                words.write_object(&object, &mut writer);
            }
            ItemDescription::Unread(status) => {
                writer.number(ItemKind::Unread as u64);
                writer.number(word(&mut words.statuses, status));
            }
        }
        start
    }

    /// Returns a reader of the description, behind the path.
    fn reader(&self, place: usize) -> Reader<'_> {
        let mut reader = Reader(&self.bytes[self.rows[place].start as usize..]);
        reader.text();
        reader
    }

    fn kind_of(&self, reader: &mut Reader<'_>) -> ItemKind {
        KINDS[reader.number() as usize]
    }

    fn file(&self, place: usize, reader: &mut Reader<'_>) -> Entry {
        let head = &self.words.heads[reader.number() as usize];
        let path = [&head.before, self.path(place)].concat().into();
        let (size, ino) = (self.size(place), reader.number());
        let operand = head.operand.clone();
        Entry { size, device: head.device, ino, operand, ..Entry::new(path, head.origin) }
    }
}

/// Converts a size to its stored form. A size of `NO_SIZE` is stored as one less, so that it still differs from every
/// file's.
fn stored_size(size: Option<u64>) -> u64 {
    size.map_or(NO_SIZE, |size| size.min(NO_SIZE - 1))
}

fn path_at(bytes: &[u8], row: PackedItem) -> &[u8] {
    Reader(&bytes[row.start as usize..]).text()
}

/// Returns the place of a word, which is added if it is new.
fn word<W: PartialEq>(words: &mut Vec<W>, new: W) -> u64 {
    // The last words are repeated most often.
    let known = words.iter().rposition(|word| *word == new);
    let place = known.unwrap_or(words.len());
    if known.is_none() {
        words.push(new);
    }
    place as u64
}

impl Words {
    /// Returns the head of an entry with a path that ends in `path`; `None` if the entry holds more than that.
    fn head(&mut self, entry: &Entry, path: &[u8]) -> Option<u64> {
        let before = entry.path.strip_suffix(path).filter(|_| entry.content.is_none())?;
        let Entry { origin, device, .. } = *entry;
        Some(word(
            &mut self.heads,
            Head { before: before.into(), origin, device, operand: entry.operand.clone() },
        ))
    }

    fn write_digests(&mut self, digests: &[Named], writer: &mut Writer<'_>) {
        writer.number(digests.len() as u64);
        for named in digests {
            writer.number(word(&mut self.algorithms, named.algorithm));
            writer.text(named.digest.as_bytes());
        }
    }

    fn digests(&self, reader: &mut Reader<'_>) -> Vec<Named> {
        let digest = |reader: &mut Reader<'_>| {
            let algorithm = self.algorithms[reader.number() as usize];
            Named { algorithm, digest: Digest::new(reader.text()), guessed: false }
        };
        (0..reader.number()).map(|_| digest(reader)).collect()
    }

    fn write_object(&mut self, object: &Object, writer: &mut Writer<'_>) {
        let (seconds, nanoseconds) = object.modified;
        writer.number(seconds as u64);
        writer.number(nanoseconds.into());
        writer.maybe(object.etag.as_deref());
        writer.maybe(object.version.as_deref());
        writer.number(u64::from(object.exact) | u64::from(object.delivery.is_in_order()) << 1);
        writer.number(object.stored.len() as u64);
        for Stored { name, text } in &object.stored {
            writer.number(word(&mut self.names, *name));
            writer.text(text.as_bytes());
        }
    }

    fn object(&self, size: u64, reader: &mut Reader<'_>) -> Object {
        let modified = (reader.number() as i64, reader.number() as u32);
        let (etag, version) = (reader.maybe(), reader.maybe());
        let flags = reader.number();
        let exact = flags & 1 != 0;
        let delivery = if flags & 2 != 0 { Delivery::Whole } else { Delivery::Parts };
        let stored = |reader: &mut Reader<'_>| {
            let name = self.names[reader.number() as usize];
            Stored { name, text: String::from_utf8_lossy(reader.text()).into() }
        };
        let stored = (0..reader.number()).map(|_| stored(reader)).collect();
        Object { size, modified, etag, version, exact, delivery, stored, ..Object::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{find, hash};

    fn named(name: &str, text: &[u8]) -> Named {
        let algorithm = find(name).expect("it is there");
        Named { algorithm, digest: hash(algorithm, text), guessed: false }
    }

    fn object() -> Object {
        let stored = |name, text: &str| Stored { name, text: text.into() };
        Object {
            key: Box::default(),
            size: 7,
            modified: (-1, 999_999_999),
            etag: Some("\"0123\"".into()),
            version: Some("".into()),
            exact: true,
            delivery: Delivery::Whole,
            stored: vec![stored("crc32c", "AAAAAA=="), stored("md5Hash", "")],
        }
    }

    fn entry(path: &[u8], ino: u64) -> Entry {
        Entry { size: Some(3), device: 5, ino, ..Entry::new(path.into(), Origin::Path) }
    }

    #[test]
    fn everything_comes_back_as_it_was() {
        let digests = vec![named("md5", b"a"), named("sha512", b"b"), named("s3-etag:8M", b"c")];
        let mut items = Items::default();
        items.push(b"object", Some(7), ItemDescription::Object(object()));
        items.push(b"bare", Some(0), ItemDescription::Object(Object::default()));
        for strength in Strength::ALL.into_iter().map(Some).chain([None]) {
            items.push(b"known", None, ItemDescription::Known(digests.clone(), strength));
        }
        items.push(b"file", Some(3), ItemDescription::File(entry(b"d/file", u64::MAX)));
        items.push(b"other", Some(3), ItemDescription::File(entry(b"elsewhere", 1)));
        items.push(&[0xff; 300], None, ItemDescription::Unread(Status::Changed));
        items.sort();
        let paths: Vec<&[u8]> = (0..items.len()).map(|place| items.path(place)).collect();
        assert!(paths.is_sorted() && paths[11] == [0xff; 300]);

        assert!(matches!(items.description(0), ItemDescription::Object(bare) if bare == Object::default()));
        assert!(matches!(items.description(9), ItemDescription::Object(whole) if whole == object()));
        let strengths = (2..9).map(|place| match items.description(place) {
            ItemDescription::Known(known, strength) if known == digests => strength,
            _ => panic!("{place} is another"),
        });
        assert!(strengths.eq(Strength::ALL.into_iter().map(Some).chain([None])));
        let file = |place: usize| match items.description(place) {
            ItemDescription::File(entry) => (entry.path.to_vec(), entry.size, entry.device, entry.ino),
            _ => panic!("{place} is no file"),
        };
        assert_eq!(file(1), (b"d/file".to_vec(), Some(3), 5, u64::MAX));
        assert_eq!((file(10).0, items.kind(10)), (b"elsewhere".to_vec(), ItemKind::Entry));
        assert!(matches!(items.description(11), ItemDescription::Unread(Status::Changed)));
        assert_eq!((items.size(2), items.size(0)), (None, Some(0)));
    }

    #[test]
    fn what_is_found_out_is_added() {
        let mut items = Items::default();
        items.push(b"a", Some(1), ItemDescription::File(entry(b"d/a", 1)));
        items.push(b"b", Some(1), ItemDescription::File(entry(b"d/b", 2)));
        assert!(items.computed(0).is_none() && items.computed(1).is_none());
        items.compute(1, &[named("md5", b"b")]);
        items.compute(1, &[named("sha1", b"b")]);
        assert!(items.computed(0).is_none());
        assert_eq!(items.computed(1), Some(vec![named("md5", b"b"), named("sha1", b"b")]));
        items.replace(0, ItemDescription::Unread(Status::Unreadable));
        assert!(!items.is_readable(0) && items.path(0) == b"a" && items.is_readable(1));
        items.rename(1, b"c");
        // The file to read is still the same.
        assert!(
            items.path(1) == b"c"
                && matches!(items.description(1), ItemDescription::File(entry) if *entry.path == *b"d/b")
        );
        assert_eq!(items.computed(1).map(|digests| digests.len()), Some(2));
    }

    #[test]
    fn a_lie_about_the_size_is_not_taken_for_none() {
        let mut items = Items::default();
        items.push(
            b"a",
            Some(u64::MAX),
            ItemDescription::Object(Object { size: u64::MAX, ..Object::default() }),
        );
        assert!(items.size(0).is_some());
        items.set_size(0, None);
        assert_eq!(items.size(0), None);
    }

    #[test]
    fn little_is_needed_beside_a_path_and_its_digests() {
        const EACH: usize = 1000;
        const PATH: usize = 27;
        let held = |of: &dyn Fn(usize) -> ItemDescription| {
            let mut items = Items::default();
            for number in 0..EACH {
                items.push(format!("data/0000/object-{number:07}.bi").as_bytes(), Some(1 << 20), of(number));
            }
            (items.bytes.len() + items.rows.len() * size_of::<PackedItem>()) / EACH - PATH
        };
        let etag = || Some(format!("\"{:032x}\"", 1).into());
        let listed =
            |_| ItemDescription::Object(Object { modified: (1 << 31, 0), etag: etag(), ..Object::default() });
        assert!(held(&listed) <= 34 + 32, "{}", held(&listed));
        let known = |_| ItemDescription::Known(vec![named("md5", b"")], None);
        assert!(held(&known) <= 16 + 24, "{}", held(&known));
        let path = |number| format!("somewhere/data/0000/object-{number:07}.bi");
        let file = |number| ItemDescription::File(entry(path(number).as_bytes(), 1 << 40));
        assert!(held(&file) <= 32, "{}", held(&file));
    }
}
