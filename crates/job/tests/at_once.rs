//! Two jobs at once in one process, each with settings of its own.

use crate::util::Lab;
use hashmill_content::{self as content, Resources};
use hashmill_digest::Key;
use hashmill_job::hash::{HashEvent, HashJob};
use hashmill_job::{Algorithms, Misfit};
use std::ops::ControlFlow::Continue;
use std::sync::Barrier;
use std::thread;

/// Returns path and first digest of each file that a job hashes.
fn digests(job: HashJob) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let summary = job.run(&mut |event| {
        if let HashEvent::Hashed(record) = event {
            let path = String::from_utf8_lossy(&record.path).into_owned();
            found.push((path, record.digests[0].digest.to_string()));
        }
        Continue(())
    });
    assert!(summary.unwrap().account().is_complete());
    found
}

#[test]
fn two_jobs_at_once_hash_with_their_own_keys() {
    let lab = Lab::new();
    // A file so long that all threads share it.
    lab.write("tree/long", &"0123456789abcdef".repeat(1 << 18));
    let both = Barrier::new(2);
    let of = |key: [u8; 32]| {
        let key = Key::new(&key);
        let mut job = lab.job("blake3-keyed");
        job.resources = Resources { key: Some(key), ..Resources::default() };
        both.wait();
        digests(job)
    };
    let (ones, twos) = thread::scope(|scope| {
        let (ones, twos) = (scope.spawn(|| of([1; 32])), scope.spawn(|| of([2; 32])));
        (ones.join().unwrap(), twos.join().unwrap())
    });
    for (found, key) in [(ones, [1; 32]), (twos, [2; 32])] {
        assert_eq!(found.len(), 4);
        for (path, digest) in found {
            let bytes = std::fs::read(&path).unwrap();
            let mut bank = hashmill_digest::with_key(&key);
            let slot = bank.open();
            bank.update(&[hashmill_digest::StreamPart { slot, bytes: &bytes, last: true }]);
            assert_eq!(digest, bank.close(slot).to_string(), "{path}");
        }
    }
    // The published vector of the empty message.
    let key = Some(Key::new(b"whats the Elvish word for friend"));
    let mut job = lab.job("blake3-keyed");
    job.resources.key = key;
    let (_, empty) = digests(job).into_iter().find(|(path, _)| path.ends_with("/b")).unwrap();
    assert_eq!(empty, "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26");
}

#[test]
fn a_key_of_another_mode_or_none_is_refused() {
    let lab = Lab::new();
    for key in [None, Some(Key::from_context("a context"))] {
        let mut job = lab.job("blake3-keyed");
        job.resources.key = key;
        assert!(matches!(job.check(None), Err(Misfit::Content(content::Misfit::Key("blake3-keyed")))));
    }
    // An algorithm with the key in it needs no other.
    let mut job = lab.job("blake3-keyed");
    let keyed = Key::new(&[3; 32]).algorithm(job.algorithms.digests[0]).unwrap();
    job.algorithms = Algorithms::from(vec![keyed]);
    assert_eq!(digests(job).len(), 3);
}

#[cfg(feature = "stores")]
mod stores {
    use super::*;
    use crate::bucket::{Bucket, SECRET, access};
    use crate::server::Server;
    use hashmill_content::output::OutputPath;
    use hashmill_content::output::To;
    use hashmill_content::stores::remotes::RemoteTable;
    use hashmill_content::{Selection, Stores};
    use hashmill_job::hash::Manifest;
    use hashmill_lists::signatures::guard::Guard;
    use hashmill_manifest::format::find_format;
    use hashmill_store::Remote;
    use std::ffi::OsStr;
    use std::io::Read;

    /// Starts a store with one bucket, in which each object has this content.
    fn serve(content: &'static str) -> Server {
        let keys = ["k", "list", "deep/k"];
        let bucket = Bucket::with_objects(keys.map(|key| (key, content.as_bytes().to_vec())));
        Server::start(move |asked, _| bucket.answer(asked))
    }

    /// Returns MD5 of the objects below a location that is reached by this access.
    fn md5_of(location: &str, stores: Stores) -> Vec<(String, String)> {
        let mut job = HashJob::new(Selection::from_paths([location]), Algorithms::named("md5").unwrap());
        job.resources.stores = stores;
        digests(job)
    }

    #[test]
    fn two_jobs_at_once_read_their_own_stores() {
        let (one, other) = (serve("abc"), serve("message digest"));
        let both = Barrier::new(2);
        let read = |server: &Server| {
            let stores = Stores::new(access(server), RemoteTable::new);
            both.wait();
            let found = md5_of("s3://b/", stores.clone());
            assert!(stores.counts().all() > 0);
            found
        };
        thread::scope(|scope| {
            let (ones, others) = (scope.spawn(|| read(&one)), scope.spawn(|| read(&other)));
            for (found, wanted) in [
                (ones.join().unwrap(), "900150983cd24fb0d6963f7d28e17f72"),
                (others.join().unwrap(), "f96b697d7cb7938d525a2f31aaf161d0"),
            ] {
                let paths: Vec<&str> = found.iter().map(|(path, _)| &**path).collect();
                assert_eq!(paths, ["deep/k", "k", "list"]);
                assert!(found.iter().all(|(_, digest)| digest == wanted), "{found:?}");
            }
        });
        assert!(one.count("GET") > 0 && other.count("GET") > 0);
    }

    #[test]
    fn lists_and_outputs_are_those_of_their_job() {
        let (one, other) = (serve("of one"), serve("of the other"));
        for (server, wanted) in [(&one, "of one"), (&other, "of the other")] {
            let stores = Stores::new(access(server), RemoteTable::new);
            let guard = Guard { stores: stores.clone(), ..Guard::default() };
            let (list, _) = guard.pass(OsStr::new("s3://b/list")).unwrap();
            let mut text = String::new();
            list.into_bytes().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, wanted);
            // An output is written to the store of its job, or refused by it.
            let lab = Lab::new();
            let place = OutputPath { force: true, stores, ..std::path::Path::new("s3://b/new").into() };
            let manifest = Manifest::new(find_format("sums").unwrap(), To::File(place));
            let before = server.asked().len();
            let _ = lab.job("md5").write(manifest, &mut |_| Continue(()));
            assert!(server.asked()[before..].iter().any(|asked| asked.path == "/b/new"));
        }
    }

    #[test]
    fn remotes_are_those_of_their_job() {
        let server = serve("abc");
        let endpoint = server.endpoint();
        let remotes = move || {
            let settings = [
                ("type", "s3"),
                ("endpoint", &*endpoint),
                ("region", "us-east-1"),
                ("access-key-id", "AKIDEXAMPLE"),
                ("secret-access-key", SECRET),
            ];
            RemoteTable::from([("lab".into(), Remote::parse(settings))])
        };
        let with = Stores::new(access(&server), remotes);
        let without = Stores::new(access(&server), RemoteTable::new);
        assert!(with.is_location(b"lab:b/k") && !without.is_location(b"lab:b/k"));
        assert_eq!(md5_of("lab:b/k", with).len(), 1);
        let mut job = HashJob::new(Selection::from_paths(["lab:b/k"]), Algorithms::named("md5").unwrap());
        job.resources.stores = without;
        let mut failures = Vec::new();
        let summary = job.run(&mut |event| {
            if let HashEvent::Failed(error, _) = event {
                failures.push(error.to_string());
            }
            Continue(())
        });
        assert!(
            !summary.unwrap().account().is_complete() && failures[0].contains("no remote is named lab"),
            "{failures:?}"
        );
    }
}
