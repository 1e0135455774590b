//! One side of a comparison: its items, by path.

use super::items::{ItemDescription, ItemKind, Items};
use super::operand::Operand;
use crate::audit::Manifests;
use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Bytes, Selected, Selection, below};
use hashmill_content::stores::{Stores, advised};
use hashmill_evidence::Evidence;
use hashmill_manifest::audit::{self, find_prefix};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Named, Status};
use hashmill_os::names;
use hashmill_source::{ParentCache, Skip, WalkItem};
use hashmill_store::{Cause, Doing, Location, Object, Store};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// A side of a comparison.
#[derive(Default)]
pub(super) struct Side {
    /// The items, in the order of paths.
    pub items: Items,
    /// The store and the location in it, if the side is in a store.
    pub store: Option<Store>,
    stores: Stores,
    location: Option<Location>,
    /// Evidence of objects that the store was asked about, by their places: more than their listing contains.
    asked: HashMap<usize, Evidence>,
    /// Strength of the evidence of objects for which the answers are not kept any more.
    strengths: HashMap<usize, Strength>,
    /// The manifests, until their paths were matched with those of the other side.
    manifests: Option<Box<Manifests>>,
    /// Errors of entries that could not be listed or examined.
    pub failed: Vec<hashmill_source::Error>,
    /// Paths below which the items are unknown.
    pub apart: Vec<Bytes>,
    /// Number of parts of manifests that can't be parsed.
    pub malformed: u64,
    /// Whether it is one named file or object: its name does not matter.
    single: bool,
}

/// The content of an item, for comparison.
#[allow(clippy::large_enum_variant, reason = "there are two at a time, not many")]
pub(super) enum ItemContent<'a> {
    /// A local file, and the digests that were computed so far.
    File(Vec<Named>),
    /// The digests that manifests state; the strength of the evidence, if they come from a store.
    Known(Vec<Named>, Option<Strength>),
    /// The evidence of an object in a store.
    Object(Cow<'a, Evidence>),
    /// An item that can't be read.
    Unread(Status),
}

impl Side {
    /// Lists a side.
    ///
    /// # Errors
    /// If a manifest or a location is not usable.
    pub fn list(
        operand: Operand,
        selection: &Selection,
        resources: &Resources,
        told: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Side, Error> {
        let mut side = match operand {
            Operand::Path(path) => Side::of_path(&path, selection, resources)?,
            Operand::Manifests(lists) => Side::of_manifests(Manifests::default().read(lists, None, told)?),
            Operand::Location(location) => Side::of_location(&location, &resources.stores)?,
        };
        side.items.sort();
        Ok(side)
    }

    fn of_path(path: &Path, selection: &Selection, resources: &Resources) -> Result<Side, Error> {
        let mut side = Side::default();
        let operand = &*names::path_bytes(path);
        let selection = Selection { paths: vec![operand.into()], ..selection.clone() };
        let Selected { entries, .. } = selection.open(resources)?;
        let place = |path: &[u8]| -> Bytes {
            let rest = below(path, operand);
            // The operand may be the file itself.
            let name = || operand.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if rest.is_empty() { name().into() } else { rest.into() }
        };
        side.single = path.is_file();
        let mut parents = ParentCache::default();
        for found in entries {
            match found {
                WalkItem::File(entry) => {
                    let size = entry.size.or_else(|| Some(parents.meta(&entry).ok()?.size));
                    side.items.push(&place(&entry.path), size, ItemDescription::File(entry));
                }
                WalkItem::Skipped { path, why: Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem } => {
                    side.apart.push(place(&path));
                }
                WalkItem::Skipped { .. } => {}
                WalkItem::Failed(error) => {
                    side.apart.push(place(&error.path));
                    side.failed.push(error);
                }
            }
        }
        Ok(side)
    }

    fn of_manifests(manifests: Manifests) -> Side {
        Side { malformed: manifests.malformed, manifests: Some(Box::new(manifests)), ..Side::default() }
    }

    fn of_location(location: &Location, stores: &Stores) -> Result<Side, Error> {
        let store = stores.store(location)?;
        let mut side = Side::default();
        if !location.is_folder() {
            let object = store.find_sized(location).map_err(|error| advised(error, location))?;
            side.single = true;
            side.items.push(location.name(), Some(object.size), ItemDescription::Object(object));
        } else {
            let prefix = location.key().len();
            let mut met = location.key().is_empty();
            for object in store.list(location.key()) {
                let mut object = object?;
                met = true;
                let key = std::mem::take(&mut object.key);
                let path = &key[prefix.min(key.len())..];
                // A placeholder for a folder is empty, and no file can have its name.
                let folder = object.size == 0 && (path.is_empty() || path.ends_with(b"/"));
                if !folder {
                    side.items.push(path, Some(object.size), ItemDescription::Object(object));
                }
            }
            if !met {
                let location = location.to_string().into();
                return Err(hashmill_store::Error {
                    location,
                    doing: Doing::Look,
                    cause: Cause::NothingBelow,
                }
                .into());
            }
        }
        side.store = Some(store);
        side.stores = stores.clone();
        side.location = Some(location.clone());
        Ok(side)
    }

    /// Returns the content of an item. Evidence from a listing is evaluated when it is needed: to keep it would take
    /// hundreds of bytes for each of a million objects.
    pub fn content(&self, place: usize) -> ItemContent<'_> {
        if let Some(evidence) = self.asked.get(&place).filter(|_| self.items.kind(place) == ItemKind::Object)
        {
            return ItemContent::Object(Cow::Borrowed(evidence));
        }
        match self.items.description(place) {
            ItemDescription::File(_) => ItemContent::File(self.items.computed(place).unwrap_or_default()),
            ItemDescription::Known(digests, strength) => ItemContent::Known(digests, strength),
            ItemDescription::Object(object) => ItemContent::Object(Cow::Owned(self.listed(&object))),
            ItemDescription::Unread(status) => ItemContent::Unread(status),
        }
    }

    /// Returns the complete key of an object.
    pub fn key(&self, place: usize) -> Vec<u8> {
        match &self.location {
            Some(location) if location.is_folder() => [location.key(), self.items.path(place)].concat(),
            Some(location) => location.key().to_vec(),
            None => Vec::new(),
        }
    }

    /// Returns where an item lies, with the access to it; `None` if it is a record.
    pub fn place_of(&self, place: usize) -> Option<(Bytes, Stores)> {
        match (self.items.description(place), &self.location) {
            (ItemDescription::File(entry), _) => Some((entry.path, Stores::default())),
            (ItemDescription::Object(_), Some(location)) => {
                let object = location.is_folder().then(|| location.with_key(&self.key(place)));
                Some((object.as_ref().unwrap_or(location).typed(), self.stores.clone()))
            }
            _ => None,
        }
    }

    /// Returns the evidence in the listing of an object.
    fn listed(&self, object: &Object) -> Evidence {
        match &self.location {
            Some(location) => Evidence::listed(location, object),
            None => Evidence::of_size(object.size),
        }
    }

    /// Returns the evidence of an object so that answers can be added to it; `None` if the item is not an object.
    pub fn evidence_mut(&mut self, place: usize) -> Option<&mut Evidence> {
        let ItemDescription::Object(object) = self.items.description(place) else { return None };
        if !self.asked.contains_key(&place) {
            let listed = self.listed(&object);
            self.asked.insert(place, listed);
        }
        self.asked.get_mut(&place)
    }

    /// Drops all answers if there are more than `most`. They must be requested again if they are needed.
    pub fn forget(&mut self, most: usize) {
        if self.asked.len() > most {
            let strengths = self.asked.drain().map(|(place, evidence)| (place, evidence.strength()));
            self.strengths.extend(strengths);
        }
    }

    /// Returns the status of an item in verdicts.
    pub fn status(&self, place: usize) -> Status {
        match self.content(place) {
            ItemContent::File(_) | ItemContent::Known(_, None) => Status::Hashed,
            ItemContent::Known(_, Some(strength)) => Status::Stored(strength),
            ItemContent::Object(evidence) => {
                let before = self.strengths.get(&place).filter(|_| !self.asked.contains_key(&place));
                Status::Stored(before.copied().unwrap_or_else(|| evidence.strength()))
            }
            ItemContent::Unread(status) => status,
        }
    }

    /// Returns the exact digests of an item: computed ones, or those that manifests state. An object that was not read
    /// has none.
    pub fn digests(&self, place: usize) -> Vec<Named> {
        match self.items.description(place) {
            ItemDescription::File(_) | ItemDescription::Object(_) => {
                self.items.computed(place).unwrap_or_default()
            }
            ItemDescription::Known(digests, _) => digests,
            ItemDescription::Unread(_) => Vec::new(),
        }
    }

    /// Returns the content of an item as verdicts show it.
    pub fn shown(&self, place: usize) -> audit::Content {
        let digests = match self.content(place) {
            ItemContent::File(digests) | ItemContent::Known(digests, _) => digests,
            ItemContent::Object(evidence) => {
                self.items.computed(place).unwrap_or_else(|| evidence.digests.clone())
            }
            ItemContent::Unread(_) => Vec::new(),
        };
        audit::Content { size: self.items.size(place), mtime: None, digests }
    }

    /// Returns the number of objects that were compared by evidence alone.
    pub fn compared(&self) -> u64 {
        let told = |place: &usize| {
            self.items.kind(*place) == ItemKind::Object && self.items.computed(*place).is_none()
        };
        (0..self.items.len()).filter(told).count() as u64
    }

    /// Returns the entries of the files to read. Objects are requested ahead of their readers.
    pub fn entries(&self, places: &[usize]) -> Vec<WalkItem> {
        let ahead = self.store.as_ref().map(Store::ahead);
        let entry = |place: &usize| match (self.items.description(*place), &ahead) {
            (ItemDescription::File(entry), _) => Some(WalkItem::File(entry)),
            (ItemDescription::Object(object), Some(ahead)) => {
                let coming = ahead.announce(Object { key: self.key(*place).into(), ..object });
                Some(self.stores.entry(self.items.path(*place).into(), coming))
            }
            _ => None,
        };
        places.iter().filter_map(entry).collect()
    }

    /// Matches the paths of manifests with those of the other side.
    pub fn meet(one: &mut Side, other: &mut Side) {
        one.place(other);
        other.place(one);
        // Two single files or objects are compared whatever their names are.
        if one.single && other.single && one.items.len() == 1 && other.items.len() == 1 {
            other.items.rename(0, one.items.path(0));
        }
    }

    /// Adds the records of the manifests. Their paths are keys here: bytes, and no two of them are equal. Only a prefix
    /// that all paths of one side have may differ from the other side.
    fn place(&mut self, other: &Side) {
        let Some(Manifests { mut known, unread, .. }) = self.manifests.take().map(|manifests| *manifests)
        else {
            return;
        };
        known.take_as_keys();
        let before = find_prefix(known.local_paths(), &mut |key| other.items.has(key));
        let keys = (0..other.items.len()).map(|place| other.items.path(place).to_vec());
        let above = before.is_none().then(|| find_prefix(keys, &mut |key| known.names(key))).flatten();
        let there = |key: &[u8]| match (&before, &above) {
            (Some(before), _) => key.strip_prefix(&**before).unwrap_or(key).to_vec(),
            (None, Some(above)) => [above, key].concat(),
            (None, None) => key.to_vec(),
        };
        let mut in_pieces = BTreeSet::new();
        for record in known.records() {
            if record.piece.is_some() {
                in_pieces.insert(there(&record.path));
                continue;
            }
            let of = ItemDescription::Known(record.digests, record.status.strength());
            self.items.push(&there(&record.path), record.size, of);
        }
        for record in &unread {
            self.items.push(&there(&record.path), record.size, ItemDescription::Unread(record.status));
        }
        self.items.sort();
        // No store proves pieces: a file that is listed in these alone is there or missing.
        in_pieces.retain(|path| !self.items.has(path));
        for path in &in_pieces {
            self.items.push(path, None, ItemDescription::Known(Vec::new(), None));
        }
        self.items.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_strong_an_answer_was_is_not_forgotten() {
        let mut side = Side::default();
        side.items.push(b"a", Some(3), ItemDescription::Object(Object { size: 3, ..Object::default() }));
        assert_eq!(side.status(0), Status::Stored(Strength::Size));
        let algorithm = hashmill_digest::find("crc32c").expect("it is there");
        let digest = hashmill_digest::hash(algorithm, b"abc");
        let evidence = side.evidence_mut(0).expect("it is an object");
        evidence.digests.push(Named { algorithm, digest, guessed: false });
        side.forget(1);
        assert!(matches!(side.content(0), ItemContent::Object(Cow::Borrowed(_))));
        side.forget(0);
        assert!(matches!(side.content(0), ItemContent::Object(Cow::Owned(_))));
        assert_eq!(side.status(0), Status::Stored(Strength::Crc));
    }
}
