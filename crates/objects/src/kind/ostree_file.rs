//! Files of OSTree: the header that is hashed before the content, and the settings that say where it comes from.

use crate::Coding;
use crate::gvariant::{array, framed, tuple};

/// The metadata of a file of OSTree, which are hashed before its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OstreeFile {
    /// The number of the user who owns it.
    pub user: u32,
    /// The number of its group.
    pub group: u32,
    /// The mode, with the type.
    pub mode: u32,
    /// Names and values of extended attributes, in the order of the names.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The extended attribute with the metadata of a file in repositories of mode `bare-user`.
pub const OSTREE_METADATA: &[u8] = b"user.ostreemeta";

/// The type of a file in its mode, and that of a symbolic link.
const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

impl OstreeFile {
    /// Reads the metadata that a file of mode `bare-user` has: `(uuua(ayay))`; `None` if they are none.
    pub fn parse(bytes: &[u8]) -> Option<OstreeFile> {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let mut attributes = Vec::new();
        for attribute in array(bytes.get(12..)?)? {
            let [name, value] = tuple(attribute?)?;
            attributes.push((name.strip_suffix(b"\0")?.to_vec(), value.to_vec()));
        }
        attributes.sort_unstable();
        Some(OstreeFile { user: number(0)?, group: number(4)?, mode: number(8)?, attributes })
    }

    /// Returns whether it is a symbolic link, which has no content.
    pub fn is_link(&self) -> bool {
        self.mode & TYPE == LINK
    }

    /// Returns the header: `(uuuusa(ayay))` of user, group, mode, no device, the target of a symbolic link and the
    /// attributes, after its length.
    pub fn header(&self, target: &[u8]) -> Vec<u8> {
        let numbers = [self.user, self.group, self.mode, 0].map(u32::to_be_bytes);
        let mut members = [numbers.as_flattened(), target, b"\0"].concat();
        let end = members.len();
        members.extend(self.attributes());
        let header = framed(members, &[end]);
        [&(header.len() as u32).to_be_bytes()[..], &[0; 4], &header].concat()
    }

    /// Returns the attributes as `a(ayay)`.
    fn attributes(&self) -> Vec<u8> {
        let (mut elements, mut ends) = (Vec::new(), Vec::new());
        for (name, value) in &self.attributes {
            elements.extend(framed([name, &b"\0"[..], value].concat(), &[name.len() + 1]));
            ends.push(elements.len());
        }
        framed(elements, &ends)
    }
}

/// Returns the coding of files in a repository with these settings, if they lie as they are.
pub(crate) fn bare_mode(config: &[u8]) -> Option<Coding> {
    let (mut is_core, mut mode, mut is_plain) = (false, &b"bare"[..], false);
    for line in config.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if line.starts_with(b"[") {
            is_core = line == b"[core]";
        }
        let mut parts = line.splitn(2, |byte| *byte == b'=').map(<[u8]>::trim_ascii);
        match (parts.next(), parts.next()) {
            (Some(b"mode"), Some(value)) if is_core => mode = value,
            (Some(b"disable-xattrs"), Some(value)) if is_core => {
                is_plain = [&b"true"[..], b"1"].contains(&value)
            }
            _ => {}
        }
    }
    match mode {
        b"bare" if is_plain => Some(Coding::BarePlain),
        b"bare" => Some(Coding::Bare),
        b"bare-user" => Some(Coding::BareUser),
        b"bare-user-only" => Some(Coding::BareUserOnly),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_as_ostree_writes_it() {
        // The digest that OSTree 2022.7 gives a link to `a`.
        let header = OstreeFile { mode: 0o120_777, ..OstreeFile::default() }.header(b"a");
        assert_eq!(header.len(), 8 + 16 + 2 + 1);
        let sha256 = hashmill_digest::find("sha256").unwrap();
        let digest = hashmill_digest::hash(sha256, &header).to_string();
        assert_eq!(digest, "438802d990f25270d36f902bc9ce9d0737b88f9ae0b41ed59ec9e47c28523e0a");
    }

    #[test]
    fn metadata_are_read_back_and_cut_ones_are_none() {
        for long in [1, 200, 300, 70_000] {
            let attributes = vec![(b"user.a".to_vec(), vec![7; long]), (b"user.b".to_vec(), Vec::new())];
            let file = OstreeFile { user: 1, group: 2, mode: 0o100_644, attributes };
            let metadata = [
                &1_u32.to_be_bytes()[..],
                &2_u32.to_be_bytes(),
                &0o100_644_u32.to_be_bytes(),
                &file.attributes(),
            ]
            .concat();
            assert_eq!(OstreeFile::parse(&metadata), Some(file));
        }
        for short in 0..12 {
            assert_eq!(OstreeFile::parse(&[0; 12][..short]), None);
        }
        assert_eq!(OstreeFile::parse(&[0; 12]), Some(OstreeFile::default()));
        assert_eq!(OstreeFile::parse(b"\0\0\0\0\0\0\0\0\0\0\0\0\xff"), None);
    }

    #[test]
    fn settings_tell_the_mode() {
        assert_eq!(bare_mode(b"[core]\nmode = bare-user-only\n"), Some(Coding::BareUserOnly));
        assert_eq!(bare_mode(b"[core]\nmode=bare-user\n[x]\nmode=archive"), Some(Coding::BareUser));
        assert_eq!(bare_mode(b"[core]\ndisable-xattrs=true\r\n"), Some(Coding::BarePlain));
        assert_eq!(bare_mode(b"[core]\nrepo_version=1\n"), Some(Coding::Bare));
        assert_eq!(bare_mode(b"[core]\nmode=archive-z2\n"), None);
        assert_eq!(bare_mode(b"[core]\nmode=bare-split-xattrs\n"), None);
    }
}
