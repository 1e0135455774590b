//! Seals, proofs and signatures of manifests.

use crate::util::Lab;
use hashmill_content::{File, FileError, Stores};
use hashmill_lists::Error;
use hashmill_lists::sealing::{
    Proven, SealError, SealJob, SealedManifest, Trusted, compare_file, prove, verify, verify_proof,
};
use hashmill_lists::signatures::keys::{Keep, Keys};
use hashmill_lists::signatures::trusted::TrustFiles;
use hashmill_lists::signatures::{SignatureError, sign, verify as signed};
use hashmill_os::names::path_bytes;
use std::fs;
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sign/tests/data");

#[test]
fn a_manifest_is_what_was_sealed_or_not() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "jsonl", "md5");
    let seal = SealJob::new(&manifest).run().unwrap().seal;
    let sealed = SealedManifest::new(&manifest);
    assert_eq!(verify(&sealed, Some(&seal.digest())).unwrap().seal, seal);

    let path: Box<[u8]> = path_bytes(&lab.path("tree/a")).into();
    let proof = prove(&sealed, std::slice::from_ref(&path)).unwrap();
    fs::write(lab.path("proof"), proof.to_text().unwrap()).unwrap();
    let trusted = Trusted { root: Some(seal.digest()), ..Trusted::default() };
    let proven = verify_proof(&lab.path("proof"), &trusted, &Trusted::default(), &Stores::default()).unwrap();
    let Proven::Records(proof) = proven else { panic!("records were proven") };
    assert_eq!(compare_file(&lab.path("tree/a"), &proof, None).unwrap(), None);
    lab.write("tree/a", "abd");
    assert_eq!(
        compare_file(&lab.path("tree/a"), &proof, None).unwrap(),
        Some("its digest is not the record's".into())
    );
    let missing = prove(&sealed, &[path, b"nosuch".as_slice().into()]);
    assert!(matches!(missing, Err(Error::Proof(SealError::NoRecord { .. }))), "{missing:?}");

    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("900150", "900151")).unwrap();
    match verify(&sealed, None) {
        Err(Error::Proof(error)) => assert!(error.is_difference(), "{error}"),
        other => panic!("{other:?}"),
    }
}

/// The key of Alice, as a library gets it.
fn alice() -> Result<hashmill_lists::signatures::Signer, Error> {
    let mut passphrase = |_: &Path| Err(std::io::ErrorKind::Unsupported.into());
    let mut keys = Keys { agent: None, passphrase: &mut passphrase, exposed: &mut |_, _| () };
    keys.load(&Path::new(DATA).join("alice.key"), Keep::File)
}

#[test]
fn a_signature_is_good_until_the_file_changes() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "jsonl", "md5");
    let mut told = 0;
    let summary = sign::SignJob::new(&manifest, vec![alice().unwrap()]).run(&mut |_| told += 1).unwrap();
    assert_eq!((summary.signatures.len(), told), (1, 1));
    assert_eq!(summary.signatures[0].0, lab.path("list.sig"));

    let allowed_signers = vec![format!("{DATA}/allowed_signers").into()];
    let files = TrustFiles { allowed_signers, ..TrustFiles::default() };
    let trust = || files.read(&mut |_, _| ()).unwrap();
    let good = signed::VerifyJob::new(&manifest, trust()).run().unwrap();
    assert!(good.is_good() && good.found == 1, "{good:?}");
    lab.write("list", "something else");
    let bad = signed::VerifyJob::new(&manifest, trust()).run().unwrap();
    assert!(!bad.is_good() && bad.judged[0].is_broken(), "{bad:?}");
    fs::remove_file(&manifest).unwrap();
    let gone = signed::VerifyJob::new(&manifest, trust()).run();
    assert!(matches!(gone, Err(Error::File(FileError { tried: File::Read, .. }))), "{gone:?}");
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_signed() {
    let lab = Lab::new();
    let manifest = lab.manifest("list", "jsonl", "md5");
    let refused = |job: sign::SignJob| match job.run(&mut |_| panic!("nothing is signed")) {
        Err(Error::Signature(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(sign::SignJob::new(&manifest, Vec::new())), SignatureError::Nothing));
    let twice = sign::SignJob::new(&manifest, vec![alice().unwrap(), alice().unwrap()]);
    assert!(matches!(refused(twice), SignatureError::SameKey));
    let mut job = sign::SignJob::new(&manifest, vec![alice().unwrap()]);
    job.namespace = String::new();
    assert!(matches!(refused(job), SignatureError::Namespace));
    let key = Keys { agent: None, passphrase: &mut |_| unreachable!(), exposed: &mut |_, _| () }
        .load(&manifest, Keep::File);
    assert!(matches!(key, Err(Error::Signature(SignatureError::Unusable { .. }))));
}
