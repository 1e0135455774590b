//! An object that its server sends only as a whole: one answer, read as it arrives. Bytes that nobody reads yet wait in
//! the connection.

use super::reading::Reading;
use crate::Cause;
use crate::client::retry::Attempts;
use crate::client::runtime::runtime;
use crate::client::{Arrived, Client};
use crate::read::{check, ended_early};
use crate::request::refusal::Refusal;
use bytes::{Buf, Bytes};
use parking_lot::Mutex;
use std::fmt;

/// The answer that is being read, if there is one. It is read in order; a read at an earlier offset begins a new one.
#[derive(Debug, Default)]
pub(crate) struct Whole(Mutex<Option<Stream>>);

struct Stream {
    arrived: Arrived,
    /// Bytes that arrived and were not read, and their offset.
    left: Bytes,
    at: u64,
    ended: bool,
}

impl Whole {
    /// Reads at an offset, as much as there is; waits for the first byte. None only at the end.
    pub(crate) fn read_at(
        &self,
        client: &Client,
        reading: &Reading,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<usize, (u64, Cause)> {
        let mut stream = self.0.lock();
        runtime().block_on(async {
            let mut attempts = Attempts::default();
            loop {
                match next(&mut stream, client, reading, offset).await {
                    Ok(from) => {
                        let read = from.left.len().min(buffer.len());
                        from.left.copy_to_slice(&mut buffer[..read]);
                        from.at += read as u64;
                        return Ok(read);
                    }
                    Err(refusal) => {
                        *stream = None;
                        client.pause(refusal, &mut attempts).await.map_err(|cause| (offset, cause))?;
                    }
                }
            }
        })
    }
}

/// Returns an answer with bytes from this offset on; at the end without any.
async fn next<'s>(
    stream: &'s mut Option<Stream>,
    client: &Client,
    reading: &Reading,
    offset: u64,
) -> Result<&'s mut Stream, Refusal> {
    let from = match stream.take().filter(|from| from.at <= offset) {
        Some(from) => from,
        None => begin(client, reading).await?,
    };
    let from = stream.insert(from);
    loop {
        let passed = from.left.len().min(usize::try_from(offset - from.at).unwrap_or(usize::MAX));
        from.left.advance(passed);
        from.at += passed as u64;
        if !from.left.is_empty() || from.ended {
            return Ok(from);
        }
        match from.arrived.next().await? {
            Some(bytes) => {
                client.received(bytes.len()).await;
                from.left = bytes;
                check_end(reading, from.at + from.left.len() as u64, false)?;
            }
            None => {
                check_end(reading, from.at, true)?;
                from.ended = true;
            }
        }
    }
}

async fn begin(client: &Client, reading: &Reading) -> Result<Stream, Refusal> {
    let request = client.provider.get(&reading.object, None);
    let arrived = client.begin(&request, &mut Attempts::default()).await?;
    check(client, reading, 0..reading.object.size, &arrived)?;
    Ok(Stream { arrived, left: Bytes::new(), at: 0, ended: false })
}

/// Checks that as many bytes arrived as the object has, where its size is known.
fn check_end(reading: &Reading, at: u64, ended: bool) -> Result<(), Refusal> {
    let size = reading.object.size;
    match reading.object.delivery.has_size() {
        true if at > size => Err(Cause::Changed.into()),
        true if ended && at < size => Err(ended_early()),
        _ => Ok(()),
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("at", &self.at).finish_non_exhaustive()
    }
}
