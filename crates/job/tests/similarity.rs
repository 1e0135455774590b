//! Similarity digests, scores, pairs, searches.

use crate::util::Lab;
use hashmill_engine::Cancel;
use hashmill_job::Error;
use hashmill_job::similarity::{
    DigestsJob, Input, PairOrder, SimilarityError, SimilarityEvent, SimilarityJob, compare, compare_digests,
    info,
};
use hashmill_similar::{Similar, find};
use std::fs;
use std::ops::ControlFlow::{Break, Continue};

fn ssdeep() -> &'static Similar {
    find("ssdeep").unwrap()
}

/// A tree with two files that are alike, one that is not, and one that is too small.
fn lab() -> Lab {
    let lab = Lab::new();
    let text = |seed: u32| (0..2000).map(|line| format!("{}\n", line * seed)).collect::<String>();
    lab.write("tree/like", &text(7));
    lab.write("tree/likewise", &(text(7) + "and more"));
    lab.write("tree/other", &text(1_000_003));
    lab
}

fn name(path: &[u8]) -> String {
    String::from_utf8_lossy(path).rsplit('/').next().unwrap().to_string()
}

/// The pairs of a job, by the names of their files.
fn pairs(job: SimilarityJob, order: PairOrder) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let summary = job.pairs(order, &mut |_| Continue(()), &mut |pair| {
        found.push((name(pair.a.name), name(pair.b.name)));
        Continue(())
    });
    assert!(summary.unwrap().account().is_complete());
    found
}

#[test]
fn every_file_has_its_record() {
    let lab = lab();
    let mut names = Vec::new();
    let summary = DigestsJob::new(lab.tree(), vec![ssdeep(), find("tlsh").unwrap()])
        .run(&mut |_| Continue(()), &mut |record| {
            names.push((name(&record.path), record.likeness.len()));
            Continue(())
        })
        .unwrap();
    assert_eq!(names.len(), 6);
    assert!(names.iter().all(|(_, digests)| *digests == 2));
    assert!(summary.account().is_complete());
    assert!(summary.lacking.keys().any(|(algorithm, _)| *algorithm == "tlsh"), "{summary:?}");
}

#[test]
fn similar_files_are_found_among_files_and_in_lists_and_indexes() {
    let lab = lab();
    let both = [("like".to_string(), "likewise".to_string())];
    assert_eq!(pairs(SimilarityJob::new(lab.tree(), ssdeep()), PairOrder::First), both);
    assert_eq!(pairs(SimilarityJob::new(lab.tree(), ssdeep()), PairOrder::Second), both);
    let (cluster, _) = SimilarityJob::new(lab.tree(), ssdeep()).clusters(&mut |_| Continue(())).unwrap();
    assert_eq!((cluster.groups.len(), cluster.groups[0].len()), (1, 2));

    let (members, _) = SimilarityJob::new(lab.tree(), ssdeep()).all(&mut |_| Continue(())).unwrap();
    let lines: Vec<u8> = members.iter().flat_map(|named| named.lines()).collect();
    fs::write(lab.path("list"), lines).unwrap();
    let lists = Input::Lists(vec![lab.path("list")]);
    assert_eq!(
        pairs(SimilarityJob { input: lists, ..SimilarityJob::new(lab.tree(), ssdeep()) }, PairOrder::First),
        both
    );

    SimilarityJob::new(lab.tree(), ssdeep()).build(&lab.path("index").into(), &mut |_| Continue(())).unwrap();
    assert_eq!(info(&lab.path("index")).unwrap().totals.digests, members.len() as u64);
    for against in ["list", "index"] {
        let mut hits = 0;
        let summary = SimilarityJob::new(lab.tree(), ssdeep()).search(
            &lab.path(against),
            &mut |_| Continue(()),
            &mut |_| {
                hits += 1;
                Continue(())
            },
        );
        // Each finds itself, and two find each other.
        assert!(hits >= 5 && summary.unwrap().account().is_complete(), "{against}: {hits}");
    }
}

#[test]
fn a_flag_and_both_listeners_stop_a_job() {
    let lab = lab();
    let job = SimilarityJob::new(lab.tree(), ssdeep());
    job.cancel.set();
    let summary = job.pairs(PairOrder::First, &mut |_| Continue(()), &mut |_| panic!("it was cancelled"));
    assert!(summary.unwrap().interrupted);
    let summary = SimilarityJob::new(lab.tree(), ssdeep()).each(&mut |_| Continue(()), &mut |_| Break(()));
    assert!(summary.unwrap().interrupted);
    let (all, summary) = SimilarityJob::new(lab.tree(), ssdeep())
        .all(&mut |event| if matches!(event, SimilarityEvent::Reading(_)) { Break(()) } else { Continue(()) })
        .unwrap();
    assert!(all.is_empty() && summary.interrupted);
}

#[test]
fn two_have_a_score_or_the_reason_why_not() {
    let lab = lab();
    let of = |one: &str, other: &str| {
        let (one, other) = (lab.path(one), lab.path(other));
        compare([&one, &other], ssdeep(), Default::default(), Cancel::default(), &mut |_| Continue(()))
    };
    let (compared, _) = of("tree/like", "tree/likewise").unwrap();
    assert!(compared.unwrap().score > 90);
    let (compared, summary) = of("tree/like", "tree/none").unwrap();
    assert!(compared.is_none() && summary.stats.failed == 1);
    assert!(matches!(of("tree", "tree/like"), Err(Error::Similarity(SimilarityError::Directory(_)))));
    let digest = b"3:AXGBicFlgVNhBGcL6wCrFQEv:AXGHsNhxLsr2C";
    let compared = compare_digests([digest, b" 3:AXGBicFlgVNhBGcL6wCrFQEv:AXGHsNhxLsr2C\n"], ssdeep());
    assert_eq!(compared.unwrap().score, 100);
    let bad = compare_digests([digest, b"nonsense"], ssdeep());
    assert!(matches!(bad, Err(SimilarityError::Digest { number: 1, .. })), "{bad:?}");
}
