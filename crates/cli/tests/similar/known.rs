//! Files that a set of known digests calls good are left out of comparisons.

use super::families;
use crate::case;

case!(known_good_files_are_in_no_pair, |t| {
    let names = families(t);
    let all = t.run("similar pairs -c ssdeep tree").code(0);
    let all = String::from_utf8(all.stdout().to_vec()).unwrap();
    // Of each family the first two are good, and the third bad, which shows in nothing here.
    let of = |members: &[&str]| -> Vec<&String> {
        names.iter().filter(|name| members.iter().any(|member| name.ends_with(member))).collect()
    };
    let (good, bad) = (of(&["-0", "-1"]), of(&["-2"]));
    let list = |names: &[&String]| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
    t.run(&format!("hash -c sha1 -f sums -o good.sha1 {}", list(&good))).code(0);
    t.run(&format!("hash -c sha1 -f sums -o bad.sha1 {}", list(&bad))).code(0);
    t.run("known build -o sets.hmk --good good.sha1 --bad bad.sha1").code(0);
    let wanted: String = all
        .lines()
        .filter(|line| !good.iter().any(|name| line.split(',').any(|field| field == name.as_str())))
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(wanted.len() < all.len() && wanted.lines().count() > 4);
    let left_out = format!("{} files left out: known good", good.len());
    t.run("similar pairs -c ssdeep --known-set sets.hmk tree").code(0).says(&left_out).is(&wanted);

    // Files searched for are looked up; those of the list are not.
    t.run(&format!("similar digest -c ssdeep -o list {}", names[0])).code(0);
    let found = t.run("similar search -c ssdeep --against list --known-set sets.hmk tree").code(0);
    let found = String::from_utf8(found.stdout().to_vec()).unwrap();
    assert!(found.lines().count() > 1, "{found}");
    assert!(!found.lines().any(|line| good.iter().any(|name| line.starts_with(name.as_str()))), "{found}");
});

case!(sets_go_with_files_only, |t| {
    t.file("list", "x").file("a", "abc");
    t.run("similar pairs -c ssdeep --known-set s.hmk --lists list").code(64);
    t.run("similar pairs -c ssdeep --known-set nosuch.hmk a").code(64).says("nosuch.hmk");
    t.run("similar pairs -c ssdeep --exclude-type Game a").code(64).says("--known-set");
});
