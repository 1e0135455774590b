//! The content identifier of a file in IPFS, by the profile `unixfs-v1-2025` (IPIP-499): CIDv1, SHA-256, raw leaves of
//! 1 MiB, and nodes of up to 1,024 links, level by level.
//!
//! UnixFS specification, "Files"; dag-pb specification; multiformats for the codecs. A file of one leaf is that leaf,
//! and its identifier begins with `bafk`; those of other files begin with `bafy`.

use super::fold::{Fold, hash_parts};
use super::levels::{Group, Levels};
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::sha256::Sha256;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

pub(crate) struct Cid;

const LEAF: u64 = 1 << 20;

const BYTES: usize = 36;

impl Shape for Cid {
    const LEAVES: Leaves =
        Leaves::new(LEAF, 32, [lanes::<Sha256>, serial::<Blocks<Sha256>>], || Box::new(Dag::new()));
}

/// Makes a CIDv1 with SHA-256 of 32 bytes.
fn identifier(codec: u8, digest: &[u8]) -> [u8; BYTES] {
    let mut cid = [0; BYTES];
    cid[..4].copy_from_slice(&[1, codec, 0x12, 32]);
    cid[4..].copy_from_slice(digest);
    cid
}

const RAW: u8 = 0x55;
const DAG_PB: u8 = 0x70;

#[derive(Clone)]
struct Dag {
    levels: Levels<Node>,
    /// The last leaf: its length is known only at the end.
    last: Option<Digest>,
    leaves: u64,
}

impl Dag {
    fn new() -> Self {
        Dag { levels: Levels::new(), last: None, leaves: 0 }
    }

    fn push(&mut self, digest: &Digest, bytes: u64) {
        let link = Link { cid: identifier(RAW, digest.as_bytes()), file: bytes, graph: bytes };
        self.levels.push(&link);
    }
}

impl Fold for Dag {
    fn leaf(&mut self, digest: &[u8]) {
        self.leaves += 1;
        if let Some(whole) = self.last.replace(Digest::new(digest)) {
            self.push(&whole, LEAF);
        }
    }

    fn finish(&mut self, bytes: u64) -> Digest {
        if let Some(last) = self.last.take() {
            self.push(&last, bytes.saturating_sub(LEAF * (self.leaves - 1)));
        }
        self.levels.root().map_or(Digest::new(&[]), |root| Digest::new(&root.cid))
    }
}

/// The properties of a child in its parent.
#[derive(Clone, Copy)]
struct Link {
    cid: [u8; BYTES],
    /// The bytes of the file below the child.
    file: u64,
    /// The bytes of all nodes below the child, and its own.
    graph: u64,
}

#[derive(Clone, Default)]
struct Node {
    /// The links in dag-pb encoding.
    links: Vec<u8>,
    /// The sizes of the children in UnixFS encoding.
    sizes: Vec<u8>,
    file: u64,
    graph: u64,
}

impl Group for Node {
    type Item = Link;
    const CHILDREN: usize = 1024;

    fn take(&mut self, _: usize, child: &Link) {
        // PBLink: 1 the identifier, 2 the name, which is empty, 3 the bytes of the graph.
        let mut link = vec![0x0a, BYTES as u8];
        link.extend(child.cid);
        link.extend([0x12, 0, 0x18]);
        varint(child.graph, &mut link);
        field(0x12, &link, &mut self.links);
        self.sizes.push(0x20);
        varint(child.file, &mut self.sizes);
        self.file += child.file;
        self.graph += child.graph;
    }

    fn node(self) -> Link {
        // UnixFS Data: 1 the type, a file, 3 the bytes of the file, 4 those of each child.
        let mut data = vec![0x08, 2, 0x18];
        varint(self.file, &mut data);
        data.extend(&self.sizes);
        // PBNode: first 2, the links, then 1, the data.
        let mut node = self.links;
        field(0x0a, &data, &mut node);
        let cid = identifier(DAG_PB, hash_parts::<Blocks<Sha256>>(&[&node]).as_bytes());
        Link { cid, file: self.file, graph: self.graph + node.len() as u64 }
    }
}

/// Writes a field of bytes: its tag, its length, the bytes.
fn field(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    varint(bytes.len() as u64, out);
    out.extend(bytes);
}

/// Writes seven bits in each byte, the least significant first; the top bit means that more follow.
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}
