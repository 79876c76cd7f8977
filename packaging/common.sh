# shellcheck shell=bash
# What the scripts of this folder share; they source it first. Paths are relative to the root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The one place that states the version, and the one that states the repository's address.
field() { sed -n "/^\[workspace.package\]/,/^\[/s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml; }
version=$(field version)
repository=$(field repository)

# Where the program of a target is built, and what its archive is called.
program_of() {
    case $1 in
        *-windows-*) echo "target/$1/release/dyno.exe" ;;
        *) echo "target/$1/release/dyno" ;;
    esac
}
archive_of() {
    case $1 in
        *-windows-*) echo "dyno-v$version-$1.zip" ;;
        *) echo "dyno-v$version-$1.tar.gz" ;;
    esac
}

say() { printf '\n== %s\n' "$*"; }
fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}
