#!/bin/sh
# Makes an overlay name the images of `make image` by digest, in the registry to which they are pushed:
#
#   scripts/deploy-pin.sh OVERLAY REGISTRY          # scripts/deploy-pin.sh full registry.example/townline
#
# It changes deploy/kubernetes/overlays/OVERLAY/kustomization.yaml. Commit that file with the release.
set -eu
[ $# = 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
file=deploy/kubernetes/overlays/$1/kustomization.yaml
[ -f "$file" ] || { echo "there is no overlay $1" >&2; exit 1; }
for image in $(sed -n 's|^  - name: townline/||p' "$file"); do
	digest=.cache/images/$image.tar.digest
	[ -s "$digest" ] || { echo "there is no $digest: run make image" >&2; exit 1; }
	sed -i "\|^  - name: townline/$image\$|{n; s|newName: .*|newName: $2/$image|; n; s/^    \(newTag\|digest\): .*/    digest: $(cat "$digest")/}" "$file"
done
