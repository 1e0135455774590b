//! Forensic images: verified and exported.

use crate::util::Lab;
use hashmill_content::imaging::{Export, ImageEvent, ImageVerification, OpenOptions, Refusal, info, open};
use hashmill_content::output::To;
use hashmill_content::{BackingFiles, Inside, Resources, Selection};
use hashmill_image::ImageVerdict;
use hashmill_source::{Problem, Reader, Reading, WalkItem};
use hashmill_testing::installed;
use hashmill_testing::samples::ewf::Writer;
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// An image of some media, whose MD5 it stores, and the media.
fn lab() -> Lab {
    let lab = Lab::new();
    let media = vec![7_u8; 64 * 512];
    let mut image = Writer::new(1);
    image.volume(1, 64, 512, 64).chunks(&[&media]).md5(&media).section("done", &[]);
    image.save(&lab.path("."), "image.E01");
    fs::write(lab.path("raw"), &media).unwrap();
    lab
}

#[test]
fn images_are_verified_and_others_refused() {
    let lab = lab();
    assert_eq!(info(&lab.path("image.E01"), &OpenOptions::default()).unwrap().media_size, 64 * 512);
    let images = ["none", "raw", "image.E01"].map(|name| lab.path(name)).to_vec();
    let job = ImageVerification { images, ..ImageVerification::default() };
    let mut words = Vec::new();
    let summary = job.run(&mut |event| {
        match event {
            ImageEvent::Refused(_, refusal) => words.push(refusal.word()),
            ImageEvent::Checked(_, checked) => {
                words.push(if checked.segments.len() == 1 { "checked" } else { "" })
            }
            _ => {}
        }
        Continue(())
    });
    assert_eq!(words, ["unreadable", "not-an-image", "checked"]);
    assert_eq!((summary.refused, summary.verdicts), (2, vec![ImageVerdict::Verified]));
    let stopped = job.run(&mut |event| match event {
        ImageEvent::Refused(_, Refusal::Open(_)) => Break(()),
        _ => Continue(()),
    });
    assert!(stopped.interrupted);
    job.cancel.set();
    assert!(job.run(&mut |_| Continue(())).interrupted);
}

#[test]
fn the_media_come_back_whole_or_not_at_all() {
    let lab = lab();
    let image = open(&lab.path("image.E01"), &OpenOptions::default()).unwrap();
    let export = |name: &str| Export {
        to: To::File(lab.path(name).into()),
        force: false,
        resources: Default::default(),
        cancel: Default::default(),
    };
    let exported = export("media").run(&image, &mut |_| Continue(())).unwrap();
    assert!(exported.written && exported.summary.findings.is_empty());
    assert!(fs::read(lab.path("media")).unwrap() == fs::read(lab.path("raw")).unwrap());
    let job = export("cancelled");
    job.cancel.set();
    assert!(job.run(&image, &mut |_| Continue(())).unwrap().summary.interrupted);
    assert!(!lab.path("cancelled").exists());
}

#[test]
fn a_layer_is_changed_if_its_backing_file_is() {
    if installed("qemu-img").is_none() {
        return;
    }
    let lab = lab();
    let create = ["create", "-q", "-f", "qcow2", "-b", "raw", "-F", "raw", "layer.qcow2"];
    let made = Command::new("qemu-img").args(create).current_dir(lab.path(".")).status().unwrap();
    assert!(made.success());
    let selection = Selection {
        inside: Inside { media: true, ..Inside::default() },
        backing: BackingFiles::new(vec![lab.path("raw")]).unwrap(),
        ..Selection::from_paths([lab.path("layer.qcow2")])
    };
    let Some(WalkItem::File(entry)) = selection.open(&Resources::default()).unwrap().entries.next() else {
        panic!("the layer is an entry")
    };
    let read = |change: bool| {
        let mut reader = Reader::open(&entry, &Reading::default()).unwrap();
        let mut media = vec![0; 64 * 512 + 1];
        let mut read = 0;
        while let Some(more) = Some(reader.read(&mut media[read..]).unwrap()).filter(|more| *more > 0) {
            read += more;
        }
        assert!(media[..read] == [7; 64 * 512]);
        if change {
            let base = fs::File::options().append(true).open(lab.path("raw")).unwrap();
            base.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
        }
        reader.finish(read as u64)
    };
    read(false).unwrap();
    assert!(matches!(read(true).unwrap_err().problem, Problem::Changed { .. }));
    read(false).unwrap();
}

/// Tests with symbolic links.
#[cfg(unix)]
mod of_links {
    use super::*;
    use hashmill_source::Entry;
    use std::os::unix::fs::symlink;

    #[test]
    fn an_image_is_not_read_through_a_link_that_came_after_the_walk() {
        let lab = lab();
        fs::create_dir_all(lab.path("outside")).unwrap();
        fs::rename(lab.path("image.E01"), lab.path("outside/image.E01")).unwrap();
        for name in ["tree/deep", "tree/deep/image.E01"] {
            fs::create_dir_all(lab.path("tree/deep")).unwrap();
            fs::copy(lab.path("outside/image.E01"), lab.path("tree/deep/image.E01")).unwrap();
            let read =
                |entry: &Entry| Reader::open(entry, &Reading::default()).map(|reader| reader.meta().size);
            let selection = Selection { inside: Inside { media: true, ..Inside::default() }, ..lab.tree() };
            let entry = selection.open(&Resources::default()).unwrap().entries.find_map(image).unwrap();
            assert_eq!(read(&entry).unwrap(), 64 * 512);
            // Somebody puts a link in the place of the image, or of its folder.
            let target = if name.ends_with("E01") { "outside/image.E01" } else { "outside" };
            fs::rename(lab.path(name), lab.path("away")).unwrap();
            symlink(lab.path(target), lab.path(name)).unwrap();
            assert!(read(&entry).is_err(), "{name}");
            fs::remove_file(lab.path(name)).unwrap();
            let _ = fs::remove_dir_all(lab.path("away")).or_else(|_| fs::remove_file(lab.path("away")));
        }
    }

    /// The entry of an image among what was found.
    fn image(found: WalkItem) -> Option<Entry> {
        match found {
            WalkItem::File(entry) if entry.path.ends_with(b"image.E01") => Some(entry),
            _ => None,
        }
    }
}
