//! Where a copy notes what it has done, for the same command after an interruption.

use hashmill_digest::{find, hash};
use hashmill_job::Algorithms;
use hashmill_os::names::{bytes, path_bytes};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the path of the state of a copy in the user's own folder of states; none where the user has no such folder. It stands for
/// the sources and destinations as they are typed in this folder, and for the digests.
pub fn state(sources: &[OsString], to: &[PathBuf], algorithms: &Algorithms) -> Option<PathBuf> {
    let mut words = vec![path_bytes(&env::current_dir().ok()?).into_owned()];
    words.extend(sources.iter().map(|source| bytes(source).to_vec()));
    words.push(Vec::new());
    words.extend(to.iter().map(|to| path_bytes(to).into_owned()));
    words.push(Vec::new());
    words.extend(algorithms.digests.iter().map(|algorithm| algorithm.name.as_bytes().to_vec()));
    let lengths = words.iter().map(|word| (word.len() as u64).to_le_bytes());
    let joined: Vec<u8> =
        lengths.zip(&words).flat_map(|(length, word)| [&length[..], word].concat()).collect();
    let name = hash(find("blake3").ok()?, &joined).to_string();
    Some(hashmill_os::states()?.join("hashmill/copies").join(name))
}
