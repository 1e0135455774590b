//! Runs a plan: starts the threads, and passes their results to the sink in order.

use crate::order::Sequence;
use crate::readers::start_reader;
use crate::shared::PanicGuard;
use crate::shared::Shared;
use crate::task::Message;
use crate::work::{Worker, work};
use crate::{EngineEvent, Live, Plan, Prefetch, RunItem, Stats};
use hashmill_source::{Entry, WalkItem};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The interval at which a run that waits for results checks for cancellation.
const CANCEL_CHECK: Duration = Duration::from_millis(20);

/// The number of messages that may wait for the sink.
const ROUNDS: usize = 64;

/// Hashes the entries and passes each event to `sink`, on the calling thread, in the plan's order. The sink may stop
/// the run.
///
/// `live` is updated during the run. A cancelled run returns at once; it does not wait for threads that hang in a read.
///
/// # Panics
/// If a thread of the run panics. All other threads end.
pub fn run(
    plan: &Plan,
    entries: impl Iterator<Item = impl Into<RunItem> + 'static> + Send + 'static,
    live: &Arc<Live>,
    sink: &mut dyn FnMut(EngineEvent) -> ControlFlow<()>,
) -> Stats {
    let start = Instant::now();
    let mut tally = Stats::default();
    let mut counted = |event: EngineEvent| {
        tally.count(&event);
        let before = Instant::now();
        let flow = sink(event);
        tally.writing += before.elapsed();
        flow
    };
    let sequence = Sequence::new(plan.order, &mut counted);
    let shared = Arc::new(Shared::new(plan, live, start_reader));
    let mut stats = run_small(&shared, entries.map(Into::into), sequence);
    stats.ways = shared.mapping.stats();
    stats.drives = shared.devices.stats();
    stats.add(&tally);
    stats.elapsed = start.elapsed();
    stats
}

/// Hashes on the calling thread if there is only one small file, which needs no other thread. Otherwise starts the
/// threads.
fn run_small(
    shared: &Arc<Shared>,
    mut entries: impl Iterator<Item = RunItem> + Send + 'static,
    mut sequence: Sequence<'_>,
) -> Stats {
    let first = entries.next();
    // The next entry may only come once the first is read.
    let is_held = first.as_ref().and_then(RunItem::file).is_some_and(Entry::holds_walk);
    let second = if is_held { None } else { entries.next() };
    if is_held || second.is_some() {
        let entries = first.into_iter().chain(second).chain(entries);
        return with_threads(shared, entries, sequence);
    }
    let mut stats = Stats::default();
    if let Some(found) = first {
        count_met(&shared.live, &found);
        let cancel = &shared.plan.cancel;
        // Cancellation is handled as in `collect`.
        let mut send = |messages| !cancel.is_set() && deliver(&mut sequence, messages).is_continue();
        let batch = shared.queue.only_batch(found);
        stats = Worker::new(shared, &mut send).run_batch(batch);
    }
    shared.live.walked.store(true, Ordering::Relaxed);
    if !shared.queue.is_over() {
        stats.add(&with_threads(shared, std::iter::empty(), sequence));
    }
    stats
}

fn with_threads(
    shared: &Arc<Shared>,
    entries: impl Iterator<Item = RunItem> + Send + 'static,
    sequence: Sequence<'_>,
) -> Stats {
    let (sender, receiver) = sync_channel(ROUNDS);
    // This comes first because the walk may start readers.
    shared.open_results(sender);
    let (walker, entries) = start_walk(shared, entries);
    let workers = walker.as_ref().map_or(Vec::new(), |walker| start_workers(shared, walker));
    let Some(Walker { thread: walker, .. }) = walker.filter(|_| !workers.is_empty()) else {
        shared.close_results();
        let entries = entries.lock().take();
        return without_threads(shared, entries.into_iter().flatten(), sequence);
    };
    let finished = collect(shared, &receiver, sequence).is_continue();
    shared.stop();
    drop(receiver);
    // The panic's message is on standard error already.
    assert!(!shared.has_panicked(), "a thread of the run panicked");
    if finished {
        let readers = std::mem::take(&mut *shared.readers.lock());
        for thread in workers.into_iter().chain([walker]).chain(readers) {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
    shared.total()
}

/// The walking thread. It starts at a signal.
struct Walker {
    thread: JoinHandle<()>,
    go: SyncSender<()>,
}

/// The entries, until a thread takes them.
type Untaken<E> = Arc<Mutex<Option<E>>>;

/// Starts the walking thread, if the system can. It takes the entries only when there is a worker.
fn start_walk<E: Iterator<Item = RunItem> + Send + 'static>(
    shared: &Arc<Shared>,
    entries: E,
) -> (Option<Walker>, Untaken<E>) {
    let entries = Arc::new(Mutex::new(Some(entries)));
    let (go, gate) = sync_channel(1);
    let thread = thread::Builder::new().spawn({
        let (shared, entries) = (Arc::clone(shared), Arc::clone(&entries));
        move || {
            if gate.recv().is_ok()
                && let Some(entries) = entries.lock().take()
            {
                walk(&shared, entries);
            }
        }
    });
    (thread.ok().map(|thread| Walker { thread, go }), entries)
}

/// Starts as many workers as the plan wants, or as the system can. The first one starts the walk.
fn start_workers(shared: &Arc<Shared>, walker: &Walker) -> Vec<JoinHandle<()>> {
    let start = |number: usize| {
        let (shared, sender) = (Arc::clone(shared), shared.result_sender());
        let thread = thread::Builder::new().spawn(move || work(&shared, sender)).ok()?;
        if number == 0 {
            // The walk waits for this signal.
            let _ = walker.go.send(());
        }
        Some(thread)
    };
    (0..shared.plan.threads.get()).map_while(start).collect()
}

/// Does everything on the calling thread, one entry at a time, because the system can't start other threads. After the
/// entries, finishes the queue.
fn without_threads(
    shared: &Arc<Shared>,
    entries: impl Iterator<Item = RunItem>,
    mut sequence: Sequence<'_>,
) -> Stats {
    let mut stats = Stats::default();
    let mut flow = ControlFlow::Continue(());
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        let mut send = |messages: Vec<Message>| deliver_here(shared, &mut sequence, messages).is_continue();
        stats.add(&Worker::new(shared, &mut send).run());
    }
    for found in entries {
        if flow.is_break() || shared.plan.cancel.is_set() {
            break;
        }
        count_met(&shared.live, &found);
        let mut send = |messages: Vec<Message>| {
            flow = deliver_here(shared, &mut sequence, messages);
            flow.is_continue()
        };
        let batch = shared.queue.only_batch(found);
        stats.add(&Worker::new(shared, &mut send).run_batch(batch));
        if !shared.queue.is_over() {
            stats.add(&Worker::new(shared, &mut send).run());
        }
    }
    shared.live.walked.store(true, Ordering::Relaxed);
    stats
}

/// Passes messages to the sink at once.
fn deliver_here(shared: &Shared, sequence: &mut Sequence<'_>, messages: Vec<Message>) -> ControlFlow<()> {
    if shared.plan.cancel.is_set() {
        return ControlFlow::Break(());
    }
    let flow = deliver(sequence, messages);
    shared.queue.emitted(sequence.emitted());
    flow
}

fn walk(shared: &Arc<Shared>, entries: impl Iterator<Item = RunItem>) {
    let _guard = PanicGuard(shared);
    let start = Instant::now();
    let fixed = matches!(shared.plan.prefetch, Prefetch::Fixed(1..));
    let mut device = 0;
    let waited = shared.queue.feed(entries, &mut |found| {
        count_met(&shared.live, found);
        if let Some(entry) = found.file()
            && fixed
            && entry.device != device
        {
            // The plan wants readers whether or not the files are in memory.
            device = entry.device;
            shared.wake_readers(&shared.devices.get(device), &entry.path);
        }
    });
    shared.live.walked.store(true, Ordering::Relaxed);
    shared.count(&Stats {
        walking: start.elapsed().saturating_sub(waited),
        waiting_for_memory: waited,
        ..Stats::default()
    });
}

fn count_met(live: &Live, found: &RunItem) {
    match found {
        RunItem::Walked(WalkItem::File(entry)) => live.met(entry.size),
        RunItem::Known(outcome) => live.know(outcome.record.size.unwrap_or(0)),
        RunItem::Walked(_) => {}
    }
}

/// Takes messages until all workers are done, the sink stops, or the run is cancelled.
fn collect(
    shared: &Shared,
    receiver: &Receiver<Vec<Message>>,
    mut sequence: Sequence<'_>,
) -> ControlFlow<()> {
    loop {
        if shared.plan.cancel.is_set() {
            return ControlFlow::Break(());
        }
        match receiver.recv_timeout(CANCEL_CHECK) {
            // Cancellation interrupts reads of streams. Their errors are not reported.
            Ok(_) if shared.plan.cancel.is_set() => {}
            Ok(messages) => deliver(&mut sequence, messages)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return ControlFlow::Continue(()),
        }
        shared.queue.emitted(sequence.emitted());
    }
}

fn deliver(sequence: &mut Sequence<'_>, messages: Vec<Message>) -> ControlFlow<()> {
    messages.into_iter().try_for_each(|message| sequence.take(message))
}
