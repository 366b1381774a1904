package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Clusters use the temporary folder if the folder in memory is not writable.
func TestClustersUseAWritableFolder(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	barred := filepath.Join(t.TempDir(), "file") // even root cannot create a folder in a file
	if err := os.WriteFile(barred, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := firstUsable(barred, good)
	if err != nil || filepath.Dir(root) != good {
		t.Errorf("%q, %v", root, err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if root, err := firstUsable(barred); err == nil {
		t.Errorf("%q was taken", root)
	}
}
