//! The score of two files or digests.

use super::event::{SimilarityEvent, SimilarityObserver, SimilaritySummary};
use super::files::DigestsJob;
use super::members::named;
use crate::error::{Error, SimilarityError};
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::Cancel;
use hashmill_engine::flow::heed;
use hashmill_os::names;
use hashmill_similar::{Named, Similar};
use std::ops::ControlFlow;
use std::path::Path;

/// The similarity of two digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// The score of the first and the second, or for TLSH their distance.
    pub score: i32,
    /// Whether each digest has too little content to be reliable.
    pub sparse: [bool; 2],
}

/// Computes the score of two files. It is `None` if one could not be read or has no digest, or if the job was
/// cancelled.
///
/// # Errors
/// If one is a directory, or a long file that sdhash cut into segments, each with a score of its own.
pub fn compare(
    files: [&Path; 2],
    algorithm: &'static Similar,
    resources: Resources,
    cancel: Cancel,
    observer: &mut SimilarityObserver<'_>,
) -> Result<(Option<Compared>, SimilaritySummary), Error> {
    let bytes = |path: &Path| Box::from(names::path_bytes(path));
    if let Some(folder) = files.into_iter().find(|path| path.is_dir()) {
        return Err(SimilarityError::Directory(bytes(folder)).into());
    }
    let job = DigestsJob {
        resources,
        cancel: cancel.clone(),
        ..DigestsJob::new(Selection::from_paths(files), vec![algorithm])
    };
    let mut found = Vec::new();
    let mut summary = job.run(observer, &mut |record| {
        found.extend(named(record));
        ControlFlow::Continue(())
    })?;
    heed(observer(SimilarityEvent::Collected(&summary)), &cancel);
    let found = found.into_iter().map(single).collect::<Result<Vec<_>, _>>()?;
    Ok(match found.as_slice() {
        [a, b] if !summary.interrupted => {
            let score = summary.comparing.measure(1, || score(a, b, algorithm))?;
            (Some(score), summary)
        }
        _ => (None, summary),
    })
}

/// Computes the score of two digests, each as the reference program writes it.
///
/// # Errors
/// If one is not a digest by this algorithm, or the two have no score.
pub fn compare_digests(texts: [&[u8]; 2], algorithm: &'static Similar) -> Result<Compared, SimilarityError> {
    let read = |number: usize| {
        let read = (algorithm.parse)(texts[number].trim_ascii());
        let why = match read {
            Ok(Some(named)) => return Ok(named),
            Ok(None) => None,
            Err(malformed) => Some(malformed),
        };
        Err(SimilarityError::Digest { number, algorithm: algorithm.name, why })
    };
    score(&read(0)?, &read(1)?, algorithm)
}

/// Returns the only segment of a digest.
fn single(named: Named) -> Result<Named, SimilarityError> {
    let path = named.name.clone();
    let segments = named.segments();
    let [one] = <[Named; 1]>::try_from(segments).map_err(|segments: Vec<Named>| {
        SimilarityError::Segments { path: path.into(), segments: segments.len() }
    })?;
    Ok(one)
}

fn score(a: &Named, b: &Named, algorithm: &Similar) -> Result<Compared, SimilarityError> {
    let score = (algorithm.compare)(a, b).ok_or(SimilarityError::NoScore)?;
    Ok(Compared { score, sparse: [a.digest.is_sparse(), b.digest.is_sparse()] })
}
