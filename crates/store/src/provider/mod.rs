//! One interface to S3, Google, Azure and web servers: the addresses of objects, and the meaning of listings and
//! headers.

pub(crate) mod azure;
pub(crate) mod gcs;
pub(crate) mod page;
pub(crate) mod s3;
pub(crate) mod web;

use crate::access;
use crate::credentials::{self, Account, AwsSettings, Origin, Signer, UNSIGNED};
use crate::request::encode;
use crate::request::text;
use crate::{Access, Cause, Location, Object, Request, Response, Scheme};
use http::{HeaderMap, Method};
use page::{Depth, Page};
use parking_lot::RwLock;

/// A provider, with the address of one bucket.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) scheme: Scheme,
    pub(crate) bucket: String,
    /// The beginning of addresses: of S3 and Azure the bucket's, else the service's. Without a slash at the end.
    base: RwLock<String>,
    pub(crate) signer: Signer,
    /// Where the credentials come from.
    pub(crate) origin: Origin,
    /// Whether the region may change: nobody named it, and the service is the provider's own.
    may_move: bool,
}

impl Provider {
    /// Finds out how a bucket is reached.
    pub(crate) fn find(location: &Location, access: &Access) -> Result<Provider, Cause> {
        match location.scheme() {
            Scheme::S3 => of_s3(location, access),
            Scheme::Gs => of_google(location, access),
            Scheme::Az => of_azure(location, access),
            Scheme::Https | Scheme::Http => {
                let base = format!("{}://{}", location.scheme().name(), location.bucket());
                Ok(provider(location, base, (Signer::None, UNSIGNED.into())))
            }
            Scheme::File => Err(Cause::Unsupported("is a file, not a store".into())),
        }
    }

    /// Returns the beginning of addresses.
    pub(crate) fn base(&self) -> String {
        self.base.read().clone()
    }

    /// Uses another region from now on, if the region may change. Returns whether it changed.
    pub(crate) fn move_to(&self, region: &str) -> bool {
        let to = s3::base(&self.bucket, region);
        // A region that a server invents must not lead to another host.
        if !self.may_move || !access::is_region(region) || *self.base.read() == to {
            return false;
        }
        *self.base.write() = to;
        self.signer.move_to(region);
        true
    }

    /// Returns the address that a request goes to.
    pub(crate) fn address(&self, request: &Request) -> Result<String, Cause> {
        let query = encode::query(&request.query);
        let base = self.base.read();
        let Some(key) = &request.key else {
            if self.scheme == Scheme::Gs && request.method == Method::POST {
                return Ok(format!("{base}/upload{}{query}", gcs::folder(&self.bucket)));
            }
            let folder = if self.scheme == Scheme::Gs { gcs::folder(&self.bucket) } else { String::new() };
            return Ok(format!("{base}{folder}{query}"));
        };
        match self.scheme {
            // Here slashes in keys are escaped.
            Scheme::Gs if matches!(&**key, b"." | b"..") => Err(Cause::DotSegment),
            Scheme::Gs if request.is_xml => {
                Ok(format!("{base}/{}/{}{query}", self.bucket, encode::path(key)))
            }
            Scheme::Gs => Ok(format!("{base}{}/{}{query}", gcs::folder(&self.bucket), encode::part(key))),
            Scheme::S3 | Scheme::Az if encode::has_dot_segment(key) => match encode::unresolved(key) {
                // If the dots are resolved nevertheless, the condition shows that it is another object.
                Some(path) if request.is_conditional_read() => Ok(format!("{base}/{path}{query}")),
                _ => Err(Cause::DotSegment),
            },
            Scheme::S3 | Scheme::Az => Ok(format!("{base}/{}{query}", encode::path(key))),
            // The address stays as it was written.
            Scheme::Https | Scheme::Http | Scheme::File => {
                Ok(format!("{base}/{}", String::from_utf8_lossy(key)))
            }
        }
    }

    /// Returns whether clients and servers may resolve dots in this key, so that an answer may be about another key.
    pub(crate) fn may_resolve(&self, key: &[u8]) -> bool {
        matches!(self.scheme, Scheme::S3 | Scheme::Az) && encode::has_dot_segment(key)
    }

    /// Asks for a page of the keys with this prefix.
    pub(crate) fn list(&self, prefix: &[u8], depth: Depth, from: Option<&str>) -> Result<Request, Cause> {
        let prefix = str::from_utf8(prefix)
            .map_err(|_| Cause::Unsupported("keys there are UTF-8; this is not".into()))?;
        match self.scheme {
            Scheme::S3 => Ok(s3::list(prefix, depth, from)),
            Scheme::Gs => Ok(gcs::list(prefix, depth, from)),
            Scheme::Az => Ok(azure::list(prefix, depth, from)),
            Scheme::Https | Scheme::Http | Scheme::File => {
                Err(Cause::Unsupported("a web server can't be listed: name its files one by one".into()))
            }
        }
    }

    /// Reads a page.
    pub(crate) fn page(&self, answer: &Response) -> Result<Page, Cause> {
        let body =
            str::from_utf8(&answer.body).map_err(|_| Cause::Malformed("a listing is no UTF-8".into()))?;
        if looks_like_a_page(&answer.headers, body) {
            return Err(Cause::NotAStore("HTML".into()));
        }
        match self.scheme {
            Scheme::S3 => s3::page(body),
            Scheme::Gs => gcs::page(body),
            _ => azure::page(body),
        }
    }

    /// Asks for the metadata of an object, or of a version of it.
    pub(crate) fn look(&self, key: &[u8], version: Option<&str>) -> Request {
        let request = match self.scheme {
            Scheme::Gs => gcs::look(key),
            Scheme::S3 | Scheme::Az => s3::look(key),
            Scheme::Https | Scheme::Http | Scheme::File => web::look(key),
        };
        self.of_version(request, version)
    }

    /// Restricts a request to this version. Web servers have no versions.
    fn of_version(&self, request: Request, version: Option<&str>) -> Request {
        let name = match self.scheme {
            Scheme::S3 => "versionId",
            Scheme::Gs => "generation",
            Scheme::Az => "versionid",
            Scheme::Https | Scheme::Http | Scheme::File => return request,
        };
        version.map_or(request.clone(), |version| request.query(name, version))
    }

    /// Reads the answer to [`Provider::look`].
    pub(crate) fn looked(&self, key: &[u8], answer: &Response) -> Result<Object, Cause> {
        match self.scheme {
            Scheme::Gs => gcs::looked(answer),
            Scheme::S3 | Scheme::Az if looks_like_a_page(&answer.headers, "") => {
                Err(Cause::NotAStore("HTML".into()))
            }
            Scheme::S3 | Scheme::Az => s3::looked(key, answer),
            Scheme::Https | Scheme::Http | Scheme::File => web::looked(key, answer),
        }
    }

    /// Asks for bytes of an object that must not have changed; for all of them if no range is named.
    pub(crate) fn get(&self, object: &Object, range: Option<(u64, u64)>) -> Request {
        let request = match self.scheme {
            // The generation is a condition as well.
            Scheme::Gs => gcs::get(object),
            Scheme::S3 | Scheme::Az => {
                self.of_version(s3::get(object), object.version.as_deref().filter(|_| object.exact))
            }
            Scheme::Https | Scheme::Http | Scheme::File => web::get(object),
        };
        match range {
            Some((start, end)) => request.header("range", format!("bytes={start}-{}", end.saturating_sub(1))),
            None => request,
        }
    }

    /// Returns the version that an answer names, where there are versions.
    pub(crate) fn version<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        match self.scheme {
            Scheme::Gs => text(headers, "x-goog-generation"),
            Scheme::S3 | Scheme::Az => s3::version(headers),
            Scheme::Https | Scheme::Http | Scheme::File => None,
        }
    }

    /// Checks that an answer has bytes of this very object.
    pub(crate) fn check_same(&self, object: &Object, headers: &HeaderMap) -> Result<(), Cause> {
        if self.scheme == Scheme::Gs
            && let (Some(version), Some(now)) =
                (object.version.as_deref(), text(headers, "x-goog-generation"))
        {
            return if version == now { Ok(()) } else { Err(Cause::IgnoresConditions) };
        }
        match (object.etag.as_deref(), text(headers, "etag")) {
            (Some(was), Some(now)) if same_etag(was, now) => Ok(()),
            (Some(_), Some(_)) => Err(Cause::IgnoresConditions),
            (Some(_), None) if self.scheme == Scheme::Gs => Ok(()),
            (_, None) if self.scheme.has_buckets() && looks_like_a_page(headers, "") => {
                Err(Cause::NotAStore("HTML".into()))
            }
            (Some(_), None) => Err(Cause::NotAStore("no ETag".into())),
            (None, _) => web::check_same(object, headers),
        }
    }
}

fn provider(location: &Location, base: String, (signer, origin): (Signer, Origin)) -> Provider {
    let base = RwLock::new(base.trim_end_matches('/').to_owned());
    Provider {
        scheme: location.scheme(),
        bucket: location.bucket().to_owned(),
        base,
        signer,
        origin,
        may_move: false,
    }
}

/// Compares ETags: some stores write quotes, others don't.
fn same_etag(one: &str, other: &str) -> bool {
    let bare = |etag: &str| etag.trim_start_matches("W/").trim_matches('"').to_owned();
    bare(one) == bare(other)
}

/// Returns whether an answer is a web page, as a proxy or a portal sends in place of the store's answer.
pub(crate) fn looks_like_a_page(headers: &HeaderMap, body: &str) -> bool {
    let html = text(headers, "content-type").is_some_and(|kind| kind.starts_with("text/html"));
    let start = body.trim_start().get(..14).unwrap_or_default().to_ascii_lowercase();
    html || start.starts_with("<!doctype html") || start.starts_with("<html")
}

fn checked(endpoint: &str) -> Result<&str, Cause> {
    match access::check_endpoint(endpoint) {
        Ok(()) => Ok(endpoint.trim_end_matches('/')),
        Err(error) => Err(Cause::Unsupported(format!("the endpoint {error}").into())),
    }
}

fn of_s3(location: &Location, access: &Access) -> Result<Provider, Cause> {
    let settings = AwsSettings::find(&access.environment)?;
    let may_move = access.region.is_none();
    let region = access.region.as_deref().or_else(|| settings.region()).unwrap_or("us-east-1");
    let signer = credentials::aws(access, &settings, region)?;
    let endpoint = access.endpoint.as_deref().or_else(|| settings.endpoint("s3"));
    let bucket = location.bucket();
    let base = match endpoint {
        Some(endpoint) => format!("{}/{bucket}", checked(endpoint)?),
        None => s3::base(bucket, region),
    };
    Ok(Provider { may_move: may_move && endpoint.is_none(), ..provider(location, base, signer) })
}

fn of_google(location: &Location, access: &Access) -> Result<Provider, Cause> {
    let signer = credentials::google(access, location)?;
    let emulator = access.environment.get("STORAGE_EMULATOR_HOST");
    let emulator =
        emulator.map(|host| if host.contains("://") { host.to_owned() } else { format!("http://{host}") });
    let endpoint = access.endpoint.clone().or(emulator);
    let endpoint = endpoint.unwrap_or_else(|| gcs::ENDPOINT.to_owned());
    Ok(provider(location, checked(&endpoint)?.to_owned(), signer))
}

fn of_azure(location: &Location, access: &Access) -> Result<Provider, Cause> {
    let account = Account::find(&access.environment);
    let none = || Cause::NoCredentials("no account is named: set AZURE_STORAGE_ACCOUNT".into());
    let name = account.name.clone().ok_or_else(none)?;
    let signer = credentials::azure(access, location, &account, &name)?;
    let endpoint = access.endpoint.clone().or_else(|| account.endpoint.clone());
    let service = match endpoint {
        Some(endpoint) => azure::service(checked(&endpoint)?, &name),
        None => format!("https://{name}.blob.core.windows.net"),
    };
    Ok(provider(location, format!("{service}/{}", location.bucket()), signer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Environment, RequestKind};

    fn found(location: &str, endpoint: Option<&str>, variables: &[(&str, &str)]) -> Provider {
        let access = Access {
            endpoint: endpoint.map(str::to_owned),
            anonymous: true,
            environment: Environment::from_variables(variables.iter().copied()),
            ..Access::default()
        };
        Provider::find(&Location::parse(location.as_bytes()).unwrap().unwrap(), &access).unwrap()
    }

    fn address(provider: &Provider, key: &[u8]) -> Result<String, Cause> {
        provider.address(&Request::of_object(RequestKind::Get, Method::GET, key))
    }

    #[test]
    fn objects_have_the_addresses_that_their_provider_gives_them() {
        let key = b"a//b c".as_slice();
        let of = |location, endpoint, variables: &[_]| {
            address(&found(location, endpoint, variables), key).unwrap()
        };
        assert_eq!(of("s3://bucket", None, &[]), "https://bucket.s3.us-east-1.amazonaws.com/a//b%20c");
        assert_eq!(
            of("s3://dots.in.it", None, &[]),
            "https://s3.us-east-1.amazonaws.com/dots.in.it/a//b%20c"
        );
        assert_eq!(of("s3://b", Some("http://h:1/"), &[]), "http://h:1/b/a//b%20c");
        assert_eq!(of("s3://b", None, &[("AWS_ENDPOINT_URL", "http://e")]), "http://e/b/a//b%20c");
        assert_eq!(of("gs://b", None, &[]), "https://storage.googleapis.com/storage/v1/b/b/o/a%2F%2Fb%20c");
        let azure = [("AZURE_STORAGE_ACCOUNT", "acc")];
        assert_eq!(of("az://c", None, &azure), "https://acc.blob.core.windows.net/c/a//b%20c");
        assert_eq!(of("az://c", Some("http://127.0.0.1:1"), &azure), "http://127.0.0.1:1/acc/c/a//b%20c");
        assert_eq!(of("az://c", Some("http://127.0.0.1:1/acc"), &azure), "http://127.0.0.1:1/acc/c/a//b%20c");
    }

    #[test]
    fn keys_that_clients_would_resolve_are_read_on_a_condition_alone() {
        let provider = found("s3://b", None, &[]);
        for key in ["a/../b", "..", "./a"] {
            assert_eq!(address(&provider, key.as_bytes()), Err(Cause::DotSegment), "{key}");
        }
        let read = |key: &[u8]| {
            let request = Request::of_object(RequestKind::Get, Method::GET, key).header("if-match", "\"e\"");
            provider.address(&request)
        };
        assert_eq!(read(b"a/../b c").unwrap(), "https://b.s3.us-east-1.amazonaws.com/a%2F..%2Fb%20c");
        assert_eq!(read(b".."), Err(Cause::DotSegment));
        assert!(address(&found("gs://b", None, &[]), b"a/../b").is_ok());
    }

    #[test]
    fn etags_are_the_same_with_and_without_quotes() {
        assert!(same_etag("\"ab\"", "ab"));
        assert!(!same_etag("\"ab\"", "\"ab-2\""));
    }

    #[test]
    fn only_the_own_service_of_the_provider_is_asked_in_another_region() {
        let provider = found("s3://b", None, &[]);
        assert!(provider.move_to("eu-west-1"));
        assert_eq!(address(&provider, b"k").unwrap(), "https://b.s3.eu-west-1.amazonaws.com/k");
        assert!(!provider.move_to("eu-west-1"), "nothing new");
        assert!(!provider.move_to("evil.example/#"), "no region");
        assert!(!found("s3://b", Some("http://h"), &[]).move_to("eu-west-1"));
    }

    #[test]
    fn azure_needs_an_account() {
        let access =
            Access { environment: Environment::from_variables([]), anonymous: true, ..Access::default() };
        let location = Location::parse(b"az://c").unwrap().unwrap();
        assert!(matches!(Provider::find(&location, &access), Err(Cause::NoCredentials(_))));
    }
}
