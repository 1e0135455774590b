//! tar against GNU tar, bsdtar, Python, 7-Zip and BusyBox: what they write is read here, and read as they
//! read it.

mod tree;

use hashmill_archive::{Limits, Member, MemberKind, stream};
use hashmill_testing::{cases, installed};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tree::{Names, Node, Random, Tree, plant, scan};

/// The number of random trees; each makes some ten archives.
const TREES: usize = 4;

/// The commands that write archives. `OUT` is the archive; the working directory is the tree.
const WRITERS: &[&str] = &[
    "tar --format=v7 -cf OUT .",
    "tar --format=oldgnu -cf OUT .",
    "tar --format=gnu -cf OUT .",
    "tar --format=ustar -cf OUT .",
    "tar --format=posix -cf OUT .",
    "tar --format=gnu -b1 -cf OUT .",
    "tar --format=gnu --hard-dereference -cf OUT .",
    "tar --format=gnu -S -cf OUT .",
    "tar --format=oldgnu -S --hole-detection=raw -cf OUT .",
    "tar --format=posix -S --sparse-version=0.0 -cf OUT .",
    "tar --format=posix -S --sparse-version=0.1 -cf OUT .",
    "tar --format=posix -S --sparse-version=1.0 -cf OUT .",
    "tar --format=posix -S --hole-detection=raw -cf OUT .",
    "tar --format=gnu --listed-incremental=/dev/null -cf OUT .",
    "tar --format=posix --listed-incremental=/dev/null -cf OUT .",
    "tar --format=gnu -S --listed-incremental=/dev/null -cf OUT .",
    "tar --format=gnu --label=a_label -cf OUT .",
    "tar --format=posix --label=a_label -cf OUT .",
    "tar --format=gnu --mtime=@-1000000 -cf OUT .",
    "tar --format=posix --mtime=@-1000000.25 -cf OUT .",
    "tar --format=posix --pax-option=delete=*time -cf OUT .",
    "tar --format=posix --pax-option=mtime=1234567890.5 -cf OUT .",
    "tar --format=posix --pax-option=exthdr.name=%d/x/%f,comment:=x -cf OUT .",
    "tar --format=posix --numeric-owner --owner=2999999 --xattrs --acls -cf OUT .",
    "bsdtar --format=v7tar -cf OUT .",
    "bsdtar --format=ustar -cf OUT .",
    "bsdtar --format=pax -cf OUT .",
    "bsdtar --format=paxr -cf OUT .",
    "bsdtar --format=oldtar -cf OUT .",
    "bsdtar --format=pax --options=hdrcharset=BINARY -cf OUT .",
    "bsdtar --format=gnutar -cf OUT .",
    "bsdtar --format=pax --no-read-sparse -cf OUT .",
    "7zz a -ttar -mm=gnu -snl -snh -bso0 -bse0 OUT .",
    "7zz a -ttar -mm=pax -snl -snh -mtm -mtc -mta -bso0 -bse0 OUT .",
    "7zz a -ttar -mm=posix -snl -snh -bso0 -bse0 OUT .",
    "busybox tar -cf OUT .",
    "python3 -c PYTHON 0 OUT .",
    "python3 -c PYTHON 1 OUT .",
    "python3 -c PYTHON 2 OUT .",
];

/// A program that reads archives.
struct Reader {
    /// The command; the working directory is empty.
    command: &'static str,
    /// The nanoseconds that times may be off; none are compared if it doesn't set those of all members.
    off: Option<i128>,
    /// The archives that it is known to read otherwise: parts of the command that wrote them.
    except: &'static [&'static str],
}

/// The programs; GNU tar is asked of every archive, the others by turns.
const READERS: &[Reader] = &[
    Reader { command: "tar --delay-directory-restore -xpf OUT", off: Some(0), except: &[] },
    // It passes over headers for all members, and takes the fraction of a time before 1970 for one towards
    // the future.
    Reader {
        command: "bsdtar -xpf OUT",
        off: Some(0),
        except: &["mtime=@-1000000.25", "mtime=1234567890.5"],
    },
    // It shows labels as files and the directories of incremental archives as files, and takes another name
    // for sparse files whose names are long or not in UTF-8. The times of links stay those of the extraction.
    Reader {
        command: "python3 -c EXTRACT OUT",
        off: None,
        except: &["format=gnu --label", "format=gnu --listed", "gnu -S --listed", "posix -S"],
    },
    // It shows labels and the lists of incremental archives as files, and passes over headers for all
    // members. It reads no sparse files of pax.
    Reader {
        command: "7zz x -snl -snh -bso0 -bse0 OUT",
        off: Some(100),
        except: &["--label", "--listed", "mtime=1234567890.5", "posix -S", "bsdtar --format=pax"],
    },
    // It reads no sparse files, labels, incremental archives, and none of the Seventh Edition, and doesn't
    // set the times of directories.
    Reader {
        command: "busybox tar -xpf OUT",
        off: None,
        except: &["-S", "format=gnu --label", "format=gnu --listed", "v7", "oldtar", "bsdtar --format=pax"],
    },
];

const PYTHON: &str = "import sys, tarfile
with tarfile.open(sys.argv[2], 'w', format=int(sys.argv[1])) as tar:
    for name in __import__('os').listdir(sys.argv[3]):
        try: tar.add(name)
        except ValueError: pass";

const EXTRACT: &str = "import sys, tarfile
tarfile.open(sys.argv[1]).extractall('.')";

/// Runs a command; `None` if its program is not installed.
fn run(command: &str, out: &Path, directory: &Path) -> Option<bool> {
    let mut words = command.split(' ').map(|word| match word {
        "OUT" => out.as_os_str(),
        "PYTHON" => PYTHON.as_ref(),
        "EXTRACT" => EXTRACT.as_ref(),
        word => word.as_ref(),
    });
    let mut command = Command::new(installed(words.next()?.to_str()?)?);
    command.args(words).current_dir(directory).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    Some(command.output().unwrap().status.success())
}

/// Reads all members of an archive, with their content.
fn read(bytes: Vec<u8>) -> Result<Vec<(Member, Vec<u8>)>, String> {
    let format = stream(&bytes).ok_or("not recognised")?;
    assert_eq!(format.name, "tar");
    let mut members = (format.open)(Box::new(std::io::Cursor::new(bytes)), &Limits::default()).unwrap();
    let mut all = Vec::new();
    while let Some(member) = members.next().map_err(|problem| problem.to_string())? {
        let mut content = Vec::new();
        let mut part = [0; 3000];
        loop {
            match members.read(&mut part).map_err(|problem| problem.to_string())? {
                0 => break,
                length => content.extend_from_slice(&part[..length]),
            }
        }
        all.push((member, content));
    }
    Ok(all)
}

/// Returns the tree that members make, or what is wrong with one.
fn tree_of(members: Vec<(Member, Vec<u8>)>) -> Result<Tree, String> {
    let mut tree = Tree::new();
    for (member, content) in members {
        if let Some(problem) = member.problem {
            return Err(format!("{:?}: {problem}", member.path.escape_ascii().to_string()));
        }
        assert_eq!(member.size, Some(content.len() as u64));
        let time = member
            .times
            .modified
            .map_or(0, |time| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds));
        let node = match member.kind {
            MemberKind::File => (Node::File(content), time),
            MemberKind::Directory => (Node::Directory, time),
            MemberKind::Link(target) => (Node::Link(target), time),
            // A file whose name is too long for the format isn't there, but its other names are.
            MemberKind::HardLink(target) => match tree.get(&plain(&target)) {
                Some(node) => node.clone(),
                None => continue,
            },
            MemberKind::Fifo => (Node::Fifo, time),
            kind => return Err(format!("{kind:?}")),
        };
        tree.insert(plain(&member.path), node);
    }
    tree.remove(b"".as_slice());
    tree.remove(b".".as_slice());
    Ok(tree)
}

/// Returns a path without what programs remove from it.
fn plain(path: &[u8]) -> Vec<u8> {
    let path = path.strip_prefix(b"./").unwrap_or(path);
    path.strip_suffix(b"/").unwrap_or(path).into()
}

/// Returns the differences between trees.
fn differences(ours: &Tree, theirs: &Tree, off: Option<i128>) -> Vec<String> {
    let mut all = Vec::new();
    for path in ours.keys().chain(theirs.keys().filter(|path| !ours.contains_key(*path))) {
        let shown = path.escape_ascii();
        match (ours.get(path), theirs.get(path)) {
            (Some((ours, our_time)), Some((theirs, their_time))) => {
                if ours != theirs {
                    all.push(format!("other content: {shown}"));
                } else if off.is_some_and(|off| (our_time - their_time).abs() > off) {
                    all.push(format!("other time: {shown}: {our_time} {their_time}"));
                }
            }
            (Some(_), None) => all.push(format!("only here: {shown}")),
            // Of a directory whose name is too long for a format only its files are there.
            (None, Some((Node::Directory, _)))
                if ours
                    .keys()
                    .any(|other| other.strip_prefix(&**path).is_some_and(|rest| rest.starts_with(b"/"))) => {}
            _ => all.push(format!("only there: {shown}")),
        }
    }
    all
}

/// Compares one archive with GNU tar and another program. Returns the differences.
fn compare(archive: &Path, writer: &str, names: Names, work: &Path, turn: usize) -> Vec<String> {
    let ours = match read(fs::read(archive).unwrap()).and_then(tree_of) {
        Ok(ours) => ours,
        Err(error) => return vec![error],
    };
    let mut all = Vec::new();
    for reader in [&READERS[0], &READERS[1 + turn % (READERS.len() - 1)]] {
        let is_exempt = reader.except.iter().any(|part| writer.contains(part));
        if is_exempt || names == Names::Bytes && reader.command.starts_with("7zz") {
            continue;
        }
        let directory = work.join("extracted");
        fs::create_dir(&directory).unwrap();
        if run(reader.command, archive, &directory).is_some() {
            let found = differences(&ours, &scan(&directory), reader.off);
            all.extend(found.into_iter().map(|text| format!("{}: {text}", reader.command)));
        }
        fs::remove_dir_all(directory).unwrap();
    }
    all
}

#[test]
fn archives_of_random_trees_are_read_as_others_read_them() {
    let mut random = Random(0x7461_7265);
    let (mut archives, mut wrong) = (0, 0);
    for number in 0..cases(TREES) {
        let work = tempfile::tempdir().unwrap();
        let tree = work.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let names = [Names::Bytes, Names::Unicode, Names::Ascii, Names::Short][(number + number / 4) % 4];
        plant(&tree, names, &mut random);
        for (turn, writer) in WRITERS.iter().enumerate().skip(number % 4).step_by(4) {
            // 7-Zip converts names, and waits for what comes out of a FIFO.
            if names == Names::Bytes && writer.starts_with("7zz") {
                continue;
            }
            // bsdtar cuts off one of the two names of a sparse file, so that programs disagree on it.
            let has_sparse = writer.starts_with("bsdtar --format=pax") && !writer.contains("no-read-sparse");
            if has_sparse && names != Names::Short {
                continue;
            }
            let archive = work.path().join("made.tar");
            if run(writer, &archive, &tree).is_none() {
                continue;
            }
            assert!(archive.exists(), "{number}: {writer}");
            archives += 1;
            for difference in compare(&archive, writer, names, work.path(), number / 4 + turn / 4) {
                eprintln!("{number}: {writer}: {difference}");
                wrong += 1;
            }
            fs::remove_file(archive).unwrap();
        }
    }
    eprintln!("{archives} archives, {wrong} differences");
    assert_eq!(wrong, 0);
}
