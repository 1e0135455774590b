//! A manifest that is read more than once. Data from a pipe is kept in a temporary file.

use super::event::{ConvertEvent, Teller};
use crate::error::Error;
use crate::notice::{Notice, of_signatures};
use hashmill_content::File as Tried;
use hashmill_content::output::WriteError;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use hashmill_lists::history::{self, Trust};
use hashmill_lists::listing::{name_of, open_named};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::format::{Format, Hint, Reader, Unusable, open};
use hashmill_manifest::{Named, Record};
use hashmill_os::{SharedFile, names, open_to_read};
use hashmill_source::Stdin;
use std::cell::Cell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of temporary files in messages.
const TEMPORARY: &str = "a temporary file";

/// The algorithm that the user names for digests that nothing else names, and whether one was met that may be by it.
#[derive(Clone)]
struct Forced {
    algorithm: &'static Algorithm,
    is_met: Arc<AtomicBool>,
}

impl Forced {
    /// Notes a record. Several digests of one are named, or nobody could tell them apart.
    fn note(&self, record: &Record) {
        if let [Named { algorithm, .. }] = &*record.digests
            && Hint::may_name(self.algorithm, algorithm)
        {
            self.is_met.store(true, Ordering::Relaxed);
        }
    }
}

/// A manifest to read.
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: Box<[u8]>,
    path: PathBuf,
    hint: Hint,
    forced: Option<Forced>,
    /// The data that came through a pipe; dropped with the input.
    kept: Option<SharedFile>,
    /// The folder of the history, if the manifest is one.
    history: Option<PathBuf>,
    /// The generations of inner histories that count.
    trust: Trust,
    stores: Stores,
}

impl Input {
    /// Opens the manifest at this path; `-` is standard input. `algorithm` is that of digests whose algorithm nothing
    /// names.
    ///
    /// # Errors
    /// If a pipe can't be read, or a signature beside the manifest does not satisfy `guard`.
    pub(crate) fn new(
        path: &Path,
        algorithm: Option<&'static Algorithm>,
        guard: &Guard,
        told: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Input, Error> {
        let stdin = path.as_os_str() == "-";
        let name = name_of(path.as_os_str());
        let hint = if stdin { Hint::None } else { Hint::from_name(&names::path_bytes(path)) };
        let hint = algorithm.map_or(hint, Hint::Forced);
        let listing = guard.open(path.as_os_str(), &mut of_signatures(told))?;
        let trust = if listing.is_signed() { Trust::Reached } else { Trust::All };
        let copy = listing.into_copy().map_err(Error::file(&name, Tried::Read))?;
        let history = history::is_history(path).then(|| path.to_path_buf());
        // A folder may be one of Parquet files.
        let is_file = path.metadata().is_ok_and(|meta| meta.is_file() || meta.is_dir());
        let kept = match copy {
            Some(mut copy) => Some(keep(&name, &mut copy)?),
            None if stdin => Some(keep(&name, &mut Stdin::open().map_err(Error::file(&name, Tried::Open))?)?),
            None if is_file || guard.stores.is_location(&name) || history.is_some() => None,
            None => {
                let mut pipe = open_to_read(path).map_err(Error::file(&name, Tried::Open))?;
                Some(keep(&name, &mut pipe)?)
            }
        };
        let path = path.to_path_buf();
        let forced = algorithm.map(|algorithm| Forced { algorithm, is_met: Arc::default() });
        Ok(Input { name, path, hint, forced, kept, history, trust, stores: guard.stores.clone() })
    }

    /// Returns the algorithm that the user named, if no digest was read that may be by it.
    pub(crate) fn unneeded(&self) -> Option<&'static Algorithm> {
        self.forced
            .as_ref()
            .filter(|forced| !forced.is_met.load(Ordering::Relaxed))
            .map(|forced| forced.algorithm)
    }

    /// Reads the records from the start. Parts that can't be parsed are reported to `teller`, if there is one.
    ///
    /// # Errors
    /// If it is not a manifest.
    pub(crate) fn records<'a>(&self, teller: Option<&Rc<Teller<'a>>>) -> Result<Records<'a>, Error> {
        let opened = match &self.kept {
            Some(chain) if let Some(folder) = &self.history => {
                history::open(folder, Box::new(chain.again()), self.trust)
            }
            None => open_named(&self.path, self.hint, &self.stores),
            // Files that the manifest refers to don't lie beside the copy.
            Some(copy) => open(Box::new(copy.again()), self.hint),
        };
        let opened =
            opened.map_err(|why| Error::Unusable { path: self.name.clone(), why })?.titled(&self.name);
        Ok(Records {
            name: self.name.clone(),
            format: opened.format,
            reader: opened.reader,
            malformed: Malformed::default(),
            has_notices: false,
            forced: self.forced.clone(),
            teller: teller.cloned(),
        })
    }
}

fn keep(name: &[u8], pipe: &mut dyn Read) -> Result<SharedFile, Error> {
    let failed = |error| WriteError::of_stream(TEMPORARY, error);
    let mut file = tempfile::tempfile().map_err(failed)?;
    match io::copy(pipe, &mut file).map_err(failed)? {
        0 => Err(Error::Unusable { path: name.into(), why: Unusable::Empty }),
        _ => Ok(SharedFile::new(file)),
    }
}

/// The records of a manifest.
pub(crate) struct Records<'a> {
    name: Box<[u8]>,
    pub(crate) format: &'static Format,
    /// The reader of the manifest.
    pub(crate) reader: Box<dyn Reader>,
    pub(crate) malformed: Malformed,
    /// Whether there was something to tell the user.
    pub(crate) has_notices: bool,
    forced: Option<Forced>,
    teller: Option<Rc<Teller<'a>>>,
}

/// The number of parts of a manifest that could not be parsed. Clones share the number.
#[derive(Clone, Default)]
pub(crate) struct Malformed(Rc<Cell<u64>>);

impl Malformed {
    /// Returns the number of such parts read so far.
    pub(crate) fn number(&self) -> u64 {
        self.0.get()
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.reader.next()? {
                Ok(record) => {
                    self.forced.iter().for_each(|forced| forced.note(&record));
                    return Some(Ok(record));
                }
                Err(why) if why.is_end() => {
                    return Some(Err(Error::of_place(self.name.clone(), why)));
                }
                Err(why) => {
                    self.has_notices = true;
                    self.malformed.0.set(self.malformed.0.get() + u64::from(!why.is_note()));
                    if let Some(teller) = &self.teller {
                        teller.tell(ConvertEvent::Notice(Notice::Malformed { list: &self.name, why: &why }));
                    }
                }
            }
        }
    }
}
