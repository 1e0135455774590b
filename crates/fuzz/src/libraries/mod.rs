//! Targets that are built on large libraries: images, archives, sets and signatures.

mod archives;
mod disks;
mod image;
mod known;
mod model;
mod sign;

use crate::targets::{Target, target};

/// The targets.
pub(crate) static TARGETS: &[Target] = &[
    target(
        "archive",
        300,
        &[b"\xff\xff\xff\xff\0\0\0\x80", b"PK\x01\x02\x05\x06 77777777777"],
        archives::whole,
    ),
    target("compressed", 300, &[b"\xff\xff\xff\xff\0\0\0\x80"], archives::whole),
    target("parts", 20, &[b"\xff\xff\xff\xff\0\0\0\x80"], archives::parts),
    target("image", 400, &[b"\0\0\0\0\0\0\0\x80", b"\xff\xff\xff\xff"], image::image),
    target("qcow2", 150, NUMBERS, disks::disk),
    target(
        "vmdk",
        150,
        &[b"\xff\xff\xff\xff", b"RW 1 SPARSE FLAT \"a\" ../ZERO\n", b"\n--\n"],
        disks::several,
    ),
    target("vhd", 200, NUMBERS, disks::disk),
    target("vhdx", 100, NUMBERS, disks::vhdx),
    target("vdi", 200, NUMBERS, disks::disk),
    target("aff4", 400, &[b"\xff\xff\xff\xff\0\0\0\x80", b"aff4:Map <> \"9\"^^ ;,."], disks::aff4),
    target("logical", 300, &[b"\t1 0 ff\n26\t1\n"], image::logical),
    target("known_index", 1000, &[b"\xff\xff\xff\xff\0\0\0\x80"], known::index),
    target("known_damage", 1000, &[b"\0\0\0"], known::damage),
    target("known_zip", 150, &[b"PK\x01\x02\xff\xff\xff\xff"], known::zip),
    target("known_rds", 150, &[b"\x0d\0\0\xff\xff"], known::rds),
    target("known_delta", 150, &[b"';--/*(),"], known::delta),
    target("known_products", 150, &[b"\"\t,;|\n\0"], known::products),
    target("model", 1000, &[b"\":,{}[]\\../0"], model::model),
    target("sign", 400, &[b"\x30\x84\xff\xff\xff\xff\"\n"], sign::sign),
    target("allowed_signers", 4000, &[b"\"\n\\\",\0namespaces=\""], sign::allowed_signers),
    target("stamp", 400, &[b"\x30\x84\xff\xff\xff\xff"], sign::stamp),
];

/// Numbers of both byte orders that are often out of range.
const NUMBERS: &[&[u8]] = &[b"\xff\xff\xff\xff", b"\0\0\0\0\0\0\0\x80", b"\0\0\x10\0\0\0\x01\0"];
