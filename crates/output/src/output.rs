//! Destinations of records: standard output, or a file that appears under its name when it is complete.
//!
//! A file is written beside its destination and renamed when all of it is on the disk (`unfinished.rs`). In a run that
//! can be resumed, its temporary name is one that the next run finds: `.NAME.hashmill-partial`.

use crate::replace::{Baseline, Kept, LocalPath, OutputKind, kept};
use crate::run_files::RunFiles;
use crate::unfinished::{Unfinished, beside, check_trusted, directory, follow, is_displaced};
use crate::warning::Warning;
use hashmill_os::error::is_no_reader;
use hashmill_os::{Facts, FileId, FileKind, Links, UnsyncedFolder, facts, facts_at, names, sync_folder};
use hashmill_terminal::Shown;
use parking_lot::{Mutex, MutexGuard};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::{error, fmt};

/// Number of bytes that are collected before they are written.
const BUFFER: usize = 64 * 1024;

/// The destination of records. Clones share one destination, so that another thread can flush it.
#[derive(Debug, Clone)]
pub struct Output(Arc<Mutex<Open>>);

#[derive(Debug)]
struct Open {
    /// `None` once the output has its name.
    file: Option<File>,
    buffer: Vec<u8>,
    name: Vec<u8>,
    files: RunFiles,
    unfinished: Option<Unfinished>,
    /// The list that this output replaces.
    baseline: Option<Baseline>,
    /// A second receiver of all that is written.
    tap: Option<SyncSender<Vec<u8>>>,
    notes: Option<Notes>,
    /// The place that takes all of it at the end.
    destination: Option<Box<dyn Destination>>,
    /// Filter that everything passes before it is written.
    screen: Option<Box<dyn Screen>>,
    /// The error of an earlier write. The output is useless from then on, whichever thread met the error.
    broken: Option<(io::ErrorKind, Option<i32>)>,
}

/// A place elsewhere that takes a finished output as a whole, such as an object of a store.
pub trait Destination: fmt::Debug + Send {
    /// Takes all of a file.
    ///
    /// # Errors
    /// If it can't be written there; then what was there stays.
    fn take(self: Box<Self>, file: &File) -> io::Result<()>;
}

/// A filter for a stream, piece by piece: a terminal must not take written data for commands.
pub trait Screen: fmt::Debug + Send {
    /// Takes bytes and returns those that may be written now, beginning with any that were held back before.
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8>;

    /// Returns the bytes that are still held back; no more bytes will follow.
    fn end(&mut self) -> Vec<u8>;

    /// Returns one of the program's own words in colour, or `None` if there are no colours.
    fn paint(&self, _word: &str, _tone: Tone) -> Option<Vec<u8>> {
        None
    }

    /// Writes bytes that have passed the filter.
    ///
    /// # Errors
    /// If writing to the stream fails.
    fn write(&mut self, bytes: &[u8], stream: &mut dyn Write) -> io::Result<()> {
        stream.write_all(bytes)
    }
}

/// The meaning of a word, which a colour makes visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A good result.
    Good,
    /// A result that needs attention.
    Doubtful,
    /// A bad result.
    Bad,
}

/// Notes about the records, in a file beside the output.
#[derive(Debug)]
struct Notes {
    file: File,
    buffer: Vec<u8>,
}

/// An output that could not be written.
#[derive(Debug)]
pub struct WriteError {
    name: Vec<u8>,
    source: io::Error,
    named: bool,
}

impl Output {
    /// Creates an output to an open stream, such as standard output. All data pass the screen, if there is one.
    pub fn stream(name: &str, file: File, screen: Option<Box<dyn Screen>>) -> Output {
        let output = Output::new(file, name.into(), &RunFiles::default(), None);
        output.open().screen = screen;
        output
    }

    /// Creates an output with this name that goes elsewhere when all of it was written.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub fn elsewhere(name: &[u8], destination: Box<dyn Destination>) -> io::Result<Output> {
        let output = Output::new(tempfile::tempfile()?, name.to_vec(), &RunFiles::default(), None);
        output.open().destination = Some(destination);
        Ok(output)
    }

    /// Creates a new file of this kind under a name that the user typed. An existing file of that name stays until
    /// [`Output::finish`]. A device or a FIFO is written to directly; if the name is a link, its target is replaced.
    ///
    /// # Errors
    /// If the file can't be created, a file of another kind exists, or a link or FIFO of another user has this name.
    pub fn file(place: &LocalPath, kind: OutputKind) -> Result<Output, WriteError> {
        Output::called(place, kind, |to| Unfinished::passing(to, &place.files))
    }

    /// Creates a list like [`Output::file`], but what was written stays if the run ends early, for a later run to
    /// resume.
    ///
    /// # Errors
    /// As [`Output::file`], and if another run is writing it.
    pub fn resumable(place: &LocalPath, kind: OutputKind) -> Result<Output, WriteError> {
        Output::called(place, kind, |to| Unfinished::lasting(beside(to, "partial"), to, &place.files))
    }

    fn called(
        LocalPath { path, force, files }: &LocalPath,
        kind: OutputKind,
        make: impl FnOnce(&Path) -> io::Result<(File, Unfinished)>,
    ) -> Result<Output, WriteError> {
        let error = |source| WriteError::new(path, source);
        check_trusted(path).map_err(error)?;
        if !replaces(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(error)?;
            return Ok(Output::new(file, names::path_bytes(path).into_owned(), files, None));
        }
        let to = follow(path).map_err(error)?;
        let baseline = kind.baseline(&to, *force).map_err(error)?;
        let output = Output::unnamed(path, files, make(&to))?;
        output.open().baseline = baseline;
        Ok(output)
    }

    /// Creates a new file of this kind under a name that is derived from another name (`M.seal`, `M.sig`). A link or a
    /// FIFO of that name is replaced.
    ///
    /// # Errors
    /// If the file can't be created, or a file of another kind exists.
    pub fn replacing(
        LocalPath { path, force, files }: &LocalPath,
        kind: OutputKind,
    ) -> Result<Output, WriteError> {
        if path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            kind.check(path, *force).map_err(|source| WriteError::new(path, source))?;
        }
        Output::unnamed(path, files, Unfinished::passing(path, files))
    }

    fn unnamed(
        path: &Path,
        files: &RunFiles,
        made: io::Result<(File, Unfinished)>,
    ) -> Result<Output, WriteError> {
        let (file, unfinished) = made.map_err(|source| WriteError::new(path, source))?;
        Ok(Output::new(file, names::path_bytes(path).into_owned(), files, Some(unfinished)))
    }

    fn new(file: File, name: Vec<u8>, files: &RunFiles, unfinished: Option<Unfinished>) -> Output {
        Output(Arc::new(Mutex::new(Open {
            file: Some(file),
            buffer: Vec::with_capacity(BUFFER),
            name,
            files: files.clone(),
            unfinished,
            baseline: None,
            tap: None,
            notes: None,
            destination: None,
            screen: None,
            broken: None,
        })))
    }

    /// Returns the files of the run that writes this output.
    pub fn files(&self) -> RunFiles {
        self.open().files.clone()
    }

    /// Returns the identity of every file that this output is or becomes. An old file with several names is not
    /// among them: it may be a file of the tree that somebody gave this name so that it would be left out.
    pub fn identities(&self) -> Vec<FileId> {
        let open = self.open();
        let of_old = |unfinished: &Unfinished| facts_at(unfinished.name(), Links::Stay).ok();
        let old = open.unfinished.as_ref().and_then(of_old).filter(|facts| facts.links == 1);
        let new = open.file.as_ref().and_then(|file| facts(file).ok()).filter(Facts::is_file);
        old.into_iter().chain(new).map(|facts| facts.id).collect()
    }

    /// Takes the operands that a list must cover if it is to replace another.
    pub fn expects(&self, operands: &[Box<[u8]>]) {
        if let Some(baseline) = &mut self.open().baseline {
            baseline.expects(operands);
        }
    }

    /// Notes a path that could not be read. If it is an operand, the list does not cover all that was requested.
    pub fn lacks(&self, path: &[u8]) {
        if let Some(baseline) = &mut self.open().baseline {
            baseline.lacks(path);
        }
    }

    /// Notes a file or folder that could not be read. A list that has records of it is not replaced.
    pub fn lacks_records_of(&self, path: &[u8]) {
        if let Some(baseline) = &mut self.open().baseline {
            baseline.lacks_records_of(path);
        }
    }

    /// Refuses to replace a better list by one with this number of files.
    ///
    /// # Errors
    /// If an operand could not be read, or the old list has more than twice as many files.
    pub fn replaces_with(&self, files: u64) -> Result<(), WriteError> {
        let open = self.open();
        let refusal = open.baseline.as_ref().and_then(|baseline| baseline.refusal(files));
        refusal.map_or(Ok(()), |kept| {
            Err(WriteError { name: open.name.clone(), source: kept.into(), named: false })
        })
    }

    /// Writes the rest and gives the file its name.
    ///
    /// # Errors
    /// If the rest can't be written or the file can't be renamed; then the old file stays. Also if the name may not
    /// survive a power cut; then the error says so.
    pub fn finish(&self) -> Result<(), WriteError> {
        self.finish_by(Unfinished::give_name)
    }

    /// Does the same as [`Output::finish`], unless anything has the name by now.
    ///
    /// # Errors
    /// As [`Output::finish`], and if the name is taken ([`io::ErrorKind::AlreadyExists`]).
    pub fn finish_new(&self) -> Result<(), WriteError> {
        self.finish_by(Unfinished::give_new_name)
    }

    fn finish_by(&self, name: fn(&Unfinished, &File) -> io::Result<()>) -> Result<(), WriteError> {
        let mut open = self.open();
        let done = open.flush().and_then(|()| open.end()).and_then(|()| open.give_name(name));
        open.tap = None;
        let name = open.name.clone();
        done.map_err(|source| WriteError { name: name.clone(), source, named: false })?;
        open.keep_name().map_err(|source| WriteError { name, source, named: true })
    }

    /// Returns the place of the file until it gets its name, without links in its folder; `None` if the output is not a
    /// file.
    pub fn place(&self) -> Option<PathBuf> {
        let open = self.open();
        let place = open.unfinished.as_ref()?.place();
        // Writing to a folder that can't be resolved fails, too, with an error that names it.
        let folder = names::canonical(directory(place)).unwrap_or_else(|_| directory(place).to_path_buf());
        Some(folder.join(place.file_name()?))
    }

    /// Sends all that is written from now on to a second receiver, too, until [`Output::finish`].
    pub fn tap(&self, tap: SyncSender<Vec<u8>>) {
        self.open().tap = Some(tap);
    }

    /// Writes notes to this file from now on, each before the data that are written after it.
    pub fn take_notes(&self, file: File) {
        self.open().notes = Some(Notes { file, buffer: Vec::new() });
    }

    /// Adds a note, if notes are taken.
    pub fn note(&self, bytes: &[u8]) {
        if let Some(notes) = &mut self.open().notes {
            notes.buffer.extend_from_slice(bytes);
        }
    }

    /// Gives up: removes the new file; the old one stays.
    pub fn discard(&self) {
        if let Some(unfinished) = &self.open().unfinished {
            unfinished.remove();
        }
    }

    /// Writes the collected bytes, unless another thread is doing so: for a process that is about to end.
    pub fn rescue(&self) {
        if let Some(mut open) = self.0.try_lock() {
            // The process ends with "interrupted" whether this succeeds or not.
            let _ = open.flush();
        }
    }

    /// Writes one of the program's own words, in the colour of its meaning if the terminal has colours.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn paint(&mut self, word: &str, tone: Tone) -> io::Result<()> {
        let painted = self.open().paint(word, tone)?;
        if painted { Ok(()) } else { self.write_all(word.as_bytes()) }
    }

    /// Returns the file itself, for bytes that are not records. Don't mix writing through it with writing to the
    /// output.
    ///
    /// # Errors
    /// If the system has no descriptor left, or a screen filters the output.
    pub fn handle(&self) -> io::Result<File> {
        let open = self.open();
        if open.screen.is_some() {
            return Err(io::Error::other("this is binary: write it to a file with -o"));
        }
        open.file()?.try_clone()
    }

    /// Returns the file to read back what was written so far, even if its name leads elsewhere by now. The caller must
    /// rewind it, and nothing may be written from then on.
    ///
    /// # Errors
    /// If it can't be opened again, or is not a file that gets its name at the end.
    pub fn reread(&self) -> io::Result<File> {
        let open = self.open();
        match &open.unfinished {
            Some(_) => open.file()?.try_clone(),
            None => Err(io::Error::other("output that goes there can't be read back")),
        }
    }

    /// Writes all of these bytes; an error has the name of the output.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn put(&self, bytes: impl AsRef<[u8]>) -> Result<(), WriteError> {
        self.clone().write_all(bytes.as_ref()).map_err(|error| self.error(error))
    }

    /// Adds the name to an error of this output.
    pub fn error(&self, source: io::Error) -> WriteError {
        WriteError { name: self.open().name.clone(), source, named: false }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}

impl Open {
    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::Error::other("the output was finished already"))
    }

    /// Writes the collected bytes. After an error, the unwritten bytes are kept, so that a later try leaves no gap.
    fn flush(&mut self) -> io::Result<()> {
        if let Some(notes) = &mut self.notes
            && notes.flush().is_err()
        {
            // A file without its note is hashed again.
            self.notes = None;
        }
        while !self.buffer.is_empty() {
            let collected = std::mem::take(&mut self.buffer);
            let done = self.put(&collected);
            self.buffer = collected;
            let written = match done {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                written => written?,
            };
            self.buffer.drain(..written);
        }
        Ok(())
    }

    /// Writes some of these bytes and returns their number; exactly these were sent to the tap. After a failure, every
    /// later call fails.
    fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some((kind, number)) = self.broken {
            return Err(number.map_or_else(|| kind.into(), io::Error::from_raw_os_error));
        }
        let done = if self.screen.is_some() { self.show(bytes) } else { self.put_plain(bytes) };
        done.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.broken = Some((error.kind(), error.raw_os_error()));
            }
        })
    }

    /// Writes all of these bytes through the screen.
    fn show(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = self.screen.as_mut().map(|screen| screen.pass(bytes)).unwrap_or_default();
        self.put_shown(&shown)?;
        Ok(bytes.len())
    }

    /// Writes bytes that have passed the screen.
    fn put_shown(&mut self, shown: &[u8]) -> io::Result<()> {
        let Open { file, screen: Some(screen), .. } = self else { return Ok(()) };
        let file = file.as_mut().ok_or_else(|| io::Error::other("the output was finished already"))?;
        screen.write(shown, file)
    }

    /// Writes a word in colour. Returns `false`, with nothing written, if there are no colours.
    fn paint(&mut self, word: &str, tone: Tone) -> io::Result<bool> {
        let Some(painted) = self.screen.as_ref().and_then(|screen| screen.paint(word, tone)) else {
            return Ok(false);
        };
        self.flush()?;
        self.put_shown(&painted)?;
        Ok(true)
    }

    /// Writes the bytes that the screen still holds back.
    fn end(&mut self) -> io::Result<()> {
        let rest = self.screen.as_mut().map(|screen| screen.end()).unwrap_or_default();
        self.put_shown(&rest)
    }

    fn put_plain(&self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file()?.write(bytes)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        if let Some(tap) = &self.tap {
            // The receiver has ended with an error of its own, which it reports.
            let _ = tap.send(bytes[..written].to_vec());
        }
        Ok(written)
    }

    fn give_name(&mut self, name: fn(&Unfinished, &File) -> io::Result<()>) -> io::Result<()> {
        if let Some(destination) = self.destination.take() {
            return destination.take(self.file()?);
        }
        match &self.unfinished {
            Some(unfinished) => name(unfinished, self.file()?),
            None => self.settle(),
        }
    }

    /// Asks a stream or device for errors of earlier writes. A terminal has none to report.
    fn settle(&self) -> io::Result<()> {
        if self.screen.is_some() { Ok(()) } else { hashmill_os::settle(self.file()?) }
    }

    /// Makes the new name survive a power cut.
    fn keep_name(&mut self) -> io::Result<()> {
        let Some(unfinished) = self.unfinished.take() else { return Ok(()) };
        // Frees a descriptor, as opening the folder may need the last one.
        (self.file, self.notes) = (None, None);
        let folder = directory(unfinished.name());
        match sync_folder(folder) {
            Err(UnsyncedFolder::NotOpened(why)) => {
                self.files.warn(&Warning::PowerCut { path: &self.name, folder, why: &why });
                Ok(())
            }
            done => Ok(done?),
        }
    }
}

impl Notes {
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = self.open();
        if open.buffer.len() + bytes.len() > BUFFER {
            open.flush()?;
        }
        if bytes.len() >= BUFFER {
            return open.put(bytes);
        }
        open.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open().flush()
    }
}

impl WriteError {
    /// Makes an error of a stream, such as standard output, that can't be opened.
    pub fn of_stream(name: &str, source: io::Error) -> WriteError {
        WriteError { name: name.into(), source, named: false }
    }

    /// Makes an error of this path.
    pub fn new(path: &Path, source: io::Error) -> WriteError {
        WriteError { name: names::path_bytes(path).into_owned(), source, named: false }
    }

    /// Changes the cause.
    #[must_use]
    pub fn map_cause(self, change: impl FnOnce(&[u8], io::Error) -> io::Error) -> WriteError {
        WriteError { source: change(&self.name, self.source), ..self }
    }

    /// Returns the message with another text for the cause.
    pub fn with_cause(&self, cause: &dyn fmt::Display) -> String {
        let what = match (self.named, kept(&self.source)) {
            (true, _) => "was written, but a power cut may undo it",
            (false, Some(_)) => "not replaced",
            (false, None) => "cannot write",
        };
        format!("{}: {what}: {cause}", Shown(&self.name))
    }

    /// Returns the name of the output: its path, or that of a stream.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the cause.
    pub fn cause(&self) -> &io::Error {
        &self.source
    }

    /// Returns the cause alone.
    pub fn into_cause(self) -> io::Error {
        self.source
    }

    /// Returns whether the output is complete and has its name nevertheless.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// Returns whether a file of another kind exists, so that nothing was begun.
    pub fn is_refused(&self) -> bool {
        matches!(kept(&self.source), Some(Kept::Other(_) | Kept::Never(_)))
    }

    /// Returns whether the existing list is better, so that the new one did not get its name.
    pub fn is_withheld(&self) -> bool {
        matches!(kept(&self.source), Some(Kept::Unmet(_) | Kept::Lost(_) | Kept::Fewer { .. }))
    }

    /// Returns whether somebody else put another file in the place of the temporary one.
    pub fn displaced(&self) -> bool {
        is_displaced(&self.source)
    }

    /// Returns whether the reader of a pipe has closed it, so that no more output is wanted.
    pub fn closed(&self) -> bool {
        is_no_reader(&self.source)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_cause(&self.source))
    }
}

impl error::Error for WriteError {}

/// Returns whether an output of this name is a new file that is renamed at the end. A device or a FIFO is written to
/// directly.
pub fn replaces(path: &Path) -> bool {
    facts_at(path, Links::Follow).map_or(true, |facts| facts.kind == FileKind::File)
}
