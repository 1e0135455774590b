//! A file system that is made up in memory, for tests of the walk.

use hashmill_disk::{
    Allocation, Content, DeletedEntries, DirectoryListing, FileSystem, FileSystemInfo, FileSystemKind, Named,
    Node, NodeKind,
};
use hashmill_disk::{ByteRun, Problem, Recovery, Times};
use std::collections::HashMap;
use std::sync::Arc;

/// A file system of names by directory. The number of an entry is found by its name: `NAME=NUMBER` in [`Made::new`].
#[derive(Debug)]
pub struct Made {
    info: FileSystemInfo,
    directories: HashMap<u64, Vec<Named>>,
    links: HashMap<u64, u32>,
    orphans: Vec<Named>,
}

pub fn named(name: &str, number: u64, is_directory: bool) -> Named {
    Named {
        name: name.into(),
        number,
        generation: 0,
        is_directory: Some(is_directory),
        is_deleted: name.starts_with("deleted"),
    }
}

impl Made {
    /// Creates a file system of directories, whose numbers are 0 for the root and those of names that end in `/`.
    pub fn new(directories: &[(u64, &[(&str, u64)])]) -> Made {
        let entry =
            |(name, number): &(&str, u64)| named(name.trim_end_matches('/'), *number, name.ends_with('/'));
        let mut made = Made {
            info: FileSystemInfo {
                kind: FileSystemKind::Ext2,
                label: None,
                identifier: None,
                block: 1024,
                size: 0,
                notes: Vec::new(),
                doubts: Vec::new(),
            },
            directories: HashMap::new(),
            links: HashMap::new(),
            orphans: Vec::new(),
        };
        for (number, names) in directories {
            for (_, entry) in *names {
                *made.links.entry(*entry).or_default() += 1;
            }
            made.directories.insert(*number, names.iter().map(entry).collect());
        }
        made
    }

    pub fn with_orphans(self, orphans: &[(&str, u64)]) -> Made {
        Made { orphans: orphans.iter().map(|(name, number)| named(name, *number, false)).collect(), ..self }
    }

    fn node(&self, number: u64, is_directory: bool, is_deleted: bool) -> Node {
        Node {
            number,
            stream: None,
            kind: if is_directory { NodeKind::Directory } else { NodeKind::File },
            size: 0,
            links: self.links.get(&number).copied().unwrap_or(1),
            times: Times::default(),
            attributes: 0,
            allocation: if is_deleted { Allocation::Deleted(Recovery::Intact) } else { Allocation::Live },
            content: Ok(Content::Inline(Arc::new([]))),
        }
    }
}

impl FileSystem for Made {
    fn info(&self) -> &FileSystemInfo {
        &self.info
    }

    fn doubts(&mut self) -> &mut Vec<Problem> {
        &mut self.info.doubts
    }

    fn root(&self) -> Result<Node, Problem> {
        Ok(self.node(0, true, false))
    }

    fn list(&self, directory: &Node, deleted: DeletedEntries) -> DirectoryListing {
        let mut names = self.directories.get(&directory.number).cloned().unwrap_or_default();
        names.retain(|named| deleted == DeletedEntries::Listed || !named.is_deleted);
        let problems = if directory.number == 13 { vec![Problem::Beyond] } else { Vec::new() };
        DirectoryListing { names, problems }
    }

    fn nodes(&self, name: &Named) -> Result<Vec<Node>, Problem> {
        let node = || self.node(name.number, name.is_directory == Some(true), name.is_deleted);
        match &*name.name {
            b"bad" => Err(Problem::Checksum("an inode")),
            b"streams" => Ok(vec![node(), Node { stream: Some(b"x/y".to_vec()), ..node() }]),
            _ => Ok(vec![node()]),
        }
    }

    fn orphans(&self) -> Box<dyn Iterator<Item = Result<Named, Problem>> + Send + '_> {
        Box::new(self.orphans.iter().cloned().map(Ok))
    }

    fn free(&self) -> Box<dyn Iterator<Item = Result<ByteRun, Problem>> + Send + '_> {
        Box::new(std::iter::empty())
    }
}
