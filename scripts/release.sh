#!/bin/bash
# Makes the files of a release below .cache/release: an archive and a digest of each image, its bill of materials, the
# notes from the changelog, and checksums of all. It publishes and signs nothing: see deploy/docs/release.md.
#
#   make release VERSION=v1.2.3
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "$1" >&2; exit 1; }
version=${1:-}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "usage: make release VERSION=v1.2.3"
[ -z "$(git status --porcelain)" ] || fail "commit or remove these changes first: $(git status --short | head -3)"
[ "$(git cat-file -t "refs/tags/$version" 2>/dev/null)" = tag ] || fail "there is no annotated tag: git tag -s $version"
[ "$(git rev-parse "$version^{commit}")" = "$(git rev-parse HEAD)" ] || fail "check out the tag first: git checkout $version"

out=.cache/release/$version
rm -rf "$out"
mkdir -p "$out"
awk -v heading="## ${version#v}" '$1 == "##" {on = index($0 " ", heading " ") == 1} on' .github/CHANGELOG.md >"$out/notes.md"
[ -s "$out/notes.md" ] || fail "the changelog has no section ## ${version#v}"

rm -rf .cache/images # of services that no longer exist
VERSION=$version scripts/deploy-image.sh
for archive in .cache/images/*.tar; do
	name=$(basename "$archive" .tar)
	cp "$archive" "$out/townline-$name-$version.oci.tar"
	cp ".cache/images/$name.cdx.json" "$out/townline-$name-$version.cdx.json"
	printf '%s %s\n' "$name" "$(cat "$archive.digest")" >>"$out/digests.txt"
done
(cd "$out" && sha256sum -- * >SHA256SUMS)
printf '\nThe files of %s are in %s. Sign SHA256SUMS, and the digests after you have pushed the images.\n' "$version" "$out"
