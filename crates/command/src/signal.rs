//! SIGINT, SIGTERM and SIGHUP, Ctrl-C on Windows: the first one ends the run in good order, the second one at once.
//!
//! One thread waits for them, for all work that can be cancelled. It is started by such work ([`watch`]), and before
//! the first file is made that must not be left behind ([`files`]); until then signals end the process by their default
//! action.

use crate::exit;
use crate::output::Output;
use crate::sys;
use crate::sys::Interrupts;
use crate::words::{message, status};
use hashmill_engine::Cancel;
use hashmill_output::RunFiles;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;
use std::{io, mem, process, thread};

/// The time that a run has to end. A run that waits in a read that never returns (a FIFO, a dead server) is then ended
/// from here.
const GRACE: Duration = Duration::from_secs(2);

/// The time that the last messages of a process may take.
const TOLD: Duration = Duration::from_millis(500);

/// A function that cancels some work.
type OnSignal = Box<dyn FnOnce() + Send>;

static WATCH: Mutex<Watch> = Mutex::new(Watch::NOTHING);
/// The unfinished files of the command.
static FILES: LazyLock<Mutex<RunFiles>> = LazyLock::new(|| Mutex::new(new_files()));
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The work that a signal cancels.
struct Watch {
    /// Whether the thread waits for signals.
    is_begun: bool,
    cancels: Vec<OnSignal>,
    /// The outputs to write if the work does not end.
    outputs: Vec<Output>,
    /// Whether the work ends by itself, and is waited for without a time limit.
    is_patient: bool,
}

impl Watch {
    const NOTHING: Watch =
        Watch { is_begun: false, cancels: Vec::new(), outputs: Vec::new(), is_patient: false };
}

/// Makes signals set `cancel`. If the run does not end then, the buffered content of `output` is written and the
/// process ends.
///
/// # Errors
/// If the system refuses the handlers.
pub fn watch(cancel: Cancel, output: Output) -> io::Result<()> {
    watch_with(move || cancel.set(), Some(output))
}

/// Makes signals call `cancel`, for work with a cancellation of its own; see [`watch`].
///
/// # Errors
/// As [`watch`].
pub fn watch_with(cancel: impl FnOnce() + Send + 'static, output: Option<Output>) -> io::Result<()> {
    add(Box::new(cancel), output, Patience::None)
}

/// Makes the first signal call `cancel`, while only the second ends the process: for work that ends by itself soon
/// after it is cancelled. If no thread can be started, signals end the process by their default action.
///
/// # Errors
/// As [`watch`].
pub fn watch_patiently(cancel: impl FnOnce() + Send + 'static) -> io::Result<()> {
    add(Box::new(cancel), None, Patience::UntilSecondSignal)
}

/// Returns the unfinished files of the command. Before the first one is created, signals are caught, so that they remove
/// the files before they end the process.
pub fn files() -> RunFiles {
    of_command().clone()
}

/// Makes the files of a command, whose warnings go to standard error.
fn new_files() -> RunFiles {
    RunFiles::new(guard, |warning| message::say(warning))
}

/// Makes a signal remove unfinished files before it ends the process.
pub fn guard() {
    // Without handlers files may be left behind, which the next run removes.
    let _ = begin(&mut lock());
}

/// Begins a command: what an earlier one watched is over.
pub fn renew() {
    let mut watch = lock();
    *watch = Watch { is_begun: watch.is_begun, ..Watch::NOTHING };
    INTERRUPTED.store(false, Ordering::Release);
    drop(watch);
    *of_command() = new_files();
}

/// Returns whether a signal arrived.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Acquire)
}

/// The treatment of a process that does not end soon after a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// It is ended.
    None,
    /// It goes on until another signal arrives.
    UntilSecondSignal,
}

fn add(cancel: OnSignal, output: Option<Output>, patience: Patience) -> io::Result<()> {
    let mut watch = lock();
    if is_interrupted() {
        cancel();
        return Ok(());
    }
    watch.cancels.push(cancel);
    watch.outputs.extend(output);
    watch.is_patient |= patience == Patience::UntilSecondSignal;
    begin(&mut watch)
}

fn begin(watch: &mut Watch) -> io::Result<()> {
    if mem::replace(&mut watch.is_begun, true) {
        return Ok(());
    }
    let (give, signals) = mpsc::channel::<Interrupts>();
    // The thread is started before signals are caught: without it they must still end the process.
    let thread = thread::Builder::new().name("signals".into()).spawn(move || {
        let Ok(mut signals) = signals.recv() else { return };
        while signals.wait() {
            if is_interrupted() { end() } else { interrupt() }
        }
    });
    if thread.is_err() {
        return Ok(());
    }
    // The thread waits for these.
    let signals = Interrupts::catch()
        .map_err(|error| io::Error::new(error.kind(), format!("signals can't be waited for: {error}")))?;
    let _ = give.send(signals);
    Ok(())
}

/// Cancels all work; work that can't be cancelled ends at once.
fn interrupt() {
    let mut watch = lock();
    INTERRUPTED.store(true, Ordering::Release);
    if watch.cancels.is_empty() {
        end();
    }
    mem::take(&mut watch.cancels).into_iter().for_each(|cancel| cancel());
    // A reader that waits for standard input stops now, not after the next line.
    hashmill_source::interrupt();
    if !watch.is_patient && thread::Builder::new().spawn(end_after_grace).is_err() {
        // A second signal is not handled from here on; it would only end the process sooner.
        drop(watch);
        end_after_grace();
    }
}

fn end_after_grace() {
    thread::sleep(GRACE);
    lock().outputs.iter().for_each(Output::rescue);
    end();
}

fn end() {
    files().tidy();
    status::rescue();
    let (told, heard) = mpsc::channel();
    let say = move || {
        tell();
        let _ = told.send(());
    };
    if thread::Builder::new().spawn(say).is_ok() {
        // A stopped terminal accepts no output.
        let _ = heard.recv_timeout(TOLD);
    }
    sys::end_console();
    process::exit(exit::INTERRUPTED.into());
}

/// Prints that the run was interrupted, and how to continue from its output.
pub fn tell() {
    let left = files().left();
    if left.is_empty() {
        message::say("interrupted");
    }
    for path in left {
        message::say(format_args!(
            "interrupted; what was finished is in {}: the same command with --resume continues from there",
            path.display()
        ));
    }
}

fn of_command() -> MutexGuard<'static, RunFiles> {
    // A thread that panicked left nothing half done.
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock() -> MutexGuard<'static, Watch> {
    // A thread that panicked left nothing half done.
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_content::output::LocalPath;
    use hashmill_lists::kinds::MANIFEST;

    #[test]
    fn a_second_command_does_not_know_the_unfinished_files_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let first = files();
        let place = LocalPath::new(&folder.path().join("list"), &first);
        let _output = Output::resumable(&place, MANIFEST).unwrap();
        assert_eq!(first.left().len(), 1);
        renew();
        assert!(files().left().is_empty());
    }
}
