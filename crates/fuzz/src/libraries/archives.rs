//! Archives and compressed files from any bytes: no panic, no end that never comes, no more memory than the limit.

use hashmill_archive::{
    Archive, Compression, Directory, Limits, Medium, Member, Members, StreamFormat, archive, decoder,
    decoder_of_parts, stream,
};
use std::io::{Cursor, Read};
use std::sync::Arc;

/// The bounds of what is read: more only takes more time.
const LIMITS: Limits = Limits { memory: 1 << 20 };
const MEMBERS: usize = 2000;
const MOST: u64 = 256 << 10;
const ALL: u64 = 4 << 20;

/// The length of what is worth the attention of several threads.
const LONG: usize = 600 << 10;

/// Reads everything in the archive that these bytes are, compressed or not.
pub fn whole(data: &[u8]) {
    let medium: Arc<dyn Medium> = Arc::new(data.to_vec());
    if let Some(format) = archive(&*medium) {
        match (format.open)(Arc::clone(&medium), &LIMITS) {
            Ok(Archive::Members(members)) => each(members),
            Ok(Archive::Directory(directory)) => listed(&*directory),
            Err(_) => {}
        }
    }
    let bytes = || Box::new(Cursor::new(data.to_vec()));
    let start = |bytes: &[u8]| bytes[..bytes.len().min(StreamFormat::FIRST)].to_vec();
    if let Some(format) = stream(&start(data))
        && let Ok(members) = (format.open)(bytes(), &LIMITS)
    {
        each(members);
    }
    let Some(compression) = Compression::of(data) else { return };
    let Ok(decoded) = decoder(compression, bytes(), &LIMITS) else { return };
    let mut unpacked = Vec::new();
    let _ = decoded.take(ALL).read_to_end(&mut unpacked);
    if let Some(format) = stream(&start(&unpacked))
        && let Ok(members) = (format.open)(Box::new(Cursor::new(unpacked)), &LIMITS)
    {
        each(members);
    }
}

/// Decodes many copies of these bytes one after the other, by parts on two threads and as a whole.
///
/// # Panics
/// If the two don't give the same.
pub fn parts(data: &[u8]) {
    let Some(compression) = Compression::of(data) else { return };
    let copies = data.repeat(LONG.div_ceil(data.len().max(1)));
    let all = 0..copies.len() as u64;
    let whole = decoder(compression, Box::new(Cursor::new(copies.clone())), &LIMITS);
    let medium: Arc<dyn Medium> = Arc::new(copies);
    let parts = decoder_of_parts(compression, medium, all, &LIMITS, 2, &Arc::default());
    let (mut whole, mut parts) = match (whole, parts) {
        (Ok(whole), Ok(parts)) => (whole, parts),
        (whole, parts) => return assert_eq!(whole.is_err(), parts.is_err(), "only one can be opened"),
    };
    let (mut ones, mut others) = (vec![0; 4096], vec![0; 4096]);
    for _ in 0..ALL / 4096 {
        // The bytes that a call yields before a problem is told depend on its buffer, so that these are not compared.
        match (fill(&mut *whole, &mut ones), fill(&mut *parts, &mut others)) {
            (Some(one), Some(other)) => {
                assert_eq!(ones[..one], others[..other]);
                if one < ones.len() {
                    return;
                }
            }
            (one, other) => return assert_eq!(one, other, "only one met a problem"),
        }
    }
}

/// Fills the buffer as far as there are bytes. Returns how many there were, or nothing if there was a problem.
fn fill(source: &mut dyn Read, buffer: &mut [u8]) -> Option<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match source.read(&mut buffer[length..]).ok()? {
            0 => break,
            more => length += more,
        }
    }
    Some(length)
}

/// Reads members that come one after the other.
fn each(mut members: Box<dyn Members>) {
    let mut left = ALL;
    for _ in 0..MEMBERS {
        let Ok(Some(member)) = members.next() else { break };
        let read = drain(&member, &mut |buffer| members.read(buffer).ok());
        left = left.saturating_sub(read);
        if left == 0 {
            break;
        }
    }
}

/// Reads the members of a directory.
fn listed(directory: &dyn Directory) {
    let mut left = ALL;
    for listed in directory.members().take(MEMBERS).map_while(Result::ok) {
        if let Ok(mut bytes) = listed.bytes.open() {
            let read = drain(&listed.member, &mut |buffer| bytes.read(buffer).ok());
            left = left.saturating_sub(read);
        }
        if left == 0 {
            break;
        }
    }
}

/// Reads a member as far as that makes sense. Returns how many bytes it had.
///
/// # Panics
/// If it has more bytes than its size, without being told so.
fn drain(member: &Member, read: &mut dyn FnMut(&mut [u8]) -> Option<usize>) -> u64 {
    let (mut buffer, mut all) = (vec![0; 4096], 0);
    while all < MOST {
        match read(&mut buffer) {
            Some(0) => {
                assert!(member.size.is_none_or(|size| size == all), "{member:?} has {all} bytes");
                break;
            }
            None => break,
            Some(length) => all += length as u64,
        }
    }
    all
}
