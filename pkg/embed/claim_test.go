package embed_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/townline/townline/pkg/embed/internal/claim"
)

func TestClaimIsExclusive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := claim.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim.Take(dir); !errors.Is(err, claim.ErrTaken) {
		t.Fatalf("second claim: %v, want ErrTaken", err)
	}
	if url, ok := claim.Announced(dir); ok {
		t.Fatalf("announced %q before Announce", url)
	}
	if err := first.Announce("postgres:///a"); err != nil {
		t.Fatal(err)
	}
	if url, ok := claim.Announced(dir); !ok || url != "postgres:///a" {
		t.Fatalf("Announced = %q, %v", url, ok)
	}
	if info, err := os.Stat(filepath.Join(dir, "url")); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("url file: %v, %v; want mode 0600", info, err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if _, ok := claim.Announced(dir); ok {
		t.Fatal("still announced after Release")
	}
	second, err := claim.Take(dir)
	if err != nil {
		t.Fatalf("claim after release: %v", err)
	}
	if err := second.Release(); err != nil {
		t.Fatal(err)
	}
}

// A killed owner leaves its files, but its lock is released.
func TestNothingIsAnnouncedAfterACrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"url", "lock"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("stale"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if url, ok := claim.Announced(dir); ok {
		t.Fatalf("Announced = %q, which a dead process announced", url)
	}
	c, err := claim.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	})
	if url, ok := claim.Announced(dir); ok {
		t.Fatalf("Announced = %q, which the previous owner announced", url)
	}
}

// A claim lasts until Release, even if the program keeps no reference to it.
func TestForgottenClaimIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := claim.Take(dir); err != nil {
		t.Fatal(err)
	}
	for range 3 { // finalizers run after a garbage collection
		runtime.GC()
		if _, err := claim.Take(dir); !errors.Is(err, claim.ErrTaken) {
			t.Fatalf("claim after a garbage collection: %v, want ErrTaken", err)
		}
	}
}
