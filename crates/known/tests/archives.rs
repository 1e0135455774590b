//! Archives: every member is imported or reported, and none takes more space than justified.

use hashmill_known::{
    About, BuildOptions, Category, Error, Index, Input, LeftOutReason, Notice, Strictness, Why, build,
};
use hashmill_testing::Folder;
#[cfg(feature = "tables")]
use hashmill_testing::samples::rds;
use hashmill_testing::samples::zip::{Member, archive, member};
use std::path::{Path, PathBuf};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// The result of building from an archive: its description, the members left out, and other notices.
struct Built {
    about: Result<About, Error>,
    left: Vec<(String, LeftOutReason)>,
    other: Vec<String>,
}

fn compile_with(folder: &Folder, path: &Path, change: impl Fn(&mut Input, &mut BuildOptions)) -> Built {
    let (mut input, mut options) = (Input::new(path, Category::Bad), BuildOptions::default());
    change(&mut input, &mut options);
    let (mut left, mut other) = (Vec::new(), Vec::new());
    let about =
        build(
            &folder.at("set.hmk"),
            &[input],
            &options,
            Strictness::Lenient,
            &mut |path, notice| match notice {
                Notice::LeftOut { member, why } => left.push((member.to_string(), why)),
                Notice::Taken(_) => {}
                notice => other.push(format!("{}: {notice:?}", path.display())),
            },
        );
    Built { about, left, other }
}

fn compile(folder: &Folder, members: &[Member]) -> Built {
    compile_with(folder, &folder.file("x.zip", archive(members)), |_, _| {})
}

fn has(folder: &Folder, hex: &str) -> bool {
    let digest = hashmill_digest::Digest::from_hex(hex.as_bytes()).unwrap();
    Index::open(&folder.at("set.hmk")).unwrap().find(&digest).unwrap().is_some()
}

#[test]
fn lists_of_all_kinds_are_taken_out_of_one_archive() {
    let folder = Folder::new();
    let built = compile(
        &folder,
        &[
            member("a.csv", format!("name,md5\nx,{MD5}\n")),
            member("lists/malware.txt", format!("{SHA1}\n")),
            member("b.tsv", format!("name\tsha256\nx\t{SHA256}\n")),
            member("lists/", ""),
        ],
    );
    let source = built.about.unwrap().sources.remove(0);
    assert_eq!((source.records, source.left_out, source.format.as_str()), (3, 0, "csv, plain"));
    assert!(built.left.is_empty() && built.other.is_empty());
    assert!([MD5, SHA1, SHA256].iter().all(|hex| has(&folder, hex)));
}

#[test]
fn what_is_not_taken_in_is_named_and_counted_where_it_may_be_data() {
    let folder = Folder::new();
    let nested = archive(&[member("innermost.zip", archive(&[member("inner.txt", SHA1)]))]);
    let left = [
        (member("empty.txt", ""), LeftOutReason::Empty),
        (member("readme.txt", "Lists of bad files.\n"), LeftOutReason::NoList),
        (Member { mode: 0o120_777, ..member("link.txt", "list.txt") }, LeftOutReason::Link),
        (member("unknown.xml", format!("<hash>{SHA1}</hash>\n")), LeftOutReason::Unknown),
        (Member { flags: 1, ..member("secret.txt", SHA1) }, LeftOutReason::Encrypted),
        (Member { method: Some(97), ..member("packed.txt", SHA1) }, LeftOutReason::Method),
        (member("inner.txt.gz", "\x1f\u{8b}"), LeftOutReason::NoList),
        (member("inner.7z", b"7z\xbc\xaf\x27\x1c\0\0"), LeftOutReason::Archive),
        (member("delta.sql", "INSERT INTO FILE VALUES ('x');\n"), LeftOutReason::Delta),
    ];
    let mut members: Vec<Member> = left.iter().map(|(member, _)| member.clone()).collect();
    members.push(member("list.txt", format!("{MD5}\n")));
    members.push(member("inner.zip", nested));
    let built = compile(&folder, &members);
    let mut expected: Vec<_> = left.iter().map(|(member, rest)| (member.name.clone(), *rest)).collect();
    expected.push(("inner.zip/innermost.zip".into(), LeftOutReason::Archive));
    assert_eq!(built.left, expected);
    let source = built.about.unwrap().sources.remove(0);
    let lost = expected.iter().filter(|(_, rest)| rest.is_data()).count();
    assert_eq!((source.records, source.left_out), (1, lost as u64));
    assert_eq!(lost, 6);
}

/// As the discs of the NSRL are published: the tables are beside the text, in an archive that another one has.
#[test]
fn a_text_of_the_nsrl_in_an_archive_in_an_archive_has_its_tables() {
    let folder = Folder::new();
    let header = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    let text = member(
        "NSRLFile.txt",
        format!("{header}\r\n\"{SHA1}\",\"{MD5}\",\"352441C2\",\"a\",3,1,\"2\",\"\"\r\n"),
    );
    let makers = member("NSRLMfg.txt", "\"MfgCode\",\"MfgName\"\r\n\"7\",\"Maker\"\r\n");
    let product = "\"ProductCode\",\"ProductName\",\"ProductVersion\",\"OpSystemCode\",\"MfgCode\",\"Language\",\"ApplicationType\"\r\n";
    let products =
        member("NSRLProd.txt", format!("{product}1,\"Thing\",\"2\",\"2\",\"7\",\"English\",\"Editor\"\r\n"));
    for inner in [vec![text.clone(), makers.clone(), products.clone()], vec![text.clone()]] {
        // The tables are in the inner archive, or beside it.
        let beside = if inner.len() == 1 { vec![makers.clone(), products.clone()] } else { Vec::new() };
        let mut outer = vec![member("disc1.zip", archive(&inner))];
        outer.extend(beside);
        let built = compile(&folder, &outer);
        assert_eq!(built.about.unwrap().sources[0].records, 1);
        let digest = hashmill_digest::Digest::from_hex(MD5.as_bytes()).unwrap();
        let index = Index::open(&folder.at("set.hmk")).unwrap();
        let detail = index.detail(index.find(&digest).unwrap().unwrap()).unwrap();
        assert!(detail.product.is_some_and(|product| product.name.contains("Thing")), "{:?}", built.left);
    }
}

#[test]
#[cfg(unix)]
fn a_compressed_list_from_a_pipe_is_read() {
    let folder = Folder::new();
    let pipe = folder.at("list.txt.gz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let path = pipe.clone();
    let writer = std::thread::spawn(move || {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, format!("{MD5}\n").as_bytes()).unwrap();
        packed.finish().unwrap();
    });
    let built = compile_with(&folder, &pipe, |_, _| {});
    writer.join().unwrap();
    assert_eq!(built.about.unwrap().sources[0].records, 1);
    assert!(has(&folder, MD5));
}

#[test]
fn a_name_that_is_there_twice_is_told_of() {
    let folder = Folder::new();
    let twice = [member("list.txt", format!("{MD5}\n")), member("list.txt", format!("{SHA1}\n"))];
    let built = compile(&folder, &twice);
    assert_eq!(built.about.unwrap().sources[0].left_out, 1);
    assert!(built.other[0].ends_with(": Hidden"), "{:?}", built.other);
}

#[test]
fn checksums_of_the_archive_itself_are_no_known_files() {
    let folder = Folder::new();
    let list = member("list.txt", format!("{MD5}\n"));
    let readme = member("readme.txt", "A list.\n");
    let own = member("SHA256SUMS", format!("{SHA256}  ./list.txt\n{SHA256}  readme.txt\n"));
    let built = compile(&folder, &[list.clone(), readme.clone(), own]);
    assert_eq!(built.left[1], ("SHA256SUMS".to_string(), LeftOutReason::OwnChecksums));
    assert_eq!(built.about.unwrap().sources[0].left_out, 0);
    assert!(!has(&folder, SHA256));
    // Checksums of samples in the archive are what it is for.
    let sample = member("sample.exe", b"MZ\0\0");
    let samples = member("SHA256SUMS", format!("{SHA256}  sample.exe\n{SHA1}  list.txt\n"));
    let built = compile(&folder, &[list, readme, sample, samples]);
    assert_eq!(
        built.left.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["readme.txt", "sample.exe"]
    );
    assert!(has(&folder, SHA256) && has(&folder, SHA1));
}

#[test]
fn a_column_that_is_asked_for_is_found_in_an_archive() {
    let folder = Folder::new();
    let members = [
        member("feed.tsv", format!("id\tindicator\tmd5\n1\t{SHA256}\t{MD5}\n")),
        member("readme.txt", "Of 1, the indicator, see there.\n"),
    ];
    let path = folder.file("x.zip", archive(&members));
    let built = compile_with(&folder, &path, |input, _| input.column = Some("indicator".into()));
    assert_eq!(built.left, [("readme.txt".to_string(), LeftOutReason::NoList)]);
    assert_eq!(built.about.unwrap().sources[0].records, 1);
    assert!(has(&folder, SHA256) && !has(&folder, MD5));
}

#[test]
fn bad_lines_name_the_member_that_they_are_in() {
    let folder = Folder::new();
    let built = compile(&folder, &[member("a.txt", MD5), member("b\x1b[2J.txt", format!("{SHA1}\nx\n"))]);
    assert!(built.about.unwrap().sources[0].malformed == 1 && built.other[0].contains("x.zip/b"));
    let damaged = Member { size: Some(5000), ..member("c\x1b[2J.txt", format!("{SHA1}\n")) };
    let error = compile(&folder, &[Member { deflated: true, size: Some(3), ..damaged }]).about.unwrap_err();
    assert!(!error.to_string().contains('\x1b'), "{error}");
}

#[test]
fn archives_that_unpack_to_more_than_they_say_are_refused() {
    let folder = Folder::new();
    let error = compile(&folder, &[claiming("list.txt", 100_000)]).about.unwrap_err();
    assert!(error.to_string().contains("goes on after the 100000 bytes that are stated"), "{error}");
    assert_eq!(folder.names(), ["x.zip"]);
}

/// Returns a deflated list that claims a size. It is so long that its end is not reached before the size counts.
fn claiming(name: &str, size: u64) -> Member {
    Member { deflated: true, size: Some(size), ..member(name, format!("{MD5}\n").repeat(9000)) }
}

#[test]
fn archives_that_unpack_to_far_more_than_they_are_need_leave() {
    let folder = Folder::new();
    let path = folder.file("x.zip", archive(&[claiming("list.txt", 3 << 30)]));
    let error = compile_with(&folder, &path, |_, _| {}).about.unwrap_err();
    assert!(
        matches!(error.why, Why::Unpacks { bytes, most } if (bytes, most) == (3 << 30, 256 << 20)),
        "{error}"
    );
    // If the user allows it, it is read. One that has less than it claims is damaged.
    let error =
        compile_with(&folder, &path, |_, options| options.unpacked = Some(4 << 30)).about.unwrap_err();
    assert!(error.to_string().contains("the content has 297000 bytes"), "{error}");
    let small = folder.file("x.zip", archive(&[member("list.txt", format!("{MD5}\n"))]));
    let built = compile_with(&folder, &small, |_, options| options.unpacked = Some(10));
    assert!(matches!(built.about.unwrap_err().why, Why::Unpacks { bytes: 33, most: 10 }));
    let built = compile_with(&folder, &small, |_, options| options.unpacked = Some(33));
    assert_eq!(built.about.unwrap().sources[0].records, 1);
}

#[test]
fn many_members_together_count() {
    let folder = Folder::new();
    let members = [claiming("1.txt", 200 << 20), claiming("2.txt", 200 << 20)];
    let error = compile(&folder, &members).about.unwrap_err();
    assert!(matches!(error.why, Why::Unpacks { bytes, .. } if bytes == 400 << 20), "{error}");
}

/// One large text under many names.
#[test]
fn members_that_share_their_bytes_are_refused() {
    let folder = Folder::new();
    let mut file = archive(&[member("a.txt", format!("{MD5}\n")), member("b.txt", format!("{MD5}\n"))]);
    // The second row of the directory points to the first member, which has another name there.
    let second = file.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    file[second + 42..second + 46].copy_from_slice(&[0; 4]);
    let error = compile_with(&folder, &folder.file("x.zip", file), |_, _| {}).about.unwrap_err();
    assert!(
        matches!(error.why, Why::Zip(_)) && error.to_string().contains("are also those of the member"),
        "{error}"
    );
}

#[test]
#[ignore = "campaign: takes long"]
fn tables_of_products_that_take_too_much_memory_are_refused_not_cut() {
    let folder = Folder::new();
    let header = r#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
    let line = format!(r#""{SHA1}","{MD5}","352441C2","a",3,1,"2","""#);
    let text = member("NSRLFile.txt", format!("{header}\r\n{line}\r\n"));
    let mut makers = "\"MfgCode\",\"MfgName\"\r\n".to_string();
    (0..700_000).for_each(|number| makers += &format!("\"{number:08}\",\"{number:020}\"\r\n"));
    let path = folder.file("x.zip", archive(&[text.clone(), member("NSRLMfg.txt", &makers)]));
    let small = |_: &mut Input, options: &mut BuildOptions| options.memory = 1 << 20;
    let error = compile_with(&folder, &path, small).about.unwrap_err();
    assert!(matches!(error.why, Why::Tables { most } if most == 64 << 20), "{error}");
    folder.file("NSRLMfg.txt", &makers);
    let path = folder.file("NSRLFile.txt", &text.content);
    let error = compile_with(&folder, &path, small).about.unwrap_err();
    assert!(matches!(error.why, Why::Tables { .. }), "{error}");
    // More memory is enough.
    compile_with(&folder, &path, |_, _| {}).about.unwrap();
}

#[test]
#[cfg(feature = "tables")]
fn a_database_is_unpacked_where_there_is_room_by_its_user_alone() {
    let folder = Folder::new();
    let path = folder.at("rds.db");
    rds::sqlite(&path, 2000, rds::Schema::Full);
    let whole = Member { deflated: true, ..member("rds.db", std::fs::read(&path).unwrap()) };
    // More than any disk has.
    let huge = Member { size: Some(1 << 60), ..whole.clone() };
    let large = folder.file("huge.zip", archive(&[huge]));
    let error =
        compile_with(&folder, &large, |_, options| options.unpacked = Some(u64::MAX)).about.unwrap_err();
    assert!(matches!(error.why, Why::Space { needed, .. } if needed == 1 << 60), "{error}");
    assert!(error.is_of_output() && error.to_string().contains("huge.zip"), "{error}");
    // The file is examined while it exists.
    let path = folder.file("x.zip", archive(std::slice::from_ref(&whole)));
    let found = seen_while_unpacked(&folder, &path);
    assert_eq!(found.len(), 1, "{found:?}");
    #[cfg(unix)]
    assert_eq!(found[0].1, 0o600);
    assert!(!folder.names().iter().any(|name| name.contains("partial")), "{:?}", folder.names());
    // A database that turns out not to be one leaves nothing either.
    let mut broken = whole;
    broken.content[4096..].fill(0xff);
    let path = folder.file("x.zip", archive(&[broken]));
    compile_with(&folder, &path, |_, _| {}).about.unwrap_err();
    assert!(!folder.names().iter().any(|name| name.contains("partial")), "{:?}", folder.names());
}

/// Returns the unfinished files that exist while the rows of the database are read, and their modes.
#[cfg(feature = "tables")]
fn seen_while_unpacked(folder: &Folder, path: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    let input = Input::new(path, Category::Known);
    // A row without a valid digest causes a notice while the database is open.
    let connection = rusqlite::Connection::open(folder.at("rds.db")).unwrap();
    connection.execute_batch("UPDATE METADATA SET md5 = 'x' WHERE rowid = 5").unwrap();
    drop(connection);
    let changed = Member { deflated: true, ..member("rds.db", std::fs::read(folder.at("rds.db")).unwrap()) };
    std::fs::write(path, archive(&[changed])).unwrap();
    build(
        &folder.at("set.hmk"),
        &[input],
        &BuildOptions::default(),
        Strictness::Lenient,
        &mut |_, notice| {
            if let Notice::Malformed(_) = notice {
                for name in folder.names().into_iter().filter(|name| name.contains("partial")) {
                    #[cfg(unix)]
                    let mode = {
                        use std::os::unix::fs::MetadataExt;
                        std::fs::metadata(folder.at(&name)).unwrap().mode() & 0o777
                    };
                    #[cfg(not(unix))]
                    let mode = 0;
                    found.push((folder.at(&name), mode));
                }
            }
        },
    )
    .unwrap();
    found
}
