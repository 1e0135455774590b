//! A comparison of every tool's digests with hashmill's, for sizes around the blocks of algorithms.

use crate::peers::{OURS, expected};
use crate::race::{Case, Plan};
use crate::stage::Stage;
use crate::timed::{Status, Timed};
use hashmill_digest::{ALGORITHMS, Algorithm};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The sizes of the files in bytes: empty, around blocks of 64 and 128 bytes, a chunk and a buffer, and a large one.
pub const CORRECT_SIZES: [u64; 16] =
    [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1024, 1025, 65_537, 1 << 20];

/// Whether a tool prints the right digests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correctness {
    /// The tool.
    pub tool: String,
    /// The algorithm.
    pub algorithm: String,
    /// The number of files with a right digest.
    pub right: usize,
    /// The sizes of files without a right digest.
    pub wrong_sizes: Vec<u64>,
    /// Its wrong output, or the reason why it was not called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The digest of one file by one algorithm, and the tools that print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The algorithm.
    pub algorithm: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The right digest.
    pub digest: String,
    /// The tools that printed it.
    pub printed_by: Vec<String>,
    /// The tools that printed another digest, or none.
    pub missed_by: Vec<String>,
}

/// The results of the correctness test.
#[derive(Debug, Default)]
pub struct CorrectnessResults {
    /// The result for each tool and algorithm.
    pub tools: Vec<Correctness>,
    /// The result for each algorithm and file.
    pub digests: Vec<Agreement>,
}

/// Calls every tool with every algorithm that it has.
pub fn measure(stage: &mut Stage<'_>, correct: &mut CorrectnessResults) -> io::Result<()> {
    let files = make(stage)?;
    let mut found: BTreeMap<(usize, String), Correctness> = BTreeMap::new();
    for (place, algorithm) in ALGORITHMS.iter().enumerate() {
        for (size, file) in &files {
            if stage.cancelled() {
                break;
            }
            let Some((digest, all)) = ask(stage, algorithm, file)? else { continue };
            correct.digests.push(Agreement::new(algorithm.name, *size, digest, &all));
            for timed in all {
                let row = found.entry((place, timed.tool.clone())).or_insert_with(|| Correctness {
                    tool: timed.tool.clone(),
                    algorithm: algorithm.name.to_string(),
                    right: 0,
                    wrong_sizes: Vec::new(),
                    note: None,
                });
                row.add(*size, &timed);
            }
        }
    }
    correct.tools.extend(found.into_values().filter(|row| row.tool != OURS || row.right > 0));
    Ok(())
}

fn make(stage: &Stage<'_>) -> io::Result<Vec<(u64, PathBuf)>> {
    let make = |size: u64| {
        let file = stage.place.join("correctness").join(format!("{size}-bytes"));
        stage.make_file(&file, size).map(|()| (size, file))
    };
    CORRECT_SIZES.into_iter().map(make).collect()
}

/// Runs all tools once on one file. Returns the right digest and the runs; `None` if there is no other tool.
fn ask(
    stage: &mut Stage<'_>,
    algorithm: &'static Algorithm,
    file: &Path,
) -> io::Result<Option<(String, Vec<Timed>)>> {
    let entries = stage.on_file(&[algorithm.name], file);
    if entries.len() < 2 {
        return Ok(None);
    }
    let files = vec![file.to_path_buf()];
    let expected = expected(&[algorithm], &files, &|| true)?;
    let digest = expected.join(" ");
    let case = Case { entries, algorithms: vec![algorithm.name], expected: Some(expected), files };
    let once = Plan { warmup: 0, runs: 1, least: Duration::ZERO, ..stage.plan };
    let plan = std::mem::replace(&mut stage.plan, once);
    let timed = stage.warm_outcomes(&[case]).into_iter().flatten().collect();
    stage.plan = plan;
    Ok(Some((digest, timed)))
}

impl Agreement {
    fn new(algorithm: &str, bytes: u64, digest: String, all: &[Timed]) -> Self {
        let named = |wanted: &[Status]| {
            let rows = all.iter().filter(|timed| wanted.contains(&timed.status));
            rows.map(|timed| timed.tool.clone()).collect()
        };
        Agreement {
            algorithm: algorithm.to_string(),
            bytes,
            digest,
            printed_by: named(&[Status::Ranked]),
            missed_by: named(&[Status::WrongDigest, Status::Failed]),
        }
    }
}

impl Correctness {
    fn add(&mut self, size: u64, timed: &Timed) {
        match timed.status {
            Status::Ranked => self.right += 1,
            Status::NotReached => {}
            Status::NotInstalled => self.note.clone_from(&timed.note),
            Status::WrongDigest | Status::Failed => {
                self.wrong_sizes.push(size);
                self.note.clone_from(&timed.note);
            }
        }
    }
}
