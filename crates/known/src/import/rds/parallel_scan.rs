//! Reads and decodes pages on several threads, and passes on the results in order.

use super::pages::Database;
use crate::error::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The most results of a thread that may wait, which bounds the memory.
const WAITING: usize = 2;

/// The most threads: more would decode faster than one thread can take the results.
const MOST: usize = 8;

/// Decodes pages with `work`, in parts, on several threads; passes the results to `take` on this thread, in order. The
/// pages must be in ascending order.
pub(super) fn scan<T: Default + Send>(
    database: &Database,
    pages: &[u32],
    work: &(impl Fn(&Database, &mut T, u32, &[u8]) -> Result<(), Error> + Sync),
    mut take: impl FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    let parts: Vec<&[u32]> = pages.chunks(database.pages_at_once()).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(parts.len());
    if threads <= 1 {
        let mut buffer = Vec::new();
        return parts.iter().try_for_each(|part| take(result(database, part, work, &mut buffer)?));
    }
    thread::scope(|scope| {
        let start = |first: usize| {
            let (sender, receiver) = sync_channel(WAITING);
            let own = parts.iter().skip(first).step_by(threads);
            let body = move || run(database, own, work, &sender);
            thread::Builder::new().spawn_scoped(scope, body).is_ok().then_some(receiver)
        };
        let receivers: Vec<Option<Receiver<Result<T, Error>>>> = (0..threads).map(start).collect();
        let mut buffer = Vec::new();
        for (receiver, part) in receivers.iter().cycle().zip(&parts) {
            let result = match receiver.as_ref().map(Receiver::recv) {
                Some(Ok(result)) => result,
                // The thread panicked; the scope propagates the panic.
                Some(Err(_)) => break,
                // The thread could not be started.
                None => result(database, part, work, &mut buffer),
            };
            take(result?)?;
        }
        Ok(())
    })
}

/// Decodes the parts of one thread.
fn run<'a, T: Default + Send>(
    database: &Database,
    parts: impl Iterator<Item = &'a &'a [u32]>,
    work: &impl Fn(&Database, &mut T, u32, &[u8]) -> Result<(), Error>,
    results: &SyncSender<Result<T, Error>>,
) {
    let mut buffer = Vec::new();
    for part in parts {
        let result = result(database, part, work, &mut buffer);
        let failed = result.is_err();
        // After an error nothing receives more results.
        if results.send(result).is_err() || failed {
            return;
        }
    }
}

fn result<T: Default>(
    database: &Database,
    part: &[u32],
    work: &impl Fn(&Database, &mut T, u32, &[u8]) -> Result<(), Error>,
    buffer: &mut Vec<u8>,
) -> Result<T, Error> {
    let mut result = T::default();
    database.each(part, buffer, |number, page| work(database, &mut result, number, page))?;
    Ok(result)
}
