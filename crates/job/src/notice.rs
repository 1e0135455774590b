//! Messages about events that do not stop an operation.

use crate::manifest_writer::Refusal;
use crate::manifest_writer::bare_names::SharedNames;
use hashmill_content::entry::facts::Coverage;
use hashmill_digest::Algorithm;
use hashmill_lists::judged::Judged;
use hashmill_lists::sealing::Sealed;
use hashmill_lists::unsupported::{Tried, Unsupported};
use hashmill_manifest::audit::Incomparable;
use hashmill_manifest::format::Malformed;
use hashmill_source::Note;
use hashmill_terminal::{Shown, count};
use std::fmt;
use std::path::Path;

/// An event that is worth a line of output and does not stop the operation. `Display` writes that line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// A line of a list can't be parsed.
    Malformed {
        /// The list.
        list: &'a [u8],
        /// The place in the list, and the reason.
        why: &'a Malformed,
    },
    /// A list has digests that can't be computed here.
    Unsupported {
        /// The list.
        list: &'a [u8],
        /// Their number and their algorithms.
        digests: &'a Unsupported,
    },
    /// A list names no algorithm; its files showed that its digests are by these.
    Guessed {
        /// The list.
        list: &'a [u8],
        /// The algorithms.
        algorithms: &'a [&'static Algorithm],
    },
    /// The result of verifying a signature beside a list.
    Signature(&'a Judged),
    /// No file matched by any algorithm that the digests of a list may belong to.
    Tried {
        /// The list, or a name that stands for several lists.
        list: &'a [u8],
        /// The digests.
        tried: Tried,
    },
    /// A list names no algorithm, and all files to learn it from are large: one of them is hashed by several
    /// algorithms.
    Trying {
        /// The list.
        list: &'a [u8],
        /// The file that is hashed.
        path: &'a [u8],
        /// Its size in bytes.
        size: u64,
        /// The algorithms that it is hashed by now; likelier ones did not match.
        algorithms: &'a [&'static Algorithm],
    },
    /// Several files of a manifest with bare names share one name.
    SharedNames(&'a SharedNames),
    /// A part of a package is as its name says, and nothing else in the package leads to it.
    Stray {
        /// The part.
        path: &'a [u8],
    },
    /// All files of an archive are below one folder that the other side of a comparison has not: it is not part of their paths.
    WithoutTop {
        /// The archive.
        archive: &'a [u8],
        /// The folder.
        top: &'a [u8],
    },
    /// This many files are empty, and no content of theirs can be lacking.
    EmptyFiles(u64),
    /// This many files of one side are files of the other, and no copies of them.
    SameFiles(u64),
    /// An image matched by what was not asked for: its medium, or the file as it lies.
    OtherReading {
        /// The image.
        path: &'a [u8],
        /// The part that matched.
        of: Incomparable,
    },
    /// Files were read through the page cache although direct I/O was requested.
    PageCache(&'a Note),
    /// Files were read although an earlier manifest has records of them.
    Unreused {
        /// The earlier manifest.
        list: &'a [u8],
        /// The reason.
        why: &'a str,
    },
    /// The format of the manifest can't carry a record.
    Refused(&'a Refusal<'a>),
    /// The manifest is complete, but signing it failed.
    Unsigned(&'a hashmill_lists::Error),
    /// A signature beside the manifest covers its earlier content.
    StaleSignature(&'a Path),
    /// The manifest was sealed.
    Sealed(&'a Sealed),
    /// The manifest could not be written to its end; a later run can resume it.
    Resumable,
    /// The manifest lacks objects of a store that could not be reached; a later run can hash only these.
    Unreached,
    /// The bytes of a file system in an image were counted by their use.
    Covered(&'a Coverage),
    /// The manifest is complete but was not given its name, because the existing manifest is better.
    Withheld,
}

/// Makes a callback for the signatures beside a list from one for notices.
pub(crate) fn of_signatures<'a>(told: &'a mut dyn FnMut(Notice<'_>)) -> impl FnMut(&Judged) + 'a {
    |judged| told(Notice::Signature(judged))
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Malformed { list, why } => write!(f, "{}: {why}", Shown(list)),
            Notice::Unsupported { list, digests } => write!(f, "{}: {digests}", Shown(list)),
            Notice::Tried { list, tried } => write!(f, "{}: {tried}", Shown(list)),
            Notice::Stray { path } => write!(f, "{}: nothing in the package leads to it", Shown(path)),
            Notice::WithoutTop { archive, top } => {
                write!(f, "{}: all files are below {}/, which is not part of their paths", Shown(archive), Shown(top))
            }
            Notice::Guessed { list, algorithms } => {
                let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name).collect();
                write!(f, "{}: no algorithm is named; guessed: {}", Shown(list), names.join(", "))
            }
            Notice::Signature(judged) => judged.fmt(f),
            Notice::Trying { list, path, size, algorithms } => {
                let (list, path, mib) = (Shown(list), Shown(path), size.div_ceil(1 << 20));
                let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name).collect();
                let names = names.join(", ");
                write!(
                    f,
                    "{list}: no algorithm is named; {path} ({mib} MiB) does not match by the likeliest and is now hashed by {names}; -c ALGORITHM saves that"
                )
            }
            Notice::OtherReading { path, of } => {
                let of = match of {
                    Incomparable::Medium => "the medium in the image",
                    _ => "the file of the image as it lies",
                };
                write!(f, "{}: the list's digest is of {of}, which was read, too, and matches", Shown(path))
            }
            Notice::EmptyFiles(files) => {
                let files = count(*files, "empty file counts", "empty files count");
                write!(f, "{files} as there: without content, none can be lacking")
            }
            Notice::SameFiles(files) => {
                let files = count(*files, "file of B is one of A", "files of B are files of A");
                write!(f, "{files}, and no copies: they are gone when those of A are (is one disk mounted twice?)")
            }
            Notice::PageCache(note) => {
                let files = count(note.files, "file", "files");
                let path = Shown(&note.path);
                write!(
                    f,
                    "{path}: --io direct is not possible on its file system: {files} read through the page cache"
                )
            }
            Notice::SharedNames(SharedNames { files, first, is_part }) => match (files, is_part) {
                (0, _) => f.write_str("there are too many names to find those that several files share"),
                (_, is_part) => {
                    let least = if *is_part { "at least " } else { "" };
                    let files = count(*files, "file has", "files have");
                    write!(
                        f,
                        "WARNING: {least}{files} the bare name of another; the first is {}",
                        Shown(first)
                    )
                }
            },
            Notice::Unreused { list, why } => write!(f, "{}: {why}", Shown(list)),
            Notice::Refused(refusal) => refusal.fmt(f),
            Notice::Unsigned(error) => {
                write!(f, "{error}; the manifest is complete but not signed; sign it with hashmill sign")
            }
            Notice::StaleSignature(path) => {
                let path = Shown::path(path);
                write!(f, "{path}: WARNING: a signature of the earlier content; sign again, or remove it")
            }
            Notice::Sealed(Sealed { place, seal }) => {
                let records = count(seal.records, "record", "records");
                write!(f, "{}: {records}, root {}", Shown::path(place), seal.digest())
            }
            Notice::Covered(sum) => sum.fmt(f),
            Notice::Withheld => {
                f.write_str("the new records are kept; --resume --force replaces the old manifest")
            }
            Notice::Unreached => f.write_str(
                "the store could not be reached for all of it; the same command with --resume reads only what is missing",
            ),
            Notice::Resumable => f.write_str("what was finished is kept; --resume continues from there"),
        }
    }
}
