//! Options of a run that end up in the manifest's header.

use hashloom_job::case::Case as Data;
use std::os::unix::ffi::OsStringExt;

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
    /// What was said, if anything was.
    pub fn data(&self) -> Option<Data> {
        let Case { case, examiner, evidence } = self.clone();
        let wanted = [&case, &examiner, &evidence].into_iter().any(Option::is_some);
        let command = || std::env::args_os().map(|word| word.into_vec().into()).collect();
        wanted.then(|| Data { case, examiner, evidence, command: command() })
    }
}
