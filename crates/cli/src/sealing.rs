//! `hash --seal`: the manifest is sealed while it is written, on a thread of its own.
//!
//! That thread reads what is written as anybody will read it later. So the seal is that of the file, whatever the
//! format leaves out, and only what lies between the two threads is in memory.

use crate::cmd::seal;
use crate::output::Output;
use anyhow::{Context, anyhow};
use hashloom_seal::{Error, Seal, SealOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

/// Parts of the manifest between the two threads.
const AHEAD: usize = 16;

/// A manifest that is being sealed.
pub struct Sealing(JoinHandle<Result<Seal, Error>>);

impl Sealing {
    /// Starts before the first byte is written.
    ///
    /// # Errors
    /// If there can be no more threads.
    pub fn start(output: &Output) -> anyhow::Result<Sealing> {
        let (tap, parts) = sync_channel(AHEAD);
        let written = Written { parts, part: Vec::new(), used: 0 };
        let sealing = thread::Builder::new().name("seal".into());
        let sealing = sealing.spawn(move || hashloom_seal::seal(Box::new(written), &SealOptions::default()));
        let sealing = sealing.context("--seal: no thread for it")?;
        output.tap(tap);
        Ok(Sealing(sealing))
    }

    /// Writes the seal beside the manifest, which must be whole.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(self, manifest: &Path) -> anyhow::Result<()> {
        let seal = self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let seal = seal.map_err(|error| anyhow!("{}: cannot be sealed: {error}", manifest.display()))?;
        let place = seal::beside(manifest, "seal");
        seal::write(Output::replacing(&place)?, &seal)?;
        seal::say_root(&place, &seal)
    }
}

/// What was written, to be read.
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
