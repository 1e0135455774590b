//! Every digest and every score of the reference programs, through the command.

use super::{inputs, stored, table};
use crate::case;
use crate::util::{Place, Ran, digest};
use std::collections::HashMap;

/// Returns the names of the core files, in the order of their bytes.
fn names() -> Vec<String> {
    let core = table("inputs.tsv").into_iter().skip(1).filter(|row| row[0] == "core");
    let mut names: Vec<String> = core.map(|row| row[1].clone()).collect();
    names.sort();
    names
}

/// Runs the command in the folder of the files, with their names behind the arguments.
fn run(t: &Place, args: &str, names: &[String]) -> Ran {
    let mut command = t.command(args);
    command.args(names).current_dir(inputs());
    t.ran(command, args)
}

/// Returns a column of a table, by name of the file.
fn column(file: &str, key: &str, value: &str) -> HashMap<String, String> {
    let rows = table(file);
    let at = |name: &str| rows[0].iter().position(|cell| cell == name).unwrap();
    let (key, value) = (at(key), at(value));
    rows[1..].iter().map(|row| (row[key].clone(), row[value].clone())).collect()
}

case!(
    #[ignore = "campaign: takes long"]
    digests_are_those_of_the_programs,
    |t| {
        let names = names();
        run(t, "similar digest -c ssdeep", &names).code(0).is(stored("ssdeep_output_l.txt"));
        let tlsh: String = column("tlsh_digests.tsv", "name", "tlsh_4.12.1")
            .into_iter()
            .collect::<std::collections::BTreeMap<_, _>>()
            .into_iter()
            .filter(|(name, digest)| digest != "-" && names.contains(name))
            .map(|(name, digest)| format!("{digest}\t{name}\n"))
            .collect();
        run(t, "similar digest -c tlsh", &names).code(0).is(tlsh);
        for (args, file) in
            [("sdhash", "sdhash40_stream.tsv"), ("sdhash --sdhash-version 3.4", "sdhash34_stream.tsv")]
        {
            let sums = column(file, "name", "sha256_of_digest");
            let ran = run(t, &format!("similar digest -c {args}"), &names).code(0);
            let lines = String::from_utf8(ran.stdout().to_vec()).unwrap();
            assert_eq!(lines.lines().count(), names.iter().filter(|name| sums[*name] != "-").count());
            for line in lines.lines() {
                assert_eq!(digest("sha256", line), sums[line.split(':').nth(3).unwrap()]);
            }
        }
        let sums = column("mrsh_digests.tsv", "name", "sha256_of_digest");
        let ran = run(t, "similar digest -c mrsh-v2", &names).code(0);
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        assert_eq!(text.matches("\n\n").count(), names.len());
        for line in text.lines().filter(|line| !line.is_empty()) {
            assert_eq!(digest("sha256", line), sums[line.split(':').next().unwrap()]);
        }
    }
);

/// Returns the scores of all pairs that the command prints, by the names in this order.
fn scores(ran: &Ran) -> HashMap<(String, String), i32> {
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("a,b,algorithm,score"));
    let pair = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        ((cells[0].to_string(), cells[1].to_string()), cells[3].parse().unwrap())
    };
    let all: Vec<_> = lines.map(pair).collect();
    let count = all.len();
    let all: HashMap<_, _> = all.into_iter().collect();
    assert_eq!(all.len(), count, "each pair once");
    all
}

/// Checks the scores that a run prints against a column; `turned` where the files stood in reverse order.
#[track_caller]
fn check(ran: &Ran, file: &str, value: &str, turned: bool) {
    let rows = table(file);
    let at = rows[0].iter().position(|cell| cell == value).unwrap();
    let found = scores(ran);
    let known: Vec<_> = rows[1..].iter().filter(|row| row[at] != "-").collect();
    assert!(known.len() > 500 && found.len() >= known.len());
    for row in known {
        let (a, b) = if turned { (&row[1], &row[0]) } else { (&row[0], &row[1]) };
        assert_eq!(found[&(a.clone(), b.clone())].to_string(), row[at], "{a} {b}");
    }
}

case!(
    #[ignore = "campaign: takes long"]
    scores_are_those_of_the_programs,
    |t| {
        let names = names();
        let turned: Vec<String> = names.iter().rev().cloned().collect();
        let pairs = |args: &str, names: &[String]| run(t, &format!("similar pairs -c {args}"), names).code(0);
        check(&pairs("ssdeep -t 0", &names), "ssdeep_pairs.tsv", "score", false);
        check(&pairs("ssdeep -t 0", &turned), "ssdeep_pairs.tsv", "score", true);
        check(&pairs("tlsh -t 99999", &names), "tlsh_pairs.tsv", "distance", false);
        check(&pairs("mrsh-v2 -t 0", &names), "mrsh_pairs.tsv", "score_ab", false);
        check(&pairs("mrsh-v2 -t 0", &turned), "mrsh_pairs.tsv", "score_ba", true);
        check(&pairs("tlsh-xlen -t 99999", &names), "tlsh_pairs.tsv", "distance_xlen", false);
        check(&pairs("mrsh-v2-whole -t 0", &names), "mrsh_pairs.tsv", "score_f_ab", false);
        check(&pairs("mrsh-v2-whole -t 0", &turned), "mrsh_pairs.tsv", "score_f_ba", true);
        for (args, names, column, turned) in [
            ("sdhash -t -1", &names, "v40_ab", false),
            ("sdhash -t -1", &turned, "v40_ba", true),
            ("sdhash --sdhash-version 3.4 -t -1", &names, "v34_ab", false),
            ("sdhash --sdhash-version 3.4 -t -1", &turned, "v34_ba", true),
            ("sdhash-fast -t -1", &names, "v40_fast_ab", false),
            ("sdhash-dd -t -1", &names, "dd16_v40_ab", false),
            ("sdhash-dd -t -1", &turned, "dd16_v40_ba", true),
        ] {
            check(&pairs(args, names), "sdhash_pairs.tsv", column, turned);
        }
        pairs("ssdeep -f ssdeep", &names).is(stored("ssdeep_output_ld.txt"));
        pairs("sdhash -f sdhash -t 100", &names).prints("t100.txt|t100_copy.txt|100\n");
    }
);

case!(groups_are_those_of_ssdeep, |t| {
    let ran = run(t, "similar pairs -c ssdeep --cluster -f ssdeep", &names()).code(0);
    // The program gives groups in an order that follows its memory.
    let groups = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        let mut groups: Vec<_> = text.split("\n\n").map(str::trim).map(str::to_string).collect();
        groups.sort();
        groups
    };
    assert_eq!(groups(ran.stdout()), groups(&stored("ssdeep_output_ldg.txt")));
});

case!(two_files_have_the_score_of_their_pair, |t| {
    for row in table("mrsh_pairs.tsv").into_iter().skip(1).step_by(150) {
        let args = format!("similar compare -c mrsh-v2 {} {}", row[0], row[1]);
        run(t, &args, &[]).code(0).is(format!("{}\n", row[2]));
    }
    run(t, "similar compare -c ssdeep t100.txt t100_copy.txt", &[]).code(0).quiet().is("100\n");
    run(t, "similar compare -c tlsh t100.txt t100_copy.txt", &[]).code(0).quiet().is("0\n");
    run(t, "similar compare -c tlsh t100.txt empty.bin", &[]).code(2).is("").says("too-small");
    run(t, "similar compare -c tlsh t100.txt nosuch", &[]).code(2).is("").says("nosuch");
    run(t, "similar compare -c tlsh t100.txt .", &[]).code(64).says("is a directory");
});
