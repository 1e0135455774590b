//! The details met during a build, each with a number, so that a digest need carry only the number.

use crate::Detail;
use hashbrown::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Every different [`Detail`] of a build and its number.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    details: Vec<Arc<Detail>>,
    numbers: HashMap<Arc<Detail>, u32>,
}

impl Catalogue {
    /// The number of a detail.
    pub fn number(&mut self, detail: &Detail) -> u32 {
        if let Some(number) = self.numbers.get(detail) {
            return *number;
        }
        let detail = Arc::new(detail.clone());
        // A number is four bytes: the details of 2^32 would fill the memory long before.
        let number = self.details.len() as u32;
        self.details.push(Arc::clone(&detail));
        self.numbers.insert(detail, number);
        number
    }

    /// The detail of a number.
    pub fn detail(&self, number: u32) -> &Arc<Detail> {
        &self.details[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.details.len()
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let both = self.detail(a).union(self.detail(b));
        self.number(&both)
    }
}

/// Unions of numbered details, remembered, so that the catalogue is locked for new ones only.
pub(crate) struct Unions<'a> {
    catalogue: &'a Mutex<Catalogue>,
    made: HashMap<(u32, u32), u32>,
}

impl<'a> Unions<'a> {
    pub fn new(catalogue: &'a Mutex<Catalogue>) -> Self {
        Unions { catalogue, made: HashMap::new() }
    }

    /// How many details the catalogue has.
    pub fn count(&self) -> usize {
        lock(self.catalogue).len()
    }

    /// The number of what both say together.
    pub fn of(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let pair = (a.min(b), a.max(b));
        let made = || lock(self.catalogue).union(pair.0, pair.1);
        // Bounded, as most pairs of a large RDS come once.
        if self.made.len() > MEMORY {
            self.made.clear();
        }
        *self.made.entry(pair).or_insert_with(made)
    }
}

/// Unions remembered at most: about 24 MiB.
const MEMORY: usize = 1 << 20;

/// Locks the catalogue. A thread that panicked while holding it left it whole: it only grows.
pub(crate) fn lock(catalogue: &Mutex<Catalogue>) -> std::sync::MutexGuard<'_, Catalogue> {
    catalogue.lock().unwrap_or_else(PoisonError::into_inner)
}
