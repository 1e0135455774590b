# hashloom: `make run DIR=some/folder` builds and hashes a folder, `make test` checks everything.

DIR ?= .
PREFIX ?= /usr/local
NAMES := hashdeep md5deep sha1deep sha256deep tigerdeep whirlpooldeep
BIN := target/release/hashloom

.PHONY: build run test fuzz bench install clean

build:
	@scripts/setup build
	@cargo build --release --locked --quiet -p hashloom

# Hashes DIR and shows the manifest.
run: build
	@$(BIN) hash --stats $(DIR)

# Formatting, lints, documentation, and every test: unit, property, differential and end to end.
test:
	@scripts/setup test
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	cargo test --workspace --locked

# Benchmarks against the tools that are installed.
bench: build
	cargo bench --workspace --locked

install: build
	install -Dm755 $(BIN) $(DESTDIR)$(PREFIX)/bin/hashloom
	for name in $(NAMES); do ln -sf hashloom $(DESTDIR)$(PREFIX)/bin/$$name; done

clean:
	cargo clean
