//! Lists of packages: lock files of package managers. Their digests are of downloaded archives and not of local files,
//! so they are refused by name. Those of npm are read, by [`crate::format::json::npm`]: their digests are of whole files, whose names follow.
//!
//! To add one: a row here, and a sample in `tests/programs.rs`.

use crate::format::document::{Document, FirstLines};
use crate::format::json::npm::is_bun;
use crate::format::json::objects::has_keys;

/// All lists of packages that are refused by name; the first match counts.
pub static PACKAGES: &[Document] = &[
    Document {
        name: "a bun.lock",
        advice: "it lists packages, not files: bun install --frozen-lockfile verifies them",
        is: |first| has_keys(first.bytes, &["lockfileVersion"]) && is_bun(first.bytes),
    },
    Document {
        name: "a yarn.lock",
        advice: "it lists packages, not files: yarn install --frozen-lockfile verifies them (yarn install --immutable since version 2)",
        is: |first| {
            has_line(first, b"__metadata:") || first.starts(b"# ") && first.has(b"\n# yarn lockfile v1\n")
        },
    },
    Document {
        name: "a pnpm-lock.yaml",
        advice: "it lists packages, not files: pnpm install --frozen-lockfile verifies them",
        is: |first| has_start(first, &[b"lockfileVersion:"]),
    },
    Document {
        name: "a composer.lock",
        advice: "it lists packages, not files: composer install verifies them",
        is: |first| has_keys(first.bytes, &["content-hash", "packages"]),
    },
    Document {
        name: "a Pipfile.lock",
        advice: "it lists packages, not files: pipenv sync verifies them",
        is: |first| has_keys(first.bytes, &["_meta", "pipfile-spec"]),
    },
    Document {
        name: "a lock file of Python packages (poetry.lock, uv.lock, pdm.lock, pylock.toml)",
        advice: "it lists packages, not files: poetry install, uv sync or pdm sync verifies them",
        is: |first| {
            let python: [&[u8]; 6] = [
                b"requires-python",
                b"python-versions",
                b"lock-version",
                b"content-hash",
                b"content_hash",
                b"[[packages]]",
            ];
            is_toml(first) && has_start(first, &python)
        },
    },
    Document {
        name: "a Cargo.lock",
        advice: "it lists packages, not files: cargo build --locked verifies them",
        is: |first| is_toml(first),
    },
    Document {
        name: "a list of requirements with hashes of pip",
        advice: "it lists packages, not files: pip install --require-hashes verifies them",
        is: |first| first.line(|line| has(line, b"--hash=sha") || has(line, b"--hash=md5:")),
    },
    Document {
        name: "a Gemfile.lock",
        advice: "it lists packages, not files: bundle install verifies them",
        is: |first| {
            ["GEM", "PATH", "GIT"].iter().any(|part| has_line(first, part.as_bytes()))
                && has_line(first, b"  specs:")
        },
    },
    Document {
        name: "a Podfile.lock",
        advice: "it lists packages, not files: pod install --deployment verifies them",
        is: |first| {
            has_start(first, &[b"PODS:"])
                && has_start(first, &[b"PODFILE CHECKSUM:", b"SPEC CHECKSUMS:", b"DEPENDENCIES:"])
        },
    },
    Document {
        name: "a pubspec.lock",
        advice: "it lists packages, not files: dart pub get --enforce-lockfile verifies them",
        is: |first| {
            has_line(first, b"packages:")
                && first.line(|line| line.trim_ascii_start().starts_with(b"dependency: "))
        },
    },
    Document {
        name: "a packages.lock.json of NuGet",
        advice: "it lists packages, not files: dotnet restore --locked-mode verifies them",
        is: |first| has_keys(first.bytes, &["resolved", "contentHash"]),
    },
    Document {
        name: "a Package.resolved of Swift",
        advice: "it lists packages by their commits, not files: swift package resolve fetches them",
        is: |first| has_keys(first.bytes, &["pins"]) && has_keys(first.bytes, &["revision"]),
    },
    Document {
        name: "a flake.lock",
        advice: "it lists inputs of Nix, not files: nix flake metadata verifies them",
        is: |first| has_keys(first.bytes, &["nodes", "narHash"]),
    },
    Document {
        name: "a deno.lock",
        advice: "it lists modules by their addresses, not files: deno install --frozen verifies them",
        is: |first| {
            let parts = ["npm", "jsr", "remote"];
            has_keys(first.bytes, &["version"]) && parts.iter().any(|key| has_keys(first.bytes, &[key]))
        },
    },
    Document {
        name: "a lock file of Terraform",
        advice: "it lists providers, not files: terraform init verifies them",
        is: |first| {
            has_start(first, &[b"provider \""])
                && first.line(|line| has(line, b"\"h1:") || has(line, b"\"zh:"))
        },
    },
    Document {
        name: "a mix.lock",
        advice: "it lists packages, not files: mix deps.get verifies them",
        is: |first| first.tag(b"%{") && first.has(b"{:hex, "),
    },
    Document {
        name: "a list of packages of conda",
        advice: "it lists packages, not files: conda create --file verifies them",
        is: |first| has_line(first, b"@EXPLICIT"),
    },
    Document {
        name: "a verification-metadata.xml of Gradle",
        advice: "it lists packages, not files: gradle build verifies them",
        is: |first| first.tag(b"<") && first.has(b"<verification-metadata"),
    },
    Document {
        name: "a Manifest.toml of Julia",
        advice: "it lists packages by their trees, not files: Pkg.instantiate() verifies them",
        is: |first| has_start(first, &[b"git-tree-sha1 = "]),
    },
    Document {
        name: "a Chart.lock of Helm",
        advice: "it lists packages, not files: helm dependency build verifies them",
        is: |first| has_line(first, b"dependencies:") && has_start(first, &[b"digest: sha256:"]),
    },
];

/// Returns whether a text has packages like lock files in TOML.
fn is_toml(first: &FirstLines<'_>) -> bool {
    has_line(first, b"[[package]]") || has_line(first, b"[[packages]]")
}

fn has_line(first: &FirstLines<'_>, wanted: &[u8]) -> bool {
    first.line(|line| line == wanted)
}

/// Returns whether a line starts with one of these texts.
fn has_start(first: &FirstLines<'_>, starts: &[&[u8]]) -> bool {
    first.line(|line| starts.iter().any(|start| line.starts_with(start)))
}

fn has(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}
