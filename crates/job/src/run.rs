//! Description of a run: its times, host, program and operands. Documents have it in one object, which holds all that
//! differs between two runs over the same files.

use crate::algorithms::Algorithms;
use crate::case::{Case, used};
use crate::error::Error;
use crate::notice::Notice;
use hashmill_content::File;
use hashmill_digest::{Algorithm, find};
use hashmill_lists::SignedBy;
use hashmill_lists::digested::ListDigest;
use hashmill_lists::listing::Listing;
use hashmill_lists::made::now;
use hashmill_lists::signatures::guard::Guard;
use hashmill_manifest::case::Start;
use hashmill_os::names;
use hashmill_terminal::{add_path, masked_word, path_b64, path_text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The algorithm of the digests that identify lists.
const ALGORITHM: &str = "sha256";

/// The run that produced a result.
pub struct Run {
    start: Start,
    lists: Vec<NamedList>,
    operands: Vec<Value>,
    against: Option<Value>,
}

/// A list that the result depends on.
struct NamedList {
    path: PathBuf,
    digest: Option<ListDigest>,
    signers: Vec<SignedBy>,
}

impl Run {
    /// Begins a run now, with these operands.
    pub fn begin(case: &Case, operands: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Run {
        let operands = operands.into_iter().map(|operand| exact(&masked_word(operand.as_ref()))).collect();
        let (start, lists) = (case.start(&Algorithms::default()), Vec::new());
        Run { start, lists, operands, against: None }
    }

    /// Opens a list as [`Guard::open`] does, and notes its name, digest and signers.
    ///
    /// # Errors
    /// As [`Guard::open`], and if the list can't be read.
    pub fn open(
        &mut self,
        path: &Path,
        guard: &Guard,
        told: &mut dyn FnMut(Notice<'_>),
    ) -> Result<Listing, Error> {
        let (list, judged) = guard.pass(path.as_os_str())?;
        judged.iter().for_each(|judged| told(Notice::Signature(judged)));
        let signers = judged.iter().filter_map(|judged| judged.signer()).collect();
        let algorithm = find(ALGORITHM).expect("the algorithm is in the registry");
        let computed = ListDigest::compute(list, path, algorithm);
        let (list, digest) = computed.map_err(Error::at(path, File::Read))?;
        self.lists.push(NamedList { path: path.to_path_buf(), digest, signers });
        Ok(list)
    }

    /// Sets the location that files are compared with instead of manifests.
    pub fn set_against(&mut self, place: &[u8]) {
        self.against = Some(exact(&masked_word(place)));
    }

    /// Sets the algorithms that are computed.
    pub fn computes(&mut self, algorithms: &[&'static Algorithm]) {
        self.start.algorithms = used(&Algorithms::from(algorithms.to_vec()));
    }

    /// Ends the run now and returns its description. Several manifests become an array.
    pub fn end(&self) -> Value {
        let mut run = serde_json::to_value(&self.start).unwrap_or_default();
        run["ended"] = now().to_rfc3339().into();
        run["operands"] = self.operands.clone().into();
        if let Some(against) = &self.against {
            run["against"] = against.clone();
        }
        let mut lists: Vec<Value> = self.lists.iter().map(NamedList::shown).collect();
        match lists.len() {
            0 => {}
            1 => run["manifest"] = lists.remove(0),
            _ => run["manifest"] = lists.into(),
        }
        run
    }
}

impl NamedList {
    fn shown(&self) -> Value {
        let mut shown = json!({ "signers": self.signers });
        add_path(&mut shown, "path", &masked_word(&names::path_bytes(&self.path)));
        let digest = self.digest.as_ref().and_then(ListDigest::get);
        shown[ALGORITHM] = digest.map(ToString::to_string).into();
        shown
    }
}

/// Returns bytes as a string, or if they are not text as an object with text and base64, as case data have them.
fn exact(bytes: &[u8]) -> Value {
    match path_b64(bytes) {
        None => path_text(bytes).into(),
        Some(b64) => json!({ "text": path_text(bytes), "b64": b64 }),
    }
}
