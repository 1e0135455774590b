//! Documents that could be mistaken for digest lists. They are recognised in order to be refused by name instead of
//! misread; lock files of package managers are in [`super::packages`].
//!
//! To add one: a row here, and a sample in `tests/lists.rs`.

use super::by_line;
use super::packages::PACKAGES;
use crate::format::document::{Document, FirstLines};
use crate::format::read::content::content;
use crate::format::read::text::words;
use crate::format::values::naming::{is_hex, number};
use hashmill_digest::{Algorithm, Text};

/// The name of sets that list no files here, and that sets of known digests are made of.
pub const MEDIA_SET: &str = "a set of media of Project VIC (VICS)";
const ARCHIVE: &str =
    "hashmill diff compares a folder with what is in it; hashmill hash --inside archives lists that";
const SIGNED_FILE: &str = "give the file that it signs; hashmill verify checks signatures";
const SHA256SUM: &str = "a list of the same files by sha256sum, rhash or hashmill hash can be read";

/// All documents that are refused by name; the first match counts.
pub static DOCUMENTS: &[Document] = &[
    #[cfg(not(feature = "tables"))]
    Document {
        name: "a Parquet file",
        advice: "this build does not read it (feature tables)",
        is: |first| first.starts(b"PAR1"),
    },
    #[cfg(not(feature = "tables"))]
    Document {
        name: "an SQLite database",
        advice: "this build does not read it (feature tables)",
        is: |first| first.starts(b"SQLite format 3\0"),
    },
    Document { name: "a zip archive", advice: ARCHIVE, is: |first| first.starts(b"PK\x03\x04") },
    Document {
        name: "a torrent",
        advice: "its digests are of pieces across files; a BitTorrent client verifies it",
        is: |first| {
            first.starts(b"d8:announce") || first.starts(b"d4:info") || first.starts(b"d13:announce-list")
        },
    },
    Document {
        name: "a signature of OpenPGP alone",
        advice: "give the file that it signs; gpg --verify checks the signature",
        is: |first| first.line(|line| line == b"-----BEGIN PGP SIGNATURE-----"),
    },
    Document {
        name: "a message of OpenPGP",
        advice: "gpg --decrypt gives the text in it",
        is: |first| first.line(|line| line == b"-----BEGIN PGP MESSAGE-----"),
    },
    Document {
        name: "a signature of OpenSSH",
        advice: SIGNED_FILE,
        is: |first| first.line(|line| line == b"-----BEGIN SSH SIGNATURE-----"),
    },
    Document {
        name: "a signature of minisign or signify",
        advice: SIGNED_FILE,
        is: |first| first.starts(b"untrusted comment: ") && !has_list(first),
    },
    Document {
        name: "a web page",
        advice: "save the list itself; a server may have answered with an error page",
        is: |first| first.tag(b"<!doctype html") || first.tag(b"<html"),
    },
    Document {
        name: "a CycloneDX document in XML",
        advice: "its form in JSON can be read",
        is: |first| first.tag(b"<") && first.has(b"cyclonedx.org/schema/bom"),
    },
    Document {
        name: "an SPDX document in RDF or YAML",
        advice: "its forms in JSON and in tags and values can be read",
        is: |first| {
            let xml = (first.tag(b"<") || first.tag(b"{")) && first.has(b"spdx.org/rdf");
            xml || first.line(|line| line.starts_with(b"spdxVersion:"))
        },
    },
    Document {
        name: "an answer of Amazon S3 about one object",
        advice: "it does not name the object; aws s3api list-objects-v2 does, and hashmill hash -c s3-etag:SIZE,s3-sha256:SIZE of the files gives digests to compare",
        is: |first| {
            first.tag(b"{")
                && first.has(b"\"ETag\"")
                && (first.has(b"\"StorageClass\"") || first.has(b"\"LastModified\""))
        },
    },
    Document {
        name: "an in-toto statement in an envelope",
        advice: "cosign or slsa-verifier reads it, and hashmill verify --model that of a model",
        is: |first| first.tag(b"{") && (first.has(b"in-toto.io/") || first.has(b"\"payloadType\"")),
    },
    Document {
        name: "a Metalink document",
        advice: SHA256SUM,
        is: |first| first.tag(b"<") && first.has(b"<metalink"),
    },
    Document {
        name: "output of certutil in another language than English",
        advice: "write its digest and the file's name into one line: DIGEST, two spaces, NAME",
        is: |first| {
            first.line(|line| line.starts_with(b"CertUtil: -"))
                && !first.line(crate::format::lines::certutil::sniff)
        },
    },
    Document {
        name: "a table of names and digests with unclear titles for the paths or the algorithms",
        advice: "name one column path, and those with digests after their algorithms (md5, sha256)",
        is: |first| first.lines.first().is_some_and(|line| is_unclear_table(line)),
    },
    Document {
        name: "a go.sum",
        advice: "go mod verify reads it",
        is: |first| first.line(|line| has_after(line, b" h1:", |rest| rest.len() == 44)),
    },
    Document {
        name: "a list of likeness digests",
        advice: "hashmill similar search --against reads it",
        is: |first| {
            first.starts(b"ssdeep,1.")
                || first.line(|line| line.starts_with(b"sdbf:") || line.starts_with(b"sdbf-dd:"))
        },
    },
    Document {
        name: "a list of the checksums of sum (BSD or System V)",
        advice: "sum's checksums have 16 bits; cksum and all other tools make lists that can be read",
        is: is_sums,
    },
    Document {
        name: "a list of digests of bits (shasum -0)",
        advice: "each file spells the bits in 0 and 1; without -0 a list is of bytes and can be read",
        is: |first| !first.lines.is_empty() && first.lines.iter().all(|line| is_of_bits(line)),
    },
    Document {
        name: "a table of the NSRL without digests (NSRLMfg.txt, NSRLOS.txt, NSRLProd.txt)",
        advice: "hashmill known build reads NSRLFile.txt, and these tables beside it",
        is: |first| {
            let starts: [&[u8]; 3] = [b"\"MfgCode\",", b"\"OpSystemCode\",", b"\"ProductCode\","];
            first.lines.first().is_some_and(|line| starts.iter().any(|start| line.starts_with(start)))
        },
    },
    Document {
        name: "an update of the NSRL's database in SQL",
        advice: "hashmill known build reads it behind the database that it changes",
        is: |first| {
            first.line(|line| {
                line.starts_with(b"INSERT INTO FILE ") || line.starts_with(b"INSERT INTO METADATA ")
            })
        },
    },
    Document {
        name: MEDIA_SET,
        advice: "hashmill known build makes a set of known digests of it, and hashmill known match looks files up in that",
        is: |first| {
            let model = first.has(b"ProjectVic") || first.has(b"VICS") || first.has(b"\"MediaID\"");
            model && first.tag(b"{") && first.has(b"\"value\"")
        },
    },
    Document {
        name: "a list of git lfs ls-files with shortened digests",
        advice: "git lfs ls-files --long writes whole ones",
        is: |first| crate::format::lines::lfs::is_short(first.bytes),
    },
    Document {
        name: "a pointer of Git LFS",
        advice: "git lfs pull gets the file, and git lfs ls-files --long a list; hashmill check --store git-lfs checks a store",
        is: |first| first.starts(b"version https://git-lfs.github.com/spec/"),
    },
    Document {
        name: "a note of digests without the name of their file (HashTab, 7-Zip)",
        advice: "write digest and name into one line: DIGEST, two spaces, NAME",
        is: |first| !has_list(first) && first.line(is_labelled),
    },
];

/// Returns the kind of document with these first bytes, if it is one that is refused.
pub(in crate::format) fn recognise(first: &[u8]) -> Option<&'static Document> {
    let bytes = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let first = FirstLines { bytes, lines: content(bytes).collect() };
    PACKAGES.iter().chain(DOCUMENTS).find(|row| (row.is)(&first))
}

/// Like [`recognise`], but only by the magic bytes at the start.
pub(in crate::format) fn by_magic(first: &[u8]) -> Option<&'static Document> {
    // No longer than the shortest line of a list, so that it can't contain a name.
    let start = &first[..first.len().min(MAGIC)];
    let first = FirstLines { bytes: start, lines: Vec::new() };
    DOCUMENTS.iter().find(|row| (row.is)(&first))
}

/// The number of bytes for recognition by magic.
const MAGIC: usize = 16;

/// Returns whether there is a line of a readable list.
fn has_list(first: &FirstLines<'_>) -> bool {
    first.line(|line| by_line(line).is_some_and(|format| matches!(format.name, "sums" | "bsd")))
}

/// Returns whether a line is an ambiguous table header, with several possible paths or digests of one algorithm.
fn is_unclear_table(line: &[u8]) -> bool {
    let divided = |divider: u8| {
        let fields: Vec<String> = line
            .split(|byte| *byte == divider)
            .map(|field| String::from_utf8_lossy(field).trim_matches(['"', ' ']).to_ascii_lowercase())
            .collect();
        let name =
            fields.iter().any(|field| matches!(field.as_str(), "name" | "filename" | "file name" | "path"));
        let hash = |field: &String| {
            let rest = field.strip_prefix("hash");
            rest.is_some_and(|rest| !rest.starts_with('_') && rest.chars().count() <= 8)
        };
        fields.len() > 1
            && name
            && fields.iter().any(hash)
            && crate::format::tables::titles::delimiter(line).is_none()
    };
    divided(b'\t') || divided(b';')
}

/// Returns whether all recognised lines are lines of sum; remnants of a name with a line feed are ignored.
fn is_sums(first: &FirstLines<'_>) -> bool {
    let lines = || first.lines.iter();
    lines().any(|line| is_sum(line)) && lines().all(|line| is_sum(line) || by_line(line).is_none())
}

/// Recognises `checksum blocks name`, with a checksum of 16 bits.
fn is_sum(line: &[u8]) -> bool {
    let mut words = words(line);
    let small = |word: &[u8], most| number(word).is_some_and(|value| value <= most);
    let checksum = words.next().is_some_and(|word| word.len() <= 5 && small(word, u64::from(u16::MAX)));
    checksum && words.next().is_some_and(|word| small(word, u64::MAX))
}

/// Recognises `digest ^name`.
fn is_of_bits(line: &[u8]) -> bool {
    let digest = memchr::memmem::find(line, b" ^").map(|at| &line[..at]);
    digest.is_some_and(|digest| digest.len() >= 40 && is_hex(digest))
}

/// Recognises `LABEL: digest` with a digest of the label's algorithm.
fn is_labelled(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line) else { return false };
    let digest = line[colon + 1..].trim_ascii();
    let fits =
        |row: &Algorithm| row.text == Text::Hex && is_hex(digest) && digest.len() as u32 * 4 == row.bits;
    algorithm(line[..colon].trim_ascii()).is_some_and(fits)
}

fn algorithm(name: &[u8]) -> Option<&'static Algorithm> {
    let name = str::from_utf8(name).ok().filter(|name| name.len() <= 32)?;
    crate::format::tables::titles::named(&name.to_ascii_lowercase())
}

/// Returns whether the text after some occurrence of this part fits.
fn has_after(line: &[u8], part: &[u8], fits: impl Fn(&[u8]) -> bool) -> bool {
    memchr::memmem::find_iter(line, part).any(|at| fits(&line[at + part.len()..]))
}
