//! Reports progress to a Python callable.

use super::LiveSlot;
use hashmill_engine::Live;
use pyo3::prelude::*;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The interval of the reports.
const EVERY: Duration = Duration::from_millis(100);

/// The receiver of reports: `call(files_done, files_met, bytes_done, bytes_met, walked)`.
pub(crate) struct Progress {
    call: Option<Py<PyAny>>,
    told: Instant,
}

impl Progress {
    /// Makes reports to this callable, if there is one.
    pub(crate) fn new(call: Option<Py<PyAny>>) -> Progress {
        Progress { call, told: Instant::now() }
    }

    /// Checks for signals, and reports the progress since the last time.
    pub(crate) fn tick(&mut self, py: Python<'_>, live: &LiveSlot) -> PyResult<()> {
        py.check_signals()?;
        if self.told.elapsed() < EVERY { Ok(()) } else { self.tell(py, live) }
    }

    /// Reports the final counters.
    pub(crate) fn end(&mut self, py: Python<'_>, live: &LiveSlot) -> PyResult<()> {
        self.tell(py, live)
    }

    /// Returns whether a report is due.
    pub(crate) fn is_due(&self) -> bool {
        self.call.is_some() && self.told.elapsed() >= EVERY
    }

    fn tell(&mut self, py: Python<'_>, live: &LiveSlot) -> PyResult<()> {
        self.told = Instant::now();
        let (Some(call), Some(live)) = (&self.call, live.get()) else { return Ok(()) };
        let Live { files_met, bytes_met, files_done, bytes_done, walked, .. } = &**live;
        let [done, met, bytes, all] =
            [files_done, files_met, bytes_done, bytes_met].map(|counter| counter.load(Ordering::Relaxed));
        call.call1(py, (done, met, bytes, all, walked.load(Ordering::Relaxed))).map(drop)
    }
}
