//go:build !unix

package pdftext

// confine does nothing: the parent's timeout and the soft memory limit remain.
func confine(Limits) error { return nil }
