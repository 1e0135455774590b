//! The manifests that an audit compares with, read and prepared.

use crate::exit::Exit;
use crate::learn::{LOOKED_AT, Lesson, learn};
use crate::message::{self, Shown};
use crate::selection::{Bytes, path_of};
use anyhow::{Context, bail, ensure};
use hashloom_digest::Algorithm;
use hashloom_engine::Plan;
use hashloom_manifest::audit::{Known, Places, Root, find_roots};
use hashloom_manifest::format::{Format, Hint, Reader, Why, open, open_path};
use hashloom_manifest::{Record, Status};
use std::env;
use std::io;
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
}

impl Manifests {
    /// Reads the manifests. Malformed lines are named on standard error.
    ///
    /// # Errors
    /// If one is no manifest, or they have no digests at all.
    pub fn read(paths: &[PathBuf]) -> anyhow::Result<Manifests> {
        let mut manifests = Manifests::default();
        for path in paths {
            manifests.add(path)?;
        }
        Ok(manifests)
    }

    fn add(&mut self, path: &Path) -> anyhow::Result<()> {
        let shown = Shown(path.as_os_str().as_bytes());
        let opened = match path.as_os_str().as_bytes() {
            b"-" => open(Box::new(io::stdin()), Hint::None),
            name => open_path(path, Hint::from_name(name)),
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => bail!("{shown}: {error}"),
        };
        self.format.get_or_insert(opened.format);
        self.known.next_manifest();
        self.fill(path, opened.reader)
    }

    fn fill(&mut self, path: &Path, reader: Box<dyn Reader + '_>) -> anyhow::Result<()> {
        let shown = Shown(path.as_os_str().as_bytes());
        for record in reader {
            match record {
                Ok(record) => {
                    self.known.add(&record).with_context(|| shown.to_string())?;
                    self.note(record);
                }
                Err(malformed) => {
                    ensure!(!matches!(malformed.why, Why::Io(_)), "{shown}: {malformed}");
                    self.malformed += u64::from(!malformed.is_note());
                    message::say(format_args!("{shown}: {malformed}"));
                }
            }
        }
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
            if let Some(algorithm) = learner.learnt(bits) {
                self.known.learn(algorithm);
            }
        }
    }

    /// The algorithms that every record can be compared by.
    ///
    /// # Errors
    /// If there are none.
    pub fn algorithms(&self) -> anyhow::Result<Vec<&'static Algorithm>> {
        let algorithms = self.known.algorithms();
        ensure!(!algorithms.is_empty(), "the manifests have no digests to compare with");
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
