//! Archives and compressed files from any bytes: no panic, no end that never comes, no more memory than the limit.

use hashloom_archive::{
    Archive, Compression, Directory, Limits, Medium, Member, Members, StreamFormat, archive, decoder, stream,
};
use std::io::{Cursor, Read};
use std::sync::Arc;

/// The bounds of what is read: more only takes more time.
const LIMITS: Limits = Limits { memory: 1 << 20 };
const MEMBERS: usize = 2000;
const MOST: u64 = 256 << 10;
const ALL: u64 = 4 << 20;

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
