//! `hashloom image export`: the media as they were.

use super::options::Export;
use super::{Watch, open};
use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output};
use hashloom_image::{Image, Summary, export, export_sparse};
use std::fs::File;
use std::io;
use std::path::Path;

/// The command, from options to exit code.
///
/// # Errors
/// If the media cannot be written.
pub fn run(options: &Export) -> anyhow::Result<Exit> {
    let image = match open(&options.path) {
        Ok(image) => image,
        Err((refused, _)) => return Ok(refused),
    };
    let stdout = options.output == Path::new("-");
    let output = if stdout { Output::stdout()? } else { Output::file(&options.output)? };
    let watch = Watch::start(options.how.progress, &output, 1, image.media_size())?;
    let file = output.handle().map_err(|error| output.error(error))?;
    let sparse = !stdout && output::replaces(&options.output);
    let written = write(&image, options, &watch, (&file, sparse));
    drop(watch);
    let summary = match written {
        Ok(summary) => summary,
        Err(error) => {
            output.discard();
            return Err(output.error(error).into());
        }
    };
    if summary.interrupted {
        output.discard();
        message::say("interrupted");
        return Ok(Exit::Interrupted);
    }
    output.finish()?;
    for finding in image.findings().iter().chain(&summary.findings) {
        message::about_finding(finding);
    }
    if summary.findings.is_empty() {
        return Ok(Exit::Fine);
    }
    let more = if summary.omitted > 0 { format!(" ({} more)", summary.omitted) } else { String::new() };
    message::say(format_args!("not all could be read{more}: zeros were written instead"));
    Ok(Exit::Failed)
}

fn write(
    image: &Image,
    options: &Export,
    watch: &Watch,
    (mut file, sparse): (&File, bool),
) -> io::Result<Summary> {
    let (means, note) = (options.how.means(), |done| watch.note(done));
    if sparse { export_sparse(image, means, &note, file) } else { export(image, means, &note, &mut file) }
}
