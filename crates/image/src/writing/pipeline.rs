//! Threads that pack batches of media bytes, and one that writes them in order.
//!
//! Each batch that is sent holds a place in the order. A full order stops the sender, so memory is bounded.

use super::packing::{Compression, PackedBatch, Packer};
use super::settings::{MediaEnd, WrittenImage};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// A file format that takes packed batches in order.
pub(super) trait ImageSink: Send {
    /// Writes the next batch.
    ///
    /// # Errors
    /// If it can't be written.
    fn take(&mut self, batch: &PackedBatch) -> io::Result<()>;

    /// Writes what follows the media.
    ///
    /// # Errors
    /// If it can't be written.
    fn finish(&mut self, end: &MediaEnd) -> io::Result<WrittenImage>;
}

/// A batch to pack, and the place for the result.
struct PackJob {
    plain: Vec<u8>,
    packed: SyncSender<PackedBatch>,
}

/// Buffers that are used again.
#[derive(Clone, Default)]
struct Spare(Arc<Mutex<Vec<Vec<u8>>>>);

impl Spare {
    fn take(&self) -> Vec<u8> {
        self.0.lock().pop().unwrap_or_default()
    }

    fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.0.lock().push(buffer);
    }
}

/// The sink, with the result of writing.
type Written = (Box<dyn ImageSink>, io::Result<()>);

/// The threads of an image that is written.
pub(super) struct Pipeline {
    queues: Option<(SyncSender<Receiver<PackedBatch>>, SyncSender<PackJob>)>,
    writer: Option<JoinHandle<Written>>,
    packers: Vec<JoinHandle<()>>,
    spare: Spare,
}

impl Pipeline {
    /// Starts the threads. At most `depth` batches wait.
    ///
    /// # Errors
    /// If the system can't start them.
    pub(super) fn start(
        sink: Box<dyn ImageSink>,
        compression: Option<Compression>,
        threads: usize,
        depth: usize,
    ) -> io::Result<Pipeline> {
        let spare = Spare::default();
        let (order, ordered) = sync_channel::<Receiver<PackedBatch>>(depth);
        let (work, jobs) = sync_channel(depth + 1);
        let jobs = Arc::new(Mutex::new(jobs));
        let writer = Builder::new().spawn({
            let spare = spare.clone();
            move || write_in_order(sink, &ordered, &spare)
        })?;
        let mut pipeline =
            Pipeline { queues: Some((order, work)), writer: Some(writer), packers: Vec::new(), spare };
        for _ in 0..if compression.is_some() { threads.max(1) } else { 1 } {
            let (jobs, spare) = (Arc::clone(&jobs), pipeline.spare.clone());
            pipeline.packers.push(Builder::new().spawn(move || pack_jobs(compression, &jobs, &spare))?);
        }
        Ok(pipeline)
    }

    /// Returns an empty buffer.
    pub(super) fn buffer(&self) -> Vec<u8> {
        self.spare.take()
    }

    /// Sends the next batch. Waits until there is room.
    ///
    /// # Errors
    /// If writing has failed; [`Pipeline::close`] returns the reason.
    pub(super) fn send(&mut self, plain: Vec<u8>) -> io::Result<()> {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let (order, work) = self.queues.as_ref().ok_or_else(closed)?;
        let (packed, place) = sync_channel(1);
        order.send(place).map_err(|_| closed())?;
        work.send(PackJob { plain, packed }).map_err(|_| closed())
    }

    /// Waits until all is written. Returns the sink.
    ///
    /// # Errors
    /// If a batch could not be written.
    pub(super) fn close(&mut self) -> io::Result<Box<dyn ImageSink>> {
        self.queues = None;
        let ended = self.packers.drain(..).try_for_each(JoinHandle::join).is_ok();
        let writer = self.writer.take().and_then(|writer| writer.join().ok()).filter(|_| ended);
        let (sink, written) = writer.ok_or_else(|| io::Error::other("a thread of the writer panicked"))?;
        written.map(|()| sink)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // The files are closed when they are removed.
        if self.writer.is_some() {
            let _ = self.close();
        }
    }
}

fn write_in_order(
    mut sink: Box<dyn ImageSink>,
    ordered: &Receiver<Receiver<PackedBatch>>,
    spare: &Spare,
) -> Written {
    while let Ok(place) = ordered.recv() {
        // Without a result, the batch was never sent.
        let Ok(batch) = place.recv() else { break };
        if let Err(error) = sink.take(&batch) {
            return (sink, Err(error));
        }
        spare.give(batch.stored);
    }
    (sink, Ok(()))
}

fn pack_jobs(compression: Option<Compression>, jobs: &Mutex<Receiver<PackJob>>, spare: &Spare) {
    let mut packer = compression.map(Packer::new);
    loop {
        // In a statement of its own: the lock is released before the work.
        let next = jobs.lock().recv();
        let Ok(PackJob { plain, packed }) = next else { return };
        let batch = match &mut packer {
            Some(packer) => {
                let batch = packer.pack(&plain, spare.take());
                spare.give(plain);
                batch
            }
            None => PackedBatch { stored: plain, chunks: Vec::new() },
        };
        // After an error nobody takes it.
        let _ = packed.send(batch);
    }
}
