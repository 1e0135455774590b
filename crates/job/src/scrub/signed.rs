//! The signed seal of a state: files beside it that say which seal the state has, and are signed.
//!
//! There are two, written by turns, each before the state is: the seal of what is in the database stays signed while that of
//! what comes into it is written. A run may be killed at any moment, and the next one finds the state signed.

use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::File as Tried;
use hashmill_content::output::{OutputPath, RunFiles, create_derived};
use hashmill_keep::{Seal, State};
use hashmill_lists::SignatureError;
use hashmill_lists::judged::Judged;
use hashmill_lists::kinds::{STATE_SEAL, STATE_SEAL_TITLE as TITLE};
use hashmill_lists::signatures::Signer;
use hashmill_lists::signatures::guard::Guard;
use hashmill_lists::signatures::staged::Signing;
use hashmill_os::names;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of such a file.
const MAX_FILE: u64 = 4096;

/// The endings of the two files.
const ENDINGS: [&str; 2] = [".seal1", ".seal2"];

/// A seal was written for another state than this one.
const OTHER_SEAL: &str = "it is the seal of another state: something else wrote to this one, or put an older one in its place; \
                          --ignore-signature continues all the same";

/// A seal is not signed by anybody whom the run trusts.
const NOT_SIGNED: &str = "it lacks good signatures by keys that this run trusts (those of --sign, --public-key and \
                          --allowed-signers); --ignore-signature continues all the same";

/// There is no seal: nobody signed the state.
const NO_SEAL: &str = "it is not there: nobody signed this state so far, or somebody removed the seal; --ignore-signature continues \
                       all the same";

/// There is no state, although it is to be a signed one.
pub(super) const NO_STATE: &str =
    "there is no state, so that nobody signed it: somebody may have removed it; --first begins one";

/// The state of a run without a key has a signed seal.
const SIGNED_SEAL: &str =
    "this state is signed, and this run would change it: name the key with --sign, or --ignore-signature";

/// The keys that sign each change of a state.
struct SignedSeal {
    /// The file that they sign next, and the other one.
    places: [PathBuf; 2],
    signing: Signing,
    /// The seal that was signed last.
    was: Option<String>,
    files: RunFiles,
}

/// Checks that a state is as it was signed, and lets the keys sign all that becomes of it. Returns what was found of the
/// signatures. With keys, only a state that one of them signed is signed again.
///
/// # Errors
/// If the state is another one, if a signature is broken or missing, or if nobody would sign the state that was signed before.
pub(super) fn open(
    state: &mut State,
    guard: Guard,
    signers: Vec<Signer>,
    files: &RunFiles,
    is_first: bool,
) -> Result<Vec<Judged>, Error> {
    if guard.is_needed() && !is_first && state.is_new()? {
        return Err(Misfit::of_place(name(state.path()), NO_STATE).into());
    }
    let guard = guard.trusting(&signers);
    let mut places = places(state);
    let (found, judged) =
        if guard.is_ignoring() { (None, Vec::new()) } else { find(state, &guard, &places)? };
    if signers.is_empty() {
        return match found {
            Some(place) => Err(Misfit::of_place(name(&places[place]), SIGNED_SEAL).into()),
            None => Ok(judged),
        };
    }
    // The old signature stays until the new one is written.
    if found == Some(0) {
        places.reverse();
    }
    let signing = Signing::prepare(signers, &places[0])?;
    let was = found.map(|_| state.seal().text());
    let mut signed = SignedSeal { places, signing, was, files: files.clone() };
    state.witness_by(Box::new(move |seal| {
        signed.announce(seal).map_err(|error| io::Error::other(error.to_string()))
    }));
    Ok(judged)
}

/// Checks that a state is as it was signed. Returns what was found of the signatures.
///
/// # Errors
/// As [`open`]; without keys, a signed state may be read.
pub(super) fn check(state: &State, guard: &Guard) -> Result<Vec<Judged>, Error> {
    if guard.is_ignoring() { Ok(Vec::new()) } else { Ok(find(state, guard, &places(state))?.1) }
}

/// Finds which of the files has the seal of the state.
fn find(state: &State, guard: &Guard, places: &[PathBuf; 2]) -> Result<(Option<usize>, Vec<Judged>), Error> {
    let (seal, mut failed) = (state.seal().text(), None);
    // Reading anything else might never end.
    let is_there = |place: &&PathBuf| place.symlink_metadata().is_ok_and(|meta| meta.is_file());
    for place in places.iter().filter(is_there) {
        match read(guard, place) {
            Ok((text, judged)) if of_text(&text) == Some(&*seal) => {
                return Ok((places.iter().position(|other| other == place), judged));
            }
            Ok(_) => failed = Some(Misfit::of_place(name(place), OTHER_SEAL).into()),
            Err(Error::Signature(SignatureError::TooFew { .. })) => {
                failed = failed.or(Some(Misfit::of_place(name(place), NOT_SIGNED).into()));
            }
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) => Err(error),
        // A new state has nothing that anybody could have altered.
        None if guard.is_needed() && !state.is_new()? => {
            Err(Misfit::of_place(name(&places[0]), NO_SEAL).into())
        }
        None => Ok((None, Vec::new())),
    }
}

/// Reads a file whose signatures are as they are required to be.
fn read(guard: &Guard, place: &Path) -> Result<(String, Vec<Judged>), Error> {
    let (listing, judged) = guard.pass(place.as_os_str())?;
    let mut text = String::new();
    let read = listing.into_bytes().and_then(|bytes| bytes.take(MAX_FILE).read_to_string(&mut text));
    read.map_err(Error::at(place, Tried::Read))?;
    Ok((text, judged))
}

fn places(state: &State) -> [PathBuf; 2] {
    ENDINGS.map(|ending| beside(state.path(), ending))
}

fn name(path: &Path) -> Box<[u8]> {
    names::path_bytes(path).into()
}

fn beside(state: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(state);
    name.push(ending);
    name.into()
}

fn text_of(seal: &str) -> String {
    format!("{TITLE}\nseal: {seal}\n")
}

fn of_text(text: &str) -> Option<&str> {
    text.strip_prefix(TITLE)?.strip_prefix("\nseal: ")?.strip_suffix('\n')
}

impl SignedSeal {
    /// Signs the seal of what comes into the database next.
    fn announce(&mut self, seal: &Seal) -> Result<(), Error> {
        let seal = seal.text();
        if self.was.as_ref() == Some(&seal) {
            return Ok(());
        }
        self.signing.turn_to(&self.places[0])?;
        let mut output = create_derived(&OutputPath::own(&self.places[0], &self.files), STATE_SEAL)?;
        let written = output.write_all(text_of(&seal).as_bytes()).and_then(|()| output.flush());
        written.map_err(|error| output.error(error))?;
        let staged = self.signing.stage(&output)?;
        output.finish()?;
        staged.finish()?;
        self.was = Some(seal);
        self.places.reverse();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seals_are_read_as_written() {
        assert_eq!(of_text(&text_of("ab")), Some("ab"));
        for other in ["", TITLE, "seal: ab\n", &text_of("ab")[1..]] {
            assert_eq!(of_text(other), None, "{other}");
        }
        assert_eq!(beside(Path::new("a/state"), ENDINGS[0]), Path::new("a/state.seal1"));
    }
}
