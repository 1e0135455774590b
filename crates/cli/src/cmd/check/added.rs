//! `--new`: files that no list names, below the directories of the files that one names.

use super::list::List;
use crate::exit::Exit;
use crate::message;
use crate::output::{Output, WriteError};
use hashloom_source::{Found, WalkOptions, walk};
use std::collections::{BTreeSet, HashSet};

/// Prints the files that no list names.
///
/// # Errors
/// If they cannot be printed.
pub fn report(
    lists: &[List],
    leave_out: Vec<(u64, u64)>,
    output: Option<&Output>,
) -> Result<Exit, WriteError> {
    let claims = || lists.iter().flat_map(|list| &list.claims);
    let named: HashSet<Vec<u8>> = claims().map(|claim| plain(&claim.path)).collect();
    let roots = roots(claims().map(|claim| directory(&claim.path)));
    let mut exit = Exit::Fine;
    for found in walk(roots.into_iter(), WalkOptions { leave_out, ..WalkOptions::default() }) {
        match found {
            Found::File(entry) => {
                let path = plain(&entry.path);
                if !named.contains(&path) {
                    exit = exit.and(Exit::Differs.noted());
                    output.map_or(Ok(()), |output| super::print(output, &path, "NEW"))?;
                }
            }
            Found::Failed(error) => {
                exit = exit.and(Exit::Failed.noted());
                message::about(&error.path, error.problem);
            }
            // Lists name regular files only.
            Found::Skipped { .. } => {}
        }
    }
    Ok(exit)
}

/// The directories, without those that lie below another of them.
fn roots(directories: impl Iterator<Item = Vec<u8>>) -> Vec<Box<[u8]>> {
    let sorted: BTreeSet<Vec<u8>> = directories.collect();
    let mut roots: Vec<Vec<u8>> = Vec::new();
    for directory in sorted {
        if !roots.iter().any(|root| below(&directory, root)) {
            roots.push(directory);
        }
    }
    roots.into_iter().map(Vec::into_boxed_slice).collect()
}

fn below(path: &[u8], root: &[u8]) -> bool {
    let relative = root == b"." && !path.starts_with(b"/") && !path.starts_with(b"..");
    let inside = path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"));
    relative || inside || root == b"/" && path.starts_with(b"/")
}

/// The directory of a path, `.` for a name alone.
fn directory(path: &[u8]) -> Vec<u8> {
    let path = plain(path);
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) => b"/".to_vec(),
        Some(end) => path[..end].to_vec(),
        None => b".".to_vec(),
    }
}

/// The path without `.` and empty parts.
fn plain(path: &[u8]) -> Vec<u8> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let plain = parts.collect::<Vec<_>>().join(&b'/');
    if path.starts_with(b"/") { [b"/", plain.as_slice()].concat() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str]) -> Vec<String> {
        let roots = roots(paths.iter().map(|path| directory(path.as_bytes())));
        roots.iter().map(|root| String::from_utf8_lossy(root).into_owned()).collect()
    }

    #[test]
    fn roots_are_the_topmost_directories() {
        assert_eq!(of(&["a/x", "a/b/y", "c/z"]), ["a", "c"]);
        assert_eq!(of(&["./x", "a/b/y", "/c/z"]), [".", "/c"]);
        assert_eq!(of(&["ab/x", "a/y"]), ["a", "ab"]);
        assert_eq!(of(&["../x", "y"]), [".", ".."]);
    }
}
