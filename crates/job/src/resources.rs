//! With what resources an operation works.

use crate::error::Error;
use crate::misfit::{Misfit, NotOfImages};
use crate::system;
use hashloom_digest::Algorithm;
use hashloom_engine::{Cancel, Order, Plan, Prefetch};
use hashloom_source::{Io, Rate, Reading};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// Bytes of file data in memory, unless something else is asked for.
const MEMORY: usize = 256 << 20;

/// Threads, memory, and ways to read.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Threads that hash: one for each core, if nothing is said.
    pub threads: Option<NonZeroUsize>,
    /// The most file data in memory, in bytes, all threads together.
    pub memory: usize,
    /// Threads that only read.
    pub prefetch: Prefetch,
    /// What becomes of the page cache.
    pub io: Io,
    /// The longest that opening a file or one read of it may take.
    pub timeout: Option<Duration>,
    /// The most bytes read in a second, all threads together.
    pub rate: Option<NonZeroU64>,
    /// Leave disk and cores to others while they want them.
    pub nice: bool,
    /// Count what there is to read beside the run, as somebody watches how far it is.
    pub counts: bool,
}

/// The cores that this process may use. To ask takes a dozen system calls, so it is done once.
fn cores() -> NonZeroUsize {
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
            rate: None,
            nice: false,
            counts: false,
        }
    }
}

impl Resources {
    /// Threads that hash.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads.unwrap_or_else(cores)
    }

    /// A plan for whole files, in the order of the walk.
    ///
    /// # Errors
    /// If the memory is too little for the threads, or an algorithm lacks its key.
    pub fn plan(&self, algorithms: Vec<&'static Algorithm>) -> Result<Plan, Misfit> {
        Misfit::check_keys(&algorithms)?;
        let threads = self.threads();
        let least = Plan::least_memory(threads.get());
        if self.memory < least {
            return Err(Misfit::Memory { bytes: self.memory, threads: threads.get(), least });
        }
        Ok(Plan {
            algorithms,
            likeness: Vec::new(),
            leaves: false,
            piece: None,
            whole: true,
            threads,
            memory: self.memory,
            prefetch: self.prefetch,
            reading: self.reading(),
            order: Order::Walk,
            saving: None,
            cancel: Cancel::default(),
        })
    }

    /// Whether images can be read as their media with these settings, which are those of files.
    ///
    /// # Errors
    /// Which can't be had.
    pub fn fits_images(&self) -> Result<(), Misfit> {
        let wrong = match self {
            Resources { io: Io::Direct, .. } => NotOfImages::Direct,
            Resources { timeout: Some(_), .. } => NotOfImages::Timeout,
            Resources { rate: Some(_), .. } => NotOfImages::Rate,
            _ => return Ok(()),
        };
        Err(Misfit::Images(wrong))
    }

    /// Makes this thread, and all that it starts, give way to others if that was asked for.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn give_way(&self) -> Result<(), Error> {
        if self.nice { system::give_way().map_err(Error::Priority) } else { Ok(()) }
    }

    fn reading(&self) -> Reading {
        Reading {
            io: self.io,
            timeout: self.timeout,
            rate: self.rate.map(|rate| Arc::new(Rate::new(rate))),
            ..Reading::default()
        }
    }
}
