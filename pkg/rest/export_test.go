package rest

import (
	"time"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Limits changes the bounds of a server that has not answered yet. A bound of zero stays as it is.
func (s *Server) Limits(answerBytes int, heldBytes int64, pace time.Duration) {
	if answerBytes > 0 {
		s.answerBytes = answerBytes
	}
	if heldBytes > 0 {
		s.load = reply.NewLoad(heldBytes)
	}
	if pace > 0 {
		s.pace = pace
	}
}
