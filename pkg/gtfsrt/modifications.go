package gtfsrt

import "unicode/utf8"

// Modifications are the TripModifications of an entity: a detour of trips on some service days.
type Modifications struct {
	TripIDs [][]byte
	// StartTimes select runs of trips by frequency; empty selects all.
	StartTimes [][]byte
	Dates      [][]byte // YYYYMMDD; empty selects all days
	Changes    []Modification
}

// A Modification replaces the calls of a trip from First to Last by other calls, and delays all
// later calls.
type Modification struct {
	First, Last  Stop
	HasLast      bool // false if no call is replaced: the new calls come before First
	Delay        int32
	Replacements []ReplacementStop
}

// A ReplacementStop is a call that the timetable does not have. Travel is in seconds from the call
// before the modification or, if it begins at the first call, from that call.
type ReplacementStop struct {
	StopID []byte
	Travel int32
}

// NewStop returns the id and the name of a stop that an entity adds; "" if it adds none. Of several
// names it returns the first.
func (e Entity) NewStop() (id, name string) {
	s := scanner{left: MaxModified}
	for r := s.read(e.Rest); r.next(); {
		if !r.isBytes(7) {
			continue
		}
		for r := s.read(r.bytes); r.next(); {
			switch {
			case r.isBytes(1):
				id = string(r.bytes)
			case r.isBytes(3) && name == "":
				name = s.firstText(r.bytes)
			}
		}
	}
	if s.bad || !utf8.ValidString(name) {
		return "", ""
	}
	return id, name
}

// firstText returns the first text of a TranslatedString.
func (s *scanner) firstText(b []byte) (text string) {
	for r := s.read(b); r.next(); {
		if !r.isBytes(1) {
			continue
		}
		for r := s.read(r.bytes); r.next(); {
			if r.isBytes(1) && text == "" {
				text = string(r.bytes)
			}
		}
	}
	return text
}

// MaxModified bounds the trips of one TripModifications and the stops that they replace.
const MaxModified = 20_000

// HasModifications reports whether the message has trip modifications.
func (m *Message) HasModifications() bool {
	for _, e := range m.Others {
		if e.Modifications() != nil {
			return true
		}
	}
	return false
}

// Modifications returns the trip modifications of an entity; nil if it has none, or more than
// MaxModified.
func (e Entity) Modifications() *Modifications {
	var m *Modifications
	s := scanner{left: MaxModified}
	for r := s.read(e.Rest); r.next(); {
		if r.isBytes(8) {
			if m == nil {
				m = &Modifications{}
			}
			s.modifications(r.bytes, m)
		}
	}
	if s.bad || s.left < 0 {
		return nil
	}
	return m
}

func (s *scanner) modifications(b []byte, m *Modifications) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			for r := s.read(r.bytes); r.next(); {
				if r.isBytes(1) {
					s.left--
					m.TripIDs = append(m.TripIDs, r.bytes)
				}
			}
		case r.isBytes(2):
			s.left--
			m.StartTimes = append(m.StartTimes, r.bytes)
		case r.isBytes(3):
			s.left--
			m.Dates = append(m.Dates, r.bytes)
		case r.isBytes(4):
			s.left--
			m.Changes = append(m.Changes, s.modification(r.bytes))
		}
	}
}

func (s *scanner) modification(b []byte) Modification {
	m := Modification{First: Stop{Sequence: -1}, Last: Stop{Sequence: -1}}
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			s.selector(r.bytes, &m.First)
		case r.isBytes(2):
			m.HasLast = true
			s.selector(r.bytes, &m.Last)
		case r.isVarint(3):
			m.Delay = int32(r.value)
		case r.isBytes(4):
			s.left--
			m.Replacements = append(m.Replacements, s.replacement(r.bytes))
		}
	}
	return m
}

func (s *scanner) selector(b []byte, at *Stop) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isVarint(1):
			at.Sequence = int64(uint32(r.value))
		case r.isBytes(2):
			at.StopID = r.bytes
		}
	}
}

func (s *scanner) replacement(b []byte) (stop ReplacementStop) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isVarint(1):
			stop.Travel = int32(r.value)
		case r.isBytes(2):
			stop.StopID = r.bytes
		}
	}
	return stop
}
