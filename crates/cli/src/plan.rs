//! From options to the engine's plan.

use crate::message::{self, count};
use crate::options::resources::{Io, Means};
use crate::system;
use anyhow::{Context, ensure};
use hashloom_digest::Algorithm;
use hashloom_engine::{Cancel, Order, Plan};
use hashloom_source::{Rate, Reading};
use std::sync::Arc;

impl Means {
    /// A plan for whole files, in the order of the walk.
    ///
    /// # Errors
    /// If the memory is too little for the threads.
    pub fn plan(&self, algorithms: Vec<&'static Algorithm>) -> anyhow::Result<Plan> {
        let threads = self.threads();
        let least = Plan::least_memory(threads.get());
        ensure!(
            self.memory() >= least,
            "--memory: {} bytes are too few: {} threads need at least {}K",
            self.memory,
            threads,
            least.div_ceil(1024)
        );
        Ok(Plan {
            algorithms,
            likeness: Vec::new(),
            piece: None,
            whole: true,
            threads,
            memory: self.memory(),
            prefetch: self.prefetch,
            reading: self.reading(),
            order: Order::Walk,
            cancel: Cancel::default(),
        })
    }

    /// Whether images can be read as their media with these settings, which are those of files.
    ///
    /// # Errors
    /// Which can't be had.
    pub fn fits_images(&self) -> anyhow::Result<()> {
        ensure!(self.io != Io::Direct, "images can't be read with --io direct");
        ensure!(self.timeout.is_none(), "images can't be read with --timeout");
        ensure!(self.bwlimit.is_none(), "images can't be read with --bwlimit");
        Ok(())
    }

    fn reading(&self) -> Reading {
        Reading {
            io: self.io.into(),
            timeout: self.timeout,
            rate: self.bwlimit.map(|rate| Arc::new(Rate::new(rate))),
            ..Reading::default()
        }
    }

    /// Makes this thread, and all that it starts, give way to others if that was asked for.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn give_way(&self) -> anyhow::Result<()> {
        if self.nice { system::give_way().context("--nice: the system refuses") } else { Ok(()) }
    }
}

/// Tells which files were not read as asked for.
pub fn tell_notes(reading: &Reading) {
    for note in reading.notes.take() {
        let files = count(note.files, "file", "files");
        message::about(
            &note.path,
            format_args!(
                "--io direct is not possible on its file system: {files} read through the page cache"
            ),
        );
    }
}
