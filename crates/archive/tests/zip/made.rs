//! Archives that are made byte by byte.

use flate2::Crc;

/// A member of an archive that is made.
#[derive(Debug, Clone)]
pub(crate) struct MadeMember {
    pub name: Vec<u8>,
    pub made_by: u16,
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    pub packed: u32,
    pub size: u32,
    /// The extra fields in the directory.
    pub extra: Vec<u8>,
    pub data: Vec<u8>,
    /// Bytes that follow the data.
    pub after: Vec<u8>,
}

impl MadeMember {
    /// Creates a member whose content is stored.
    pub(crate) fn stored(name: &str, content: &[u8]) -> MadeMember {
        let mut crc = Crc::new();
        crc.update(content);
        MadeMember {
            name: name.into(),
            made_by: 0,
            flags: 0,
            method: 0,
            crc: crc.sum(),
            packed: content.len() as u32,
            size: content.len() as u32,
            extra: Vec::new(),
            data: content.to_vec(),
            after: Vec::new(),
        }
    }

    /// Creates a member of which `packed` is the content as packed by a method.
    pub(crate) fn packed(name: &str, method: u16, packed: Vec<u8>, content: &[u8]) -> MadeMember {
        let length = packed.len() as u32;
        MadeMember { method, data: packed, packed: length, ..MadeMember::stored(name, content) }
    }

    /// Returns the header before the data.
    pub(crate) fn local(&self) -> Vec<u8> {
        [b"PK\x03\x04", &self.facts(0)[..], &self.name].concat()
    }

    /// Returns the entry of the directory for a header at a place.
    pub(crate) fn entry(&self, place: u32) -> Vec<u8> {
        let facts = self.facts(self.extra.len() as u16);
        let made_by = self.made_by.to_le_bytes();
        let rest = [&[0; 10][..], &place.to_le_bytes()].concat();
        [b"PK\x01\x02", &made_by[..], &facts, &rest, &self.name, &self.extra].concat()
    }

    fn facts(&self, extra: u16) -> Vec<u8> {
        let mut facts = vec![20, 0];
        for number in [self.flags, self.method, 0, 0x21] {
            facts.extend(number.to_le_bytes());
        }
        for number in [self.crc, self.packed, self.size] {
            facts.extend(number.to_le_bytes());
        }
        facts.extend((self.name.len() as u16).to_le_bytes());
        facts.extend(extra.to_le_bytes());
        facts
    }

    /// Returns the bytes before the directory.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [&self.local(), &self.data[..], &self.after].concat()
    }
}

/// Returns an archive of members which stand as listed.
pub(crate) fn archive(members: &[MadeMember]) -> Vec<u8> {
    archive_of(members, members)
}

/// Returns an archive in which the directory says something else than the headers.
pub(crate) fn archive_of(members: &[MadeMember], listed: &[MadeMember]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (member, listed) in members.iter().zip(listed) {
        directory.extend(listed.entry(bytes.len() as u32));
        bytes.extend(member.bytes());
    }
    finish(bytes, &directory, members.len(), b"")
}

/// Adds a directory and an end record.
pub(crate) fn finish(mut bytes: Vec<u8>, directory: &[u8], count: usize, comment: &[u8]) -> Vec<u8> {
    let start = bytes.len() as u32;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend((count as u16).to_le_bytes());
    bytes.extend((count as u16).to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend((comment.len() as u16).to_le_bytes());
    bytes.extend(comment);
    bytes
}
