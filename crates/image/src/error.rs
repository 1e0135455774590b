//! The reason why an image can't be opened.

use crate::{Container, Family, Finding, ImageLocation};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The bytes of a stated format that a message shows; QEMU has no longer names.
const MOST_FORMAT: usize = 15;

/// An error that prevents opening an image, with the findings made before it.
#[derive(Debug)]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub problem: Problem,
    /// Further problems.
    pub findings: Vec<Finding>,
}

/// The reason why an image can't be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A file could not be read.
    Io(io::Error),
    /// It is named like a segment of an image, but lacks the signature.
    NotAnImage,
    /// The content is encrypted, in this way.
    Encrypted(&'static str),
    /// It is compressed in a way that is not supported; the text says in which.
    Compression(Box<str>),
    /// It does not state usable sizes of chunks and media.
    Geometry,
    /// It has more sections than an image can have.
    Sections,
    /// It is a container of another kind, with other bytes than its media.
    Container(&'static Container),
    /// A virtual disk whose header can't be used.
    Header(&'static str),
    /// A virtual disk that uses something that is not supported.
    Feature(Box<str>),
    /// A layer over a backing file, which the caller did not open.
    Backing(StatedBacking),
    /// The caller opened a backing file for an image that has none.
    NoBacking,
    /// A layer over this backing file, which is a layer over it, directly or by way of others.
    BackingLoop(StatedBacking),
    /// A layer over this backing file, below more layers than are opened.
    BackingDepth(StatedBacking),
    /// A backing file that is not in this format, which the layer over it states.
    BackingFormat(Box<[u8]>),
    /// Only the differences from a parent image, by its name or identity.
    Parent(Box<str>),
    /// A part of the image is in a file with this name, which is not a plain name of a file beside it.
    FileName(Box<str>),
    /// A stream of the image with this name is in another volume, which was not given.
    Volume(Box<str>),
}

/// The statement of a layer about its backing file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedBacking {
    /// The name; any bytes.
    pub name: Box<[u8]>,
    /// The format, as QEMU calls it; any bytes.
    pub format: Option<Box<[u8]>>,
}

impl Problem {
    /// Creates the problem of a compression method with an unknown number.
    pub(crate) fn unknown_method(number: impl fmt::Display) -> Problem {
        Problem::Compression(format!("the unknown method {number}").into())
    }
}

impl Error {
    /// Creates an error of this file.
    pub fn new(path: &Path, problem: Problem) -> Self {
        Error { path: path.to_path_buf(), problem, findings: Vec::new() }
    }

    /// Creates an error for a file that can't be read.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Error::new(path, Problem::Io(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) => write!(f, "{error}"),
            Problem::NotAnImage => write!(f, "is named like a forensic image, but is not one"),
            Problem::Encrypted(encryption) => {
                write!(f, "is encrypted ({encryption}); encrypted images are not supported")
            }
            Problem::Compression(how) => write!(f, "is compressed by {how}"),
            Problem::Geometry => write!(f, "does not state usable sizes of chunks and media"),
            Problem::Sections => write!(f, "has more sections than an image can have"),
            Problem::Container(container) => match container.family {
                Family::Image => write!(f, "is {container}; hashmill can't read its media"),
                Family::Archive => write!(f, "is {container}, and no image"),
            },
            Problem::Header(why) => write!(f, "its header can't be used: {why}"),
            Problem::Feature(what) => write!(f, "uses {what}, which is not supported"),
            Problem::Backing(stated) => {
                write!(f, "is a layer over the backing file '{stated}', which was not given")
            }
            Problem::NoBacking => write!(f, "is not a layer over a backing file, but one was given"),
            Problem::BackingLoop(stated) => {
                write!(
                    f,
                    "is a layer over the backing file '{stated}', which is itself a layer over this one"
                )
            }
            Problem::BackingDepth(stated) => {
                write!(f, "is a layer over the backing file '{stated}', and below more layers than are read")
            }
            Problem::BackingFormat(format) => {
                let format = String::from_utf8_lossy(&format[..format.len().min(MOST_FORMAT)]);
                write!(f, "is not in the format '{format}', which the layer over it states")
            }
            Problem::Parent(name) => {
                write!(f, "holds only the differences from its parent {name}; such images are not supported")
            }
            Problem::FileName(name) => {
                write!(f, "names '{name}' as its part, which is not a plain name of a file beside it")
            }
            Problem::Volume(name) => {
                write!(
                    f,
                    "is one volume of several: '{name}' is in another, and such images are not supported"
                )
            }
        }
    }
}

/// The name, as text.
impl fmt::Display for StatedBacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.name))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// A chunk that could not be read completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkProblem {
    /// The chunk's number, from 0.
    pub chunk: u64,
    /// The problem.
    pub kind: crate::ProblemKind,
    /// The segment, chunk and media bytes.
    pub place: ImageLocation,
}

impl From<ChunkProblem> for Finding {
    fn from(problem: ChunkProblem) -> Finding {
        problem.kind.at(problem.place)
    }
}

impl From<ChunkProblem> for io::Error {
    fn from(problem: ChunkProblem) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, problem)
    }
}

impl fmt::Display for ChunkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place, self.kind)
    }
}

impl std::error::Error for ChunkProblem {}
