//! Archives of several volumes, by the names that the volumes have.

use crate::{Medium, sevenz, zip};

/// The volumes that belong to a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Volumes {
    /// Those of a zip, of which the file is the last one: the names of all before it. Places are relative to volumes.
    Zip(Vec<Vec<u8>>),
    /// Parts of what was cut, of which the file is the first one: what is before the number in names, and the number of bytes
    /// of all together, if the first one states it.
    Cut(Vec<u8>, Option<u64>),
    /// Those of a zip, of which the file is another than the last one: the name of that.
    NotLast(Vec<u8>),
}

/// The most volumes of a zip: more files are not opened at once.
const MAX_VOLUMES: u32 = 512;

impl Volumes {
    /// Returns the volumes that belong to a file with this name; none if it is whole.
    pub fn of(name: &[u8], medium: &dyn Medium) -> Option<Volumes> {
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
        let (stem, extension) = (&name[..dot], name[dot + 1..].to_ascii_lowercase());
        let is_upper = name[dot + 1..].first().is_some_and(u8::is_ascii_uppercase);
        match &*extension {
            b"001" => Some(Volumes::Cut([stem, b"."].concat(), sevenz::stated_size(medium))),
            b"zip" | b"zipx" => {
                let number = zip::volumes(medium).filter(|number| (2..=MAX_VOLUMES).contains(number))?;
                let letter = if is_upper { "Z" } else { "z" };
                let names =
                    (1..number).map(|number| [stem, format!(".{letter}{number:02}").as_bytes()].concat());
                Some(Volumes::Zip(names.collect()))
            }
            [b'z', number @ ..] if zip::is_first_volume(medium) && number.iter().all(u8::is_ascii_digit) => {
                Some(Volumes::NotLast([stem, if is_upper { b".ZIP" } else { b".zip" }].concat()))
            }
            _ => None,
        }
    }

    /// Returns the name of the part with this number of what was cut.
    pub fn part(before: &[u8], number: usize) -> Vec<u8> {
        [before, format!("{number:03}").as_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_have_the_names_of_their_programs() {
        let end = |disk: u16| {
            let mut record = b"PK\x05\x06".to_vec();
            for number in [disk, disk, 1, 1] {
                record.extend(number.to_le_bytes());
            }
            record.resize(22, 0);
            record
        };
        let names = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let of = |name: &str, bytes: Vec<u8>| Volumes::of(name.as_bytes(), &bytes);
        assert_eq!(of("a.zip", end(2)), Some(Volumes::Zip(names(&["a.z01", "a.z02"]))));
        assert_eq!(of("A.ZIP", end(1)), Some(Volumes::Zip(names(&["A.Z01"]))));
        assert_eq!(of("a.zip", end(0)), None);
        assert_eq!(of("a.zip", end(65_000)), None);
        let first = b"PK\x07\x08PK\x03\x04".to_vec();
        assert_eq!(of("a.z01", first.clone()), Some(Volumes::NotLast(b"a.zip".to_vec())));
        assert_eq!(of("a.zip", first), None);
        assert_eq!(of("a.zip.001", Vec::new()), Some(Volumes::Cut(b"a.zip.".to_vec(), None)));
        assert_eq!(Volumes::part(b"a.7z.", 12), b"a.7z.012");
    }
}
