//! Names of members: short ones in headers, long ones in a table (System V, GNU) or before the content (BSD).

use super::header::number;

/// The most bytes of a name.
pub(super) const LONGEST_NAME: u64 = 64 << 10;

/// The name in a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StoredName {
    /// The name itself.
    Short(Vec<u8>),
    /// The position of the name in the table of long names.
    InTable(u64),
    /// The length of the name, which the content begins with.
    BeforeContent(u64),
    /// No name: the table of long names.
    Table,
    /// No name: a table of symbols.
    Symbols,
}

impl StoredName {
    /// Returns the name in a field of a header. A slash ends it in archives of System V and GNU, spaces in those
    /// of BSD.
    pub(super) fn new(field: &[u8; 16]) -> StoredName {
        let field = field.trim_ascii_end();
        match field {
            b"//" => return StoredName::Table,
            b"/" | b"/SYM64/" => return StoredName::Symbols,
            _ => {}
        }
        let after = |prefix: &[u8]| field.strip_prefix(prefix).and_then(|digits| number(digits, 10));
        if let Some(offset) = after(b"/") {
            return StoredName::InTable(offset);
        }
        if let Some(length) = after(b"#1/") {
            return StoredName::BeforeContent(length);
        }
        StoredName::Short(field.strip_suffix(b"/").unwrap_or(field).to_vec())
    }
}

/// Returns whether this is the name of a table of symbols of BSD.
pub(super) fn is_symbols(name: &[u8]) -> bool {
    [b"__.SYMDEF".as_slice(), b"__.SYMDEF SORTED", b"__.SYMDEF_64", b"__.SYMDEF_64 SORTED"].contains(&name)
}

/// Returns a name without the zeros that fill it up.
pub(super) fn without_zeros(mut name: Vec<u8>) -> Vec<u8> {
    let end = name.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    name.truncate(end);
    name
}

/// The table of long names: each ends in a line feed, in archives of GNU with a slash before, or in a zero.
#[derive(Debug)]
pub(super) struct LongNames(Vec<u8>);

impl LongNames {
    pub(super) fn new(table: Vec<u8>) -> LongNames {
        LongNames(table)
    }

    /// Returns the name at a position; none if it lies outside or does not end.
    pub(super) fn name(&self, offset: u64) -> Option<Vec<u8>> {
        let rest = self.0.get(usize::try_from(offset).ok()?..)?;
        let window = rest.get(..LONGEST_NAME as usize).unwrap_or(rest);
        let name = window.get(..window.iter().position(|byte| matches!(byte, b'\n' | 0))?)?;
        Some(name.strip_suffix(b"/").unwrap_or(name).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        let short = |name: &str| StoredName::Short(name.into());
        assert_eq!(StoredName::new(b"a.o/            "), short("a.o"));
        assert_eq!(StoredName::new(b"control.tar.xz  "), short("control.tar.xz"));
        assert_eq!(StoredName::new(b"with space/     "), short("with space"));
        assert_eq!(StoredName::new(b"#1/20           "), StoredName::BeforeContent(20));
        assert_eq!(StoredName::new(b"#1/x            "), short("#1/x"));
        assert_eq!(StoredName::new(b"/18             "), StoredName::InTable(18));
        assert_eq!(StoredName::new(b"/               "), StoredName::Symbols);
        assert_eq!(StoredName::new(b"/SYM64/         "), StoredName::Symbols);
        assert_eq!(StoredName::new(b"//              "), StoredName::Table);
    }

    #[test]
    fn long_names_end_in_any_of_three_ways() {
        let table = LongNames::new(b"of_gnu.o/\nof_sysv.o\nof_windows.obj\0endless".to_vec());
        assert_eq!(table.name(0).unwrap(), b"of_gnu.o");
        assert_eq!(table.name(10).unwrap(), b"of_sysv.o");
        assert_eq!(table.name(20).unwrap(), b"of_windows.obj");
        assert_eq!(table.name(35), None);
        assert_eq!(table.name(u64::MAX), None);
        assert_eq!(without_zeros(b"a\0b\0\0".to_vec()), b"a\0b");
        assert_eq!(without_zeros(vec![0; 3]), b"");
    }
}
