//! Requests to the services that give credentials: short, bounded, never redirected.

use crate::access::certificates;
use crate::access::certificates::Certificates;
use crate::request::refusal::word;
use crate::{Cause, Environment};
use bytes::Bytes;
use futures_util::StreamExt;
use http::StatusCode;
use object_store::client::{HttpClient, HttpConnector, HttpRequest, HttpResponse};
use object_store::{ClientOptions, Result as LibraryResult};
use std::net::IpAddr;
use std::time::Duration;

/// The most bytes of an answer: credentials have a few thousand.
const ANSWER: usize = 256 << 10;

/// The number of attempts where the service itself fails.
const ATTEMPTS: u32 = 3;

/// The pause after the first failure. It doubles.
const PAUSE: Duration = Duration::from_millis(100);

/// The time limit of a service on the network.
const OUTSIDE: Duration = Duration::from_secs(20);

/// The time limit of a service of this machine: on other machines nothing answers at its address.
const NEAR: Duration = Duration::from_secs(2);

/// A client of services that give credentials.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    outside: HttpClient,
    near: HttpClient,
}

/// The place of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// On the network, perhaps behind a proxy.
    Outside,
    /// On this machine or its host. A proxy would be another machine.
    Near,
}

/// The reason why a service gave nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It refused, with a status and perhaps an error code.
    Status(StatusCode, String),
    /// It did not answer in time.
    NoAnswer,
    /// Its answer is longer than credentials can be.
    TooLong,
    /// Nothing was sent, for this reason.
    Unasked(Cause),
}

impl Asker {
    /// Returns a client that trusts the certificates that the environment names.
    pub(crate) fn new(environment: &Environment) -> Result<Asker, Cause> {
        let build = |most: Duration| {
            let plain = || {
                reqwest::Client::builder()
                    .user_agent(concat!("hashmill/", env!("CARGO_PKG_VERSION")))
                    // A request with a secret in it must not go on to another address.
                    .redirect(reqwest::redirect::Policy::none())
                    .referer(false)
                    .connect_timeout(most / 2)
                    .timeout(most)
                    .http1_only()
            };
            let builder = || if most == NEAR { plain().no_proxy() } else { plain() };
            certificates::build(builder, environment, Certificates::Wanted)
        };
        Ok(Asker { outside: HttpClient::new(build(OUTSIDE)?), near: HttpClient::new(build(NEAR)?) })
    }

    /// Sends a request, again where the service itself fails, and returns the body of the answer. The request is built
    /// anew each time, as signatures contain the time.
    pub(crate) async fn ask(
        &self,
        reach: Reach,
        question: impl Fn() -> Result<HttpRequest, Cause>,
    ) -> Result<Bytes, Refused> {
        let client = if reach == Reach::Near { &self.near } else { &self.outside };
        let mut attempt = 1;
        loop {
            let answer = match client.execute(question().map_err(Refused::Unasked)?).await {
                Ok(answer) => body(answer).await,
                Err(_) => Err(Refused::NoAnswer),
            };
            let passes = match &answer {
                Err(Refused::Status(status, _)) => status.is_server_error() || status.as_u16() == 429,
                Err(Refused::NoAnswer) => reach == Reach::Outside,
                _ => false,
            };
            if !passes || attempt == ATTEMPTS {
                return answer;
            }
            tokio::time::sleep(PAUSE * 2_u32.pow(attempt)).await;
            attempt += 1;
        }
    }
}

/// Gives the library's own providers the client that follows no redirects.
impl HttpConnector for Asker {
    fn connect(&self, _: &ClientOptions) -> LibraryResult<HttpClient> {
        Ok(self.outside.clone())
    }
}

async fn body(answer: HttpResponse) -> Result<Bytes, Refused> {
    let (parts, body) = answer.into_parts();
    let mut body = body.bytes_stream();
    let mut all = Vec::new();
    while let Some(bytes) = body.next().await {
        all.extend_from_slice(&bytes.map_err(|_| Refused::NoAnswer)?);
        if all.len() > ANSWER {
            return Err(Refused::TooLong);
        }
    }
    if parts.status.is_success() {
        return Ok(all.into());
    }
    Err(Refused::Status(parts.status, word(&String::from_utf8_lossy(&all)).unwrap_or_default()))
}

impl Refused {
    /// Returns the failure of a service with this name. Nothing but the error code of the answer is shown.
    pub(crate) fn cause(&self, service: &str) -> Cause {
        let why = match self {
            Refused::Status(status, _) if status.is_redirection() => {
                format!("{service} sends elsewhere (status {}), which is not followed", status.as_u16())
            }
            Refused::Status(status, word) if word.is_empty() => {
                format!("{service} answers with status {}", status.as_u16())
            }
            Refused::Status(status, word) => {
                format!(
                    "{service} answers with status {} ({})",
                    status.as_u16(),
                    crate::request::refusal::shortened(word)
                )
            }
            Refused::NoAnswer => format!("{service} does not answer"),
            Refused::TooLong => format!("{service} answers with too much"),
            Refused::Unasked(cause) => return cause.clone(),
        };
        Cause::NoCredentials(why.into())
    }

    /// Returns whether the service answered with one of these statuses.
    pub(crate) fn is(&self, statuses: &[u16]) -> bool {
        matches!(self, Refused::Status(status, _) if statuses.contains(&status.as_u16()))
    }
}

/// Builds a request.
pub(crate) fn question(
    method: http::Method,
    address: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Result<HttpRequest, Cause> {
    let mut builder = http::Request::builder().method(method).uri(address);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    let built = builder.body(body.into());
    built.map_err(|_| {
        Cause::Credentials("an address or a token for credentials has bytes that it can't have".into())
    })
}

/// Encodes pairs as a form.
pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    let owned: Vec<(String, String)> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    crate::request::encode::query(&owned).split_off(1)
}

/// The content type of a form.
pub(crate) const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// Checks that secrets may be sent to this address: it uses TLS, or is one of these hosts or this machine.
pub(crate) fn check_address(address: &str, what: &str, near: &[&str]) -> Result<(), Cause> {
    let refuse = |why| Err(Cause::Credentials(format!("{what} {why}").into()));
    let Ok(uri) = address.parse::<http::Uri>() else { return refuse("is no address") };
    let Some(authority) = uri.authority() else { return refuse("is no address") };
    if authority.as_str().contains('@') {
        return refuse("has a user or a password in it");
    }
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_here || near.contains(&host) => Ok(()),
        Some("http") => refuse("is not https, so others could read the credentials"),
        _ => refuse("is no address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sent_by_tls_or_stay_near() {
        for good in [
            "https://h/x",
            "http://127.0.0.1:1/x",
            "http://localhost/",
            "http://[::1]:80/",
            "http://169.254.170.2/",
        ] {
            assert_eq!(check_address(good, "it", &["169.254.170.2"]), Ok(()), "{good}");
        }
        for bad in [
            "http://h/x",
            "http://169.254.170.2@evil.example/",
            "ftp://h",
            "h",
            "http://127.0.0.1.evil.example/",
            "",
        ] {
            assert!(check_address(bad, "it", &["169.254.170.2"]).is_err(), "{bad}");
        }
    }

    #[test]
    fn forms_are_escaped() {
        assert_eq!(form(&[("a", "b c&d"), ("e", "")]), "a=b%20c%26d&e=");
    }
}
