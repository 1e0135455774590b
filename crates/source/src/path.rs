//! Paths as bytes: joining and names.

use hashmill_os::names;
use std::path::PathBuf;

/// Strips leading slashes; returns `.` if nothing is left.
pub(crate) fn without_leading_slashes(path: &[u8]) -> &[u8] {
    match path.iter().position(|&byte| byte != b'/') {
        Some(first) => &path[first..],
        None => b".",
    }
}

/// Makes a directory's path, as typed, end in one slash, so that the names of its entries can be appended.
pub(crate) fn end_in_slash(directory: &mut Vec<u8>) {
    directory.truncate(length_without_slashes(directory));
    directory.push(b'/');
}

/// Returns the last part of a path, ignoring trailing slashes. Empty for the root.
pub(crate) fn name(path: &[u8]) -> &[u8] {
    let end = length_without_slashes(path);
    let start = path[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &path[start..end]
}

/// Returns the working directory as the system names it, and as the shell does if links lead there. Empty if unknown.
pub(crate) fn working_directories() -> Vec<Vec<u8>> {
    let system = std::env::current_dir().ok();
    let same = |typed: &PathBuf| {
        let canonical = typed.is_absolute().then(|| names::canonical(typed).ok()).flatten();
        canonical.is_some() && canonical == system && Some(typed) != system.as_ref()
    };
    let shell = std::env::var_os("PWD").map(PathBuf::from).filter(same);
    system.iter().cloned().chain(shell).map(names::into_path_bytes).collect()
}

/// Returns the path from the root of one that is shown relative to a directory. `.` and `..` are resolved lexically.
pub(crate) fn from_root(directory: &[u8], shown: &[u8]) -> Vec<u8> {
    let mut path = directory.strip_suffix(b"/").unwrap_or(directory).to_vec();
    for part in shown.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => path.truncate(path.iter().rposition(|&byte| byte == b'/').unwrap_or(0)),
            name => {
                path.push(b'/');
                path.extend_from_slice(name);
            }
        }
    }
    path
}

fn length_without_slashes(path: &[u8]) -> usize {
    path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_have_no_steps_back() {
        for (directory, shown, wanted) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "./c//d", "/a/b/c/d"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "../../c", "/c"),
            ("/", "c", "/c"),
        ] {
            let found = from_root(directory.as_bytes(), shown.as_bytes());
            assert_eq!(found, wanted.as_bytes(), "{directory} {shown}");
        }
    }

    #[test]
    fn one_slash_stands_between_directory_and_name() {
        for (directory, expected) in
            [("d", "d/"), ("d/", "d/"), ("d//", "d/"), (".", "./"), ("..", "../"), ("/", "/"), ("//", "/")]
        {
            let mut path = directory.as_bytes().to_vec();
            end_in_slash(&mut path);
            assert_eq!(path, expected.as_bytes());
        }
    }

    #[test]
    fn the_name_is_the_last_part() {
        for (path, expected) in
            [("a/b", "b"), ("b", "b"), ("a/b//", "b"), ("/", ""), ("", ""), ("a/..", "..")]
        {
            assert_eq!(name(path.as_bytes()), expected.as_bytes());
        }
    }
}
