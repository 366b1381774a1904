//go:build !unix

package pdftext

// confine does nothing. The parent's timeout and the soft memory limit still apply.
func confine(Limits) error { return nil }
