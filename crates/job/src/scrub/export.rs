//! A state as a manifest: what counts of each file, without reading any.

use super::signed;
use crate::convert::{ConvertEvent, ConvertObserver};
use crate::error::Error;
use crate::manifest_writer::{self, ManifestWriter};
use crate::misfit::Misfit;
use crate::notice::Notice;
use hashmill_content::File as Tried;
use hashmill_content::output::{Output, To};
use hashmill_content::selection::own::identity_at;
use hashmill_digest::{Algorithm, Digest, parse_list};
use hashmill_engine::Cancel;
use hashmill_keep::{Kept, Stamp, State, Verdict, Why};
use hashmill_lists::judged::Judged;
use hashmill_lists::kinds;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::{Format, Layout};
use hashmill_manifest::{Metadata, Named, Record, Time};
use hashmill_os::names;
use std::path::PathBuf;

/// The settings of an export.
pub struct ExportJob {
    /// The file of the state.
    pub state: PathBuf,
    /// The requirements on the signatures of the state's seal.
    pub guard: Guard,
    /// The format of the manifest.
    pub format: &'static Format,
    /// The manifest.
    pub to: To,
    /// Ends the job soon after it is set; nothing is written then.
    pub cancel: Cancel,
}

/// The result of an export.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Whether the run was cancelled; nothing was written then.
    pub interrupted: bool,
    /// The files in the manifest.
    pub files: u64,
    /// The files that were never read and are in no list: they are not in the manifest.
    pub unread: u64,
    /// The files of the manifest that no run has verified: their digests are those of a list.
    pub unproved: u64,
    /// The files of the manifest that were found otherwise, or gone.
    pub otherwise: u64,
    /// Records that the format can't represent.
    pub refused: u64,
}

/// A state that is open for an export.
pub struct Export {
    job: ExportJob,
    state: State,
    judged: Vec<Judged>,
    algorithms: Vec<&'static Algorithm>,
}

impl ExportJob {
    /// Opens the state.
    ///
    /// # Errors
    /// If there is none, it can't be used, or the format can't have its digests.
    pub fn open(self) -> Result<Export, Error> {
        let name = names::path_bytes(&self.state);
        // Opening a state that is not there would make one.
        self.state.metadata().map_err(Error::file(&name, Tried::Open))?;
        let is_state = |path| identity_at(path).is_some_and(|file| Some(file) == identity_at(&self.state));
        if self.to.path().is_some_and(is_state) {
            return Err(Misfit::of_place(name, "the manifest would replace the state").into());
        }
        let state = State::open(&self.state, None)?;
        let judged = signed::check(&state, &self.guard)?;
        let algorithms = parse_list(state.algorithms()).map_err(Error::Algorithm)?;
        fits(self.format, &algorithms)?;
        manifest_writer::fits(self.format, self.to.file())?;
        Ok(Export { job: self, state, judged, algorithms })
    }
}

/// Checks that a format can have the digests of a state.
fn fits(format: &'static Format, algorithms: &[&'static Algorithm]) -> Result<(), Misfit> {
    let other = algorithms.iter().find(|algorithm| !format.only.is_empty() && !format.holds(algorithm.name));
    if format.writer.is_none() {
        return Err(Misfit::NoWriter(format));
    }
    other.map_or(Ok(()), |other| Err(Misfit::Only(format, other.name)))?;
    Misfit::check_needs(format, algorithms)
}

impl Export {
    /// Returns the algorithms of the digests.
    pub fn algorithms(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }

    /// Writes the manifest completely, or not at all.
    ///
    /// # Errors
    /// If the state can't be read, or the manifest can't be written.
    pub fn run(self, observer: &mut ConvertObserver<'_>) -> Result<Exported, Error> {
        for judged in &self.judged {
            if observer(ConvertEvent::Notice(Notice::Signature(judged))).is_break() {
                return Ok(Exported { interrupted: true, ..Exported::default() });
            }
        }
        let output = self.job.to.open(kinds::MANIFEST)?;
        let written = self.write(&output, observer);
        if !written.as_ref().is_ok_and(|exported| !exported.interrupted) {
            output.discard();
        }
        written
    }

    fn write(&self, output: &Output, observer: &mut ConvertObserver<'_>) -> Result<Exported, Error> {
        let mut writer = ManifestWriter::begin(self.job.format, self.layout(), output.clone())?;
        let (mut exported, mut behind) = (Exported::default(), Vec::new());
        loop {
            let some = self.state.files(&behind)?;
            let Some(last) = some.last() else { break };
            behind = last.path.to_vec();
            for kept in &some {
                if self.job.cancel.is_set() {
                    return Ok(Exported { interrupted: true, ..Exported::default() });
                }
                exported.count(kept);
                if kept.content.is_some() {
                    let record = record(kept, &self.algorithms).ok_or_else(|| self.damaged())?;
                    writer.write(&record, &mut |refusal| {
                        // There is nothing to stop: a refusal is one record.
                        let _ = observer(ConvertEvent::Notice(Notice::Refused(refusal)));
                    })?;
                }
            }
        }
        exported.refused = writer.end()?;
        Ok(exported)
    }

    fn damaged(&self) -> Error {
        hashmill_keep::Error { path: self.job.state.clone(), why: Why::Row }.into()
    }

    fn layout(&self) -> Layout {
        let carries = self.job.format.carries;
        let (times, metadata) = (carries.mtime, carries.metadata);
        Layout { algorithms: self.algorithms.clone(), times, metadata, ..Layout::default() }
    }
}

impl Exported {
    fn count(&mut self, kept: &Kept) {
        if kept.content.is_none() {
            self.unread += 1;
            return;
        }
        self.files += 1;
        self.unproved += u64::from(kept.last == 0);
        let is_otherwise = |verdict: Verdict| !verdict.is_proof();
        self.otherwise += u64::from(kept.verdict.is_some_and(is_otherwise));
    }
}

/// Returns what counts of a file as a record; nothing if it was never read, or its digests have another length.
fn record(kept: &Kept, algorithms: &[&'static Algorithm]) -> Option<Record> {
    let content = kept.content.as_ref()?;
    let mut rest = &*content.digests;
    let digests = algorithms.iter().map(|algorithm| {
        let (digest, behind) = rest.split_at_checked(algorithm.bits as usize / 8)?;
        rest = behind;
        Some(Named { algorithm, digest: Digest::new(digest), guessed: false })
    });
    let digests: Vec<Named> = digests.collect::<Option<_>>()?;
    if !rest.is_empty() {
        return None;
    }
    let record = Record::hashed(kept.path.clone(), content.size, digests);
    let Some(Stamp { device, inode, mtime, ctime }) = content.stamp else { return Some(record) };
    let time = |(seconds, nanoseconds)| Some(Time { seconds, nanoseconds });
    let read = if kept.last > 0 { time((kept.last, 0)) } else { None };
    let metadata = Metadata {
        ctime: time(ctime),
        inode: Some(inode),
        device: Some(device),
        read,
        ..Metadata::default()
    };
    Some(Record { mtime: time(mtime), metadata: Some(metadata.into()), ..record })
}
