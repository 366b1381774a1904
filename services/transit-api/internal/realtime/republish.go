package realtime

import (
	"bytes"
	"fmt"
	"strconv"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
)

// Republish makes one FeedMessage of the entities of a kind that sources carry, and of own alerts. Entities and headers come as the sources sent
// them, byte for byte, with extensions. What decoders would refuse is left out: entities without a required field, and parts that nobody can decode.
// An id that another source has too gets the number of its source before it. The timestamp is that of the newest source, or of the own alerts
// if they changed later. take counts the bytes and ends the work with its error.
func Republish(kind string, sources []*Snapshot, own []*rt.FeedEntity, changed int64, take func(bytes int) error) ([]byte, error) {
	p := publication{ids: map[string]int{}, take: take}
	p.header(sources, changed)
	for i, s := range sources {
		if err := p.source(kind, i, s.Message); err != nil {
			return nil, err
		}
	}
	for _, e := range own {
		id := p.unique(len(sources), []byte(e.GetId()))
		body, err := proto.Marshal(e.Alert)
		if err != nil {
			return nil, fmt.Errorf("encode the alert %s: %w", e.GetId(), err)
		}
		if err := p.entity(id, alertField, gtfsrt.Entity{Body: body}); err != nil {
			return nil, err
		}
	}
	return p.message, nil
}

// Fields of a FeedEntity.
const (
	updateField  protowire.Number = 3
	vehicleField protowire.Number = 4
	alertField   protowire.Number = 5
)

// unversioned is what a header without a version gets: decoders refuse it without one.
const unversioned = "2.0"

// made is the source of an id that none has.
const made = -1

// A publication is a message in the making.
type publication struct {
	message []byte
	ids     map[string]int // the source that has an id
	take    func(bytes int) error
	scratch []byte
}

// header merges the headers of the sources, as protobuf merges messages: what the last one says holds, and lists are joined.
func (p *publication) header(sources []*Snapshot, changed int64) {
	var header []byte
	own, newest := int64(0), changed // own is the timestamp that the header has already
	versioned := false
	for _, s := range sources {
		at := gtfsrt.Seconds(int64(s.Message.Timestamp))
		newest = max(newest, at)
		if decode(s.Message.Header, &rt.FeedHeader{}) == nil {
			header = append(header, s.Message.Header...)
			own, versioned = at, versioned || s.Message.Version != ""
		}
	}
	if !versioned {
		header = protowire.AppendString(protowire.AppendTag(header, 1, protowire.BytesType), unversioned)
	}
	if newest > own {
		header = protowire.AppendVarint(protowire.AppendTag(header, 3, protowire.VarintType), uint64(newest))
	}
	p.message = protowire.AppendBytes(protowire.AppendTag(p.message, 1, protowire.BytesType), header)
}

// source adds the entities of one source.
func (p *publication) source(kind string, source int, m *gtfsrt.Message) error {
	switch kind {
	case conf.TripUpdates:
		for _, u := range m.TripUpdates {
			if u.Complete() {
				if err := p.entity(p.unique(source, u.ID), updateField, u.Entity); err != nil {
					return err
				}
			}
		}
		for _, e := range m.Others { // changes of trips, and the shapes and stops that these name
			if e.CompleteRest() {
				if err := p.entity(p.unique(source, e.ID), 0, e); err != nil {
					return err
				}
			}
		}
	case conf.VehiclePositions:
		for _, v := range m.Vehicles {
			if v.Complete() {
				if err := p.entity(p.unique(source, v.ID), vehicleField, v.Entity); err != nil {
					return err
				}
			}
		}
	case conf.Alerts:
		for _, a := range m.Alerts {
			if a.Complete() {
				if err := p.entity(p.unique(source, a.ID), alertField, a.Entity); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// entity adds an entity.
func (p *publication) entity(id []byte, field protowire.Number, e gtfsrt.Entity) error {
	b := protowire.AppendBytes(protowire.AppendTag(p.scratch[:0], 1, protowire.BytesType), id)
	if field != 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), e.Body)
	}
	if e.Rest != nil && e.CompleteRest() {
		b = append(b, e.Rest...)
	}
	p.scratch = b
	before := len(p.message)
	p.message = protowire.AppendBytes(protowire.AppendTag(p.message, 2, protowire.BytesType), b)
	return p.take(len(p.message) - before)
}

// unique is an id that no other source has, and never empty. What one source says twice stays so.
func (p *publication) unique(source int, id []byte) []byte {
	if owner, taken := p.ids[string(id)]; len(id) > 0 && (!taken || owner == source) {
		p.ids[string(id)] = source
		return id
	}
	prefix := strconv.AppendInt(nil, int64(source+1), 10)
	for n := 0; ; n++ {
		next := bytes.Join([][]byte{prefix, id}, []byte(":"))
		if n > 0 || len(id) == 0 {
			next = strconv.AppendInt(append(next, ':'), int64(n+len(p.ids)), 10)
		}
		if _, taken := p.ids[string(next)]; !taken {
			p.ids[string(next)] = made
			return next
		}
	}
}
