//! Selections of files and resources, with the same options as the command.

use crate::error::{number_of, os_error, wrong};
use crate::reach::{ReachLimits, StoreAccess, stores_by, usual};
use hashmill_content::output::OutputPath;
use hashmill_content::{BackingFiles, Inside, PathList, Selection as Selected, Stores};
use hashmill_digest::parse_size;
use hashmill_engine::{Cancel, Prefetch};
use hashmill_job::account::{Account, of_unread};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::Time;
use hashmill_os::names;
use hashmill_source::{Filter, IgnoreRules, Io, LetterCase};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::BTreeMap;
use std::fs;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The path of an output as it was typed, and whether an existing file there is replaced.
pub(crate) type TypedOutput = (PathBuf, bool);

/// Returns the path of an output.
pub(crate) fn place((path, force): TypedOutput, stores: &Stores) -> OutputPath {
    OutputPath { force, stores: stores.clone(), ..OutputPath::from(path) }
}

/// A number of bytes: `4096`, `"64K"`, `"10MB"`.
pub(crate) enum Size {
    Bytes(u64),
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for Size {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Size> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(Size::Text);
        }
        if !object.hasattr("__index__")? {
            let name = object.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a size is a number of bytes or text such as '64K', not {name}"
            )));
        }
        let bytes = object
            .extract()
            .map_err(|_| wrong(format!("a size is 0 to {} bytes, not {}", u64::MAX, object.to_owned())));
        bytes.map(Size::Bytes)
    }
}

/// A number of things. A number that is out of range is a `ValueError`.
#[derive(Clone, Copy)]
pub(crate) struct Count(usize);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Count> {
        let number = object.extract::<usize>();
        number.map(Count).map_err(|error| match error.is_instance_of::<PyOverflowError>(object.py()) {
            true => wrong(format!("a number from 0 to {} is needed, not {}", usize::MAX, object.to_owned())),
            false => error,
        })
    }
}

impl Count {
    /// Returns the number.
    pub(crate) fn number(self) -> usize {
        self.0
    }

    /// Returns the number, which must be at least one.
    pub(crate) fn some(self, what: &str) -> PyResult<NonZeroUsize> {
        NonZeroUsize::new(self.0).ok_or_else(|| wrong(format!("{what} must be 1 at least")))
    }
}

impl Size {
    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> PyResult<u64> {
        match self {
            Size::Bytes(bytes) => Ok(*bytes),
            Size::Text(text) => parse_size(text).map_err(|bad| wrong(format!("'{text}': {bad}"))),
        }
    }

    /// Returns the number of bytes, which must be at least one.
    pub(crate) fn some(&self, what: &str) -> PyResult<NonZeroU64> {
        NonZeroU64::new(self.bytes()?).ok_or_else(|| wrong(format!("{what} must be 1 byte at least")))
    }
}

/// A point in time: seconds since 1970, text (RFC 3339, or a date), or a file's modification time.
pub(crate) enum Moment {
    Seconds(f64),
    Text(String),
    File(PathBuf),
}

impl FromPyObject<'_, '_> for Moment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Moment> {
        if let Ok(seconds) = object.extract() {
            return Ok(Moment::Seconds(seconds));
        }
        let text = object.extract().map(Moment::Text);
        text.or_else(|_| object.extract().map(Moment::File)).or_else(|_: PyErr| {
            let kind = object.get_type().name()?;
            Err(PyTypeError::new_err(format!("a time is seconds since 1970, text or a file, not {kind}")))
        })
    }
}

/// The files to read: paths, and filters for the files below them.
#[pyclass(frozen, module = "hashmill._hashmill")]
pub(crate) struct Selection(pub(crate) Selected);

/// The resources of a call (threads, memory, ways to read, access to stores), and its cancellation flag.
#[pyclass(frozen, module = "hashmill._hashmill")]
pub(crate) struct Resources(pub(crate) hashmill_content::Resources, pub(crate) Cancel);

/// A flag that cancels calls from another thread.
#[pyclass(frozen, module = "hashmill._hashmill")]
pub(crate) struct Stop(pub(crate) Cancel);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Stop {
        Stop(Cancel::default())
    }

    /// Cancels the calls that have this flag, now and in future.
    fn set(&self) {
        self.0.set();
    }

    /// Returns whether it was set.
    fn is_set(&self) -> bool {
        self.0.is_set()
    }
}

#[pymethods]
impl Selection {
    #[new]
    #[pyo3(signature = (
        paths, *, files_from = None, null = false, include = vec![], exclude = vec![], exclude_from = vec![],
        ignore_case = false, hashignore = false, gitignore = false, max_depth = None, min_size = None, max_size = None,
        newer = None, older = None, follow = false, one_file_system = false, images = false, inside = vec![], backing = vec![], only_inside = false,
        deleted = false, unallocated = false, max_ratio = Inside::RATIO, max_nesting = Inside::NESTING,
        max_members = Inside::MEMBERS, max_expanded = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        paths: Vec<Vec<u8>>,
        files_from: Option<PathBuf>,
        null: bool,
        include: Vec<String>,
        exclude: Vec<String>,
        exclude_from: Vec<PathBuf>,
        ignore_case: bool,
        hashignore: bool,
        gitignore: bool,
        max_depth: Option<Count>,
        min_size: Option<Size>,
        max_size: Option<Size>,
        newer: Option<Moment>,
        older: Option<Moment>,
        follow: bool,
        one_file_system: bool,
        images: bool,
        inside: Vec<String>,
        backing: Vec<PathBuf>,
        only_inside: bool,
        deleted: bool,
        unallocated: bool,
        max_ratio: u64,
        max_nesting: u32,
        max_members: u64,
        max_expanded: Option<Size>,
    ) -> PyResult<Selection> {
        let kinds = ["archives", "images", "all"];
        if let Some(kind) = inside.iter().find(|kind| !kinds.contains(&kind.as_str())) {
            return Err(wrong(format!("inside: {kind} is no kind of file; archives, images and all are")));
        }
        let has = |kind: &str| inside.iter().any(|given| given == kind || given == "all");
        let files = has("images");
        let inside = Inside {
            media: images || files,
            files,
            deleted,
            unallocated,
            archives: has("archives"),
            only: only_inside,
            max_ratio,
            max_nesting,
            max_members,
            max_expanded: max_expanded.map(|size| size.bytes()).transpose()?.unwrap_or(Inside::EXPANDED),
        };
        if paths.iter().any(|path| path.contains(&0)) {
            return Err(wrong("a path has a NUL byte in it"));
        }
        let case = if ignore_case { LetterCase::Ignored } else { LetterCase::Matters };
        let mut filter = Filter::builder().case(case);
        filter = include.iter().fold(filter, |filter, glob| filter.include(glob));
        filter = exclude.iter().fold(filter, |filter, glob| filter.exclude(glob));
        if gitignore {
            filter = filter.exclude(".git");
        }
        if let Some(size) = min_size {
            filter = filter.min_size(size.bytes()?);
        }
        if let Some(size) = max_size {
            filter = filter.max_size(size.bytes()?);
        }
        let newer = newer.map(|newer| newer.time("newer")).transpose()?;
        let older = older.map(|older| older.time("older")).transpose()?;
        if newer.zip(older).is_some_and(|(newer, older)| newer >= older) {
            return Err(wrong("newer, older: no time is after the one and before the other"));
        }
        filter = newer.into_iter().fold(filter, |filter, newer| filter.newer(newer));
        filter = older.into_iter().fold(filter, |filter, older| filter.older(older));
        let ignore_files = [(gitignore, ".gitignore"), (hashignore, ".hashignore")];
        let ignore_files = ignore_files.iter().filter(|(wanted, _)| *wanted);
        Ok(Selection(Selected {
            paths: paths.into_iter().map(Into::into).collect(),
            list: files_from.map(|name| PathList::named(&name, if null { 0 } else { b'\n' })),
            filter: filter.build().map_err(wrong)?,
            follow,
            one_file_system,
            max_depth: max_depth.map(Count::number),
            rules: rules(&exclude_from, case)?,
            ignore_files: ignore_files.map(|(_, name)| name.as_bytes().into()).collect(),
            inside,
            backing: BackingFiles::new(backing).map_err(wrong)?,
            ..Selected::default()
        }))
    }
}

impl Selection {
    /// Returns a line for each reason why files were not looked into, and the account of those that should have been.
    pub(crate) fn unread(&self) -> (Vec<String>, Account) {
        of_unread(&self.0.unread)
    }
}

/// Reads the patterns of files, in the order of the files.
fn rules(files: &[PathBuf], case: LetterCase) -> PyResult<IgnoreRules> {
    let mut text = Vec::new();
    for path in files {
        let read = fs::read(path);
        text.extend(read.map_err(|source| {
            os_error(&names::path_bytes(path), &format!("cannot read: {source}"), number_of(&source))
        })?);
        text.push(b'\n');
    }
    Ok(IgnoreRules::parse_with(&text, case))
}

impl Moment {
    /// Returns the time, which is the option `name`.
    fn time(&self, name: &str) -> PyResult<SystemTime> {
        let since = |seconds: f64| {
            let whole = Duration::try_from_secs_f64(seconds.abs()).ok()?;
            if seconds < 0.0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) }
        };
        match self {
            Moment::Seconds(seconds) => {
                since(*seconds).ok_or_else(|| wrong(format!("{name}: {seconds} is too far from now")))
            }
            Moment::Text(text) => match fs::metadata(Path::new(text)) {
                Ok(meta) => Ok(meta.modified()?),
                Err(_) => {
                    let time = Time::from_rfc3339(text);
                    let time = time.or_else(|| Time::from_rfc3339(&format!("{text}T00:00:00Z")));
                    time.and_then(|time| since(time.seconds as f64)).ok_or_else(|| {
                        wrong(format!("{name}: '{text}' is neither a file nor a time like 2026-11-21 or 2026-11-21T10:00:00Z"))
                    })
                }
            },
            Moment::File(path) => {
                let modified = fs::metadata(path).and_then(|meta| meta.modified());
                modified.map_err(|source| {
                    os_error(&names::path_bytes(path), &source.to_string(), number_of(&source))
                })
            }
        }
    }
}

#[pymethods]
impl Resources {
    #[new]
    #[pyo3(signature = (
        *, threads = None, memory = None, io = "auto", prefetch = None, timeout = None, bwlimit = None, nice = false,
        stop = None, endpoint = None, region = None, anonymous = false, credentials = None, requests = None, stores = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        threads: Option<Count>,
        memory: Option<Size>,
        io: &str,
        prefetch: Option<&Bound<'_, PyAny>>,
        timeout: Option<f64>,
        bwlimit: Option<Size>,
        nice: bool,
        stop: Option<&Stop>,
        endpoint: Option<String>,
        region: Option<String>,
        anonymous: bool,
        credentials: Option<BTreeMap<String, String>>,
        requests: Option<Count>,
        stores: bool,
    ) -> PyResult<Resources> {
        let threads = threads.map(|threads| threads.some("threads"));
        let timeout = timeout.map(|seconds| {
            let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
            time.ok_or_else(|| wrong("timeout must be a positive number of seconds"))
        });
        let mut resources = hashmill_content::Resources {
            threads: threads.transpose()?,
            prefetch: readers(prefetch)?,
            io: ways(io)?,
            timeout: timeout.transpose()?,
            rate: bwlimit.map(|size| size.some("bwlimit")).transpose()?,
            nice,
            stores: usual(),
            ..hashmill_content::Resources::default()
        };
        if let Some(memory) = memory {
            resources.memory = usize::try_from(memory.bytes()?).unwrap_or(usize::MAX);
        }
        let is_told = endpoint.is_some()
            || region.is_some()
            || anonymous
            || credentials.is_some()
            || requests.is_some();
        if stores || is_told {
            // The other half is for answers that wait.
            resources.memory -= resources.memory / 2;
            let requests = requests.map(Count::number);
            let means = ReachLimits { requests, memory: resources.memory, rate: resources.rate };
            let way = StoreAccess { endpoint, region, anonymous, credentials };
            resources.stores = stores_by(way, means)?;
        }
        Ok(Resources(resources, stop.map(|stop| stop.0.clone()).unwrap_or_default()))
    }
}

impl Resources {
    /// Returns a check of the signatures beside lists, which reaches stores as the call requires.
    pub(crate) fn guard(&self) -> Guard {
        Guard { stores: self.0.stores.clone(), ..Guard::default() }
    }
}

fn ways(io: &str) -> PyResult<Io> {
    match io {
        "auto" => Ok(Io::Auto),
        "buffered" => Ok(Io::Buffered),
        "direct" => Ok(Io::Direct),
        _ => Err(wrong(format!("io is 'auto', 'buffered' or 'direct', not '{io}'"))),
    }
}

fn readers(prefetch: Option<&Bound<'_, PyAny>>) -> PyResult<Prefetch> {
    let Some(prefetch) = prefetch else { return Ok(Prefetch::Auto) };
    if prefetch.extract::<&str>().is_ok_and(|word| word == "auto") {
        return Ok(Prefetch::Auto);
    }
    let number = prefetch.extract::<Count>().map_err(|error| {
        match error.is_instance_of::<PyTypeError>(prefetch.py()) {
            true => PyTypeError::new_err("prefetch is 'auto' or a number of threads"),
            false => error,
        }
    });
    Ok(Prefetch::Fixed(number?.number()))
}
