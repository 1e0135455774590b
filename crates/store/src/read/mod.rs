//! Reading an object that must not change. After a cut connection, reading resumes at the next byte.

pub(crate) mod budget;
pub(crate) mod opened;
pub(crate) mod part;
pub(crate) mod prefetch;
pub(crate) mod reading;
pub(crate) mod route;
pub(crate) mod whole;

use crate::client::retry::Attempts;
use crate::client::{Arrived, Client, LEAST_PROGRESS};
use crate::request::refusal::Refusal;
use crate::request::text;
use crate::{Cause, Object};
use http::HeaderMap;
use reading::Reading;
use std::io::ErrorKind;
use std::ops::Range;

/// Reads a range, and passes its bytes on as they come, in order, until the receiver says to stop.
///
/// # Errors
/// The byte at which it failed, and the cause.
pub(crate) async fn read(
    client: &Client,
    reading: &Reading,
    range: Range<u64>,
    take: &mut (dyn FnMut(&[u8]) -> bool + Send),
) -> Result<(), (u64, Cause)> {
    let object = &reading.object;
    let mut attempts = Attempts::default();
    let mut at = range.start;
    loop {
        let whole = at == 0 && range.end == object.size;
        let asked = (!whole).then_some((at, range.end));
        let request = client.provider.get(object, asked);
        let arrived = client.begin(&request, &mut attempts).await;
        let mut arrived = arrived.map_err(|cause| (at, cause))?;
        check(client, reading, at..range.end, &arrived).map_err(|cause| (at, cause))?;
        let before = at;
        let end = flow(client, &mut arrived, &mut at, range.end, take).await;
        drop(arrived);
        // A few bytes are no progress: else one that drips would be asked for ever.
        if at - before >= LEAST_PROGRESS || end.is_ok() {
            client.worked(&mut attempts);
        }
        match end {
            Ok(()) => return Ok(()),
            Err(refusal) => client.pause(refusal, &mut attempts).await.map_err(|cause| (at, cause))?,
        }
    }
}

/// Passes bytes on as they arrive.
async fn flow(
    client: &Client,
    arrived: &mut Arrived,
    at: &mut u64,
    end: u64,
    take: &mut (dyn FnMut(&[u8]) -> bool + Send),
) -> Result<(), Refusal> {
    while let Some(bytes) = arrived.next().await? {
        if bytes.len() as u64 > end - *at {
            return Err(Cause::IgnoresRanges.into());
        }
        client.received(bytes.len()).await;
        *at += bytes.len() as u64;
        if !take(&bytes) {
            return Ok(());
        }
    }
    if *at == end {
        return Ok(());
    }
    Err(ended_early())
}

/// Returns the refusal of an answer that ends too early.
pub(crate) fn ended_early() -> Refusal {
    let cause = Cause::Connection(ErrorKind::ConnectionReset, "it ended before all bytes were there".into());
    Refusal { cause, passes: true, pause: None }
}

/// Checks that an answer has exactly the bytes that were requested, of exactly this object.
pub(crate) fn check(
    client: &Client,
    reading: &Reading,
    range: Range<u64>,
    arrived: &Arrived,
) -> Result<(), Cause> {
    let object = &reading.object;
    client.provider.check_same(object, &arrived.headers)?;
    reading.note(client.provider.version(&arrived.headers))?;
    match arrived.status {
        206 => check_part(object, range, &arrived.headers),
        _ if range == (0..object.size) => {
            let length =
                text(&arrived.headers, "content-length").and_then(|length| length.parse::<u64>().ok());
            let fits = length.is_none_or(|length| length == object.size || !object.delivery.has_size());
            if fits { Ok(()) } else { Err(Cause::Changed) }
        }
        _ => Err(Cause::IgnoresRanges),
    }
}

fn check_part(object: &Object, range: Range<u64>, headers: &HeaderMap) -> Result<(), Cause> {
    let sent = text(headers, "content-range").and_then(content_range).ok_or(Cause::IgnoresRanges)?;
    if sent.1.is_some_and(|size| size != object.size) {
        return Err(Cause::Changed);
    }
    // Fewer bytes than requested are allowed; then the rest is requested.
    let fits = sent.0.start == range.start && sent.0.end <= range.end && !sent.0.is_empty();
    if fits { Ok(()) } else { Err(Cause::IgnoresRanges) }
}

/// Reads `bytes 0-9/100`: the range, and the total size if it is known.
fn content_range(text: &str) -> Option<(Range<u64>, Option<u64>)> {
    let (range, size) = text.trim().strip_prefix("bytes")?.trim().split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let end = last.trim().parse::<u64>().ok()?.checked_add(1)?;
    Some((first.trim().parse().ok()?..end, size.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(range: Range<u64>, said: &str) -> Result<(), Cause> {
        let mut headers = HeaderMap::new();
        headers.insert("content-range", said.parse().unwrap());
        check_part(&Object { size: 100, ..Object::default() }, range, &headers)
    }

    #[test]
    fn only_the_bytes_that_were_asked_for_pass() {
        assert_eq!(part(10..20, "bytes 10-19/100"), Ok(()));
        assert_eq!(part(10..20, "bytes 10-14/*"), Ok(()));
        for said in
            ["bytes 0-19/100", "bytes 10-99/100", "bytes 11-19/100", "bytes 10-9/100", "10-19/100", "bytes x"]
        {
            assert_eq!(part(10..20, said), Err(Cause::IgnoresRanges), "{said}");
        }
        assert_eq!(part(10..20, "bytes 10-19/101"), Err(Cause::Changed));
        assert_eq!(part(0..1, "bytes 0-18446744073709551615/100"), Err(Cause::IgnoresRanges));
    }
}
