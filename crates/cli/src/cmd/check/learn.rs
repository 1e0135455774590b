//! Which algorithm a list's unnamed digests are of: learnt from the first file that matches.

use super::list::{Claim, List};
use hashloom_digest::{Algorithm, of_bits};
use hashloom_engine::{Event, Live, Plan, run};
use hashloom_manifest::{Named, Record};
use hashloom_source::{Entry, Found, Origin};
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Files that are looked at for small ones to learn from.
const LOOKED_AT: usize = 64;

/// Files that are hashed by every algorithm that comes into question.
const PROBES: usize = 4;

/// What unnamed digests of each length may be of.
#[derive(Default)]
pub struct Learnt(HashMap<u32, &'static Algorithm>);

impl Learnt {
    /// Hashes a few small files of the list to learn from them.
    pub fn from(list: &List, plan: &Plan) -> Learnt {
        let mut learnt = Learnt::default();
        for bits in lengths(list) {
            let probes = probes(list, bits);
            let algorithms: Vec<_> = of_bits(bits).collect();
            if algorithms.len() < 2 {
                continue;
            }
            let records = hash(&probes, Plan { algorithms, ..plan.clone() });
            let found = probes.iter().zip(&records).find_map(|(claim, record)| matching(claim, record));
            if let Some(algorithm) = found {
                learnt.0.insert(bits, algorithm);
            }
        }
        learnt
    }

    /// The algorithms that this digest may be of.
    pub fn candidates(&self, named: &Named) -> Vec<&'static Algorithm> {
        let bits = named.digest.bits();
        match self.0.get(&bits) {
            _ if !named.guessed => vec![named.algorithm],
            Some(algorithm) => vec![algorithm],
            None => of_bits(bits).collect(),
        }
    }
}

/// The lengths of unnamed digests.
fn lengths(list: &List) -> Vec<u32> {
    let unnamed = list.claims.iter().flat_map(|claim| &claim.digests).filter(|named| named.guessed);
    let mut lengths = Vec::new();
    for named in unnamed {
        if !lengths.contains(&named.digest.bits()) {
            lengths.push(named.digest.bits());
        }
    }
    lengths
}

/// The smallest of the first files with an unnamed digest of this length.
fn probes(list: &List, bits: u32) -> Vec<&Claim> {
    let unnamed = |claim: &&Claim| claim.digests.iter().any(|named| named.guessed && named.digest.bits() == bits);
    let sized = |claim: &'_ Claim| fs::metadata(crate::selection::path_of(&claim.path)).ok().map(|meta| meta.len());
    let first = list.claims.iter().filter(unnamed).take(LOOKED_AT);
    let mut found: Vec<_> = first.filter_map(|claim| sized(claim).map(|size| (size, claim))).collect();
    found.sort_by_key(|(size, _)| *size);
    found.into_iter().take(PROBES).map(|(_, claim)| claim).collect()
}

fn hash(claims: &[&Claim], plan: Plan) -> Vec<Record> {
    let entries: Vec<Found> = claims.iter().map(|claim| entry(&claim.path)).collect();
    let mut records = Vec::new();
    let mut sink = |event: Event| {
        if let Event::Done(outcome) = event {
            records.push(outcome.record);
        }
        ControlFlow::Continue(())
    };
    run(&plan, entries.into_iter(), &Arc::new(Live::default()), &mut sink);
    records
}

/// A file that a list names: a regular file, as lists can't ask to wait for a FIFO.
pub fn entry(path: &[u8]) -> Found {
    let origin = if path == b"-" { Origin::Stdin } else { Origin::Path };
    Found::File(Entry { path: path.into(), origin, size: None })
}

/// The algorithm by which the file is what the claim says.
fn matching(claim: &Claim, record: &Record) -> Option<&'static Algorithm> {
    let claimed = |digest| claim.digests.iter().any(|named| named.guessed && named.digest == digest);
    record.digests.iter().find(|named| claimed(named.digest)).map(|named| named.algorithm)
}
