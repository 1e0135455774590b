//! Redacted manifests, outboards, and manifests compared by their roots.

use crate::util::Lab;
use hashmill_content::{File, FileError};
use hashmill_lists::Error;
use hashmill_lists::sealing::outboard::{Outboard, VerifyRange};
use hashmill_lists::sealing::{
    Compared, Globs, Redacted, Redaction, Roots, SealError, SealJob, SealedManifest, prove, prove_growth,
    verify,
};
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

/// A manifest of the tree, and its seal beside it.
fn sealed(lab: &Lab) -> std::path::PathBuf {
    let manifest = lab.manifest("list", "jsonl", "md5");
    SealJob::new(&manifest).run().unwrap();
    manifest
}

fn seal_error<T: std::fmt::Debug>(result: Result<T, Error>) -> SealError {
    match result {
        Err(Error::Proof(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn globs_choose_what_a_redacted_manifest_shows() {
    let lab = Lab::new();
    let manifest = sealed(&lab);
    let redacted = |keep: &[&str], hide: &[&str]| {
        let (keep, hide) = (Globs::parse(keep).unwrap(), Globs::parse(hide).unwrap());
        let job = Redaction { keep, hide, ..Redaction::new(&manifest, lab.path("shown").into()) };
        let Redacted { counts, is_salted } = job.run().unwrap();
        assert!(!is_salted);
        let shown = SealedManifest::new(&lab.path("shown"));
        let shown = SealedManifest { seal: Some(lab.path("list.seal")), ..shown };
        assert_eq!(verify(&shown, None).unwrap().redacted, Some(counts));
        (counts.shown, counts.hidden)
    };
    assert_eq!(redacted(&[], &[]), (3, 0));
    assert_eq!(redacted(&["[ab]"], &[]), (2, 1));
    assert_eq!(redacted(&["**/tree/*"], &["b"]), (1, 2));
    assert_eq!(redacted(&[], &["**/deep/**"]), (2, 1));
    assert!(Globs::parse(&["["]).is_err());
}

#[test]
fn nothing_stays_of_a_redacted_manifest_that_is_not_whole() {
    let lab = Lab::new();
    let manifest = sealed(&lab);
    let job = Redaction::new(&manifest, lab.path("shown").into());
    let cancelled = job.clone();
    cancelled.sealed.cancel.set();
    assert!(matches!(seal_error(cancelled.run()), SealError::Interrupted));
    let job = Redaction::new(&manifest, lab.path("shown").into());
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace("900150", "900151")).unwrap();
    assert!(seal_error(job.run()).is_difference());
    assert!(!lab.path("shown").exists());
}

#[test]
fn a_range_of_a_file_is_verified_by_its_outboard() {
    let lab = Lab::new();
    let file = lab.path("disk");
    fs::write(&file, vec![7; 100_000]).unwrap();
    let root = Outboard::new(&file).create().unwrap();
    assert_eq!(root, hashmill_digest::hash(hashmill_digest::find("blake3").unwrap(), &vec![7; 100_000]));
    assert!(lab.path("disk.obao").exists());
    let all = VerifyRange::new(&file, root);
    let verified = all.run().unwrap();
    assert_eq!((verified.range, verified.length), (0..100_000, 100_000));
    let part = VerifyRange { range: Some(70_000..70_001), ..all.clone() };
    let mut changed = vec![7; 100_000];
    changed[5] = 8;
    fs::write(&file, changed).unwrap();
    assert_eq!(part.run().unwrap().range, 70_000..70_001);
    assert!(seal_error(all.run()).is_difference());
    let outside = VerifyRange { range: Some(0..1 << 30), ..all.clone() };
    assert!(matches!(seal_error(outside.run()), SealError::Unusable { .. }));

    all.cancel.set();
    assert!(matches!(seal_error(all.run()), SealError::Interrupted));
    let again = Outboard { output: Some(lab.path("other").into()), ..Outboard::new(&file) };
    again.cancel.set();
    assert!(matches!(seal_error(again.create()), SealError::Interrupted));
    assert!(!lab.path("other").exists());
    assert!(matches!(seal_error(Outboard::new(&lab.path("tree")).create()), SealError::NotAFile(_)));
    let gone = Outboard::new(&lab.path("nosuch")).create();
    assert!(matches!(gone, Err(Error::File(FileError { tried: File::Read, .. }))), "{gone:?}");
}

#[test]
#[cfg(unix)]
fn a_fifo_has_no_outboard_and_is_not_waited_for() {
    let lab = Lab::new();
    assert!(std::process::Command::new("mkfifo").arg(lab.path("fifo")).status().unwrap().success());
    assert!(matches!(seal_error(Outboard::new(&lab.path("fifo")).create()), SealError::NotAFile(_)));
}

#[test]
fn roots_tell_whether_records_differ_and_manifests_which() {
    let lab = Lab::new();
    let (first, again) = (sealed(&lab), lab.manifest("again", "csv", "md5"));
    lab.write("tree/a", "abd");
    let second = lab.manifest("second", "jsonl", "md5");
    let compare = |one: &Path, other: &Path| Roots::new(one, other).run(&mut |_, _| Continue(())).unwrap();
    let seal = lab.path("list.seal");
    assert_eq!(compare(&first, &seal), Compared::Same);
    assert_eq!(compare(&seal, &again), Compared::OtherBytes);
    assert_eq!(compare(&seal, &second), Compared::OtherRecords);
    assert_eq!(compare(&first, &again), Compared::Records(0));

    let mut told = Vec::new();
    let both = Roots::new(&first, &second);
    let compared = both.run(&mut |side, record| {
        assert!(record.path.ends_with(b"tree/a"));
        told.push(side);
        Continue(())
    });
    assert_eq!((compared.unwrap(), told.len()), (Compared::Records(2), 2));
    assert!(matches!(seal_error(both.run(&mut |_, _| Break(()))), SealError::Interrupted));
    both.cancel.set();
    assert!(matches!(seal_error(both.run(&mut |_, _| Continue(()))), SealError::Interrupted));
}

#[test]
fn sealing_verifying_and_proving_end_when_they_are_cancelled() {
    let lab = Lab::new();
    let manifest = sealed(&lab);
    let job = SealJob { output: Some(lab.path("again.seal").into()), ..SealJob::new(&manifest) };
    job.cancel.set();
    assert!(matches!(seal_error(job.run()), SealError::Interrupted));
    assert!(!lab.path("again.seal").exists());
    let list = SealedManifest::new(&manifest);
    verify(&list, None).unwrap();
    list.cancel.set();
    assert!(matches!(seal_error(verify(&list, None)), SealError::Interrupted));
    assert!(matches!(seal_error(prove(&list, &[])), SealError::Interrupted));
    assert!(matches!(seal_error(prove_growth(&list, &lab.path("list.seal"))), SealError::Interrupted));
}
