//! Writing an object, completely or not at all.

use crate::client::Client;
use crate::credentials::{self, Signer};
use crate::provider::gcs;
use crate::request::refusal::refusal;
use crate::{Cause, RequestKind, Scheme};
use http::{HeaderMap, StatusCode};
use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use std::io::{ErrorKind, Read};

/// The size of a part in bytes. The 10,000 parts that S3 accepts are 160 GB; larger objects get larger parts.
const PART: usize = 16 << 20;

/// The most parts of an object of S3.
const PARTS: u64 = 10_000;

/// Writes an object from a reader that has this many bytes. Until the last of them has arrived, the store shows the
/// previous content.
pub(crate) async fn upload(client: &Client, key: &[u8], from: &mut dyn Read, size: u64) -> Result<(), Cause> {
    // The library strips slashes, which would give another key.
    let same = |path: &Path| path.as_ref().as_bytes() == key;
    let path = str::from_utf8(key).ok().and_then(|key| Path::parse(key).ok()).filter(same);
    let path = path.ok_or_else(|| Cause::Unsupported("no object can be written by this key".into()))?;
    let part = PART.max(usize::try_from(size.div_ceil(PARTS)).unwrap_or(usize::MAX));
    if size <= part as u64 && client.provider.scheme == Scheme::Gs {
        let key = str::from_utf8(key).unwrap_or_default();
        return client.whole(&gcs::put(key, next(from, part)?)).await.map(drop);
    }
    let store = writer(client)?;
    if size <= part as u64 {
        let bytes = next(from, part)?;
        client.sent(RequestKind::Put, bytes.len());
        return store.put(&path, PutPayload::from(bytes)).await.map(drop).map_err(cause);
    }
    client.sent(RequestKind::Put, 0);
    let mut upload = store.put_multipart(&path).await.map_err(cause)?;
    let done = parts(client, upload.as_mut(), from, part).await;
    if done.is_err() {
        // Otherwise its parts stay in the store, and cost money.
        let _ = upload.abort().await;
    }
    done
}

async fn parts(
    client: &Client,
    upload: &mut dyn MultipartUpload,
    from: &mut dyn Read,
    part: usize,
) -> Result<(), Cause> {
    loop {
        let bytes = next(from, part)?;
        if bytes.is_empty() {
            client.sent(RequestKind::Put, 0);
            return upload.complete().await.map(drop).map_err(cause);
        }
        client.sent(RequestKind::Put, bytes.len());
        upload.put_part(PutPayload::from(bytes)).await.map_err(cause)?;
    }
}

/// Reads the next part; at the end it may be shorter.
fn next(from: &mut dyn Read, part: usize) -> Result<Vec<u8>, Cause> {
    let mut bytes = Vec::new();
    let read = from.take(part as u64).read_to_end(&mut bytes);
    read.map_err(|error| Cause::Connection(error.kind(), "what is to be written can't be read".into()))?;
    Ok(bytes)
}

/// The client that sends all other requests: it follows no redirects, so that credentials are not sent elsewhere.
#[derive(Debug)]
struct Same(HttpClient);

impl HttpConnector for Same {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(self.0.clone())
    }
}

/// Makes the library's store for the same bucket, with the same credentials.
fn writer(client: &Client) -> Result<Box<dyn ObjectStore>, Cause> {
    let provider = &client.provider;
    let base = provider.base();
    let options = ClientOptions::new().with_allow_http(true);
    let same = || Same(client.http.clone());
    let retry = credentials::soon();
    let bucket = provider.bucket.as_str();
    let store: Box<dyn ObjectStore> = match (&provider.signer, provider.scheme) {
        (Signer::Aws { credentials, region, .. }, _) => {
            // The address contains the bucket already.
            let builder = AmazonS3Builder::new().with_bucket_name(bucket).with_region(region.read().clone());
            let builder = builder.with_endpoint(base).with_virtual_hosted_style_request(true);
            let builder = builder.with_client_options(options).with_credentials(credentials.clone());
            // A bucket with Object Lock takes no object without a checksum.
            let builder = builder.with_http_connector(same()).with_checksum_algorithm(Checksum::SHA256);
            Box::new(builder.with_retry(retry).build().map_err(cause)?)
        }
        (Signer::Azure { credentials, account }, _) => {
            let service = base.strip_suffix(&format!("/{bucket}")).unwrap_or(&base).to_owned();
            let builder = MicrosoftAzureBuilder::new().with_container_name(bucket).with_account(account);
            let builder = builder.with_endpoint(service).with_credentials(credentials.clone());
            let builder = builder.with_client_options(options).with_allow_http(true);
            let builder = builder.with_http_connector(same());
            Box::new(builder.with_retry(retry).build().map_err(cause)?)
        }
        (signer, Scheme::Gs) => {
            let builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket).with_base_url(&base);
            let builder = match signer {
                Signer::Gcp(credentials) => builder.with_credentials(credentials.clone()),
                _ => builder.with_skip_signature(true),
            };
            let builder = builder.with_client_options(options).with_http_connector(same());
            Box::new(builder.with_retry(retry).build().map_err(cause)?)
        }
        (_, Scheme::S3 | Scheme::Az) => {
            return Err(Cause::NoCredentials("nobody writes without any".into()));
        }
        (_, Scheme::Https | Scheme::Http | Scheme::File) => {
            return Err(Cause::Unsupported(
                "a web server takes no files: write to a file or a bucket".into(),
            ));
        }
    };
    Ok(store)
}

/// Translates an error of the library. Its text has the status and the body of the answer, and perhaps an address with
/// a signature, so only known words are taken from it.
fn cause(error: object_store::Error) -> Cause {
    // Missing credentials, for example, are a cause of our own already.
    if let object_store::Error::Generic { source, .. } = &error
        && let Some(cause) = source.downcast_ref::<Cause>()
    {
        return cause.clone();
    }
    let text = error.to_string();
    let number = text.split_once("status code: ").and_then(|(_, rest)| rest.get(..3)?.parse().ok());
    match (number, error) {
        (Some(number), _) => match StatusCode::from_u16(number) {
            Ok(status) => refusal(RequestKind::Put, status, &HeaderMap::new(), of_body(&text)).cause,
            Err(_) => Cause::Status(number, "".into()),
        },
        (None, object_store::Error::NotFound { .. }) => Cause::NoBucket,
        (None, object_store::Error::PermissionDenied { .. }) => Cause::Denied("403".into()),
        (None, object_store::Error::Unauthenticated { .. }) => Cause::Unknown("401".into()),
        _ => Cause::Connection(ErrorKind::Other, "the upload broke off".into()),
    }
}

/// Returns the body of an answer within a text.
fn of_body(text: &str) -> &[u8] {
    text.find('<').map_or(b"", |start| &text.as_bytes()[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_librarys_words_become_ours() {
        let of = |text: &str| cause(object_store::Error::Generic { store: "S3", source: text.into() });
        let denied =
            "Server returned non-2xx status code: 403 Forbidden: <Error><Code>AccessDenied</Code></Error>";
        assert_eq!(of(denied), Cause::Denied("AccessDenied".into()));
        assert_eq!(of("status code: 404 Not Found: <Code>NoSuchBucket</Code>"), Cause::NoBucket);
        assert_eq!(of("status code: 503: "), Cause::Throttled);
        let secret = of("error sending https://h/k?X-Amz-Signature=abc");
        assert!(!secret.to_string().contains("abc"), "{secret}");
    }
}
