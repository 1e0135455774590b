//! SIGINT, SIGTERM and SIGHUP: the first ends the run in good order, the second at once.

use crate::exit::Exit;
use crate::output::Output;
use crate::{status, system};
use hashloom_engine::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{io, process, thread};

/// How long a run may take to end. One that waits in a read that never returns (a pipe, a dead
/// server) has to be ended from outside.
const GRACE: Duration = Duration::from_secs(2);

/// From now on a signal sets `cancel`. If the run does not end then, what `output` holds is written
/// and the process ends.
///
/// # Errors
/// If the system refuses the handlers.
pub fn watch(cancel: Cancel, output: Output) -> io::Result<()> {
    watch_with(move || cancel.set(), Some(output))
}

/// As [`watch`], for what is cancelled in a way of its own.
///
/// # Errors
/// As [`watch`].
pub fn watch_with(cancel: impl FnOnce() + Send + 'static, output: Option<Output>) -> io::Result<()> {
    watch_patiently(move || {
        cancel();
        let output = Arc::new(output);
        let other = Arc::clone(&output);
        let waiting = thread::Builder::new().spawn(move || end_after_grace(other.as_ref().as_ref()));
        if waiting.is_err() {
            // The second signal is not heard then; it would only come sooner.
            end_after_grace(output.as_ref().as_ref());
        }
    })
}

/// From now on the first signal calls `cancel`, and nothing but the second ends the process: for work that ends
/// by itself soon after it is cancelled. Where no thread can be started, signals end the process as they always do.
///
/// # Errors
/// As [`watch`].
pub fn watch_patiently(cancel: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let (give, signals) = mpsc::channel::<Signals>();
    // Before anything is caught: what nobody waits for must go on ending the process.
    let thread = thread::Builder::new().name("signals".into()).spawn(move || {
        let Ok(mut signals) = signals.recv() else { return };
        if signals.forever().next().is_some() {
            cancel();
        }
        if signals.forever().next().is_some() {
            end();
        }
    });
    if thread.is_err() {
        return Ok(());
    }
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !system::ignored(*signal));
    // The thread waits for them.
    let signals = Signals::new(wanted)
        .map_err(|error| io::Error::new(error.kind(), format!("signals can't be waited for: {error}")))?;
    let _ = give.send(signals);
    Ok(())
}

fn end_after_grace(output: Option<&Output>) {
    thread::sleep(GRACE);
    if let Some(output) = output {
        output.rescue();
    }
    end();
}

fn end() {
    hashloom_job::tidy();
    status::rescue();
    process::exit(Exit::Interrupted as i32);
}
