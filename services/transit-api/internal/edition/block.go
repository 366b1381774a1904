package edition

import "strings"

// InBlock returns the trips with a block_id, of all services, by first departure. It omits trips
// without times.
func (e *Edition) InBlock(id string) (all []*Trip) {
	if e == nil || id == "" {
		return nil
	}
	for _, t := range e.sharing(id) {
		if t.HasTimes() {
			all = append(all, t)
		}
	}
	return all
}

func (e *Edition) sharing(block string) []*Trip {
	return e.equal(e.byBlock(), func(t *Trip) int { return strings.Compare(text(t.BlockID), block) })
}

// BlockOn returns the trips that a vehicle runs on a service day, including trip t, in order. place
// is the index of t. A trip without a block is alone.
func (e *Edition) BlockOn(t *Trip, day int) (all []*Trip, place int) {
	if t.BlockID == nil || !t.HasTimes() {
		return []*Trip{t}, 0
	}
	for _, other := range e.sharing(*t.BlockID) {
		if other == t {
			place = len(all)
		}
		if other == t || other.HasTimes() && other.Service.Runs(day) {
			all = append(all, other)
		}
	}
	return all, place
}
