//! Files with rules: those that are named, and those in folders.

use crate::error::RulesError;
use hashmill_os::names;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The longest file with rules, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The most files with rules.
pub const MAX_FILES: usize = 100_000;

/// The most folders within each other, and the most includes.
pub const MAX_DEPTH: usize = 32;

/// The extensions of files that are taken from folders.
const EXTENSIONS: [&str; 4] = ["yar", "yara", "rule", "rules"];

/// A file with rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleFile {
    /// The path as it was named.
    pub(crate) path: PathBuf,
    /// The resolved folder that includes may not leave.
    pub(crate) root: PathBuf,
}

/// Returns the files of operands in their order, those of a folder sorted. A file that is met again is left out.
pub(crate) fn find(operands: &[PathBuf]) -> Result<Vec<RuleFile>, RulesError> {
    let mut files = Vec::new();
    for operand in operands {
        let meta = fs::metadata(operand).map_err(|error| RulesError::about(operand, unreadable(&error)))?;
        if meta.is_dir() {
            let root = resolve(operand)?;
            let before = files.len();
            walk(operand, &root, 0, &mut files)?;
            if files.len() == before {
                let why = format!("the folder has no file with rules (.{})", EXTENSIONS.join(", ."));
                return Err(RulesError::about(operand, why));
            }
        } else {
            let root = resolve(operand)?.parent().map(Path::to_path_buf).unwrap_or_default();
            files.push(RuleFile { path: operand.clone(), root });
        }
    }
    let mut seen = std::collections::HashSet::new();
    let mut kept = Vec::with_capacity(files.len());
    for file in files {
        if seen.insert(resolve(&file.path)?) {
            kept.push(file);
        }
    }
    Ok(kept)
}

/// Adds the files of a folder and of those below it. Links are not followed.
fn walk(folder: &Path, root: &Path, depth: usize, files: &mut Vec<RuleFile>) -> Result<(), RulesError> {
    if depth > MAX_DEPTH {
        let why = format!("more than {MAX_DEPTH} folders within each other: name the inner ones");
        return Err(RulesError::about(folder, why));
    }
    let failed = |error: &std::io::Error| RulesError::about(folder, unreadable(error));
    let mut names = hashmill_os::all_names_in(folder).map_err(|error| failed(&error))?;
    names.sort();
    for name in names {
        let path = folder.join(name);
        let kind = fs::symlink_metadata(&path).map_err(|error| failed(&error))?.file_type();
        if kind.is_dir() {
            walk(&path, root, depth + 1, files)?;
        } else if has_rules(&path) {
            if kind.is_symlink() {
                let why =
                    "links in folders with rules are not followed: name the file itself, or remove the link";
                return Err(RulesError::about(&path, why));
            }
            if files.len() >= MAX_FILES {
                return Err(RulesError::about(&path, format!("more than {MAX_FILES} files with rules")));
            }
            files.push(RuleFile { path, root: root.to_path_buf() });
        }
    }
    Ok(())
}

fn has_rules(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Returns the path without links.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, RulesError> {
    names::canonical(path).map_err(|error| RulesError::about(path, unreadable(&error)))
}

/// Reads the text of a file.
pub(crate) fn read(path: &Path) -> Result<String, RulesError> {
    let about = |why: String| RulesError::about(path, why);
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = open().map_err(|error| about(unreadable(&error)))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(about(format!("longer than {} MiB, the longest file with rules", MAX_FILE_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        RulesError::new(format!("{}:{line}: error: not UTF-8: write bytes as \\xNN", path.display()))
    })
}

fn unreadable(error: &std::io::Error) -> String {
    format!("cannot read rules: {error}")
}
