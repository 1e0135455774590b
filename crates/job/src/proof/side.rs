//! One side of a comparison: what is there, by its path.

use crate::audit::{Manifests, here};
use crate::error::Error;
use crate::listing::Listing;
use crate::notice::Notice;
use crate::resources::Resources;
use crate::selection::{Bytes, Selected, Selection, below, path_of};
use crate::stores;
use hashloom_evidence::Evidence;
use hashloom_manifest::audit::{Places, find_common_root};
use hashloom_manifest::stored::Strength;
use hashloom_manifest::{Named, Status};
use hashloom_source::{Entry, Found, Skip};
use hashloom_store::{Location, Object, Store};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Paths of one side that are looked for on the other.
const SAMPLE: usize = 256;

/// What is compared.
pub enum Operand {
    /// A folder or a file.
    Path(PathBuf),
    /// Manifests.
    Manifests(Vec<(PathBuf, Listing)>),
    /// A bucket, a folder in one, or an object.
    Location(Location),
}

/// One side.
pub(super) struct Side {
    /// What is there, in the order of paths.
    pub items: Vec<Item>,
    /// The store, if it is in one, and where in it.
    pub store: Option<Store>,
    location: Option<Location>,
    /// What is known of objects that were asked for, by their places: more than their listing says.
    asked: HashMap<usize, Evidence>,
    /// The digests of objects whose bytes were read, by their places.
    pub read: BTreeMap<usize, Vec<Named>>,
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

/// One file or object.
pub(super) struct Item {
    /// The path below the operand.
    pub path: Bytes,
    pub size: Option<u64>,
    pub of: Of,
}

/// What is known of it.
pub(super) enum Of {
    /// A file of this machine, with the digests that were computed so far.
    File(Box<(Entry, Vec<Named>)>),
    /// What manifests say; how strong that is, if it is only stored.
    Known(Box<[Named]>, Option<Strength>),
    /// What a store lists. Below a folder it is without its key, which follows from the path.
    Object(Box<Object>),
    /// It is there, but can't be read.
    Unread(Status),
}

/// What there is to compare with.
#[allow(clippy::large_enum_variant, reason = "there are two at a time, not many")]
pub(super) enum Content<'a> {
    /// A file, and the digests that were computed so far.
    File(&'a [Named]),
    /// What manifests say; how strong that is, if it is only stored.
    Known(&'a [Named], Option<Strength>),
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
            Operand::Manifests(lists) => Side::of_manifests(Manifests::read(lists, told)?),
            Operand::Location(location) => Side::of_location(&location)?,
        };
        side.sort();
        Ok(side)
    }

    fn empty() -> Side {
        let (items, failed, apart) = (Vec::new(), Vec::new(), Vec::new());
        Side {
            items,
            store: None,
            location: None,
            asked: HashMap::new(),
            read: BTreeMap::new(),
            manifests: None,
            failed,
            apart,
            malformed: 0,
            single: false,
        }
    }

    fn sort(&mut self) {
        self.items.sort_by(|one, other| one.path.cmp(&other.path));
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
        for found in entries {
            match found {
                Found::File(entry) => {
                    let size = entry.size.or_else(|| Some(fs::metadata(path_of(&entry.path)).ok()?.len()));
                    side.items.push(Item {
                        path: place(&entry.path),
                        size,
                        of: Of::File(Box::new((entry, Vec::new()))),
                    });
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
            let object = store.look(location.key())?;
            side.single = true;
            side.push(object, location.name());
        } else {
            let prefix = location.key().len();
            for object in store.list(location.key()) {
                let mut object = object?;
                let key = std::mem::take(&mut object.key);
                let path = key[prefix.min(key.len())..].to_vec();
                // What stands for a folder has no bytes, and no file can have its name.
                let folder = object.size == 0 && (path.is_empty() || path.ends_with(b"/"));
                if !folder {
                    side.push(object, &path);
                }
            }
        }
        side.store = Some(store);
        side.location = Some(location.clone());
        Ok(side)
    }

    /// What there is to compare with at a place. What a listing says is looked at when it is needed: of a million objects
    /// it would take hundreds of bytes each.
    pub fn content(&self, place: usize) -> Content<'_> {
        match &self.items[place].of {
            Of::File(file) => Content::File(&file.1),
            Of::Known(digests, strength) => Content::Known(digests, *strength),
            Of::Object(object) => Content::Object(self.evidence(place, object)),
            Of::Unread(status) => Content::Unread(*status),
        }
    }

    /// The whole key of an object.
    pub fn key(&self, item: &Item, object: &Object) -> Vec<u8> {
        match &self.location {
            Some(location) if object.key.is_empty() => [location.key(), &*item.path].concat(),
            _ => object.key.to_vec(),
        }
    }

    fn evidence(&self, place: usize, object: &Object) -> Cow<'_, Evidence> {
        match (self.asked.get(&place), &self.location) {
            (Some(evidence), _) => Cow::Borrowed(evidence),
            (None, Some(location)) => Cow::Owned(Evidence::listed(location, object)),
            (None, None) => Cow::Owned(Evidence::of_size(object.size)),
        }
    }

    /// What is known of the object at a place, for an answer to come in; nothing if it is none.
    pub fn evidence_mut(&mut self, place: usize) -> Option<&mut Evidence> {
        let Of::Object(object) = &self.items[place].of else { return None };
        if !self.asked.contains_key(&place) {
            let evidence = self.evidence(place, object).into_owned();
            self.asked.insert(place, evidence);
        }
        self.asked.get_mut(&place)
    }

    /// The status of the record that a verdict on this place is of.
    pub fn status(&self, place: usize) -> Status {
        match self.content(place) {
            Content::File(_) | Content::Known(_, None) => Status::Hashed,
            Content::Known(_, Some(strength)) => Status::Stored(strength),
            Content::Object(evidence) => Status::Stored(evidence.strength()),
            Content::Unread(status) => status,
        }
    }

    /// What is known of the content at a place: computed digests, or what manifests say; nothing of objects that were not
    /// read.
    pub fn digests(&self, place: usize) -> &[Named] {
        match &self.items[place].of {
            Of::File(file) => &file.1,
            Of::Known(digests, _) => digests,
            Of::Object(_) => self.read.get(&place).map_or(&[], Vec::as_slice),
            Of::Unread(_) => &[],
        }
    }

    /// How many objects were compared by what their store says of them.
    pub fn compared(&self) -> u64 {
        let told = |(place, item): &(usize, &Item)| {
            matches!(item.of, Of::Object(_)) && !self.read.contains_key(place)
        };
        self.items.iter().enumerate().filter(told).count() as u64
    }

    /// The files that are to be read, objects ahead of those who read them.
    pub fn entries(&self, places: &[usize]) -> Vec<Found> {
        let ahead = self.store.as_ref().map(Store::ahead);
        let entry = |place: &usize| {
            let item = &self.items[*place];
            match (&item.of, &ahead) {
                (Of::File(file), _) => Some(Found::File(file.0.clone())),
                (Of::Object(object), Some(ahead)) => {
                    let key = self.key(item, object).into();
                    let coming = ahead.announce(Object { key, ..Object::clone(object) });
                    Some(stores::entry(item.path.clone(), coming))
                }
                _ => None,
            }
        };
        places.iter().filter_map(entry).collect()
    }

    fn push(&mut self, object: Object, path: &[u8]) {
        let size = Some(object.size);
        self.items.push(Item { path: path.into(), size, of: Of::Object(Box::new(object)) });
    }

    /// Gives the paths of manifests as the other side has them.
    pub fn meet(one: &mut Side, other: &mut Side) {
        one.place(other);
        other.place(one);
        // Two that are named are compared with each other.
        if let ([first], [second], true) = (&one.items[..], &mut other.items[..], one.single && other.single)
        {
            second.path = first.path.clone();
        }
    }

    fn place(&mut self, other: &Side) {
        let Some(manifests) = self.manifests.take() else { return };
        let step = other.items.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<Vec<u8>> = other.items.iter().step_by(step).map(|item| item.path.to_vec()).collect();
        let root = find_common_root(&manifests.known, &sample);
        let places = Places { working: None, roots: root.into_iter().collect() };
        let local = |path: &[u8]| -> Bytes {
            let path = here(path, &places);
            path.strip_prefix(b"./").map_or(path.clone(), Bytes::from)
        };
        for record in manifests.known.records().filter(|record| record.piece.is_none()) {
            let of = Of::Known(record.digests.into(), record.status.strength());
            self.items.push(Item { path: local(&record.path), size: record.size, of });
        }
        for record in &manifests.unread {
            self.items.push(Item {
                path: local(&record.path),
                size: record.size,
                of: Of::Unread(record.status),
            });
        }
        self.sort();
    }
}
