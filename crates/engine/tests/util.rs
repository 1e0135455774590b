//! Plans and runs for tests.

use hashmill_digest::parse_list;
use hashmill_engine::{Cancel, EngineEvent, EntryResult, Live, Order, Plan, Prefetch, Stats, run};
use hashmill_facts::FactSet;
use hashmill_manifest::Record;
use hashmill_os::names;
use hashmill_source::{Reading, WalkItem, WalkOptions, walk};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Makes a plan for whole files.
pub fn plan(algorithms: &str, threads: usize) -> Plan {
    Plan {
        algorithms: parse_list(algorithms).unwrap(),
        likeness: Vec::new(),
        facts: FactSet::default(),
        scanning: None,
        pronom: None,
        leaves: false,
        piece: None,
        whole: true,
        threads: NonZeroUsize::new(threads).unwrap(),
        memory: 64 << 20,
        prefetch: Prefetch::Auto,
        reading: Reading::default(),
        order: Order::Walk,
        saving: None,
        tap: None,
        cancel: Cancel::default(),
    }
}

pub fn entries(dir: &Path) -> impl Iterator<Item = WalkItem> + Send + use<> {
    walk([names::path_bytes(dir).into()].into_iter(), WalkOptions::default())
}

/// Runs a plan over a folder. Returns pieces, outcomes and counters.
pub fn all(plan: &Plan, dir: &Path) -> (Vec<Record>, Vec<EntryResult>, Stats) {
    let (mut pieces, mut outcomes) = (Vec::new(), Vec::new());
    let stats = run(plan, entries(dir), &Arc::new(Live::default()), &mut |event| {
        match event {
            EngineEvent::Piece(record) => pieces.push(record),
            EngineEvent::Done(outcome) => outcomes.push(outcome),
        }
        ControlFlow::Continue(())
    });
    (pieces, outcomes, stats)
}

/// Returns the bytes that a record covers.
pub fn bytes_of(record: &Record) -> Vec<u8> {
    let bytes = std::fs::read(names::path(&record.path).unwrap()).unwrap();
    match record.piece {
        Some(piece) => bytes[piece.offset as usize..(piece.offset + piece.length) as usize].to_vec(),
        None => bytes,
    }
}
