//! Where records go: standard output, or a file that appears under its name when it is whole.
//!
//! A file is written beside its place and renamed into it when all of it is on the disk (`unfinished.rs`); the one of
//! a run that can be gone on with has a name that the next run finds, `.NAME.hashloom-partial`.

use crate::location::{hinted, is_location};
use crate::replace::{Baseline, Kept, kept};
use crate::shown::Shown;
use crate::stores::Upload;
use crate::system;
use crate::unfinished::{Unfinished, is_displaced, is_trusted};
use crate::warning::{Warning, warn};
use parking_lot::{Mutex, MutexGuard};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::{error, fmt};

pub use crate::replace::{Kind, OutputPath};
pub use crate::unfinished::{beside, directory, follow};

/// Records are collected up to this many bytes before they are written.
const BUFFER: usize = 64 * 1024;

/// Where records go. Clones share one place, so that another thread can flush it.
#[derive(Debug, Clone)]
pub struct Output(Arc<Mutex<Open>>);

#[derive(Debug)]
struct Open {
    /// None once it has its name.
    file: Option<File>,
    buffer: Vec<u8>,
    name: Vec<u8>,
    unfinished: Option<Unfinished>,
    /// The manifest that it replaces.
    baseline: Option<Baseline>,
    /// Another reader of all that is written.
    tap: Option<SyncSender<Vec<u8>>>,
    notes: Option<Notes>,
    /// The location that it gets at the end.
    upload: Option<Upload>,
    /// Changes what is written before anybody reads it.
    screen: Option<Box<dyn Screen>>,
    /// Something could not be written: the output is of no use any more, whichever thread noticed it.
    broken: Option<(io::ErrorKind, Option<i32>)>,
}

/// Changes what is written to a stream, piece by piece: what a terminal is given must not be taken for commands.
pub trait Screen: fmt::Debug + Send {
    /// What of these bytes may be written now, after what was held back.
    fn pass(&mut self, bytes: &[u8]) -> Vec<u8>;

    /// What is still held back: no more will come.
    fn end(&mut self) -> Vec<u8>;

    /// A word of the program's own in a colour; none where there are no colours.
    fn paint(&self, _word: &str, _tone: Tone) -> Option<Vec<u8>> {
        None
    }

    /// Writes what has passed.
    ///
    /// # Errors
    /// Those of the stream.
    fn write(&mut self, bytes: &[u8], stream: &mut dyn Write) -> io::Result<()> {
        stream.write_all(bytes)
    }
}

/// What a word means to who reads it, which a colour helps to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// To be looked at.
    Doubtful,
    /// Not as it should be.
    Bad,
}

/// What is noted beside the output about the records in it.
#[derive(Debug)]
struct Notes {
    file: File,
    buffer: Vec<u8>,
}

/// The output could not be written.
#[derive(Debug)]
pub struct WriteError {
    name: Vec<u8>,
    source: io::Error,
    named: bool,
}

impl Output {
    /// A stream that is open already, as standard output is. What is written passes the screen, if there is one.
    pub fn stream(name: &str, file: File, screen: Option<Box<dyn Screen>>) -> Output {
        let output = Output::new(file, name.into(), None);
        output.open().screen = screen;
        output
    }

    /// A new file of this kind under a name that the user typed. A file of that name stays until [`Output::finish`]. A
    /// device or a FIFO is written to; of a link, the target is replaced.
    ///
    /// # Errors
    /// If it can't be made, a file of another kind is there, or the name leads elsewhere by the will of another user.
    pub fn file(place: &OutputPath, kind: Kind) -> Result<Output, WriteError> {
        Output::called(place, kind, Unfinished::passing)
    }

    /// As [`Output::file`], for a manifest; but what is written stays if the run ends early, for a later run that goes on
    /// with it.
    ///
    /// # Errors
    /// As [`Output::file`]; and if another run is writing it.
    pub fn resumable(place: &OutputPath) -> Result<Output, WriteError> {
        Output::called(place, Kind::Manifest, |to| Unfinished::lasting(beside(to, "partial"), to))
    }

    fn called(
        OutputPath { path, force }: &OutputPath,
        kind: Kind,
        make: impl FnOnce(&Path) -> io::Result<(File, Unfinished)>,
    ) -> Result<Output, WriteError> {
        let error = |source| WriteError::of(path, source);
        if is_location(path.as_os_str().as_bytes()) {
            return Output::remote(path).map_err(error);
        }
        if let Ok(meta) = path.symlink_metadata() {
            is_trusted(&meta).map_err(error)?;
        }
        if !replaces(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(error)?;
            return Ok(Output::new(file, path.as_os_str().as_bytes().to_vec(), None));
        }
        let to = follow(path).map_err(error)?;
        let baseline = kind.check(&to, *force).map_err(error)?;
        let output = Output::unnamed(path, make(&to))?;
        output.open().baseline = baseline;
        Ok(output)
    }

    /// An object in a store, which is written when all of it is there.
    fn remote(path: &Path) -> io::Result<Output> {
        let upload = Upload::prepare(path.as_os_str().as_bytes())?;
        let output = Output::new(tempfile::tempfile()?, path.as_os_str().as_bytes().to_vec(), None);
        output.open().upload = Some(upload);
        Ok(output)
    }

    /// A new file of this kind under a name that follows from another (`M.seal`, `M.sig`). A link or a FIFO of that name is
    /// replaced.
    ///
    /// # Errors
    /// If it can't be made, or a file of another kind is there.
    pub fn replacing(OutputPath { path, force }: &OutputPath, kind: Kind) -> Result<Output, WriteError> {
        let error = |source| WriteError::of(path, source);
        if is_location(path.as_os_str().as_bytes()) {
            return Output::remote(path).map_err(error);
        }
        if path.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            kind.check(path, *force).map_err(error)?;
        }
        Output::unnamed(path, Unfinished::passing(path))
    }

    /// [`Output::file`] where a name was typed, else [`Output::replacing`] under the one that follows from others.
    ///
    /// # Errors
    /// As theirs.
    pub fn typed_or(
        (typed, otherwise): (Option<&Path>, &Path),
        force: bool,
        kind: Kind,
    ) -> Result<Output, WriteError> {
        let at = |path: &Path| OutputPath { path: path.to_path_buf(), force };
        match typed {
            Some(typed) => Output::file(&at(typed), kind),
            None => Output::replacing(&at(otherwise), kind),
        }
    }

    fn unnamed(path: &Path, made: io::Result<(File, Unfinished)>) -> Result<Output, WriteError> {
        let (file, unfinished) = made.map_err(|source| WriteError::of(path, source))?;
        Ok(Output::new(file, path.as_os_str().as_bytes().to_vec(), Some(unfinished)))
    }

    fn new(file: File, name: Vec<u8>, unfinished: Option<Unfinished>) -> Output {
        Output(Arc::new(Mutex::new(Open {
            file: Some(file),
            buffer: Vec::with_capacity(BUFFER),
            name,
            unfinished,
            baseline: None,
            tap: None,
            notes: None,
            upload: None,
            screen: None,
            broken: None,
        })))
    }

    /// Device and inode of every file that this output is or becomes. An old file with other names, too, is not
    /// among them: it may be a file of the tree that somebody gave this name, so that it be left out.
    pub fn identities(&self) -> Vec<(u64, u64)> {
        let open = self.open();
        let old = open.unfinished.as_ref().and_then(|unfinished| unfinished.name().symlink_metadata().ok());
        let old = old.filter(|meta| meta.nlink() == 1);
        let new = open.file.as_ref().and_then(|file| file.metadata().ok()).filter(|meta| meta.is_file());
        old.into_iter().chain(new).map(|meta| (meta.dev(), meta.ino())).collect()
    }

    /// Takes the operands that are to be in a manifest, should it replace another.
    pub fn expects(&self, operands: &[Box<[u8]>]) {
        if let Some(baseline) = &mut self.open().baseline {
            baseline.expects(operands);
        }
    }

    /// Takes note of a path that could not be read. If it is an operand, what is written is no manifest of all that was
    /// asked for.
    pub fn lacks(&self, path: &[u8]) {
        if let Some(baseline) = &mut self.open().baseline {
            baseline.lacks(path);
        }
    }

    /// Refuses to replace a better manifest by one of so many files.
    ///
    /// # Errors
    /// If an operand was not met, or the old manifest has more than twice as many files.
    pub fn replaces_with(&self, files: u64) -> Result<(), WriteError> {
        let open = self.open();
        let refusal = open.baseline.as_ref().and_then(|baseline| baseline.refusal(files));
        refusal.map_or(Ok(()), |kept| {
            Err(WriteError { name: open.name.clone(), source: kept.into(), named: false })
        })
    }

    /// All is written: the file gets its name.
    ///
    /// # Errors
    /// If the rest cannot be written or the file not be renamed; then the old one stays. Or if the name may not
    /// outlast a power cut; then the error says so.
    pub fn finish(&self) -> Result<(), WriteError> {
        let mut open = self.open();
        let done = open.flush().and_then(|()| open.end()).and_then(|()| open.give_name());
        open.tap = None;
        let name = open.name.clone();
        done.map_err(|source| WriteError { name: name.clone(), source, named: false })?;
        open.keep_name().map_err(|source| WriteError { name, source, named: true })
    }

    /// Where the file lies until it gets its name, without links on the way; none if it is no file.
    pub fn place(&self) -> Option<PathBuf> {
        let open = self.open();
        let place = open.unfinished.as_ref()?.place();
        // What can't be looked up will not be written to, and then is named.
        let folder = directory(place).canonicalize().unwrap_or_else(|_| directory(place).to_path_buf());
        Some(folder.join(place.file_name()?))
    }

    /// Hands all that is written from now on to somebody else, too, until [`Output::finish`].
    pub fn tap(&self, tap: SyncSender<Vec<u8>>) {
        self.open().tap = Some(tap);
    }

    /// From now on notes go to this file, each before what is written after it.
    pub fn take_notes(&self, file: File) {
        self.open().notes = Some(Notes { file, buffer: Vec::new() });
    }

    /// Notes something, if notes are taken.
    pub fn note(&self, bytes: &[u8]) {
        if let Some(notes) = &mut self.open().notes {
            notes.buffer.extend_from_slice(bytes);
        }
    }

    /// Gives up: what was written goes, the old file stays.
    pub fn discard(&self) {
        if let Some(unfinished) = &self.open().unfinished {
            unfinished.remove();
        }
    }

    /// Writes what is collected, unless another thread is at it: for a process that is about to end.
    pub fn rescue(&self) {
        if let Some(mut open) = self.0.try_lock() {
            // The process ends with "interrupted" whatever comes of it.
            let _ = open.flush();
        }
    }

    /// Writes a word of the program's own: on a terminal with colours in that of its meaning.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn paint(&mut self, word: &str, tone: Tone) -> io::Result<()> {
        let painted = self.open().paint(word, tone)?;
        if painted { Ok(()) } else { self.write_all(word.as_bytes()) }
    }

    /// The file itself, for bytes that are not records. What is written through it and what is written to
    /// the output must not be mixed.
    ///
    /// # Errors
    /// If the system has no descriptor left, or a screen stands between.
    pub fn handle(&self) -> io::Result<File> {
        let open = self.open();
        if open.screen.is_some() {
            return Err(io::Error::other("this is binary: write it to a file with -o"));
        }
        open.file()?.try_clone()
    }

    /// What was written so far, to be read from its start: the very file, whatever its name leads to by now. Nothing
    /// may be written meanwhile, or later.
    ///
    /// # Errors
    /// If it can't be read, or is not a file that gets its name at the end.
    pub fn reread(&self) -> io::Result<File> {
        let open = self.open();
        match &open.unfinished {
            Some(_) => open.file()?.try_clone(),
            None => Err(io::Error::other("what is written there can't be read again")),
        }
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
        self.file.as_ref().ok_or_else(|| io::Error::other("it has its name already"))
    }

    /// Writes what is collected. What can't be written stays: no later try leaves a gap.
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

    /// Writes some of these bytes, and says how many: they, and no others, went to the tap. Once that has failed, it
    /// always does.
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

    /// Writes all of these bytes as the screen shows them.
    fn show(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = self.screen.as_mut().map(|screen| screen.pass(bytes)).unwrap_or_default();
        self.put_shown(&shown)?;
        Ok(bytes.len())
    }

    /// Writes bytes that have passed the screen.
    fn put_shown(&mut self, shown: &[u8]) -> io::Result<()> {
        let Open { file, screen: Some(screen), .. } = self else { return Ok(()) };
        let file = file.as_mut().ok_or_else(|| io::Error::other("it has its name already"))?;
        screen.write(shown, file)
    }

    /// Writes a word in its colour, if there are colours; the answer is whether there are.
    fn paint(&mut self, word: &str, tone: Tone) -> io::Result<bool> {
        let Some(painted) = self.screen.as_ref().and_then(|screen| screen.paint(word, tone)) else {
            return Ok(false);
        };
        self.flush()?;
        self.put_shown(&painted)?;
        Ok(true)
    }

    /// Writes what the screen still holds.
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
            // Who wants no more knows why.
            let _ = tap.send(bytes[..written].to_vec());
        }
        Ok(written)
    }

    fn give_name(&mut self) -> io::Result<()> {
        if let Some(upload) = self.upload.take() {
            return upload.run(self.file()?);
        }
        match &self.unfinished {
            Some(unfinished) => unfinished.give_name(self.file()?),
            None => self.settle(),
        }
    }

    /// Lets what is behind a stream or a device say whether it has all. A terminal has nothing to say.
    fn settle(&self) -> io::Result<()> {
        if self.screen.is_some() { Ok(()) } else { system::settle(self.file()?) }
    }

    /// Sees to it that the name outlasts a power cut.
    fn keep_name(&mut self) -> io::Result<()> {
        let Some(unfinished) = self.unfinished.take() else { return Ok(()) };
        // Its descriptor may be the last that there is.
        (self.file, self.notes) = (None, None);
        let folder = directory(unfinished.name());
        match File::open(folder) {
            Ok(folder) => folder.sync_all(),
            Err(why) => {
                warn(&Warning::PowerCut { path: &self.name, folder, why: &why });
                Ok(())
            }
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
    /// A stream, as standard output is, is not to be had.
    pub fn of_stream(name: &str, source: io::Error) -> WriteError {
        WriteError { name: name.into(), source, named: false }
    }

    /// What happened at this path.
    pub fn of(path: &Path, source: io::Error) -> WriteError {
        let name = path.as_os_str().as_bytes();
        WriteError { name: name.to_vec(), source: hinted(name, source), named: false }
    }

    /// The message, with the cause in other words.
    pub fn with_cause(&self, cause: &dyn fmt::Display) -> String {
        let what = match (self.named, kept(&self.source)) {
            (true, _) => "was written, but a power cut may undo it",
            (false, Some(_)) => "not replaced",
            (false, None) => "cannot write",
        };
        format!("{}: {what}: {cause}", Shown(&self.name))
    }

    /// What happened.
    pub fn cause(&self) -> &io::Error {
        &self.source
    }

    /// The output is whole and has its name nevertheless.
    pub fn is_named(&self) -> bool {
        self.named
    }

    /// A file of another kind is there, so that nothing was begun.
    pub fn is_refused(&self) -> bool {
        matches!(kept(&self.source), Some(Kept::Other(_) | Kept::History))
    }

    /// A better manifest is there, so that the new one has not got its name.
    pub fn is_withheld(&self) -> bool {
        matches!(kept(&self.source), Some(Kept::Unmet(_) | Kept::Fewer { .. }))
    }

    /// Somebody else put another file where it lay.
    pub fn displaced(&self) -> bool {
        is_displaced(&self.source)
    }

    /// The reader went away: nobody wants more.
    pub fn closed(&self) -> bool {
        self.source.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_cause(&self.source))
    }
}

impl error::Error for WriteError {}

/// Whether an output of this name is made and renamed. A device or a FIFO is written to instead, and an object of a store
/// appears as a whole.
pub fn replaces(path: &Path) -> bool {
    !is_location(path.as_os_str().as_bytes()) && path.metadata().map_or(true, |meta| meta.is_file())
}
