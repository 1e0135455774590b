//! How calls reach stores: each call has an access of its own. Calls with the same settings share its connections.

use crate::error::wrong;
use hashmill_content::Stores;
use hashmill_store::Access;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::{LazyLock, Mutex, PoisonError};

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

/// The way in which a call reaches stores: the endpoint, the region, whether to send no credentials, and variables that
/// count before those of the environment, from which the rest follows.
#[derive(Clone, PartialEq)]
pub(crate) struct StoreAccess {
    pub(crate) endpoint: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) anonymous: bool,
    pub(crate) credentials: Option<BTreeMap<String, String>>,
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

/// The last settings of several calls, and the access by them.
struct LastAccess(Mutex<Option<(Reached, Stores)>>);

/// The access of the last call with settings of its own.
static OF_CALLS: LastAccess = LastAccess(Mutex::new(None));

/// The access of the calls of a cluster's worker, which sets it for all of them.
static OF_WORKER: LastAccess = LastAccess(Mutex::new(None));

/// The access of calls without settings.
static USUAL: LazyLock<Stores> = LazyLock::new(hashmill::command::stores);

impl LastAccess {
    /// Returns the access by these settings: the last one if they and the environment are the same, else the one that
    /// `other` makes of it. The lock is taken with the GIL, so that a fork never leaves it locked.
    fn by(
        &self,
        way: StoreAccess,
        means: ReachLimits,
        other: impl FnOnce(Option<&Stores>, Access) -> Stores,
    ) -> PyResult<Stores> {
        let wanted = Reached { way, means, environment: variables() };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, stores)) = last.as_ref().filter(|(reached, _)| *reached == wanted) {
            return Ok(stores.clone());
        }
        let stores = other(last.as_ref().map(|(_, stores)| stores), access(&wanted)?);
        *last = Some((wanted, stores.clone()));
        Ok(stores)
    }
}

/// Returns the access of a call with these settings.
pub(crate) fn stores_by(way: StoreAccess, means: ReachLimits) -> PyResult<Stores> {
    OF_CALLS.by(way, means, |_, access| usual().with_access(access))
}

/// Sets the access of the worker's calls from now on. Their requests are counted together.
pub(crate) fn reach_by(way: StoreAccess, means: ReachLimits) -> PyResult<()> {
    let renewed = |last: Option<&Stores>, access: Access| match last {
        Some(stores) => {
            stores.configure(access);
            stores.clone()
        }
        None => usual().with_access(access),
    };
    OF_WORKER.by(way, means, renewed).map(drop)
}

/// Returns the access of the worker's calls.
pub(crate) fn of_worker() -> Stores {
    let last = OF_WORKER.0.lock().unwrap_or_else(PoisonError::into_inner);
    last.as_ref().map_or_else(usual, |(_, stores)| stores.clone())
}

/// Returns the access of calls without settings.
pub(crate) fn usual() -> Stores {
    USUAL.clone()
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
    if way.anonymous && way.credentials.is_some() {
        return Err(wrong("credentials are not sent with anonymous=True: give one of them"));
    }
    let access = Access {
        endpoint: way.endpoint.clone(),
        region: way.region.clone(),
        anonymous: way.anonymous,
        requests: means.requests.map_or(Ok(usual.requests), some)?,
        memory: means.memory,
        bandwidth: means.rate,
        ..usual
    };
    let access = match &way.credentials {
        Some(variables) => access.with_credentials(variables.clone()),
        None => access,
    };
    access.check().map_err(|bad| wrong(format!("the way to stores: {bad}")))?;
    Ok(access)
}
