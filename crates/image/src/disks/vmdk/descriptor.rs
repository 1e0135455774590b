//! The text that describes a disk.

/// The most bytes of a descriptor.
pub(super) const MOST_TEXT: u64 = 4 << 20;

/// The most extents that are read; VMware's programs split 62 TiB into some 30,000.
const MOST_EXTENTS: usize = 1 << 17;

/// The identifier of content for disks without a parent.
const NO_PARENT: &str = "ffffffff";

#[derive(Debug, Clone, Default)]
pub(super) struct Descriptor {
    pub(super) text: String,
    /// `createType`.
    pub(super) kind: Option<String>,
    /// The name of the parent, or its content identifier.
    pub(super) parent: Option<String>,
    pub(super) encrypted: bool,
    pub(super) extents: Vec<ExtentLine>,
}

/// A line about an extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExtentLine {
    pub(super) sectors: u64,
    pub(super) kind: LineKind,
    pub(super) name: Box<[u8]>,
    /// The first sector in a file of plain bytes.
    pub(super) offset: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Plain bytes in a file.
    Flat,
    /// Grains, in a file with a header.
    Sparse,
    Zero,
    /// Of a kind that can't be read.
    Other(Box<str>),
}

impl Descriptor {
    /// Reads a descriptor. Unknown lines are left out, as VMware's programs do.
    pub(super) fn parse(text: &[u8]) -> Descriptor {
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let text = &text[..end];
        let mut found =
            Descriptor { text: String::from_utf8_lossy(text).into_owned(), ..Descriptor::default() };
        let (mut parent, mut hint) = (None, None);
        for line in text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii) {
            if found.extents.len() < MOST_EXTENTS
                && let Some(extent) = ExtentLine::parse(line)
            {
                found.extents.push(extent);
            } else if let Some((key, value)) = setting(line) {
                match key.as_str() {
                    "createtype" => found.kind = Some(value),
                    "parentcid" if !value.eq_ignore_ascii_case(NO_PARENT) => parent = Some(value),
                    "parentfilenamehint" => hint = Some(format!("'{value}'")),
                    "encryption.keysafe" => found.encrypted = true,
                    _ => {}
                }
            }
        }
        found.parent = parent.map(|identifier| hint.unwrap_or_else(|| format!("with the CID {identifier}")));
        found
    }
}

/// Returns the key in lower case, and the value without quotes.
fn setting(line: &[u8]) -> Option<(String, String)> {
    let line = String::from_utf8_lossy(line);
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"');
    (!key.starts_with('#')).then(|| (key.trim().to_ascii_lowercase(), value.to_string()))
}

impl ExtentLine {
    /// Reads `RW 4192256 SPARSE "name.vmdk"`, or with an offset at the end.
    fn parse(line: &[u8]) -> Option<ExtentLine> {
        let open = line.iter().position(|byte| *byte == b'"').unwrap_or(line.len());
        let close = line.iter().rposition(|byte| *byte == b'"').filter(|close| *close > open);
        let head = str::from_utf8(&line[..open]).ok()?;
        let mut words = head.split_ascii_whitespace();
        let access = words.next()?;
        if !["RW", "RDONLY", "NOACCESS"].contains(&access) {
            return None;
        }
        let sectors = words.next()?.parse().ok()?;
        let kind = match words.next()? {
            "FLAT" | "VMFS" => LineKind::Flat,
            "SPARSE" | "VMFSSPARSE" => LineKind::Sparse,
            "ZERO" => LineKind::Zero,
            other => LineKind::Other(other.into()),
        };
        let name = close.and_then(|close| line.get(open + 1..close)).unwrap_or_default().into();
        let tail = close.and_then(|close| line.get(close + 1..)).unwrap_or_default().trim_ascii();
        let offset = str::from_utf8(tail)
            .ok()?
            .split_ascii_whitespace()
            .next()
            .map_or(Some(0), |word| word.parse().ok());
        Some(ExtentLine { sectors, kind, name, offset: offset? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_read() {
        let line = |text: &str| ExtentLine::parse(text.as_bytes());
        let extent = |sectors, kind, name: &str, offset| {
            Some(ExtentLine { sectors, kind, name: name.as_bytes().into(), offset })
        };
        assert_eq!(line("RW 63 FLAT \"a \"b\".vmdk\" 128"), extent(63, LineKind::Flat, "a \"b\".vmdk", 128));
        assert_eq!(line("RDONLY 8 SPARSE \"x-s001.vmdk\""), extent(8, LineKind::Sparse, "x-s001.vmdk", 0));
        assert_eq!(line("RW 8 ZERO"), extent(8, LineKind::Zero, "", 0));
        assert_eq!(line("RW 8 SESPARSE \"x\""), extent(8, LineKind::Other("SESPARSE".into()), "x", 0));
        for other in ["", "RW", "RW x FLAT \"a\" 0", "RW 8 FLAT \"a\" x", "# RW 8 ZERO", "RW -1 ZERO"] {
            assert_eq!(line(other), None, "{other}");
        }
    }

    #[test]
    fn a_parent_is_named_by_its_hint() {
        let parse = |text: &str| Descriptor::parse(text.as_bytes()).parent;
        assert_eq!(parse("parentCID=ffffffff\n"), None);
        assert_eq!(parse("parentCID=FFFFFFFF\nparentFileNameHint=\"a\""), None);
        assert_eq!(parse("parentCID=12ab\n").as_deref(), Some("with the CID 12ab"));
        assert_eq!(
            parse("parentCID = 12ab\r\nparentFileNameHint=\"b.vmdk\"\r\n").as_deref(),
            Some("'b.vmdk'")
        );
    }
}
