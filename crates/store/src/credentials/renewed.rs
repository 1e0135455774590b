//! Credentials that are fetched when they are first needed, and again before they expire.

use super::ask::Asker;
use crate::Cause;
use async_trait::async_trait;
use object_store::CredentialProvider;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::Mutex;

/// The remaining lifetime at which credentials are renewed.
const EARLY: Duration = Duration::from_secs(300);

/// The time for which a failure is remembered, so that only one of a thousand concurrent requests asks again.
const FAILURE: Duration = Duration::from_secs(10);

/// Credentials and their expiry.
pub(crate) struct Temporary<T> {
    pub(crate) credential: T,
    pub(crate) expires: Option<SystemTime>,
}

/// A source of credentials.
#[async_trait]
pub(crate) trait CredentialSource: Send + Sync + 'static {
    /// The type of the credentials.
    type Credential: Send + Sync + 'static;

    /// Fetches credentials.
    async fn fetch(&self, asker: &Asker) -> Result<Temporary<Self::Credential>, Cause>;
}

/// A source, the client that asks it, and the last credentials from it.
pub(crate) struct Renewed<S: CredentialSource> {
    source: S,
    asker: Asker,
    kept: Mutex<Option<Kept<S::Credential>>>,
}

struct Kept<T> {
    since: Instant,
    answer: Result<(Arc<T>, Option<SystemTime>), Cause>,
}

impl<S: CredentialSource> Renewed<S> {
    /// Makes a cache of a source's credentials. Nothing is sent yet.
    pub(crate) fn new(source: S, asker: Asker) -> Renewed<S> {
        Renewed { source, asker, kept: Mutex::new(None) }
    }
}

impl<T> Kept<T> {
    /// Returns the cached result if it may be used without asking again: credentials that expire within `early` may
    /// not.
    fn current(&self, early: Duration) -> Option<Result<Arc<T>, Cause>> {
        match &self.answer {
            Ok((credential, expires)) => {
                let limit = SystemTime::now() + early;
                expires.is_none_or(|expires| expires > limit).then(|| Ok(Arc::clone(credential)))
            }
            Err(cause) => (self.since.elapsed() < FAILURE).then(|| Err(cause.clone())),
        }
    }
}

#[async_trait]
impl<S: CredentialSource> CredentialProvider for Renewed<S> {
    type Credential = S::Credential;

    async fn get_credential(&self) -> object_store::Result<Arc<S::Credential>> {
        let mut kept = self.kept.lock().await;
        if let Some(answer) = kept.as_ref().and_then(|kept| kept.current(EARLY)) {
            return answer.map_err(wrapped);
        }
        let answer = self.source.fetch(&self.asker).await.map(|got| (Arc::new(got.credential), got.expires));
        if let (Err(_), Some(Ok(old))) =
            (&answer, kept.as_ref().and_then(|kept| kept.current(Duration::ZERO)))
        {
            return Ok(old);
        }
        let fresh = answer.clone().map(|(credential, _)| credential);
        *kept = Some(Kept { since: Instant::now(), answer });
        fresh.map_err(wrapped)
    }
}

/// Wraps a failure in an error of the library, so that it passes through.
fn wrapped(cause: Cause) -> object_store::Error {
    object_store::Error::Generic { store: "credentials", source: Box::new(cause) }
}

/// Shows no credential.
impl<S: CredentialSource> fmt::Debug for Renewed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renewed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Credentials that are valid for this many seconds; the requests with these numbers fail.
    struct Counting(u64, &'static [u32], AtomicU32);

    #[async_trait]
    impl CredentialSource for Counting {
        type Credential = u32;

        async fn fetch(&self, _: &Asker) -> Result<Temporary<u32>, Cause> {
            let number = self.2.fetch_add(1, Ordering::Relaxed);
            if self.1.contains(&number) {
                return Err(Cause::Expired);
            }
            let expires = Some(SystemTime::now() + Duration::from_secs(self.0));
            Ok(Temporary { credential: number, expires })
        }
    }

    fn answers(seconds: u64, failing: &'static [u32]) -> Vec<Option<u32>> {
        let asker = Asker::new(&Environment::from_variables([])).unwrap();
        let renewed = Renewed::new(Counting(seconds, failing, AtomicU32::new(0)), asker);
        let get = |_| {
            crate::client::runtime::runtime().block_on(renewed.get_credential()).ok().map(|number| *number)
        };
        (0..3).map(get).collect()
    }

    #[test]
    fn credentials_are_asked_for_again_before_they_expire() {
        assert_eq!(answers(3600, &[]), [Some(0), Some(0), Some(0)]);
        assert_eq!(answers(100, &[]), [Some(0), Some(1), Some(2)]);
        assert_eq!(answers(100, &[1]), [Some(0), Some(0), Some(2)], "the old ones are still good");
        assert_eq!(answers(100, &[0]), [None, None, None], "a failure stands for a while");
    }
}
