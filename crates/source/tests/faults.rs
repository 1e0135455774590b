//! Faults of the fault library in writing, which tests of other crates rely on.

use crate::common::{Folder, under_faults};

#[test]
fn writes_fail_after_so_many_bytes() {
    let folder = Folder::new("writes");
    for name in ["a", "b", "c"] {
        folder.file(name, "");
    }
    let arguments = [folder.path().as_os_str()];
    let whole = under_faults("walk", &[], &arguments);
    assert!(whole.status.success() && whole.stdout.len() > 30);
    for errno in ["ENOSPC", "EPIPE"] {
        for after in [0, 1, 30] {
            let after_text = after.to_string();
            let faults = [
                ("FAULT_WRITE_PATH", "pipe:["),
                ("FAULT_WRITE_AFTER", &*after_text),
                ("FAULT_WRITE_ERRNO", errno),
            ];
            let broken = under_faults("walk", &faults, &arguments);
            assert!(!broken.status.success());
            assert!(broken.stdout == whole.stdout[..after], "{errno} {after}");
        }
    }
    let elsewhere = [("FAULT_WRITE_PATH", "/nowhere"), ("FAULT_WRITE_AFTER", "0")];
    assert!(under_faults("walk", &elsewhere, &arguments).stdout == whole.stdout);
}
