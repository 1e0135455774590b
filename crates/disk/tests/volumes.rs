//! Partition tables, compared with the programs that write and show them.

use crate::tools::{Random, done, run};
use hashmill_disk::{Medium, Problem, Scheme, Volumes, volumes};
use hashmill_testing::cases;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The sectors of an image.
const SECTORS: u64 = 8192;

/// A partition as `sfdisk` shows it: its start and number of sectors, its type and identifier, its label.
type Shown = (u64, u64, String, Option<String>, Option<String>);

fn read(bytes: &[u8]) -> Volumes {
    let medium: Arc<dyn Medium> = Arc::new(bytes.to_vec());
    volumes(&medium).unwrap()
}

/// Writes an image with the table that a script for `sfdisk` describes.
fn made(script: &str, folder: &Path) -> Option<Vec<u8>> {
    let path = folder.join("image");
    fs::write(&path, vec![0; SECTORS as usize * 512]).unwrap();
    done("sfdisk", &["-q", path.to_str().unwrap()], script)?;
    Some(fs::read(path).unwrap())
}

/// Returns what `sfdisk` shows of an image, without extended partitions.
fn shown(image: &[u8], folder: &Path) -> Vec<Shown> {
    let path = folder.join("shown");
    fs::write(&path, image).unwrap();
    let (_, out) = run("sfdisk", &["-d", path.to_str().unwrap()], "").unwrap();
    let text = String::from_utf8(out).unwrap();
    let value = |line: &str, key: &str| {
        let rest = line.split(&format!("{key}=")).nth(1)?;
        let value = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(',').next(),
        };
        value.map(|value| value.trim().to_owned())
    };
    let number = |line: &str, key: &str| value(line, key).unwrap().parse().unwrap();
    let label = text.lines().find_map(|line| line.strip_prefix("label-id: 0x")).unwrap_or_default();
    let slot = |line: &str| line.split(" :").next()?.strip_prefix(path.to_str()?)?.parse::<u32>().ok();
    let identifier = |line: &str| match value(line, "uuid") {
        None => Some(format!("{label}-{:02x}", slot(line)?)),
        uuid => uuid,
    };
    let partition = |line: &str| {
        let kind = value(line, "type").unwrap();
        (number(line, "start"), number(line, "size"), kind, identifier(line), value(line, "name"))
    };
    let lines = text.lines().filter(|line| line.contains("start="));
    let mut partitions: Vec<Shown> =
        lines.map(partition).filter(|one| !matches!(&*one.2, "5" | "f" | "85")).collect();
    partitions.sort();
    partitions
}

/// Returns partitions in the way of [`shown`].
fn found(volumes: &Volumes) -> Vec<Shown> {
    let sector = u64::from(volumes.sector);
    let raw = |kind: &str| {
        let raw = kind.rsplit('(').next().unwrap().trim_end_matches(')');
        raw.strip_prefix("0x").map_or(raw.to_owned(), |hex| hex.trim_start_matches('0').to_owned())
    };
    let partition = |one: &hashmill_disk::Partition| {
        let name = one.name.clone().map(|name| String::from_utf8(name).unwrap());
        (one.start / sector, one.size / sector, raw(&one.kind), one.identifier.clone(), name)
    };
    volumes.partitions.iter().map(partition).collect()
}

/// Returns a script of random partitions, in random order.
fn script(random: &mut Random, is_gpt: bool) -> String {
    const GPT: [&str; 4] = [
        "0FC63DAF-8483-4772-8E79-3D69D8477DE4",
        "EBD0A0A2-B9E5-4433-87C0-68B6B72699C7",
        "C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
        "12345678-1234-5678-9ABC-DEF012345678",
    ];
    const MBR: [&str; 4] = ["83", "7", "b", "e0"];
    const NAMES: [&str; 4] =
        ["", "data", "\u{e4}\u{20ac} \u{1f600}", "a longer name of 36 units, to the end"];
    let mut lines = Vec::new();
    let mut start = 64 + random.below(100);
    let most = if is_gpt { 20 } else { 4 };
    for number in 1..=1 + random.below(most) {
        let size = 1 + random.below(300);
        let which = random.below(4) as usize;
        let name = NAMES[random.below(4) as usize].chars().take(35).collect::<String>();
        lines.push(match is_gpt {
            true => format!("{number}: start={start},size={size},type={},name=\"{name}\"", GPT[which]),
            false => format!("{number}: start={start},size={size},type={}", MBR[which]),
        });
        start += size + random.below(60);
    }
    let turned = lines.len() as u64;
    lines.rotate_left(random.below(turned) as usize);
    if !is_gpt && lines.len() < 4 {
        lines.extend(logical(random, start));
    }
    let label = if is_gpt { "gpt\nfirst-lba: 34" } else { "dos" };
    format!("label: {label}\n{}\n", lines.join("\n"))
}

/// Returns lines of an extended partition and the logical ones in it.
fn logical(random: &mut Random, start: u64) -> Vec<String> {
    let mut at = start + 1 + random.below(10);
    let mut lines = vec![format!(
        "4: start={start},size={},type={}",
        SECTORS - start,
        ["5", "f", "85"][random.below(3) as usize]
    )];
    for number in 5..5 + random.below(12) {
        let size = 1 + random.below(200);
        lines.push(format!("{number}: start={at},size={size}"));
        at += size + 1 + random.below(30);
    }
    lines
}

#[test]
fn random_tables_are_read_as_sfdisk_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(1);
    for round in 0..cases(12) as u64 {
        let is_gpt = round % 2 == 0;
        let script = script(&mut random, is_gpt);
        let Some(image) = made(&script, folder.path()) else { return };
        let volumes = read(&image);
        assert_eq!(volumes.scheme, if is_gpt { Scheme::Gpt } else { Scheme::Mbr });
        assert_eq!(found(&volumes), shown(&image, folder.path()), "{script}");
        assert_eq!(volumes.remarks(), [""; 0], "{script}");
        assert!(volumes.partitions.iter().all(|one| one.problem.is_none()), "{volumes:?}");
    }
}

/// Returns a table of sectors of 512 bytes as one of 4,096: all numbers of sectors stay as they are.
fn stretched(image: &[u8]) -> Vec<u8> {
    let mut stretched = vec![0; image.len() * 8];
    stretched[..512].copy_from_slice(&image[..512]);
    let last = SECTORS as usize - 1;
    for (sector, sectors) in [(1, 1), (2, 32), (last - 32, 32), (last, 1)] {
        let length = sectors * 512;
        stretched[sector * 4096..][..length].copy_from_slice(&image[sector * 512..][..length]);
    }
    stretched
}

#[test]
fn sectors_of_4096_bytes_are_found_by_trying() {
    let folder = tempfile::tempdir().unwrap();
    let Some(image) = made(&script(&mut Random(7), true), folder.path()) else { return };
    let (small, mut large) = (read(&image), stretched(&image));
    let volumes = read(&large);
    assert_eq!((volumes.sector, found(&volumes)), (4096, found(&small)));
    let path = folder.path().join("large");
    fs::write(&path, &large).unwrap();
    if let Some((_, out)) = run("mmls", &["-b", "4096", path.to_str().unwrap()], "") {
        let text = String::from_utf8(out).unwrap();
        let starts = |line: &str| {
            let mut words = line.split_whitespace();
            words.nth(1).filter(|slot| slot.parse::<u32>().is_ok()).and(words.next()?.parse().ok())
        };
        let starts: Vec<u64> = text.lines().filter_map(starts).collect();
        assert_eq!(starts, found(&volumes).iter().map(|one| one.0).collect::<Vec<_>>(), "{text}");
    }
    large[4096] = 0;
    let volumes = read(&large);
    assert_eq!((volumes.sector, found(&volumes)), (4096, found(&small)));
    assert_eq!(volumes.remarks(), ["the first GPT is missing: the second was used"]);
}

#[test]
fn an_mbr_of_large_sectors_is_told_by_what_its_partitions_begin_with() {
    let mut image = vec![0; 4 << 20];
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    image[446..462].copy_from_slice(&[0, 0, 0, 0, 0x83, 0, 0, 0, 100, 0, 0, 0, 50, 0, 0, 0]);
    assert_eq!(read(&image).sector, 512);
    image[100 * 4096..][..4].copy_from_slice(b"XFSB");
    let volumes = read(&image);
    assert_eq!(
        (volumes.sector, volumes.partitions[0].start, volumes.partitions[0].size),
        (4096, 409_600, 204_800)
    );
}

#[test]
fn damaged_tables_are_read_from_the_copy_that_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let Some(image) = made(&script(&mut Random(3), true), folder.path()) else { return };
    let expected = found(&read(&image));
    let last = image.len() - 512;
    let sum = "a wrong checksum of its header";
    let table = "a wrong checksum of its table";
    for (at, notes) in [
        (512, vec!["the first GPT is missing: the second was used".to_owned()]),
        (512 + 40, vec![format!("the first GPT has {sum}"), "the second GPT was used".into()]),
        (1024 + 32, vec![format!("the first GPT has {table}"), "the second GPT was used".into()]),
        (last, vec!["the second GPT is missing".into()]),
        (last + 60, vec![format!("the second GPT has {sum}")]),
        (last - 32 * 512 + 5, vec![format!("the second GPT has {table}")]),
        (510, vec!["the protective MBR is missing".into()]),
    ] {
        let mut damaged = image.clone();
        damaged[at] ^= 0x20;
        let volumes = read(&damaged);
        assert_eq!(
            (found(&volumes), volumes.scheme, volumes.remarks()),
            (expected.clone(), Scheme::Gpt, notes)
        );
    }
    let mut grown = image.clone();
    grown.resize(image.len() + 100_000, 0);
    let volumes = read(&grown);
    assert_eq!(
        (found(&volumes), &*volumes.remarks()[0]),
        (expected, "the second GPT has a place before the end of the medium")
    );
}

#[test]
fn copies_that_differ_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let Some(one) = made(&script(&mut Random(3), true), folder.path()) else { return };
    let mut image = made(&script(&mut Random(4), true), folder.path()).unwrap();
    image[..34 * 512].copy_from_slice(&one[..34 * 512]);
    let volumes = read(&image);
    assert_eq!(
        (found(&volumes), volumes.remarks()),
        (
            found(&read(&one)),
            vec!["other programs may find other files: the second GPT differs from the first".to_owned()]
        )
    );
}

#[test]
fn a_hybrid_mbr_is_read_beside_the_gpt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    fs::write(&path, vec![0; 4 << 20]).unwrap();
    let path = path.to_str().unwrap();
    let arguments = ["-a", "1", "-n", "1:40:99", "-n", "2:100:199", "-n", "3:300:399", "-h", "1:3", path];
    if done("sgdisk", &arguments, "").is_none() {
        return;
    }
    let mut image = fs::read(path).unwrap();
    let volumes = read(&image);
    let places = |volumes: &Volumes| -> Vec<_> {
        volumes.partitions.iter().map(|one| (one.start / 512, one.size / 512)).collect()
    };
    assert_eq!((volumes.scheme, places(&volumes)), (Scheme::Hybrid, vec![(40, 60), (100, 100), (300, 100)]));
    assert_eq!(volumes.remarks(), [""; 0]);
    // An entry of the MBR that the GPT does not have.
    let third = (446..510).step_by(16).find(|at| image[at + 8..at + 12] == 300_u32.to_le_bytes()).unwrap();
    image[third + 8..third + 10].copy_from_slice(&500_u16.to_le_bytes());
    let volumes = read(&image);
    assert_eq!(places(&volumes), [(40, 60), (100, 100), (300, 100), (500, 100)]);
    assert_eq!(volumes.remarks(), ["only the MBR names the partition at byte 256000"]);
    // Without the entry that announces the GPT, the MBR counts.
    let protective = (446..510).step_by(16).find(|at| image[at + 4] == 0xee).unwrap();
    image[protective + 4] = 0x83;
    let volumes = read(&image);
    assert_eq!(
        (volumes.scheme, &*volumes.remarks()[0]),
        (
            Scheme::Mbr,
            "other programs may find other files: there is a GPT, too, that the MBR does not announce"
        )
    );
}

#[test]
fn chains_of_logical_partitions_end() {
    let folder = tempfile::tempdir().unwrap();
    let script = "label: dos\n1: start=64,size=10,type=83\n4: start=1000,size=7000,type=5\n\
                  5: start=1010,size=20\n6: start=1050,size=30\n7: start=1100,size=40\n";
    let Some(image) = made(script, folder.path()) else { return };
    let starts =
        |volumes: &Volumes| -> Vec<_> { volumes.partitions.iter().map(|one| one.start / 512).collect() };
    assert_eq!(starts(&read(&image)), [64, 1010, 1050, 1100]);
    let first = 1000 * 512;
    let next =
        |image: &[u8]| u32::from_le_bytes(image[first + 470..first + 474].try_into().unwrap()) as usize;
    let second = (1000 + next(&image)) * 512;
    // The second record leads to itself, to the first, beyond the end, and to no record.
    for (leads, expected) in
        [(next(&image), "itself"), (0, "itself"), (1 << 24, "beyond"), (3, "no boot record")]
    {
        let mut damaged = image.clone();
        damaged[second + 470..second + 474].copy_from_slice(&(leads as u32).to_le_bytes());
        let volumes = read(&damaged);
        assert_eq!(starts(&volumes), [64, 1010, 1050]);
        assert!(matches!(&*volumes.doubts, [Problem::Incomplete(_)]), "{volumes:?}");
        assert!(volumes.remarks().len() == 1 && volumes.remarks()[0].contains(expected), "{volumes:?}");
    }
}

#[test]
fn places_beyond_the_end_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let script = "label: dos\n1: start=64,size=10,type=83\n2: start=8000,size=100,type=83\n";
    let Some(image) = made(script, folder.path()) else { return };
    let volumes = read(&image[..8050 * 512]);
    assert!(volumes.partitions[0].problem.is_none());
    assert!(matches!(volumes.partitions[1].problem, Some(Problem::Beyond)));
}

#[test]
fn a_file_system_where_an_extended_partition_begins_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "label: dos\n1: start=64,size=10,type=83\n2: start=128,size=8000,type=5\n5: start=4000,size=100\n";
    let Some(mut image) = made(script, folder.path()) else { return };
    assert_eq!(read(&image).remarks(), [""; 0]);
    let path = folder.path().join("fat");
    fs::write(&path, vec![0; 3000 * 512]).unwrap();
    if done("mkfs.fat", &["-F", "12", path.to_str().unwrap()], "").is_none() {
        return;
    }
    let fat = fs::read(&path).unwrap();
    image[128 * 512..][..446].copy_from_slice(&fat[..446]);
    image[129 * 512..][..fat.len() - 512].copy_from_slice(&fat[512..]);
    let volumes = read(&image);
    assert_eq!(volumes.partitions.len(), 2);
    let told =
        "other programs may find other files: an extended partition begins as another file system, fat";
    assert_eq!(volumes.remarks(), [told]);
}

#[test]
fn a_file_system_without_a_table_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image");
    for (program, arguments) in [
        ("mkfs.fat", &["-F", "12"][..]),
        ("mkfs.fat", &["-F", "16", "-s", "1", "--mbr=y"]),
        ("mkfs.fat", &["-F", "32"]),
        ("mkfs.ntfs", &["-F", "-q"]),
        ("mkfs.exfat", &[]),
        ("mkfs.ext4", &["-q"]),
    ] {
        fs::write(&path, vec![0; 8 << 20]).unwrap();
        if done(program, &[arguments, &[path.to_str().unwrap()]].concat(), "").is_none() {
            continue;
        }
        let volumes = read(&fs::read(&path).unwrap());
        assert_eq!((volumes.scheme, volumes.partitions.len()), (Scheme::None, 0), "{program} {arguments:?}");
    }
    assert_eq!(read(&[]).scheme, Scheme::None);
    assert_eq!(read(&[0; 600]).scheme, Scheme::None);
}

#[test]
fn a_disc_that_is_a_disk_too_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(place("files")).unwrap();
    fs::write(place("files/one"), [1; 5000]).unwrap();
    fs::write(place("efi"), [2; 100_000]).unwrap();
    let (image, files, efi) = (place("image"), place("files"), place("efi"));
    for options in [
        &["-append_partition", "2", "0xef", &efi][..],
        &["-partition_offset", "16", "-append_partition", "2", "0xef", &efi],
        &["-appended_part_as_gpt", "-partition_offset", "16", "-append_partition", "2", "0xef", &efi],
    ] {
        let arguments = [&["-as", "mkisofs", "-quiet", "-o", &image][..], options, &[&files]].concat();
        if done("xorriso", &arguments, "").is_none() {
            return;
        }
        let image = fs::read(&image).unwrap();
        let volumes = read(&image);
        assert!(volumes.has_whole, "{options:?}");
        assert_eq!(found(&volumes), shown(&image, folder.path()), "{options:?}");
        let efi = volumes.partitions.iter().find(|one| one.kind.starts_with("EFI")).unwrap();
        assert_eq!(image[efi.start as usize..][..100_000], [2; 100_000]);
    }
    fs::write(&image, []).unwrap();
    done("xorriso", &["-as", "mkisofs", "-quiet", "-o", &image, &files], "").unwrap();
    assert_eq!(read(&fs::read(&image).unwrap()).scheme, Scheme::None);
}

#[test]
fn damage_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(9);
    for is_gpt in [true, false] {
        let Some(image) = made(&script(&mut random, is_gpt), folder.path()) else { return };
        for _ in 0..cases(400) {
            let mut damaged = image.clone();
            for _ in 0..1 + random.below(20) {
                let at = random.below(40 * 512) as usize;
                damaged[at] = random.next() as u8;
                let from_end = damaged.len() - 1 - at;
                damaged[from_end] = random.next() as u8;
            }
            let length = damaged.len() - random.below(2) as usize * 700;
            let volumes = read(&damaged[..length]);
            let numbers: Vec<u32> = volumes.partitions.iter().map(|one| one.number).collect();
            assert_eq!(numbers, (1..=numbers.len() as u32).collect::<Vec<_>>());
        }
    }
}
