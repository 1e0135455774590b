//! Changed bytes: no panic, no hang, and what is read without problems in both ways is alike.

use super::vhdx::seal;
use crate::util::{installed, options, run};
use hashmill_image::{Image, Window};
use hashmill_testing::Random;
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

/// Larger media only take more time.
const MOST_MEDIA: u64 = 32 << 20;

/// The number of changed copies of each disk.
const COPIES: usize = 60;

const DISKS: &[(&str, &str)] = &[
    ("qcow2", "cluster_size=512,compat=0.10"),
    ("qcow2", "cluster_size=16384,extended_l2=on"),
    ("qcow2 -c", "cluster_size=4096,compression_type=zstd"),
    ("qcow2 -c", "cluster_size=4096"),
    ("vmdk", "subformat=monolithicSparse"),
    ("vmdk", "subformat=streamOptimized"),
    ("vmdk", "subformat=twoGbMaxExtentSparse"),
    ("vpc", "subformat=dynamic"),
    ("vpc", "subformat=fixed"),
    ("vhdx", "subformat=dynamic,block_size=1M"),
    ("vdi", "static=off"),
];

#[test]
#[ignore = "campaign: takes long"]
fn changed_disks_are_read_or_refused() {
    if installed("qemu-img").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut source = Random(2).bytes(150 << 10);
    source.extend(b"words ".repeat(20_000));
    source.resize(400 << 10, 0);
    fs::write(folder.join("in.raw"), source).unwrap();
    for (number, (format, settings)) in DISKS.iter().enumerate() {
        let (name, packed) =
            format.split_once(' ').map_or((*format, None), |(name, flag)| (name, Some(flag)));
        let mut arguments = vec!["convert", "-f", "raw", "-O", name, "-o", settings];
        arguments.extend(packed);
        run(folder, "qemu-img", &[&arguments[..], &["in.raw", "disk"]].concat());
        if name == "qcow2" {
            run(folder, "qemu-img", &["snapshot", "-c", "s", "disk"]);
        }
        let bytes = fs::read(folder.join("disk")).unwrap();
        // Where something is stored, above all at the start and the end, where headers and tables are.
        let stored: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
        let tables: Vec<usize> =
            stored.iter().copied().filter(|at| *at < 4096 || is_table(&bytes, *at)).collect();
        for seed in 0..hashmill_testing::cases(COPIES) as u64 {
            let mut random = Random(seed << 8 | number as u64);
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let places = if random.one_in(3) { &stored } else { &tables };
                let at = *random.pick(places);
                match random.below(4) {
                    0 => changed[at] = random.next() as u8,
                    1 => changed[at] ^= 1 << random.below(8),
                    2 => changed[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
                    _ => {
                        let length = random.below(at);
                        changed.truncate(if random.one_in(8) { length } else { bytes.len() });
                        changed.resize(bytes.len(), 0);
                    }
                }
            }
            if name == "vhdx" {
                [64 << 10, 128 << 10].iter().for_each(|at| seal(&mut changed[*at..*at + 4096]));
                [192 << 10, 256 << 10].iter().for_each(|at| seal(&mut changed[*at..*at + 65536]));
            }
            fs::write(folder.join("disk"), &changed).unwrap();
            read(&folder.join("disk"));
        }
    }
}

/// Whether a byte is in a sector of which most bytes are zeros or all are equal: a table rather than noise.
fn is_table(bytes: &[u8], at: usize) -> bool {
    let sector = &bytes[at / 512 * 512..(at / 512 * 512 + 512).min(bytes.len())];
    sector.iter().filter(|byte| **byte == 0 || **byte == 0xff).count() > 100
}

fn read(path: &Path) {
    let Ok(image) = Image::open(path) else { return };
    assert!(image.chunk_size() > 0);
    let _ = image.info();
    if image.media_size() > MOST_MEDIA {
        return;
    }
    let (mut window, mut whole) = (Window::default(), vec![0; image.media_size() as usize]);
    let at_once = image.read_at(0, &mut whole, &mut window);
    let mut in_order = Vec::new();
    let ordered = image.reader().read_to_end(&mut in_order);
    assert_eq!(at_once.is_ok(), ordered.is_ok(), "{at_once:?} {ordered:?}");
    if at_once.is_ok() {
        assert!(whole == in_order);
    }
    let verification = hashmill_image::verify(&image, &options(), &|_| ControlFlow::Continue(())).unwrap();
    assert!(at_once.is_ok() || !verification.findings.is_empty());
}
