//! A call that audits a folder.

use crate::failure::Failure;
use hashmill_content::{Selection, path_of};
use hashmill_job::account::Account;
use hashmill_job::audit::{AuditEvent, AuditJob};
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::audit::{Category, Verdict};
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};

/// The result of an audit.
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub struct FolderAudit {
    /// The files that are not as the manifest says.
    pub differences: Vec<Difference>,
    /// Lines about everything that could not be read, understood or compared, and other notes.
    pub problems: Vec<String>,
    /// The numbers of what was compared.
    pub account: Account,
}

impl FolderAudit {
    /// Returns whether everything was compared, and is as the manifest says.
    pub fn is_passed(&self) -> bool {
        self.account.is_fine()
    }
}

/// A file that is not as the manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The path of the file; of a missing one, its path in the manifest.
    pub path: PathBuf,
    /// The path in the manifest of a file that was moved or copied.
    pub known_path: Option<PathBuf>,
    /// How it differs.
    pub category: Category,
}

impl Difference {
    fn from_verdict(verdict: &Verdict) -> Difference {
        let known_path = verdict.known_path.as_deref().map(path_of);
        Difference { path: path_of(&verdict.path), known_path, category: verdict.category }
    }
}

/// Compares the files of a folder with a manifest, in any format that hashmill reads. A signature that lies beside the
/// manifest is verified.
///
/// # Errors
/// If the manifest can't be used, or its signature is broken.
pub fn audit_folder(folder: impl AsRef<Path>, manifest: impl AsRef<Path>) -> Result<FolderAudit, Failure> {
    let (mut differences, mut problems) = (Vec::new(), Vec::new());
    let manifest = manifest.as_ref();
    let list =
        Guard::default().open(manifest.as_os_str(), &mut |judged| problems.push(judged.to_string()))?;
    let job = AuditJob::new(vec![(manifest.to_path_buf(), list)], Some(Selection::from_paths([folder])));
    let summary = job.run(&mut |event| {
        match event {
            AuditEvent::Verdict(verdict, _) if verdict.category != Category::Matched => {
                differences.push(Difference::from_verdict(verdict));
            }
            event => problems.extend(problem(event)),
        }
        Continue(())
    })?;
    Ok(FolderAudit { differences, problems, account: summary.account() })
}

/// Returns the line of an event that is more than a step.
fn problem(event: AuditEvent<'_>) -> Option<String> {
    let about = |path: &[u8], text: &dyn std::fmt::Display| format!("{}: {text}", path_of(path).display());
    match event {
        AuditEvent::Failed(error) => Some(error.to_string()),
        AuditEvent::Differs(record, difference) => Some(about(&record.path, difference)),
        AuditEvent::Unjudged(unjudged) => Some(unjudged.to_string()),
        AuditEvent::Stranger(path) => Some(about(path, &"not found, and not in the manifest")),
        AuditEvent::Notice(notice) => Some(notice.to_string()),
        _ => None,
    }
}
