//! Writing of files that are inside of an image or an archive: one to an output, or all below a path into a folder.

mod copy;
mod folder;

use crate::account::{Account, Item, Outcome};
use crate::copy::sparse::Sparse;
use crate::error::Error;
use copy::CopyError;
use copy::Sink;
use copy::copy;
use folder::Copied;
use folder::TargetFolder;
use hashmill_content::entry::portions::path_of;
use hashmill_content::entry::stated::{Difference, Stated};
use hashmill_content::operands::inner::{Inner, InnerError, InnerOptions, InnerPath};
use hashmill_content::output::{Output, OutputKind, To, WriteError, replaces};
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Live};
use hashmill_os::facts;
use hashmill_source::{Entry, Error as SourceError, Skip, WalkItem};
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The settings of an extraction.
pub struct Extraction {
    /// The path of a file, or of what files are below.
    pub path: InnerPath,
    /// The output for one file, or the folder for several.
    pub to: To,
    /// Whether files that were deleted are written, too. One that is named itself is, if no other has its path.
    pub deleted: bool,
    /// The way to look into files.
    pub options: InnerOptions,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// A step of an extraction.
#[non_exhaustive]
pub enum ExtractEvent<'a> {
    /// Reading begins. The counters are updated from now on.
    Reading(&'a Arc<Live>),
    /// The output of one file was created.
    Writing(&'a Output),
    /// Something could not be read, or listed.
    Failed(&'a SourceError),
    /// A file could not be written, for this reason.
    Unwritten(&'a [u8], &'a dyn fmt::Display),
    /// A digest that the image states is not that of the file, which was written.
    Differs(&'a [u8], Difference),
}

/// Receives events.
pub type ExtractObserver<'a> = dyn FnMut(ExtractEvent<'_>) -> Flow + 'a;

/// The reason why an extraction ended early.
#[derive(Debug)]
pub enum ExtractError {
    /// Nothing can be listed.
    Closed(InnerError),
    /// Nothing is at the path or below it.
    Nothing,
    /// An output can't be used or written.
    Write(Error),
    /// Nothing more can be written into the folder. What this account has was written, and stays.
    Full {
        /// The error of writing.
        error: WriteError,
        /// The account of everything so far.
        account: Box<Account>,
        /// The bytes of the files that were written.
        bytes: u64,
    },
}

impl<E: Into<Error>> From<E> for ExtractError {
    fn from(error: E) -> ExtractError {
        ExtractError::Write(error.into())
    }
}

impl Extraction {
    /// Writes what is at the path or below it. What can't be read is reported, and gets no file.
    ///
    /// # Errors
    /// If nothing can be listed, nothing is there, or an output can't be written.
    pub fn run(self, observer: &mut ExtractObserver<'_>) -> Result<Account, ExtractError> {
        let live = Arc::<Live>::default();
        if observer(ExtractEvent::Reading(&live)).is_break() {
            self.cancel.set();
        }
        let (place, account) = (Place::None, Account::default());
        let around = Vec::new();
        let mut run = Run { job: &self, observer, live, place, account, bytes: 0, has_met: false, around };
        let is_medium = run.pass(Pass::Live)?;
        if is_medium && self.deleted {
            run.pass(Pass::Deleted)?;
        } else if is_medium && !run.has_met {
            run.pass(Pass::DeletedItself)?;
        }
        run.end()
    }
}

/// The entries that a pass takes. Deleted ones come last, so that they take no name of another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Live,
    Deleted,
    /// Only a deleted one at the path itself.
    DeletedItself,
}

/// Where files are written.
enum Place {
    /// Nowhere so far.
    None,
    /// To the output, which has one.
    Output,
    /// Into a folder.
    Folder(TargetFolder),
}

/// An extraction in progress.
struct Run<'a, 'o> {
    job: &'a Extraction,
    observer: &'a mut ExtractObserver<'o>,
    live: Arc<Live>,
    place: Place,
    account: Account,
    /// The bytes of the files that were written into the folder.
    bytes: u64,
    /// Whether anything was met at the path or below it.
    has_met: bool,
    /// Failures around the path. They hide nothing if a file is at the path.
    around: Vec<SourceError>,
}

impl Run<'_, '_> {
    /// Writes the entries of a pass. Returns whether there may be deleted ones.
    fn pass(&mut self, pass: Pass) -> Result<bool, ExtractError> {
        let mut options = self.job.options.clone();
        options.inside.deleted = pass != Pass::Live;
        let Inner { place, mut entries, is_medium, facts, stated } =
            self.job.path.open(&options).map_err(ExtractError::Closed)?;
        while !self.job.cancel.is_set()
            && let Some(found) = entries.next()
        {
            let path: Box<[u8]> = path_of(&found).into();
            let is_deleted = facts.allocation(&path).is_some();
            facts.drop_last(&path);
            // A failure may be of something around it.
            let below = place.below(&path);
            let is_taken = match pass {
                Pass::Live => true,
                Pass::Deleted => is_deleted,
                Pass::DeletedItself => is_deleted && below.as_ref().is_some_and(|below| below.is_empty()),
            };
            if is_taken {
                self.take(found, below.as_deref(), &stated)?;
            }
        }
        self.name_waiting()?;
        Ok(is_medium)
    }

    /// Takes an entry with its path below the named place; none if it lies elsewhere.
    fn take(&mut self, found: WalkItem, below: Option<&[u8]>, stated: &Stated) -> Result<(), ExtractError> {
        self.has_met |= below.is_some();
        match found {
            WalkItem::Failed(error) if below.is_none() => self.around.push(error),
            WalkItem::Failed(error) => self.failed(&error),
            WalkItem::File(entry) if below == Some(b"") => self.one(&entry, stated)?,
            WalkItem::File(entry) => self.below(&entry, below.unwrap_or(&entry.path), stated)?,
            WalkItem::Skipped { path, why } if below == Some(b"") || why == Skip::Lost => {
                self.unwritten(&path, &why.reason());
            }
            WalkItem::Skipped { why, .. } => {
                let outcome = if why.has_bytes() { Outcome::LeftOut } else { Outcome::NoBytes };
                self.account.count(Item::Entry, outcome, 1);
            }
        }
        Ok(())
    }

    /// Writes the file that was named itself.
    fn one(&mut self, entry: &Entry, stated: &Stated) -> Result<(), ExtractError> {
        if !matches!(self.place, Place::None) {
            self.unwritten(&entry.path, &TAKEN);
            return Ok(());
        }
        self.place = Place::Output;
        let to = &self.job.to;
        let mut output = to.open(OutputKind::Anything)?;
        if (self.observer)(ExtractEvent::Writing(&output)).is_break() {
            self.job.cancel.set();
        }
        let done = match to.file().is_some_and(replaces) {
            true => output
                .handle()
                .map_err(CopyError::Write)
                .and_then(|file| self.copy(entry, Sink::File(&file, Sparse::default()), stated)),
            false => self.copy(entry, Sink::Stream(&mut output), stated),
        };
        match done {
            Ok(differences) => {
                output.finish()?;
                self.written(&entry.path, &differences);
            }
            Err(why) => {
                output.discard();
                if let Some(error) = self.not_copied(&entry.path, why) {
                    return Err(output.error(error).into());
                }
            }
        }
        Ok(())
    }

    /// Writes a file below the path into the folder.
    fn below(&mut self, entry: &Entry, below: &[u8], stated: &Stated) -> Result<(), ExtractError> {
        let mut folder = match std::mem::replace(&mut self.place, Place::None) {
            Place::Folder(folder) => folder,
            Place::None => TargetFolder::begin(&self.job.to)?,
            Place::Output => {
                self.place = Place::Output;
                self.unwritten(&entry.path, &TAKEN);
                return Ok(());
            }
        };
        let done = folder.write(below, &mut |file| {
            let differences = self.copy(entry, Sink::File(file, Sparse::default()), stated)?;
            let size = facts(file).map_err(CopyError::Write)?.size;
            Ok(Copied { path: entry.path.clone(), size, differences })
        });
        let is_full = folder.is_full();
        self.place = Place::Folder(folder);
        match done.map_err(|why| self.not_copied(&entry.path, why)) {
            Ok(()) if is_full => self.name_waiting(),
            Ok(()) | Err(None) => Ok(()),
            Err(Some(error)) if crate::copy::below::ends_all(&error) => {
                self.name_waiting()?;
                Err(self.full(error))
            }
            Err(Some(error)) => {
                self.unwritten(&entry.path, &error);
                Ok(())
            }
        }
    }

    /// Gives the files in the folder that were written their names.
    fn name_waiting(&mut self) -> Result<(), ExtractError> {
        let Place::Folder(folder) = &mut self.place else { return Ok(()) };
        let mut full = None;
        for (copied, named) in folder.give_names() {
            match named {
                Ok(()) => {
                    self.bytes += copied.size;
                    self.written(&copied.path, &copied.differences);
                }
                Err(error) if crate::copy::below::ends_all(&error) => full = Some(error),
                Err(error) => self.unwritten(&copied.path, &error),
            }
        }
        full.map_or(Ok(()), |error| Err(self.full(error)))
    }

    fn full(&self, error: io::Error) -> ExtractError {
        let path = self.job.to.file().map_or(Path::new("."), |place| &place.path);
        let account = Box::new(self.account.and(Account::failed(Item::Output, 1)));
        ExtractError::Full { error: WriteError::new(path, error), account, bytes: self.bytes }
    }

    fn copy(&self, entry: &Entry, sink: Sink<'_>, stated: &Stated) -> Result<Vec<Difference>, CopyError> {
        Live::add(&self.live.files_met, 1);
        Live::add(&self.live.bytes_met, entry.size.unwrap_or(0));
        let note = |bytes| {
            Live::add(&self.live.bytes_done, bytes);
            self.job.cancel.is_set()
        };
        let copied = copy(entry, sink, stated, &note);
        Live::add(&self.live.files_done, 1);
        copied
    }

    fn written(&mut self, path: &[u8], differences: &[Difference]) {
        for difference in differences {
            let _ = (self.observer)(ExtractEvent::Differs(path, *difference));
        }
        let outcome = if differences.is_empty() { Outcome::Done } else { Outcome::Differs };
        self.account.count(Item::Entry, outcome, 1);
    }

    /// Reports why a file was not copied, unless it is an error of writing, which is returned.
    fn not_copied(&mut self, path: &[u8], why: CopyError) -> Option<io::Error> {
        match why {
            CopyError::Read(problem) => self.failed(&SourceError { path: path.into(), problem }),
            CopyError::Write(error) => return Some(error),
            CopyError::Stopped => {}
        }
        None
    }

    fn failed(&mut self, error: &SourceError) {
        self.account.count(Item::Entry, Outcome::Failed, 1);
        let _ = (self.observer)(ExtractEvent::Failed(error));
    }

    fn unwritten(&mut self, path: &[u8], why: &dyn fmt::Display) {
        self.account.count(Item::Entry, Outcome::Failed, 1);
        let _ = (self.observer)(ExtractEvent::Unwritten(path, why));
    }

    fn end(mut self) -> Result<Account, ExtractError> {
        if !matches!(self.place, Place::Output) {
            std::mem::take(&mut self.around).iter().for_each(|error| self.failed(error));
        }
        if let Place::Folder(folder) = &self.place {
            folder.sync().map_err(|error| self.full(error))?;
        }
        self.live.walked.store(true, Relaxed);
        match self.account {
            _ if self.job.cancel.is_set() => Ok(self.account.and(Account::interrupted())),
            account if account == Account::default() => Err(ExtractError::Nothing),
            account => Ok(account),
        }
    }
}

const TAKEN: &str = "is another entry with this path";
