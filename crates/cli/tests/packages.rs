//! The packages that `make deb` makes.

use crate::case;
use std::path::Path;

case!(debian_has_nothing_to_say_of_the_packages, |t| {
    let program = crate::util::tested();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/package");
    if t.other("dpkg-shlibdeps", "--version").is_none() {
        return println!("skipped: dpkg-shlibdeps is not installed");
    }
    t.shell(&format!("'{}' deb '{program}' \"$PWD\"", script.display())).code(0);
    t.shell("dpkg-deb -x hashloom_*.deb x && dpkg-deb -x hashloom-hashdeep_*.deb x").code(0).quiet();
    assert!(t.has("x/usr/share/zsh/vendor-completions/_hashloom"));
    assert!(t.has("x/usr/share/man/man1/whirlpooldeep.1.gz"));
    t.shell("x/usr/bin/sha1deep -v").code(0).prints("4.4");
    t.shell("readelf -h x/usr/bin/hashloom").code(0).prints("DYN (Position-Independent");
    if t.other("lintian", "--version").is_none() {
        return println!("skipped: lintian is not installed");
    }
    t.shell("lintian --fail-on error,warning *.deb").code(0);
});
