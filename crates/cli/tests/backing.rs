//! `--backing`: layers over the files that are given, as qemu-img reads them, and over no others.

use crate::case;
use crate::util::{Place, Ran, installed};
use hashmill_testing::{Random, all_installed};
use serde_json::Value;
use std::fs;

/// Makes `base.raw` of 1 MiB, with zeros in it, and `base.qcow2` with the same media.
fn bases(t: &Place) {
    let mut media = Random(11).bytes(1 << 20);
    media[300_000..500_000].fill(0);
    t.file("base.raw", media);
    t.shell("qemu-img convert -f raw -O qcow2 -o cluster_size=4096 base.raw base.qcow2").code(0);
}

/// Makes a layer of this size over a file in this format, with writes of its own.
fn layer(t: &Place, name: &str, (base, format): (&str, &str), size: &str) {
    t.shell(&format!(
        "qemu-img create -q -f qcow2 -b {base} -F {format} {name} {size} && \
         qemu-io -f qcow2 -c 'write -P 9 5000 70000' -c 'write -z 200000 9000' {name} > /dev/null"
    ))
    .code(0);
}

/// Makes a layer that states a name, whatever there is by that name.
fn unchecked(t: &Place, name: &str, (base, format): (&str, &str)) {
    t.shell(&format!("qemu-img create -q -u -f qcow2 -b '{base}' -F {format} {name} 1M")).code(0);
}

/// Changes the name that an image states for its backing file into one of the same length.
fn rename(t: &Place, image: &str, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    replace(t, image, from.as_bytes(), to.as_bytes());
}

/// Takes from an image the format that it states for its backing file.
fn forget_format(t: &Place, image: &str) {
    replace(t, image, &0xe279_2aca_u32.to_be_bytes(), &0x0123_4567_u32.to_be_bytes());
}

/// Replaces the first occurrence of some bytes.
fn replace(t: &Place, image: &str, from: &[u8], to: &[u8]) {
    let mut bytes = t.read(image);
    let at = bytes.windows(from.len()).position(|part| part == from).unwrap();
    bytes[at..at + from.len()].copy_from_slice(to);
    t.file(image, bytes);
}

/// Returns the digest of the media as qemu-img sees them.
fn expected(t: &Place, image: &str) -> Value {
    t.shell(&format!("qemu-img convert -O raw {image} expected.raw")).code(0);
    digest(t.run("hash -c sha256 -f jsonl expected.raw"))
}

/// Returns the digest in the only record of a run.
#[track_caller]
fn digest(ran: Ran) -> Value {
    let ran = ran.code(0).quiet();
    assert!(ran.json()["sha256"].is_string());
    ran.json()["sha256"].clone()
}

/// Checks that every command sees the media of an image as qemu-img does.
#[track_caller]
fn is_as_in_qemu(t: &Place, image: &str, options: &str) {
    let expected = expected(t, image);
    assert_eq!(digest(t.run(&format!("image hash -c sha256 -f jsonl {options} {image}"))), expected);
    assert_eq!(digest(t.run(&format!("hash --images -c sha256 -f jsonl {options} {image}"))), expected);
    let verified = t.run(&format!("image verify -c sha256 -f json {options} {image}")).code(1).json();
    let verified = if verified.is_array() { verified[0].clone() } else { verified };
    assert_eq!((&verified["verdict"], &verified["digests"][0]["digest"]), (&"no-digest".into(), &expected));
    t.run(&format!("image export {options} -o export.raw --force {image}")).code(0).quiet();
    assert!(t.read("export.raw") == t.read("expected.raw"), "{image}");
}

case!(layers_have_the_media_that_qemu_sees, |t| {
    if !all_installed(&["qemu-img", "qemu-io"]) {
        return;
    }
    bases(t);
    for (base, format) in [("base.raw", "raw"), ("base.qcow2", "qcow2")] {
        for size in ["1M", "1500K", "600K"] {
            layer(t, "layer.qcow2", (base, format), size);
            is_as_in_qemu(t, "layer.qcow2", &format!("--backing {base}"));
        }
        // Without a stated format, the backing file is recognised.
        forget_format(t, "layer.qcow2");
        is_as_in_qemu(t, "layer.qcow2", &format!("--backing {base}"));
    }
    for format in ["vmdk", "vpc", "vdi", "vhdx"] {
        t.shell(&format!("qemu-img convert -f raw -O {format} base.raw base.{format}")).code(0);
        layer(t, "layer.qcow2", (&format!("base.{format}"), format), "1500K");
        is_as_in_qemu(t, "layer.qcow2", &format!("--backing base.{format}"));
    }
});

case!(each_layer_of_a_chain_is_over_the_file_that_it_names, |t| {
    if !all_installed(&["qemu-img", "qemu-io"]) {
        return;
    }
    bases(t);
    layer(t, "middle.qcow2", ("base.qcow2", "qcow2"), "700K");
    t.shell("qemu-img create -q -f qcow2 -b middle.qcow2 -F qcow2 top.qcow2 2M").code(0);
    t.shell("qemu-io -f qcow2 -c 'write -P 3 60000 30000' -c 'write -P 4 1M 100K' top.qcow2").code(0);
    is_as_in_qemu(t, "top.qcow2", "--backing base.qcow2 --backing middle.qcow2");
    let info = t.run("image info --backing base.qcow2 --backing middle.qcow2 top.qcow2").code(0).quiet();
    let info = info.prints("backing file             middle.qcow2\n");
    info.prints("backing file read        middle.qcow2\n").prints("backing file read        base.qcow2\n");
    // The message names the layer whose backing file is not there.
    let lacking = t.run("image hash --backing middle.qcow2 top.qcow2").code(64);
    lacking.says("top.qcow2: middle.qcow2: is a layer over the backing file 'base.qcow2', which was not given (--backing FILE)");
});

case!(files_in_layers_are_found_in_a_folder, |t| {
    if !all_installed(&["qemu-img", "mke2fs", "debugfs"]) {
        return;
    }
    t.file("tree/a.txt", "alpha").file("tree/b.txt", "beta").file("new", "changed").file("more", "added");
    fs::create_dir(t.path("layers")).unwrap();
    fs::File::create(t.path("base.img")).unwrap().set_len(4 << 20).unwrap();
    t.shell("mke2fs -q -F -t ext4 -d tree base.img && cp base.img one.img && cp base.img two.img").code(0);
    let change = "debugfs -w -R 'rm a.txt' one.img && debugfs -w -R 'write new a.txt' one.img";
    t.shell(&format!("({change} && debugfs -w -R 'write more c.txt' two.img) > /dev/null 2>&1")).code(0);
    for name in ["one", "two"] {
        let made = "qemu-img convert -f raw -O qcow2 -B ../base.img -F raw";
        t.shell(&format!("cd layers && {made} ../{name}.img {name}.qcow2")).code(0);
        assert!(t.read(&format!("layers/{name}.qcow2")).len() < 2 << 20, "only what differs is in the layer");
    }
    let run = "hash --inside images -c sha256 -f jsonl";
    let found = t.run(&format!("{run} --backing base.img layers")).code(0).quiet();
    let raw = t.run(&format!("{run} one.img two.img")).code(0).quiet();
    let digests = |ran: &Ran, from: &str, to: &str| -> Vec<(String, Value)> {
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let record = |line: &str| {
            let record: Value = serde_json::from_str(line).unwrap();
            (record["path"].as_str().unwrap().replace(from, to), record["sha256"].clone())
        };
        text.lines().map(record).collect()
    };
    let (found, raw) = (digests(&found, "", ""), digests(&raw, ".img", ".qcow2"));
    assert!(found.iter().any(|(path, _)| path == "layers/two.qcow2!/c.txt"), "{found:?}");
    let raw: Vec<_> = raw.into_iter().map(|(path, digest)| (format!("layers/{path}"), digest)).collect();
    assert_eq!(found, raw);
    t.run("image list --backing base.img layers/two.qcow2").code(0).prints("!/c.txt");
    t.run("image export --backing base.img layers/one.qcow2!/a.txt -o -").code(0).is("changed");
    // Without it, each layer fails.
    let failed = t.run(&format!("{run} layers")).code(2);
    failed.says("layers/one.qcow2").says("'../base.img', which was not given (--backing FILE)");
});

case!(the_file_name_decides_which_file_is_read, |t| {
    if !all_installed(&["qemu-img", "qemu-io"]) {
        return;
    }
    bases(t);
    layer(t, "layer.qcow2", ("base.raw", "raw"), "1M");
    let expected = expected(t, "layer.qcow2");
    fs::create_dir(t.path("elsewhere")).unwrap();
    t.rename("base.raw", "elsewhere/base.raw");
    let over =
        |name: &str| t.run(&format!("image hash -c sha256 -f jsonl --backing elsewhere/base.raw {name}"));
    assert_eq!(digest(over("layer.qcow2")), expected);
    for name in ["/etc/base.raw", "../../../base.raw", "C:\\images\\base.raw"] {
        t.shell(&format!("qemu-img rebase -u -f qcow2 -b '{name}' -F raw layer.qcow2")).code(0);
        assert_eq!(digest(over("layer.qcow2")), expected, "{name}");
    }
    for name in ["xbase.raw", "base.raw/..", "nbd://127.0.0.1:1/base.rax", "json:{}"] {
        t.shell(&format!("qemu-img rebase -u -f qcow2 -b '{name}' -F raw layer.qcow2")).code(0);
        over("layer.qcow2").code(64).says("which was not given");
    }
    t.file("a/base.raw", "").file("b/base.raw", "");
    for command in ["image hash", "image info", "image list", "image verify", "hash --images"] {
        let twice =
            t.run(&format!("{command} --backing a/base.raw --backing b/base.raw layer.qcow2")).code(64);
        twice.says("--backing: two backing files have the file name 'base.raw'");
    }
    t.run("hash --backing a/base.raw layer.qcow2").code(64);
    t.run("image hash --raw --backing a/base.raw layer.qcow2").code(64);
    let none = t.run("image hash --backing none/xbase.raw --backing none/base.raw layer.qcow2").code(64);
    none.says("'json:{}', which was not given");
    t.shell("qemu-img rebase -u -f qcow2 -b base.raw -F raw layer.qcow2").code(0);
    t.run("image hash --backing none/base.raw layer.qcow2").code(2).says("none/base.raw: cannot open");
});

case!(a_layer_chooses_no_file_of_this_machine, |t| {
    if !all_installed(&["qemu-img"]) {
        return;
    }
    unchecked(t, "layer.qcow2", ("/etc/passwd", "raw"));
    t.file("base.raw", "other");
    for options in ["", "--backing base.raw"] {
        let refused = t.run(&format!("image hash {options} layer.qcow2")).code(64);
        refused.is("").says("'/etc/passwd', which was not given (--backing FILE)");
    }
    if installed("strace").is_some() {
        let run =
            "strace -f -o trace -e trace=file $hashmill image export --backing base.raw -o out layer.qcow2";
        t.shell(run).code(64);
        let trace = String::from_utf8(t.read("trace")).unwrap();
        assert!(trace.contains("layer.qcow2") && !trace.contains("passwd"), "{trace}");
    }
    // Control characters of a name don't reach the terminal.
    unchecked(t, "layer.qcow2", ("baseX[31m.raw", "raw"));
    rename(t, "layer.qcow2", "baseX[31m.raw", "base\x1b[31m.raw");
    for command in ["image hash", "image info", "image verify -c md5", "hash --images"] {
        let refused = t.run(&format!("{command} layer.qcow2"));
        assert!(refused.stderr().contains("which was not given") && !refused.stderr().contains('\x1b'));
        assert!(!refused.stdout().contains(&0x1b));
    }
    t.file("base\x1b[31m.raw", "other");
    let named = t.ran(
        {
            let mut command = t.command("image info layer.qcow2 --backing");
            command.arg(t.path("base\x1b[31m.raw"));
            command
        },
        "image info",
    );
    assert!(named.code(0).quiet().prints("backing file read").stdout().iter().all(|byte| *byte != 0x1b));
});

case!(a_file_is_never_below_itself, |t| {
    if !all_installed(&["qemu-img"]) {
        return;
    }
    unchecked(t, "own.qcow2", ("xyz.qcow2", "qcow2"));
    rename(t, "own.qcow2", "xyz.qcow2", "own.qcow2");
    unchecked(t, "one.qcow2", ("two.qcow2", "qcow2"));
    unchecked(t, "two.qcow2", ("one.qcow2", "qcow2"));
    for (options, image) in [
        ("--backing own.qcow2", "own.qcow2"),
        ("--backing one.qcow2 --backing two.qcow2", "one.qcow2"),
        ("--backing two.qcow2 --backing one.qcow2", "two.qcow2"),
    ] {
        let refused = t.run(&format!("image hash {options} {image}")).code(64);
        refused.is("").says("which is itself a layer over this one");
        t.run(&format!("hash --images {options} {image}"))
            .code(2)
            .says("which is itself a layer over this one");
    }
});

case!(a_chain_has_a_most_depth, |t| {
    if !all_installed(&["qemu-img"]) {
        return;
    }
    t.file("l000", vec![7; 1 << 20]);
    unchecked(t, "l001", ("l000", "raw"));
    unchecked(t, "l002", ("l001", "qcow2"));
    for number in 3..=201 {
        fs::copy(t.path("l002"), t.path(format!("l{number:03}"))).unwrap();
        rename(t, &format!("l{number:03}"), "l001", &format!("l{:03}", number - 1));
    }
    let all: String = (0..=200).map(|number| format!(" --backing l{number:03}")).collect();
    let found = digest(t.run(&format!("hash --inside images -j2 -c sha256 -f jsonl l200{all}")));
    assert_eq!(found, digest(t.run("hash -c sha256 -f jsonl l000")));
    let refused = t.run(&format!("image hash l201{all}")).code(64);
    refused.says("'l000', and below more layers than are read");
});

case!(the_stated_format_is_the_format, |t| {
    if !all_installed(&["qemu-img", "qemu-io"]) {
        return;
    }
    bases(t);
    // The guest of a raw disk wrote the header of an image that names a file of this machine.
    unchecked(t, "guest.raw", ("/etc/passwd", "raw"));
    layer(t, "layer.qcow2", ("guest.raw", "raw"), "400K");
    is_as_in_qemu(t, "layer.qcow2", "--backing guest.raw");
    forget_format(t, "layer.qcow2");
    let refused = t.run("image hash --backing guest.raw layer.qcow2").code(64).is("");
    refused
        .says("layer.qcow2: guest.raw: is a layer over the backing file '/etc/passwd', which was not given");
    // Raw media are one file, whatever lies beside it.
    t.rename("base.raw", "base.001").file("base.002", vec![1; 1 << 20]);
    layer(t, "layer.qcow2", ("base.001", "raw"), "1500K");
    is_as_in_qemu(t, "layer.qcow2", "--backing base.001");
    unchecked(t, "layer.qcow2", ("base.qcow2", "vmdk"));
    let refused = || t.run("image hash --backing base.qcow2 layer.qcow2").code(64).is("");
    refused().says("base.qcow2: is not in the format 'vmdk', which the layer over it states");
    replace(t, "layer.qcow2", b"\0\0\0\x04vmdk", b"\0\0\0\x04a\x1b[m");
    assert!(!refused().says("base.qcow2: is not in the format").stderr().contains('\x1b'));
});
