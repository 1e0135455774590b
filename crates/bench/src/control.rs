//! The clock and the callbacks of a measurement, so that tests can control it.

use crate::{Clock, DisturbanceMonitor};

/// The clock and the callbacks of a measurement.
pub struct Control<'a> {
    /// Tells time.
    pub clock: &'a dyn Clock,
    /// True once measuring must end; what was measured so far counts.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called with the name of what is measured next.
    pub tell: &'a mut dyn FnMut(&str),
    /// Observes the machine between measurements, if wanted.
    pub watch: Option<&'a mut DisturbanceMonitor>,
}

impl Control<'_> {
    /// Looks around.
    pub fn look(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.look(self.clock);
        }
    }
}
