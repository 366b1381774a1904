package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The bill of this test binary lists each of its modules once.
func TestBillOfMaterials(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := billOfMaterials("imageroot", "v1.2.3", self)
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, c := range b.Components {
		seen[c.Name]++
		if c.PURL == "" || c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:golang/") {
			t.Errorf("incomplete: %+v", c)
		}
	}
	for _, want := range []string{"std", "golang.org/x/crypto/x509roots/fallback", ours + "scripts/tools"} {
		if seen[want] != 1 {
			t.Errorf("%s is listed %d times", want, seen[want])
		}
	}
	if b.Metadata.Component.Name != "imageroot" || b.Metadata.Component.Version != "v1.2.3" ||
		len(b.Dependencies[0].DependsOn) != len(b.Components) {
		t.Errorf("%+v", b.Metadata)
	}
	again, err := billOfMaterials("imageroot", "v1.2.3", self)
	if err != nil || !bytes.Equal(text, again) {
		t.Error("the second bill differs", err)
	}
}

func TestRootsAreCertificates(t *testing.T) {
	if !x509.NewCertPool().AppendCertsFromPEM(roots()) {
		t.Error("no certificate in the file")
	}
}
