//! AWS signatures, version 4, for addresses in which the slashes of a key are escaped. S3 signs the key itself, in
//! which they are slashes; the library would sign the address.
//!
//! Source: AWS General Reference, "Signature Version 4 signing process"; S3 API Reference, "Signature Calculations for
//! the Authorization Header".

use crate::Cause;
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue};
use object_store::aws::AwsCredential;
use object_store::client::HttpRequest;
use ring::{digest, hmac};

/// The headers that are signed if they exist, in their order, after `host`.
const SIGNED: [&str; 4] =
    ["x-amz-content-sha256", "x-amz-date", "x-amz-request-payer", "x-amz-security-token"];

/// Returns whether this address is signed here: slashes are escaped only where a key has `.` or `..` between them.
pub(crate) fn is_of(request: &HttpRequest) -> bool {
    request.uri().path().contains("%2F")
}

/// Signs a request without a body.
///
/// # Errors
/// If a credential is not text.
pub(crate) fn sign(
    request: &mut HttpRequest,
    credential: &AwsCredential,
    region: &str,
    payer: bool,
    now: DateTime<Utc>,
) -> Result<(), Cause> {
    let scope = format!("{}/{region}/s3/aws4_request", now.format("%Y%m%d"));
    let time = now.format("%Y%m%dT%H%M%SZ").to_string();
    let headers = request.headers_mut();
    put(headers, "x-amz-content-sha256", &sha256(b""))?;
    put(headers, "x-amz-date", &time)?;
    if payer {
        put(headers, "x-amz-request-payer", "requester")?;
    }
    if let Some(token) = &credential.token {
        put(headers, "x-amz-security-token", token)?;
    }
    let (canonical, signed) = canonical(request)?;
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let first = format!("AWS4{}", credential.secret_key).into_bytes();
    let key = scope.split('/').fold(first, |key, part| hmac_of(&key, part));
    let signature = hex(&hmac_of(&key, &text));
    let id = &credential.key_id;
    let value =
        format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={signed}, Signature={signature}");
    put(request.headers_mut(), "authorization", &value)
}

/// Returns the canonical request, and the names of its signed headers.
fn canonical(request: &HttpRequest) -> Result<(String, String), Cause> {
    let wrong = |_| Cause::Unsupported("no address can be made of it".into());
    // The port is part of it only if it is not the default one.
    let address = reqwest::Url::parse(&request.uri().to_string()).map_err(wrong)?;
    let port = address.port().map_or(String::new(), |port| format!(":{port}"));
    let host = format!("{}{port}", address.host_str().unwrap_or_default());
    let path = request.uri().path().replace("%2F", "/");
    let mut query: Vec<&str> =
        request.uri().query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
    query.sort_unstable();
    let (mut lines, mut names) = (format!("host:{host}\n"), "host".to_owned());
    for name in SIGNED {
        if let Some(value) = request.headers().get(name).and_then(|value| value.to_str().ok()) {
            lines += &format!("{name}:{}\n", value.trim());
            names += &format!(";{name}");
        }
    }
    let (method, query, hash) = (request.method(), query.join("&"), sha256(b""));
    Ok((format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{hash}"), names))
}

fn put(headers: &mut HeaderMap, name: &'static str, value: &str) -> Result<(), Cause> {
    let value = HeaderValue::from_str(value);
    let mut value = value.map_err(|_| Cause::NoCredentials("a credential is no text".into()))?;
    value.set_sensitive(matches!(name, "authorization" | "x-amz-security-token"));
    headers.insert(name, value);
    Ok(())
}

fn hmac_of(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDateTime;
    use http::Request;
    use object_store::aws::AwsAuthorizer;
    use object_store::client::HttpRequestBody;

    fn request(address: &str) -> HttpRequest {
        Request::get(address).header("range", "bytes=0-1").body(HttpRequestBody::empty()).unwrap()
    }

    fn credential(token: Option<&str>) -> AwsCredential {
        AwsCredential {
            key_id: "id".into(),
            secret_key: "wJalrXUtnFEMI/K7MDENG".into(),
            token: token.map(str::to_owned),
        }
    }

    #[test]
    fn the_library_signs_the_same() {
        crate::client::runtime::runtime();
        for (address, token, payer) in [
            ("http://127.0.0.1:9000/bucket/a//b%20c", None, false),
            ("https://bucket.s3.eu-west-1.amazonaws.com:443/k?versionId=1", Some("token/+="), true),
        ] {
            let credential = credential(token);
            let mut theirs = Request::get(address).body(HttpRequestBody::empty()).unwrap();
            let authorizer = AwsAuthorizer::new(&credential, "s3", "eu-west-1").with_request_payer(payer);
            authorizer.try_authorize(&mut theirs, None).unwrap();
            let date = theirs.headers()["x-amz-date"].to_str().unwrap();
            let now = NaiveDateTime::parse_from_str(date, "%Y%m%dT%H%M%SZ").unwrap().and_utc();
            let mut ours = request(address);
            sign(&mut ours, &credential, "eu-west-1", payer, now).unwrap();
            assert_eq!(ours.headers()["authorization"], theirs.headers()["authorization"], "{address}");
        }
    }

    #[test]
    fn the_key_is_signed_and_not_the_address() {
        let now = DateTime::UNIX_EPOCH;
        let signed = |address: &str| {
            let mut request = request(address);
            sign(&mut request, &credential(None), "r", false, now).unwrap();
            request.headers()["authorization"].clone()
        };
        let escaped = request("http://h/b/a%2F..%2Fc");
        assert!(is_of(&escaped) && !is_of(&request("http://h/b/a%252F..")));
        assert_eq!(signed("http://h/b/a%2F..%2Fc"), signed("http://h/b/a/../c"));
        assert_ne!(signed("http://h/b/a%2F..%2Fc"), signed("http://h/b/c"));
    }
}
