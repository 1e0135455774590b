//! Acquires a device or file into an image: one read for all digests and the image, verified by reading it back.
//!
//! The files of the image get their names once all of them are on the medium and were verified, the first file last:
//! where it has its name, the image is whole.

mod event;
mod ground;
mod reread;
mod segments;
mod tap;

pub use event::{AcquireEvent, AcquireResult, AcquiredImage, Reread};

use crate::algorithms::Algorithms;
use crate::error::Error;
use hashmill_content::output::{OutputPath, WriteError, directory, sweep_all};
use hashmill_content::resources::Resources;
use hashmill_digest::{Algorithm, Digest, find};
use hashmill_engine::flow::Flow;
use hashmill_engine::{self as engine, Cancel, EngineEvent, EntryResult, Live, Plan, Tap, Trouble};
use hashmill_image::{
    self as image, Acquisition, Compression, ImageForm, ImageSettings, ImageWriter, MediaEnd, WrittenImage,
};
use hashmill_manifest::Record;
use hashmill_source::{BadBlocks, Entry, Reading, WalkItem};
use segments::Segments;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tap::ImageTap;

/// The digests of every image: two that it stores, and one that is strong.
const DIGESTS: [&str; 3] = ["md5", "sha1", "sha256"];

/// The settings of an acquisition.
#[derive(Debug, Clone)]
pub struct AcquireJob {
    /// The device or file.
    pub source: PathBuf,
    /// The first file of the image. Its name implies the form.
    pub to: OutputPath,
    /// The most bytes of a file of the image; without it, there is one.
    pub segment_size: Option<u64>,
    /// The compression of E01.
    pub compression: Compression,
    /// The treatment of parts that can't be read: fail, or zeros in their place.
    pub bad_blocks: BadBlocks,
    /// The facts of the image's headers.
    pub facts: Acquisition,
    /// Digests to compute in addition to MD5, SHA-1 and SHA-256.
    pub algorithms: Algorithms,
    /// Threads and memory to use.
    pub resources: Resources,
    /// Ends the job soon after it is set.
    pub cancel: Cancel,
}

/// Receives events.
pub type AcquireObserver<'a> = dyn FnMut(AcquireEvent<'_>) -> Flow + 'a;

impl AcquireJob {
    /// Reads the source once, writes the image, and verifies it.
    ///
    /// # Errors
    /// If settings contradict each other, the source can't be opened, or the image can't be written.
    pub fn run(&self, observer: &mut AcquireObserver<'_>) -> Result<AcquireResult, Error> {
        let form = ground::form(&self.to)?;
        let plan = self.plan()?;
        let (source, size, is_physical) = match ground::source(&self.source, &plan.reading)? {
            Ok(source) => source,
            Err(error) => return Ok(AcquireResult::Unread(Box::new(error))),
        };
        let settings = ImageSettings {
            form,
            size,
            is_physical,
            acquisition: self.facts.clone(),
            compression: self.compression,
            segment_size: self.segment_size,
        };
        let old = ground::check_output(&self.to, &self.source, &settings)?;
        // A killed run may have left more segments than this one makes.
        sweep_all(directory(&self.to.path), &self.to.files);
        let segments = Segments::new(self.to.clone());
        let done = self.acquire(&settings, source, plan, &segments, observer);
        match done {
            Ok(AcquireResult::Whole(acquired)) => {
                segments.give_names(&old)?;
                Ok(AcquireResult::Whole(acquired))
            }
            other => {
                segments.discard();
                other
            }
        }
    }

    /// Writes and verifies the image. Its files have no names yet.
    fn acquire(
        &self,
        settings: &ImageSettings,
        source: Entry,
        plan: Plan,
        segments: &Segments,
        observer: &mut AcquireObserver<'_>,
    ) -> Result<AcquireResult, Error> {
        let writer = ImageWriter::new(settings, Box::new(segments.clone()), self.means());
        let tap = ImageTap::new(writer.map_err(thread)?, self.cancel.clone());
        let live = Arc::<Live>::default();
        live.expect([settings.size].into_iter());
        if observer(AcquireEvent::Reading(&live)).is_break() {
            self.cancel.set();
        }
        let read = read(&Plan { tap: Some(Arc::new(tap.clone()) as Arc<dyn Tap>), ..plan }, source, &live);
        let writer = tap.take();
        let record = match read {
            _ if tap.has_failed() => {
                // Finishing it returns the error of writing.
                let end = MediaEnd { md5: Digest::new(&[]), sha1: Digest::new(&[]), unreadable: Vec::new() };
                let written = writer.map(|writer| writer.finish(&end));
                return Err(segments.error(written.and_then(Result::err)).into());
            }
            Some(EntryResult { trouble: Some(Trouble::Failed(error)), .. }) => {
                return Ok(AcquireResult::Unread(Box::new(error)));
            }
            Some(EntryResult { record, trouble: None, .. }) if !self.cancel.is_set() => record,
            _ => return Ok(AcquireResult::Interrupted),
        };
        let (Some(writer), Some(end)) = (writer, media_end(&record)) else {
            return Ok(AcquireResult::Interrupted);
        };
        let written = writer.finish(&end).map_err(|error| segments.error(Some(error)))?;
        segments.sync()?;
        self.verify(settings, &record, end.unreadable, written, segments, observer)
    }

    fn verify(
        &self,
        settings: &ImageSettings,
        record: &Record,
        unreadable: Vec<Range<u64>>,
        written: WrittenImage,
        segments: &Segments,
        observer: &mut AcquireObserver<'_>,
    ) -> Result<AcquireResult, Error> {
        let live = Arc::<Live>::default();
        live.files_met.store(1, Relaxed);
        live.bytes_met.store(settings.size, Relaxed);
        live.walked.store(true, Relaxed);
        if observer(AcquireEvent::Verifying(&live)).is_break() {
            self.cancel.set();
        }
        let progress = |done: u64| {
            live.bytes_done.store(done, Relaxed);
            if self.cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = image::Options { means: self.means(), algorithms: own() };
        let Some(reread) = reread::read_back(segments, settings, record, &options, &progress)? else {
            return Ok(AcquireResult::Interrupted);
        };
        let acquired = AcquiredImage {
            settings: settings.clone(),
            digests: record.digests.clone(),
            unreadable,
            written,
            reread,
        };
        Ok(match acquired.reread.is_same {
            true => AcquireResult::Whole(Box::new(acquired)),
            false => AcquireResult::Differs(Box::new(acquired)),
        })
    }

    /// Returns the plan of reading the source. Half of the memory is for the image.
    fn plan(&self) -> Result<Plan, Error> {
        let mut algorithms = own();
        let more = self.algorithms.digests.iter().filter(|algorithm| !DIGESTS.contains(&algorithm.name));
        algorithms.extend(more);
        let resources = self.resources.beside(true);
        let plan = resources.plan(algorithms)?;
        let reading = Reading { bad_blocks: self.bad_blocks, ..plan.reading };
        Ok(Plan { reading, cancel: self.cancel.clone(), ..plan })
    }

    /// Returns the resources of writing and verifying the image.
    fn means(&self) -> image::Resources {
        let memory = self.resources.memory - self.resources.beside(true).memory;
        image::Resources { threads: self.resources.threads().get(), memory: memory as u64 }
    }
}

impl AcquiredImage {
    /// Returns the form of the image.
    pub fn form(&self) -> ImageForm {
        self.settings.form
    }
}

/// Returns the algorithms of the digests of every image.
fn own() -> Vec<&'static Algorithm> {
    DIGESTS.iter().map(|name| find(name).expect("the algorithm is in the registry")).collect()
}

/// Reads the source. Returns its result, unless the run was cancelled.
fn read(plan: &Plan, source: Entry, live: &Arc<Live>) -> Option<EntryResult> {
    let mut result = None;
    engine::run(plan, std::iter::once(WalkItem::File(source)), live, &mut |event| {
        if let EngineEvent::Done(done) = event {
            result = Some(done);
        }
        ControlFlow::Continue(())
    });
    result
}

/// Returns what a record says at the end of an image.
fn media_end(record: &Record) -> Option<MediaEnd> {
    let digest = |name| {
        let named = record.digests.iter().find(|named| named.algorithm.name == name);
        named.map(|named| named.digest)
    };
    let unreadable = record.bad_blocks.iter().map(|bad| bad.offset..bad.offset + bad.length).collect();
    Some(MediaEnd { md5: digest("md5")?, sha1: digest("sha1")?, unreadable })
}

fn thread(source: io::Error) -> Error {
    Error::Thread { what: "that writes the image", source }
}

impl Segments {
    /// Makes an error of writing; if the reason is not known, it is that a thread ended.
    fn error(&self, error: Option<io::Error>) -> WriteError {
        self.failure(error.unwrap_or_else(|| io::Error::other("writing ended early")))
    }
}
