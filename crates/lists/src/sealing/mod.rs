//! Seals of manifests: [`SealJob`] seals an existing manifest, [`verify`] checks that it is still the same, [`prove`]
//! and [`prove_growth`] make proofs, and [`verify_proof`] returns what they prove. [`Redaction`] hides records,
//! [`Roots`] compares two manifests by their trees. [`outboard`] does for a large file what seals do for a manifest.
//!
//! A manifest may also be sealed while it is written ([`Sealing`]), on another thread. That thread parses the written
//! bytes as any later reader does. So the seal is that of the file, whatever the format leaves out, and only the data
//! between the two threads are in memory. A database is not written as a stream: it is sealed when it is complete,
//! before it gets its name.

mod files;
mod globs;
mod make;
#[cfg(feature = "sign")]
pub mod outboard;
mod prove;
mod proven;
mod redact;
mod roots;
mod verify;

pub use crate::error::SealError;
pub use files::{SEAL, SealedManifest, beside, read_seal, read_secret};
pub use globs::Globs;
pub use make::SealJob;
pub use prove::{prove, prove_growth};
pub use proven::{Proven, Trusted, compare_file, verify_proof};
pub use redact::{Redacted, Redaction};
pub use roots::{Compared, Roots};
pub use verify::{Verified, verify};

use crate::error::Error;
use hashmill_content::output::{Output, OutputKind, OutputPath, RunFiles, WriteError, create_derived};
use hashmill_manifest::format::{Body, Format};
use hashmill_os::names;
use hashmill_seal::{Seal, SealOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Number of blocks of the manifest that wait between the two threads.
const AHEAD: usize = 16;

/// The result of sealing.
type Made = Result<Seal, hashmill_seal::Error>;

/// A manifest that is being sealed.
pub enum Sealing {
    /// It is sealed while it is written, on another thread.
    Beside(JoinHandle<Made>),
    /// It is sealed when it is complete.
    Afterwards,
    /// It was complete, and was sealed.
    Done(Box<Made>),
}

impl Sealing {
    /// Starts sealing, before the first byte is written.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(format: &Format, output: &Output) -> Result<Sealing, Error> {
        if matches!(format.body, Body::Database(_)) {
            return Ok(Sealing::Afterwards);
        }
        let (tap, parts) = sync_channel(AHEAD);
        let written = Written { parts, part: Vec::new(), used: 0 };
        let sealing = thread::Builder::new().name("seal".into());
        let sealing = sealing.spawn(move || hashmill_seal::seal(Box::new(written), &SealOptions::default()));
        let sealing = sealing.map_err(|source| Error::Thread { what: "to seal the manifest", source })?;
        output.tap(tap);
        Ok(Sealing::Beside(sealing))
    }

    /// Seals a manifest that can only be read now: it is complete, and has no name yet.
    pub fn end(&mut self, output: &Output) {
        if !matches!(self, Sealing::Afterwards) {
            return;
        }
        let written = output.reread().and_then(|mut file| file.rewind().map(|()| file));
        let seal = written.map_err(hashmill_seal::Error::Io);
        let made = seal.and_then(|file| hashmill_seal::seal(Box::new(file), &SealOptions::default()));
        *self = Sealing::Done(Box::new(made));
    }

    /// Writes the seal beside the manifest, which must be complete.
    ///
    /// # Errors
    /// If the manifest could not be sealed or the seal can't be written.
    pub fn finish(self, manifest: &Path, files: &RunFiles) -> Result<Sealed, Error> {
        let seal = match self {
            Sealing::Beside(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Sealing::Done(made) => *made,
            Sealing::Afterwards => Err(hashmill_seal::Error::Io(io::Error::other("it was not read"))),
        };
        let path = || names::path_bytes(manifest).into();
        let seal = seal.map_err(|why| Error::Seal { path: path(), why: Box::new(why) })?;
        let place = beside(manifest);
        // The existing file of this name was checked before the manifest was begun.
        write(create_derived(&OutputPath::own(&place, files), OutputKind::Anything)?, &seal)?;
        Ok(Sealed { place, seal })
    }
}

/// A seal that was written.
#[derive(Debug)]
pub struct Sealed {
    /// Path of the seal.
    pub place: PathBuf,
    /// The seal.
    pub seal: Seal,
}

/// Writes a seal.
///
/// # Errors
/// If that fails.
pub fn write(mut output: Output, seal: &Seal) -> Result<(), WriteError> {
    output.write_all(&seal.to_text()).map_err(|error| output.error(error))?;
    output.finish()
}

/// A reader of the written bytes.
struct Written {
    parts: Receiver<Vec<u8>>,
    part: Vec<u8>,
    used: usize,
}

impl Read for Written {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.used == self.part.len() {
            let Ok(part) = self.parts.recv() else { return Ok(0) };
            (self.part, self.used) = (part, 0);
        }
        let read = (&self.part[self.used..]).read(buffer)?;
        self.used += read;
        Ok(read)
    }
}
