//! Signatures, seals and proofs.

use crate::engine::signals::watched;
use crate::error::{failed, job, wrong};
use crate::options::place;
use crate::options::{Count, TypedOutput};
use crate::reach::usual;
use hashmill_digest::Digest;
use hashmill_engine::Cancel;
use hashmill_lists::Error;
use hashmill_lists::sealing;
use hashmill_lists::sealing::SealError;
use hashmill_lists::sealing::{Proven, SealedManifest, Trusted};
use hashmill_lists::signatures::keys::{Keep, Keys};
use hashmill_lists::signatures::trusted::TrustFiles;
use hashmill_lists::signatures::{sign as signing, verify as verifying};
use hashmill_sign::Zeroizing;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Signs a file with keys, and returns the paths of the signatures.
#[pyfunction]
pub(crate) fn sign(
    py: Python<'_>,
    file: PathBuf,
    keys: Vec<PathBuf>,
    passphrase: Option<String>,
    namespace: Option<String>,
) -> PyResult<Vec<OsString>> {
    let cancel = Cancel::default();
    let signed = watched(py, &cancel, || {
        let mut ask = |_: &Path| match &passphrase {
            Some(passphrase) => Ok(Zeroizing::new(passphrase.clone())),
            None => Err(io::Error::other("the key is locked: give its passphrase")),
        };
        let agent = std::env::var_os("SSH_AUTH_SOCK").map(PathBuf::from);
        let mut loader = Keys { agent, passphrase: &mut ask, exposed: &mut |_, _| {} };
        let signers =
            keys.iter().map(|key| loader.load(key, Keep::File)).collect::<Result<Vec<_>, Error>>()?;
        let mut work = signing::SignJob::new(&file, signers);
        if let Some(namespace) = namespace {
            work.namespace = namespace;
        }
        work.check()?;
        work.run(&mut |_| {})
    })?;
    Ok(signed.map_err(job)?.signatures.into_iter().map(|(path, _)| path.into()).collect())
}

/// Verifies the signatures beside a file, or those that are named. Returns whether they are good, and a line about
/// each.
#[pyfunction]
pub(crate) fn verify(
    py: Python<'_>,
    file: PathBuf,
    signatures: Vec<PathBuf>,
    trusted: (Vec<PathBuf>, Vec<PathBuf>),
    identity: Option<String>,
    namespace: Option<String>,
    needed: Count,
) -> PyResult<(bool, usize, Vec<String>)> {
    let cancel = Cancel::default();
    let verified = watched(py, &cancel, || {
        let (allowed_signers, public_keys) = trusted;
        let mut files = TrustFiles { allowed_signers, public_keys, identity, ..TrustFiles::default() };
        if let Some(namespace) = namespace {
            files.namespace = namespace;
        }
        let trust = files.read(&mut |_, _| {})?;
        let mut work = verifying::VerifyJob::new(&file, trust);
        (work.signatures, work.needed) = (signatures, needed.number());
        work.run()
    })?;
    let summary = verified.map_err(job)?;
    let lines = summary.judged.iter().map(ToString::to_string).collect();
    Ok((summary.is_good(), summary.found, lines))
}

/// Seals a manifest. Returns the path of the seal, its root, and the number of records.
#[pyfunction]
pub(crate) fn seal(
    py: Python<'_>,
    manifest: PathBuf,
    output: Option<TypedOutput>,
    old: Option<PathBuf>,
    secret: Option<PathBuf>,
    origin: Option<String>,
) -> PyResult<(OsString, String, u64)> {
    let cancel = Cancel::default();
    let stores = usual();
    let force = output.as_ref().is_some_and(|(_, force)| *force);
    let output = output.map(|output| place(output, &stores));
    let mut work = sealing::SealJob {
        output,
        force,
        old,
        secret,
        stores,
        cancel: cancel.clone(),
        ..sealing::SealJob::new(&manifest)
    };
    if let Some(origin) = origin {
        work.origin = origin;
    }
    let sealed = watched(py, &cancel, || work.run())?.map_err(job)?;
    Ok((sealed.place.into(), sealed.seal.digest().to_string(), sealed.seal.records))
}

fn sealed(
    manifest: PathBuf,
    seal: Option<PathBuf>,
    secret: Option<PathBuf>,
    cancel: &Cancel,
) -> SealedManifest {
    let (stores, cancel) = (usual(), cancel.clone());
    SealedManifest { seal, secret, stores, cancel, ..SealedManifest::new(&manifest) }
}

fn root_of(root: Option<&str>) -> PyResult<Option<Digest>> {
    root.map(|root| Digest::from_hex(root.trim().as_bytes()).map_err(wrong)).transpose()
}

/// Compares a manifest with its seal. Returns none if it is as it was sealed, else the difference.
#[pyfunction]
pub(crate) fn verify_seal(
    py: Python<'_>,
    manifest: PathBuf,
    seal: Option<PathBuf>,
    root: Option<&str>,
    secret: Option<PathBuf>,
) -> PyResult<Option<String>> {
    let (cancel, root) = (Cancel::default(), root_of(root)?);
    let sealed = sealed(manifest, seal, secret, &cancel);
    different(watched(py, &cancel, || sealing::verify(&sealed, root.as_ref()))?).map(Result::err)
}

/// Separates differences from errors: an error means that nothing could be compared.
fn different<T>(done: Result<T, Error>) -> PyResult<Result<T, String>> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(Error::Proof(error)) if SealError::is_difference(&error) => Ok(Err(error.to_string())),
        Err(error) => Err(job(error)),
    }
}

/// Makes a proof, as text, that records of these paths were sealed.
#[pyfunction]
pub(crate) fn prove(
    py: Python<'_>,
    manifest: PathBuf,
    paths: Vec<Vec<u8>>,
    seal: Option<PathBuf>,
    secret: Option<PathBuf>,
) -> PyResult<Vec<u8>> {
    let cancel = Cancel::default();
    let sealed = sealed(manifest, seal, secret, &cancel);
    let paths: Vec<Box<[u8]>> = paths.into_iter().map(Into::into).collect();
    let proof = watched(py, &cancel, || sealing::prove(&sealed, &paths))?.map_err(job)?;
    proof.to_text().map_err(failed)
}

/// Verifies a proof against a trusted seal or root. Returns the proven records, or why the proof fails.
#[pyfunction]
pub(crate) fn verify_proof(
    py: Python<'_>,
    proof: PathBuf,
    seal: Option<PathBuf>,
    root: Option<&str>,
) -> PyResult<(Vec<crate::record::Record>, Option<String>)> {
    let trusted = Trusted { seal, root: root_of(root)? };
    let cancel = Cancel::default();
    let proven =
        watched(py, &cancel, || sealing::verify_proof(&proof, &trusted, &Trusted::default(), &usual()))?;
    match different(proven)? {
        Ok(Proven::Records(proof)) => {
            let records = proof.proven.iter().map(|proven| crate::record::Record::from_inner(&proven.record));
            Ok((records.collect(), None))
        }
        Ok(Proven::Growth(_)) => Err(failed("it is a proof of growth, not of records")),
        Err(said) => Ok((Vec::new(), Some(said))),
    }
}
