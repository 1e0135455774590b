//! Costs of a start: one small file is hashed, and checked, without further threads.

use crate::case;
use crate::util::Place;

/// Returns whether a command starts a thread; none if that can't be seen here.
fn starts_threads(t: &Place, args: &str) -> Option<bool> {
    let program = crate::util::tested();
    let ran = t.other("strace", &format!("-f -qq -e trace=clone,clone3 -o trace {program} {args}"))?;
    if ran.stderr().contains("ptrace") {
        hashmill_testing::not_possible("strace");
        return None;
    }
    ran.code(0);
    // It also writes calls that it has no name for.
    Some(t.read("trace").windows(5).any(|part| part == b"clone"))
}

case!(one_small_file_needs_no_other_thread, |t| {
    t.file("a", "abc").file("b", "defg");
    t.run("hash -f sums -c sha256 -o one a").code(0);
    t.run("hash -f sums -c sha256 -o both a b").code(0);
    for (args, wanted) in [
        ("hash a", false),
        ("hash -c md5,tlsh -f jsonl a", false),
        ("check one", false),
        ("check -c sha256 one", false),
        // A progress display is a thread of its own.
        ("hash --progress always a", true),
        ("check --progress always one", true),
        // A signal must not leave a part of a file behind.
        ("hash -o new a", true),
        ("hash a b", true),
        ("check both", true),
    ] {
        let Some(found) = starts_threads(t, args) else { return };
        assert_eq!(found, wanted, "{args}");
    }
});

case!(a_standard_file_that_is_closed_gets_nothing_else, |t| {
    t.file("a", "abc");
    let program = crate::util::tested();
    // The output would be opened as standard error, and get the message.
    let script = format!("exec {program} hash -f sums -c md5 -o sums a missing 0<&- 1>&- 2>&-");
    let ran =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(t.path("")).status().unwrap();
    assert_eq!(ran.code(), Some(2));
    assert_eq!(t.read("sums"), b"900150983cd24fb0d6963f7d28e17f72  a\n");
});
