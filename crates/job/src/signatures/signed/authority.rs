//! Requests for time stamps to an authority over HTTP (RFC 3161, 3.4), by the client that reads web servers.

use hashmill_sign::stamp::Request;
use std::error::Error;
use std::fmt;

/// The reason why an authority gave no answer, or none that can be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoAnswer {
    /// The address isn't one of a web server.
    Address,
    /// The address can't be used.
    Location(Box<dyn Error + Send + Sync>),
    /// The request over HTTP failed.
    Http(Box<dyn Error + Send + Sync>),
    /// The answer has this content type instead of that of a time stamp.
    ContentType(String),
    /// The answer is longer than any time stamp.
    TooLong,
    /// This build can't send requests.
    LeftOut,
}

/// Sends a request to an authority; returns its answer as it came, still to be verified.
///
/// # Errors
/// If the authority can't be reached, or does not answer with a time stamp.
#[cfg(feature = "stores")]
pub(super) fn ask(url: &str, request: &Request) -> Result<Vec<u8>, NoAnswer> {
    use hashmill_sign::stamp::{LONGEST, QUERY, REPLY};
    use hashmill_store::{Access, Location, Request as Post, Scheme, Store};

    let location = match Location::parse(url.as_bytes()) {
        Some(Ok(location)) if matches!(location.scheme(), Scheme::Http | Scheme::Https) => location,
        Some(Err(bad)) => return Err(NoAnswer::Location(bad.into())),
        _ => return Err(NoAnswer::Address),
    };
    let post = Post::post(location.key(), QUERY, request.as_bytes().to_vec());
    let answer = Store::connect(&location, &Access::default()).and_then(|store| store.send(&post));
    let answer = answer.map_err(|error| NoAnswer::Http(error.cause.into()))?;
    let kind = answer.header("content-type").unwrap_or("nothing");
    if !kind.eq_ignore_ascii_case(REPLY) {
        return Err(NoAnswer::ContentType(kind.into()));
    }
    if answer.body.len() as u64 > LONGEST {
        return Err(NoAnswer::TooLong);
    }
    Ok(answer.body.to_vec())
}

/// Fails, as requests need the feature `stores`.
#[cfg(not(feature = "stores"))]
pub(super) fn ask(url: &str, _: &Request) -> Result<Vec<u8>, NoAnswer> {
    let web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    Err(if web { NoAnswer::LeftOut } else { NoAnswer::Address })
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Address => f.write_str("is not the address of a web server (http://… or https://…)"),
            NoAnswer::Location(bad) => bad.fmt(f),
            NoAnswer::Http(cause) => cause.fmt(f),
            NoAnswer::ContentType(found) => {
                write!(f, "answers with {found}, not with {}", hashmill_sign::stamp::REPLY)
            }
            NoAnswer::TooLong => f.write_str("the answer is too long for a time stamp"),
            NoAnswer::LeftOut => f.write_str(
                "this build can't send requests: 'make build' builds one that can; or carry the request in files \
                 (--timestamp-request, --timestamp-response)",
            ),
        }
    }
}
