//go:build !linux

package rest

import (
	"context"
	"net"
)

// unsentBounded is for systems that bound their buffers by themselves.
func unsentBounded(ctx context.Context, _ net.Conn) context.Context { return ctx }
