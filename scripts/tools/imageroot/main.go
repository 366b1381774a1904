// Command imageroot makes the root folder of each service's image: the static binary, Mozilla's
// certificate authorities, the time zones of this Go release, a user, a writable /tmp, and a bill
// of materials from the binary's build information. All of it comes from pinned modules and the Go
// toolchain, so the same commit gives the same bytes on any machine.
//
//	imageroot -out DIR -bin DIR -version VERSION SERVICE…
//
// scripts/deploy-image-root.sh builds the binaries and runs this command.
package main

import (
	"bytes"
	"encoding/pem"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("imageroot: ")
	out := flag.String("out", "", "folder that gets a folder for each service")
	bin := flag.String("bin", "", "folder of the binaries")
	version := flag.String("version", "unknown", "version of the services")
	flag.Parse()
	if *out == "" || *bin == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	zones, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "lib", "time",
		"zoneinfo.zip")) //nolint:staticcheck // run by `go run`, so GOROOT is that of the toolchain at hand
	if err != nil {
		log.Fatal("time zones: ", err)
	}
	authorities := roots()
	for _, service := range flag.Args() {
		binary, err := os.ReadFile(filepath.Join(*bin, service))
		if err != nil {
			log.Fatal(err)
		}
		bill, err := billOfMaterials(service, *version, filepath.Join(*bin, service))
		if err != nil {
			log.Fatal(err)
		}
		root := filepath.Join(*out, service)
		if err := os.RemoveAll(root); err != nil {
			log.Fatal(err)
		}
		for _, f := range []struct {
			name string
			data []byte
			mode fs.FileMode
		}{
			{"service", binary, 0o755},
			{"etc/ssl/certs/ca-certificates.crt", authorities, 0o644},
			{"etc/passwd", []byte("townline:x:65532:65532::/tmp:/sbin/nologin\n"), 0o644},
			{"etc/group", []byte("townline:x:65532:\n"), 0o644},
			{"usr/share/zoneinfo.zip", zones, 0o644},
			{"usr/share/sbom/" + service + ".cdx.json", bill, 0o644},
		} {
			if err := write(filepath.Join(root, f.name), f.data, f.mode); err != nil {
				log.Fatal(err)
			}
		}
		// A scratch image has no /tmp.
		tmp := filepath.Join(root, "tmp")
		if err := os.Mkdir(tmp, 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.Chmod(tmp, 0o777|fs.ModeSticky); err != nil {
			log.Fatal(err)
		}
	}
}

// write creates the file and its folders, with modes that do not depend on the umask.
func write(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		return err
	}
	return os.Chmod(name, mode)
}

// roots returns Mozilla's list as a PEM file. It omits authorities that Mozilla trusts only for
// certificates issued before a date, because a PEM file cannot express that.
func roots() []byte {
	var out bytes.Buffer
	n := 0
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			log.Fatal(err)
		}
		n++
	}
	if n < 50 {
		log.Fatalf("only %d certificate authorities: is the bundle broken?", n)
	}
	fmt.Fprintf(os.Stderr, "imageroot: %d certificate authorities\n", n)
	return out.Bytes()
}
