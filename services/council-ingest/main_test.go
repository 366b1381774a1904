package councilingest

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// The test binary is also the child process that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.RunChild()
	m.Run()
}
