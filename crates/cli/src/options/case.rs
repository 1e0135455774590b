//! Case data of a run: what was asked for, and what the run itself adds.

use super::algorithms::Algorithms;
use crate::message::Shown;
use anyhow::{bail, ensure};
use hashloom_digest::Algorithm;
use hashloom_engine::Stats;
use hashloom_manifest::Time;
use hashloom_manifest::case::{End, Faults, MAX_TEXT, Start, Used};
use hashloom_manifest::format::{FORMATS, Format};
use hashloom_similar::Similar;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::time::SystemTime;

/// Options of a run that end up in the manifest's header.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Case data")]
pub struct Case {
    /// Say in the manifest which case this belongs to. With any option of this group the manifest also says
    /// when, where, by what command and with what result it was made (formats with a place for that)
    #[arg(long, value_name = "ID")]
    pub case: Option<String>,
    /// Say in the manifest who made it
    #[arg(long, value_name = "NAME")]
    pub examiner: Option<String>,
    /// Say in the manifest what was examined
    #[arg(long, value_name = "NOTE")]
    pub evidence: Option<String>,
}

impl Case {
    /// Whether case data are wanted.
    pub fn is_wanted(&self) -> bool {
        self.texts().iter().any(|(_, text)| text.is_some())
    }

    /// Whether this format can carry what is wanted.
    ///
    /// # Errors
    /// Which formats can, if this one can't; which text is too long.
    pub fn fits(&self, format: &Format) -> anyhow::Result<()> {
        for (name, text) in self.texts() {
            let long = text.is_some_and(|text| text.len() > MAX_TEXT);
            ensure!(!long, "--{name}: more than {MAX_TEXT} bytes");
        }
        if self.is_wanted() && !format.carries.case {
            let can = FORMATS.iter().filter(|format| format.writer.is_some() && format.carries.case);
            let can = can.map(|format| format.name).collect::<Vec<_>>().join(", ");
            bail!(
                "--case, --examiner, --evidence: the format {} has no place for them; {can} have",
                format.name
            );
        }
        Ok(())
    }

    /// What is known now, as the run begins; none if nothing was asked for.
    pub fn start(&self, algorithms: &Algorithms) -> Option<Start> {
        let text = |text: &Option<String>| text.as_deref().map(Box::from);
        let mut start = Start {
            case: text(&self.case),
            examiner: text(&self.examiner),
            evidence: text(&self.evidence),
            started: now(),
            resumed: Vec::new(),
            host: host(),
            tool: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: Vec::new(),
            command_left_out: 0,
            algorithms: used(algorithms),
        };
        start.set_command(std::env::args_os().map(|word| word.into_vec().into()));
        self.is_wanted().then_some(start)
    }

    /// What was asked for, to compare runs by.
    pub fn text(&self) -> String {
        let texts = self.texts().into_iter().filter_map(|(name, text)| Some((name, text?)));
        texts.map(|(name, text)| format!(" --{name} {}", Shown(text.as_bytes()))).collect()
    }

    fn texts(&self) -> [(&'static str, Option<&str>); 3] {
        [
            ("case", self.case.as_deref()),
            ("examiner", self.examiner.as_deref()),
            ("evidence", self.evidence.as_deref()),
        ]
    }
}

/// What is known as the run ends; so many files were kept from interrupted runs.
pub fn end(stats: &Stats, kept: u64, faults: Faults) -> End {
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

fn now() -> Time {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time { seconds: since.as_secs().try_into().unwrap_or(i64::MAX), nanoseconds: since.subsec_nanos() }
}

/// The machine's name; empty where the system does not tell.
fn host() -> Box<[u8]> {
    fs::read("/proc/sys/kernel/hostname").unwrap_or_default().trim_ascii_end().into()
}

/// The algorithms in the order typed, with the kernels chosen for this machine.
fn used(algorithms: &Algorithms) -> Vec<Used> {
    let digest = |row: &&'static Algorithm| {
        let kernels = [(row.bank)().kernel(), (row.alone)().kernel()];
        named(row.name, &kernels[..if kernels[0] == kernels[1] { 1 } else { 2 }])
    };
    let likeness = |row: &'static Similar| named(row.name, &[hashloom_similar::kernel()]);
    let mut used: Vec<Used> = algorithms.digests.iter().map(digest).collect();
    for (place, row) in &algorithms.likeness {
        used.insert((*place).min(used.len()), likeness(row));
    }
    used
}

fn named(algorithm: &str, kernels: &[&str]) -> Used {
    Used { algorithm: algorithm.into(), kernels: kernels.iter().map(|kernel| Box::from(*kernel)).collect() }
}
