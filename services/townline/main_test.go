package townline_test

import (
	"os"
	"testing"

	councilingest "github.com/townline/townline/services/council-ingest"
)

// The services read PDFs in a child process of the running binary.
func TestMain(m *testing.M) {
	councilingest.RunChild()
	os.Exit(m.Run())
}
