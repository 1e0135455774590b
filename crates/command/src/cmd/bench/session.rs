//! The frame of every comparison: it checks that results can be written, handles interrupts, and shows progress.

use super::export::{Exports, now};
use crate::words::message;
use crate::words::message::Shown;
use anyhow::Context;
use hashmill_bench::{Comparison, Control, DisturbanceMonitor, Document, SystemClock};
use hashmill_job::account::Account;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One run of a comparison.
pub struct Session<'a> {
    exports: &'a Exports,
    /// The time of its start, for documents.
    pub timestamp: String,
    stopped: Arc<AtomicBool>,
}

impl<'a> Session<'a> {
    /// Begins a session: from now on an interrupt only stops measuring.
    ///
    /// # Errors
    /// If a result could not be written later.
    pub fn begin(exports: &'a Exports) -> anyhow::Result<Session<'a>> {
        exports.check()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        crate::signal::watch_patiently(move || flag.store(true, Ordering::Relaxed))?;
        Ok(Session { exports, timestamp: now().context("the clock is far from now")?, stopped })
    }

    /// Returns whether there was an interrupt.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Returns the flag that an interrupt sets.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Measures with this clock, and returns warnings about the figures.
    pub fn measure<T>(
        &self,
        clock: &SystemClock,
        measure: impl FnOnce(&mut Control<'_>) -> T,
    ) -> (T, Vec<String>) {
        let mut watch = DisturbanceMonitor::default();
        let measured = {
            let (stop, mut tell) = (|| self.stopped(), tell);
            measure(&mut Control { clock, stop: &stop, tell: &mut tell, watch: Some(&mut watch) })
        };
        tell("");
        (measured, watch.warnings())
    }

    /// Prints and writes the results.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn end<C: Comparison>(
        &self,
        document: &Document<C::KernelRow, C::Summary>,
    ) -> anyhow::Result<Account> {
        self.exports.write::<C>(document)?;
        Ok(Account::interrupted().when(document.interrupted))
    }
}

/// Prints a line on a terminal about the current measurement; it is not erased.
pub fn tell(what: &str) {
    if io::stderr().is_terminal() {
        let text = if what.is_empty() { String::new() } else { format!("measuring: {what}") };
        message::write(&format!("\r\x1b[K{}", Shown(text.as_bytes())));
    }
}
