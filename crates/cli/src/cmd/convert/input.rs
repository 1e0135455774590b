//! A manifest that is read more than once: what comes through a pipe is kept in a temporary file.

use crate::exit::Exit;
use crate::message::{self, Shown};
use crate::options::algorithms::Name;
use anyhow::{Context, bail, ensure};
use hashloom_manifest::Record;
use hashloom_manifest::format::{Format, Hint, Reader, Why, open_path};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tempfile::NamedTempFile;

/// A manifest.
pub struct Input {
    /// Its name, as it is shown.
    pub name: String,
    path: PathBuf,
    hint: Hint,
    /// What came through a pipe; it goes with the input.
    _kept: Option<NamedTempFile>,
}

impl Input {
    /// The manifest at this path; `-` is standard input.
    ///
    /// # Errors
    /// If a pipe can't be read.
    pub fn new(path: &OsStr, algorithm: Option<Name>) -> anyhow::Result<Input> {
        let stdin = path == "-";
        let name = if stdin { "standard input".to_string() } else { Shown(path.as_bytes()).to_string() };
        let hint = if stdin { Hint::None } else { Hint::from_name(path.as_bytes()) };
        let hint = algorithm.map_or(hint, |name| Hint::Forced(name.0));
        let path = Path::new(path);
        let file = path.metadata().is_ok_and(|meta| meta.is_file());
        let kept = match (stdin, file) {
            (true, _) => Some(keep(&mut io::stdin().lock()).with_context(|| name.clone())?),
            (false, true) => None,
            (false, false) => {
                let mut pipe = File::open(path).with_context(|| format!("{name}: cannot open"))?;
                ensure!(!path.is_dir(), "{name}: is a directory");
                Some(keep(&mut pipe).with_context(|| name.clone())?)
            }
        };
        let path = kept.as_ref().map_or(path, NamedTempFile::path).to_path_buf();
        Ok(Input { name, path, hint, _kept: kept })
    }

    /// Its records, from the first.
    ///
    /// # Errors
    /// If it is no manifest.
    pub fn records(&self) -> anyhow::Result<Records> {
        match open_path(&self.path, self.hint) {
            Ok(opened) => Ok(Records {
                name: self.name.clone(),
                format: opened.format,
                reader: opened.reader,
                malformed: Malformed::default(),
                quiet: false,
            }),
            Err(error) => bail!("{}: {error}", self.name),
        }
    }
}

fn keep(pipe: &mut dyn Read) -> anyhow::Result<NamedTempFile> {
    let mut file = NamedTempFile::new().context("cannot make a temporary file")?;
    io::copy(pipe, &mut file).context("cannot keep it in a temporary file")?;
    ensure!(fs::metadata(file.path())?.len() > 0, "is empty");
    Ok(file)
}

/// The records of a manifest. Malformed parts are named on standard error, unless that was done before.
pub struct Records {
    name: String,
    /// The manifest's format.
    pub format: &'static Format,
    /// What reads it.
    pub reader: Box<dyn Reader>,
    malformed: Malformed,
    quiet: bool,
}

/// How many parts of a manifest are malformed. Clones share the number.
#[derive(Clone, Default)]
pub struct Malformed(Rc<Cell<u64>>);

impl Malformed {
    /// What they mean for the exit code.
    pub fn exit(&self) -> Exit {
        Exit::Failed.when(self.0.get() > 0)
    }
}

impl Records {
    /// The same, but nothing is said of malformed parts.
    pub fn quiet(self) -> Records {
        Records { quiet: true, ..self }
    }

    /// What is malformed, as far as it was read.
    pub fn malformed(&self) -> Malformed {
        self.malformed.clone()
    }
}

impl Iterator for Records {
    type Item = anyhow::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next()? {
                Ok(record) => return Some(Ok(record)),
                Err(malformed) if matches!(malformed.why, Why::Io(_)) => {
                    return Some(Err(anyhow::anyhow!("{}: {malformed}", self.name)));
                }
                Err(malformed) => {
                    let failed = !malformed.is_note();
                    Exit::Failed.when(failed);
                    self.malformed.0.set(self.malformed.0.get() + u64::from(failed));
                    if !self.quiet {
                        message::say(format_args!("{}: {malformed}", self.name));
                    }
                }
            }
        }
    }
}
