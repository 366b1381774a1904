package edition

import (
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Stop is a row of stops.txt.
type Stop struct {
	Label              string     `json:"label" doc:"stop_name, else stop_id."`
	StopID             string     `json:"stop_id"`
	StopCode           *string    `json:"stop_code" translate:"stops.stop_code,StopID" doc:"Code of the stop for riders, as printed on signs."`
	StopName           string     `json:"stop_name" translate:"stops.stop_name,StopID"`
	StopDesc           *string    `json:"stop_desc" translate:"stops.stop_desc,StopID"`
	StopLat            string     `json:"stop_lat" doc:"Latitude."`
	StopLon            string     `json:"stop_lon" doc:"Longitude."`
	ZoneID             *string    `json:"zone_id"`
	StopURL            *string    `json:"stop_url" translate:"stops.stop_url,StopID"`
	LocationType       *string    `json:"location_type"`
	ParentStation      *string    `json:"parent_station"`
	StopTimezone       *string    `json:"stop_timezone"`
	WheelchairBoarding *string    `json:"wheelchair_boarding"`
	PlatformCode       *string    `json:"platform_code" translate:"stops.platform_code,StopID"`
	TTSStopName        *string    `json:"tts_stop_name" translate:"stops.tts_stop_name,StopID" doc:"How to pronounce the name."`
	LevelID            *string    `json:"level_id"`
	Links              wire.Links `json:"links" db:"-" doc:"self, routes, directions, trips, stop_times; parent_station if there is one."`

	// Distance is set only in answers about a place.
	Distance *int64 `json:"distance,omitempty" db:"-" doc:"Metres as the crow flies from near; absent without it."`

	// Num is the stop's number in schedules.
	Num int64 `json:"-"`
}

var stopRows = rest.SQL[VersionKey, Stop](`
	SELECT coalesce(s.stop_name, s.stop_id) AS label, s.stop_id, s.stop_code, coalesce(s.stop_name, '') AS stop_name,
	       s.stop_desc,
	       coalesce(s.stop_lat, '') AS stop_lat, coalesce(s.stop_lon, '') AS stop_lon, s.zone_id, s.stop_url,
	         s.location_type,
	       s.parent_station, s.stop_timezone, s.wheelchair_boarding, s.platform_code, s.tts_stop_name, s.level_id, s.num
	FROM transit.stop s
	WHERE s.version_id = @version_id
	ORDER BY s.ord`)

func (e *Edition) readStops(ctx context.Context, b *budget) error {
	var stops []Stop
	err := stopRows.Each(ctx, e.db, VersionKey{e.version}, func(s Stop) error {
		stops = append(stops, s)
		return b.spend(stopBytes + s.textBytes() + s.indexBytes())
	})
	e.indexStops(slices.Clone(stops)) // a copy without spare capacity
	return err
}

// Relabel implements [Relabeler].
func (s *Stop) Relabel(any) {
	if s.StopName != "" {
		s.Label = s.StopName
	}
}

func (s *Stop) textBytes() int {
	n := len(s.Label) + len(s.StopID) + len(s.StopName) + len(s.StopLat) + len(s.StopLon)
	for _, cell := range []*string{s.StopCode, s.StopDesc, s.ZoneID, s.StopURL, s.LocationType, s.ParentStation,
		s.StopTimezone,
		s.WheelchairBoarding, s.PlatformCode, s.TTSStopName, s.LevelID} {
		if cell != nil {
			n += 32 + len(*cell)
		}
	}
	return n
}

func (e *Edition) indexStops(stops []Stop) {
	e.Stops = stops
	e.stopAt = make(map[string]int32, len(stops))
	e.byCode = map[string][]string{}
	e.children = map[string][]string{}
	e.index = newIndex(stops)
	for i := range stops {
		s := &stops[i]
		e.stopAt[s.StopID] = int32(i)
		if s.StopCode != nil {
			e.byCode[*s.StopCode] = append(e.byCode[*s.StopCode], s.StopID)
		}
	}
	// Each stop is a child of its platform and of its station once, even if parents form a cycle.
	for i := range stops {
		seen := []string{stops[i].StopID}
		for s := &stops[i]; s != nil && s.ParentStation != nil && len(seen) <= 3; {
			if slices.Contains(seen, *s.ParentStation) {
				break
			}
			up := *s.ParentStation
			e.children[up] = append(e.children[up], seen[0])
			seen = append(seen, up)
			s = e.Stop(up)
		}
	}
}

// Stop returns the stop with a stop_id; nil if there is none.
func (e *Edition) Stop(id string) *Stop {
	if e == nil {
		return nil
	}
	i, ok := e.stopAt[id]
	if !ok {
		return nil
	}
	return &e.Stops[i]
}

// WheelchairBoarding returns the stop's cell or, if that is empty or 0, the station's.
func (e *Edition) WheelchairBoarding(s *Stop) *string {
	if own := s.WheelchairBoarding; own != nil && *own != "0" || s.ParentStation == nil {
		return own
	}
	if up := e.Stop(*s.ParentStation); up != nil {
		return up.WheelchairBoarding
	}
	return s.WheelchairBoarding
}

func (e *Edition) family(stop string, withChildren bool) []string {
	ids := []string{stop}
	if withChildren {
		ids = append(ids, e.children[stop]...)
	}
	return ids
}

// NamesOf returns the ids by which a realtime source names a stop, and optionally its children.
// published reports whether the source uses an id. If the source does not use stop, NamesOf tries
// the stop_code of that stop_id, or the stop_ids with that stop_code.
func (e *Edition) NamesOf(stop string, withChildren bool, published func(string) bool) []string {
	if e == nil {
		return []string{stop}
	}
	ids := e.family(stop, withChildren)
	if used := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !published(id) }); len(used) > 0 {
		return used
	}
	var partners []string
	if e.Stop(stop) != nil {
		partners = e.codes(ids)
	} else {
		for _, id := range e.byCode[stop] {
			partners = append(partners, e.family(id, withChildren)...)
		}
	}
	return slices.DeleteFunc(partners, func(id string) bool { return !published(id) })
}

func (e *Edition) codes(ids []string) []string {
	var codes []string
	for _, id := range ids {
		if s := e.Stop(id); s != nil && s.StopCode != nil {
			codes = append(codes, *s.StopCode)
		}
	}
	return codes
}

// StopIDs returns the stop with an id or, if there is none, the stops with that stop_code, and
// their children.
func (e *Edition) StopIDs(stop string) []string {
	switch {
	case e == nil:
		return nil
	case e.Stop(stop) != nil:
		return e.family(stop, true)
	}
	var ids []string
	for _, id := range e.byCode[stop] {
		ids = append(ids, e.family(id, true)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// AllNames returns all names that a static or a realtime feed may use for a stop and its children.
func (e *Edition) AllNames(stop string) []string {
	if e == nil {
		return []string{stop}
	}
	ids := append(e.family(stop, true), e.StopIDs(stop)...)
	return append(ids, e.codes(ids)...)
}

// AlertNames returns all names of a stop, its children, its platform and its station.
func (e *Edition) AlertNames(stop string) []string {
	return append(e.AllNames(stop), e.NamesUpward(stop)...)
}

// NamesUpward returns all names of a stop, its platform and its station.
func (e *Edition) NamesUpward(stop string) []string {
	names := e.Identities(stop)
	for s := e.Stop(names[len(names)-1]); s != nil; s = e.Stop(*s.ParentStation) {
		if s.StopCode != nil {
			names = append(names, *s.StopCode)
		}
		if s.ParentStation == nil || slices.Contains(names, *s.ParentStation) {
			break
		}
		names = append(names, *s.ParentStation)
	}
	return names
}

// ZoneAt returns the time zone of the clock at a stop: its stop_timezone, else that of its station,
// else the feed's.
func (f *Feed) ZoneAt(stop string) *time.Location {
	for _, name := range f.NamesUpward(stop) {
		s := f.Stop(name)
		if s == nil || s.StopTimezone == nil || *s.StopTimezone == f.Zone.String() {
			continue
		}
		if zone, err := time.LoadLocation(*s.StopTimezone); err == nil {
			return zone
		}
	}
	return f.Zone
}

// OwnZone returns the name of the time zone at a stop; "" if it is the feed's.
func (f *Feed) OwnZone(stop string) string {
	if zone := f.ZoneAt(stop); zone != f.Zone {
		return zone.String()
	}
	return ""
}

// Identities returns the stop_ids whose overrides apply to a stop: its own id, and the id of the
// stop with this code if there is only one.
func (e *Edition) Identities(stop string) []string {
	ids := []string{stop}
	if e == nil || e.Stop(stop) != nil {
		return ids
	}
	if coded := e.byCode[stop]; len(coded) == 1 {
		ids = append(ids, coded[0])
	}
	return ids
}

// IsSameStop reports whether an id in a realtime feed is a stop of the static feed, by its id or
// its code.
func (e *Edition) IsSameStop(published []byte, static string) bool {
	if string(published) == static {
		return true
	}
	s := e.Stop(static)
	return s != nil && s.StopCode != nil && *s.StopCode == string(published)
}
