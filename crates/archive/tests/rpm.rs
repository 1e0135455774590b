//! RPM packages of random trees, made by rpmbuild.

use crate::cpio::tree::{Random, Read1, Special, Tree, damage, read, run};
use hashmill_archive::{Limits, Problem, RpmDigest, RpmPart, RpmStatements, rpm_statements, stream};
use hashmill_testing::{all_installed, cases, installed};
use std::collections::HashMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use tempfile::TempDir;

/// The random packages: each has the next compression of payloads.
const PACKAGES: usize = 3;
/// The damages to each package.
const DAMAGES: usize = 25;

const PAYLOADS: [&str; 6] = ["w0.ufdio", "w6.gzdio", "w1.zstdio", "w9.bzdio", "w2.xzdio", "w2.lzdio"];
/// The algorithms of digests of files, as rpm numbers them.
const ALGORITHMS: [(&str, &str); 4] = [("8", "sha256"), ("1", "md5"), ("2", "sha1"), ("10", "sha512")];

/// Builds a package of a tree at `/opt/tree`.
fn build(tree: &Tree, payload: &str, algorithm: &str) -> Option<(TempDir, Vec<u8>)> {
    let top = tempfile::tempdir().unwrap();
    let from = tree.folder.path().display();
    let spec = format!(
        "%define _binary_payload {payload}\n%define _binary_filedigest_algorithm {algorithm}\n\
        %define __os_install_post %{{nil}}\n%define _build_id_links none\n\
        Name: a\nVersion: 1\nRelease: 1\nSummary: a\nLicense: MIT\nBuildArch: noarch\nAutoReqProv: no\n\
        %description\na\n%install\nmkdir -p %{{buildroot}}/opt\ncp -a '{from}' %{{buildroot}}/opt/tree\n\
        chmod 755 %{{buildroot}}/opt/tree\n%files\n/opt/tree\n%ghost /opt/ghost\n"
    );
    let spec = spec.replace("%files", "touch %{buildroot}/opt/ghost\n%files");
    fs::write(top.path().join("a.spec"), spec).unwrap();
    let define = format!("_topdir {}", top.path().display());
    run(top.path(), "rpmbuild", &["-bb", "--define", &define, "a.spec"], Vec::new())?;
    let package = fs::read(top.path().join("RPMS/noarch/a-1-1.noarch.rpm")).unwrap();
    fs::write(top.path().join("a.rpm"), &package).unwrap();
    Some((top, package))
}

/// Returns the statements of a package, and the position of its payload.
fn statements(package: &[u8]) -> (RpmStatements, usize) {
    let mut rest = package;
    let statements = rpm_statements(&mut rest, &Limits::default()).unwrap();
    (statements, package.len() - rest.len())
}

fn assert_members(tree: &Tree, (members, problem): (Vec<Read1>, Option<Problem>), context: &str) {
    assert!(problem.is_none(), "{context}: {problem:?}");
    let (root, members): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|read| read.member.path == b"./opt/tree");
    assert_eq!(root.len(), 1, "{context}");
    tree.compare(&members, "./opt/tree/", context);
}

/// Asserts that the statements are those that rpm prints, and those of the parts are right.
fn assert_statements(top: &Path, package: &[u8], algorithm: &str, plain: &[u8], context: &str) {
    let (statements, payload_at) = statements(package);
    let format = "[%{FILENAMES}\\t%{FILESIZES}\\t%{FILEDIGESTS}\\t%{FILEFLAGS}\\n]";
    let printed = run(top, "rpm", &["-qp", "--qf", format, "a.rpm"], Vec::new()).unwrap();
    let hex = |digest: &RpmDigest| digest.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let line = |file: &hashmill_archive::RpmFile| {
        let digest = file.digest.as_ref();
        assert!(digest.is_none_or(|digest| digest.algorithm == algorithm), "{context}");
        let path = String::from_utf8_lossy(&file.path).into_owned();
        let (size, flags) = (file.size.unwrap(), if file.is_ghost { 64 } else { 0 });
        format!("{path}\t{size}\t{}\t{flags}\n", digest.map(hex).unwrap_or_default())
    };
    let ours: String = statements.files.iter().map(line).collect();
    assert_eq!(ours, String::from_utf8_lossy(&printed), "{context}");
    let mut met = HashMap::new();
    for part in &statements.parts {
        let end = part.end.map_or(package.len(), |end| end as usize);
        assert!(part.part == RpmPart::Header || end == package.len(), "{context}");
        let bytes =
            if part.part == RpmPart::PlainPayload { plain } else { &package[part.start as usize..end] };
        let program = format!("{}sum", part.digest.algorithm);
        let digest = run(top, &program, &[], bytes.to_vec()).unwrap();
        assert_eq!(
            hex(&part.digest).as_bytes(),
            &digest[..part.digest.bytes.len() * 2],
            "{context}: {part:?}"
        );
        *met.entry(part.part as u8).or_insert(0) += 1;
    }
    assert_eq!(met[&(RpmPart::Header as u8)], 2, "{context}");
    assert_eq!(statements.parts.len(), 5, "{context}");
    assert!(payload_at < package.len(), "{context}");
}

#[test]
fn packages_of_random_trees() {
    if !all_installed(&["rpmbuild", "rpm2cpio"]) {
        return;
    }
    for case in 0..cases(PACKAGES) as u64 {
        let mut random = Random(0x49 + case * 13);
        let tree = Tree::new(&mut random, Special { links: true, fifos: case % 2 == 0 });
        let payload = PAYLOADS[case as usize % PAYLOADS.len()];
        let (number, algorithm) = ALGORITHMS[case as usize % ALGORITHMS.len()];
        let context = format!("{payload} {algorithm} {case}");
        let (top, package) = build(&tree, payload, number).expect("rpmbuild failed");
        // The payload as rpm decompresses it, after the same header.
        let plain = run(top.path(), "rpm2cpio", &["a.rpm"], Vec::new()).unwrap();
        let (_, payload_at) = statements(&package);
        let decompressed = [&package[..payload_at], &plain].concat();
        assert_members(&tree, read("rpm", &decompressed, &mut random), &context);
        let found = read("rpm", &package, &mut random);
        if !matches!(found.1, Some(Problem::Unsupported(_))) {
            assert_members(&tree, found, &context);
        }
        assert_statements(top.path(), &package, algorithm, &plain, &context);
        let stripped = [&package[..payload_at], &stripped(&package, &plain)].concat();
        assert_members(&tree, read("rpm", &stripped, &mut random), &context);
        damage("rpm", &decompressed, &mut random, DAMAGES);
        damage("rpm", &stripped, &mut random, DAMAGES);
    }
}

/// Returns a payload as it is in packages with large files: with indexes in the place of headers.
fn stripped(package: &[u8], plain: &[u8]) -> Vec<u8> {
    let files = statements(package).0.files;
    let (mut stripped, mut at) = (Vec::new(), 0);
    loop {
        let number = |field: usize| {
            let digits = &plain[at + 6 + field * 8..at + 14 + field * 8];
            usize::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
        };
        let content = at + (110 + number(11)).next_multiple_of(4);
        let path = &plain[at + 110..at + 110 + number(11) - 1];
        if path == b"TRAILER!!!" {
            stripped.extend(&plain[at..]);
            return stripped;
        }
        let index = files.iter().position(|file| file.path == path[1..]).unwrap();
        let end = content + number(6).next_multiple_of(4);
        stripped.extend(format!("07070X{index:08x}\0\0").as_bytes());
        stripped.extend(&plain[content..end]);
        at = end;
    }
}

#[test]
fn a_payload_may_be_compressed() {
    if !all_installed(&["rpmbuild", "rpm2cpio"]) {
        return;
    }
    let mut random = Random(3);
    let tree = Tree::new(&mut random, Special { links: true, fifos: true });
    let (_top, package) = build(&tree, "w6.gzdio", "8").expect("rpmbuild failed");
    let (_, payload_at) = statements(&package);
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&package[payload_at..]).read_to_end(&mut plain).unwrap();
    let decompressed = [&package[..payload_at], &plain].concat();
    assert_members(&tree, read("rpm", &decompressed, &mut random), "gzip");
}

#[test]
fn a_source_package_has_names_without_directories() {
    if !all_installed(&["rpmbuild", "rpm2cpio"]) {
        return;
    }
    let top = tempfile::tempdir().unwrap();
    let spec =
        "Name: a\nVersion: 1\nRelease: 1\nSummary: a\nLicense: MIT\nSource0: b.patch\n%description\na\n";
    fs::write(top.path().join("a.spec"), spec).unwrap();
    fs::create_dir(top.path().join("SOURCES")).unwrap();
    fs::write(top.path().join("SOURCES/b.patch"), "a patch").unwrap();
    let define = format!("_topdir {}", top.path().display());
    run(top.path(), "rpmbuild", &["-bs", "--define", &define, "a.spec"], Vec::new())
        .expect("rpmbuild failed");
    let package = fs::read(top.path().join("SRPMS/a-1-1.src.rpm")).unwrap();
    let plain = run(top.path(), "rpm2cpio", &["SRPMS/a-1-1.src.rpm"], Vec::new()).unwrap();
    let (statements, payload_at) = statements(&package);
    let (members, problem) = read("rpm", &[&package[..payload_at], &plain].concat(), &mut Random(1));
    assert!(problem.is_none(), "{problem:?}");
    let members: HashMap<_, _> = members.into_iter().map(|read| (read.member.path, read.content)).collect();
    assert_eq!(members[&b"a.spec".to_vec()], spec.as_bytes());
    assert_eq!(members[&b"b.patch".to_vec()], b"a patch");
    assert!(members.len() == 2 && statements.files.iter().all(|file| members.contains_key(&file.path)));
}

/// A package with a sparse file of more than 4 GiB, whose payload has only indexes; it takes minutes.
#[test]
#[ignore = "it writes and reads 5 GiB"]
fn a_package_with_a_large_file() {
    if installed("rpmbuild").is_none() {
        return;
    }
    let mut random = Random(9);
    let mut tree = Tree::new(&mut random, Special { links: true, fifos: false });
    let large = fs::File::create(tree.place(b"large")).unwrap();
    large.set_len(5 << 30).unwrap();
    let (_top, package) = build(&tree, "w1.zstdio", "1").expect("rpmbuild failed");
    tree.paths.push(b"large".to_vec());
    let (found, payload_at) = statements(&package);
    assert!(found.files.iter().any(|file| file.size == Some(5 << 30)));
    let (header, payload) = package.split_at(payload_at);
    let (header, payload) = (header.to_vec(), payload.to_vec());
    let plain = zstd::Decoder::new(Cursor::new(payload)).unwrap();
    let bytes: Box<dyn Read + Send> = Box::new(Cursor::new(header).chain(plain));
    let mut members = (stream(&package).unwrap().open)(bytes, &Limits::default()).unwrap();
    let (mut paths, mut buffer) = (Vec::new(), vec![0; 1 << 20]);
    while let Some(member) = members.next().unwrap() {
        let mut length = 0;
        while let read @ 1.. = members.read(&mut buffer).unwrap() {
            length += read as u64;
        }
        assert_eq!(member.size, Some(length));
        assert!(length < 5 << 30 || member.path == b"./opt/tree/large");
        paths.push(member.path);
    }
    assert_eq!(paths.len(), tree.paths.len() + 1);
    assert!(paths.contains(&b"./opt/tree/large".to_vec()));
}
