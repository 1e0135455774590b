//! The facts about a file and its streams.

use super::Ntfs;
use super::attribute::{DATA, REPARSE_POINT};
use super::file::File;
use super::reparse::{Meaning, is_surrogate, meaning};
use super::standard;
use super::stream::Stream;
use super::table::{EXTEND, FIRST_FREE, ROOT};
use crate::fields::le32;
use crate::{Allocation, Content, Node, NodeKind, Problem, Recovery};

/// Returns the nodes of a file: itself first, then its alternate streams.
pub(super) fn nodes(system: &Ntfs, file: &File<'_>) -> Vec<Node> {
    let (mut streams, mut main) = (file.streams(DATA), None);
    if let Some(at) = streams.iter().position(|(name, _)| name.is_empty()) {
        main = Some(streams.remove(at).1);
    }
    let kind = match kind(file) {
        // A record with bytes is a file, whatever its reparse point stands for.
        NodeKind::Link if !file.base.is_directory() && main.as_ref().is_some_and(|main| main.size > 0) => {
            NodeKind::File
        }
        kind => kind,
    };
    let main = main_stream(file, kind, main);
    let first = node(system, file, None, kind, main);
    let stream_kind = if kind == NodeKind::Metadata { kind } else { NodeKind::File };
    let others =
        streams.into_iter().map(|(name, stream)| node(system, file, Some(name), stream_kind, stream));
    std::iter::once(first).chain(others).collect()
}

fn node(system: &Ntfs, file: &File<'_>, name: Option<Vec<u8>>, kind: NodeKind, stream: Stream) -> Node {
    let allocation = match file.base.is_in_use() {
        true => Allocation::Live,
        false => Allocation::Deleted(recovery(system, &stream)),
    };
    let (times, attributes) = standard::facts(file);
    let links = u32::try_from(file.names().len()).unwrap_or(u32::MAX).max(1);
    let node = Node::new(file.base.number, kind, stream.size, stream.content);
    Node { stream: name, links, times, attributes, allocation, ..node }
}

fn kind(file: &File<'_>) -> NodeKind {
    let record = &file.base;
    if record.is_directory() {
        let is_link = tag(file).is_some_and(is_surrogate);
        return if is_link { NodeKind::Link } else { NodeKind::Directory };
    }
    let is_metadata = record.number < FIRST_FREE && record.number != ROOT;
    if is_metadata || file.names().iter().any(|name| name.parent.number == EXTEND) {
        return NodeKind::Metadata;
    }
    match tag(file).map(meaning) {
        Some(Meaning::Special(kind)) => kind,
        _ => NodeKind::File,
    }
}

fn tag(file: &File<'_>) -> Option<u32> {
    let stream = file.stream(REPARSE_POINT, b"")?;
    let content = stream.content.ok()?;
    let mut bytes = [0; 4];
    super::table::read_all(file.medium(), &content, 0, &mut bytes).ok()?;
    le32(&bytes, 0)
}

/// Returns the bytes that a file stands for: those of its reparse point if that makes it a link, else its own.
fn main_stream(file: &File<'_>, kind: NodeKind, main: Option<Stream>) -> Stream {
    let nothing = || Stream { size: 0, runs: None, content: Ok(Content::empty()) };
    match kind {
        NodeKind::Directory => return nothing(),
        NodeKind::Link => return file.stream(REPARSE_POINT, b"").unwrap_or_else(nothing),
        NodeKind::Metadata => {}
        _ => {
            if let Some(tag) = tag(file) {
                return behind_reparse_point(tag, main.unwrap_or_else(nothing));
            }
        }
    }
    main.unwrap_or_else(|| file.broken().map_or_else(nothing, Stream::lost))
}

/// Returns the bytes of a file with a reparse point, unless they are not its content.
fn behind_reparse_point(tag: u32, stream: Stream) -> Stream {
    let what = match meaning(tag) {
        Meaning::Special(_) | Meaning::Content => return stream,
        Meaning::ContentUnlessSparse(_) if is_whole(&stream) => return stream,
        Meaning::ContentUnlessSparse(what) | Meaning::Elsewhere(what) => what.into(),
        Meaning::Unknown => format!("content behind a reparse point of the unknown tag {tag:#010x}"),
    };
    Stream { content: Err(Problem::Unsupported(what.into())), ..stream }
}

/// Returns whether all bytes lie in clusters and were written.
fn is_whole(stream: &Stream) -> bool {
    let is_stored = |stream: &Stream| match (&stream.content, &stream.runs) {
        (Ok(Content::Plain { valid, .. }), Some(runs)) => {
            *valid == stream.size && runs.as_slice().iter().all(|run| run.place.is_some())
        }
        _ => false,
    };
    is_stored(stream)
}

/// Returns what is left of the bytes of a deleted file.
fn recovery(system: &Ntfs, stream: &Stream) -> Recovery {
    match (&stream.runs, &stream.content) {
        (Some(runs), _) if runs.length() >= stream.size => match system.are_free(runs, stream.size) {
            Ok(true) => Recovery::Intact,
            Ok(false) => Recovery::Overlapped,
            // It can't be known whether they are free.
            Err(_) => Recovery::Partial,
        },
        (None, Ok(_) | Err(Problem::Unsupported(_) | Problem::Encrypted(_))) => Recovery::Intact,
        _ => Recovery::Partial,
    }
}
