//! The manifests that an audit compares with, read and prepared.

use crate::error::Error;
use crate::forgeable::Forgeable;
use crate::learn::{LOOKED_AT, TrainingLine, learn};
use crate::listing::Listing;
use crate::location::{is_folder, is_in_bucket, is_location};
use crate::notice::Notice;
use crate::selection::{Bytes, path_of};
use crate::stores;
use crate::unsupported::{Tried, Unsupported};
use hashloom_digest::Algorithm;
use hashloom_engine::Plan;
use hashloom_manifest::audit::{Known, Places, Root, find_prefix, find_roots};
use hashloom_manifest::format::{Format, Hint, Malformed, Reader, Why};
use hashloom_manifest::{Record, Status};
use std::env;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Known paths that are looked for below the operands.
const SAMPLE: usize = 256;

/// The same where each is a request.
const ASKED: usize = 8;

/// Hears of what is worth a line.
pub type OnNotice<'a> = dyn FnMut(Notice<'_>) + 'a;

/// The manifests, read.
#[derive(Default)]
pub struct Manifests {
    /// What they say.
    pub known: Known,
    /// The format of the first.
    pub format: Option<&'static Format>,
    /// Records of files that could not be read, or not whole, when their manifest was made.
    pub unread: Vec<Record>,
    /// Some record has a time.
    pub times: bool,
    /// Records have versions.
    pub versions: bool,
    /// The first records whose algorithm is a guess.
    guessed: Vec<Record>,
    /// Parts that are not understood.
    malformed: u64,
    /// There are digests that can't be computed here.
    unsupported: bool,
}

impl Manifests {
    /// Reads the manifests, and tells of lines that are not understood.
    ///
    /// # Errors
    /// If one is no manifest, or they have no digests at all.
    pub fn read(lists: Vec<(PathBuf, Listing)>, told: &mut OnNotice<'_>) -> Result<Manifests, Error> {
        let mut manifests = Manifests::default();
        for (path, list) in lists {
            manifests.add(&path, list, told)?;
        }
        Ok(manifests)
    }

    /// As [`Manifests::read`], for manifests whose signatures nobody looks at.
    ///
    /// # Errors
    /// As [`Manifests::read`].
    pub fn read_plain(paths: &[PathBuf], told: &mut OnNotice<'_>) -> Result<Manifests, Error> {
        let lists = paths.iter().map(|path| (path.clone(), Listing::plain(path.as_os_str())));
        Manifests::read(lists.collect(), told)
    }

    fn add(&mut self, path: &Path, list: Listing, told: &mut OnNotice<'_>) -> Result<(), Error> {
        let name = path.as_os_str().as_bytes();
        let hint = if name == b"-" { Hint::None } else { Hint::from_name(name) };
        let opened = list.open(hint).map_err(|why| Error::Unusable { path: name.into(), why })?;
        self.format.get_or_insert(opened.format);
        self.known.next_manifest();
        self.fill(name, opened.reader, told)
    }

    fn fill(
        &mut self,
        list: &[u8],
        reader: Box<dyn Reader + '_>,
        told: &mut OnNotice<'_>,
    ) -> Result<(), Error> {
        let full = |why| Error::Full { path: list.into(), why };
        let mut unsupported = Unsupported::default();
        for record in reader {
            match record {
                Ok(record) => {
                    self.known.add(&record).map_err(full)?;
                    self.note(record);
                }
                Err(Malformed { why: Why::Unsupported { algorithm, path }, .. }) if !path.is_empty() => {
                    self.known.add_unsupported(&path).map_err(full)?;
                    unsupported.add(algorithm);
                }
                Err(why @ Malformed { why: Why::Io(_), .. }) => {
                    return Err(Error::Torn { path: list.into(), why: Box::new(why) });
                }
                Err(why) => {
                    self.malformed += u64::from(!why.is_note());
                    told(Notice::Malformed { list, why: &why });
                }
            }
        }
        self.unsupported |= unsupported.any();
        if unsupported.any() {
            told(Notice::Unsupported { list, digests: &unsupported });
        }
        Ok(())
    }

    fn note(&mut self, record: Record) {
        self.times |= record.mtime.is_some();
        self.versions |= record.version.is_some();
        if !record.is_sound() {
            if record.status != Status::Skipped && record.piece.is_none() {
                self.unread.push(record);
            }
            return;
        }
        if self.guessed.len() < LOOKED_AT && record.digests.iter().any(|named| named.guessed) {
            self.guessed.push(record);
        }
    }

    /// Lines that were not understood.
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Learns what guessed digests are of, from files that are there.
    pub fn learn(&mut self, places: &Places, plan: &Plan, told: &mut OnNotice<'_>) {
        let lines: Vec<TrainingLine<'_>> =
            self.guessed.iter().map(|record| (record, here(&record.path, places))).collect();
        let learner = learn(&lines, plan);
        for bits in self.known.guessed() {
            if let Some(forgeable) = Forgeable::of(&learner, bits) {
                told(Notice::Forgeable { list: b"the manifests", forgeable });
            }
            match learner.learnt(bits) {
                Some(algorithm) => self.known.learn(algorithm),
                None if lines.iter().any(|(_, path)| Path::new(&path_of(path)).is_file()) => {
                    Tried::of(bits)
                        .into_iter()
                        .for_each(|tried| told(Notice::Tried { list: b"the manifests", tried }));
                }
                None => {}
            }
        }
    }

    /// The algorithms that every record can be compared by.
    ///
    /// # Errors
    /// If there are no digests at all. Where none can be computed here, there is no algorithm.
    pub fn algorithms(&self) -> Result<Vec<&'static Algorithm>, Error> {
        let algorithms = self.known.algorithms();
        if algorithms.is_empty() && !self.unsupported { Err(Error::NoDigests) } else { Ok(algorithms) }
    }

    /// How the manifests' paths and those below the operands belong together. Beside a bucket all paths are keys, which are
    /// compared as they stand in the manifest.
    pub fn places(&mut self, operands: &[Bytes]) -> Places {
        if operands.iter().any(|operand| is_in_bucket(operand)) {
            return self.places_of_keys(operands);
        }
        let working = env::current_dir().ok().map(|path| Bytes::from(path.as_os_str().as_bytes()));
        let local: Vec<&[u8]> =
            operands.iter().map(|operand| &**operand).filter(|operand| !is_location(operand)).collect();
        let mut exists = |path: &[u8]| Path::new(&path_of(path)).is_file();
        let roots = find_roots(&self.known.sample(SAMPLE), &local, working.as_deref(), &mut exists);
        Places { working, roots, prefixes: Vec::new() }
    }

    fn places_of_keys(&mut self, operands: &[Bytes]) -> Places {
        self.known.take_as_keys();
        let prefix = |operand: &Bytes| {
            if !is_folder(operand) {
                // Of one object the name is the path.
                let name = operand.rsplit(|byte| *byte == b'/').next();
                return find_prefix(self.known.local_paths(), &mut |key| Some(key) == name);
            }
            let folder = operand.strip_suffix(b"/").unwrap_or(operand);
            let mut exists = |key: &[u8]| stores::exists(&[folder, b"/", key].concat());
            find_prefix(self.known.sample(ASKED), &mut exists)
        };
        let stored = operands.iter().filter(|operand| is_in_bucket(operand));
        Places { prefixes: stored.filter_map(prefix).collect(), ..Places::default() }
    }
}

/// The path here of a path in the manifest.
pub fn here(path: &[u8], places: &Places) -> Bytes {
    let moved = |root: &Root| {
        let rest = path.strip_prefix(&*root.known)?;
        let between: &[u8] = if root.local.is_empty() { b"" } else { b"/" };
        Some([&root.local, between, rest.strip_prefix(b"/").unwrap_or(rest)].concat().into())
    };
    places.roots.iter().find_map(moved).unwrap_or_else(|| path.into())
}
