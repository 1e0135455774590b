//! Writes archives that no honest program writes, with arbitrary headers of members.

use hashmill_digest::{find, hash};

/// A member.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether it is deflated or stored.
    pub deflated: bool,
    /// Bits of the header: 1 means encrypted.
    pub flags: u16,
    /// The declared size.
    pub size: Option<u64>,
    /// The declared compression method.
    pub method: Option<u16>,
    /// The Unix mode: 0o120777 is a link.
    pub mode: u32,
}

/// Creates a stored member.
pub fn member(name: &str, content: impl AsRef<[u8]>) -> Member {
    let (name, content) = (name.to_string(), content.as_ref().to_vec());
    Member { name, content, deflated: false, flags: 0, size: None, method: None, mode: 0o100_644 }
}

/// Returns a deflate stream without compression.
fn deflated(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let parts = content.chunks(65_535).collect::<Vec<_>>();
    for (number, part) in parts.iter().enumerate() {
        out.push(u8::from(number + 1 == parts.len()));
        out.extend((part.len() as u16).to_le_bytes());
        out.extend((!(part.len() as u16)).to_le_bytes());
        out.extend_from_slice(part);
    }
    out
}

/// Writes an archive with these members.
pub fn archive(members: &[Member]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let data = if member.deflated { deflated(&member.content) } else { member.content.clone() };
        let size = member.size.unwrap_or(member.content.len() as u64);
        let sum = hash(find("crc32").unwrap(), &member.content);
        let crc = u32::from_be_bytes(sum.as_bytes().try_into().unwrap());
        let method = member.method.unwrap_or(if member.deflated { 8 } else { 0 });
        let start = file.len() as u64;
        let mut common = Vec::new();
        for word in [45, member.flags, method, 0, 33] {
            common.extend(u16::to_le_bytes(word));
        }
        common.extend(crc.to_le_bytes());
        // Sizes are in an extra field of zip64.
        common.extend([0xff; 8]);
        common.extend((member.name.len() as u16).to_le_bytes());
        common.extend(20u16.to_le_bytes());
        let mut extra = vec![1, 0, 16, 0];
        extra.extend(size.to_le_bytes());
        extra.extend((data.len() as u64).to_le_bytes());
        file.extend(b"PK\x03\x04");
        file.extend_from_slice(&common);
        file.extend(member.name.as_bytes());
        file.extend_from_slice(&extra);
        file.extend(data);
        directory.extend(b"PK\x01\x02\x2d\x03");
        directory.extend(common);
        directory.extend([0; 6]);
        directory.extend((member.mode << 16).to_le_bytes());
        directory.extend((start as u32).to_le_bytes());
        directory.extend(member.name.as_bytes());
        directory.extend(extra);
    }
    let (start, length) = (file.len() as u32, directory.len() as u32);
    file.extend(directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend((members.len() as u16).to_le_bytes());
    file.extend((members.len() as u16).to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}
