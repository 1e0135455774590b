//! Case data: options that end up in the manifest's header, or in the result of an audit.

use crate::words::typed;
use hashmill_job::case::Case as Data;
use hashmill_os::names;

/// Case data: options that end up in the manifest's header, or in the result of an audit.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Case data")]
pub struct Case {
    /// The number of the case. With any option of this group a manifest also says when, where, by which command and
    /// with which result it was made (formats that can store it); an audit says so with -f json
    #[arg(long, value_name = "ID")]
    pub case: Option<String>,
    /// The examiner, for the manifest or the audit
    #[arg(long, value_name = "NAME")]
    pub examiner: Option<String>,
    /// The evidence that is examined, for the manifest or the audit
    #[arg(long, value_name = "NOTE")]
    pub evidence: Option<String>,
}

impl Case {
    /// Returns the case data, if there is any.
    pub fn data(&self) -> Option<Data> {
        self.is_given().then(|| self.with_command())
    }

    /// Returns whether any of these options is given.
    pub fn is_given(&self) -> bool {
        [&self.case, &self.examiner, &self.evidence].into_iter().any(Option::is_some)
    }

    /// Returns the case data, if there is any, and the command line.
    pub fn with_command(&self) -> Data {
        let Case { case, examiner, evidence } = self.clone();
        let command = typed::words().iter().map(|word| names::bytes(word).into()).collect();
        Data { case, examiner, evidence, command }
    }
}
