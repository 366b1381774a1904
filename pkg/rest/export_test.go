package rest

import (
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits changes the bounds of a server that has not answered yet: the size of the largest answer
// and the time for a part of an answer. A bound of zero stays as it is.
func (s *Server) Limits(largest int, pace time.Duration) {
	if largest > 0 {
		s.largest, s.large = largest, semaphore.NewWeighted(int64(4*largest))
	}
	if pace > 0 {
		s.pace = pace
	}
}
