//! What is worth a line, and stops nothing.

use crate::bare_names::SharedNames;
use crate::error::Error;
use crate::manifest_writer::Refusal;
use crate::sealing::Sealed;
use crate::shown::{Shown, count};
use crate::signatures::judged::Judged;
use crate::unsupported::{Tried, Unsupported};
use hashloom_digest::Algorithm;
use hashloom_manifest::format::Malformed;
use hashloom_source::Note;
use std::fmt;
use std::path::Path;

/// Something that is worth a line. As text it is that line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// A line of a list that is not understood.
    Malformed {
        /// The list.
        list: &'a [u8],
        /// Where and why.
        why: &'a Malformed,
    },
    /// A list has digests that can't be computed here.
    Unsupported {
        /// The list.
        list: &'a [u8],
        /// How many, and of what.
        digests: &'a Unsupported,
    },
    /// Nothing names the algorithm of a list's digests, and its files told these.
    Guessed {
        /// The list.
        list: &'a [u8],
        /// The kind of thing that the digests are of.
        algorithms: &'a [&'static Algorithm],
    },
    /// The worth of a signature beside a list.
    Signature(&'a Judged),
    /// No file matched by any algorithm that a list's digests may be of.
    Tried {
        /// The list, or what stands for several.
        list: &'a [u8],
        /// The digests.
        tried: Tried,
    },
    /// A list names no algorithm, and has only large files to learn it from: one is hashed by several.
    Trying {
        /// The list.
        list: &'a [u8],
        /// The file.
        path: &'a [u8],
        /// Its size in bytes.
        size: u64,
        /// By what it is hashed now; likelier ones did not fit.
        algorithms: &'a [&'static Algorithm],
    },
    /// Files of a manifest with bare names that have one name.
    SharedNames(&'a SharedNames),
    /// Files were not read past the page cache although that was asked for.
    PageCache(&'a Note),
    /// A record that the manifest's format can't carry.
    Refused(&'a Refusal<'a>),
    /// The manifest is whole, but signing it failed.
    Unsigned(&'a Error),
    /// A signature beside the manifest is of what was there before.
    StaleSignature(&'a Path),
    /// The manifest was sealed.
    Sealed(&'a Sealed),
    /// The manifest could not be written to its end; what was written can be resumed.
    Resumable,
    /// The manifest lacks objects of a store that could not be reached; a later run can hash these alone.
    Unreached,
    /// The manifest is whole, but has not got its name, as a better one has it.
    Withheld,
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Malformed { list, why } => write!(f, "{}: {why}", Shown(list)),
            Notice::Unsupported { list, digests } => write!(f, "{}: {digests}", Shown(list)),
            Notice::Tried { list, tried } => write!(f, "{}: {tried}", Shown(list)),
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
            Notice::PageCache(note) => {
                let files = count(note.files, "file", "files");
                let path = Shown(&note.path);
                write!(
                    f,
                    "{path}: --io direct is not possible on its file system: {files} read through the page cache"
                )
            }
            Notice::SharedNames(SharedNames { files, first, is_part }) => match (files, is_part) {
                (0, _) => f.write_str("there are too many names to tell which are those of several files"),
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
            Notice::Refused(refusal) => refusal.fmt(f),
            Notice::Unsigned(error) => {
                write!(f, "{error}; the manifest is complete but not signed; sign it with hashloom sign")
            }
            Notice::StaleSignature(path) => {
                let path = Shown::path(path);
                write!(f, "{path}: WARNING: a signature of the earlier content; sign again, or remove it")
            }
            Notice::Sealed(Sealed { place, seal }) => {
                let records = count(seal.records, "record", "records");
                write!(f, "{}: {records}, root {}", Shown::path(place), seal.digest())
            }
            Notice::Withheld => f.write_str("what was hashed is kept; --resume --force puts it there"),
            Notice::Unreached => f.write_str(
                "the store could not be reached for all of it; the same command with --resume reads only what is missing",
            ),
            Notice::Resumable => f.write_str("what was finished is kept; --resume continues from there"),
        }
    }
}
