//! Meanings of unsuccessful answers.

use crate::request::text;
use crate::{Cause, RequestKind};
use http::{HeaderMap, StatusCode};
use std::time::Duration;

/// An unsuccessful answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) cause: Cause,
    /// Whether a retry may succeed.
    pub(crate) passes: bool,
    /// The shortest pause that the store asks for.
    pub(crate) pause: Option<Duration>,
}

/// Reads an answer. Bodies of XML and JSON have an error code; the answer to a HEAD has no body.
pub(crate) fn refusal(kind: RequestKind, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Refusal {
    let body = String::from_utf8_lossy(body);
    let word =
        text(headers, "x-ms-error-code").map(str::to_owned).or_else(|| word(&body)).unwrap_or_default();
    let number = status.as_u16();
    let passes =
        matches!(number, 408 | 425 | 429 | 500 | 502 | 503 | 504) || TRANSIENT.contains(&word.as_str());
    let cause = by_word(&word, headers, &body)
        .or_else(|| by_status(kind, number, &word, headers))
        .unwrap_or_else(|| Cause::Status(number, shortened(&word)));
    let pause =
        text(headers, "retry-after").and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
    Refusal { cause, passes, pause }
}

/// Error codes of stores for temporary failures.
const TRANSIENT: [&str; 8] = [
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "RequestLimitExceeded",
    "ServerBusy",
    "RequestTimeout",
    "InternalError",
    "OperationTimedOut",
];

fn by_word(word: &str, headers: &HeaderMap, body: &str) -> Option<Cause> {
    let region =
        || text(headers, "x-amz-bucket-region").map(str::to_owned).or_else(|| element(body, "Region"));
    Some(match word {
        "SlowDown" | "Throttling" | "ThrottlingException" | "RequestLimitExceeded" | "ServerBusy" => {
            Cause::Throttled
        }
        "ExpiredToken" | "ExpiredTokenException" | "TokenRefreshRequired" | "RequestExpired" => {
            Cause::Expired
        }
        "InvalidAccessKeyId"
        | "SignatureDoesNotMatch"
        | "InvalidToken"
        | "AuthenticationFailed"
        | "InvalidAuthenticationInfo"
        | "NoAuthenticationInformation"
        | "NoSuchUser"
        | "XAdminUserNotFound" => Cause::Unknown(word.into()),
        "RequestTimeTooSkewed" => Cause::Clock,
        "NoSuchBucket" | "ContainerNotFound" | "InvalidBucketName" => Cause::NoBucket,
        "NoSuchKey" | "NoSuchVersion" | "BlobNotFound" => Cause::NotFound,
        "InvalidObjectState" | "BlobArchived" => Cause::Archived,
        "PreconditionFailed" | "ConditionNotMet" | "BlobAlreadyExists" => Cause::Changed,
        "PermanentRedirect" | "TemporaryRedirect" | "AuthorizationHeaderMalformed" => {
            match (region(), element(body, "Endpoint")) {
                (Some(region), _) => Cause::Region(Some(region.into())),
                (None, Some(host)) => Cause::Redirect(Some(shortened(&host))),
                (None, None) => Cause::Region(None),
            }
        }
        _ => return None,
    })
}

fn by_status(kind: RequestKind, status: u16, word: &str, headers: &HeaderMap) -> Option<Cause> {
    let region = text(headers, "x-amz-bucket-region").map(Box::from);
    Some(match status {
        300..=303 | 305..=308 | 400 if region.is_some() && status != 304 => Cause::Region(region),
        300..=303 | 305..=308 => Cause::Redirect(text(headers, "location").and_then(host)),
        304 | 412 => Cause::Changed,
        401 => Cause::Unknown(if word.is_empty() { "401".into() } else { shortened(word) }),
        403 => Cause::Denied(if word.is_empty() { "403".into() } else { shortened(word) }),
        404 if kind == RequestKind::List || (kind == RequestKind::Put && word.is_empty()) => Cause::NoBucket,
        404 | 410 => Cause::NotFound,
        416 => Cause::Changed,
        429 | 503 => Cause::Throttled,
        408 | 504 => Cause::Timeout,
        500..=599 => Cause::Failing(status),
        _ => return None,
    })
}

/// Returns the store's error code; also that of services which give tokens (RFC 6749, section 5.2).
pub(crate) fn word(body: &str) -> Option<String> {
    element(body, "Code").or_else(|| {
        let answer: serde_json::Value = serde_json::from_str(body).ok()?;
        let error = answer.get("error")?;
        let reason = error.pointer("/errors/0/reason").or_else(|| error.get("status"));
        reason.unwrap_or(error).as_str().map(str::to_owned)
    })
}

/// Returns the text of an element. Answers are small and flat.
fn element(body: &str, name: &str) -> Option<String> {
    let (_, rest) = body.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once('<')?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns scheme and host of an address: the rest may contain secrets.
fn host(address: &str) -> Option<Box<str>> {
    let uri: http::Uri = address.parse().ok()?;
    Some(shortened(&format!("{}://{}", uri.scheme_str()?, uri.host()?)))
}

/// Limits text from outside to the length of a line, and removes characters that control a terminal.
pub(crate) fn shortened(word: &str) -> Box<str> {
    word.chars()
        .filter(|letter| letter.is_ascii_graphic() || *letter == ' ')
        .take(80)
        .collect::<String>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Refusal {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        refusal(RequestKind::Get, StatusCode::from_u16(status).unwrap(), &map, body.as_bytes())
    }

    fn xml(code: &str) -> String {
        format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>m</Message></Error>")
    }

    #[test]
    fn words_of_s3_are_understood() {
        for (status, code, cause) in [
            (403, "AccessDenied", Cause::Denied("AccessDenied".into())),
            (403, "InvalidAccessKeyId", Cause::Unknown("InvalidAccessKeyId".into())),
            (403, "SignatureDoesNotMatch", Cause::Unknown("SignatureDoesNotMatch".into())),
            (403, "RequestTimeTooSkewed", Cause::Clock),
            (400, "ExpiredToken", Cause::Expired),
            (403, "InvalidObjectState", Cause::Archived),
            (404, "NoSuchBucket", Cause::NoBucket),
            (404, "NoSuchKey", Cause::NotFound),
            (412, "PreconditionFailed", Cause::Changed),
        ] {
            assert_eq!(
                refused(status, &[], &xml(code)),
                Refusal { cause, passes: false, pause: None },
                "{code}"
            );
        }
    }

    #[test]
    fn what_passes_is_known() {
        for (status, code) in [(503, "SlowDown"), (500, "InternalError"), (400, "RequestTimeout"), (429, "")]
        {
            assert!(refused(status, &[], &xml(code)).passes, "{status} {code}");
        }
        assert!(!refused(501, &[], "").passes);
        assert_eq!(refused(503, &[("retry-after", "3")], "").pause, Some(Duration::from_secs(3)));
    }

    #[test]
    fn other_regions_and_places_are_named() {
        let region = Cause::Region(Some("eu-west-1".into()));
        assert_eq!(refused(301, &[("x-amz-bucket-region", "eu-west-1")], "").cause, region);
        let body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
        assert_eq!(refused(400, &[], body).cause, region);
        let elsewhere = refused(307, &[("location", "https://h.example/k?X-Amz-Signature=secret")], "").cause;
        assert_eq!(elsewhere, Cause::Redirect(Some("https://h.example".into())));
    }

    #[test]
    fn words_of_others_are_understood() {
        let google = r#"{"error":{"code":403,"errors":[{"reason":"forbidden"}],"message":"m"}}"#;
        assert_eq!(refused(403, &[], google).cause, Cause::Denied("forbidden".into()));
        assert_eq!(refused(404, &[("x-ms-error-code", "ContainerNotFound")], "").cause, Cause::NoBucket);
        assert_eq!(
            refused(403, &[("x-ms-error-code", "AuthenticationFailed")], "").cause,
            Cause::Unknown("AuthenticationFailed".into())
        );
    }

    #[test]
    fn words_from_outside_stay_short_and_plain() {
        let long = xml(&format!("\u{1b}[31m{}", "x".repeat(500)));
        let Cause::Status(418, word) = refused(418, &[], &long).cause else { panic!() };
        assert_eq!(word.len(), 80);
        assert!(!word.contains('\u{1b}'));
    }
}
