//! SIGINT, SIGTERM and SIGHUP: the first ends the run in good order, the second at once.

use crate::exit::Exit;
use crate::output::Output;
use crate::{system, unfinished};
use hashloom_engine::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
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
        thread::spawn(move || end_after_grace(output.as_ref()));
    })
}

/// From now on the first signal calls `cancel`, and nothing but the second ends the process: for work that ends
/// by itself soon after it is cancelled.
///
/// # Errors
/// As [`watch`].
pub fn watch_patiently(cancel: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !system::ignored(*signal));
    let mut signals = Signals::new(wanted)
        .map_err(|error| io::Error::new(error.kind(), format!("signals can't be waited for: {error}")))?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            cancel();
        }
        if signals.forever().next().is_some() {
            end();
        }
    })?;
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
    unfinished::tidy();
    process::exit(Exit::Interrupted as i32);
}
