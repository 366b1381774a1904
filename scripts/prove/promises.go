package main

import (
	"context"
	"time"
)

// These disruptions apply to processes and pods. No read may fail, with two exceptions: connections
// to a killed replica may break, and without Postgres an uncached answer may be 503 with
// Retry-After (readers.go).
const (
	quiet        = "load on two of each"
	rolling      = "rolling restart of all services"
	natsLost     = "one NATS server lost"
	postgresLost = "Postgres lost"
	backedUp     = "backup, and restore on an empty server"
)

// A promise is a disruption under load, without failed reads.
type promise struct {
	what string
	keep func(context.Context) error
}

func (s *scene) keepAll(ctx context.Context, promises []promise) error {
	for _, p := range promises {
		s.p.stage("%s", p.what)
		began, reads := time.Now(), s.readers.reads.Load()
		broken := s.p.failures()
		if err := p.keep(ctx); err != nil {
			s.p.violated("%s: %v", p.what, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.p.figure(p.what, "%d reads, %d failures, %s",
			s.readers.reads.Load()-reads, s.p.failures()-broken, s.p.since(began))
	}
	return nil
}
