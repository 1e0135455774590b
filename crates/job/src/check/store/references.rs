//! References of a repository of git: files, and the list `packed-refs`.

use super::place::{joined, read_small};
use super::repository::Repository;
use hashmill_digest::Digest;
use hashmill_source::OperandDirectory;
use std::io;

/// The most bytes of the file that is a reference.
const MAX_REFERENCE: u64 = 4096;

/// The most bytes of the list of references.
const MAX_REFERENCES: u64 = 256 << 20;

/// The most references that lead to each other.
const MOST_REFERENCES: usize = 5;

/// References that each work tree has for itself.
const OF_WORK_TREE: [&str; 3] = ["refs/bisect/", "refs/rewritten/", "refs/worktree/"];

/// Returns the commit that is checked out; none if its branch has no commit.
///
/// # Errors
/// If the references can't be read, or lead nowhere: the reason.
pub(super) fn head(repository: &Repository) -> Result<Option<Digest>, String> {
    let open = |folder| OperandDirectory::open(folder).map_err(|error| error.to_string());
    let (head, common) = (open(&repository.head)?, open(&repository.common)?);
    if common.meta(&joined(&repository.common, "reftable")).is_ok() {
        return Err("the references are in a form that is not read (reftable)".into());
    }
    let mut name = "HEAD".to_owned();
    for _ in 0..MOST_REFERENCES {
        let is_inside = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_inside {
            break;
        }
        let is_own = name == "HEAD" || OF_WORK_TREE.iter().any(|prefix| name.starts_with(prefix));
        let (operand, folder) =
            if is_own { (&head, &repository.head) } else { (&common, &repository.common) };
        let Some(text) = file(operand, folder, &name)? else {
            return listed(&common, &repository.common, &name);
        };
        match text.strip_prefix("ref:") {
            Some(next) => name = next.trim_ascii().into(),
            None => {
                return Digest::from_hex(text.as_bytes())
                    .map(Some)
                    .map_err(|_| format!("{name} is no reference"));
            }
        }
    }
    Err("the references lead nowhere".into())
}

/// Reads the file of a reference; none if there is no file.
fn file(operand: &OperandDirectory, folder: &[u8], name: &str) -> Result<Option<String>, String> {
    let path = joined(folder, name);
    // A folder is left where there were references below it.
    if operand.meta(&path).is_ok_and(|meta| meta.is_directory()) {
        return Ok(None);
    }
    match read_small(operand, &path, MAX_REFERENCE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && name != "HEAD" => Ok(None),
        Err(error) => Err(format!("{name}: {error}")),
        Ok(text) => match str::from_utf8(&text) {
            Ok(text) => Ok(Some(text.trim_ascii_end().to_owned())),
            Err(_) => Err(format!("{name} is no reference")),
        },
    }
}

/// Finds a reference in the list of those that have no file.
fn listed(operand: &OperandDirectory, folder: &[u8], name: &str) -> Result<Option<Digest>, String> {
    let list = match read_small(operand, &joined(folder, "packed-refs"), MAX_REFERENCES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| format!("packed-refs: {error}"))?,
    };
    let mut lines = list.split(|byte| *byte == b'\n');
    let found = lines.find_map(|line| line.strip_suffix(name.as_bytes())?.strip_suffix(b" "));
    found
        .map(|hex| Digest::from_hex(hex).map_err(|_| "packed-refs has a line that is none".into()))
        .transpose()
}
