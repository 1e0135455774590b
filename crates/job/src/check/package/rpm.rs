//! RPM packages: the header has the digest of each file, and digests of the header and the payload.

use super::claims::{Claims, Extra, member};
use super::small::SmallMembers;
use hashmill_archive::{Limits, RpmPart, RpmStatements, rpm_statements};
use hashmill_digest::{Digest, find, hash};
use hashmill_os::names;
use std::fs::File;
use std::io::BufReader;

/// Returns what a package states of its files and of itself.
pub(super) fn claims(package: &[u8], _: &SmallMembers, memory: usize) -> Claims {
    let mut claims = Claims::default();
    let limits = Limits { memory: memory as u64 / 2 };
    let stated = File::open(names::path_to_try(package)).ok();
    let stated = stated.and_then(|file| rpm_statements(&mut BufReader::new(file), &limits).ok());
    let Some(RpmStatements { files, parts }) = stated else { return claims };
    for (number, part) in parts.iter().enumerate() {
        let (name, is_unpacked) = match part.part {
            RpmPart::Header => ("header", false),
            RpmPart::HeaderAndPayload => ("header+payload", false),
            RpmPart::Payload => ("payload", false),
            RpmPart::PlainPayload => ("payload, decompressed", true),
        };
        let digest = &part.digest;
        let path: Box<[u8]> = [package, format!("!{name} ({})", digest.algorithm).as_bytes()].concat().into();
        let is_repeated = claims.extras.iter().any(|extra: &Extra| extra.path == path);
        let path = if is_repeated { [&path, format!(" {number}").as_bytes()].concat().into() } else { path };
        let range = part.start..part.end.unwrap_or(u64::MAX);
        claims.add(path.clone(), digest.algorithm, &digest.bytes, None);
        claims.extras.push(Extra { path, range, is_unpacked });
    }
    for file in files.iter().filter(|file| !file.is_ghost) {
        if let Some(digest) = &file.digest {
            claims.add(member(package, &file.path), digest.algorithm, &digest.bytes, file.size);
        } else if let Some(target) = &file.target {
            let digest = find("sha256").map(|sha256| hash(sha256, target));
            let digest = digest.as_ref().map_or(&[][..], Digest::as_bytes);
            claims.add(member(package, &file.path), "sha256", digest, None);
        }
    }
    claims
}
