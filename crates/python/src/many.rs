//! Hashing many buffers at once, on all lanes and threads.

use crate::algorithm::named;
use crate::arrow;
use crate::digests::DigestSequence;
use crate::engine::signals;
use crate::error::wrong;
use crate::options::{Count, Stop};
use crate::parameters::check_key;
use crate::view::{ByteRows, Rows, View, is_of_objects};
use hashmill_digest::{Algorithm, Bank, Class, StreamPart};
use hashmill_engine::Cancel;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyIterator, PyList, PyMemoryView, PyString, PyTuple};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of rows that one thread hashes at a time.
const BATCH: usize = 512;

/// The bytes of such a batch, unless one row has more.
const BATCH_BYTES: usize = 4 << 20;

/// The bytes of each row between two checks for cancellation.
const ROUND: usize = 4 << 20;

/// Below this many bytes, hashing takes less time than starting threads. Each row counts [`ROW`] more.
const ALONE: usize = 256 << 10;
const ROW: usize = 64;

/// The number of rows of an iterable that are held at a time.
const HELD: usize = 1 << 15;

/// The number of rows that are taken from it at a time: they and their objects stay in the cache until they are hashed.
const FEW: usize = 512;

/// The bytes of a row that a checksum takes in less time than another thread would need to fetch them.
const CHEAP: usize = 512;

/// Hashes many buffers.
#[pyfunction]
#[pyo3(signature = (buffers, algorithm, threads = None, stop = None))]
pub(crate) fn digest_many(
    buffers: &Bound<'_, PyAny>,
    algorithm: &str,
    threads: Option<Count>,
    stop: Option<&Stop>,
) -> PyResult<DigestSequence> {
    let algorithm = named(algorithm)?;
    check_key(algorithm)?;
    if algorithm.of_entry.is_some() {
        return Err(wrong(format!("{} depends on the name of a file: use hashmill.hash", algorithm.name)));
    }
    let py = buffers.py();
    let threads = threads.map(|threads| threads.some("threads")).transpose()?;
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let cancel = stop.map(|stop| stop.0.clone()).unwrap_or_default();
    if let Some(arrays) = arrow::arrays_of(buffers)? {
        let mut digests = DigestSequence::new(algorithm, 0);
        for array in arrays {
            let array = array?;
            hash_rows(py, &mut digests, &arrow::rows(&array)?, threads, &cancel, || ())?;
        }
        return Ok(digests);
    }
    if let Some((view, rows, width)) = table(buffers)? {
        let rows: Rows<'_> = (0..rows).map(|row| Some(&view.bytes()[row * width..][..width])).collect();
        let mut digests = DigestSequence::new(algorithm, rows.len());
        hash_rows(py, &mut digests, &rows, threads, &cancel, || ())?;
        return Ok(digests);
    }
    let mut objects = Objects::from_buffers(buffers)?;
    let mut digests = DigestSequence::new(algorithm, objects.expected());
    if algorithm.class == Class::Checksum {
        hash_cheap(py, &mut digests, &mut objects, &cancel)?;
    }
    let mut held = objects.hold(HELD)?;
    while !held.rows().is_empty() && !cancel.is_set() {
        held = if objects.run_nothing() {
            hash_rows(py, &mut digests, held.rows(), threads, &cancel, || objects.hold(HELD))??
        } else {
            hash_rows(py, &mut digests, held.rows(), threads, &cancel, || ())?;
            objects.hold(HELD)?
        };
    }
    Ok(digests)
}

/// Hashes objects on this thread, a few at a time, as long as they are short and hashing takes no longer than a
/// hand-over to another thread. Other threads may run after each [`HELD`].
fn hash_cheap(
    py: Python<'_>,
    digests: &mut DigestSequence,
    objects: &mut Objects<'_>,
    cancel: &Cancel,
) -> PyResult<()> {
    let (mut is_short, mut since) = (true, 0);
    while is_short && !cancel.is_set() {
        let held = objects.hold(FEW)?;
        let rows = held.rows();
        if rows.is_empty() {
            break;
        }
        let bytes: usize = rows.iter().flatten().map(|row| row.len()).sum();
        is_short = bytes <= rows.len() * CHEAP;
        hash_batches(digests.algorithm(), rows, digests.next(rows), cancel);
        since += rows.len();
        if since >= HELD {
            since = 0;
            py.detach(|| ());
            py.check_signals()?;
        }
    }
    Ok(())
}

/// Objects that are taken one after another.
enum Objects<'py> {
    /// A list, and how many of its objects were taken.
    List(Bound<'py, PyList>, usize),
    /// A tuple, and how many of its objects were taken.
    Tuple(Bound<'py, PyTuple>, usize),
    /// Any other iterable.
    Any(Bound<'py, PyIterator>),
}

impl<'py> Objects<'py> {
    fn from_buffers(buffers: &Bound<'py, PyAny>) -> PyResult<Objects<'py>> {
        if let Ok(list) = buffers.cast_exact::<PyList>() {
            return Ok(Objects::List(list.clone(), 0));
        }
        if let Ok(tuple) = buffers.cast_exact::<PyTuple>() {
            return Ok(Objects::Tuple(tuple.clone(), 0));
        }
        buffers.try_iter().map(Objects::Any).map_err(|_| no_rows(buffers))
    }

    /// Returns the expected number of objects; 0 if it is unknown.
    fn expected(&self) -> usize {
        match self {
            Objects::List(list, _) => list.len(),
            Objects::Tuple(tuple, _) => tuple.len(),
            Objects::Any(_) => 0,
        }
    }

    /// Returns whether taking the next objects runs no Python code. Such code could fork, and the thread that hashes
    /// would be missing in the new process.
    fn run_nothing(&self) -> bool {
        !matches!(self, Objects::Any(_))
    }

    /// Takes and holds the next objects, at most this many.
    fn hold(&mut self, most: usize) -> PyResult<ByteRows<'py>> {
        let mut held = ByteRows::default();
        while held.rows().len() < most {
            let few = self.few()?;
            if few.is_empty() {
                break;
            }
            held.add(few)?;
        }
        Ok(held)
    }

    /// Returns the next [`FEW`] objects in a tuple, which has a reference to each: a list may change while they are
    /// hashed.
    fn few(&mut self) -> PyResult<Bound<'py, PyTuple>> {
        match self {
            Objects::List(list, taken) => {
                let start = std::mem::replace(taken, *taken + FEW);
                Ok(list.get_slice(start, *taken).to_tuple())
            }
            Objects::Tuple(tuple, taken) => {
                let start = std::mem::replace(taken, *taken + FEW);
                Ok(tuple.get_slice(start, *taken))
            }
            Objects::Any(objects) => {
                let py = objects.py();
                PyTuple::new(py, objects.take(FEW).collect::<PyResult<Vec<_>>>()?)
            }
        }
    }
}

fn no_rows(object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "digest_many takes an iterable of bytes-like objects, a 2-dimensional array or an Arrow column, not {name}"
    ))
}

/// Returns the exception for an array without rows: its elements are not messages.
fn no_table(object: &Bound<'_, PyAny>, dimensions: usize) -> PyErr {
    let no_rows = no_rows(object).value(object.py()).to_string();
    PyTypeError::new_err(format!(
        "{no_rows} of {dimensions} dimension{}",
        if dimensions == 1 { "" } else { "s" }
    ))
}

/// Returns the rows of an array of two dimensions or more: their number, and the bytes of each.
fn table(object: &Bound<'_, PyAny>) -> PyResult<Option<(View, usize, usize)>> {
    let one = object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.is_instance_of::<PyString>();
    if one {
        return Err(no_rows(object));
    }
    let buffer = match PyUntypedBuffer::get(object) {
        Ok(buffer) => buffer,
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => return Ok(None),
        // The buffer has no format. If it has rows, they are taken one by one.
        Err(_) => {
            let dimensions = object.getattr("ndim").and_then(|dimensions| dimensions.extract::<usize>());
            return if dimensions.is_ok_and(|number| number > 1) { Ok(None) } else { Err(no_rows(object)) };
        }
    };
    let dimensions = buffer.dimensions();
    if dimensions < 2 {
        let is_of_bytes = is_of_objects(&buffer) || buffer.format().to_bytes().ends_with(b"s");
        let is_iterated = is_of_bytes && !object.is_instance_of::<PyMemoryView>();
        return if is_iterated { Ok(None) } else { Err(no_table(object, dimensions)) };
    }
    let rows = buffer.shape()[0];
    let width = buffer.shape()[1..].iter().product::<usize>() * buffer.item_size();
    Ok(Some((View::of_buffer(buffer)?, rows, width)))
}

/// Hashes rows without the GIL, and meanwhile does something else with it.
fn hash_rows<T>(
    py: Python<'_>,
    digests: &mut DigestSequence,
    rows: &[Option<&[u8]>],
    threads: usize,
    cancel: &Cancel,
    beside: impl FnOnce() -> T,
) -> PyResult<T> {
    let (algorithm, size) = (digests.algorithm(), digests.size());
    let bytes = digests.next(rows);
    let work: usize = rows.iter().flatten().map(|row| row.len() + ROW).sum();
    if work < ALONE {
        hash_batches(algorithm, rows, bytes, cancel);
        return Ok(beside());
    }
    let tasks = cut(rows, size, bytes, threads);
    let work = || {
        let next = AtomicUsize::new(0);
        let tasks: Vec<_> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
        let work = || {
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let task = task.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some((rows, bytes)) = task {
                    hash_batches(algorithm, rows, bytes, cancel);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads.min(tasks.len()) {
                // If no thread can be started, this one does all the work.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    };
    Ok(signals::watched_beside(py, cancel, work, beside)?.1)
}

/// Rows, and the memory for their digests.
type Task<'a, 'b> = (&'a [Option<&'a [u8]>], &'b mut [u8]);

/// Cuts rows so that all threads have about as much to do.
fn cut<'a, 'b>(
    rows: &'a [Option<&'a [u8]>],
    size: usize,
    mut bytes: &'b mut [u8],
    threads: usize,
) -> Vec<Task<'a, 'b>> {
    let most = (rows.len() / (8 * threads)).clamp(1, 16 * BATCH);
    let mut tasks = Vec::new();
    let mut rest = rows;
    while !rest.is_empty() {
        let (mut count, mut taken) = (0, 0);
        while count < rest.len().min(most) && taken < 4 * BATCH_BYTES {
            taken += rest[count].map_or(0, <[u8]>::len);
            count += 1;
        }
        let (head, tail) = rest.split_at(count);
        let (into, later) = std::mem::take(&mut bytes).split_at_mut(count * size);
        (rest, bytes) = (tail, later);
        tasks.push((head, into));
    }
    tasks
}

/// Hashes rows batch by batch, in one bank.
fn hash_batches(algorithm: &Algorithm, rows: &[Option<&[u8]>], bytes: &mut [u8], cancel: &Cancel) {
    let size = algorithm.bits as usize / 8;
    let mut bank = (algorithm.bank)();
    let mut messages = Vec::with_capacity(BATCH);
    let mut start = 0;
    while start < rows.len() && !cancel.is_set() {
        let (mut end, mut taken) = (start, 0);
        while end < rows.len() && end - start < BATCH && (end == start || taken < BATCH_BYTES) {
            taken += rows[end].map_or(0, <[u8]>::len);
            end += 1;
        }
        let into = &mut bytes[start * size..end * size];
        messages.clear();
        messages.extend(rows[start..end].iter().flatten());
        let some = messages.len();
        if taken >= BATCH_BYTES {
            hash_long(&mut *bank, &messages, into[..some * size].chunks_exact_mut(size), cancel);
        } else {
            bank.digest_all(&messages, &mut into[..some * size]);
        }
        if some < end - start {
            spread(&rows[start..end], into, size, some);
        }
        start = end;
    }
}

/// Moves the digests of the rows that exist, which lie one after another, to the places of their rows. Null rows get
/// zeros.
fn spread(rows: &[Option<&[u8]>], digests: &mut [u8], size: usize, some: usize) {
    let mut from = some;
    for place in (0..rows.len()).rev() {
        if rows[place].is_some() {
            from -= 1;
            digests.copy_within(from * size..(from + 1) * size, place * size);
        } else {
            digests[place * size..(place + 1) * size].fill(0);
        }
    }
}

/// Hashes messages side by side, and checks for cancellation in between.
fn hash_long<'b>(
    bank: &mut dyn Bank,
    messages: &[&[u8]],
    digests: impl Iterator<Item = &'b mut [u8]>,
    cancel: &Cancel,
) {
    let open: Vec<_> = messages.iter().map(|bytes| (bank.open(), *bytes)).collect();
    let longest = messages.iter().map(|bytes| bytes.len()).max().unwrap_or(0);
    let mut parts = Vec::with_capacity(open.len());
    for from in (0..=longest).step_by(ROUND) {
        parts.clear();
        for (slot, bytes) in open.iter().filter(|(_, bytes)| from == 0 || bytes.len() > from) {
            let to = bytes.len().min(from + ROUND);
            parts.push(StreamPart { slot: *slot, bytes: &bytes[from..to], last: to == bytes.len() });
        }
        bank.update(&parts);
        if cancel.is_set() {
            return;
        }
    }
    for ((slot, _), into) in open.into_iter().zip(digests) {
        into.copy_from_slice(bank.close(slot).as_bytes());
    }
}
