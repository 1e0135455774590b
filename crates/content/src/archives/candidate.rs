//! The choice of files to look into: all whose first bytes can be had without a request. A name proves nothing.

use super::directory::is_unpacked;
use super::names::is_named;
use super::watched::Watched;
use crate::entry::unread::NotLookedInto;
use crate::images::is_medium;
use crate::inside::glance::Glance;
use crate::wanted::Inside;
use hashmill_archive::{StreamFormat, is_known};
use hashmill_os::names;
use hashmill_source::{Entry, EntryContent, Origin};
use std::sync::Arc;

/// The ways to treat a file that may be an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// All ways to read it are tried.
    LookInto,
    /// It is watched while it is hashed.
    Watch,
    /// It is no archive, or can't be examined.
    PassOn,
}

/// Returns a file that is to be looked into, or else one that is to be passed on. `is_far` if it is in an archive in a store.
pub(super) fn candidate(
    entry: Entry,
    is_far: bool,
    inside: Inside,
    unread: &NotLookedInto,
) -> Result<Entry, Entry> {
    match (treatment(&entry, is_far), &entry.content) {
        (Treatment::LookInto, _) => Ok(entry),
        (Treatment::Watch, Some(content)) => {
            let watched = Watched::new(Arc::clone(content), entry.path.clone(), inside, unread);
            // A member that filters leave out may be an archive nevertheless. An object would be a request.
            if entry.is_passage && !is_far && !content.is_remote() {
                watched.pass_over();
            }
            Err(Entry { content: Some(Arc::new(watched)), ..entry })
        }
        _ => Err(entry),
    }
}

fn treatment(entry: &Entry, is_far: bool) -> Treatment {
    let look_if = |is_candidate| if is_candidate { Treatment::LookInto } else { Treatment::PassOn };
    match &entry.content {
        _ if entry.origin == Origin::Stdin => Treatment::PassOn,
        None if entry.origin == Origin::Path => {
            look_if(is_named(&entry.path) || Glance::at(entry).is_some_and(|glance| glance.is_archive()))
        }
        // Examining a FIFO would consume its bytes.
        None => look_if(names::path_to_try(&entry.path).metadata().is_ok_and(|meta| meta.is_file())),
        Some(content) if is_medium(&**content) => Treatment::PassOn,
        Some(_) if is_named(&entry.path) => Treatment::LookInto,
        // To look at each object of a store, and at each member of a zip there, would cost a request.
        Some(content) if is_far && is_unpacked(&**content) => Treatment::Watch,
        Some(content) if content.is_remote() && entry.origin == Origin::Path => Treatment::Watch,
        Some(content) if content.is_remote() => Treatment::LookInto,
        Some(content) => of_member(&**content),
    }
}

/// Returns how a member is treated. One that is decoded from its start is known by its first bytes alone.
fn of_member(content: &dyn EntryContent) -> Treatment {
    // Bytes that can't be read fail when they are hashed.
    let Ok(bytes) = content.open() else { return Treatment::PassOn };
    if !bytes.is_in_order() && bytes.has_size() {
        return Treatment::LookInto;
    }
    let mut first = vec![0; StreamFormat::FIRST];
    let Ok(length) = bytes.peek(&mut first) else { return Treatment::PassOn };
    first.truncate(length);
    match is_known(&first, &first) {
        true => Treatment::LookInto,
        false if length < StreamFormat::FIRST => Treatment::PassOn,
        false => Treatment::Watch,
    }
}
