//! Published checksums beside a file: `x.zip.sha1`, `x.zip.sha`, `x.zip.sha256`, `x.zip.md5`, or a list such as
//! `SHA256SUMS` that names the file.

use super::beginning::beginning;
use super::input::Notice;
use super::intake::Intake;
use crate::error::{Error, Why};
use hashmill_digest::{Algorithm, Digest, MessageHasher};
use hashmill_manifest::format::{self, Hint};
use hashmill_os::{SharedFile, names};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The suffixes that sidecar files add to the file's name.
const SIDECARS: [&str; 6] = ["sha256", "sha512", "sha1", "sha", "md5", "txt"];

/// Names of lists that may contain the file.
const LISTS: [&str; 6] =
    ["SHA256SUMS", "SHA1SUMS", "MD5SUMS", "sha256sums.txt", "sha1sums.txt", "signatures.txt"];

/// The largest file in bytes that may be a list of checksums.
const MAX_FILE: u64 = 4 << 20;

/// A published digest of a file.
struct Stated {
    stated_in: PathBuf,
    algorithm: &'static Algorithm,
    digest: Digest,
}

/// Compares a file with the strongest checksum beside it, if there is one.
pub(super) fn verify(path: &Path, file: SharedFile, intake: &mut Intake<'_>) -> Result<(), Error> {
    let Some(Stated { stated_in, algorithm, digest }) = stated(path) else { return Ok(()) };
    let found = hash(file, algorithm).map_err(Error::io(path, "read"))?;
    let algorithm = algorithm.name;
    if found != digest {
        return Err(Error::new(path, Why::Checksum { stated_in, algorithm }));
    }
    intake.notice(Notice::Verified { stated_in, algorithm });
    Ok(())
}

fn stated(path: &Path) -> Option<Stated> {
    let own = path.file_name()?;
    let name = names::bytes(own);
    let sidecar = |ending: &&str| {
        let mut sidecar = own.to_os_string();
        sidecar.push(format!(".{ending}"));
        path.with_file_name(sidecar)
    };
    let sidecars = SIDECARS.iter().map(sidecar);
    let lists = LISTS.iter().map(|list| path.with_file_name(list));
    sidecars.chain(lists).find_map(|list| stated_in(list, &name))
}

/// Returns the digest that a list states for a file of this name; a list of one digest without a name applies to any
/// file.
fn stated_in(list: PathBuf, name: &[u8]) -> Option<Stated> {
    // Opening a pipe would block.
    let short = std::fs::metadata(&list).is_ok_and(|data| data.is_file() && data.len() < MAX_FILE);
    let file = if short { File::open(&list).ok()? } else { return None };
    let hint = Hint::from_name(&names::path_bytes(&list));
    let (_, stream) = beginning(Box::new(file)).ok()?;
    let records: Vec<_> = format::open(stream, hint).ok()?.reader.flatten().collect();
    let own = |path: &[u8]| path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next() == Some(name);
    let lone = records.len() == 1 && records[0].path.is_empty();
    let record = records.iter().find(|record| own(&record.path) || lone)?;
    let named = record.digests.first().filter(|named| named.digest.bits() >= 128)?;
    Some(Stated { stated_in: list, algorithm: named.algorithm, digest: named.digest })
}

fn hash(mut stream: impl Read, algorithm: &Algorithm) -> std::io::Result<Digest> {
    let mut hasher = MessageHasher::new(algorithm);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            length => hasher.update(&buffer[..length]),
        }
    }
}
