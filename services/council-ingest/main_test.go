package councilingest

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// The tests' own binary is the child that reads PDFs.
func TestMain(m *testing.M) {
	pdftext.RunChild()
	m.Run()
}
