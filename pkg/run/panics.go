package run

import "github.com/townline/townline/pkg/panics"

// PanicError is panics.Error.
func PanicError(p any) error { return panics.Error(p) }
