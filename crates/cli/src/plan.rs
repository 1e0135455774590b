//! From options to the engine's plan.

use crate::args::Means;
use anyhow::ensure;
use hashloom_digest::Algorithm;
use hashloom_engine::{Cancel, Order, Plan};

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
            order: Order::Walk,
            cancel: Cancel::default(),
        })
    }
}
