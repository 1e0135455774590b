//! Membership as the Sleuth Kit's `hfind` sees it.

use crate::case;
use crate::util::installed;
use hashmill_testing::Random;

case!(hfind_finds_the_same, |t| {
    let mut random = Random(11);
    let all: Vec<String> = (0..6000).map(|_| random.digest(16).to_string()).collect();
    let (inside, outside) = all.split_at(4000);
    let list: String = inside.iter().map(|digest| format!("{digest}  file\n")).collect();
    let asked: Vec<&String> = inside.iter().step_by(3).chain(outside).collect();
    let asked: String = asked.into_iter().map(|digest| format!("{digest}\n")).collect();
    t.file("list.md5", list).file("asked", asked);
    t.run("known build -o s.hmk --as known list.md5").code(0);
    let ran = t.run("known query --known-set s.hmk --from asked").code(0).quiet();
    let ours = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let ours: Vec<(String, bool)> = ours
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|line| (line[0].to_string(), line[1] == "known"))
        .collect();
    assert_eq!(ours.iter().filter(|(_, found)| *found).count(), 4000_usize.div_ceil(3));
    if installed("hfind").is_none() {
        return;
    }
    t.shell("hfind -i md5sum list.md5").code(0);
    let theirs = t.shell("hfind -f asked list.md5").code(0);
    let theirs = String::from_utf8(theirs.stdout().to_vec()).unwrap();
    let theirs: Vec<(String, bool)> = theirs
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(digest, said)| (digest.to_lowercase(), said != "Hash Not Found"))
        .collect();
    assert_eq!(ours, theirs);
});
