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

// Republish joins the entities of a kind from several sources, and own alerts, into one
// FeedMessage. It copies the bytes of entities and headers, with extensions. It omits entities that
// strict decoders reject because a required field is missing or invalid. If several sources use an
// id, the number of the source becomes its prefix. The timestamp is that of the newest source, or
// changed if that is later. reserve counts bytes; if it returns an error, Republish stops.
func Republish(
	kind string, sources []*Snapshot, own []*rt.FeedEntity, changed int64, reserve func(bytes int) error,
) ([]byte, error) {
	p := publication{ids: map[string]int{}, reserve: reserve}
	p.header(sources, changed)
	for i, s := range sources {
		p.source(kind, i, s.Message)
	}
	for _, e := range own {
		body, err := proto.Marshal(e.Alert)
		if err != nil {
			return nil, fmt.Errorf("encode the alert %s: %w", e.GetId(), err)
		}
		p.add(true, len(sources), alertField, gtfsrt.Entity{ID: []byte(e.GetId()), Body: body})
	}
	return p.message, p.err
}

// Field numbers of FeedEntity.
const (
	updateField  protowire.Number = 3
	vehicleField protowire.Number = 4
	alertField   protowire.Number = 5
)

// defaultVersion is added to headers without a version, which decoders reject.
const defaultVersion = "2.0"

// generated is the source number of generated ids.
const generated = -1

type publication struct {
	message []byte
	ids     map[string]int // number of the source by id
	reserve func(bytes int) error
	err     error // first error of reserve
	scratch []byte
}

// header merges the headers of the sources as protobuf merges messages: the last value of a field
// counts, and lists are joined.
func (p *publication) header(sources []*Snapshot, changed int64) {
	var header []byte
	own, newest := int64(0), changed // own is the timestamp in the merged header so far
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
		header = protowire.AppendString(protowire.AppendTag(header, 1, protowire.BytesType), defaultVersion)
	}
	if newest > own {
		header = protowire.AppendVarint(protowire.AppendTag(header, 3, protowire.VarintType), uint64(newest))
	}
	p.message = protowire.AppendBytes(protowire.AppendTag(p.message, 1, protowire.BytesType), header)
}

func (p *publication) source(kind string, source int, m *gtfsrt.Message) {
	switch kind {
	case conf.TripUpdates:
		for _, u := range m.TripUpdates {
			p.add(u.Complete(), source, updateField, u.Entity)
		}
		for _, e := range m.Others { // trip modifications with their shapes and stops
			p.add(e.CompleteRest(), source, 0, e)
		}
	case conf.VehiclePositions:
		for _, v := range m.Vehicles {
			p.add(v.Complete(), source, vehicleField, v.Entity)
		}
	case conf.Alerts:
		for _, a := range m.Alerts {
			p.add(a.Complete(), source, alertField, a.Entity)
		}
	}
}

func (p *publication) add(complete bool, source int, field protowire.Number, e gtfsrt.Entity) {
	if !complete || p.err != nil {
		return
	}
	b := protowire.AppendTag(p.scratch[:0], 1, protowire.BytesType)
	b = protowire.AppendBytes(b, p.unique(source, e.ID))
	if field != 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), e.Body)
	}
	if e.Rest != nil && e.CompleteRest() {
		b = append(b, e.Rest...)
	}
	p.scratch = b
	before := len(p.message)
	p.message = protowire.AppendBytes(protowire.AppendTag(p.message, 2, protowire.BytesType), b)
	p.err = p.reserve(len(p.message) - before)
}

// unique returns a non-empty id that no other source has. A source may repeat its own ids.
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
			p.ids[string(next)] = generated
			return next
		}
	}
}
