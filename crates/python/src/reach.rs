//! How calls reach stores. That is a setting of the process, so calls that want different ones must not run side by side.

use crate::error::failed;
use crate::objects::reach_by;
use hashloom_job::Resources;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{process, thread};

/// How a call reaches stores: the endpoint, the region, and whether to ask without credentials. The rest follows from the
/// environment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Way {
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) anonymous: bool,
}

/// Keeps a way as long as a call may read by it.
pub(crate) struct Held(#[allow(dead_code, reason = "held, not read")] Option<Arc<()>>);

/// The last way, and whether a call of this process still reads by it.
struct Last {
    way: Way,
    held: Weak<()>,
    process: u32,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

/// How long a call waits for another one that ends.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it looks.
const TICK: Duration = Duration::from_millis(10);

impl Held {
    /// Nothing is held by a call that reads files alone.
    pub(crate) const NOTHING: Held = Held(None);

    /// Reaches stores in this way from now on, with so many requests at a time, and with these resources. The lock is taken
    /// with the GIL, so that no fork leaves it taken.
    pub(crate) fn hold(
        py: Python<'_>,
        way: &Way,
        requests: Option<usize>,
        resources: &Resources,
    ) -> PyResult<Held> {
        let begun = Instant::now();
        loop {
            if let Some(held) = held(way, requests, resources)? {
                return Ok(Held(Some(held)));
            }
            if begun.elapsed() > PATIENCE {
                return Err(failed(
                    "another call reads stores by another endpoint, region or credentials: take all of its records, \
                     or close them, first",
                ));
            }
            py.detach(|| thread::sleep(TICK));
            py.check_signals()?;
        }
    }
}

/// The way, if no call reads by another.
fn held(way: &Way, requests: Option<usize>, resources: &Resources) -> PyResult<Option<Arc<()>>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let used = last.as_ref().filter(|last| last.process == process::id());
    let used = used.and_then(|last| Some((&last.way, last.held.upgrade()?)));
    let held = match used {
        Some((other, _)) if other != way => return Ok(None),
        Some((_, held)) => held,
        None => Arc::new(()),
    };
    let Way { endpoint, region, anonymous } = way.clone();
    reach_by((endpoint, region, anonymous, requests, resources.memory, resources.rate))?;
    *last = Some(Last { way: way.clone(), held: Arc::downgrade(&held), process: process::id() });
    Ok(Some(held))
}
