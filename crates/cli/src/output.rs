//! Where records go: standard output, or a file that appears under its name when it is whole.
//!
//! A file is written as `.NAME.hashloom-partial` beside its place, so that an interrupted run can be
//! gone on with, and renamed when all of it is on the disk.

use crate::message::Shown;
use crate::system;
use crate::terminal::Filter;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{error, fmt};

/// Records are collected up to this many bytes before they are written.
const BUFFER: usize = 64 * 1024;

/// Where records go. Clones share one place, so that another thread can flush it.
#[derive(Debug, Clone)]
pub struct Output(Arc<Mutex<Open>>);

#[derive(Debug)]
struct Open {
    file: File,
    buffer: Vec<u8>,
    name: Vec<u8>,
    rename: Option<Rename>,
    /// Somebody who wants all that is written, too.
    tap: Option<SyncSender<Vec<u8>>>,
    /// Stands between what is written and a terminal.
    screen: Option<Filter>,
    /// Something could not be written: the output is no use any more, whoever noticed it first.
    broken: Option<(io::ErrorKind, Option<i32>)>,
}

#[derive(Debug, Clone)]
struct Rename {
    from: PathBuf,
    to: PathBuf,
}

/// The output could not be written.
#[derive(Debug)]
pub struct WriteError {
    name: Vec<u8>,
    source: io::Error,
}

impl Output {
    /// Standard output.
    ///
    /// # Errors
    /// If it is not open.
    pub fn stdout() -> Result<Output, WriteError> {
        let name = b"standard output".to_vec();
        match io::stdout().as_fd().try_clone_to_owned() {
            Ok(fd) => {
                let output = Output::new(File::from(fd), name, None);
                output.open().screen = io::stdout().is_terminal().then(Filter::default);
                Ok(output)
            }
            Err(source) => Err(WriteError { name, source }),
        }
    }

    /// The file at this path, to be. What is there already stays until [`Output::finish`].
    ///
    /// # Errors
    /// If the partial file cannot be made, or another run is writing it.
    pub fn file(path: &Path) -> Result<Output, WriteError> {
        let error = |path: &Path| {
            let path = path.to_path_buf();
            move |source| WriteError::of(&path, source)
        };
        if !replaces(path) {
            let file = OpenOptions::new().write(true).open(path).map_err(error(path))?;
            return Ok(Output::new(file, path.as_os_str().as_bytes().to_vec(), None));
        }
        let to = follow(path).map_err(error(path))?;
        let from = beside(&to, "partial");
        let file = take(&from).map_err(error(path))?;
        if let Ok(old) = to.metadata() {
            file.set_permissions(old.permissions()).map_err(error(&from))?;
        }
        Ok(Output::new(file, path.as_os_str().as_bytes().to_vec(), Some(Rename { from, to })))
    }

    fn new(file: File, name: Vec<u8>, rename: Option<Rename>) -> Output {
        Output(Arc::new(Mutex::new(Open {
            file,
            buffer: Vec::with_capacity(BUFFER),
            name,
            rename,
            tap: None,
            screen: None,
            broken: None,
        })))
    }

    /// Device and inode of every file that this output is or becomes.
    pub fn identities(&self) -> Vec<(u64, u64)> {
        let open = self.open();
        let old = open.rename.as_ref().and_then(|rename| rename.to.metadata().ok());
        let new = open.file.metadata().ok().filter(|meta| meta.is_file());
        old.into_iter().chain(new).map(|meta| (meta.dev(), meta.ino())).collect()
    }

    /// All is written: the file gets its name.
    ///
    /// # Errors
    /// If the rest cannot be written or the file not be renamed; then the old one stays.
    pub fn finish(&self) -> Result<(), WriteError> {
        let mut open = self.open();
        let done = open
            .flush()
            .and_then(|()| open.end())
            .and_then(|()| open.rename.as_ref().map_or(Ok(()), |rename| open.give_name(rename)));
        open.tap = None;
        done.map_err(|source| WriteError { name: open.name.clone(), source })
    }

    /// Where the file lies until it gets its name; none if it is no file.
    pub fn place(&self) -> Option<PathBuf> {
        self.open().rename.as_ref().map(|rename| rename.from.clone())
    }

    /// Hands all that is written from now on to somebody else, too, until [`Output::finish`].
    pub fn tap(&self, tap: SyncSender<Vec<u8>>) {
        self.open().tap = Some(tap);
    }

    /// Gives up: what was written goes, the old file stays.
    pub fn discard(&self) {
        if let Some(rename) = &self.open().rename {
            // A file that can't be removed is written over by the next run.
            let _ = fs::remove_file(&rename.from);
        }
    }

    /// Writes what is collected, unless another thread is at it: for a process that is about to end.
    pub fn rescue(&self) {
        if let Ok(mut open) = self.0.try_lock() {
            // The process ends with "interrupted" whatever comes of it.
            let _ = open.flush();
        }
    }

    /// The file itself, for bytes that are not records. What is written through it and what is written to
    /// the output must not be mixed.
    ///
    /// # Errors
    /// If the system has no descriptor left, or it is a terminal.
    pub fn handle(&self) -> io::Result<File> {
        let open = self.open();
        if open.screen.is_some() {
            return Err(io::Error::other("it is a terminal, and bytes are nothing for it; -o FILE"));
        }
        open.file.try_clone()
    }

    /// What was written so far, to be read from its start.
    ///
    /// # Errors
    /// If it can't be opened, or is not a file that gets its name at the end.
    pub fn reread(&self) -> io::Result<File> {
        match &self.open().rename {
            Some(rename) => File::open(&rename.from),
            None => Err(io::Error::other("what is written there can't be read again")),
        }
    }

    /// Adds the name to an error of this output.
    pub fn error(&self, source: io::Error) -> WriteError {
        WriteError { name: self.open().name.clone(), source }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn flush(&mut self) -> io::Result<()> {
        let done = self.put();
        if let Some(tap) = &self.tap {
            // Who wants no more knows why.
            let _ = tap.send(self.buffer.clone());
        }
        self.buffer.clear();
        done
    }

    fn put(&mut self) -> io::Result<()> {
        if let Some((kind, number)) = self.broken {
            return Err(number.map_or_else(|| kind.into(), io::Error::from_raw_os_error));
        }
        let done = match &mut self.screen {
            Some(screen) => self.file.write_all(&screen.pass(&self.buffer)),
            None => self.file.write_all(&self.buffer),
        };
        done.inspect_err(|error| self.broken = Some((error.kind(), error.raw_os_error())))
    }

    /// Writes what a terminal's filter still holds.
    fn end(&mut self) -> io::Result<()> {
        let rest = self.screen.as_mut().map(Filter::end).unwrap_or_default();
        self.file.write_all(&rest)
    }

    fn give_name(&self, rename: &Rename) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&rename.from, &rename.to)?;
        File::open(directory(&rename.to))?.sync_all()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = self.open();
        if open.buffer.len() + bytes.len() > BUFFER {
            open.flush()?;
        }
        if bytes.len() >= BUFFER && open.screen.is_none() {
            return open.file.write(bytes);
        }
        open.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.open().flush()
    }
}

impl WriteError {
    /// What happened at this path.
    pub fn of(path: &Path, source: io::Error) -> WriteError {
        WriteError { name: path.as_os_str().as_bytes().to_vec(), source }
    }

    /// The reader went away: nobody wants more.
    pub fn closed(&self) -> bool {
        self.source.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot write: {}", Shown(&self.name), self.source)
    }
}

impl error::Error for WriteError {}

/// Whether an output of this name is made and renamed. A device or a FIFO is written to instead.
pub fn replaces(path: &Path) -> bool {
    path.metadata().map_or(true, |meta| meta.is_file())
}

/// The file beside `path` that holds what a run of ours keeps there.
pub fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".hashloom-");
    name.push(what);
    path.with_file_name(name)
}

/// Where a link leads, so that not the link is replaced.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    if link { path.canonicalize() } else { Ok(path.to_path_buf()) }
}

/// The directory that a file lies in.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the file for this process alone, empty.
fn take(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    system::lock(&file).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::other("another run is writing it"),
        _ => error,
    })?;
    file.set_len(0)?;
    Ok(file)
}
