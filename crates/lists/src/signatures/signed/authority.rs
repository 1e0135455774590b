//! Requests for time stamps to an authority over HTTP (RFC 3161, 3.4), by the client that reads web servers.

use hashmill_sign::stamp::Request;

const NO_ADDRESS: &str = "is not the address of a web server (http://… or https://…)";

/// Sends a request to an authority; returns its answer as it came, still to be verified.
///
/// # Errors
/// If the authority can't be reached, or does not answer with a time stamp; the reason.
#[cfg(feature = "stores")]
pub(super) fn ask(url: &str, request: &Request) -> Result<Vec<u8>, String> {
    use hashmill_sign::stamp::{MAX_FILE, QUERY, REPLY};
    use hashmill_store::{Access, Location, Request as Post, Scheme, Store};

    let location = match Location::parse(url.as_bytes()) {
        Some(Ok(location)) if matches!(location.scheme(), Scheme::Http | Scheme::Https) => location,
        Some(Err(bad)) => return Err(bad.to_string()),
        _ => return Err(NO_ADDRESS.into()),
    };
    let post = Post::post(location.key(), QUERY, request.as_bytes().to_vec());
    let answer = Store::connect(&location, &Access::default()).and_then(|store| store.send(&post));
    let answer = answer.map_err(|error| error.cause.to_string())?;
    let kind = answer.header("content-type").unwrap_or("nothing");
    if !kind.eq_ignore_ascii_case(REPLY) {
        return Err(format!("answers with {kind}, not with {REPLY}"));
    }
    if answer.body.len() as u64 > MAX_FILE {
        return Err("the answer is too long for a time stamp".into());
    }
    Ok(answer.body.to_vec())
}

/// Fails, as requests need the feature `stores`.
#[cfg(not(feature = "stores"))]
pub(super) fn ask(url: &str, _: &Request) -> Result<Vec<u8>, String> {
    const LEFT_OUT: &str = "this build can't send requests: 'make build' builds one that can; or carry the request in files \
        (--timestamp-request, --timestamp-response)";
    let web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
    Err(if web { LEFT_OUT } else { NO_ADDRESS }.into())
}
