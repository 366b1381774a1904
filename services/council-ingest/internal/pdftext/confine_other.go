//go:build !unix

package pdftext

// confine has no kernel limits to set here; the parent's clock and the soft
// memory limit remain.
func confine(Limits) error { return nil }
