//! A row of the table of files: as columns, and as the bytes that are sealed.

use crate::error::Why;
use crate::{Content, Kept, Stamp, Verdict};
use rusqlite::Row;
use rusqlite::types::ToSqlOutput::{self, Borrowed, Owned};
use rusqlite::types::ValueRef;

/// The columns of a file, in the order of [`of_row`] and [`values`].
pub(crate) const COLUMNS: &str = "path, digests, size, device, inode, mtime, mtime_ns, ctime, ctime_ns, \
                                  proposal, first, last, verdict, streak, run";

/// The bits of a verdict in its column.
const VERDICT_BITS: u32 = 4;

/// The number of columns.
pub(crate) const COUNT: usize = 15;

/// Reads a row that was selected by [`COLUMNS`].
pub(crate) fn of_row(row: &Row<'_>) -> Result<Kept, Why> {
    let path: Vec<u8> = row.get(0)?;
    let digests: Option<Vec<u8>> = row.get(1)?;
    let content = match digests {
        None => None,
        Some(digests) => {
            let size: Option<i64> = row.get(2)?;
            Some(Content { digests: digests.into(), size: size.map(|size| size as u64), stamp: stamp(row)? })
        }
    };
    let proposal: Option<Vec<u8>> = row.get(9)?;
    let proposal = proposal.map(|bytes| of_bytes(&bytes).ok_or(Why::Row)).transpose()?;
    let (verdict, was) = of_number(row.get(12)?)?;
    let streak: i64 = row.get(13)?;
    Ok(Kept {
        path: path.into(),
        content,
        proposal,
        first: row.get(10)?,
        last: row.get(11)?,
        verdict,
        was,
        streak: u32::try_from(streak).map_err(|_| Why::Row)?,
        run: row.get(14)?,
    })
}

/// Returns the number of a verdict, with the one before it in the four bits above.
fn number_of(kept: &Kept) -> i64 {
    let number = |verdict: Option<Verdict>| verdict.map_or(0, Verdict::number);
    number(kept.verdict) | number(kept.was) << VERDICT_BITS
}

/// Returns the verdict of a number in a database, and the one before it.
pub(crate) fn of_number(number: Option<i64>) -> Result<(Option<Verdict>, Option<Verdict>), Why> {
    let number = number.unwrap_or(0);
    let verdict = |number: i64| match number {
        0 => Ok(None),
        number => Verdict::of_number(number).map(Some).ok_or(Why::Row),
    };
    Ok((verdict(number & ((1 << VERDICT_BITS) - 1))?, verdict(number >> VERDICT_BITS)?))
}

fn stamp(row: &Row<'_>) -> Result<Option<Stamp>, Why> {
    let device: Option<i64> = row.get(3)?;
    let Some(device) = device else { return Ok(None) };
    let inode: i64 = row.get(4)?;
    Ok(Some(Stamp { device: device as u64, inode: inode as u64, mtime: time(row, 5)?, ctime: time(row, 7)? }))
}

/// Reads a time from two columns: seconds, and nanoseconds.
pub(crate) fn time(row: &Row<'_>, at: usize) -> Result<(i64, u32), Why> {
    let nanoseconds: i64 = row.get(at + 1)?;
    Ok((row.get(at)?, u32::try_from(nanoseconds).map_err(|_| Why::Row)?))
}

/// Returns the values of the columns.
pub(crate) fn values(kept: &Kept) -> [ToSqlOutput<'_>; COUNT] {
    let content = kept.content.as_ref();
    let stamp = content.and_then(|content| content.stamp);
    let number = |number: Option<i64>| Borrowed(number.map_or(ValueRef::Null, ValueRef::Integer));
    let part = |part: fn(&Stamp) -> i64| number(stamp.as_ref().map(part));
    [
        Borrowed(ValueRef::Blob(&kept.path)),
        Borrowed(content.map_or(ValueRef::Null, |content| ValueRef::Blob(&content.digests))),
        number(content.and_then(|content| content.size).map(|size| size as i64)),
        part(|stamp| stamp.device as i64),
        part(|stamp| stamp.inode as i64),
        part(|stamp| stamp.mtime.0),
        part(|stamp| i64::from(stamp.mtime.1)),
        part(|stamp| stamp.ctime.0),
        part(|stamp| i64::from(stamp.ctime.1)),
        Owned(kept.proposal.as_ref().map(bytes_of).into()),
        number(Some(kept.first)),
        number(Some(kept.last)),
        number(Some(number_of(kept)).filter(|number| *number != 0)),
        number(Some(i64::from(kept.streak))),
        number(Some(kept.run)),
    ]
}

/// Returns the bytes that the seal binds: no two rows have the same.
pub(crate) fn sealed(kept: &Kept) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(kept.path.len() + 256);
    bytes.push(b'f');
    put(&mut bytes, &kept.path);
    for content in [&kept.content, &kept.proposal] {
        put(&mut bytes, &content.as_ref().map(bytes_of).unwrap_or_default());
    }
    for number in [kept.first, kept.last, number_of(kept), i64::from(kept.streak), kept.run] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

/// Returns what the seal binds of a row of another table: each value after a byte for its type.
pub(crate) fn sealed_values(tag: u8, row: &Row<'_>, columns: usize) -> Result<Vec<u8>, Why> {
    let mut bytes = vec![tag];
    for column in 0..columns {
        match row.get_ref(column)? {
            ValueRef::Null => bytes.push(0),
            ValueRef::Integer(number) => {
                bytes.push(1);
                bytes.extend(number.to_le_bytes());
            }
            ValueRef::Text(value) | ValueRef::Blob(value) => {
                bytes.push(2);
                put(&mut bytes, value);
            }
            ValueRef::Real(_) => return Err(Why::Row),
        }
    }
    Ok(bytes)
}

/// Appends bytes after their length.
pub(crate) fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u64).to_le_bytes());
    to.extend(bytes);
}

/// Returns a content as bytes: which parts are there, the parts in numbers of 64 bits, the digests.
pub(crate) fn bytes_of(content: &Content) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64 + content.digests.len());
    bytes.push(u8::from(content.size.is_some()) | u8::from(content.stamp.is_some()) << 1);
    bytes.extend(content.size.iter().flat_map(|size| size.to_le_bytes()));
    if let Some(Stamp { device, inode, mtime, ctime }) = content.stamp {
        for number in [device, inode, mtime.0 as u64, u64::from(mtime.1), ctime.0 as u64, u64::from(ctime.1)]
        {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes.extend(&content.digests);
    bytes
}

pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Content> {
    let (parts, mut rest) = bytes.split_first()?;
    let mut number = || {
        let (number, behind) = rest.split_first_chunk::<8>()?;
        rest = behind;
        Some(u64::from_le_bytes(*number))
    };
    let size = if parts & 1 != 0 { Some(number()?) } else { None };
    let stamp = match parts & 2 {
        0 => None,
        _ => {
            let (device, inode) = (number()?, number()?);
            let mut time = || Some((number()? as i64, u32::try_from(number()?).ok()?));
            Some(Stamp { device, inode, mtime: time()?, ctime: time()? })
        }
    };
    (*parts < 4).then(|| Content { digests: rest.into(), size, stamp })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn contents_are_read_as_written(
            digests in proptest::collection::vec(any::<u8>(), 0..70),
            size in proptest::option::of(any::<u64>()),
            times in proptest::option::of(any::<(u64, u64, i64, u32, i64, u32)>()),
        ) {
            let stamp = times.map(|(device, inode, m, mn, c, cn)| Stamp { device, inode, mtime: (m, mn), ctime: (c, cn) });
            let content = Content { digests: digests.into(), size, stamp };
            prop_assert_eq!(of_bytes(&bytes_of(&content)), Some(content));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..90)) {
            if let Some(content) = of_bytes(&bytes) {
                prop_assert_eq!(bytes_of(&content), bytes);
            }
        }
    }
}
