//! `hashloom image export`: the media as they were.

use super::open::open;
use super::options::Export;
use super::watch::Watch;
use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output};
use hashloom_image::{Image, Summary, export, export_sparse};
use hashloom_job::output::replaces;
use indicatif::BinaryBytes;
use nix::sys::statvfs::fstatvfs;
use std::fs::File;
use std::io;
use std::path::Path;

/// Zeros that may stand for what is missing wherever no hole can be: some seconds of work.
const FEW: u64 = 1 << 30;

/// The command, from options to exit code.
///
/// # Errors
/// If the media cannot be written.
pub fn run(options: &Export) -> anyhow::Result<Exit> {
    let image = match open(&options.path, options.raw) {
        Ok(image) => image,
        Err((refused, _)) => return Ok(refused),
    };
    // Said before the hours that writing may take.
    image.findings().iter().for_each(message::say);
    let stdout = options.output == Path::new("-");
    let sparse = !stdout && replaces(&options.output);
    let output = if stdout { output::stdout()? } else { Output::file(&options.output)? };
    let file = output.handle().map_err(|error| output.error(error))?;
    if let Some(refusal) = refusal(&image, &file, sparse, options.force) {
        output.discard();
        return Err(output.error(io::Error::other(refusal)).into());
    }
    let bytes = if sparse { image.held() } else { image.media_size() };
    let watch = Watch::start(options.how.progress, &output, 1, bytes)?;
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
    Ok(conclude(&image, &summary))
}

/// Says what could not be read, unless that was said at the start.
fn conclude(image: &Image, summary: &Summary) -> Exit {
    let new = summary.findings.iter().filter(|finding| !image.findings().contains(finding));
    new.for_each(message::say);
    if summary.findings.is_empty() {
        return Exit::Fine;
    }
    let more = if summary.omitted > 0 { format!(" ({} more)", summary.omitted) } else { String::new() };
    message::say(format_args!("not all could be read{more}: zeros were written instead"));
    Exit::Failed
}

/// Why writing should not even begin. A file takes room for what is there alone, and what an image only says that
/// it has becomes a hole; anywhere else it would be zeros, and a small file can ask for exabytes of them.
fn refusal(image: &Image, file: &File, sparse: bool, force: bool) -> Option<String> {
    let (size, held) = (image.media_size(), image.held());
    if !sparse {
        let missing = size - held;
        return (missing > held.max(FEW)).then(|| {
            let (size, held) = (BinaryBytes(size), BinaryBytes(held));
            format!(
                "the image should have {size}, but only {held} are in it; -o FILE leaves holes for the rest"
            )
        });
    }
    // Where the system can't tell, it will when it is full.
    let room =
        fstatvfs(file).ok().map(|room| room.blocks_available().saturating_mul(room.fragment_size()))?;
    (held > room && !force).then(|| {
        let (held, room) = (BinaryBytes(held), BinaryBytes(room));
        format!("the media may take {held}, and {room} are free; --force tries it, as zeros take no room")
    })
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
