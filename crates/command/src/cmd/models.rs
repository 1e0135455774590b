//! The common parts of the commands about models.

use crate::progress::Heartbeat;
use crate::words::message;
use anyhow::{Context, anyhow};
use hashmill_job::model::{ModelContent, TreeEvent};
use hashmill_os::names;
use hashmill_tree::model::Method;
use std::path::Path;

/// Returns a handler that prints events on standard error, and ends the progress when everything is read.
pub fn teller<'h>(heartbeat: &'h mut Option<Heartbeat>) -> impl FnMut(TreeEvent<'_>) + 'h {
    |event| match event {
        TreeEvent::AllRead => *heartbeat = None,
        TreeEvent::Failed(error) => message::about(&error.path, &error.problem),
        TreeEvent::Notice(notice) => message::say(notice),
    }
}

/// Prints the files that shards leave out.
pub fn tell_uncovered(folder: &Path, measured: &ModelContent) {
    for path in &measured.uncovered {
        message::about(
            &below(folder, path),
            "is empty: it has no shard, and the signature says nothing of it",
        );
    }
}

/// Returns the path of an entry below a folder.
pub fn below(folder: &Path, path: &[u8]) -> Vec<u8> {
    let folder = &*names::path_bytes(folder);
    let divider: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, divider, path].concat()
}

/// Parses the values of `--ignore`: paths below a model.
///
/// # Errors
/// The first value that is not such a path.
pub fn ignored(texts: &[String]) -> anyhow::Result<Vec<String>> {
    let path = |text: &String| {
        let path = hashmill_tree::model::path_below(text).filter(|path| !path.is_empty());
        path.with_context(|| format!("--ignore: '{text}' is no path below the model"))
    };
    texts.iter().map(path).collect()
}

/// Returns the path of a file relative to a folder, if the file is below it.
///
/// # Errors
/// If it is, and its name is not UTF-8: a statement can't leave it out.
pub fn relative(folder: &Path, file: &Path) -> anyhow::Result<Option<String>> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A folder that doesn't exist contains nothing; reading or writing it will report the error.
    let (Ok(folder), Ok(parent), Some(name)) =
        (names::canonical(folder), names::canonical(parent), file.file_name())
    else {
        return Ok(None);
    };
    let Ok(below) = parent.strip_prefix(folder) else { return Ok(None) };
    let path = String::from_utf8(names::into_path_bytes(below.join(name)));
    path.map(Some).map_err(|_| anyhow!("{}: its name is not UTF-8", file.display()))
}

/// Returns the word for an entry of a statement about a model.
pub fn noun(method: Method) -> &'static str {
    if method == Method::Files { "file" } else { "shard" }
}

/// Returns that word in the plural.
pub fn nouns(method: Method) -> &'static str {
    if method == Method::Files { "files" } else { "shards" }
}
