//! `hashloom similar compare`: one score.

use super::files::Files;
use super::lists::one;
use super::options;
use crate::exit::Exit;
use crate::message;
use crate::options::sources::Sources;
use crate::output::{self, Output};
use anyhow::{Context, bail, ensure};
use hashloom_manifest::Likeness;
use hashloom_similar::{Named, Similar};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If a digest is none, or the score cannot be written.
pub fn run(args: &options::Compare) -> anyhow::Result<Exit> {
    let row = args.which.row()?;
    let mut output = output::stdout()?;
    let (a, b) = if args.digest {
        let typed = |side: &str, text: &OsString| one(text.as_bytes(), row).with_context(|| side.to_string());
        (typed("A", &args.a)?, typed("B", &args.b)?)
    } else {
        match files(args, row, &output)? {
            Ok(both) => both,
            Err(exit) => return Ok(exit),
        }
    };
    let Some(score) = (row.compare)(&a, &b) else { bail!("digests of different algorithms have no score") };
    for (typed, named) in [(&args.a, &a), (&args.b, &b)] {
        if named.digest.is_sparse() {
            let what = "its digest holds too little to mean much (sparse)";
            if args.digest { message::say(what) } else { message::about(typed.as_bytes(), what) }
        }
    }
    writeln!(output, "{score}").map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

/// The digests of both files, or the code of the exit where there are none.
fn files(
    args: &options::Compare,
    row: &'static Similar,
    output: &Output,
) -> anyhow::Result<Result<(Named, Named), Exit>> {
    for path in [&args.a, &args.b] {
        ensure!(!Path::new(path).is_dir(), "{}: is a directory; 'similar pairs' takes trees", path.display());
    }
    let paths = [args.a.clone(), args.b.clone()];
    let sources = Sources::default();
    let files = Files {
        paths: &paths,
        sources: &sources,
        resources: &args.resources,
        algorithms: Vec::new(),
        leave_out: Vec::new(),
        told: false,
    };
    let mut both = Vec::new();
    let exit = files.hash(&[row], output, &mut |record| {
        let digest = record.likeness.into_iter().next().map(|Likeness { digest, .. }| digest);
        both.push((record.path, digest));
        Ok(())
    })?;
    let mut found = Vec::new();
    for (path, digest) in both {
        if let Some(Ok(digest)) = digest {
            let segments = Named { name: path.to_vec(), digest }.segments();
            let [one] = <[Named; 1]>::try_from(segments).map_err(|segments: Vec<Named>| {
                anyhow::anyhow!(
                    "{}: sdhash cuts it into {} segments, each with a score of its own; see 'similar pairs', or \
                     take -c sdhash-stream",
                    message::Shown(&path),
                    segments.len()
                )
            })?;
            found.push(one);
        }
    }
    Ok(<[Named; 2]>::try_from(found).map(|[a, b]| (a, b)).map_err(|_| exit.and(Exit::Failed)))
}
