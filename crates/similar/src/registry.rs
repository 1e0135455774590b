//! All likeness algorithms, one row each.
//!
//! To add an algorithm: its folder, and a row here.

use crate::likeness::Likeness;
use crate::malformed::malformed;
use crate::pairs::{Foreign, Measure, Pair, Search, Set};
use crate::{LikenessDigest, Malformed, Named, mrsh, sdhash, ssdeep, tlsh};
use std::fmt;
use std::ops::ControlFlow;

/// Receives pairs, and decides when to stop.
type Sink<'a> = dyn FnMut(Pair) -> ControlFlow<()> + 'a;
/// Finds pairs within a list.
type Pairs = fn(&[Named], &Search, &mut Sink<'_>) -> Result<(), Foreign>;
/// Finds pairs between two lists.
type Against = fn(&[Named], &[Named], &Search, &mut Sink<'_>) -> Result<(), Foreign>;

/// An algorithm, or a variant of one.
pub struct Similar {
    /// The name in options and records.
    pub name: &'static str,
    /// The author or origin of its definition.
    pub source: &'static str,
    /// A description of the algorithm or of the variant's difference, for people.
    pub about: &'static str,
    /// The streams without a digest, for people.
    pub refuses: &'static str,
    /// The score or distance from which pairs are meaningful: unrelated large files get a few points of sdhash.
    pub threshold: i32,
    /// The length of every digest in bits; `None` if it depends on the stream.
    pub bits: Option<u32>,
    /// The meaning of its numbers.
    pub measure: Measure,
    /// The first line of a file of digests.
    pub header: Option<&'static str>,
    /// Creates a hash for one stream.
    pub stream: fn() -> Box<dyn Likeness>,
    /// Reads a line of a file of digests; returns `None` for a line without one.
    pub parse: fn(&[u8]) -> Result<Option<Named>, Malformed>,
    /// Returns the score or distance of two digests; `None` if they are of another algorithm.
    pub compare: fn(&Named, &Named) -> Option<i32>,
    /// Passes on the similar pairs within a list.
    pub pairs: Pairs,
    /// Passes on the similar pairs between two lists.
    pub against: Against,
}

impl Similar {
    /// Reads the usual text of a digest, as returned by [`LikenessDigest::text`](crate::LikenessDigest::text). A name
    /// in it is dropped.
    ///
    /// # Errors
    /// Returns [`Malformed`] with the position and the reason.
    pub fn read(&self, text: &[u8]) -> Result<LikenessDigest, Malformed> {
        let mut segments = Vec::new();
        let (mut at, mut lines) = (0, 0);
        for line in text.split(|byte| *byte == b'\n') {
            let shifted = |bad: Malformed| Malformed { at: at + bad.at, ..bad };
            let Some(named) = (self.parse)(line).map_err(shifted)? else { return malformed(at, "no digest") };
            match named.digest {
                LikenessDigest::Sdhash(digests) => {
                    segments.extend(digests.into_iter().map(|d| (named.name.clone(), d)))
                }
                digest if lines == 0 && at + line.len() == text.len() => return Ok(digest),
                _ => return malformed(at, "more than one digest"),
            }
            lines += 1;
            at += line.len() + 1;
        }
        sdhash::join(segments).map(LikenessDigest::Sdhash)
    }
}

impl PartialEq for Similar {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Similar {}

impl fmt::Debug for Similar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns the row with this name, ignoring case.
pub fn find(name: &str) -> Option<&'static Similar> {
    SIMILAR.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

const SSDEEP: Similar = Similar {
    name: "ssdeep",
    source: "ssdeep 2.14",
    about: "long stretches in the same order",
    refuses: "",
    threshold: 1,
    bits: None,
    measure: Measure::Score,
    header: Some(ssdeep::HEADER),
    stream: || Box::new(ssdeep::SsdeepStream::new(ssdeep::SecondPart::Normal)),
    parse: ssdeep::parse,
    compare: one::<ssdeep::Set>,
    pairs: within::<ssdeep::Set>,
    against: between::<ssdeep::Set>,
};

const TLSH: Similar = Similar {
    name: "tlsh",
    source: "TLSH 4.12.1",
    about: "overall similarity of two files: 128 buckets, 1 byte of checksum",
    refuses: "below 50 bytes; too little variation; above 4.2 GB",
    threshold: 100,
    bits: Some(280),
    measure: Measure::Distance,
    header: None,
    stream: || Box::new(tlsh::TlshStream::new(tlsh::TlshForm::T1)),
    parse: tlsh::parse,
    compare: one::<tlsh::Set>,
    pairs: within::<tlsh::Set>,
    against: between::<tlsh::Set>,
};

const SDHASH: Similar = Similar {
    name: "sdhash",
    source: "sdhash 4.0",
    about: "fragments of one file in another",
    refuses: "below 512 bytes",
    threshold: 21,
    bits: None,
    measure: Measure::Score,
    header: None,
    stream: || Box::new(sdhash::SdhashStream::new(sdhash::Mode::Auto, sdhash::Version::V4_0)),
    parse: sdhash::parse,
    compare: one::<sdhash::Set<sdhash::Newer>>,
    pairs: within::<sdhash::Set<sdhash::Newer>>,
    against: between::<sdhash::Set<sdhash::Newer>>,
};

const MRSH: Similar = Similar {
    name: "mrsh-v2",
    source: "mrsh-v2 (2013)",
    about: "fragments of one file in another, faster and coarser",
    refuses: "",
    threshold: 1,
    bits: None,
    measure: Measure::Score,
    header: None,
    stream: || Box::new(mrsh::MrshStream::new(mrsh::Variant::Regular)),
    parse: mrsh::parse,
    compare: one::<mrsh::Set>,
    pairs: within::<mrsh::Set>,
    against: between::<mrsh::Set>,
};

/// All algorithms, each followed by its variants.
pub static SIMILAR: &[Similar] = &[
    SSDEEP,
    Similar {
        name: "ssdeep-long",
        about: "the second part is not cut to 32 characters",
        stream: || Box::new(ssdeep::SsdeepStream::new(ssdeep::SecondPart::Long)),
        ..SSDEEP
    },
    TLSH,
    Similar {
        name: "tlsh-old",
        about: "without `T1`, as versions before 4 write it; both forms are read",
        source: "TLSH 3.4.4",
        stream: || Box::new(tlsh::TlshStream::new(tlsh::TlshForm::Old)),
        ..TLSH
    },
    Similar {
        name: "tlsh-xlen",
        about: "distances without the files' lengths (`-xlen`)",
        compare: one::<tlsh::Lengthless>,
        pairs: within::<tlsh::Lengthless>,
        against: between::<tlsh::Lengthless>,
        ..TLSH
    },
    SDHASH,
    Similar {
        name: "sdhash-3.4",
        about: "digests and scores as release 3.4 gives them",
        source: "sdhash 3.4",
        stream: || Box::new(sdhash::SdhashStream::new(sdhash::Mode::Auto, sdhash::Version::V3_4)),
        compare: one::<sdhash::Set<sdhash::Older>>,
        pairs: within::<sdhash::Set<sdhash::Older>>,
        against: between::<sdhash::Set<sdhash::Older>>,
        ..SDHASH
    },
    Similar {
        name: "sdhash-fast",
        about: "scores by filters of a quarter of the size (`--fast`)",
        compare: one::<sdhash::Set<sdhash::Fast>>,
        pairs: within::<sdhash::Set<sdhash::Fast>>,
        against: between::<sdhash::Set<sdhash::Fast>>,
        ..SDHASH
    },
    Similar {
        name: "sdhash-stream",
        about: "the whole stream at any size (`-b 0`)",
        stream: || Box::new(sdhash::SdhashStream::new(sdhash::Mode::Whole, sdhash::Version::V4_0)),
        ..SDHASH
    },
    Similar {
        name: "sdhash-dd",
        about: "blocks of 16 KiB at any size (`-b 16`)",
        stream: || {
            let mode = sdhash::Mode::Blocks { kib: 16, segment: 128 };
            Box::new(sdhash::SdhashStream::new(mode, sdhash::Version::V4_0))
        },
        ..SDHASH
    },
    MRSH,
    Similar {
        name: "mrsh-v2-whole",
        about: "scores of overall similarity instead of containment (`-f`)",
        compare: one::<mrsh::Whole>,
        pairs: within::<mrsh::Whole>,
        against: between::<mrsh::Whole>,
        ..MRSH
    },
    Similar {
        name: "mrsh-v2-network",
        about: "the first and the last piece left out, as the program does when compiled with `network`",
        stream: || Box::new(mrsh::MrshStream::new(mrsh::Variant::Network)),
        ..MRSH
    },
];

fn one<S: Set>(a: &Named, b: &Named) -> Option<i32> {
    let [a, b] = [a, b].map(|named| S::gather(std::slice::from_ref(named)).ok());
    Some(a?.score(0, &b?, 0))
}

fn within<S: Set>(list: &[Named], search: &Search, sink: &mut Sink<'_>) -> Result<(), Foreign> {
    search.pairs(&S::gather(list)?, sink);
    Ok(())
}

fn between<S: Set>(
    list: &[Named],
    others: &[Named],
    search: &Search,
    sink: &mut Sink<'_>,
) -> Result<(), Foreign> {
    search.against(&S::gather(list)?, &S::gather(others)?, sink);
    Ok(())
}
