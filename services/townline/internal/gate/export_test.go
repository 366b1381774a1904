package gate

import "time"

// SetClock sets the clock of sessions and links.
func (s *Server) SetClock(now func() time.Time) {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.gate.now = now
}
