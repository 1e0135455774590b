//! Records of what is inside of other files, and of the media of images: what a run looks into, and what a digest is of.

use crate::case;
use crate::image::acquire;
use crate::inside::{system, tree};
use crate::util::{Place, Ran};
use hashmill_testing::{all_installed, installed};

/// Makes a file system with files in a raw image and, if it can be made, an Expert Witness image of it. Returns the
/// images.
fn images(t: &Place) -> Option<Vec<&'static str>> {
    if !all_installed(&["mkfs.vfat", "mcopy", "mdel"]) {
        return None;
    }
    tree(t);
    system(t, "usb.img", "fat");
    let acquired = acquire(t, "case", "-c deflate:fast", &t.read("usb.img"));
    Some(["usb.img", "case.E01"][..1 + usize::from(acquired.is_some())].to_vec())
}

case!(a_file_that_was_removed_in_an_image_is_missing, |t| {
    let Some(all) = images(t) else { return };
    t.run(&format!("hash --inside images -c md5 -f jsonl -o m.jsonl {}", all.join(" "))).code(0);
    t.run("audit -k m.jsonl --inside images usb.img").code(0).prints("missing: 0");
    t.shell("mkdir b && cp usb.img b/ && mdel -i usb.img ::a.txt").code(0);
    for only in ["", "--only-inside"] {
        for operand in ["usb.img", "./usb.img", "$PWD/usb.img"] {
            let ran =
                t.shell(&format!("$hashmill audit -k m.jsonl --inside images {only} {operand}")).code(1);
            ran.prints("usb.img!/a.txt: missing").prints("missing: 1");
        }
    }
    // Under another name, too.
    t.run("audit -k m.jsonl --inside images --only-inside b/usb.img").code(1).prints("case.E01");
    t.run("hash --inside images -c md5 -f jsonl -o one.jsonl usb.img").code(0);
    t.run("audit -k one.jsonl --inside images b/usb.img").code(1).prints("b/usb.img!/a.txt: new");
    // A manifest and a folder.
    t.shell(
        "mkdir c && mv usb.img c/ && cd b && $hashmill hash --inside images -c md5 -f jsonl -o ../b.jsonl .",
    )
    .code(0);
    t.run("diff --inside images b.jsonl c").code(1).prints("./usb.img!/a.txt: missing");
    t.run("diff --inside images b.jsonl b").code(0);
    t.run("diff --inside images b.jsonl b.jsonl").code(64).says("--inside needs a folder");
});

case!(what_is_inside_of_a_file_that_is_not_looked_into_is_not_compared, |t| {
    let Some(_) = images(t) else { return };
    t.run("hash --inside images -c md5 -f jsonl -o m.jsonl usb.img").code(0);
    t.shell("mkdir d && cp usb.img d/").code(0);
    for command in ["audit -k m.jsonl usb.img", "audit -k m.jsonl", "diff m.jsonl d", "audit -k m.jsonl d"] {
        let ran = t.run(command).code(2);
        ran.prints("missing: 0").prints("5 inside of files that were not looked into");
    }
    // Files beside it with the content of those in it did not move out of it.
    t.run("diff m.jsonl .").code(2).prints("moved: 0").prints("5 inside of files that were not looked into");
    t.run("check m.jsonl").code(2).says("check looks into none").prints("usb.img: OK");
    t.remove("usb.img");
    t.run("audit -k m.jsonl").code(1).prints("usb.img!/a.txt: missing");
    if installed("zip").is_some() {
        t.shell("cd tree && zip -q ../a.zip a.txt empty && cd .. && cp a.zip b.zip && zip -q -d b.zip a.txt")
            .code(0);
        t.run("hash --inside archives -c md5 -f jsonl -o z.jsonl a.zip").code(0);
        t.rename("b.zip", "a.zip");
        t.run("audit -k z.jsonl --inside archives --only-inside a.zip")
            .code(1)
            .prints("a.zip!/a.txt: missing");
        t.run("audit -k z.jsonl --inside images --only-inside a.zip").code(2).prints("not looked into");
    }
});

case!(an_image_is_not_changed_by_the_way_in_which_it_is_read, |t| {
    let Some(all) = images(t) else { return };
    let [_, image] = all[..] else { return };
    for format in ["jsonl", "hashdeep", "csv"] {
        t.run(&format!("hash -c md5 -f {format} -o file {image} --force")).code(0);
        t.run(&format!("hash --images -c md5 -f {format} -o medium {image} --force")).code(0);
        t.run(&format!("audit -k file {image}")).code(0);
        t.run(&format!("audit -k medium --images {image}")).code(0);
        let ran = t.run(&format!("audit -k medium {image}")).code(2).prints("changed: 0");
        ran.says("case.E01: not compared: the manifest has the digest of the medium");
        let ran = t.run(&format!("audit -k file --images {image}")).code(2).prints("changed: 0");
        ran.says("case.E01: not compared: the manifest has the digest of the file as it lies");
        t.run("check medium").code(0).says("case.E01: the list's digest is of the medium in the image");
        t.run("check file").code(0);
        t.shell("mkdir -p d && cp case.E01 d/").code(0);
        t.run("diff medium d").code(2).prints("changed: 0").says("the digest of the medium");
    }
    // One that was changed is.
    t.run("hash -c md5 -f jsonl -o file case.E01 --force").code(0);
    let mut bytes = t.read("case.E01");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    t.file("case.E01", bytes).run("audit -k file case.E01").code(1).prints("case.E01: changed");
});

case!(both_file_systems_of_one_place_are_read, |t| {
    if !all_installed(&["mkfs.vfat", "mcopy", "genisoimage"]) {
        return;
    }
    t.file("one/good.txt", "good").file("two/evil.exe", "evil");
    t.shell("genisoimage -quiet -R -o disc.iso two 2> /dev/null && truncate -s 8M fs").code(0);
    t.shell("mkfs.vfat -R 2048 -F 16 -s 1 fs > /dev/null && mcopy -i fs one/good.txt ::").code(0);
    let (mut both, disc) = (t.read("fs"), t.read("disc.iso"));
    both[32_768..disc.len()].copy_from_slice(&disc[32_768..]);
    t.file("both.img", both);
    let ran = t.run("hash --inside images -c md5 both.img").code(2).says("another file system, iso9660");
    ran.prints("both.img!/good.txt").prints("both.img!/iso9660/evil.exe");
    t.run("image list both.img").code(2).prints("both.img!/iso9660/evil.exe");
    t.run("image export both.img!/iso9660/evil.exe -o -").code(0).is("evil");
});

case!(an_image_that_is_not_looked_into_is_named, |t| {
    let Some(all) = images(t) else { return };
    t.file("set.txt", format!("{:032x}\n", 1)).file("none.img", vec![1; 65536]);
    t.run("known build -o set --bad set.txt").code(0);
    for image in all {
        for command in
            ["known match -k set --show bad", "dupes", "similar digest -c ssdeep", "similar pairs -c ssdeep"]
        {
            let ran = t.run(&format!("{command} {image} tree/a.txt")).code(0);
            ran.says(&format!("{image}: is an image, and is not looked into (--inside images)"));
        }
    }
    // A raw image is one whatever its name is, and other bytes of its size are none.
    t.shell("cp usb.img evidence && head -c 131072 /dev/zero > zeros").code(0);
    let ran = t.run("known match -k set --show bad evidence zeros").code(0);
    ran.says("evidence: is an image, and is not looked into (--inside images)")
        .quiet_about("zeros: is an image");
    t.run("hash --inside images -c md5 none.img").code(0).says("none.img: nothing that is known is inside");
    t.file("d/one.img", vec![1; 65536]).file("d/two.img", vec![2; 65536]);
    let ran = t.run("hash --inside images -c md5 d").code(0);
    ran.says("d/one.img: nothing that is known is inside; 1 more file is like it");
    if installed("zip").is_some() {
        t.shell("zip -q a.zip usb.img").code(0);
        // Where images were not asked for, it is a remark.
        t.run("hash --inside archives -c md5 a.zip").code(0).says("a.zip!/usb.img: is named as an image");
        t.shell("mkdir n && mv a.zip n/").code(0);
        t.run("hash --inside archives -c md5 -o zips n").code(0);
        for command in ["hash", "known match -k set --show bad", "dupes", "similar digest -c ssdeep"] {
            t.run(&format!("{command} --inside all n")).code(0);
        }
        t.run("audit -k zips --inside all n").code(1);
        t.run("diff --inside all n n").code(0);
        t.shell("truncate -s 4M outer.img && mkfs.vfat outer.img > /dev/null && mcopy -i outer.img tree/a.txt ::in.iso")
            .code(0);
        let ran = t.run("hash --inside images outer.img").code(0);
        ran.says("outer.img!/in.iso: nothing that is known is inside");
    }
});

case!(images_in_archives_and_in_images_are_looked_into, |t| {
    let Some(all) = images(t) else { return };
    if !all_installed(&["zip", "tar"]) {
        return;
    }
    let images = all.join(" ");
    t.shell(&format!("zip -q a.zip {images} && tar czf t.tgz {images} && tar cf plain.tar {images}")).code(0);
    t.shell("truncate -s 20M outer.img && mkfs.vfat outer.img > /dev/null").code(0);
    t.shell("mcopy -i outer.img usb.img ::in.img && mcopy -i outer.img a.zip ::").code(0);
    let ran = t.run("hash --inside all -c md5 -f sums a.zip t.tgz plain.tar outer.img").code(0);
    let outers = ["a.zip", "t.tgz", "plain.tar", "outer.img!/a.zip"];
    let paths =
        outers.iter().flat_map(|outer| all.iter().map(move |image| format!("{outer}!/{image}!/a.txt\n")));
    let ran = paths.fold(ran, |ran, path| ran.prints(path));
    ran.prints("outer.img!/in.img!/a.txt\n");
    t.run("hash --inside images -c md5 outer.img").code(0).prints("outer.img!/in.img!/a.txt\n");
    // The files are those of the image by itself, and can be found and compared.
    t.run("hash --inside images --only-inside -c sha256 -f jsonl -o own usb.img").code(0);
    t.run("known build -o set --bad own").code(0);
    t.run("known match -k set --show bad --inside all a.zip").code(1).prints("a.zip!/usb.img!/a.txt");
    t.run("hash --inside all -c md5 -f jsonl -o list a.zip outer.img").code(0);
    t.run("audit -k list --inside all a.zip outer.img").code(0).prints("missing: 0");
    // Depth is bounded.
    t.run("hash --inside all --max-nesting 1 a.zip").code(2).says("a.zip!/usb.img!: it lies in 1 archives");
    let ran = t.run("hash --inside images --max-nesting 1 outer.img").code(2);
    ran.says("outer.img!/in.img!: it lies in 1 archives or images already");
    t.run("hash --inside all --only-inside -c md5 -f sums a.zip").code(0).prints("usb.img!/a.txt\n");
    // An image that can't be looked into is told.
    t.shell("head -c 100 /dev/zero > x.vhdx && printf vhdxfile | dd of=x.vhdx conv=notrunc status=none")
        .code(0);
    t.shell("zip -q b.zip x.vhdx").code(0);
    t.run("hash --inside all -c md5 b.zip").code(2).says("b.zip!/x.vhdx!: ");
});

case!(a_list_without_sizes_is_compared_with_the_medium_and_with_the_file, |t| {
    let Some(all) = images(t) else { return };
    let [_, image] = all[..] else { return };
    t.shell(&format!("mkdir d && cp {image} d/{image}")).code(0);
    t.run("hash -c sha256 -f sums -o file d").code(0);
    t.run("hash --images -c sha256 -f sums -o medium d").code(0);
    let medium =
        "d/case.E01: the list's digest is of the medium in the image, which was read, too, and matches";
    let file = "is of the file of the image as it lies, which was read, too, and matches";
    // A match shows the algorithm, too, whichever way the image was read.
    let guessed = "no algorithm is named; guessed: sha256";
    let is_sure = |ran: Ran| {
        let messages = ran.says(guessed).stderr();
        assert!(!messages.contains("nothing names"), "{messages}");
    };
    for command in ["audit -k medium d", "audit -k medium", "check medium", "diff d medium"] {
        is_sure(t.run(command).code(0).says(medium));
    }
    is_sure(t.run("diff medium d").code(0).says(&medium[2..]));
    for command in ["audit --images -k file d", "diff --images file d", "diff --images d file"] {
        is_sure(t.run(command).code(0).says(file));
    }
    t.run("audit -f json -k medium d").code(0).prints("\"guessed\":[\"sha256\"]");
    for command in ["audit --images -k medium d", "audit -k file d", "check file"] {
        assert!(!t.run(command).code(0).stderr().contains("read, too"), "{command}");
    }
    for list in ["file", "medium"] {
        let text = String::from_utf8(t.read(list)).unwrap();
        let other = if text.starts_with('0') { "1" } else { "0" };
        t.file(list, [other, &text[1..]].concat());
    }
    for command in ["audit -k medium d", "check medium", "diff d medium", "audit -k file d", "diff file d"] {
        t.run(command).code(1);
    }
});

case!(a_list_of_media_is_checked_whatever_the_images_are_named, |t| {
    let Some(all) = images(t) else { return };
    let [_, image] = all[..] else { return };
    t.run(&format!("hash --images -c sha256 -f jsonl {image} -o list")).code(0);
    let list = String::from_utf8(t.read("list")).unwrap();
    let sums = format!("{}  NAME\n", list.split('"').find(|word| word.len() == 64).unwrap());
    for name in [image, "case.bin", "case", "case.txt"] {
        t.shell(&format!("[ -e {name} ] || cp {image} {name}")).code(0);
        t.file("list", list.replace(image, name)).file("sums", sums.replace("NAME", name));
        let told = format!("{name}: the list's digest is of the medium in the image, which was read, too");
        for list in ["list", "sums"] {
            t.run(&format!("check {list}")).code(0).prints(format!("{name}: OK")).says(&told);
        }
        t.run(&format!("audit -k list {name}")).code(2).prints("changed: 0");
    }
    // Another medium of that size is none.
    let wrong = list.split('"').find(|word| word.len() == 64).unwrap();
    let other: String = wrong.chars().rev().collect();
    t.file("list", list.replace(wrong, &other));
    t.run("check list").code(1).prints(format!("{image}: FAILED"));
});

case!(an_image_as_long_as_its_medium_is_compared_with_both, |t| {
    if installed("qemu-img").is_none() {
        return;
    }
    t.file("raw", vec![7; 1 << 20]);
    t.shell("qemu-img convert -O qcow2 -c raw disk.qcow2").code(0);
    t.shell("truncate -s 1M disk.qcow2").code(0);
    t.run("hash --images -c sha256 -f jsonl disk.qcow2 -o list").code(0);
    t.shell("mv disk.qcow2 disk").code(0);
    t.file("list", String::from_utf8(t.read("list")).unwrap().replace("disk.qcow2", "disk"));
    t.run("check list").code(0).prints("disk: OK");
    t.run("audit -k list disk").code(0).prints("matched: 1");
});

case!(a_folder_on_the_first_side_is_looked_into_no_further_than_asked, |t| {
    let Some(all) = images(t) else { return };
    t.shell(&format!("mkdir d && mv {} d/", all.join(" "))).code(0);
    t.run("hash --inside images -c md5 -f jsonl -o m.jsonl d").code(0);
    let ran = t.run("diff d m.jsonl").code(2).prints("new: 0").prints("changed: 0");
    ran.prints("inside of files that were not looked into: --inside all");
    t.run("diff --inside images d m.jsonl").code(0);
    t.shell("cd d && $hashmill diff . ../m.jsonl").code(2).prints("new: 0");
});

case!(a_segment_of_another_image_is_no_part_without_files_either, |t| {
    let Some(all) = images(t) else { return };
    if all.len() < 2 {
        return;
    }
    t.shell("mkdir d && cp case.E01 d/case.E01").code(0);
    t.run("hash --images -c md5 d").code(0);
    t.file("other.raw", vec![3; 1 << 20]);
    acquire(t, "other", "-c none", &t.read("other.raw")).unwrap();
    t.shell("cp other.E01 d/case.E02").code(0);
    t.run("hash --images -c md5 d").code(2).says("d/case.E02: ");
    t.run("hash --inside images -c md5 d").code(2).says("d/case.E0");
});

case!(documents_of_images_and_duplicates_have_their_account, |t| {
    let Some(all) = images(t) else { return };
    for image in all {
        t.run(&format!("image info -f json {image}"))
            .code(0)
            .prints("\"account\":{\"containers\":{\"done\":1}}");
    }
    t.run("image verify -f json usb.img").code(64).prints("\"account\":{\"containers\":{\"unusable\":1}}");
    t.shell("cp usb.img copy.img").code(0);
    t.run("dupes -f json usb.img copy.img").code(0).prints("\"account\":{\"entries\":{");
    t.run("dupes -f json usb.img gone").code(2).prints("\"failed\":1");
    t.file("set.txt", format!("{}\n", crate::util::digest("md5", "alpha")));
    t.run("known build -o set --bad set.txt").code(0);
    let ran = t.run("known match -k set --stats=json tree/a.txt").code(1);
    ran.says("\"account\":{\"entries\":{\"differs\":1}}");
});

case!(a_file_in_a_logical_image_is_not_compared_where_it_is_not_looked_into, |t| {
    t.file("x.L01", b"LVF\x09\x0d\x0a\xff\x00\x01\x01\0\0\0").file("plain", "");
    for (list, code) in [("x.L01/a", 2), ("x.L01/d/a", 2), ("plain/a", 1)] {
        t.file("list", format!("900150983cd24fb0d6963f7d28e17f72  {list}\n"));
        let ran = t.run("check list").code(code);
        match code {
            2 => ran.says("it is inside of a file, and check looks into none"),
            _ => ran.prints("plain/a: FAILED"),
        };
        t.run("audit -k list .").code(code);
    }
    // A file may have been put there under the path of one inside.
    t.file("a.zip", "other")
        .file("a.zip!/a", "abc")
        .file("list", "900150983cd24fb0d6963f7d28e17f72  a.zip!/a\n");
    t.run("check list").code(2).says("it is inside of a file, and check looks into none");
    t.remove("a.zip").run("check list").code(0);
});
