# hashmill: `make run DIR=some/folder` builds and hashes a folder, `make test` tests what was built.

DIR ?= .
PREFIX ?= /usr/local
DEBUGDIR ?= /usr/lib/debug
NAMES := hashdeep md5deep sha1deep sha256deep tigerdeep whirlpooldeep
MAIN := target/quick/hashmill
RELEASE := target/release/hashmill
BIN := target/dist/hashmill

.PHONY: build main static windows macos release run regenerate test test-all test-campaigns test-python test-spark-quick test-systems test-docs lint sources test-static test-windows test-arm64 test-s390x test-spark test-features test-release test-judges test-archives test-peers test-rot compare-rot fuzz bench bench-full bench-crates install debuginfo deb tarball crates wheel wheel-musl wheel-windows clean

# The program with all its parts, as packages have it.
build:
	@scripts/setup build
	@scripts/build --profile dist -p hashmill

# The program with what hashing, audits and text lists need, in a few minutes.
main:
	@scripts/setup build
	@scripts/build --profile quick -p hashmill --no-default-features --features command

# The program with all its parts as one file that needs nothing else, for any Linux: its C library (musl) is in it. ARCH is
# x86_64 or aarch64.
ARCH ?= $(shell uname -m)
STATIC := target/foreign/$(ARCH)-unknown-linux-musl/dist/hashmill
static:
	@scripts/setup build
	@scripts/cross $(ARCH)-unknown-linux-musl build --profile dist --locked --quiet -p hashmill

# The program for Windows (hashmill.exe) and for macOS, for Intel's processors or Apple's.
windows:
	@scripts/setup build
	@scripts/cross x86_64-pc-windows-gnu build --profile dist --locked --quiet -p hashmill

macos:
	@scripts/setup build
	@scripts/cross aarch64-apple-darwin build --profile dist --locked --quiet -p hashmill
	@scripts/cross x86_64-apple-darwin build --profile dist --locked --quiet -p hashmill

# Hashes DIR and shows the manifest.
run: main
	@$(MAIN) hash --stats $(DIR)

# Formatting, lints, and all tests that take seconds: unit, property, known-answer, differential and end to end, for this machine.
# What is installed is fetched beside what compiles.
test:
	@scripts/setup lint
	@scripts/timed "sources checked, programs to compare with installed, tests built" \
	    scripts/beside 'scripts/setup test' '$(MAKE) -s sources && scripts/linted cargo test --workspace --locked --no-run'
	@scripts/timed "tests" scripts/linted scripts/run-tests

# All the rest that fits into a run of CI (docs/testing.md): campaigns, servers and emulators, Python's libraries, other systems,
# documents.
test-all:
	@scripts/setup lint
	@scripts/timed "everything to compare with installed" scripts/setup all
	@failed=0; $(foreach part,$(PARTS),scripts/timed "$(part)" $(MAKE) -s test-$(part) || failed=1;) exit $$failed
PARTS := campaigns python systems features docs

test-campaigns:
	scripts/linted scripts/run-tests --campaigns

test-python:
	scripts/linted scripts/test-python

test-spark-quick:
	scripts/linted scripts/test-spark quick

# A program for Windows, by wine: what calls the system, and a few tests from end to end. The crates compile for macOS.
test-systems:
	scripts/test-windows quick
	scripts/cross aarch64-apple-darwin check --locked --quiet -p hashmill-source

test-docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

# Formatting, lints, and documentation that compiles, without any test.
lint: sources
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

# What can be said of the sources without compiling them.
sources:
	grep -lsZ '^#!/bin/sh' scripts/* .ci/run | xargs -0 -n 1 sh -n
	cargo fmt --all --check
	scripts/circles
	scripts/english
	scripts/names
	scripts/seams

# A wheel for Python: the module, which has the command in it. It is tried in a fresh environment. zig links it with an old glibc,
# so that it can be installed on systems since 2014 (Debian 8, RHEL 7).
PYTHON = python3
wheel:
	@scripts/setup build
	rm -f target/wheels/hashmill-*-manylinux*_$(ARCH).whl
	scripts/cross $(ARCH)-unknown-linux-gnu maturin build --profile dist --locked --compatibility manylinux_2_17 \
	    -m crates/python/Cargo.toml --out target/wheels --interpreter $(PYTHON)
	[ $(ARCH) != $$(uname -m) ] || scripts/test-python wheel

# The same for systems with musl (Alpine), for ARCH. It is not installed and tried: that takes a Python there.
wheel-musl:
	@scripts/setup build
	rm -f target/wheels/hashmill-*-musllinux*_$(ARCH).whl
	scripts/cross $(ARCH)-unknown-linux-musl maturin build --profile dist --locked --compatibility musllinux_1_2 \
	    -m crates/python/Cargo.toml --out target/wheels --interpreter $(PYTHON)

# The same for Python on Windows (x86-64).
wheel-windows:
	@scripts/setup build
	rm -f target/wheels/hashmill-*-win_amd64.whl
	scripts/cross x86_64-pc-windows-gnu maturin build --profile dist --locked -m crates/python/Cargo.toml --out target/wheels \
	    --interpreter $(PYTHON)

# Writes what is generated and stored: help and other output that tests compare with, and tables in docs.
regenerate:
	HASHMILL_REGENERATE=1 cargo test --quiet --locked -p hashmill --test main -- generated:: tour:: hash::every_format_is_as_stored hash::pieces_come_before_their_file
	scripts/picture docs/tour/02-what-changed.txt > docs/tour/terminal.svg
	scripts/film docs/tour/*.txt > docs/tour/tour.cast
	git --no-pager diff --stat -- docs crates/cli/tests/golden

# The core crates' tests on another processor, by an emulator: lanes of NEON; the other byte order.
test-arm64:
	@scripts/test-on aarch64

test-s390x:
	@scripts/test-on s390x

# Static programs, each alone in an empty folder: for this machine, and for arm64 by an emulator. That for this machine passes all
# end-to-end tests in place of the usual one.
test-static:
	@scripts/cross x86_64-unknown-linux-musl test --locked --quiet --lib -p hashmill-os -p hashmill-mapped -p hashmill-source
	@scripts/test-static x86_64
	@scripts/test-program linux target/foreign/x86_64-unknown-linux-musl/debug/hashmill
	@scripts/test-static aarch64

# What runs on Windows, by wine: tests of the crates, the end-to-end tests, 2,000 random trees, the wheel.
test-windows:
	@scripts/test-windows

# Clusters on this machine whose workers are killed, lakes, servers that fail: what is too long for every day.
test-spark:
	@scripts/test-spark

# The library alone, and the command without its parts and with each of them alone.
test-features:
	scripts/features

# Everything that people install, built in two folders: the same bytes.
test-release:
	@scripts/test-release

# Many more random cases than `make test` compares with the reference programs: 8,000 crafted signatures for ssh-keygen and
# minisign, 30,000 command lines for hashdeep, 10,000 lists for `check` and `audit`.
test-judges:
	HASHMILL_CASES=8 cargo test --locked -p hashmill-sign --test main -- programs:: --include-ignored
	HASHMILL_CASES=55 cargo test --workspace --locked --test hashdeep --test main -- random:: judge:: --include-ignored

# Archives of random trees, some 10,000, by every program that is here: their members are those of the trees. With FOLDERS, also
# archives that are in them, as modules of Python read them.
FOLDERS =
test-archives: build
	scripts/test-archives $(BIN) made 10000
	[ -z "$(FOLDERS)" ] || scripts/test-archives $(BIN) found $(FOLDERS)

# The suites of other programs, which are fetched once: archives, images, lists, digests. The counts go into docs/conformance.md.
test-peers: build
	scripts/test-peers $(BIN)

# Bits flipped below file systems in images (ext4, xfs, btrfs), and runs that are killed. Takes root, loop devices, and the programs
# that make these file systems.
test-rot:
	@scripts/setup build
	@cargo build --release --locked --quiet -p hashmill --no-default-features --features command,tables
	@scripts/test-rot $(RELEASE)

# The same damage for other programs that watch files, those that are in PEERS or installed: the table of docs/scrub.md.
PEERS =
compare-rot:
	@scripts/setup build
	@cargo build --release --locked --quiet -p hashmill --no-default-features --features command,tables
	@scripts/compare-rot $(RELEASE) $(PEERS)

# Fuzzes every parser of what comes from outside, each for SECONDS.
SECONDS = 60
fuzz:
	@fuzz/run $(SECONDS)

# Every benchmark of benchmarks/, with the tools that are installed: results for this machine and this day.
bench: build
	@benchmarks/run $(BIN)

# The same at the sizes that the sources used: files of 1 GiB, the whole mix of documents. Takes hours.
bench-full: build
	@benchmarks/run --full $(BIN)

# The benchmarks of the crates: kernels, likeness, reading, and whole trees beside other tools and their limit.
bench-crates: build
	cargo bench --workspace --locked

# The program with its man pages and completions. What a backtrace needs to name lines stays out of it (make debuginfo).
SHARE = $(DESTDIR)$(PREFIX)/share
# Debian's zsh looks for those of packages in a folder of their own.
ZSH = $(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# How packages are made of a program that is stripped already, and may be for another processor.
STRIP = -s
EMULATOR =
# The program that writes the manual: one that runs here.
GUIDE = $(BIN)
install: build
	install -D -m755 $(STRIP) $(BIN) $(DESTDIR)$(PREFIX)/bin/hashmill
	for name in $(NAMES); do ln -sf hashmill $(DESTDIR)$(PREFIX)/bin/$$name; done
	$(EMULATOR) $(GUIDE) man --all $(SHARE)/man/man1
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/$(ZSH) $(SHARE)/fish/vendor_completions.d
	$(EMULATOR) $(GUIDE) completions bash > $(SHARE)/bash-completion/completions/hashmill
	$(EMULATOR) $(GUIDE) completions zsh > $(SHARE)/zsh/$(ZSH)/_hashmill
	$(EMULATOR) $(GUIDE) completions fish > $(SHARE)/fish/vendor_completions.d/hashmill.fish

# Line tables of the installed program, where debuggers, perf and its own backtraces look for them.
DEBUG = $(DESTDIR)$(DEBUGDIR)/.build-id
debuginfo: build
	id=$$(readelf -n $(BIN) | sed -n 's/.*Build ID: *//p'); file=$(DEBUG)/$$(echo $$id | sed 's|^..|&/|').debug; \
	install -d "$${file%/*}" && objcopy --only-keep-debug --compress-debug-sections=zlib $(BIN) "$$file"

# Packages, in DIST: for Debian, and an archive for any Linux with checksums that KEY signs (a key of OpenSSH or minisign).
DIST ?= target/packages
deb: build
	@scripts/package deb $(BIN) $(DIST)

tarball: static
	@scripts/package tarball $(STATIC) $(DIST)
	@scripts/package sums $(STATIC) $(DIST) $(KEY)

# Everything that people install, in DIST, with SHA256SUMS that KEY signs. The same sources give the same bytes in any folder.
release:
	@scripts/release $(DIST) $(KEY)

# The crates as a registry would take them, from bottom to top; nothing is uploaded.
crates:
	cargo publish --workspace --exclude hashmill-fuzz --exclude hashmill-testing --dry-run --locked

clean:
	cargo clean
