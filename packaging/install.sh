#!/bin/sh
# Installs Dyno, the test bench for chess engines, from its releases:
#   sh install.sh [VERSION]
#
# DYNO_INSTALL_DIR   where the program goes; ~/.local/bin unless told
# DYNO_REPOSITORY    the repository whose releases are taken
#
# The download is compared with the checksums of its release. Nothing else is changed.
set -eu

repository=${DYNO_REPOSITORY:-@REPOSITORY@}
version=${1:-@VERSION@}
version=${version#v}
folder=${DYNO_INSTALL_DIR:-$HOME/.local/bin}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

case $repository$version in
    *@*) fail "this copy is a template; take install.sh from a release, or set DYNO_REPOSITORY and name a version" ;;
esac
system=$(uname -s)
machine=$(uname -m)
case $system/$machine in
    Linux/x86_64 | Linux/amd64) target=x86_64-unknown-linux-musl ;;
    Linux/aarch64 | Linux/arm64) target=aarch64-unknown-linux-musl ;;
    Darwin/*) target=universal-apple-darwin ;;
    MINGW*/x86_64 | MSYS*/x86_64 | CYGWIN*/x86_64) target=x86_64-pc-windows-msvc ;;
    *) fail "there is no Dyno for $system on $machine; build it: cargo install dyno-cli" ;;
esac
name=dyno-v$version-$target
case $target in
    *-windows-*) archive=$name.zip program=dyno.exe ;;
    *) archive=$name.tar.gz program=dyno ;;
esac

if have curl; then
    fetch() { curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"; }
elif have wget; then
    fetch() { wget --quiet --tries=3 --output-document "$2" "$1"; }
else
    fail "neither curl nor wget is installed"
fi
if have sha256sum; then
    sum() { sha256sum "$1" | cut -d' ' -f1; }
elif have shasum; then
    sum() { shasum -a 256 "$1" | cut -d' ' -f1; }
else
    fail "neither sha256sum nor shasum is installed"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
from=$repository/releases/download/v$version
fetch "$from/SHA256SUMS" "$scratch/SHA256SUMS" || fail "no release v$version at $repository"
fetch "$from/$archive" "$scratch/$archive" || fail "$from/$archive could not be downloaded"
# A line is the sum, a space, a mark (space or asterisk) and the name.
expected=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$scratch/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS of v$version does not list $archive"
found=$(sum "$scratch/$archive")
[ "$found" = "$expected" ] || fail "$archive is damaged: its SHA-256 is $found, not $expected"

case $archive in
    *.zip) unzip -q "$scratch/$archive" -d "$scratch" ;;
    *) tar -C "$scratch" -xzf "$scratch/$archive" ;;
esac
mkdir -p "$folder"
# A program that is running cannot be overwritten, but it can be replaced.
cp "$scratch/$name/$program" "$folder/.$program.new"
chmod 755 "$folder/.$program.new"
mv -f "$folder/.$program.new" "$folder/$program"
"$folder/$program" -V
case :$PATH: in
    *:"$folder":*) ;;
    *) echo "$folder is not on your PATH: add it, or call $folder/$program" ;;
esac
