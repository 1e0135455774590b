//! What measuring is done with, so that tests can lead it.

use crate::{Clock, Watch};

/// The clock, and who is told and asked meanwhile.
pub struct Conduct<'a> {
    /// Tells time.
    pub clock: &'a dyn Clock,
    /// Whether all is to end now; what was measured so far counts.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Is told what is measured next.
    pub tell: &'a mut dyn FnMut(&str),
    /// Looks around now and then, where that is wanted.
    pub watch: Option<&'a mut Watch>,
}

impl Conduct<'_> {
    /// Looks around.
    pub fn look(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch.look(self.clock);
        }
    }
}
