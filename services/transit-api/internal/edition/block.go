package edition

import (
	"cmp"
	"slices"
)

// A cell is the index in [Edition.cells] of a text that many trips share. 0 is the empty text.
type cell int32

type interned struct {
	all []string
	at  map[string]cell
}

// add returns the cell of a text, and the additional memory: 0 if the text is already stored.
func (n *interned) add(text string) (c cell, bytes int) {
	c, met := n.at[text]
	if !met {
		c, bytes = cell(len(n.all)), 16+len(text)
		n.all, n.at[text] = append(n.all, text), c
	}
	return c, bytes
}

// Block returns the block_id of a trip; "" if it has none.
func (e *Edition) Block(t *Trip) string { return e.cells[t.block] }

// ShapeID returns the shape_id of a trip; "" if it has none.
func (e *Edition) ShapeID(t *Trip) string { return e.cells[t.shape] }

// ShortName returns the trip_short_name of a trip; "" if it has none.
func (e *Edition) ShortName(t *Trip) string { return e.cells[t.short] }

// InBlock returns the trips with a block_id, of all services, by first departure. It omits trips
// without times.
func (e *Edition) InBlock(id string) (all []*Trip) {
	if e == nil || id == "" {
		return nil
	}
	for _, t := range e.sharing(cell(slices.Index(e.cells, id))) {
		if t.HasTimes() {
			all = append(all, t)
		}
	}
	return all
}

func (e *Edition) sharing(block cell) []*Trip {
	return equal(e.byBlock(), func(t *Trip) int { return cmp.Compare(t.block, block) })
}

// BlockOn returns the trips that a vehicle runs on a service day, including trip t, in order. place
// is the index of t. A trip without a block is alone.
func (e *Edition) BlockOn(t *Trip, day int) (all []*Trip, place int) {
	if t.block == 0 || !t.HasTimes() {
		return []*Trip{t}, 0
	}
	for _, other := range e.sharing(t.block) {
		if other == t {
			place = len(all)
		}
		if other == t || other.HasTimes() && other.Service.Runs(day) {
			all = append(all, other)
		}
	}
	return all, place
}
