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

/// Checks that a quick test, one that is no campaign, asks for no program that only `scripts/setup all` installs: on a
/// machine where `make test` alone ran, CI's for one, it would be missing.
///
/// # Panics
/// If it does.
pub(crate) fn check_setup(program: &str) {
    if std::env::var_os("TESTS_QUICK").is_none() {
        return;
    }
    let setup = std::fs::read_to_string(crate::program::workspace().join("scripts/setup")).unwrap();
    let (quick, rest) = setup.split_once("[ \"$need\" = all ] || exit 0").expect("a line between both parts");
    assert!(
        lists(quick, program) || !lists(rest, program),
        "{program} is installed by `scripts/setup all` alone, and a quick test needs it"
    );
}

/// Returns whether a part of `scripts/setup` names a program: with its package, or as a package of Python.
fn lists(setup: &str, program: &str) -> bool {
    let word = program.strip_suffix(".py").unwrap_or(program);
    let names = |entry: &str| entry.split_once([':', '=']).is_some_and(|(name, _)| name == word);
    setup.split([' ', '"', '\n', '(']).any(names)
}

/// Notes that this machine can't do what the current test needs, such as mounting a file system. No package helps, so
/// that it is no failure anywhere; the last line of `make test` names it.
pub fn not_possible(what: &str) {
    note(what);
}

/// Appends a line to the file that the runner of the tests reads at the end: what was missing, and the test's name.
fn note(what: &str) {
    eprintln!("note: not compared: {what}");
    let Some(file) = std::env::var_os("TESTS_NOT_COMPARED") else { return };
    let line = format!("{what}\t{}\n", thread::current().name().unwrap_or("a test"));
    let mut file = OpenOptions::new().append(true).create(true).open(file).unwrap();
    // One call, so that lines of several tests don't mix.
    file.write_all(line.as_bytes()).unwrap();
}

#[cfg(test)]
mod tests {
    use crate::program::workspace;
    use crate::this_program;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Programs that scripts/setup doesn't list, and why they are there all the same.
    const UNLISTED: &[(&str, &str)] = &[
        ("ar", "with objdump"),
        ("cmp", "every Debian has it"),
        ("debugfs", "with mke2fs"),
        ("dpkg-deb", "every Debian has it"),
        ("dumpe2fs", "with mke2fs"),
        ("ewfacquirestream", "with ewfacquire"),
        ("ewfexport", "with ewfacquire"),
        ("ewfinfo", "with ewfacquire"),
        ("ewfverify", "with ewfacquire"),
        ("find", "every Debian has it"),
        ("fiwalk", "with hfind"),
        ("fls", "with hfind"),
        ("go", "scripts/setup builds programs with it, and Debian's is too old for them"),
        ("gzip", "every Debian has it"),
        ("icat", "with hfind"),
        ("losetup", "every Debian has it"),
        ("mattrib", "with mcopy"),
        ("md5deep", "with hashdeep"),
        ("mount", "every Debian has it"),
        ("ntfs-3g", "with mkfs.ntfs"),
        ("qemu-io", "with qemu-img"),
        ("rpm2cpio", "with rpmbuild"),
        ("script", "every Debian has it"),
        ("sha256sum", "every Debian has it"),
        ("sigtool", "with clamscan"),
        ("sort", "every Debian has it"),
        ("tar", "every Debian has it"),
    ];

    /// Returns the sources of tests below a folder.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }

    /// Returns the programs that a source names where it asks for one or several.
    fn programs(source: &str) -> Vec<String> {
        let asks = ["installed(", ".other("].into_iter().flat_map(|call| source.split(call).skip(1));
        let quoted = asks.flat_map(|text| {
            let end = if text.starts_with("&[") { text.find(']') } else { text.find([',', ')']) };
            text[..end.unwrap_or_default()].split('"').skip(1).step_by(2)
        });
        quoted.map(str::to_owned).collect()
    }

    /// Nobody can compare with a program that the machines of CI don't have.
    #[test]
    fn setup_installs_every_program_that_tests_ask_for() {
        let setup = fs::read_to_string(workspace().join("scripts/setup")).unwrap();
        let is_listed = |program: &str| super::lists(&setup, program);
        let is_unlisted = |program: &str| UNLISTED.iter().any(|(unlisted, _)| *unlisted == program);
        let mut files = Vec::new();
        for folder in fs::read_dir(workspace().join("crates")).unwrap() {
            sources(&folder.unwrap().path(), &mut files);
        }
        files.retain(|path| !path.ends_with("testing/src/missing.rs"));
        let asked = files.iter().flat_map(|path| programs(&fs::read_to_string(path).unwrap()));
        let asked: BTreeSet<String> = asked.collect();
        assert!(asked.len() > 50, "{asked:?}");
        let missing: Vec<_> =
            asked.iter().filter(|program| !is_listed(program) && !is_unlisted(program)).collect();
        assert!(missing.is_empty(), "scripts/setup lists no package with {missing:?}");
        let needless: Vec<_> =
            UNLISTED.iter().filter(|(program, _)| is_listed(program) || !asked.contains(*program)).collect();
        assert!(needless.is_empty(), "these need no exception: {needless:?}");
    }

    #[test]
    fn a_quick_test_can_not_ask_for_what_campaigns_have() {
        // In processes of their own, as the variable is one of the whole process.
        let asks = |program: &str| {
            let mut test = this_program();
            test.args(["--exact", "missing::tests::a_quick_test_that_asks", "--ignored"]);
            test.env("TESTS_QUICK", "1").env("HASHMILL_ASKED", program).output().unwrap().status.success()
        };
        assert!(["jq", "bagit.py", "cmp"].into_iter().all(asks));
        assert!(!asks("rclone") && !asks("promtool"));
    }

    #[test]
    #[ignore = "a part of another test"]
    fn a_quick_test_that_asks() {
        super::check_setup(&std::env::var("HASHMILL_ASKED").unwrap());
    }

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
            test.env("PATH", "/nowhere").env("TESTS_NOT_COMPARED", notes.path()).env_remove("CI");
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
