//! The run: starts the walk and the workers, and gives their results to the sink in order.

use crate::alarm::Alarm;
use crate::order::{Message, Sequence};
use crate::plan::Prefetch;
use crate::readers;
use crate::shared::Shared;
use crate::worker::Worker;
use crate::{Event, Live, Plan, Stats, Trouble};
use hashloom_source::Found;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How soon a run that waits for its workers sees that it was cancelled.
const GLANCE: Duration = Duration::from_millis(20);

/// Rounds whose results may wait for the sink.
const ROUNDS: usize = 64;

/// Hashes the entries and gives each event to `sink`, on the calling thread, in the plan's order. The
/// sink may stop the run.
///
/// # Panics
/// If a thread of the run does: then all end.
///
/// `live` is updated as the run goes on. A run that is cancelled returns at once, and threads that are
/// stuck in a read are left behind.
pub fn run(
    plan: &Plan,
    entries: impl Iterator<Item = Found> + Send + 'static,
    live: &Arc<Live>,
    sink: &mut dyn FnMut(Event) -> ControlFlow<()>,
) -> Stats {
    let start = Instant::now();
    let mut tally = Stats::default();
    let mut counted = |event: Event| {
        tally.count(&event);
        let before = Instant::now();
        let flow = sink(event);
        tally.writing += before.elapsed();
        flow
    };
    let sequence = Sequence::new(plan.order, &mut counted);
    let shared = Arc::new(Shared::new(plan, live));
    let mut stats = start_small(&shared, entries, sequence);
    stats.drives = shared.drives.stats();
    stats.add(&tally);
    stats.elapsed = start.elapsed();
    stats
}

/// One small file needs no threads.
fn start_small(
    shared: &Arc<Shared>,
    mut entries: impl Iterator<Item = Found> + Send + 'static,
    mut sequence: Sequence<'_>,
) -> Stats {
    let first = entries.next();
    let second = entries.next();
    if second.is_some() {
        let entries = first.into_iter().chain(second).chain(entries);
        return with_threads(shared, entries, sequence);
    }
    let mut stats = Stats::default();
    if let Some(found) = first {
        meet(&shared.live, &found);
        let mut send = |messages: Vec<Message>| deliver(&mut sequence, messages).is_continue();
        let batch = shared.queue.single(found);
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
    entries: impl Iterator<Item = Found> + Send + 'static,
    sequence: Sequence<'_>,
) -> Stats {
    let (sender, receiver) = sync_channel(ROUNDS);
    // First, because the walk may start readers.
    shared.open_way(sender);
    let (walker, entries) = start_walk(shared, entries);
    let workers = walker.as_ref().map_or(Vec::new(), |walker| start_workers(shared, walker));
    let Some(Walker { thread: walker, .. }) = walker.filter(|_| !workers.is_empty()) else {
        shared.close_way();
        let entries = entries.lock().unwrap_or_else(PoisonError::into_inner).take();
        return alone(shared, entries.into_iter().flatten(), sequence);
    };
    let finished = collect(shared, &receiver, sequence).is_continue();
    shared.stop();
    drop(receiver);
    // Its message is on standard error already.
    assert!(!shared.has_fallen(), "a thread of the run panicked");
    if finished {
        let readers = std::mem::take(&mut *shared.readers.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in workers.into_iter().chain([walker]).chain(readers) {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
    shared.total()
}

/// The thread that walks, once it is let go.
struct Walker {
    thread: JoinHandle<()>,
    go: SyncSender<()>,
}

/// Entries until somebody walks them.
type Untaken<E> = Arc<Mutex<Option<E>>>;

/// Starts the thread that walks, if the system gives one; it waits until there is a worker. The entries stay
/// behind as long as it waits.
fn start_walk<E: Iterator<Item = Found> + Send + 'static>(
    shared: &Arc<Shared>,
    entries: E,
) -> (Option<Walker>, Untaken<E>) {
    let entries = Arc::new(Mutex::new(Some(entries)));
    let (go, gate) = sync_channel(1);
    let thread = thread::Builder::new().spawn({
        let (shared, entries) = (Arc::clone(shared), Arc::clone(&entries));
        move || {
            if gate.recv().is_ok()
                && let Some(entries) = entries.lock().unwrap_or_else(PoisonError::into_inner).take()
            {
                walk(&shared, entries);
            }
        }
    });
    (thread.ok().map(|thread| Walker { thread, go }), entries)
}

/// As many as are wanted, or as the system gives. With the first the walk begins.
fn start_workers(shared: &Arc<Shared>, walker: &Walker) -> Vec<JoinHandle<()>> {
    let start = |number: usize| {
        let (shared, sender) = (Arc::clone(shared), shared.way());
        let thread = thread::Builder::new().spawn(move || work(&shared, sender)).ok()?;
        if number == 0 {
            // It waits for this.
            let _ = walker.go.send(());
        }
        Some(thread)
    };
    (0..shared.plan.threads.get()).map_while(start).collect()
}

/// Everything on the calling thread, an entry at a time, because there can be no other. Without entries it does what
/// the queue still holds.
fn alone(shared: &Arc<Shared>, entries: impl Iterator<Item = Found>, mut sequence: Sequence<'_>) -> Stats {
    let mut stats = Stats::default();
    let mut flow = ControlFlow::Continue(());
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        let mut send = |messages: Vec<Message>| here(shared, &mut sequence, messages).is_continue();
        stats.add(&Worker::new(shared, &mut send).run());
    }
    for found in entries {
        if flow.is_break() || shared.plan.cancel.is_set() {
            break;
        }
        meet(&shared.live, &found);
        let mut send = |messages: Vec<Message>| {
            flow = here(shared, &mut sequence, messages);
            flow.is_continue()
        };
        let batch = shared.queue.single(found);
        stats.add(&Worker::new(shared, &mut send).run_batch(batch));
        if !shared.queue.is_over() {
            stats.add(&Worker::new(shared, &mut send).run());
        }
    }
    shared.live.walked.store(true, Ordering::Relaxed);
    stats
}

/// Gives messages to the sink without a way.
fn here(shared: &Shared, sequence: &mut Sequence<'_>, messages: Vec<Message>) -> ControlFlow<()> {
    let flow = deliver(sequence, messages);
    shared.queue.emitted(sequence.emitted());
    flow
}

/// Hashes until nothing is left to do.
pub(crate) fn work(shared: &Arc<Shared>, sender: Option<SyncSender<Vec<Message>>>) {
    let Some(sender) = sender else { return };
    let _alarm = Alarm(shared);
    let mut send = |messages: Vec<Message>| sender.send(messages).is_ok();
    let stats = Worker::new(shared, &mut send).run();
    shared.count(&stats);
    shared.close_way();
}

fn walk(shared: &Arc<Shared>, entries: impl Iterator<Item = Found>) {
    let _alarm = Alarm(shared);
    let start = Instant::now();
    let fixed = matches!(shared.plan.prefetch, Prefetch::Fixed(1..));
    let mut device = 0;
    let waited = shared.queue.feed(entries, &mut |found| {
        meet(&shared.live, found);
        if let Found::File(entry) = found
            && fixed
            && entry.device != device
        {
            // Nobody waits for a sign that the files are not in memory.
            device = entry.device;
            readers::wake(shared, &shared.drives.get(device), &entry.path);
        }
    });
    shared.live.walked.store(true, Ordering::Relaxed);
    shared.count(&Stats {
        walking: start.elapsed().saturating_sub(waited),
        waiting_for_memory: waited,
        ..Stats::default()
    });
}

fn meet(live: &Live, found: &Found) {
    if matches!(found, Found::File(_)) {
        Live::add(&live.files_met, 1);
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
        match receiver.recv_timeout(GLANCE) {
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

impl Stats {
    /// Counts what became of an entry.
    fn count(&mut self, event: &Event) {
        let Event::Done(outcome) = event else { return };
        self.seen += 1;
        match &outcome.trouble {
            None => {
                self.hashed += 1;
                self.bytes += outcome.record.size.unwrap_or(0);
            }
            Some(Trouble::Skipped(_)) => self.skipped += 1,
            Some(Trouble::Failed(_)) => self.failed += 1,
        }
    }
}
