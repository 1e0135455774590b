//! Archives and packages that show other things to other programs.

use crate::case;
use crate::util::{digest, installed};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hashmill_digest::{Crc32, find, hash};

const EVIL: &[u8] = b"EVIL: not what was meant\n";
const GOOD: &[u8] = b"good content\n";

const FILE: u32 = 0o100_644;
const KINDS: [u32; 5] = [0o010_644, 0o140_644, 0o020_644, 0o060_644, 0o120_777];

/// Returns a zip with members of these modes, as Info-ZIP writes it.
fn zip(members: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for (name, mode, content) in members {
        let size = (content.len() as u32).to_le_bytes();
        let crc = Crc32::sum_of(content).to_le_bytes();
        let length = (name.len() as u16).to_le_bytes();
        let facts =
            [&[10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x58][..], &crc, &size, &size, &length, &[0, 0]].concat();
        directory.extend([b"PK\x01\x02\x1e\x03", &*facts, &[0; 6], &(mode << 16).to_le_bytes()].concat());
        directory.extend([&(zip.len() as u32).to_le_bytes(), name.as_bytes()].concat());
        zip.extend([b"PK\x03\x04", &*facts, name.as_bytes(), content].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (start, size) = (zip.len() as u32, directory.len() as u32);
    zip.extend(directory);
    zip.extend(
        [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0, 0]]
            .concat(),
    );
    zip
}

/// Returns a tar of members with these letters; of links, the content is the target.
fn tar(members: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, letter, content) in members {
        let mut header = [0; 512];
        let is_link = matches!(letter, b'1' | b'2');
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name.as_bytes());
        put(100, b"0000644\0");
        put(124, format!("{:011o}", if is_link { 0 } else { content.len() }).as_bytes());
        put(136, b"00000000000\0        ");
        put(156, &[*letter]);
        put(157, if is_link { content } else { b"" });
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        tar.extend(header);
        if !is_link {
            tar.extend(*content);
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

/// Returns an archive of ar.
fn ar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut ar = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let size = content.len();
        ar.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, "100644").as_bytes());
        ar.extend(*content);
        ar.resize(ar.len().next_multiple_of(2), b'\n');
    }
    ar
}

case!(what_is_stored_in_an_archive_is_hashed_whatever_its_mode, |t| {
    t.file("good.m", "").file("bad.txt", digest("md5", EVIL));
    t.run("known build -o set --bad bad.txt").code(0);
    for (mode, kind) in KINDS.into_iter().zip(["fifo", "socket", "device", "device", "symlink"]) {
        t.file("a.zip", zip(&[("good.txt", FILE, GOOD), ("payload.exe", mode, EVIL)]));
        t.run("known match -k set --show bad --inside archives a.zip").code(1).prints("a.zip!/payload.exe");
        let ran = t.run("hash -v -c md5 --inside archives a.zip").code(0).prints(digest("md5", EVIL));
        // The kind is a note.
        ran.says(&format!("a.zip!/payload.exe: its mode says {kind}; its stored bytes were hashed"));
        let ran = t.run("hash -c md5 -f jsonl --inside archives -o m.jsonl --force a.zip").code(0);
        assert!(!ran.stderr().contains("mode"));
        let records = String::from_utf8(t.read("m.jsonl")).unwrap();
        assert_eq!(records.matches(&format!("\"container\":\"zip\",\"attributes\":\"{kind}\"")).count(), 1);
        t.run("audit -k m.jsonl --inside archives a.zip").code(0);
    }
    // Without content, it is an empty file for whoever unpacks it; a folder is none.
    t.file(
        "a.zip",
        zip(&[("p", KINDS[0], b""), ("l", KINDS[4], b""), ("d", 0o040_755, b""), ("f", 0o040_755, EVIL)]),
    );
    let ran = t.run("hash -c md5 --inside archives a.zip").code(0);
    let ran = ran.prints("a.zip!/p\n").prints("a.zip!/l\n").prints("a.zip!/f\n");
    assert!(!String::from_utf8_lossy(ran.stdout()).contains("a.zip!/d"));
    if installed("zip").is_some() {
        t.shell("echo hello | zip -q std.zip -").code(0);
        t.run("hash -c md5 --inside archives std.zip").code(0).prints(digest("md5", b"hello\n"));
    }
    if installed("7zz").is_some() {
        t.shell("mkdir t && printf hello > t/a && ln -s a t/l && 7zz a -bso0 -snl l.7z t").code(0);
        t.run("hash -c md5 --inside archives l.7z").code(0).prints(digest("md5", b"a"));
    }
    if installed("cpio").is_some() {
        t.shell("mkdir c && ln -s target c/l && find c/l | cpio -o -H newc --quiet > l.cpio").code(0);
        t.run("hash -c md5 --inside archives l.cpio").code(0).prints(digest("md5", b"target"));
    }
});

case!(a_wheel_states_all_that_an_installer_would_write, |t| {
    let digest = hash(find("sha256").unwrap(), GOOD);
    let base64 = URL_SAFE_NO_PAD.encode(digest.as_bytes());
    let record = format!("m/__init__.py,sha256={base64},13\nm-1.dist-info/RECORD,,\n");
    let wheel = |extra: &[(&str, u32, &[u8])]| {
        let own = [("m/__init__.py", FILE, GOOD), ("m-1.dist-info/RECORD", FILE, record.as_bytes())];
        zip(&[&own[..], extra].concat())
    };
    t.file("m.whl", wheel(&[]));
    t.run("check m.whl").code(0);
    for mode in [&KINDS[..], &[FILE]].concat() {
        for content in [EVIL, b""] {
            t.file("m.whl", wheel(&[("m/evil.py", mode, content)]));
            t.run("check m.whl").code(1).prints("m/evil.py: NEW");
        }
    }
    // Another list is that of no other wheel.
    t.file("m.whl", wheel(&[("m/x.dist-info/RECORD", FILE, EVIL)]));
    t.run("check m.whl").code(1).prints("RECORD: NEW");
    t.file("m.whl", wheel(&[("z-1.dist-info/RECORD", FILE, b"")]));
    t.run("check m.whl").code(2).says("another list");
    t.file("m.whl", wheel(&[("m/./__init__.py", FILE, EVIL)]));
    t.run("check m.whl").code(2).says("another member with this path").prints("FAILED");
});

/// Returns a deb whose `md5sums` names one file, with these members of its data.
fn deb(members: &[(&str, u8, &[u8])]) -> Vec<u8> {
    let sums = format!("{}  usr/bin/x\n", digest("md5", GOOD));
    let control = tar(&[("./control", b'0', b"Package: x\n"), ("./md5sums", b'0', sums.as_bytes())]);
    ar(&[("debian-binary", b"2.0\n"), ("control.tar", &control), ("data.tar", &tar(members))])
}

case!(paths_in_a_deb_are_what_dpkg_makes_of_them, |t| {
    let check = |package: Vec<u8>| t.file("x.deb", package).run("check x.deb");
    for path in ["./usr/bin/x", "usr/bin/x", "/usr/bin/x", ".//usr//bin/./x"] {
        check(deb(&[(path, b'0', GOOD)])).code(0).prints("/usr/bin/x: OK");
        check(deb(&[(path, b'0', EVIL)])).code(1).prints("/usr/bin/x: FAILED");
    }
    for path in ["./usr/bin/x", ".//usr/bin/x", "./usr/./bin/x", "/usr/bin/x", "./usr/y/../bin/x"] {
        check(deb(&[("./usr/bin/x", b'0', GOOD), (path, b'0', EVIL)]))
            .code(2)
            .says("another member with this path");
    }
    check(deb(&[("./usr/bin/x", b'0', GOOD), ("./usr/bin/x", b'2', b"/tmp/evil")]))
        .code(2)
        .says("another member");
    check(deb(&[("./usr", b'2', b"/tmp"), ("./usr/bin/x", b'0', GOOD)]))
        .code(2)
        .says("something else than a folder");
    check(deb(&[("./usr/bin/x", b'0', GOOD), ("./usr/bin/new", b'0', EVIL)]))
        .code(1)
        .prints("usr/bin/new: NEW");
    let sums = |content: &[u8]| {
        tar(&[("md5sums", b'0', format!("{}  usr/bin/x\n", digest("md5", content)).as_bytes())])
    };
    let data = |content: &[u8]| tar(&[("./usr/bin/x", b'0', content)]);
    for parts in [
        [("control.tar", sums(GOOD)), ("control.tar", sums(EVIL)), ("data.tar", data(GOOD))],
        [("control.tar", sums(GOOD)), ("data.tar", data(GOOD)), ("control.tar-x", sums(EVIL))],
        [("control.tar", sums(GOOD)), ("data.tar-x.gz", data(EVIL)), ("data.tar", data(GOOD))],
        [("control.tar", sums(GOOD)), ("data.tar", data(GOOD)), ("data.tar", data(EVIL))],
    ] {
        let parts = parts.each_ref().map(|(name, content)| (*name, &**content));
        check(ar(&[&[("debian-binary", &b"2.0\n"[..])][..], &parts].concat())).code(2).says("in its place");
    }
});

case!(diff_and_audit_tell_members_that_fall_together, |t| {
    t.file("good/d/a", GOOD).run("hash good -o good.m").code(0);
    let members: [&[(&str, u8, &[u8])]; 4] = [
        &[("d/a", b'0', GOOD), ("d/a", b'0', GOOD)],
        &[("d/a", b'0', GOOD), ("d//a", b'0', EVIL)],
        &[("d/a", b'0', GOOD), ("d/a", b'2', b"/etc/passwd")],
        &[("d", b'2', b"/tmp"), ("d/a", b'0', GOOD)],
    ];
    for members in members {
        t.file("a.tar", tar(members));
        t.run("diff good a.tar").code(2).says("the archive has");
        t.run("audit -k good.m a.tar").code(2).says("the archive has");
    }
    t.file("a.tar", tar(&[("d/", b'5', b""), ("./d/", b'5', b""), ("./d/a", b'0', GOOD)]));
    t.run("diff good a.tar").code(0);
    // Programs that add to a tar write newer files behind older ones: both are hashed.
    t.file("a.tar", tar(&[("d/a", b'0', GOOD), ("d/a", b'0', EVIL)]));
    t.run("hash -c md5 --inside archives a.tar")
        .code(0)
        .prints(digest("md5", EVIL))
        .prints(digest("md5", GOOD));
});

/// Returns an image as `docker save` writes it, with these digests of layers.
fn saved(digests: &str, layers: &[(&str, &[u8])], has_config: bool) -> Vec<u8> {
    let config = format!(r#"{{"rootfs": {{"type": "layers", "diff_ids": [{digests}]}}}}"#);
    let name = format!("{}.json", digest("sha256", config.as_bytes()));
    let names: Vec<String> = layers.iter().map(|(name, _)| format!("{name:?}")).collect();
    let list = format!(r#"[{{"Config": "{name}", "Layers": [{}]}}]"#, names.join(","));
    let mut members: Vec<_> = layers.iter().map(|(name, content)| (*name, b'0', *content)).collect();
    members.dedup();
    members.push(("manifest.json", b'0', list.as_bytes()));
    if has_config {
        members.push((&name, b'0', config.as_bytes()));
    }
    tar(&members)
}

case!(each_layer_of_an_image_is_proven, |t| {
    let (one, two) = (tar(&[("a", b'0', GOOD)]), tar(&[("b", b'0', EVIL)]));
    let digest = |content: &[u8]| format!("\"sha256:{}\"", digest("sha256", content));
    let both = format!("{},{}", digest(&one), digest(&two));
    let layers = [("1/layer.tar", &*one), ("2/layer.tar", &*two)];
    let check = |package: Vec<u8>| t.file("i.tar", package).run("check i.tar");
    check(saved(&both, &layers, true)).code(0).prints("2/layer.tar (decompressed): OK");
    check(saved(&both, &layers, false)).code(2).prints(".json: FAILED open or read");
    for digests in [digest(&one), format!("{},null", digest(&one)), format!("{},\"sha256:zz\"", digest(&one))]
    {
        check(saved(&digests, &layers, true))
            .code(2)
            .says("2/layer.tar: its configuration states no digest of it");
    }
    check(saved(&format!("{both},{}", digest(GOOD)), &layers, true)).code(2).says("it states 3 layers");
    check(saved(&both, &[layers[0], layers[0]], true)).code(1).prints("1/layer.tar (decompressed): FAILED");
});

case!(each_blob_that_an_index_leads_to_is_there, |t| {
    let layer = tar(&[("a", b'0', GOOD)]);
    let config = format!(r#"{{"rootfs": {{"diff_ids": ["sha256:{}"]}}}}"#, digest("sha256", &layer));
    let descriptor = |content: &[u8], kind: &str| {
        let (digest, size) = (digest("sha256", content), content.len());
        format!(
            r#"{{"mediaType": "application/vnd.oci.image.{kind}", "digest": "sha256:{digest}", "size": {size}}}"#
        )
    };
    let (of_config, of_layer) =
        (descriptor(config.as_bytes(), "config.v1+json"), descriptor(&layer, "layer.v1.tar"));
    let manifest = format!(r#"{{"config": {of_config}, "layers": [{of_layer}]}}"#);
    let index = format!(r#"{{"manifests": [{}]}}"#, descriptor(manifest.as_bytes(), "manifest.v1+json"));
    let blobs = [layer.as_slice(), config.as_bytes(), manifest.as_bytes(), b"{}"];
    let names = blobs.map(|blob| format!("blobs/sha256/{}", digest("sha256", blob)));
    let image = |wanted: &[usize], has_index: bool| {
        let mut members: Vec<_> = wanted.iter().map(|at| (&*names[*at], b'0', blobs[*at])).collect();
        members.extend(has_index.then_some(("index.json", b'0', index.as_bytes())));
        t.file("i.tar", tar(&members)).run("check i.tar")
    };
    image(&[0, 1, 2], true).code(0).quiet();
    for missing in [[1, 2], [0, 2], [0, 1]] {
        image(&missing, true).code(1).prints("FAILED open or read");
    }
    image(&[0, 1, 2, 3], true).code(0).says("nothing in the package leads to it");
    image(&[0, 1, 2], false).code(2).says("leads to its blobs");
});

case!(what_several_formats_recognise_is_told, |t| {
    let (other, zip) = (tar(&[("evil.sh", b'0', EVIL)]), zip(&[("good.txt", FILE, GOOD)]));
    t.file("a.tar", [&*other, &zip].concat()).file("two.tar", [&*other, &other].concat());
    let ran = t.run("hash -c md5 --inside archives a.tar").code(2).says("it is zip, and tar as well");
    ran.prints("a.tar!/good.txt").prints("a.tar!/evil.sh");
    let ran = t.run("hash -c md5 --inside archives two.tar").code(2).says("members follow the end");
    ran.prints("two.tar!/evil.sh");
    for (program, extension) in [("gzip -c", "gz"), ("xz -c", "xz"), ("bzip2 -c", "bz2"), ("zstd -qc", "zst")]
    {
        if installed(program.split(' ').next().unwrap()).is_some() {
            t.file("x", EVIL).file("y", &zip).shell(&format!("({program} x; cat y) > x.{extension}")).code(0);
            t.run(&format!("hash --inside archives x.{extension}")).code(2).says("it is zip, and");
        }
    }
    // An archive within is none of its own, also where it reaches to the end.
    t.file("a.ar", ar(&[("x.zip", &zip)])).file("b.tar", tar(&[("x.zip", b'0', &zip)]));
    t.run("hash --inside archives a.ar b.tar").code(0).prints("b.tar!/x.zip!/good.txt");
    if installed("zstd").is_some() {
        t.file("x.zip", &zip).shell("zstd -q --no-check x.zip").code(0);
        t.run("hash --inside archives x.zip.zst").code(0).prints("x.zip.zst!/x.zip!/good.txt");
    }
});

case!(a_zip_is_found_by_its_end_whatever_is_around_it, |t| {
    let zip = zip(&[("good.txt", FILE, GOOD)]);
    for (before, behind) in [(0, 9), (9, 0), (5000, 60_000), (1, 1)] {
        t.file("a.zip", [vec![b'x'; before], zip.clone(), vec![b'y'; behind]].concat());
        t.run("hash -c md5 --inside archives a.zip").code(0).prints("a.zip!/good.txt");
    }
});

case!(archives_that_can_not_be_read_are_told_by_name, |t| {
    let rar = [&b"Rar!\x1a\x07\x01\0"[..], EVIL].concat();
    t.file("d/a.rar", &rar).file("d/b.zip", zip(&[("in.cab", FILE, b"MSCF\0\0\0\0 and more")]));
    t.file("d/c.lz", "LZIP\x02\x0c").file("d/e.gz", b"\x1f\x8b\x08\xe0");
    let ran = t.run("hash --inside archives -c md5 d").code(2);
    ran.says("d/a.rar!: a RAR archive can't be read")
        .says("d/b.zip!/in.cab!: a cabinet (CAB) can't be read")
        .says("d/c.lz!: an lzip file of another version can't be read")
        .says("d/e.gz!: a gzip file");
    t.run("hash -c md5 d").code(0).quiet();
    t.file("operand", &rar).run("hash --inside archives -c md5 operand").code(2).says("a RAR archive");
});

case!(files_named_like_archives_that_are_none_are_counted, |t| {
    t.file("d/a.zip", "a page that says: not found").file("d/b.tar.gz", "another").file("d/empty.zip", "");
    let ran = t.run("hash --inside archives -c md5 d").code(0);
    ran.says("d/a.zip: nothing that is known is inside; 2 more files are like it");
});

case!(an_operand_that_is_not_looked_into_is_named, |t| {
    t.file("a.zip", zip(&[("payload.exe", FILE, EVIL)]))
        .file("b.txt", GOOD)
        .file("set.txt", digest("md5", EVIL));
    t.run("known build -o set --bad set.txt").code(0);
    for command in ["known match -k set --show bad", "dupes"] {
        t.run(&format!("{command} a.zip b.txt")).code(0).says("a.zip: is an archive, and is not looked into");
    }
    t.run("hash --inside archives a.zip b.txt").code(0).says("b.txt: nothing that is known is inside");
    t.run("hash a.zip b.txt").code(0).quiet();
});
