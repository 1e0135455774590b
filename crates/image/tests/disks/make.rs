//! Random virtual disks made by QEMU.

use crate::util::run;
use hashmill_testing::Random;
use std::path::Path;

/// A disk, and the way it was made.
pub struct Made {
    pub name: String,
    /// The name that QEMU has for its format.
    pub format: &'static str,
    pub made: String,
}

/// Makes media of zeros, text, noise and repeated bytes, in runs of any length.
pub fn raw(random: &mut Random) -> Vec<u8> {
    let sectors = 1 + random.below(*random.clone().pick(&[4, 200, 9000]));
    let mut media = Vec::with_capacity(sectors * 512);
    while media.len() < sectors * 512 {
        let length = 512 * (1 + random.below(*random.clone().pick(&[3, 200, 2000])));
        match random.below(5) {
            0 | 1 => media.resize(media.len() + length, 0),
            2 => media.extend(random.bytes(length)),
            3 => media.extend((0..length).map(|at| b"the same words again and again "[at % 31])),
            _ => media.resize(media.len() + length, random.next() as u8),
        }
    }
    media.truncate(sectors * 512);
    media
}

/// Makes a disk of `in.raw` in a random format.
pub fn disks(folder: &Path, random: &mut Random) -> Made {
    match random.below(10) {
        0..=4 => qcow2(folder, random),
        5 | 6 => vmdk(folder, random),
        7 => simple(
            folder,
            random,
            "vpc",
            &[
                "subformat=dynamic",
                "subformat=fixed",
                "subformat=dynamic,force_size=on",
                "subformat=fixed,force_size=on",
            ],
        ),
        8 => simple(
            folder,
            random,
            "vhdx",
            &[
                "subformat=dynamic",
                "subformat=fixed",
                "subformat=dynamic,block_size=1M",
                "subformat=dynamic,block_size=4M,block_state_zero=off",
                "subformat=dynamic,log_size=2M",
            ],
        ),
        _ => simple(folder, random, "vdi", &["static=off", "static=on"]),
    }
}

fn simple(folder: &Path, random: &mut Random, format: &'static str, options: &[&str]) -> Made {
    let options = random.pick(options);
    let name = format!("disk.{format}");
    run(folder, "qemu-img", &["convert", "-f", "raw", "-O", format, "-o", options, "in.raw", &name]);
    let mut made = format!("{format} {options}");
    if !["fixed", "streamOptimized"].iter().any(|kind| options.contains(kind)) && random.one_in(2) {
        made += &writes(folder, random, format, &name);
    }
    Made { name, format, made }
}

/// Writes and discards parts of a disk.
fn writes(folder: &Path, random: &mut Random, format: &str, name: &str) -> String {
    let size = std::fs::metadata(folder.join("in.raw")).unwrap().len();
    let mut commands = Vec::new();
    for _ in 0..1 + random.below(6) {
        let at = random.below_u64(size / 512) * 512;
        let length = (512 + random.below_u64(400) * 512).min(size - at);
        let what = random.pick(&["write -P 7", "write -P 0x99", "write -z", "discard"]);
        commands.push(format!("{what} {at} {length}"));
    }
    let mut arguments = vec!["-f", format];
    commands.iter().for_each(|command| arguments.extend(["-c", command]));
    run(folder, "qemu-io", &[&arguments[..], &[name]].concat());
    format!(", then {commands:?}")
}

fn vmdk(folder: &Path, random: &mut Random) -> Made {
    let kinds = [
        "monolithicSparse",
        "monolithicFlat",
        "twoGbMaxExtentSparse",
        "twoGbMaxExtentFlat",
        "streamOptimized",
        "monolithicSparse,zeroed_grain=on",
        "streamOptimized,compat6=on",
    ];
    simple(
        folder,
        random,
        "vmdk",
        &kinds.map(|kind| format!("subformat={kind}")).each_ref().map(String::as_str),
    )
}

fn qcow2(folder: &Path, random: &mut Random) -> Made {
    let bits = 9 + random.below(13);
    let mut options = vec![format!("cluster_size={}", 1 << bits)];
    let later = random.below(4) > 0;
    options.push(format!("compat={}", if later { "1.1" } else { "0.10" }));
    let packed = random.one_in(3);
    if later {
        if bits >= 14 && random.one_in(3) {
            options.push("extended_l2=on".into());
        }
        if random.one_in(2) {
            options.push("compression_type=zstd".into());
        }
        options.push(format!("refcount_bits={}", 1 << random.below(7)));
        if random.one_in(4) {
            options.push("lazy_refcounts=on".into());
        }
    }
    if !packed {
        options.push(format!("preallocation={}", random.pick(&["off", "metadata", "falloc", "full"])));
    }
    let options = options.join(",");
    let mut arguments = vec!["convert", "-f", "raw", "-O", "qcow2", "-o", &options];
    if packed {
        arguments.push("-c");
    }
    run(folder, "qemu-img", &[&arguments[..], &["in.raw", "disk.qcow2"]].concat());
    let mut made = format!("qcow2 {options} {}", if packed { "-c" } else { "" });
    // Snapshots raise reference counts, which need more than a bit.
    let counted = !options.contains("refcount_bits=1,") && !options.ends_with("refcount_bits=1");
    for number in 0..random.below(3) {
        if counted && number > 0 {
            run(folder, "qemu-img", &["snapshot", "-c", &format!("s{number}"), "disk.qcow2"]);
            made += ", snapshot";
        }
        made += &writes(folder, random, "qcow2", "disk.qcow2");
    }
    Made { name: "disk.qcow2".into(), format: "qcow2", made }
}
