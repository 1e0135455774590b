//! Resources that an operation may use.

use crate::error::Error;
use crate::misfit::{Misfit, NotOfImages};
use crate::stores::Stores;
use crate::system;
use crate::wanted::cached;
use hashmill_digest::{Algorithm, Key};
use hashmill_engine::{Cancel, Order, Plan, Prefetch};
use hashmill_output::RunFiles;
use hashmill_source::{Io, Rate, Reading, WalkOptions};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// Default limit of file data in memory, in bytes.
const MEMORY: usize = 256 << 20;

/// Threads, memory, settings of reading, and the unfinished files.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Number of threads that hash; by default one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Limit of file data in memory, in bytes, for all threads together.
    pub memory: usize,
    /// Number of threads that only read.
    pub prefetch: Prefetch,
    /// Use of the page cache.
    pub io: Io,
    /// Longest time that opening a file or one read of it may take.
    pub timeout: Option<Duration>,
    /// Whether files whose content a cloud has are read, which downloads it.
    pub hydrate: bool,
    /// Limit of bytes that are read per second, for all threads together.
    pub rate: Option<NonZeroU64>,
    /// Whether disk and cores are left to other processes while they want them.
    pub nice: bool,
    /// Whether files are counted in parallel to the run, for a progress display.
    pub counts: bool,
    /// The unfinished files of the run, and the receiver of warnings about files.
    pub files: RunFiles,
    /// The access to object stores.
    pub stores: Stores,
    /// The key of keyed digests that a list or the options name.
    pub key: Option<Key>,
}

/// Returns the number of cores that this process may use. It takes a dozen system calls to find out, so it is done
/// once.
pub fn cores() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

impl Default for Resources {
    fn default() -> Resources {
        Resources {
            threads: None,
            memory: MEMORY,
            prefetch: Prefetch::Auto,
            io: Io::Auto,
            timeout: None,
            hydrate: false,
            rate: None,
            nice: false,
            counts: false,
            files: RunFiles::default(),
            stores: Stores::default(),
            key: None,
        }
    }
}

impl Resources {
    /// Returns the number of threads that hash.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(cores)
    }

    /// Returns a plan for whole files, in the order of the walk.
    ///
    /// # Errors
    /// If the memory is too little for the threads, or an algorithm lacks its key.
    pub fn plan(&self, algorithms: Vec<&'static Algorithm>) -> Result<Plan, Misfit> {
        let algorithms = self.with_key(algorithms)?;
        let threads = self.threads();
        let least = Plan::least_memory(threads.get());
        if self.memory < least {
            return Err(Misfit::Memory { bytes: self.memory, threads: threads.get(), least });
        }
        Ok(Plan {
            algorithms,
            likeness: Vec::new(),
            facts: Default::default(),
            scanning: None,
            pronom: None,
            leaves: false,
            piece: None,
            whole: true,
            threads,
            memory: self.memory,
            prefetch: self.prefetch,
            reading: self.reading(),
            order: Order::Walk,
            saving: None,
            tap: None,
            cancel: Cancel::default(),
        })
    }

    /// Returns these algorithms, with the key in those that need it.
    ///
    /// # Errors
    /// If one lacks its key.
    pub fn with_key(
        &self,
        mut algorithms: Vec<&'static Algorithm>,
    ) -> Result<Vec<&'static Algorithm>, Misfit> {
        algorithms.iter_mut().try_for_each(|algorithm| self.give_key(algorithm))?;
        Ok(algorithms)
    }

    /// Replaces an algorithm that lacks its key by the one with the key.
    ///
    /// # Errors
    /// If the key was not given.
    pub fn give_key(&self, algorithm: &mut &'static Algorithm) -> Result<(), Misfit> {
        if algorithm.lacks_key {
            let keyed = self.key.as_ref().and_then(|key| key.algorithm(algorithm));
            *algorithm = keyed.ok_or(Misfit::Key(algorithm.name))?;
        }
        Ok(())
    }

    /// Returns these for a run beside which something is read that is inside of files, if that is so: half of the memory
    /// is for that.
    pub fn beside(&self, inside: bool) -> Resources {
        let taken = if inside { cached(self.memory) } else { 0 };
        Resources { memory: self.memory - taken, ..self.clone() }
    }

    /// Checks that images can be read as their media with these settings, which are made for files.
    ///
    /// # Errors
    /// [`Misfit::Images`] with the setting that images don't have.
    pub fn fits_images(&self) -> Result<(), Misfit> {
        let wrong = match self {
            Resources { io: Io::Direct, .. } => NotOfImages::Direct,
            Resources { timeout: Some(_), .. } => NotOfImages::Timeout,
            Resources { rate: Some(_), .. } => NotOfImages::Rate,
            _ => return Ok(()),
        };
        Err(Misfit::Images(wrong))
    }

    /// Gives this thread and all that it starts a low priority, if that was requested.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn give_way(&self) -> Result<(), Error> {
        if self.nice { system::give_way().map_err(Error::Priority) } else { Ok(()) }
    }

    /// Returns the options of a walk with these means.
    pub fn walk(&self) -> WalkOptions {
        WalkOptions { timeout: self.timeout, hydrate: self.hydrate, ..WalkOptions::default() }
    }

    fn reading(&self) -> Reading {
        Reading {
            io: self.io,
            timeout: self.timeout,
            hydrate: self.hydrate,
            rate: self.rate.map(|rate| Arc::new(Rate::new(rate))),
            ..Reading::default()
        }
    }
}
