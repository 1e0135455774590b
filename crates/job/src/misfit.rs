//! Options that exclude each other.

use hashmill_content as content;
use hashmill_digest::{ALGORITHMS, Algorithm, Style};
use hashmill_manifest::audit::Root;
use hashmill_manifest::case::MAX_TEXT;
use hashmill_manifest::format::{Carries, FORMATS, Format};
use hashmill_terminal::Shown;
use std::fmt;

/// Options that exclude each other or don't fit a format.
#[derive(Clone)]
#[non_exhaustive]
pub enum Misfit {
    /// The settings don't fit what is to be reached.
    Content(content::Misfit),
    /// hashmill only reads the format.
    NoWriter(&'static Format),
    /// The format has no pieces.
    Pieces(&'static Format),
    /// This algorithm covers a file's content and name, so it can't be computed for pieces.
    PiecesOf(&'static str),
    /// The format has no place for similarity digests, such as those of this algorithm.
    Likeness(&'static Format, &'static str),
    /// The format has no place for facts about content.
    Facts(&'static Format),
    /// Contents of this many bytes are to be scanned, and this is the most that the memory allows.
    ScanMemory {
        /// The longest content, in bytes.
        longest: usize,
        /// The most, in bytes.
        most: usize,
    },
    /// The format holds digests of one algorithm, and this is another.
    Only(&'static Format, &'static str),
    /// The format needs a digest by this algorithm of each file.
    Needs(&'static Format, &'static str),
    /// The format has no place for the digests of leaves.
    Leaves(&'static Format),
    /// None of the algorithms has leaves that can be stored.
    NoLeaves,
    /// The format has digests in one form only.
    Style(&'static Format),
    /// The style has no form for digests of this algorithm.
    OtherStyle(Style, &'static str),
    /// The format has no place for times.
    Times(&'static Format),
    /// The format has no place for metadata.
    Metadata(&'static Format),
    /// Digests of pieces are not reused.
    ReusePieces,
    /// Digests of leaves are not reused.
    ReuseLeaves,
    /// Similarity digests, such as those of this algorithm, are not reused.
    ReuseLikeness(&'static str),
    /// Content of stores, such as this location, has no metadata that would show its changes.
    ReuseLocation(Box<[u8]>),
    /// The format can't say which bytes are missing.
    BadBlocks(&'static Format),
    /// The format has no place for categories of known files.
    Labels(&'static Format),
    /// The format has no place for case data.
    Case(&'static Format),
    /// A text of the case data is too long; the field holds its name.
    LongText(&'static str),
    /// A database needs a file, and this is standard output.
    Stream(&'static Format),
    /// A database needs a file, and this is a pipe or device.
    Pipe(Box<[u8]>),
    /// Several files go to a stream.
    FilesToStream,
    /// A run with output in this format can't be resumed.
    ResumeFormat(&'static Format),
    /// Only a run in the order of paths can be resumed.
    ResumeOrder,
    /// Only an output that is a file can be resumed.
    ResumeStream,
    /// The output of this name is not a file that could be resumed.
    ResumePipe(Box<[u8]>),
    /// Only a file can be sealed.
    SealStream,
    /// Only a file can be signed.
    SignStream,
    /// Filters choose among the files of a walk, and there is none.
    NothingToWalk,
    /// Two operands stand for one directory of the manifests.
    OneRoot {
        /// The operands.
        operands: [Box<[u8]>; 2],
        /// The directory's path in the manifests.
        known: Box<[u8]>,
    },
    /// A set has digests of other algorithms only.
    OtherAlgorithms {
        /// Name of the set.
        set: Box<[u8]>,
        /// The algorithms of its digests.
        held: Vec<&'static str>,
    },
    /// Where links are followed, a repair could replace files of other folders.
    RepairFollows,
    /// Different files can have the same digest by this algorithm.
    NotCryptographic(&'static str),
    /// No list has digests by this algorithm, by which content was to be compared.
    OfNoList(&'static str),
    /// Standard input can't be both sides of a comparison.
    StdinTwice,
    /// Filters choose among files, and one side is a manifest.
    FilteredManifest,
    /// Two manifests are compared, and files were to be looked into.
    InsideOfManifests,
    /// One side is a manifest, which determines the algorithms.
    AlgorithmsOfManifest,
    /// Similarity digests do not tell whether files are the same.
    OnlySimilar,
    /// Manifests of the format with this name are made in folders only.
    InFolders(&'static str),
    /// No format is given for a manifest to be written.
    Unnamed,
    /// The next manifest would be in a format that hashmill only reads.
    NoNext,
}

impl Misfit {
    /// Returns why a path or location can't be used.
    pub(crate) fn of_place(path: impl Into<Box<[u8]>>, why: &str) -> Misfit {
        content::Misfit::of_place(path, why).into()
    }

    /// Checks that a format gets all digests that it needs.
    ///
    /// # Errors
    /// If one is missing.
    pub(crate) fn check_needs(
        format: &'static Format,
        algorithms: &[&'static Algorithm],
    ) -> Result<(), Misfit> {
        let missing = format.needs.iter().find(|name| algorithms.iter().all(|row| row.name != **name));
        missing.map_or(Ok(()), |name| Err(Misfit::Needs(format, name)))
    }

    /// Checks that no two operands stand for one directory of the manifests: a file that one of them lacks would not be
    /// missing.
    ///
    /// # Errors
    /// If two do.
    pub(crate) fn check_roots(roots: &[Root]) -> Result<(), Misfit> {
        for (place, root) in roots.iter().enumerate() {
            if let Some(other) = roots[..place].iter().find(|other| other.known == root.known) {
                let operands = [other.local.clone(), root.local.clone()];
                return Err(Misfit::OneRoot { operands, known: root.known.clone() });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Content(misfit) => misfit.fmt(f),
            Misfit::NoWriter(format) => write!(f, "hashmill does not write the format {}", format.name),
            Misfit::Pieces(format) => write!(f, "the format {} has no pieces", format.name),
            Misfit::PiecesOf(name) => write!(f, "{name} can't be computed for pieces"),
            Misfit::Likeness(format, _) => {
                let can = carriers(|carries| carries.likeness);
                write!(f, "the format {} has no place for likeness digests; {can} have", format.name)
            }
            Misfit::Facts(format) => {
                let can = carriers(|carries| carries.facts);
                write!(f, "the format {} has no place for facts about content; {can} have", format.name)
            }
            Misfit::ScanMemory { longest, most } => {
                write!(f, "contents of {longest} bytes are to be scanned, and the memory allows {most}")
            }
            Misfit::Only(format, _) => {
                write!(f, "the format {} holds {} and nothing else", format.name, format.only.join(", "))
            }
            Misfit::Needs(format, name) => {
                write!(f, "the format {} needs the digest by {name} of each file", format.name)
            }
            Misfit::Leaves(format) => {
                let can = carriers(|carries| carries.leaves);
                write!(f, "the format {} has no place for the digests of leaves; {can} have", format.name)
            }
            Misfit::NoLeaves => {
                let row = |row: &&Algorithm| row.leaves.is_some_and(|shape| shape.kept_bytes().is_some());
                let rows: Vec<&str> = ALGORITHMS.iter().filter(row).map(|row| row.name).collect();
                write!(
                    f,
                    "none of the algorithms has leaves that are kept; these have: {} (parts of 64K or more)",
                    rows.join(", ")
                )
            }
            Misfit::Style(format) => {
                let can = carriers(|carries| carries.styles);
                write!(f, "the format {} has digests in one form only; {can} have others", format.name)
            }
            Misfit::OtherStyle(style, name) => {
                let rows = ALGORITHMS.iter().filter(|row| row.has(*style)).map(|row| row.name);
                let rows: Vec<&str> = rows.collect();
                write!(f, "{} has no digests by {name}; it has: {}", style.name(), rows.join(", "))
            }
            Misfit::Metadata(format) => write!(f, "the format {} has no place for metadata", format.name),
            Misfit::ReusePieces => f.write_str("digests of pieces are not reused"),
            Misfit::ReuseLeaves => f.write_str("digests of leaves are not reused"),
            Misfit::ReuseLikeness(name) => write!(f, "similarity digests are not reused: {name}"),
            Misfit::ReuseLocation(place) => {
                write!(f, "only digests of files are reused, not those of objects: {}", Shown(place))
            }
            Misfit::Times(format) => write!(f, "the format {} has no place for times", format.name),
            Misfit::BadBlocks(format) => {
                let can = carriers(|carries| carries.bad_blocks);
                write!(f, "the format {} can't say which bytes are missing; {can} can", format.name)
            }
            Misfit::Labels(format) => {
                let can = carriers(|carries| carries.labels);
                write!(f, "the format {} has no place for categories; {can} have", format.name)
            }
            Misfit::Case(format) => {
                let can = carriers(|carries| carries.case);
                write!(f, "the format {} has no place for case data; {can} have", format.name)
            }
            Misfit::LongText(_) => write!(f, "more than {MAX_TEXT} bytes"),
            Misfit::Stream(format) => {
                write!(f, "{} is a database: it needs a file, not standard output", format.name)
            }
            Misfit::Pipe(path) => write!(f, "{}: a database needs a file, not a pipe or device", Shown(path)),
            Misfit::FilesToStream => f.write_str("several files need a folder: -o FOLDER"),
            Misfit::ResumeFormat(format) => write!(f, "{} output can't be resumed", format.name),
            Misfit::ResumeOrder => f.write_str("only a run in the order of paths can be resumed"),
            Misfit::ResumeStream => f.write_str("only an output that is a file can be resumed"),
            Misfit::ResumePipe(path) => write!(f, "{} is not a file", Shown(path)),
            Misfit::SealStream => f.write_str("only an output that is a file can be sealed"),
            Misfit::SignStream => {
                f.write_str("only an output that is a file can be signed: its signature lies beside it")
            }
            Misfit::NothingToWalk => f.write_str("filters need a path to walk"),
            Misfit::OneRoot { operands: [one, other], known } => {
                let (one, other) = (Shown(one), Shown(other));
                let known = if known.is_empty() { ".".into() } else { Shown(known).to_string() };
                write!(f, "{one} and {other} both stand for {known} of the manifest (compare each by itself)")
            }
            Misfit::OtherAlgorithms { set, held } => {
                write!(f, "{}: has digests of {} only; choose among them", Shown(set), held.join(", "))
            }
            Misfit::RepairFollows => {
                f.write_str("files are not repaired where links are followed; name the folders themselves")
            }
            Misfit::NotCryptographic(_) => {
                f.write_str("different files can have the same digest by it; choose a cryptographic one")
            }
            Misfit::OfNoList(_) => f.write_str("no list has such digests, or not all that take part do"),
            Misfit::StdinTwice => f.write_str("standard input can't be both A and B"),
            Misfit::InsideOfManifests => {
                f.write_str("--inside needs a folder: of two manifests no file is read")
            }
            Misfit::FilteredManifest => {
                f.write_str("filters need folders: a manifest is compared as a whole")
            }
            Misfit::AlgorithmsOfManifest => {
                f.write_str("a manifest determines the algorithms, and has no digests by these")
            }
            Misfit::OnlySimilar => f.write_str("likeness digests do not tell whether files are the same"),
            Misfit::InFolders(format) => {
                write!(
                    f,
                    "--manifest {format}: is made in folders only; copies in a store have any other format"
                )
            }
            Misfit::Unnamed => f.write_str("the format of the new manifest is not known"),
            Misfit::NoNext => f.write_str("hashmill does not write the format of the first manifest"),
        }
    }
}

/// Returns the names of the formats that hashmill writes and that can carry this, as a list in words.
fn carriers(carries: impl Fn(&Carries) -> bool) -> String {
    let can = FORMATS.iter().filter(|format| format.writer.is_some() && carries(&format.carries));
    let can: Vec<&str> = can.map(|format| format.name).collect();
    match can.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        few => few.concat(),
    }
}

impl fmt::Debug for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Misfit({self})")
    }
}

impl std::error::Error for Misfit {}

impl From<content::Misfit> for Misfit {
    fn from(misfit: content::Misfit) -> Misfit {
        Misfit::Content(misfit)
    }
}
