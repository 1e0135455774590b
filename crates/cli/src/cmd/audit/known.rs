//! The manifests that an audit compares with, read and prepared.

use crate::exit::Exit;
use crate::learn::{LOOKED_AT, Lesson, learn};
use crate::listing::Listing;
use crate::message::{self, Shown};
use crate::selection::{Bytes, path_of};
use crate::unsupported::{Unsupported, tell_tried};
use anyhow::{Context, bail, ensure};
use hashloom_digest::Algorithm;
use hashloom_engine::Plan;
use hashloom_manifest::audit::{Known, Places, Root, find_roots};
use hashloom_manifest::format::{Format, Hint, Malformed, Reader, Why};
use hashloom_manifest::{Record, Status};
use std::env;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Known paths that are looked for below the operands.
const SAMPLE: usize = 256;

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
    /// The first records whose algorithm is a guess.
    guessed: Vec<Record>,
    /// Parts that are not understood.
    malformed: u64,
    /// There are digests that can't be computed here.
    unsupported: bool,
}

impl Manifests {
    /// Reads the manifests. Malformed lines are named on standard error.
    ///
    /// # Errors
    /// If one is no manifest, or they have no digests at all.
    pub fn read(lists: Vec<(&Path, Listing)>) -> anyhow::Result<Manifests> {
        let mut manifests = Manifests::default();
        for (path, list) in lists {
            manifests.add(path, list)?;
        }
        Ok(manifests)
    }

    /// As [`Manifests::read`], for manifests whose signatures nobody looks at.
    ///
    /// # Errors
    /// As [`Manifests::read`].
    pub fn read_plain(paths: &[PathBuf]) -> anyhow::Result<Manifests> {
        Manifests::read(paths.iter().map(|path| (path.as_path(), Listing::plain(path.as_os_str()))).collect())
    }

    fn add(&mut self, path: &Path, list: Listing) -> anyhow::Result<()> {
        let name = path.as_os_str().as_bytes();
        let shown = Shown(name);
        let hint = if name == b"-" { Hint::None } else { Hint::from_name(name) };
        let opened = match list.open(hint) {
            Ok(opened) => opened,
            Err(error) => bail!("{shown}: {error}"),
        };
        self.format.get_or_insert(opened.format);
        self.known.next_manifest();
        self.fill(path, opened.reader)
    }

    fn fill(&mut self, path: &Path, reader: Box<dyn Reader + '_>) -> anyhow::Result<()> {
        let shown = Shown(path.as_os_str().as_bytes());
        let mut unsupported = Unsupported::default();
        for record in reader {
            match record {
                Ok(record) => {
                    self.known.add(&record).with_context(|| shown.to_string())?;
                    self.note(record);
                }
                Err(Malformed { why: Why::Unsupported { algorithm, path }, .. }) if !path.is_empty() => {
                    self.known.add_unsupported(&path).with_context(|| shown.to_string())?;
                    unsupported.add(algorithm);
                }
                Err(malformed) => {
                    ensure!(!matches!(malformed.why, Why::Io(_)), "{shown}: {malformed}");
                    self.malformed += u64::from(!malformed.is_note());
                    message::say(format_args!("{shown}: {malformed}"));
                }
            }
        }
        self.unsupported |= unsupported.any();
        unsupported.tell(&shown);
        Ok(())
    }

    fn note(&mut self, record: Record) {
        self.times |= record.mtime.is_some();
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

    /// What malformed lines mean for the exit code.
    pub fn exit(&self) -> Exit {
        Exit::Failed.when(self.malformed > 0)
    }

    /// Learns what guessed digests are of, from files that are there.
    pub fn learn(&mut self, places: &Places, plan: &Plan) {
        let lessons: Vec<Lesson<'_>> =
            self.guessed.iter().map(|record| (record, here(&record.path, places))).collect();
        let learner = learn(&lessons, plan);
        for bits in self.known.guessed() {
            match learner.learnt(bits) {
                Some(algorithm) => self.known.learn(algorithm),
                None if lessons.iter().any(|(_, path)| Path::new(&path_of(path)).is_file()) => {
                    tell_tried(&"the manifests", bits);
                }
                None => {}
            }
        }
    }

    /// The algorithms that every record can be compared by.
    ///
    /// # Errors
    /// If there are no digests at all. Where none can be computed here, there is no algorithm.
    pub fn algorithms(&self) -> anyhow::Result<Vec<&'static Algorithm>> {
        let algorithms = self.known.algorithms();
        ensure!(!algorithms.is_empty() || self.unsupported, "the manifests have no digests to compare with");
        Ok(algorithms)
    }

    /// How the manifests' paths and those below the operands belong together.
    pub fn places(&self, operands: &[Bytes]) -> Places {
        let working = env::current_dir().ok().map(|path| Bytes::from(path.as_os_str().as_bytes()));
        let operands: Vec<&[u8]> = operands.iter().map(|operand| &**operand).collect();
        let mut exists = |path: &[u8]| Path::new(&path_of(path)).is_file();
        let roots = find_roots(&self.known.sample(SAMPLE), &operands, working.as_deref(), &mut exists);
        Places { working, roots }
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
