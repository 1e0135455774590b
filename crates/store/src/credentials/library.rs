//! Settings and errors of the `object_store` library that concern credentials.

use crate::Cause;
use object_store::{BackoffConfig, RetryConfig};
use std::time::Duration;

/// Returns why there are no credentials. The library's own errors may quote what they read, so their text is not shown.
pub(crate) fn none(error: object_store::Error) -> Cause {
    let object_store::Error::Generic { source, .. } = error else { return none_found() };
    let is_key = source.to_string().contains("AccessKey");
    match source.downcast::<Cause>() {
        Ok(cause) => *cause,
        Err(_) if is_key => Cause::NoCredentials("the key is no base64".into()),
        Err(_) => none_found(),
    }
}

fn none_found() -> Cause {
    Cause::NoCredentials("none were found".into())
}

/// Returns short time limits: a service for credentials is near, or does not exist.
pub(crate) fn soon() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(1),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: 2, retry_timeout: Duration::from_secs(5) }
}
