//! All targets, one row each.
//!
//! To add a target: its function in this crate, a row here or in `libraries`, and seeds in `fuzz/corpus/NAME`.

#[cfg(feature = "libraries")]
use crate::libraries::TARGETS as LIBRARIES;
use crate::measured::{facts, similar};
use crate::{bag, calibration, disk, file_systems, formats, history, kernels, media, objects, saved, seal};
use hashmill_manifest::format::{FORMATS, Format};
use hashmill_testing::mutate::Mutation;

/// One target.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name of the target and of its folder of seeds.
    pub name: &'static str,
    /// The mutation of its seeds in tests.
    pub mutation: Mutation<'static>,
    body: Body,
}

#[derive(Clone, Copy)]
enum Body {
    Bytes(fn(&[u8])),
    Format(&'static Format),
}

impl Target {
    /// Runs the target on an input.
    ///
    /// # Panics
    /// If the tested code has a defect.
    pub fn run(&self, data: &[u8]) {
        match self.body {
            Body::Bytes(body) => body(data),
            Body::Format(format) => formats::format(format, data),
        }
    }
}

/// Returns all targets.
pub fn targets() -> impl Iterator<Item = Target> {
    let mutation = Mutation { count: 200, tokens: formats::TOKENS };
    let format =
        move |format: &'static Format| Target { name: format.name, mutation, body: Body::Format(format) };
    FORMATS.iter().map(format).chain(OTHERS.iter().chain(LIBRARIES).copied())
}

/// Returns the target with this name.
pub fn find(name: &str) -> Option<Target> {
    targets().find(|target| target.name == name)
}

pub(crate) const fn target(
    name: &'static str,
    count: usize,
    tokens: &'static [&'static [u8]],
    body: fn(&[u8]),
) -> Target {
    Target { name, mutation: Mutation { count, tokens }, body: Body::Bytes(body) }
}

/// The targets that are built on large libraries: none.
#[cfg(not(feature = "libraries"))]
static LIBRARIES: &[Target] = &[];

/// The other targets, but for formats of manifests.
static OTHERS: &[Target] = &[
    target("sniff", 400, formats::TOKENS, formats::sniffed),
    target("audit", 400, formats::TOKENS, formats::audit),
    target("digests", 100, &[], kernels::streams),
    target("kernels", 20, &[], kernels::lanes),
    target("saved", 400, &[b"\xff\xff\xff\xff\0\0\0\x80"], saved::saved),
    target("likeness", 100, &[], similar::streams),
    target("content", 2000, CONTENT, facts::content),
    target("pronom", 2000, CONTENT, facts::pronom),
    target("signatures", 1000, SIGNATURES, facts::signatures),
    target("similar", 400, &[b"9:9:=,"], similar::lines),
    target("similar_index", 400, &[], similar::index),
    target("history", 1000, formats::TOKENS, history::history),
    target("bag", 1000, &[b"\n  *./../%25\xff: "], bag::bag),
    target("objects", 1000, &[b"{}[]\",:\n../\0\xff", b"sha256:", b"\xff\xff\xff\xff"], objects::objects),
    target("pack", 1000, &[b"\x60\x70\xf5\x80\xff", b"\xff\xff\xff\xff"], objects::pack),
    target("seal", 2000, SEALS, seal::seal),
    target("proof", 2000, SEALS, seal::proof),
    target("consistency", 2000, SEALS, seal::consistency),
    target("redacted", 2000, SEALS, seal::redacted),
    target("calibration", 4000, &[b"4294967296 -1 0 "], calibration::calibration),
    target("ext", 200, &[b"\0\0\0\0\x0a\xf3", b"\xff\xff\xff\xff"], disk::pieces),
    target("volumes", 2000, &[b"\xff\xff\xff\xff\0\0\0\x80", b"EFI PART\x55\xaa"], media::partitions),
    target("iso9660", 2000, &[b"\xff\xff\xff\xff", b"CD001SPNMCESLCLRETFPX\x01"], media::disc),
    target("ntfs", 200, &[b"FILE\0\0\0\0", b"\xff\xff\xff\xff"], disk::pieces),
    target("fat", 400, &[b"\xe5\0\x10\x0f\xff\xff\x40"], file_systems::whole),
    target("exfat", 400, &[b"\x85\xc0\xc1\x05\x40\x41\0\x03\xff\xff\xff\xff"], file_systems::whole),
];

/// Parts of containers.
const CONTENT: &[&[u8]] = &[b"PK\x01\x02PK\x03\x04PK\x05\x06", b"\xff\xff\xff\xff\0\0\0\x80", b"mimetypeID3"];

/// Parts of sequences in signature files.
const SIGNATURES: &[&[u8]] = &[b"[!41:5A]", b"(41|'b')", b"{0-4}*??~&-", b"<SubSequence Position='1'>"];

/// Parts of seals, proofs and redacted manifests.
const SEALS: &[&[u8]] = &[b"0f\"{}[],:\\n\n"];
