package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/townline/townline/scripts/prove/cluster"
)

type release struct{ tree, tag string }

// writeOverlay writes an overlay that builds on an overlay in deploy/, without the Kubernetes
// operators.
func (s *pods) writeOverlay(name string, r release) error {
	folder := filepath.Join(s.p.folder, name)
	shipped, err := filepath.Rel(folder, filepath.Join(r.tree, "deploy/kubernetes/overlays", name))
	if err != nil {
		return err
	}
	servers, err := os.ReadFile("scripts/prove/overlay/servers.yaml")
	err = errors.Join(err, os.WriteFile(filepath.Join(folder, "servers.yaml"), servers, 0o600))
	var own strings.Builder
	fmt.Fprintf(&own, overlayOf, shipped)
	for _, half := range []string{"council", "transit"} {
		if other := map[string]string{"council": "transit-only", "transit": "council-only"}[half]; name == other {
			continue
		}
		text, readErr := os.ReadFile(s.files[strings.ToUpper(half)+"_CONFIG"])
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(folder, half+".yaml"), text, 0o600))
		fmt.Fprintf(&own, "  - {name: %[1]s-config, behavior: replace, files: [%[1]s.yaml]}\n", half)
	}
	own.WriteString("images:\n")
	for _, name := range []string{"council-ingest", "council-api", "gtfs-import", "rt-poller", "transit-api", "townline"} {
		fmt.Fprintf(&own, "  - {name: registry.example/townline/%[1]s, newName: localhost/townline/%[1]s, newTag: %[2]s}\n",
			name, r.tag)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(own.String()), 0o600))
}

// applyGiven applies the objects that an administrator provides: secrets, roles, a volume.
func (s *pods) applyGiven(ctx context.Context, overlay string) error {
	volume := filepath.Join(s.p.folder, "volume-"+overlay)
	if err := errors.Join(os.Mkdir(volume, 0o755), os.Chmod(volume, 0o777)); err != nil {
		return err
	}
	authority, err := cluster.NewAuthority()
	if err != nil {
		return err
	}
	cert, key, err := authority.Issue("townline-db-rw", "townline-db-reads")
	if err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString
	given := fmt.Sprintf(givenObjects, overlay, volume, text(authority.Certificate), text(cert), text(key))
	namespace := "deploy/kubernetes/base/townline/namespace.yaml"
	if _, err := s.c.Kubectl(ctx, given, "apply", "-f", namespace, "-f", "-"); err != nil {
		return err
	}
	for _, line := range []string{
		"scripts/deploy-secrets.sh cluster | kubectl apply -n townline -f -",
		"kubectl create configmap -n townline postgres-roles --from-file=deploy/kubernetes/overlays/local/roles.sh",
	} {
		if _, err := s.shell(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

const overlayOf = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: townline
resources: [%s, servers.yaml]
patches:
  - target: {group: (postgresql.cnpg.io|external-secrets.io|monitoring.coreos.com)}
    patch: "{$patch: delete, apiVersion: v1, kind: any, metadata: {name: any}}"
configMapGenerator:
`

const givenObjects = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: "postgres-%[1]s"}
spec: {hostPath: {path: %[2]q}, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: Secret
metadata: {name: townline-db-ca, namespace: townline}
data: {ca.crt: %[3]q}
---
apiVersion: v1
kind: Secret
metadata: {name: townline-db-server, namespace: townline}
type: kubernetes.io/tls
data: {tls.crt: %[4]q, tls.key: %[5]q}
`
