//! Pairs of likeness digests, within one list or between two: a worker's share of all pairs.

use crate::engine::signals::watched;
use crate::error::wrong;
use hashmill_engine::Cancel;
use hashmill_similar::{Foreign, Named, Search, Similar, find};
use pyo3::prelude::*;
use std::ops::ControlFlow::Continue;

/// The indexes of two digests in their lists, and their score or distance.
type Scored = (usize, usize, i32);

/// Finds the pairs within `a`, or between `a` and `b`, that are at least as similar as `limit`. Returns their indexes
/// and their scores.
#[pyfunction]
#[pyo3(signature = (algorithm, a, b = None, limit = None, threads = 1))]
pub(crate) fn likeness_pairs(
    py: Python<'_>,
    algorithm: &str,
    a: Vec<String>,
    b: Option<Vec<String>>,
    limit: Option<i32>,
    threads: usize,
) -> PyResult<Vec<Scored>> {
    let row = find(algorithm).ok_or_else(|| wrong(format!("'{algorithm}' is no likeness algorithm")))?;
    let (a, b) = (read(row, &a)?, b.map(|b| read(row, &b)).transpose()?);
    let cancel = Cancel::default();
    let stop = Some(cancel.flag());
    let search = Search { limit: limit.unwrap_or(row.threshold), threads, stop };
    watched(py, &cancel, || scored(row, &a, b.as_deref(), &search))?.map_err(wrong)
}

fn scored(row: &Similar, a: &[Named], b: Option<&[Named]>, search: &Search) -> Result<Vec<Scored>, Foreign> {
    let mut found = Vec::new();
    let mut sink = |pair: hashmill_similar::Pair| {
        found.push((pair.a, pair.b, pair.score));
        Continue(())
    };
    match b {
        Some(b) => (row.against)(a, b, search, &mut sink)?,
        None => (row.pairs)(a, search, &mut sink)?,
    }
    Ok(found)
}

fn read(row: &Similar, texts: &[String]) -> PyResult<Vec<Named>> {
    let named = |text: &String| {
        let digest = row.read(text.as_bytes());
        let digest = digest.map_err(|bad| wrong(format!("'{text}' is no digest of {}: {bad}", row.name)))?;
        Ok(Named { name: Vec::new(), digest })
    };
    texts.iter().map(named).collect()
}
