//! Case data of a run: the caller's and the run's own.

use crate::algorithms::Algorithms;
use crate::misfit::Misfit;
use hashmill_digest::Algorithm;
use hashmill_engine::Stats;
use hashmill_known::{Index, Sets};
use hashmill_lists::made::{host, now};
use hashmill_manifest::Time;
use hashmill_manifest::case::{End, Faults, KnownSet, MAX_TEXT, Start, Used};
use hashmill_manifest::format::Format;
use hashmill_os::names;
use hashmill_similar::Similar;
use hashmill_terminal::{Shown, masked, masked_word};

/// The name of the program in the manifests that it writes.
const TOOL: &str = "hashmill";

/// Case data given by the caller. It is written at the start of the manifest, the results of the run at its end.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// The name or number of the case.
    pub case: Option<String>,
    /// The name of the examiner.
    pub examiner: Option<String>,
    /// The item under examination.
    pub evidence: Option<String>,
    /// The arguments of the command.
    pub command: Vec<Box<[u8]>>,
}

impl Case {
    /// Returns whether this format can represent the case data.
    ///
    /// # Errors
    /// If it can't, or a text is too long.
    pub fn fits(&self, format: &'static Format) -> Result<(), Misfit> {
        if let Some((name, _)) = self.texts().find(|(_, text)| text.len() > MAX_TEXT) {
            return Err(Misfit::LongText(name));
        }
        if format.carries.case { Ok(()) } else { Err(Misfit::Case(format)) }
    }

    /// Returns the data that is known at the start of a run that looks files up in these sets.
    pub(crate) fn start_with(&self, algorithms: &Algorithms, sets: &Sets) -> Start {
        Start { sets: sets.indexes().iter().map(known_set).collect(), ..self.start(algorithms) }
    }

    /// Returns the data that is known at the start of the run.
    pub(crate) fn start(&self, algorithms: &Algorithms) -> Start {
        let text = |text: &Option<String>| text.as_deref().map(without_secrets);
        let mut start = Start {
            case: text(&self.case),
            examiner: text(&self.examiner),
            evidence: text(&self.evidence),
            started: now(),
            resumed: Vec::new(),
            host: host(),
            tool: TOOL.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: Vec::new(),
            command_left_out: 0,
            algorithms: used(algorithms),
            sets: Vec::new(),
        };
        start.set_command(self.command.iter().map(|word| masked_word(word).into()));
        start
    }

    /// Returns the case data as options, to compare runs by.
    pub(crate) fn text(&self) -> String {
        self.texts().map(|(name, text)| format!(" --{name} {}", Shown(text.as_bytes()))).collect()
    }

    fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [("case", &self.case), ("examiner", &self.examiner), ("evidence", &self.evidence)];
        all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// Removes the secrets of addresses from a text that everybody may read.
fn without_secrets(text: &str) -> Box<str> {
    String::from_utf8_lossy(&masked(text.as_bytes())).into()
}

/// Returns the data that is known at the end of the run; `kept` is the number of files taken over from interrupted
/// runs.
pub(crate) fn end(stats: &Stats, kept: u64, faults: Faults) -> End {
    let (errors, errors_left_out) = faults.finish();
    End {
        ended: now(),
        seen: stats.seen + kept,
        hashed: stats.hashed + kept,
        kept,
        skipped: stats.skipped,
        failed: stats.failed,
        bytes: stats.bytes,
        errors,
        errors_left_out,
    }
}

/// Returns the algorithms in the order of their columns, with the kernels chosen for this machine.
pub(crate) fn used(algorithms: &Algorithms) -> Vec<Used> {
    let digest = |row: &&'static Algorithm| {
        let kernels = [(row.bank)().kernel(), (row.alone)().kernel()];
        named(row.name, &kernels[..if kernels[0] == kernels[1] { 1 } else { 2 }])
    };
    let likeness = |row: &'static Similar| named(row.name, &[hashmill_similar::kernel()]);
    let mut used: Vec<Used> = algorithms.digests.iter().map(digest).collect();
    for (place, row) in &algorithms.likeness {
        used.insert((*place).min(used.len()), likeness(row));
    }
    used
}

fn known_set(index: &Index) -> KnownSet {
    let built = |seconds| Time { seconds, nanoseconds: 0 }.to_rfc3339();
    let about = index.about();
    KnownSet {
        path: names::path_bytes(index.path()).into(),
        identity: index.identity().into(),
        built: about.built.and_then(|built| i64::try_from(built).ok()).and_then(built).map(Into::into),
        digests: about.tables.iter().map(|table| table.count).sum(),
    }
}

fn named(algorithm: &str, kernels: &[&str]) -> Used {
    Used { algorithm: algorithm.into(), kernels: kernels.iter().map(|kernel| Box::from(*kernel)).collect() }
}
