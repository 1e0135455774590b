//! Comparisons that could not be made: a test without them would be green for nothing.

use std::fs::OpenOptions;
use std::io::Write;
use std::thread;

/// Notes that the current test compares nothing with `what`, a program, a package or samples, as that is missing. The
/// last line of `make test` names it.
///
/// # Panics
/// Where `CI` is set: there, all that tests compare with must be installed.
pub fn not_compared(what: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "{what} is missing, so nothing was compared with it: scripts/setup installs it"
    );
    note(what);
}

/// Notes that this machine can't do what the current test needs, such as mounting a file system. No package helps, so
/// that it is no failure anywhere; the last line of `make test` names it.
pub fn not_possible(what: &str) {
    note(what);
}

/// Appends a line to the file that the runner of the tests reads at the end: what was missing, and the test's name.
fn note(what: &str) {
    eprintln!("note: not compared: {what}");
    let Some(file) = std::env::var_os("HASHMILL_NOT_COMPARED") else { return };
    let line = format!("{what}\t{}\n", thread::current().name().unwrap_or("a test"));
    let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
    // One call, so that lines of several tests don't mix.
    file.write_all(line.as_bytes()).unwrap();
}

#[cfg(test)]
mod tests {
    use crate::this_program;

    /// Stands for any test that compares with a program, in a process of its own.
    #[test]
    fn a_comparison() {
        if std::env::var_os("HASHMILL_WITHOUT_PEER").is_some() {
            assert_eq!(crate::installed("hashdeep"), None);
        }
    }

    #[test]
    fn a_missing_program_fails_in_ci_and_is_noted_elsewhere() {
        let notes = tempfile::NamedTempFile::new().unwrap();
        let compare = |ci: Option<&str>| {
            let mut test = this_program();
            test.args(["--exact", "missing::tests::a_comparison"]).env("HASHMILL_WITHOUT_PEER", "1");
            test.env("PATH", "/nowhere").env("HASHMILL_NOT_COMPARED", notes.path()).env_remove("CI");
            ci.map(|ci| test.env("CI", ci));
            test.output().unwrap()
        };
        assert!(compare(None).status.success());
        let noted = std::fs::read_to_string(notes.path()).unwrap();
        assert_eq!(noted, "hashdeep\tmissing::tests::a_comparison\n");
        let in_ci = compare(Some("true"));
        assert!(!in_ci.status.success());
        assert!(String::from_utf8_lossy(&in_ci.stdout).contains("hashdeep is missing"));
    }
}
