//! Several threads that read pages and take them apart, for one that takes what comes of it, in order.

use super::pages::Database;
use crate::error::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Results of a thread that wait to be taken, at most: they bound the memory.
const WAITING: usize = 2;

/// More threads than this come to what one can take of them.
const MOST: usize = 8;

/// Has pages, given in rising order, taken apart by `work`, some pages at a time, and gives what came
/// of each such part to `take`, in the order of the pages.
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
                // A thread that ends early has panicked, which the scope passes on.
                Some(Err(_)) => break,
                // There is no thread for this part.
                None => result(database, part, work, &mut buffer),
            };
            take(result?)?;
        }
        Ok(())
    })
}

/// One of the threads.
fn run<'a, T: Default + Send>(
    database: &Database,
    parts: impl Iterator<Item = &'a &'a [u32]>,
    work: &impl Fn(&Database, &mut T, u32, &[u8]) -> Result<(), Error>,
    results: &SyncSender<Result<T, Error>>,
) {
    let database = match database.again() {
        Ok(database) => database,
        Err(error) => return drop(results.send(Err(error))),
    };
    let mut buffer = Vec::new();
    for part in parts {
        let result = result(&database, part, work, &mut buffer);
        let failed = result.is_err();
        // Nobody waits for more once something failed.
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
