//! Imports of all formats that `hashmill-manifest` reads: manifests, plain lists, hash sets of HashKeeper, iLook and
//! EnCase.

use super::intake::Intake;
use crate::build::Annotation;
use crate::error::{Error, Why};
use hashmill_manifest::format::{self, Hint, Opened};
use hashmill_manifest::{Record, Status};
use std::io::Read;

pub(super) fn import(stream: Box<dyn Read + '_>, hint: Hint, intake: &mut Intake<'_>) -> Result<(), Error> {
    let opened = format::open(stream, hint).map_err(|why| Error::new(&intake.path, Why::List(why)))?;
    import_opened(opened, intake)
}

pub(super) fn import_opened(opened: Opened<'_>, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format(opened.format.name);
    let detail = intake.number(&intake.detail());
    for record in opened.reader {
        match record {
            Ok(record) if is_whole(&record) => {
                let digests = record.digests.iter();
                let digests = digests.map(|named| (named.algorithm, named.digest.as_bytes()));
                intake.record(digests, Annotation { detail, size: record.size })?;
            }
            // A file that was not read: nothing knows it again.
            Ok(record) if record.piece.is_none() && record.status != Status::Skipped => intake.lose(1),
            Ok(_) => intake.skip(),
            Err(malformed) => intake.malformed(malformed)?,
        }
    }
    Ok(())
}

/// Returns whether a record is of a whole file that was read to its last byte. The digest of a piece says nothing about
/// a file.
fn is_whole(record: &Record) -> bool {
    record.piece.is_none() && record.is_sound()
}
