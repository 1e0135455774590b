//! The clock and the callbacks of a measurement, so that tests can control it.

use crate::{Clock, DisturbanceMonitor};

/// The clock and the callbacks of a measurement.
pub struct Control<'a> {
    /// The clock.
    pub clock: &'a dyn Clock,
    /// Returns true when measuring should end; the measurements so far are kept.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called with the name of the next measurement.
    pub tell: &'a mut dyn FnMut(&str),
    /// Observes the machine between measurements, if wanted.
    pub watch: Option<&'a mut DisturbanceMonitor>,
}

impl Control<'_> {
    /// Makes an observation of the machine.
    pub fn look(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.look(self.clock);
        }
    }
}
