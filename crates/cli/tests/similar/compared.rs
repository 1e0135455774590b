//! Beside ssdeep and tlsh themselves, over families of files.

use super::families;
use crate::case;

fn sorted(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_string).collect();
    lines.sort();
    lines
}

case!(ssdeep_prints_the_same, |t| {
    let names = families(t).join(" ");
    let Some(theirs) = t.other("ssdeep", &format!("-s -l {names}")) else { return };
    t.run(&format!("similar digest -c ssdeep {names}")).code(0).is(theirs.stdout());
    let theirs = t.other("ssdeep", &format!("-s -l -d {names}")).unwrap();
    let ours = t.run(&format!("similar pairs -c ssdeep -f ssdeep {names}")).code(0).is(theirs.stdout());
    assert!(sorted(ours.stdout()).len() > 20);
    // With -a scores of 0 are shown too.
    let theirs = t.other("ssdeep", &format!("-s -l -d -a {names}")).unwrap();
    t.run(&format!("similar pairs -c ssdeep -f ssdeep -t 0 {names}")).code(0).is(theirs.stdout());
});

case!(ssdeep_reads_what_is_written_and_the_other_way_round, |t| {
    let names = families(t).join(" ");
    let list = t.run(&format!("similar digest -c ssdeep {names}")).code(0);
    t.file("ours", list.stdout());
    let Some(theirs) = t.other("ssdeep", "-s -x ours") else { return };
    let ours = t.run("similar pairs -c ssdeep --lists ours").code(0);
    assert_eq!(sorted(theirs.stdout()).len(), 2 * (sorted(ours.stdout()).len() - 1));
    // ssdeep -m searches files in a list.
    let theirs = t.other("ssdeep", "-s -l -c -m ours tree/1-0 tree/2-3").unwrap();
    let expected: Vec<String> = sorted(theirs.stdout())
        .iter()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
            format!("{},{},ssdeep,{}", cells[0], cells[1].trim_start_matches("ours:"), cells[2])
        })
        .collect();
    let ours = t.run("similar search -c ssdeep --against ours tree/1-0 tree/2-3").code(0);
    let mut found = sorted(ours.stdout());
    found.retain(|line| line != "a,b,algorithm,score");
    assert!(!found.is_empty());
    assert_eq!(found, expected);
});

case!(tlsh_prints_the_same, |t| {
    let names = families(t);
    let ours = t.run(&format!("similar digest -c tlsh --tlsh-old {}", names.join(" "))).code(0);
    let ours = String::from_utf8(ours.stdout().to_vec()).unwrap();
    let mut list = String::new();
    for line in ours.lines() {
        let (digest, name) = line.split_once('\t').unwrap();
        let Some(theirs) = t.other("tlsh", &format!("-f {name}")) else { return };
        // Debian's version writes no T1, and hashes nothing below 256 bytes.
        if t.read(name).len() < 256 {
            continue;
        }
        let theirs = String::from_utf8(theirs.stdout().to_vec()).unwrap();
        let theirs = theirs.split_whitespace().next().unwrap_or_default().trim_start_matches("T1");
        assert_eq!(digest, theirs, "{name}");
        list += &format!("{digest}\t{name}\n");
    }
    assert!(list.lines().count() > 20);
    t.file("list", &list);
    let theirs = t.other("tlsh", "-xref -l list").unwrap();
    let pairs = t.run("similar pairs -c tlsh -t 9999 --lists list").code(0);
    let ours = String::from_utf8(pairs.stdout().to_vec()).unwrap();
    let ours: String =
        ours.lines().skip(1).map(|line| line.replace(",tlsh,", "\t").replace(',', "\t") + "\n").collect();
    assert_eq!(sorted(ours.as_bytes()), sorted(theirs.stdout()));
});
