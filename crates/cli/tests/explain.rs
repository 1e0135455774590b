//! `hashmill explain`.

use crate::case;
use hashmill_testing::{not_possible, preloadable};
use std::os::unix::fs::MetadataExt;

case!(paths_are_explained_for_people, |t| {
    t.file("tree/a/file", "abc").file("tree/b", vec![7; 100_000]);
    let ran = t.run("explain tree -c sha256,blake3 -j 3 -m 64M").code(0).quiet();
    let ran = ran.prints("tree\n  file system ").prints("\n  medium      ").prints("\n  reading     ");
    let ran = ran.prints("\n  why         ").prints(" of 2 files looked at").prints("\n  threads     3\n");
    let ran = ran.prints("64.00 MiB of file data at most: 1.00 MiB a thread for files side by side");
    ran.prints("\n  sha256      many files: ")
        .prints("\n  blake3      many files: ")
        .prints("\n  expected    ");
});

case!(which_files_are_mapped_is_explained, |t| {
    t.file("file", "abc");
    let says = |line: &str| {
        let json = t.shell(&format!("{line} $hashmill explain file -f json")).code(0).json();
        json["paths"][0]["reading"]["mapping"].as_str().unwrap().to_string()
    };
    assert!(says("HASHMILL_MAP=never").contains("HASHMILL_MAP says never"));
    assert!(says("ulimit -v 8000000;").contains("address space"));
    let json = t.run("explain /proc/self/status -f json").code(0).json();
    assert!(json["paths"][0]["reading"]["mapping"].as_str().unwrap().starts_with("nothing is mapped: files"));
    t.run("explain file --io buffered").code(0).prints("nothing is mapped: --io asks for reads");
});

case!(programs_get_one_object, |t| {
    t.file("tree/file", "abc");
    let json =
        t.run("explain tree /proc/self/status - -c md5,sha1 -j 2 --format json").code(0).quiet().json();
    let paths = json["paths"].as_array().unwrap();
    assert_eq!(
        paths.iter().map(|path| path["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["tree", "/proc/self/status", "-"]
    );
    let tree = &paths[0];
    assert!(tree["device"]["file_system"].as_str().is_some_and(|name| !name.is_empty()), "{json}");
    assert_eq!(tree["cached"]["files"], 1);
    assert!(tree["reading"]["readers_least"].as_u64() <= tree["reading"]["readers_most"].as_u64());
    assert_eq!(paths[1]["device"]["medium"], "memory");
    assert_eq!(paths[1]["reading"]["readers_most"], 0);
    assert!(paths[2]["device"].is_null());
    let hashing = &json["hashing"];
    assert_eq!((hashing["threads"].as_u64(), hashing["memory"].as_u64()), (Some(2), Some(256 << 20)));
    let names: Vec<_> = hashing["algorithms"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["md5", "sha1"]);
    let number = |key: &str| hashing[key].as_f64().unwrap();
    assert!(number("expected_per_thread") > 0.0 && number("expected") > number("expected_per_thread"));
});

case!(kernels_and_lanes_are_those_of_the_table, |t| {
    let table = t.run("algorithms").code(0);
    let table = String::from_utf8(table.stdout().to_vec()).unwrap();
    for name in ["md5", "sha3-256", "crc32", "tlsh"] {
        let row: Vec<&str> = table
            .lines()
            .map(|line| line.split('\t').collect())
            .find(|row: &Vec<&str>| row[0] == name)
            .unwrap();
        let json = t.run(&format!("explain / -c {name} -f json --isa auto")).json();
        let said = &json["hashing"]["algorithms"][0];
        assert_eq!(said["lanes"].to_string(), row[3], "{name}");
        assert_eq!((said["kernel"].as_str(), said["alone"].as_str()), (Some(row[4]), Some(row[5])), "{name}");
    }
});

case!(without_a_path_it_is_about_the_working_directory, |t| {
    t.file("file", "abc");
    t.run("explain").code(0).quiet().prints(".\n  file system ").prints(" of 1 file looked at");
});

case!(what_was_read_is_in_memory, |t| {
    t.file("file", vec![1; 3 << 20]);
    t.run("hash file").code(0);
    let json = t.run("explain file -f json").code(0).json();
    let cached = &json["paths"][0]["cached"];
    if cached["unknown"] == 1 {
        return not_possible("telling what is in memory");
    }
    assert_eq!(cached["wholly"], 1, "{json}");
    assert_eq!(json["paths"][0]["reading"]["readers_most"], 0, "threads read what they hash");
});

case!(what_is_asked_of_reading_is_explained, |t| {
    t.file("file", vec![1; 3 << 20]);
    t.run("hash file").code(0);
    let reading = |options: &str| {
        t.run(&format!("explain file -f json {options}")).code(0).json()["paths"][0]["reading"].clone()
    };
    let one = reading("--prefetch 1");
    assert_eq!(
        (&one["alone"], &one["order"], &one["why"]),
        (&true.into(), &"disk".into(), &"--prefetch asks for it".into())
    );
    let seven = reading("--prefetch 7");
    assert_eq!((seven["readers_least"].as_u64(), seven["readers_most"].as_u64()), (Some(7), Some(7)));
    assert_eq!(reading("--prefetch 0")["readers_most"], 0);
    let direct = reading("--io direct");
    assert_eq!(direct["page_cache"], "files are read past it, where the file system can do that");
    assert!(!direct["why"].as_str().unwrap().contains("in memory: threads read"), "{direct}");
});

case!(a_path_that_is_not_there_is_named_and_the_others_explained, |t| {
    t.file("tree/file", "abc");
    let ran = t.run("explain nosuch tree").code(2).says("nosuch: cannot look it up: ");
    ran.prints("tree\n").prints("hashing\n");
});

case!(nothing_is_opened_that_would_wait, |t| {
    t.fifo("fifo").fifo("tree");
    t.run("explain fifo tree /dev/null").code(0).quiet().prints("fifo\n").prints("no files to look at");
});

case!(names_cannot_break_the_lines, |t| {
    t.file(b"tree/new\nline\xff/file", "abc");
    let mut command = t.command("explain");
    command.arg(t.path(b"tree/new\nline\xff"));
    t.ran(command, "explain").code(0).quiet().prints("new\\nline\\xff\n");
    let mut command = t.command("explain -f json");
    command.arg(t.path(b"tree/new\nline\xff"));
    assert!(t.ran(command, "explain").json()["paths"][0]["path_b64"].is_string());
});

case!(wrong_options_are_64, |t| {
    t.run("explain -c sha265").code(64).says("did you mean 'sha256'?");
    t.run("explain -m 1").code(64).says("at least");
    t.run("explain -j 0").code(64).says("at least one thread");
    t.run("explain -f xml").code(64);
});

case!(a_spinning_disk_has_one_reader, |t| {
    t.file("tree/file", vec![1; 100_000]);
    let plain = t.run("explain tree -f json").code(0).json();
    let Some(library) = preloadable("disk", &t.path("")) else { return };
    if plain["paths"][0]["device"]["blocks"] == serde_json::json!([]) {
        return not_possible("telling the block device below the tests");
    }
    let number = t.path("tree").metadata().unwrap().dev();
    let number = format!("sys/{}:{}", libc::major(number), libc::minor(number));
    t.file(format!("{number}/queue/rotational"), "1\n");
    let mut command = t.command("explain tree -f json");
    command.env("LD_PRELOAD", library).env("DISK_SYS", t.path("sys")).env("DISK_PATH", "tree/");
    let json = t.ran(command, "explain on a spinning disk").code(0).json();
    let place = &json["paths"][0];
    assert_eq!(place["device"]["medium"], "rotational", "{json}");
    assert_eq!(place["cached"]["not"], 1, "{json}");
    let reading = &place["reading"];
    assert_eq!(
        (&reading["readers_most"], &reading["alone"], &reading["order"]),
        (&1.into(), &true.into(), &"disk".into())
    );
});

case!(what_is_set_is_shown_with_where_it_comes_from, |t| {
    t.file("file", "abc");
    t.shell("HASHMILL_CONFIG= $hashmill explain file").code(0).prints("\nsettings\n  all as by default\n");
    t.file("c.toml", "memory = '64M'\n[hash]\nformat = 'bsd'\nexclude = ['*.o', 'out/']\n");
    let line = "HASHMILL_CONFIG=c.toml HASHMILL_HASH_ALGORITHMS=md5 $hashmill explain -j 2 file";
    t.shell(line)
        .code(0)
        .prints("\n  explain --threads 2: typed\n")
        .prints("\n  explain --memory 64M: c.toml\n")
        .prints("\n  hash --algorithms md5: HASHMILL_HASH_ALGORITHMS\n")
        .prints("\n  hash --exclude *.o out/: c.toml\n");
    let json = t.shell(&format!("{line} -f json")).code(0).json();
    let settings = json["settings"].as_array().unwrap();
    let format =
        settings.iter().find(|held| held["command"] == "hash" && held["option"] == "format").unwrap();
    assert_eq!((&format["values"][0], &format["source"]), (&"bsd".into(), &"c.toml".into()));
    // Typed values win over settings.
    let typed = t.shell(&format!("{line} -m 128M")).code(0);
    typed.prints("explain --memory 128M: typed").prints("hash --memory 64M: c.toml");
});
