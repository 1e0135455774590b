//! How a store is reached, as options say. Everything else comes from the environment.

pub(crate) mod certificates;
pub(crate) mod environment;
pub(crate) mod ini;

use crate::Environment;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

/// The default number of concurrent requests: enough for a store that answers in 50 ms to give 1,000 small objects in a
/// second.
const REQUESTS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The default limit on the bytes of objects that wait in memory.
const MEMORY: usize = 128 << 20;

/// The default limit on the time without an answer.
const SILENCE: Duration = Duration::from_secs(30);

/// How a store is reached. The default takes everything from the environment of the process.
#[derive(Debug, Clone)]
pub struct Access {
    /// The address of the service, where it is not the provider's own: `http://127.0.0.1:9000`.
    pub endpoint: Option<String>,
    /// The region of the bucket.
    pub region: Option<String>,
    /// Send requests without credentials.
    pub anonymous: bool,
    /// The most concurrent requests.
    pub requests: NonZeroUsize,
    /// The most bytes of bodies received in a second, by all requests together.
    pub bandwidth: Option<NonZeroU64>,
    /// The most bytes of objects that wait in memory to be read, besides one part of each that is being read.
    pub memory: usize,
    /// The time after which a server is given up that does not answer, or sends next to nothing.
    pub silence: Duration,
    /// Where credentials, regions and endpoints are found.
    pub environment: Environment,
}

/// The reason why an [`Access`] can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadAccess {
    /// The endpoint is not the address of a web server.
    Endpoint,
    /// The endpoint contains a user or a password.
    Secret,
    /// The region has characters that no region's name has.
    Region,
}

impl Default for Access {
    fn default() -> Access {
        Access {
            endpoint: None,
            region: None,
            anonymous: false,
            requests: REQUESTS,
            bandwidth: None,
            memory: MEMORY,
            silence: SILENCE,
            environment: Environment::of_process(),
        }
    }
}

impl Access {
    /// Checks that endpoint and region can be used.
    ///
    /// # Errors
    /// The first setting that can't be used.
    pub fn check(&self) -> Result<(), BadAccess> {
        self.endpoint.as_deref().map_or(Ok(()), check_endpoint)?;
        if self.region.as_deref().is_none_or(is_region) { Ok(()) } else { Err(BadAccess::Region) }
    }
}

/// Returns whether this may be the name of a region. The name becomes a part of a host's name.
pub(crate) fn is_region(region: &str) -> bool {
    !region.is_empty()
        && region.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Checks that this is the address of a web server.
pub(crate) fn check_endpoint(endpoint: &str) -> Result<(), BadAccess> {
    let address = endpoint.strip_prefix("https://").or_else(|| endpoint.strip_prefix("http://"));
    let address = address.ok_or(BadAccess::Endpoint)?;
    let host = address.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return Err(BadAccess::Secret);
    }
    let whole: Result<http::Uri, _> = endpoint.parse();
    match whole {
        Ok(uri) if !host.is_empty() && uri.query().is_none() => Ok(()),
        _ => Err(BadAccess::Endpoint),
    }
}

impl fmt::Display for BadAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadAccess::Endpoint => "is no endpoint: write http://HOST:PORT or https://HOST",
            BadAccess::Secret => {
                "has a user or a password in it, which others see: give credentials by the environment or a profile"
            }
            BadAccess::Region => "is no region: one is, for example, eu-central-1",
        })
    }
}

impl std::error::Error for BadAccess {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_addresses_of_servers() {
        let of = |endpoint: &str| Access { endpoint: Some(endpoint.into()), ..Access::default() }.check();
        assert_eq!(of("http://127.0.0.1:9000"), Ok(()));
        assert_eq!(of("https://s3.example.org/base/"), Ok(()));
        for bad in ["s3.example.org", "ftp://h", "http://", "https://a b", "http://h/?q"] {
            assert_eq!(of(bad), Err(BadAccess::Endpoint), "{bad}");
        }
        assert_eq!(of("http://user:word@h"), Err(BadAccess::Secret));
    }

    #[test]
    fn regions_are_words() {
        let of = |region: &str| Access { region: Some(region.into()), ..Access::default() }.check();
        assert_eq!(of("eu-central-1"), Ok(()));
        assert_eq!(of("eu/central"), Err(BadAccess::Region));
        assert_eq!(of(""), Err(BadAccess::Region));
    }
}
