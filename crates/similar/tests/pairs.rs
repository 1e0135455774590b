//! The pairs found with an index, bounds or tiles are those found by comparing everything.

use crate::common::{Random, digest_by, go_on};
use hashmill_similar::{
    Clusters, Columns, LikenessDigest, Measure, Named, Pair, SIMILAR, Search, Set, find, mrsh, sdhash,
    ssdeep, tlsh,
};

/// Returns files, many of them derived from earlier ones: changed, cut, joined, or equal; some have low entropy.
fn files(numbers: &mut Random, count: usize) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = Vec::new();
    for i in 0..count {
        let length = 512 + numbers.below(12_000);
        let mut file = if i < 4 { numbers.bytes(length) } else { files[numbers.below(i)].clone() };
        let at = numbers.below(file.len());
        match numbers.below(8) {
            0 => file = numbers.bytes(length),
            1 => file[at] ^= 1,
            2 => drop(file.splice(at..at, numbers.bytes(50))),
            3 => file.truncate(at.max(600)),
            4 if i > 0 => file.extend_from_slice(&files[numbers.below(i)]),
            5 => file = vec![i as u8; length],
            6 => file[at..].fill(0),
            _ => {}
        }
        files.push(file);
    }
    files
}

fn list(row: &str, files: &[Vec<u8>]) -> Vec<Named> {
    let row = find(row).unwrap();
    let digest = |file: &Vec<u8>| digest_by((row.stream)(), file).ok();
    let named =
        |(i, file)| Some(Named { name: format!("f{:03}", i * 7 % 200).into_bytes(), digest: digest(file)? });
    files.iter().enumerate().filter_map(named).collect()
}

fn check<S: Set>(row: &str, limits: &[i32]) {
    let mut numbers = Random(21);
    let (members, others) = (list(row, &files(&mut numbers, 150)), list(row, &files(&mut numbers, 90)));
    let (set, other) = (S::gather(&members).unwrap(), S::gather(&others).unwrap());
    let compare = find(row).unwrap().compare;
    for limit in limits {
        let brute = set.scan_all(0..set.len(), &set, Columns::After, *limit);
        for pair in brute.iter().step_by(7) {
            assert_eq!(compare(&members[pair.a], &members[pair.b]), Some(pair.score), "{row}");
        }
        for threads in [1, 3] {
            let (search, mut found) = (Search { limit: *limit, threads, stop: None }, Vec::new());
            search.pairs(&set, go_on(|pair| found.push(pair)));
            assert_eq!(found, brute, "{row} {limit}");
            found.clear();
            search.against(&set, &other, go_on(|pair| found.push(pair)));
            assert_eq!(found, set.scan_all(0..set.len(), &other, Columns::All, *limit), "{row} {limit}");
        }
        let wanted = |pair: &Pair| S::MEASURE.is_like(pair.score, *limit);
        assert!(brute.iter().all(wanted));
    }
}

#[test]
fn ssdeep_pairs() {
    check::<ssdeep::Set>("ssdeep", &[-1, 0, 1, 50, 100]);
    check::<ssdeep::Set>("ssdeep-long", &[1]);
}

#[test]
fn tlsh_pairs() {
    check::<tlsh::Set>("tlsh", &[-1, 0, 1, 30, 100, 300, 5000]);
}

#[test]
fn sdhash_pairs() {
    check::<sdhash::Set<sdhash::Newer>>("sdhash", &[-1, 0, 1, 21, 100]);
    check::<sdhash::Set<sdhash::Newer>>("sdhash-dd", &[1]);
    check::<sdhash::Set<sdhash::Older>>("sdhash-3.4", &[-1, 1]);
}

#[test]
fn mrsh_pairs() {
    check::<mrsh::Set>("mrsh-v2", &[0, 1, 50, 100]);
}

#[test]
fn short_digests_that_are_the_same_are_found() {
    let lines = ["3:abc:d", "3:abc:d", "3::", "3::", "3:aaaaaa:d", "3:aaa:d", "6:abc:d", "3:d:abc"];
    let list: Vec<Named> =
        lines.iter().map(|line| ssdeep::parse(line.as_bytes()).unwrap().unwrap()).collect();
    let set = ssdeep::Set::gather(&list).unwrap();
    let mut found = Vec::new();
    Search { limit: 1, threads: 1, stop: None }
        .pairs(&set, go_on(|pair| found.push((pair.a, pair.b, pair.score))));
    assert_eq!(found, [(0, 1, 100), (2, 3, 100), (4, 5, 100)]);
}

#[test]
fn a_digest_is_like_itself() {
    let files = files(&mut Random(2), 60);
    for row in SIMILAR {
        for named in list(row.name, &files) {
            let score = (row.compare)(&named, &named).unwrap();
            match row.measure {
                Measure::Distance => assert_eq!(score, 0),
                // Digests with too few elements can't be compared: the score is 0, or -1 if no filter has enough.
                Measure::Score if named.digest.is_sparse() => assert!([100, 0, -1].contains(&score)),
                Measure::Score => assert_eq!(score, 100, "{} {:?}", row.name, named.name),
            }
        }
    }
}

#[test]
fn ssdeep_and_tlsh_do_not_depend_on_the_order() {
    let files = files(&mut Random(4), 50);
    for row in ["ssdeep", "tlsh"].map(|name| find(name).unwrap()) {
        let list = list(row.name, &files);
        for a in &list {
            for b in &list {
                assert_eq!((row.compare)(a, b), (row.compare)(b, a));
            }
        }
    }
}

#[test]
fn other_algorithms_are_refused() {
    let files = files(&mut Random(9), 3);
    let (mut mixed, tlsh) = (list("ssdeep", &files), list("tlsh", &files));
    mixed.extend(tlsh);
    assert_eq!(ssdeep::Set::gather(&mixed).err().map(|foreign| foreign.at), Some(3));
    assert_eq!((find("tlsh").unwrap().compare)(&mixed[0], &mixed[3]), None);
}

#[test]
fn pairs_make_groups() {
    let files = files(&mut Random(12), 40);
    let list = list("tlsh", &files);
    assert!(list.iter().all(|named| matches!(named.digest, LikenessDigest::Tlsh(_))));
    let mut clusters = Clusters::new(list.len());
    let search = Search { limit: 30, threads: 2, stop: None };
    let join = |pair: Pair| clusters.join(pair.a, pair.b);
    (find("tlsh").unwrap().pairs)(&list, &search, &mut go_on(join)).unwrap();
    let groups = clusters.groups();
    assert!(!groups.is_empty() && groups.iter().all(|group| group.len() > 1 && group.is_sorted()));
}
