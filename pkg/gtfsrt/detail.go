package gtfsrt

import "math"

// A Position has the values of VehiclePosition.position. Missing values are NaN.
type Position struct{ Lat, Lon, Bearing, Speed float64 }

// Position returns the position of the vehicle. given is false if the message has no position.
func (v Vehicle) Position() (p Position, given bool) {
	nan := math.NaN()
	p = Position{nan, nan, nan, nan}
	s := scanner{left: MaxParts}
	for r := s.read(v.Body); r.next(); {
		if r.isBytes(2) {
			given = true
			p.read(s.read(r.bytes))
		}
	}
	return p, given
}

func (p *Position) read(r reader) {
	for r.next() {
		value := float64(math.Float32frombits(uint32(r.value)))
		switch r.tag {
		case 1<<3 | asFixed32:
			p.Lat = value
		case 2<<3 | asFixed32:
			p.Lon = value
		case 3<<3 | asFixed32:
			p.Bearing = value
		case 5<<3 | asFixed32:
			p.Speed = value
		}
	}
}

// Times returns the starts and ends of the alert's active periods as published.
func (a Alert) Times() []uint64 {
	var all []uint64
	s := scanner{left: MaxParts}
	for r := s.read(a.Body); r.next(); {
		if !r.isBytes(1) {
			continue
		}
		for in := s.read(r.bytes); in.next(); {
			if in.isVarint(1) || in.isVarint(2) {
				all = append(all, in.value)
			}
		}
	}
	return all
}
