//! Sending requests: address, signature, the limit on concurrent requests, retries and counters.

pub(crate) mod pace;
pub(crate) mod redirect;
pub(crate) mod retry;
pub(crate) mod runtime;

use crate::access::certificates;
use crate::access::certificates::Certificates;
use crate::provider::Provider;
use crate::request::refusal::{Refusal, refusal};
use crate::{Access, Cause, Counts, Object, Request, RequestKind, Response, Scheme};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, Method};
use object_store::client::{HttpClient, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody};
use pace::Pace;
use parking_lot::Mutex;
use redirect::Refused;
use retry::{Attempts, Next, Tokens, jittered};
use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The time limit for establishing a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Bytes a second at which the slowest connection that is supported sends a request.
const SLOWEST: u64 = 16 << 10;

/// The fewest bytes of a body that have to arrive in the time after which a silent server is given up: one that sends a
/// byte now and then would otherwise hold a run for ever.
pub(crate) const LEAST_PROGRESS: u64 = 30 << 10;

/// The most bytes of a body that are kept as a whole: a page of a listing has less.
const BODY: usize = 64 << 20;

/// The most bytes that are read of an error response.
const REFUSAL: usize = 64 << 10;

/// A client that sends requests to one bucket or web server.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) http: HttpClient,
    pub(crate) provider: Provider,
    tokens: Tokens,
    places: Arc<Semaphore>,
    /// The requests and bytes so far.
    pub(crate) counts: Mutex<Counts>,
    pace: Option<Pace>,
    silence: Duration,
    /// Whether all of a body ever arrived. Until then, a silent server is not asked again.
    worked: Arc<AtomicBool>,
    /// Whether there ever was an answer. Until then, a store that can't be reached is not retried.
    answered: AtomicBool,
}

/// A successful answer. It counts as a running request until its body is read or dropped.
pub(crate) struct Arrived {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: BoxStream<'static, Result<Bytes, HttpError>>,
    patience: Patience,
    _place: OwnedSemaphorePermit,
}

/// The time that a server has for the next bytes of a body. Time in which nobody waits for them doesn't count.
struct Patience {
    silence: Duration,
    waited: Duration,
    /// The bytes that arrived in the time waited.
    bytes: u64,
    /// Whether the server is asked again.
    passes: Arc<AtomicBool>,
}

impl From<Cause> for Refusal {
    /// Makes a refusal that a retry can't help.
    fn from(cause: Cause) -> Refusal {
        Refusal { cause, passes: false, pause: None }
    }
}

impl Client {
    /// Makes a client of a provider, with the limits of an access.
    pub(crate) fn new(provider: Provider, access: &Access) -> Result<Client, Cause> {
        let http = HttpClient::new(http(&provider, access)?);
        let places = Arc::new(Semaphore::new(access.requests.get().min(Semaphore::MAX_PERMITS)));
        let pace = access.bandwidth.map(Pace::new);
        let (tokens, counts) = (Tokens::default(), Mutex::default());
        let (silence, worked) = (access.silence, Arc::default());
        Ok(Client {
            http,
            provider,
            tokens,
            places,
            counts,
            pace,
            silence,
            worked,
            answered: AtomicBool::new(false),
        })
    }

    /// Sends a request, with retries where they may help, until an answer begins.
    pub(crate) async fn begin(&self, request: &Request, attempts: &mut Attempts) -> Result<Arrived, Cause> {
        loop {
            match self.attempt(request).await {
                Ok(arrived) => return Ok(arrived),
                Err(Refusal { cause: Cause::Region(Some(region)), .. }) if self.provider.move_to(&region) => {
                }
                Err(refusal) => self.pause(refusal, attempts).await?,
            }
        }
    }

    /// Waits until an attempt that failed may be repeated.
    pub(crate) async fn pause(&self, refusal: Refusal, attempts: &mut Attempts) -> Result<(), Cause> {
        if !refusal.passes {
            return Err(refusal.cause);
        }
        match attempts.failed(&self.tokens) {
            Next::Pause(most) => {
                self.counts.lock().retries += 1;
                tokio::time::sleep(jittered(most, refusal.pause)).await;
                Ok(())
            }
            Next::TooOften => Err(refusal.cause),
            Next::GiveUp => Err(Cause::GaveUp(Box::new(refusal.cause))),
        }
    }

    /// Records that a request worked.
    pub(crate) fn worked(&self, attempts: &mut Attempts) {
        self.worked.store(true, Ordering::Relaxed);
        attempts.worked(&self.tokens);
    }

    /// Records that a request with this many bytes was sent.
    pub(crate) fn sent(&self, kind: RequestKind, bytes: usize) {
        let mut counts = self.counts.lock();
        counts.requests[kind as usize] += 1;
        counts.sent += bytes as u64;
    }

    /// Records that bytes of a body were received.
    pub(crate) async fn received(&self, bytes: usize) {
        self.counts.lock().received += bytes as u64;
        if let Some(pace) = &self.pace {
            pace.pay(bytes).await;
        }
    }

    /// Sends a request and returns the answer with its whole body.
    pub(crate) async fn whole(&self, request: &Request) -> Result<Response, Cause> {
        let mut attempts = Attempts::default();
        loop {
            let mut arrived = self.begin(request, &mut attempts).await?;
            match arrived.body(BODY).await {
                Ok(body) => {
                    self.received(body.len()).await;
                    self.worked(&mut attempts);
                    return Ok(Response { status: arrived.status, headers: arrived.headers, body });
                }
                Err(refusal) => {
                    drop(arrived);
                    self.pause(refusal, &mut attempts).await?;
                }
            }
        }
    }

    /// Looks up an object, or a version of it.
    pub(crate) async fn look(&self, key: &[u8], version: Option<&str>) -> Result<Object, Cause> {
        let request = self.provider.look(key, version);
        if self.provider.scheme.has_buckets() {
            let answer = match self.whole(&request).await {
                Err(Cause::Denied(word)) if &*word == "403" => return Err(self.why_denied(request).await),
                answer => answer?,
            };
            let looked = self.provider.looked(key, &answer)?;
            return Ok(match version {
                Some(version) => Object { version: Some(version.into()), exact: true, ..looked },
                None => looked,
            });
        }
        let mut attempts = Attempts::default();
        let arrived = match self.begin(&request, &mut attempts).await {
            // An empty file has no first byte.
            Err(Cause::Changed) => {
                let all = Request { headers: Vec::new(), ..request };
                self.begin(&all, &mut attempts).await?
            }
            other => other?,
        };
        // A server without ranges sends the whole file, which is not wanted here.
        let Arrived { status, headers, .. } = arrived;
        self.provider.looked(key, &Response { status, headers, body: Bytes::new() })
    }

    /// Returns why a HEAD was refused: its answer has no body with an error code, that of a GET of one byte has.
    async fn why_denied(&self, head: Request) -> Cause {
        let get =
            Request { method: Method::GET, kind: RequestKind::Get, ..head }.header("range", "bytes=0-0");
        let refused =
            self.whole(&get).await.err().filter(|cause| cause.kind() == ErrorKind::PermissionDenied);
        refused.unwrap_or_else(|| Cause::Denied("403".into()))
    }

    async fn attempt(&self, request: &Request) -> Result<Arrived, Refusal> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| Cause::Unsupported("the store was closed".into()))?;
        let mut signed = self.build(request)?;
        self.provider.signer.sign(&mut signed).await?;
        self.sent(request.kind, request.body.len());
        let limit = self.silence + Duration::from_secs(request.body.len() as u64 / SLOWEST);
        let answer = tokio::time::timeout(limit, self.http.execute(signed)).await;
        let answer = answer.map_err(|_| silent(&self.worked))?.map_err(|error| self.broken(&error))?;
        self.answered.store(true, Ordering::Relaxed);
        let (parts, body) = answer.into_parts();
        let mut arrived = Arrived {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.bytes_stream(),
            patience: Patience::new(self.silence, &self.worked),
            _place: place,
        };
        if parts.status.is_success() {
            return Ok(arrived);
        }
        // An error response whose body can't be read is still an error response.
        let body = arrived.body(REFUSAL).await.unwrap_or_default();
        Err(refusal(request.kind, parts.status, &arrived.headers, &body))
    }

    fn build(&self, request: &Request) -> Result<HttpRequest, Cause> {
        let address = self.provider.address(request)?;
        let mut builder = http::Request::builder().method(request.method.clone()).uri(address);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let built = builder.body(HttpRequestBody::from(request.body.clone()));
        built.map_err(|_| Cause::Unsupported("no address can be made of it".into()))
    }

    fn broken(&self, error: &HttpError) -> Refusal {
        broken(error, self.answered.load(Ordering::Relaxed), &self.worked)
    }
}

impl Arrived {
    /// Returns the next bytes; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let next = self.patience.wait(self.body.next()).await?.transpose();
        let next = next.map_err(|error| broken(&error, true, &self.patience.passes))?;
        self.patience.arrived(next.as_ref().map_or(0, Bytes::len));
        Ok(next)
    }

    /// Reads the whole body.
    async fn body(&mut self, most: usize) -> Result<Bytes, Refusal> {
        let mut body = BytesMut::new();
        while let Some(bytes) = self.next().await? {
            if body.len() + bytes.len() > most {
                return Err(Cause::Malformed("it is too long".into()).into());
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body.freeze())
    }
}

impl Patience {
    fn new(silence: Duration, passes: &Arc<AtomicBool>) -> Patience {
        Patience { silence, waited: Duration::ZERO, bytes: 0, passes: Arc::clone(passes) }
    }

    /// Waits for the next bytes, as long as there is patience.
    async fn wait<T>(&mut self, next: impl Future<Output = T>) -> Result<T, Refusal> {
        let start = Instant::now();
        let done = tokio::time::timeout(self.silence.saturating_sub(self.waited), next).await;
        self.waited += start.elapsed();
        done.map_err(|_| silent(&self.passes))
    }

    /// Notes that bytes arrived.
    fn arrived(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if self.bytes >= LEAST_PROGRESS {
            (self.waited, self.bytes) = (Duration::ZERO, 0);
        }
    }
}

/// Returns the refusal of a server that is silent. It is asked again if it worked before.
fn silent(worked: &AtomicBool) -> Refusal {
    Refusal { cause: Cause::Timeout, passes: worked.load(Ordering::Relaxed), pause: None }
}

/// Makes the client of the HTTP library.
fn http(provider: &Provider, access: &Access) -> Result<reqwest::Client, Cause> {
    let scheme = provider.scheme;
    let redirects = || match scheme {
        // A request that is signed for one host must not be sent to another.
        _ if scheme.has_buckets() => reqwest::redirect::Policy::none(),
        _ => redirect::policy(),
    };
    let is_plain = provider.base().starts_with("http://");
    let certificates = if is_plain { Certificates::Wanted } else { Certificates::Needed };
    let builder = || {
        reqwest::Client::builder()
            .user_agent(concat!("hashmill/", env!("CARGO_PKG_VERSION")))
            .redirect(redirects())
            // The query may contain a signature, which must not be sent to third parties.
            .referer(false)
            .https_only(scheme == Scheme::Https)
            .connect_timeout(CONNECT)
            .read_timeout(access.silence)
            .pool_max_idle_per_host(access.requests.get())
            // Many connections are faster than many streams in one.
            .http1_only()
    };
    certificates::build(builder, &access.environment, certificates)
}

/// Returns why there is no answer, or no more of one.
fn broken(error: &HttpError, answered: bool, worked: &AtomicBool) -> Refusal {
    let mut found = None;
    let mut inner: &(dyn StdError + 'static) = error;
    while let Some(next) = inner.source() {
        inner = next;
        found = found.or_else(|| safety(inner)).or_else(|| sent_away(inner));
        if let Some(error) = inner.downcast_ref::<io::Error>() {
            found = found.or_else(|| within(error));
        }
    }
    let cause = match (found, error.kind()) {
        (Some(cause), _) => cause,
        (None, HttpErrorKind::Timeout) => Cause::Timeout,
        (None, _) => Cause::Connection(ErrorKind::Other, plain(&inner.to_string())),
    };
    let passes = match (&cause, error.kind()) {
        (Cause::Timeout, _) => return silent(worked),
        (Cause::Tls(_) | Cause::Unsupported(_), _) => false,
        (_, HttpErrorKind::Connect | HttpErrorKind::Unknown | HttpErrorKind::Decode) => answered,
        _ => true,
    };
    Refusal { cause, passes, pause: None }
}

/// Finds the cause that is wrapped in an error of the system, at any depth.
fn within(error: &io::Error) -> Option<Cause> {
    let inner = error.get_ref().map(|inner| inner as &(dyn StdError + 'static));
    let found = inner.and_then(|inner| safety(inner).or_else(|| inner.downcast_ref().and_then(within)));
    found.or_else(|| known(error))
}

fn safety(error: &(dyn StdError + 'static)) -> Option<Cause> {
    error.downcast_ref::<rustls::Error>().map(|error| Cause::Tls(plain(&error.to_string())))
}

fn sent_away(error: &(dyn StdError + 'static)) -> Option<Cause> {
    error.downcast_ref::<Refused>().map(|refused| Cause::Unsupported(plain(&refused.to_string())))
}

fn known(error: &io::Error) -> Option<Cause> {
    use ErrorKind as Is;
    let kind = error.kind();
    match kind {
        Is::TimedOut => Some(Cause::Timeout),
        Is::ConnectionRefused
        | Is::ConnectionReset
        | Is::ConnectionAborted
        | Is::BrokenPipe
        | Is::HostUnreachable
        | Is::NetworkUnreachable => Some(Cause::Connection(kind, plain(&error.to_string()))),
        _ => None,
    }
}

/// Turns a message of a library into text that fits within a line.
fn plain(text: &str) -> Box<str> {
    text.chars().filter(|letter| !letter.is_control()).take(160).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RequestKind;

    #[test]
    fn what_was_never_reached_is_not_tried_again() {
        let refused = || {
            let source = io::Error::from(ErrorKind::ConnectionRefused);
            HttpError::new(HttpErrorKind::Connect, source)
        };
        let never = AtomicBool::default();
        assert!(!broken(&refused(), false, &never).passes);
        let later = broken(&refused(), true, &never);
        assert!(later.passes);
        assert!(matches!(later.cause, Cause::Connection(ErrorKind::ConnectionRefused, _)));
    }

    #[test]
    fn certificates_that_are_not_trusted_never_pass() {
        let inner = rustls::Error::General("unknown issuer".into());
        let error = HttpError::new(HttpErrorKind::Connect, io::Error::other(inner));
        let refusal = broken(&error, true, &AtomicBool::new(true));
        assert!(!refusal.passes);
        assert_eq!(refusal.cause, Cause::Tls("unexpected error: unknown issuer".into()));
    }

    #[test]
    fn a_body_that_drips_is_given_up() {
        let drip = futures_util::stream::repeat(Bytes::from_static(b"x")).then(|byte| async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(byte)
        });
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let patience = Patience::new(Duration::from_millis(20), &Arc::new(AtomicBool::new(true)));
        let (status, headers) = (200, HeaderMap::new());
        let mut arrived = Arrived { status, headers, body: drip.boxed(), patience, _place: place };
        let refusal = crate::client::runtime::runtime().block_on(arrived.body(usize::MAX)).unwrap_err();
        assert!(refusal.passes && refusal.cause == Cause::Timeout);
    }

    #[test]
    fn kinds_of_questions_are_told_apart() {
        assert_eq!(RequestKind::ALL.map(RequestKind::name), ["list", "head", "get", "put", "other"]);
    }
}
