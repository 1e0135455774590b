//! A watchdog that ends the process with the name of a hanging test, which would otherwise never end.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a test is assumed to hang, on any machine.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// The running tests, with their start and name.
static RUNNING: Mutex<BTreeMap<u64, (Instant, String)>> = Mutex::new(BTreeMap::new());

/// A test that is watched until this value is dropped.
#[derive(Debug)]
pub(crate) struct Watched(u64);

impl Watched {
    /// Starts watching the current test, which is named like its thread.
    pub(crate) fn start() -> Watched {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| drop(thread::spawn(watch)));
        let name = thread::current().name().unwrap_or("a test").to_string();
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.last_key_value().map_or(0, |(number, _)| number + 1);
        running.insert(number, (Instant::now(), name));
        Watched(number)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

fn watch() {
    loop {
        thread::sleep(Duration::from_secs(5));
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, name)) = running.values().find(|(start, _)| start.elapsed() > LIMIT) {
            // Written directly, so that it is not captured like the output of tests.
            let _ = writeln!(
                io::stderr(),
                "{name} has not ended after {} minutes: it hangs",
                LIMIT.as_secs() / 60
            );
            std::process::abort();
        }
    }
}
