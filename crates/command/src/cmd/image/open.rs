//! Opening images, and the messages about images and findings.

use crate::access;
use crate::words::message;
use hashmill_content::imaging;
use hashmill_content::imaging::OpenOptions;
use hashmill_content::inside::Disk;
use hashmill_image::Error;
use hashmill_image::Family;
use hashmill_image::Finding;
use hashmill_image::Format;
use hashmill_image::Image;
use hashmill_image::Problem;
use hashmill_image::Severity;
use hashmill_job::account::{Account, Item};
use std::io;
use std::path::Path;

/// Opens an image; if it can't be opened, prints the reason with all findings.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Image, Box<Account>> {
    imaging::open(path, options).map_err(|error| {
        tell_refused(&error, &imaging::shown(path));
        Box::new(account_of(&error))
    })
}

/// Tells if the end of raw media is missing, which only their partition table knows.
pub(super) fn account_of_end(path: &Path, image: Image) -> Account {
    if image.format() != Format::Raw {
        return Account::default();
    }
    let disk = Disk::new(path, image, &access::stores());
    let table = disk.iter().flat_map(|disk| &disk.layout().table.doubts);
    let cut = table.filter(|doubt| matches!(doubt, hashmill_disk::Problem::CutOff { .. }));
    let told = cut.map(|doubt| message::about_path(&imaging::shown(path), doubt)).count();
    Account::failed(Item::Container, told as u64)
}

/// Prints why an image can't be opened, with all findings.
pub(super) fn tell_refused(error: &Error, path: &Path) {
    message::about_path(path, cause(error, path));
    error.findings.iter().for_each(message::say);
}

/// Returns why an image can't be opened, with the segment if that is another file.
pub(super) fn cause(error: &Error, path: &Path) -> String {
    match &error.problem {
        Problem::Container(found) if error.path == path => {
            let archives = match found.family {
                Family::Archive => "; 'hashmill hash --inside archives' reads archives",
                Family::Image => "",
            };
            format!("{}{archives}; --raw takes its own bytes", error.problem)
        }
        _ => imaging::reason(error, path),
    }
}

/// Returns the exit code: unreadable images and those in no known format have different ones.
pub(super) fn account_of(error: &Error) -> Account {
    match error.problem {
        // A malformed location is a mistake of the command line.
        Problem::Io(ref error) if error.kind() == io::ErrorKind::InvalidInput => {
            Account::unusable(Item::Container, 1)
        }
        Problem::Io(_) => Account::failed(Item::Container, 1),
        _ => Account::unusable(Item::Container, 1),
    }
}

/// Returns the severity of a finding in a word: "note", "damage".
pub(super) fn weight(finding: &Finding) -> &'static str {
    match finding.kind.severity() {
        Severity::Note => "note",
        Severity::Structure => "structure",
        Severity::Damage => "damage",
        Severity::Missing => "missing",
        Severity::Unsupported => "unsupported",
    }
}
