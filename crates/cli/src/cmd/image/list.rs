//! `hashloom image list`: the files in logical images.

use super::open::open;
use super::options::{List, MEMORY};
use crate::exit::{Exit, OfInputs};
use crate::json::{Frame, Results};
use crate::message::{self, Shown};
use crate::options::report::ListReport;
use crate::output;
use crate::schema::Schema;
use hashloom_digest::Digest;
use hashloom_image::{Entry, Format};
use hashloom_job::imaging::{self, Named};
use hashloom_manifest::Time;
use serde::Serialize;
use std::io::Write;

/// An entry for programs.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
}

/// Runs the command, and returns its exit code.
///
/// # Errors
/// If the list cannot be written.
pub fn run(options: &List) -> anyhow::Result<Exit> {
    options.stores.configure((MEMORY, true), None);
    let mut output = output::stdout()?;
    // Each image has many entries.
    let frame = if options.format == ListReport::Json { Frame::List } else { Frame::Lines };
    let mut results = Results::new(Schema::ImageList, frame, output.clone());
    let mut exits = OfInputs::default();
    for path in &options.paths {
        let image = match open(path, false) {
            Ok(image) => image,
            Err((refused, _)) => {
                exits.take(refused);
                continue;
            }
        };
        if !matches!(image.format(), Format::Ewf1Logical | Format::Ewf2Logical) {
            let path = imaging::shown(path);
            message::about_path(&path, "is an image of media: it has no list of files");
            exits.take(Exit::Unusable);
            continue;
        }
        exits.take(Exit::Fine);
        for finding in image.findings() {
            message::say(finding);
            exits.take(Exit::Failed.when(finding.kind.severity() > hashloom_image::Severity::Note));
        }
        for entry in image.entries() {
            if options.format == ListReport::Text {
                writeln!(output, "{}", line(entry)).map_err(|error| output.error(error))?;
            } else {
                results.push(Listed { entry, path_b64: Named::new(&entry.path, ()).path_b64 })?;
            }
        }
    }
    results.end()?;
    output.finish()?;
    Ok(exits.exit())
}

/// Formats size, modification time, MD5, SHA-1 and path, with tabs between them.
fn line(entry: &Entry) -> String {
    let written = entry.times.written.map(|seconds| Time { seconds, nanoseconds: 0 });
    let written = written.and_then(Time::to_rfc3339).unwrap_or_else(|| "-".into());
    let digest = |digest: &Option<Digest>| digest.map_or("-".into(), |digest| digest.to_string());
    let folder = if entry.folder { "/" } else { "" };
    format!(
        "{}\t{written}\t{}\t{}\t{}{folder}",
        entry.size,
        digest(&entry.md5),
        digest(&entry.sha1),
        Shown(&entry.path)
    )
}
