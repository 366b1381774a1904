package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// If the folder in memory is not writable, clusters use the temporary folder.
func TestClustersUseAWritableFolder(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	barred := filepath.Join(t.TempDir(), "file") // even root cannot create a folder inside a file
	if err := os.WriteFile(barred, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := firstUsable(barred, good)
	if err != nil || filepath.Dir(root) != good {
		t.Errorf("%q, %v", root, err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("files remain: %v, %v", left, err)
	}
	if root, err := firstUsable(barred); err == nil {
		t.Errorf("%q was accepted", root)
	}
}
