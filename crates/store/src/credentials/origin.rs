//! The origin of credentials, in words.

/// Where credentials come from, without any of them.
pub(crate) type Origin = Box<str>;

/// The origin of requests that nothing signs.
pub(crate) const UNSIGNED: &str = "none: requests are not signed";
