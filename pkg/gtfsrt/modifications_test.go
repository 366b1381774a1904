package gtfsrt

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func number(n protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), value)
}

// The bindings lack TripModifications, so the values are those of the encoding here.
func TestModifications(t *testing.T) {
	t.Parallel()
	trips := field(1, field(1, []byte("t1")), field(1, []byte("t2")), field(2, []byte("shape")))
	change := field(4, field(1, number(1, 2)), field(2, field(2, []byte("C"))), number(3, 180),
		field(4, number(1, 360), field(2, []byte("E"))))
	insert := field(4, field(1, field(2, []byte("D"))), number(3, 1<<64-60))
	entity := func(inside ...[]byte) []byte {
		return slices.Concat(field(1, field(1, []byte("2.0"))), field(2, field(1, []byte("m")), field(8, inside...)))
	}
	m, err := Scan(entity(trips, field(2, []byte("08:00:00")), field(3, []byte("20260304")), change, insert))
	if err != nil || !m.HasModifications() {
		t.Fatal(err)
	}
	got := m.Others[0].Modifications()
	if fmt.Sprintf("%q %q %q", got.TripIDs, got.StartTimes, got.Dates) != `["t1" "t2"] ["08:00:00"] ["20260304"]` ||
		len(got.Changes) != 2 {
		t.Fatalf("%+v", got)
	}
	if c := got.Changes[0]; c.First.Sequence != 2 || !c.HasLast || string(c.Last.StopID) != "C" || c.Last.Sequence != -1 ||
		c.Delay != 180 || len(c.Replacements) != 1 || c.Replacements[0].Travel != 360 ||
		string(c.Replacements[0].StopID) != "E" {
		t.Errorf("%+v", c)
	}
	if c := got.Changes[1]; c.HasLast || string(c.First.StopID) != "D" || c.Delay != -60 {
		t.Errorf("%+v", c)
	}
	for name, body := range map[string][]byte{
		"too many trips": entity(field(1, bytes.Repeat(field(1, []byte("t")), MaxModified+1))),
		"another kind":   slices.Concat(field(1, field(1, []byte("2.0"))), field(2, field(1, []byte("s")), field(6, nil))),
	} {
		m, err := Scan(body)
		if err != nil || m.HasModifications() || len(m.Others) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A trip descriptor may name a trip by its modifications.
func TestModifiedTrip(t *testing.T) {
	t.Parallel()
	trip := field(1, field(7, field(1, []byte("m")), field(2, []byte("t1")), field(3, []byte("08:00:00")),
		field(4, []byte("20260304"))))
	m, err := Scan(slices.Concat(field(1, field(1, []byte("2.0"))), field(2, field(1, []byte("u")), field(3, trip))))
	if err != nil {
		t.Fatal(err)
	}
	if u := m.TripUpdates[0].Trip; string(u.TripID) != "t1" || string(u.StartTime) != "08:00:00" ||
		string(u.StartDate) != "20260304" {
		t.Errorf("%+v", u)
	}
}
