//! How calls reach stores. That is a setting of the process, so calls with different settings must not run side by
//! side.

use crate::error::{failed, wrong};
use hashmill_job::stores;
use hashmill_store::Access;
use pyo3::prelude::*;
use std::env;
use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{process, thread};

/// Prefixes of the variables that say how stores are reached.
const VARIABLES: [&str; 10] = [
    "AWS_",
    "AZURE_",
    "GOOGLE_",
    "STORAGE_",
    "HASHMILL_",
    "HOME",
    "CLOUDSDK_",
    "GCE_",
    "NO_GCE_",
    "IDENTITY_",
];

/// The longest that a call waits for another one to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval at which it checks.
const TICK: Duration = Duration::from_millis(10);

/// The way in which a call reaches stores: the endpoint, the region, and whether to send no credentials. The rest
/// follows from the environment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoreAccess {
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) anonymous: bool,
}

/// The limits on concurrent requests, memory for answers that wait, and bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReachLimits {
    pub(crate) requests: Option<usize>,
    pub(crate) memory: usize,
    pub(crate) rate: Option<NonZeroU64>,
}

/// How stores are reached, and the environment at the time of that setting.
#[derive(PartialEq)]
struct Reached {
    way: StoreAccess,
    means: ReachLimits,
    environment: Vec<(OsString, OsString)>,
}

static REACHED: Mutex<Option<Reached>> = Mutex::new(None);

/// The last way that a call held, and whether a call of this process still reads by it.
struct Last {
    way: StoreAccess,
    held: Weak<()>,
    process: u32,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

/// A guard that keeps a way as long as a call may read by it.
pub(crate) struct ReachGuard(#[allow(dead_code, reason = "held, not read")] Option<Arc<()>>);

impl ReachGuard {
    /// The guard of a call that reads files alone.
    pub(crate) const NOTHING: ReachGuard = ReachGuard(None);

    /// Reaches stores in this way from now on. The lock is taken with the GIL, so that a fork never leaves it locked.
    pub(crate) fn hold(py: Python<'_>, way: &StoreAccess, means: ReachLimits) -> PyResult<ReachGuard> {
        let begun = Instant::now();
        loop {
            if let Some(held) = held(way, means)? {
                return Ok(ReachGuard(Some(held)));
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

/// Takes the way, if no call reads by another.
fn held(way: &StoreAccess, means: ReachLimits) -> PyResult<Option<Arc<()>>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let used = last.as_ref().filter(|last| last.process == process::id());
    let used = used.and_then(|last| Some((&last.way, last.held.upgrade()?)));
    let held = match used {
        Some((other, _)) if other != way => return Ok(None),
        Some((_, held)) => held,
        None => Arc::new(()),
    };
    reach_by(way, means)?;
    *last = Some(Last { way: way.clone(), held: Arc::downgrade(&held), process: process::id() });
    Ok(Some(held))
}

/// Reaches stores in this way from now on, unless it is set already.
pub(crate) fn reach_by(way: &StoreAccess, means: ReachLimits) -> PyResult<()> {
    let wanted = Reached { way: way.clone(), means, environment: variables() };
    let mut reached = REACHED.lock().unwrap_or_else(PoisonError::into_inner);
    if reached.as_ref() != Some(&wanted) {
        stores::configure(access(&wanted)?);
        *reached = Some(wanted);
    }
    Ok(())
}

fn variables() -> Vec<(OsString, OsString)> {
    let counts = |name: &OsString| {
        let name = name.to_string_lossy();
        VARIABLES.iter().any(|start| name.starts_with(start))
    };
    let mut all: Vec<_> = env::vars_os().filter(|(name, _)| counts(name)).collect();
    all.sort();
    all
}

fn access(Reached { way, means, .. }: &Reached) -> PyResult<Access> {
    let usual = Access::default();
    let some = |number| NonZeroUsize::new(number).ok_or_else(|| wrong("requests must be 1 at least"));
    let access = Access {
        endpoint: way.endpoint.clone(),
        region: way.region.clone(),
        anonymous: way.anonymous,
        requests: means.requests.map_or(Ok(usual.requests), some)?,
        memory: means.memory,
        bandwidth: means.rate,
        ..usual
    };
    access.check().map_err(|bad| wrong(format!("the way to stores: {bad}")))?;
    Ok(access)
}
