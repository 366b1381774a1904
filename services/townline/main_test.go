package townline_test

import (
	"context"
	"os"
	"testing"

	"github.com/townline/townline/pkg/conf"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline"
)

// actAsTownline is an environment variable that makes this binary the townline command, for the
// commands of the documentation.
const actAsTownline = "TOWNLINE_TEST_ACT_AS_TOWNLINE"

// The services read PDFs in a child process of the running binary.
func TestMain(m *testing.M) {
	councilingest.RunChild()
	if os.Getenv(actAsTownline) != "" {
		os.Exit(townline.Main(context.Background(), os.Args[1:], conf.OS(), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
