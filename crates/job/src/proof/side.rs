//! One side of a comparison: what is there, by its path.

use super::items::{Items, Kind, Of};
use super::operand::Operand;
use crate::audit::Manifests;
use crate::error::Error;
use crate::notice::Notice;
use crate::resources::Resources;
use crate::selection::{Bytes, Selected, Selection, below};
use crate::stores;
use hashloom_evidence::Evidence;
use hashloom_manifest::audit::{self, find_prefix};
use hashloom_manifest::stored::Strength;
use hashloom_manifest::{Named, Status};
use hashloom_source::{Found, ParentCache, Problem, Skip};
use hashloom_store::{Location, Object, Store};
use std::borrow::Cow;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// One side.
pub(super) struct Side {
    /// What is there, in the order of paths.
    pub items: Items,
    /// The store, if it is in one, and where in it.
    pub store: Option<Store>,
    location: Option<Location>,
    /// What is known of objects that were asked for, by their places: more than their listing says.
    asked: HashMap<usize, Evidence>,
    /// How strong the proof was for objects whose answers are not kept any more.
    strengths: HashMap<usize, Strength>,
    /// The manifests, until their paths are those of the other side.
    manifests: Option<Box<Manifests>>,
    /// What could not be listed or looked at.
    pub failed: Vec<hashloom_source::Error>,
    /// Paths below which nothing is known.
    pub apart: Vec<Bytes>,
    /// Parts of manifests that were not understood.
    pub malformed: u64,
    /// It is one file or object, whatever its name.
    single: bool,
}

/// What there is to compare with.
#[allow(clippy::large_enum_variant, reason = "there are two at a time, not many")]
pub(super) enum Content<'a> {
    /// A file, and the digests that were computed so far.
    File(Vec<Named>),
    /// What manifests say; how strong that is, if it is only stored.
    Known(Vec<Named>, Option<Strength>),
    /// What a store says.
    Object(Cow<'a, Evidence>),
    /// It can't be read.
    Unread(Status),
}

impl Side {
    /// Lists what is there.
    ///
    /// # Errors
    /// If a manifest or a location is not usable.
    pub fn of(
        operand: Operand,
        selection: &Selection,
        resources: &Resources,
        told: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Side, Error> {
        let mut side = match operand {
            Operand::Path(path) => Side::of_path(&path, selection, resources)?,
            Operand::Manifests(lists) => Side::of_manifests(Manifests::default().read(lists, None, told)?),
            Operand::Location(location) => Side::of_location(&location)?,
        };
        side.items.sort();
        Ok(side)
    }

    fn empty() -> Side {
        let (failed, apart) = (Vec::new(), Vec::new());
        Side {
            items: Items::default(),
            store: None,
            location: None,
            asked: HashMap::new(),
            strengths: HashMap::new(),
            manifests: None,
            failed,
            apart,
            malformed: 0,
            single: false,
        }
    }

    fn of_path(path: &Path, selection: &Selection, resources: &Resources) -> Result<Side, Error> {
        let mut side = Side::empty();
        let operand = path.as_os_str().as_bytes();
        let selection = Selection { paths: vec![operand.into()], ..selection.clone() };
        let Selected { entries, .. } = selection.open(resources.timeout)?;
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
                Found::File(entry) => {
                    let size = entry.size.or_else(|| Some(parents.meta(&entry).ok()?.size));
                    side.items.push(&place(&entry.path), size, Of::File(entry));
                }
                Found::Skipped { path, why: Skip::Filtered | Skip::Ignored | Skip::OtherFileSystem } => {
                    side.apart.push(place(&path));
                }
                Found::Skipped { .. } => {}
                Found::Failed(error) => {
                    side.apart.push(place(&error.path));
                    side.failed.push(error);
                }
            }
        }
        Ok(side)
    }

    fn of_manifests(manifests: Manifests) -> Side {
        Side { malformed: manifests.malformed(), manifests: Some(Box::new(manifests)), ..Side::empty() }
    }

    fn of_location(location: &Location) -> Result<Side, Error> {
        let store = stores::store(location)?;
        let mut side = Side::empty();
        if !location.is_folder() {
            let object = store.find_sized(location)?;
            side.single = true;
            side.items.push(location.name(), Some(object.size), Of::Object(object));
        } else {
            let prefix = location.key().len();
            let mut met = location.key().is_empty();
            for object in store.list(location.key()) {
                let mut object = object?;
                met = true;
                let key = std::mem::take(&mut object.key);
                let path = &key[prefix.min(key.len())..];
                // What stands for a folder has no bytes, and no file can have its name.
                let folder = object.size == 0 && (path.is_empty() || path.ends_with(b"/"));
                if !folder {
                    side.items.push(path, Some(object.size), Of::Object(object));
                }
            }
            if !met {
                let (path, problem) =
                    (location.to_string().into_bytes().into(), Problem::Stat(stores::nothing_below()));
                side.failed.push(hashloom_source::Error { path, problem });
                side.apart.push(Bytes::default());
            }
        }
        side.store = Some(store);
        side.location = Some(location.clone());
        Ok(side)
    }

    /// What there is to compare with at a place. What a listing says is looked at when it is needed: of a million objects
    /// it would take hundreds of bytes each.
    pub fn content(&self, place: usize) -> Content<'_> {
        if let Some(evidence) = self.asked.get(&place).filter(|_| self.items.kind(place) == Kind::Object) {
            return Content::Object(Cow::Borrowed(evidence));
        }
        match self.items.of(place) {
            Of::File(_) => Content::File(self.items.computed(place).unwrap_or_default()),
            Of::Known(digests, strength) => Content::Known(digests, strength),
            Of::Object(object) => Content::Object(Cow::Owned(self.listed(&object))),
            Of::Unread(status) => Content::Unread(status),
        }
    }

    /// The whole key of the object at a place.
    pub fn key(&self, place: usize) -> Vec<u8> {
        match &self.location {
            Some(location) if location.is_folder() => [location.key(), self.items.path(place)].concat(),
            Some(location) => location.key().to_vec(),
            None => Vec::new(),
        }
    }

    /// What its listing says of an object.
    fn listed(&self, object: &Object) -> Evidence {
        match &self.location {
            Some(location) => Evidence::listed(location, object),
            None => Evidence::of_size(object.size),
        }
    }

    /// What is known of the object at a place, for an answer to come in; nothing if it is none.
    pub fn evidence_mut(&mut self, place: usize) -> Option<&mut Evidence> {
        let Of::Object(object) = self.items.of(place) else { return None };
        if !self.asked.contains_key(&place) {
            let listed = self.listed(&object);
            self.asked.insert(place, listed);
        }
        self.asked.get_mut(&place)
    }

    /// Lets go of answers once there are more than this. Whoever needs one again has to ask again.
    pub fn forget(&mut self, most: usize) {
        if self.asked.len() > most {
            let strengths = self.asked.drain().map(|(place, evidence)| (place, evidence.strength()));
            self.strengths.extend(strengths);
        }
    }

    /// The status of the record that a verdict on this place is of.
    pub fn status(&self, place: usize) -> Status {
        match self.content(place) {
            Content::File(_) | Content::Known(_, None) => Status::Hashed,
            Content::Known(_, Some(strength)) => Status::Stored(strength),
            Content::Object(evidence) => {
                let before = self.strengths.get(&place).filter(|_| !self.asked.contains_key(&place));
                Status::Stored(before.copied().unwrap_or_else(|| evidence.strength()))
            }
            Content::Unread(status) => status,
        }
    }

    /// What is known of the content at a place: computed digests, or what manifests say; nothing of objects that were not
    /// read.
    pub fn digests(&self, place: usize) -> Vec<Named> {
        match self.items.of(place) {
            Of::File(_) | Of::Object(_) => self.items.computed(place).unwrap_or_default(),
            Of::Known(digests, _) => digests,
            Of::Unread(_) => Vec::new(),
        }
    }

    /// Returns what is known of the content at a place, for who reads the verdict.
    pub fn shown(&self, place: usize) -> audit::Content {
        let digests = match self.content(place) {
            Content::File(digests) | Content::Known(digests, _) => digests,
            Content::Object(evidence) => {
                self.items.computed(place).unwrap_or_else(|| evidence.digests.clone())
            }
            Content::Unread(_) => Vec::new(),
        };
        audit::Content { size: self.items.size(place), mtime: None, digests }
    }

    /// How many objects were compared by what their store says of them.
    pub fn compared(&self) -> u64 {
        let told =
            |place: &usize| self.items.kind(*place) == Kind::Object && self.items.computed(*place).is_none();
        (0..self.items.len()).filter(told).count() as u64
    }

    /// The files that are to be read, objects ahead of those who read them.
    pub fn entries(&self, places: &[usize]) -> Vec<Found> {
        let ahead = self.store.as_ref().map(Store::ahead);
        let entry = |place: &usize| match (self.items.of(*place), &ahead) {
            (Of::File(entry), _) => Some(Found::File(entry)),
            (Of::Object(object), Some(ahead)) => {
                let coming = ahead.announce(Object { key: self.key(*place).into(), ..object });
                Some(stores::entry(self.items.path(*place).into(), coming))
            }
            _ => None,
        };
        places.iter().filter_map(entry).collect()
    }

    /// Gives the paths of manifests as the other side has them.
    pub fn meet(one: &mut Side, other: &mut Side) {
        one.place(other);
        other.place(one);
        // Two that are named are compared with each other.
        if one.single && other.single && one.items.len() == 1 && other.items.len() == 1 {
            other.items.rename(0, one.items.path(0));
        }
    }

    /// The paths of manifests are keys here: bytes, and no two of them are one. Only what all of one side have in front of
    /// those of the other may differ.
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
        for record in known.records().filter(|record| record.piece.is_none()) {
            let of = Of::Known(record.digests, record.status.strength());
            self.items.push(&there(&record.path), record.size, of);
        }
        for record in &unread {
            self.items.push(&there(&record.path), record.size, Of::Unread(record.status));
        }
        self.items.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_strong_an_answer_was_is_not_forgotten() {
        let mut side = Side::empty();
        side.items.push(b"a", Some(3), Of::Object(Object { size: 3, ..Object::default() }));
        assert_eq!(side.status(0), Status::Stored(Strength::Size));
        let algorithm = hashloom_digest::find("crc32c").expect("it is there");
        let digest = hashloom_digest::hash(algorithm, b"abc");
        let evidence = side.evidence_mut(0).expect("it is an object");
        evidence.digests.push(Named { algorithm, digest, guessed: false });
        side.forget(1);
        assert!(matches!(side.content(0), Content::Object(Cow::Borrowed(_))));
        side.forget(0);
        assert!(matches!(side.content(0), Content::Object(Cow::Owned(_))));
        assert_eq!(side.status(0), Status::Stored(Strength::Crc));
    }
}
