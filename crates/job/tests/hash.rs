//! Hashing: records, failures, manifests, the end.

use crate::util::{Lab, names};
use hashmill_content::Selection;
use hashmill_content::output::{OutputPath, To};
use hashmill_job::hash::{Ended, HashEvent, HashJob, Input, Manifest};
use hashmill_job::{Error, Misfit};
use hashmill_manifest::format::find_format;
use hashmill_output::RunFiles;
use std::fs;
use std::io::Write;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

#[test]
fn a_tree_gives_its_records_in_order() {
    let (hashed, failed, summary) = names(Lab::new().job("blake3"));
    assert_eq!(hashed, ["a", "b", "c"]);
    assert!(failed.is_empty() && summary.account().is_complete());
    assert_eq!((summary.stats.hashed, summary.stats.bytes), (3, 17));
}

#[test]
fn a_failure_is_an_event_and_no_end() {
    let lab = Lab::new();
    let mut job = lab.job("md5");
    job.input = Input::Selection(Box::new(Selection::from_paths([lab.path("none"), lab.path("tree")])));
    let (hashed, failed, summary) = names(job);
    assert_eq!((hashed.len(), failed), (3, vec!["none".to_string()]));
    assert!(!summary.account().is_complete());
    assert_eq!((summary.ended, summary.stats.failed), (Ended::Whole, 1));
}

#[test]
fn a_manifest_gets_its_name_when_it_is_whole() {
    let lab = Lab::new();
    let path = lab.manifest("list", "sums", "md5");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 3);
    assert!(text.starts_with("900150983cd24fb0d6963f7d28e17f72  "));
    // Nothing else is left beside it.
    assert_eq!(fs::read_dir(lab.path(".")).unwrap().count(), 2);
}

#[test]
fn who_cancels_gets_no_manifest_and_can_resume() {
    let lab = Lab::new();
    let job = lab.job("md5");
    let (cancel, path) = (job.cancel.clone(), lab.path("list"));
    let manifest = || Manifest::new(find_format("jsonl").unwrap(), To::File(path.clone().into()));
    let summary = job.write(manifest(), &mut |event| {
        if matches!(event, HashEvent::Hashed(_)) {
            cancel.set();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(summary.unwrap().ended, Ended::Interrupted { resumable: true });
    assert!(!path.exists());
    let again = Manifest { resume: true, ..manifest() };
    let summary = lab.job("md5").write(again, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(summary.account().is_complete());
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
}

#[test]
fn two_jobs_at_once_know_nothing_of_each_others_unfinished_files() {
    let lab = Lab::new();
    let partial = |name: &str| lab.path(&format!(".{name}.hashmill-partial"));
    let write = |name: &str, files: &RunFiles, meanwhile: &mut dyn FnMut()| {
        let place = OutputPath::new(&lab.path(name), files);
        let manifest = Manifest::new(find_format("jsonl").unwrap(), To::File(place));
        let mut job = lab.job("md5");
        job.resources.files = files.clone();
        job.write(manifest, &mut |event| {
            if matches!(event, HashEvent::AllRead) {
                meanwhile();
            }
            ControlFlow::Continue(())
        })
    };
    let (one, other) = (RunFiles::default(), RunFiles::default());
    let mut inner = None;
    let outer = write("one", &one, &mut || {
        inner = Some(write("other", &other, &mut || {
            assert_eq!((one.left(), other.left()), (vec![partial("one")], vec![partial("other")]));
        }));
        // The end of the other run leaves this one alone.
        other.tidy();
        assert_eq!((one.left(), other.left()), (vec![partial("one")], Vec::new()));
    });
    for (name, done) in [("one", outer), ("other", inner.unwrap())] {
        assert!(done.unwrap().account().is_complete());
        assert_eq!(fs::read_to_string(lab.path(name)).unwrap().lines().count(), 3);
    }
    assert_eq!(one.left(), Vec::<PathBuf>::new());
}

#[test]
fn who_wants_no_more_stops_the_run() {
    let lab = Lab::new();
    let mut seen = 0;
    let summary = lab.job("md5").run(&mut |event| {
        seen += u64::from(matches!(event, HashEvent::Hashed(_)));
        ControlFlow::Break(())
    });
    assert_eq!(summary.unwrap().ended, Ended::Interrupted { resumable: false });
    assert_eq!(seen, 1);
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_written() {
    let lab = Lab::new();
    let mut job = lab.job("md5");
    job.piece = std::num::NonZeroU64::new(1024);
    let manifest = Manifest::new(find_format("sums").unwrap(), To::File(lab.path("list").into()));
    let refused = job.write(manifest, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(refused, Error::Misfit(Misfit::Pieces(_))), "{refused}");
    assert!(!lab.path("list").exists());
}

/// The files that an interrupted run of this format leaves beside `list`, with what is in them.
fn interrupted(
    lab: &Lab,
    manifest: &dyn Fn() -> Manifest,
    job: &dyn Fn() -> HashJob,
) -> Vec<(PathBuf, Vec<u8>)> {
    let summary = job().write(manifest(), &mut |event| match event {
        HashEvent::AllRead => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(summary.unwrap().ended, Ended::Interrupted { resumable: true });
    let paths = ["partial", "run", "seen"].map(|part| lab.path(&format!(".list.hashmill-{part}")));
    let left = paths.map(|path| (path.clone(), fs::read(path).unwrap()));
    // Files count as untouched that changed before the run began; the clock of files may tick slowly.
    thread::sleep(Duration::from_millis(20));
    left.into()
}

/// Puts the files of an interrupted run back.
fn restore(left: &[(PathBuf, Vec<u8>)]) {
    for (path, content) in left {
        let _ = fs::remove_file(path);
        hashmill_os::create_own(path).unwrap().write_all(content).unwrap();
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn no_byte_of_a_partial_manifest_can_be_forged() {
    let lab = Lab::new();
    let path = lab.path("list");
    for (format, algorithms, piece) in [
        ("jsonl", "md5,ssdeep", Some(5)),
        ("csv", "crc32,tlsh", Some(9)),
        ("hashdeep", "md5", Some(9)),
        ("sums", "md5,crc32", None),
    ] {
        let job = || HashJob { piece: piece.and_then(NonZeroU64::new), ..lab.job(algorithms) };
        let manifest = |resume| {
            let manifest = Manifest::new(find_format(format).unwrap(), To::File(path.clone().into()));
            Manifest { resume, times: matches!(format, "jsonl" | "csv"), ..manifest }
        };
        let resumed = || {
            let summary = job().write(manifest(true), &mut |_| ControlFlow::Continue(())).unwrap();
            (summary.kept, fs::read(&path).unwrap())
        };
        job().write(manifest(false), &mut |_| ControlFlow::Continue(())).unwrap();
        let wanted = fs::read(&path).unwrap();
        let left = interrupted(&lab, &|| manifest(false), &job);
        restore(&left);
        assert_eq!(resumed(), (3, wanted.clone()), "{format}");
        for at in 0..left[0].1.len() {
            let mut forged = left.clone();
            forged[0].1[at] ^= 1;
            restore(&forged);
            assert!(resumed().1 == wanted, "{format}: byte {at} of the partial manifest is not bound");
        }
    }
}
