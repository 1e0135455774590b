//! The bytes of an attribute, whose parts may lie in several records.

use super::attribute::{Attribute, Extent, Value};
use super::boot::Boot;
use super::compressed::Compressed;
use crate::{ByteRuns, Content, Problem};
use std::sync::Arc;

/// The bytes of an attribute.
#[derive(Debug)]
pub(super) struct Stream {
    /// The size in bytes, as it is stated; 0 if that is not known.
    pub size: u64,
    /// Where they lie, if all places are known; none for those in a record.
    pub runs: Option<Arc<ByteRuns>>,
    /// The bytes.
    pub content: Result<Content, Problem>,
}

impl Stream {
    /// Joins the parts of an attribute.
    pub(super) fn join(parts: &[Attribute<'_>], boot: &Boot) -> Stream {
        match parts {
            [Attribute { value: Value::Resident(bytes), .. }] => {
                let inline = Content::Inline(Arc::from(*bytes));
                let content = if parts[0].is_encrypted() { Err(encrypted()) } else { Ok(inline) };
                Stream { size: bytes.len() as u64, runs: None, content }
            }
            _ => join_extents(parts, boot),
        }
    }

    /// Creates a stream whose bytes can't be found.
    pub(super) fn lost(reason: Problem) -> Stream {
        Stream { size: 0, runs: None, content: Err(reason) }
    }
}

fn encrypted() -> Problem {
    Problem::Encrypted("EFS")
}

fn join_extents(parts: &[Attribute<'_>], boot: &Boot) -> Stream {
    let with_extent = |part| Some((Attribute::extent(part)?, part));
    let Some(mut extents) = parts.iter().map(with_extent).collect::<Option<Vec<_>>>() else {
        return Stream::lost(Problem::damaged("it has the same attribute twice"));
    };
    extents.sort_by_key(|(extent, _)| extent.first);
    let Some((first, attribute)) = extents.first().cloned() else {
        return Stream::lost(Problem::damaged("it has no such attribute"));
    };
    if first.first != 0 {
        return Stream::lost(Problem::damaged("the first part of its runs is missing"));
    }
    let mut runs = ByteRuns::default();
    let added: Result<(), Problem> =
        extents.iter().try_for_each(|(extent, _)| extent.add_to(&mut runs, boot.cluster, boot.size()));
    if let Err(problem) = added {
        return Stream { size: first.size, ..Stream::lost(problem) };
    }
    let runs = Arc::new(runs);
    let is_encrypted = parts.iter().any(Attribute::is_encrypted);
    let content =
        if is_encrypted { Err(encrypted()) } else { content(attribute, &first, &runs, boot.cluster) };
    Stream { size: first.size, runs: Some(runs), content }
}

/// Returns the content that runs have, by what the attribute states of it.
fn content(
    attribute: &Attribute<'_>,
    first: &Extent<'_>,
    runs: &Arc<ByteRuns>,
    cluster: u64,
) -> Result<Content, Problem> {
    let (size, valid) = (first.size, first.valid.min(first.size));
    if attribute.is_compressed() && first.unit != 0 {
        let unit = 1_u64.checked_shl(first.unit.into()).and_then(|unit| unit.checked_mul(cluster));
        let unit = unit.unwrap_or(u64::MAX);
        return Ok(Content::Coded(Arc::new(Compressed::new(Arc::clone(runs), unit, size, valid)?)));
    }
    Ok(Content::Plain { runs: Arc::clone(runs), size, valid })
}
