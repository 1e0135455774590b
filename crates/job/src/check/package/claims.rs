//! The claims of a package about its members and itself.

use hashmill_content::archives::{part, plain};
use hashmill_content::entry::portions::failed;
use hashmill_content::resources::Resources;
use hashmill_digest::{Digest, find};
use hashmill_manifest::{Named, Record, Status};
use hashmill_source::WalkItem;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The claims of a package.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// Paths with digests.
    pub(super) records: Vec<Record>,
    /// Parts of the package itself that claims are about.
    pub(super) extras: Vec<Extra>,
    /// The members whose decompressed content claims are about, too, with the paths of these claims.
    pub(super) unpacked: HashMap<Box<[u8]>, Box<[u8]>>,
    /// The members that need no claim.
    pub(super) exempt: HashSet<Box<[u8]>>,
    /// Files that the package does not state, or states twice.
    pub(super) doubts: Vec<WalkItem>,
    /// The members that have claims by their names alone: nothing leads to them.
    pub(super) strays: Vec<Box<[u8]>>,
}

/// A part of a package.
#[derive(Debug)]
pub(super) struct Extra {
    /// The path by which claims name it.
    pub(super) path: Box<[u8]>,
    /// The positions of its bytes.
    pub(super) range: Range<u64>,
    /// Whether it is about what the part decompresses to.
    pub(super) is_unpacked: bool,
}

impl Extra {
    /// Returns the entry of the part.
    pub(super) fn entry(self, package: &[u8], resources: &Resources) -> Option<WalkItem> {
        part(package, self.path, self.range, self.is_unpacked, resources)
    }
}

impl Claims {
    /// Adds a claim. An algorithm that is not known here leaves it without digest.
    pub(super) fn add(
        &mut self,
        path: impl Into<Box<[u8]>>,
        algorithm: &str,
        digest: &[u8],
        size: Option<u64>,
    ) {
        let named =
            find(algorithm).ok().filter(|algorithm| algorithm.bits.div_ceil(8) as usize == digest.len());
        let named = named.map(|algorithm| Named { algorithm, digest: Digest::new(digest), guessed: false });
        let record = Record::bare(path.into(), Status::Hashed);
        self.records.push(Record { size, digests: named.into_iter().collect(), ..record });
    }

    /// Adds a doubt about a part of the package.
    pub(super) fn doubt(&mut self, path: &[u8], word: &'static str, why: impl Into<String>) {
        self.doubts.push(failed(path, word, why.into()));
    }
}

/// Returns the path of a member of a package, as installers make one of it: without empty and `.` parts.
pub(super) fn member(package: &[u8], path: &[u8]) -> Box<[u8]> {
    [package, b"!/", &plain(path)].concat().into()
}

/// Returns the name of a member that is on top of a package.
pub(super) fn on_top<'p>(package: &[u8], path: &'p [u8]) -> Option<&'p [u8]> {
    path.strip_prefix(package)?.strip_prefix(b"!/").filter(|name| !name.contains(&b'/'))
}

/// Returns the bytes that hexadecimal digits stand for.
pub(super) fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    Digest::from_hex(digits).ok().map(|digest| digest.as_bytes().to_vec())
}
