//! Requests to an authority over HTTP (RFC 3161, 3.4).

use super::{ANSWER, LONGEST, Request};
use crate::{AuthorityFault, Error};
use std::time::Duration;
use ureq::Agent;
use ureq::http::header::CONTENT_TYPE;

const ASK: &str = "application/timestamp-query";
/// The time limit for an authority's answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a request to an authority. Returns the answer, which is not verified yet.
///
/// # Errors
/// If the authority can't be reached, or answers with something else.
pub fn ask(url: &str, request: &Request) -> Result<Vec<u8>, Error> {
    let wrong = |fault| Error::Authority { url: url.into(), fault };
    let http = |error| wrong(AuthorityFault::Http(Box::new(error)));
    // A request over TLS does not follow redirects to unprotected addresses.
    let safe = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
    let agent: Agent = Agent::config_builder().timeout_global(Some(PATIENCE)).https_only(safe).build().into();
    let answer = agent.post(url).content_type(ASK).send(request.as_bytes());
    let mut answer = answer.map_err(http)?;
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("nothing");
    if !kind.eq_ignore_ascii_case(ANSWER) {
        return Err(wrong(AuthorityFault::ContentType(kind.into())));
    }
    answer.body_mut().with_config().limit(LONGEST).read_to_vec().map_err(http)
}
