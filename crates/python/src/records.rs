//! `hash`: an iterator of records that is also an Arrow stream.

use crate::arrow::{self, Columns, WantedColumns};
use crate::engine::inspection::Inspection;
use crate::engine::{LiveSlot, Operation, Outlet, Progress};
use crate::error::{job, said, wrong};
use crate::options::{Resources, Selection, Size, TypedOutput, place};
use crate::record::Record;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema};
use hashmill_content::entry::unread::NotLookedInto;
use hashmill_content::output::{OutputPath, To};
use hashmill_engine::flow::Flow;
use hashmill_engine::{Cancel, Order};
use hashmill_job::account::{Account, Item, Outcome, of_unread};
use hashmill_job::hash::{HashEvent, HashJob, HashSummary, Manifest};
use hashmill_job::labels::{Labels, Purpose, Show};
use hashmill_job::reuse::Reuse;
use hashmill_job::{Algorithms, Error};
use hashmill_known::{Filter, Sets};
use hashmill_manifest::format::{Format, Hint, find_format, format_of_name};
use hashmill_os::names;
use hashmill_source::BadBlocks;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::collections::VecDeque;
use std::ffi::CString;
use std::fmt;
use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};

/// Records were taken before.
const TAKEN: &str = "these records were taken: each comes once; keep them (records = list(records), or pyarrow.table(records)) to use \
                     them twice";

/// The rows of an Arrow batch.
const ROWS: usize = 8192;

/// Records as they come: iterate over them, or pass this to a consumer of Arrow streams. Each record comes once.
#[pyclass(frozen, module = "hashmill", weakref)]
pub(crate) struct Records {
    source: Arc<Source>,
}

/// The source of iterators and Arrow streams. Its lock is only waited for without the GIL, as the thread that has the
/// lock may wait for the GIL.
struct Source {
    state: Mutex<State>,
    columns: Columns,
    raise: bool,
    /// Cancels the run, even while another thread has the lock.
    cancel: Cancel,
    /// The number of the Arrow stream that takes the records; 0 while none does.
    stream: AtomicU64,
    /// The path of the manifest that is written as well.
    output: Option<PathBuf>,
}

/// The number of the stream that was made last.
static LAST_STREAM: AtomicU64 = AtomicU64::new(0);

struct State {
    stage: Stage,
    ready: VecDeque<Record>,
    progress: Progress,
    summary: Option<Concluded>,
}

enum Stage {
    /// A job that was not started yet.
    Prepared(Box<Prepared>),
    Running(Operation<Record, Concluded>),
    Ended,
}

/// A job, and what it does besides.
struct Prepared {
    job: HashJob,
    writing: Option<Writing>,
    unread: NotLookedInto,
    /// Whether files are judged by sets, so that a known bad one, or none at all, is not as it should be.
    is_judging: bool,
}

/// The end of a run: its numbers, its account, and lines about what no record says.
#[derive(Default)]
struct Concluded {
    summary: HashSummary,
    account: Account,
    problems: Vec<String>,
}

impl Source {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a stream, or with 0 an iterator, take records, unless another stream does.
    fn claim(&self, stream: u64) -> PyResult<()> {
        match self.stream.compare_exchange(0, stream, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(taker) if taker == stream => Ok(()),
            Err(_) => Err(wrong(TAKEN)),
        }
    }

    /// Returns whether a stream takes the records, or a run that had some ended.
    fn is_taken(&self) -> bool {
        let has_ended = || {
            let State { stage, ready, summary, .. } = &*self.lock();
            let gave = summary.as_ref().is_none_or(|end| end.summary.stats.seen > 0);
            matches!(stage, Stage::Ended) && ready.is_empty() && gave
        };
        self.stream.load(Ordering::Acquire) != 0 || has_ended()
    }

    /// Returns the manifest that is not written, as nobody took all records.
    fn unwritten(&self) -> Option<&Path> {
        let is_open = || !matches!(self.lock().stage, Stage::Ended);
        self.output.as_deref().filter(|_| self.stream.load(Ordering::Acquire) == 0 && is_open())
    }

    /// Returns a record that arrived already, if there is one.
    fn at_hand(&self) -> Option<Record> {
        match self.state.try_lock() {
            Ok(mut state) if !state.progress.is_due() => state.ready.pop_front(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().ready.pop_front(),
            _ => None,
        }
    }

    /// Returns the next record. Must be called without the GIL.
    fn next(&self, caller: Caller) -> PyResult<Option<Record>> {
        let mut state = self.lock();
        loop {
            let State { stage, ready, progress, summary } = &mut *state;
            if progress.is_due()
                && let Stage::Running(operation) = stage
            {
                caller.tick(progress, operation.live())?;
            }
            if let Some(record) = ready.pop_front() {
                if self.raise
                    && let Some(exception) = record.exception()
                {
                    *stage = Stage::Ended;
                    ready.clear();
                    return Err(exception);
                }
                return Ok(Some(record));
            }
            match stage {
                Stage::Prepared(_) => stage.start()?,
                Stage::Ended => return Ok(None),
                Stage::Running(operation) => {
                    let waited = operation.wait(|live| caller.tick(progress, live));
                    match waited {
                        Ok(Some(batch)) => ready.extend(batch),
                        Ok(None) => *summary = Some(stage.end(progress, caller)?),
                        Err(error) => {
                            *stage = Stage::Ended;
                            return Err(error);
                        }
                    }
                }
            }
        }
    }
}

impl Stage {
    fn start(&mut self) -> PyResult<()> {
        if let Stage::Prepared(prepared) = mem::replace(self, Stage::Ended) {
            let cancel = prepared.job.cancel.clone();
            *self = Stage::Running(Operation::start(cancel, |outlet| prepared.run(outlet))?);
        }
        Ok(())
    }

    fn end(&mut self, progress: &mut Progress, caller: Caller) -> PyResult<Concluded> {
        let Stage::Running(operation) = mem::replace(self, Stage::Ended) else {
            return Ok(Concluded::default());
        };
        let live = Arc::clone(operation.live());
        let summary = operation.end()?;
        caller.end(progress, &live)?;
        Ok(summary)
    }
}

/// A manifest that is written as well.
#[derive(Clone)]
struct Writing {
    format: &'static Format,
    path: OutputPath,
    times: bool,
    resume: bool,
}

impl Writing {
    fn manifest(&self) -> Manifest {
        let Writing { format, ref path, times, resume } = *self;
        Manifest { times, resume, ..Manifest::new(format, To::File(path.clone())) }
    }
}

impl Prepared {
    /// Runs the job, and passes on its records.
    fn run(self, outlet: &mut Outlet<Record>) -> Result<Concluded, Error> {
        let run = match self.writing {
            Some(writing) => self.job.start_writing(writing.manifest())?,
            None => self.job.start()?,
        };
        outlet.watch(run.live());
        let mut problems = Vec::new();
        let summary = run.run(&mut |event| take(&event, outlet, &mut problems))?;
        let (unread, lacking) = of_unread(&self.unread);
        let mut account = summary.account().and(lacking);
        problems.extend(unread);
        problems.extend(unnamed(&summary));
        if self.is_judging {
            account.turn(Item::Entry, Outcome::Differs, summary.categories.get("bad").copied().unwrap_or(0));
            if account.is_idle() {
                account.count(Item::Operand, Outcome::Failed, 1);
                problems.push("nothing was judged: all entries were left out".to_owned());
            }
        }
        Ok(Concluded { summary, account, problems: problems.iter().map(said).collect() })
    }
}

/// Passes on the record of an event, or adds a line about it.
fn take(event: &HashEvent<'_>, outlet: &mut Outlet<Record>, problems: &mut Vec<String>) -> Flow {
    let about = |path: &[u8], what: &dyn fmt::Display| format!("{}: {what}", String::from_utf8_lossy(path));
    match event {
        HashEvent::Piece(record) | HashEvent::Hashed(record) => {
            return outlet.give(Record::from_inner(record));
        }
        HashEvent::Failed(error, record) => return outlet.give(Record::failed(error, record)),
        HashEvent::Skipped(record, why) if is_told(*why) => return outlet.give(Record::from_inner(record)),
        HashEvent::AllRead => return outlet.flush(),
        HashEvent::Differs(record, difference) => problems.push(about(&record.path, difference)),
        HashEvent::Unlike(record, unlike) => {
            let what =
                format!("its {} is not the one in the history, {}", unlike.algorithm.name, unlike.known);
            problems.push(about(&record.path, &what));
        }
        HashEvent::Missing(path) => problems.push(about(path, &"is in the history, and missing")),
        HashEvent::Notice(notice) => problems.push(notice.to_string()),
        _ => {}
    }
    ControlFlow::Continue(())
}

/// Returns a line about each problem of a run that no record and no event names.
fn unnamed(summary: &HashSummary) -> Vec<String> {
    let list = summary.list_problem.as_ref();
    let list = list.map(|error| format!("cannot read the rest of the list of paths: {error}"));
    let refused = (summary.refused > 0)
        .then(|| format!("records that the manifest's format can't carry: {}", summary.refused));
    let unsigned = summary.unsigned.then(|| "the manifest could not be signed".to_owned());
    [list, refused, unsigned].into_iter().flatten().collect()
}

/// Returns whether a skipped file has a record: files that filters leave out have none, nor has the run's own output.
fn is_told(why: hashmill_source::Skip) -> bool {
    use hashmill_source::Skip;
    !matches!(why, Skip::Filtered | Skip::Output)
}

/// The kind of thread that waits for records: it decides whether to check for signals and call Python.
#[derive(Clone, Copy)]
enum Caller {
    /// A Python thread that released the GIL.
    Python,
    /// The consumer of an Arrow stream that this thread began.
    Consumer(ThreadId),
}

impl Caller {
    /// Returns whether this thread may wait for the GIL. On another thread than the one that began a stream, the holder
    /// of the GIL may itself be waiting for this one.
    fn may_attach(self) -> bool {
        match self {
            Caller::Python => true,
            Caller::Consumer(thread) => thread::current().id() == thread,
        }
    }

    fn tick(self, progress: &mut Progress, live: &LiveSlot) -> PyResult<()> {
        if self.may_attach() { Python::attach(|py| progress.tick(py, live)) } else { Ok(()) }
    }

    fn end(self, progress: &mut Progress, live: &LiveSlot) -> PyResult<()> {
        if self.may_attach() { Python::attach(|py| progress.end(py, live)) } else { Ok(()) }
    }
}

#[pymethods]
impl Records {
    /// Returns this iterator. Once a stream has begun, or the run has ended, another use raises `ValueError`.
    fn __iter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let source = &slf.get().source;
        match slf.py().detach(|| source.is_taken()) {
            true => Err(wrong(TAKEN)),
            false => Ok(slf),
        }
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        self.source.claim(0)?;
        if !self.source.raise
            && let Some(record) = self.source.at_hand()
        {
            return Ok(Some(record));
        }
        py.detach(|| self.source.next(Caller::Python))
    }

    /// Ends the run early: files without a record so far are not hashed.
    fn close(&self, py: Python<'_>) {
        self.source.cancel.set();
        py.detach(|| {
            let mut state = self.source.lock();
            state.stage = Stage::Ended;
            state.ready.clear();
        });
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(py);
    }

    /// The summary of the run, once all records were taken; `None` before. It is `complete` if everything was read and
    /// written, and `ok` if nothing differs, either; `problems` are lines about what no record says.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let told = py.detach(|| {
            let state = self.source.lock();
            state.summary.as_ref().map(|Concluded { summary, account, problems }| {
                let stats = &summary.stats;
                let numbers = [
                    ("seen", stats.seen),
                    ("hashed", stats.hashed),
                    ("reused", stats.reused),
                    ("skipped", stats.skipped),
                    ("failed", stats.failed),
                    ("damaged", summary.damaged),
                    ("differing", summary.differing),
                    ("refused", summary.refused),
                    ("bytes", stats.bytes),
                ];
                (numbers, stats.elapsed.as_secs_f64(), *account, problems.clone())
            })
        });
        let Some((numbers, seconds, account, problems)) = told else { return Ok(None) };
        let summary = PyDict::new(py);
        numbers.iter().try_for_each(|(name, number)| summary.set_item(name, number))?;
        summary.set_item("seconds", seconds)?;
        summary.set_item("ok", account.is_fine())?;
        summary.set_item("complete", account.is_complete())?;
        let is_told = !account.is_complete() && !problems.is_empty();
        summary.set_item("problem", is_told.then(|| problems.join("; ")))?;
        summary.set_item("problems", problems)?;
        let account = account.to_json().to_string();
        summary.set_item("account", py.import("json")?.call_method1("loads", (account,))?)?;
        Ok(Some(summary))
    }

    /// Returns the records as an Arrow stream, by the Arrow PyCapsule interface. Once a stream has begun, or all records were
    /// taken, another one raises `ValueError`.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        if py.detach(|| self.source.is_taken()) {
            return Err(wrong(TAKEN));
        }
        let caller = Caller::Consumer(thread::current().id());
        let number = LAST_STREAM.fetch_add(1, Ordering::Relaxed) + 1;
        arrow::stream(py, Box::new(Reader { source: Arc::clone(&self.source), caller, number }))
    }

    /// Returns the schema of that stream.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema(py, &self.source.columns.schema())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match py.detach(|| self.source.unwritten()) {
            Some(path) => format!("<hashmill records: {} is written when all were taken>", path.display()),
            None => "<hashmill records>".to_owned(),
        }
    }
}

/// Warns if an output was not written because nobody took the records.
impl Drop for Records {
    fn drop(&mut self) {
        let _ = Python::try_attach(|py| {
            let Some(path) = py.detach(|| self.source.unwritten()) else { return };
            let said = format!(
                "{} was not written: it is when all records were taken, as by list(records); close() ends a run without it",
                path.display()
            );
            let said = CString::new(said).unwrap_or_default();
            if let Err(error) = PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &said, 1) {
                error.write_unraisable(py, None);
            }
        });
    }
}

/// A reader that takes records batch by batch.
struct Reader {
    source: Arc<Source>,
    caller: Caller,
    number: u64,
}

impl Reader {
    fn rows(&self) -> PyResult<Vec<Record>> {
        self.source.claim(self.number)?;
        let mut rows = Vec::new();
        while rows.len() < ROWS {
            match self.source.next(self.caller)? {
                Some(record) => rows.push(record),
                None => break,
            }
        }
        Ok(rows)
    }

    /// Turns an exception into an error for the consumer. The consumer raises its own exception, so a keyboard
    /// interrupt is announced again.
    #[allow(unsafe_code, reason = "the interpreter's own call")]
    fn told(&self, error: PyErr) -> ArrowError {
        if !self.caller.may_attach() {
            return ArrowError::ExternalError(Box::new(error));
        }
        Python::attach(|py| {
            let told = ArrowError::ExternalError(error.value(py).to_string().into());
            if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                // SAFETY: it only notes that the signal came, and this thread is attached.
                unsafe { ffi::PyErr_SetInterrupt() };
            }
            told
        })
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.rows() {
            Ok(rows) if rows.is_empty() => None,
            Ok(rows) => Some(self.source.columns.batch(&rows)),
            Err(error) => Some(Err(self.told(error))),
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> Arc<Schema> {
        self.source.columns.schema()
    }
}

/// Prepares hashing the files of a selection.
#[pyfunction]
#[pyo3(signature = (
    selection, resources, algorithms, inspection, *, piecewise = None, leaves = false, order = "path", bad_blocks = "fail", known = vec![],
    metadata = false, reuse = None, output = None, format = None, times = false, resume = false, raise_on_error = false,
    is_judging = false, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn hash(
    selection: &Selection,
    resources: &Resources,
    algorithms: &str,
    inspection: &Inspection,
    piecewise: Option<Size>,
    leaves: bool,
    order: &str,
    bad_blocks: &str,
    known: Vec<PathBuf>,
    metadata: bool,
    reuse: Option<PathBuf>,
    output: Option<TypedOutput>,
    format: Option<&str>,
    times: bool,
    resume: bool,
    raise_on_error: bool,
    is_judging: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Records> {
    let algorithms = Algorithms::named(algorithms).map_err(wrong)?;
    let cancel = Cancel::default();
    let wanted = WantedColumns {
        pieces: piecewise.is_some(),
        labels: !known.is_empty(),
        versions: selection.0.has_buckets(&resources.0.stores),
        metadata: metadata || reuse.is_some(),
        inside: selection.0.inside.is_any(),
        facts: inspection.facts(),
    };
    let columns = Columns::new(&algorithms, wanted);
    let written = output.as_ref().map(|(path, _)| format_of(format, path, &algorithms)).transpose()?;
    let job_ = HashJob {
        piece: piecewise.map(|size| size.some("piecewise")).transpose()?,
        leaves,
        order: order_of(order)?,
        bad_blocks: bad_blocks_of(bad_blocks)?,
        labels: labels(&known)?,
        metadata,
        reuse: reuse.map(|path| reuse_of(path, resources)).transpose()?,
        resources: resources.0.clone(),
        cancel: cancel.clone(),
        ..inspection.of(HashJob::new(selection.0.clone(), algorithms))
    };
    let written_to = output.as_ref().map(|(path, _)| path.clone());
    let writing = match output.zip(written) {
        Some((typed, format)) => {
            Some(Writing { format, path: place(typed, &resources.0.stores), times, resume })
        }
        None if format.is_some() || times || resume => {
            return Err(wrong("format, times and resume are about an output: give output, too"));
        }
        None => None,
    };
    job_.check(writing.as_ref().map(Writing::manifest).as_ref()).map_err(job)?;
    let unread = selection.0.unread.clone();
    let stage = Stage::Prepared(Box::new(Prepared { job: job_, writing, unread, is_judging }));
    let state = State { stage, ready: VecDeque::new(), progress: Progress::new(progress), summary: None };
    Ok(Records {
        source: Arc::new(Source {
            state: Mutex::new(state),
            columns,
            raise: raise_on_error,
            cancel,
            stream: AtomicU64::new(0),
            output: written_to,
        }),
    })
}

/// Opens the manifest whose digests are reused. A broken signature beside it is an error, and so is what is no manifest.
fn reuse_of(path: PathBuf, resources: &Resources) -> PyResult<Reuse> {
    let list = resources.guard().open(path.as_os_str(), &mut |_| ()).map_err(job)?;
    let reuse = Reuse { path, list };
    reuse.check().map_err(job)?;
    Ok(reuse)
}

fn order_of(order: &str) -> PyResult<Order> {
    match order {
        "path" => Ok(Order::Walk),
        "any" => Ok(Order::Any),
        _ => Err(wrong(format!("order is 'path' or 'any', not '{order}'"))),
    }
}

fn bad_blocks_of(word: &str) -> PyResult<BadBlocks> {
    match word {
        "fail" => Ok(BadBlocks::Fail),
        "zero" => Ok(BadBlocks::Zero),
        _ => Err(wrong(format!("bad_blocks is 'fail' or 'zero', not '{word}'"))),
    }
}

/// Returns the format of this name; else the one that the output's name implies, if it can be written; else jsonl. Where
/// only the output's name says by which algorithm its digests are, it has to be right.
fn format_of(name: Option<&str>, output: &Path, algorithms: &Algorithms) -> PyResult<&'static Format> {
    let path = names::path_bytes(output);
    let of_name = || format_of_name(&path).filter(|format| format.writer.is_some());
    let format = match name {
        Some(name) => find_format(name).ok_or_else(|| wrong(format!("there is no format '{name}'")))?,
        None => {
            of_name().or_else(|| find_format("jsonl")).ok_or_else(|| wrong("there is no format 'jsonl'"))?
        }
    };
    match Hint::from_name(&path) {
        Hint::Name(said)
            if !format.carries.algorithm
                && algorithms.digests.iter().any(|algorithm| algorithm.name != said.name) =>
        {
            let shown = output.display();
            Err(wrong(format!(
                "{shown}: the name implies {0}: use {0}, or a name that implies no algorithm",
                said.name
            )))
        }
        _ => Ok(format),
    }
}

/// Opens the sets that label each file, if there are any.
fn labels(known: &[PathBuf]) -> PyResult<Option<Labels>> {
    if known.is_empty() {
        return Ok(None);
    }
    let sets = Sets::open(known, Filter::default()).map_err(job)?;
    Ok(Some(Labels::new(sets, Show::All, Purpose::Record)))
}
