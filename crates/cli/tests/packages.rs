//! The packages that `make deb` makes.

use crate::case;
use crate::util::Place;
use std::path::Path;

case!(
    #[ignore = "campaign: takes long"]
    debian_has_nothing_to_say_of_the_packages,
    |t| {
        let program = crate::util::tested();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/package");
        if t.other("dpkg-shlibdeps", "--version").is_none() {
            return;
        }
        t.shell(&format!("LEVEL=0 '{}' deb '{program}' \"$PWD\"", script.display())).code(0);
        t.shell("dpkg-deb -x hashmill_*.deb x && dpkg-deb -x hashmill-hashdeep_*.deb x").code(0).quiet();
        assert!(t.has("x/usr/share/zsh/vendor-completions/_hashmill"));
        assert!(t.has("x/usr/share/man/man1/whirlpooldeep.1.gz"));
        t.shell("x/usr/bin/sha1deep -v").code(0).prints("4.4");
        t.shell("readelf -h x/usr/bin/hashmill").code(0).prints("DYN (Position-Independent");
        units(t);
        if t.other("lintian", "--version").is_none() {
            return;
        }
        t.shell("lintian --fail-on error,warning *.deb").code(0);
    }
);

/// Checks the units: systemd takes them, none is enabled, and the state is no file of the package.
fn units(t: &Place) {
    let folder = "x/usr/lib/systemd/system";
    assert!(t.has("x/usr/share/doc/hashmill/examples/hashmill-scrub-example"));
    t.shell("test ! -e x/etc && test ! -e x/var").code(0);
    t.shell("dpkg-deb -e hashmill_*.deb e && for script in e/postinst e/prerm e/postrm; do sh -n $script || exit; done").code(0);
    t.shell("! grep -l /var/lib e/*").code(0).quiet();
    if t.other("systemd-analyze", "--version").is_none() {
        return;
    }
    // It looks for the program and the manual where the package puts them.
    t.shell(&format!(
        "mkdir units && for kind in service timer; do \
         sed 's|/usr/bin/hashmill|'$PWD'/x/usr/bin/hashmill|' {folder}/hashmill-scrub@.$kind > units/hashmill-scrub@night.$kind; done"
    ))
    .code(0);
    t.shell(
        "systemd-analyze verify --man=no units/hashmill-scrub@night.service units/hashmill-scrub@night.timer",
    )
    .code(0)
    .quiet();
    // The command line is one that the program takes.
    let line =
        "sed -n 's/^ExecStart=//p' units/hashmill-scrub@night.service | sed 's|%S|'$PWD'|; s|%i|night|g'";
    t.file("tree/a b/c", "content").shell("mkdir hashmill").code(0);
    t.shell(&format!(
        "OPTIONS='--budget 2h --max-age 90d' FOLDERS=\"$PWD/tree\"; eval \"$({line})\" && test -s hashmill/night.state"
    ))
    .code(0);
}
