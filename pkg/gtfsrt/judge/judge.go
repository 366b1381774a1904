// Package judge applies the rules of MobilityData's gtfs-realtime-validator to GTFS-Realtime
// messages. It compares each message with the previous one and with the static feed.
//
// The rules about entities are tables of predicates. [call.judge] has the rules about stop time
// updates. pkg/gtfs/notice has their sentences. The package reads a row of the feed when a message
// names it. It writes nothing.
package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/lang"
)

// An Input is a message and the data to compare it with.
type Input struct {
	Message *gtfsrt.Message
	Calls   Calls
	Now     time.Time // time of the fetch
	// Before is the timestamp of the previous message as it was sent, in seconds; 0 if unknown.
	Before int64
	// Unseen is the time since the previous poll. In that time a message may have been missed. It
	// is negative if unknown.
	Unseen time.Duration
	Facts  *Facts
	// Others are the Pairs of the feed's other sources.
	Others []*Pairs
}

// A Finding is a rule that the message breaks.
type Finding struct {
	Code     Code      `json:"code"`
	Count    int       `json:"count"`
	Examples []Example `json:"examples"`
}

// An Example is one part of the message that breaks a rule.
type Example struct {
	EntityID  string `json:"entity_id"`
	TripID    string `json:"trip_id"`
	VehicleID string `json:"vehicle_id"`
	// Value is what is wrong in figures, in English.
	Value string `json:"value"`
	// Fields are those of [Code.Value]; nil if Value has no words.
	Fields lang.Fields `json:"fields,omitempty"`
}

// maxExamples bounds the number of examples in a finding; maxText bounds each of their texts in
// bytes.
const (
	maxExamples = 5
	maxText     = 120
)

type Result struct {
	Findings []Finding // by code
	Matches  *Matches  // nil if there is no feed
	Pairs    *Pairs
}

// Matches counts the ids in a message, and how many of them are in the static feed.
type Matches struct {
	Trips     Match `json:"trips"`             // of trip updates and vehicle positions
	Routes    Match `json:"routes"`            // of trip updates and vehicle positions
	Stops     Match `json:"stops"`             // of stop time updates and vehicle positions, by stop_id
	StopCodes Match `json:"stop_codes"`        // of stop time updates and vehicle positions, by stop_code
	Informed  Match `json:"informed_entities"` // of alerts; found if the feed has all ids
}

// A Match counts ids, and how many of them are in the feed.
type Match struct {
	Found int `json:"found"`
	Of    int `json:"of"`
}

// Rate returns the share of ids that are in the feed; nil if there are no ids.
func (m Match) Rate() *float64 {
	if m.Of == 0 {
		return nil
	}
	rate := math.Round(float64(m.Found)/float64(m.Of)*1e4) / 1e4
	return &rate
}

// MarshalJSON adds the rate to the counts.
func (m Match) MarshalJSON() ([]byte, error) {
	type counts Match
	return json.Marshal(struct {
		counts
		Rate *float64 `json:"rate"`
	}{counts(m), m.Rate()})
}

func (m *Match) add(found bool) {
	m.Of++
	if found {
		m.Found++
	}
}

// Pairs has the trips of a message with their vehicles, and its detours. Messages of the feed's
// other sources are compared with it.
type Pairs struct {
	At       time.Time
	updates  pairing
	vehicles pairing
	fleet    map[string]struct{} // vehicles of all vehicle positions
	detours  map[string]struct{} // trip_ids; route_ids follow a space
}

// A pairing has the vehicles of each trip_id. A trip with headways can have several vehicles, and a
// broken message thousands.
type pairing struct {
	last  map[string]string // last vehicle of each trip
	pairs map[pair]struct{} // the other vehicles
}

type pair struct{ trip, vehicle string }

func newPairing() pairing { return pairing{last: map[string]string{}, pairs: map[pair]struct{}{}} }

func (p pairing) add(tripID, vehicleID []byte) {
	if len(tripID) == 0 {
		return
	}
	if before, several := p.last[string(tripID)]; several && before != string(vehicleID) {
		p.pairs[pair{string(tripID), before}] = struct{}{}
	}
	p.last[string(tripID)] = string(vehicleID)
}

func (p pairing) has(tripID []byte) bool {
	_, found := p.last[string(tripID)]
	return found
}

// contradicts reports whether the message gives the trip vehicles, and vehicleID is not one of
// them.
func (p pairing) contradicts(tripID, vehicleID []byte) bool {
	last := p.last[string(tripID)]
	if last == "" || last == string(vehicleID) {
		return false
	}
	_, found := p.pairs[pair{string(tripID), string(vehicleID)}]
	return !found
}

// pairsFor is how long the Pairs of a source are compared with messages of other sources.
const pairsFor = 90 * time.Second

// A pass judges one message.
type pass struct {
	*Input
	found    map[Code]*Finding
	matches  Matches
	seen     map[string]struct{} // ids of the vehicles seen so far
	read     func() error        // reads the stops of all calls; nil after it was called
	err      error               // error of read
	own      *Pairs
	all      []*Pairs // own and those of other sources
	current  []*Pairs // those of about the same time
	twoKinds bool     // both trip updates and vehicle positions are known
}

// Judge judges a message. After an error the facts are incomplete.
func Judge(ctx context.Context, db *pgxpool.Pool, in *Input) (*Result, error) {
	if err := in.Facts.load(ctx, db, in.Message); err != nil {
		return nil, err
	}
	p := &pass{Input: in, found: map[Code]*Finding{}, seen: map[string]struct{}{}}
	p.read = func() error { return in.Facts.loadCalls(ctx, db, &in.Calls) }
	p.pair()
	apply(p, headerRules, &header{p, in.Message})
	for _, part := range []func(context.Context) error{p.judgeUpdates, p.judgeVehicles, p.judgeAlerts,
		p.judgeDeleted} {
		if err := cmp.Or(part(ctx), p.err); err != nil {
			return nil, err
		}
	}
	result := &Result{Pairs: p.own}
	for _, code := range slices.Sorted(maps.Keys(p.found)) {
		result.Findings = append(result.Findings, *p.found[code])
	}
	if in.Facts.version != 0 {
		result.Matches = &p.matches
	}
	return result, nil
}

// pair collects the Pairs of the message and of the other sources.
func (p *pass) pair() {
	p.own = &Pairs{At: p.Now, updates: newPairing(), vehicles: newPairing(), fleet: map[string]struct{}{},
		detours: map[string]struct{}{}}
	for i := range p.Message.TripUpdates {
		u := &p.Message.TripUpdates[i]
		p.own.updates.add(u.TripID, u.VehicleID)
	}
	for i := range p.Message.Vehicles {
		v := &p.Message.Vehicles[i]
		p.own.fleet[string(v.VehicleID)] = struct{}{}
		p.own.vehicles.add(v.TripID, v.VehicleID)
	}
	for i := range p.Message.Alerts {
		a := &p.Message.Alerts[i]
		for _, in := range a.Informed {
			if a.Effect == detour {
				p.own.detours[string(in.TripID)] = struct{}{}
				p.own.detours[" "+string(in.Route)] = struct{}{}
				p.own.detours[" "+string(in.RouteID)] = struct{}{}
			}
		}
	}
	delete(p.own.detours, "")
	delete(p.own.detours, " ")
	p.all = append([]*Pairs{p.own}, p.Others...)
	updates, vehicles := false, false
	for _, o := range p.all {
		if p.Now.Sub(o.At) > pairsFor {
			continue
		}
		p.current = append(p.current, o)
		updates = updates || len(o.updates.last) > 0
		vehicles = vehicles || len(o.fleet) > 0
	}
	p.twoKinds = updates && vehicles
}

func (p *pass) add(code Code, example func() Example) {
	f := p.found[code]
	if f == nil {
		f = &Finding{Code: code, Examples: []Example{}}
		p.found[code] = f
	}
	f.Count++
	if len(f.Examples) == maxExamples {
		return
	}
	e := example()
	if e.Fields != nil {
		e.Value = code.Value(notice.English(), e.Fields)
	}
	for name, text := range e.Fields {
		e.Fields[name] = shorten(text)
	}
	for _, text := range []*string{&e.EntityID, &e.TripID, &e.VehicleID, &e.Value} {
		*text = shorten(*text)
	}
	f.Examples = append(f.Examples, e)
}

// shorten bounds a text, and replaces what Postgres does not store.
func shorten(text string) string {
	text = plain(text)
	if len(text) > maxText {
		text = plain(text[:maxText]) + "…"
	}
	return text
}

// A rule applies to things of one type.
type rule[T any] struct {
	code   Code
	broken func(T) bool
	value  func(T) string      // value of an example without words; nil if there is none
	fields func(T) lang.Fields // fields of a value with words; nil if there is none
}

// A thing is a part of a message that rules check.
type thing interface{ example() Example }

func apply[T thing](p *pass, rules []rule[T], x T) {
	for i := range rules {
		r := &rules[i]
		if !r.broken(x) {
			continue
		}
		p.add(r.code, func() Example {
			e := x.example()
			if r.value != nil {
				e.Value = r.value(x)
			}
			if r.fields != nil {
				e.Fields = r.fields(x)
			}
			return e
		})
	}
}

// checkEvery is the number of calls of one update after which the context is checked.
const checkEvery = 256

func (p *pass) judgeUpdates(ctx context.Context) error {
	u := &update{}
	c := &call{}
	rest := p.Calls.all
	for i := range p.Message.TripUpdates {
		if err := ctx.Err(); err != nil {
			return err
		}
		of := &p.Message.TripUpdates[i]
		calls := rest[:of.Calls]
		rest = rest[of.Calls:]
		*u = update{p.trip(of.ID, &of.Trip), len(calls)}
		u.vehicleID, u.timestamp = of.VehicleID, of.Timestamp
		u.match()
		apply(p, tripRules, &u.tripped)
		apply(p, runningRules, &u.tripped)
		apply(p, timeRules, &u.tripped)
		apply(p, updateRules, u)
		*c = call{update: u, index: -1, latest: -1}
		for n := range calls {
			if n%checkEvery == checkEvery-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			c.next(&calls[n], p.Calls.stopID(&calls[n]))
			c.judge()
			p.stop(c.stopID, c.at, u)
		}
		c.judgeAll()
	}
	return nil
}

func (p *pass) judgeVehicles(ctx context.Context) error {
	for i := range p.Message.Vehicles {
		if err := ctx.Err(); err != nil {
			return err
		}
		of := &p.Message.Vehicles[i]
		v := &vehicle{tripped: p.trip(of.ID, &of.Trip)}
		v.vehicleID, v.timestamp = of.VehicleID, of.Timestamp
		v.position, v.located = of.Position()
		v.match()
		if v.Trip.Given {
			apply(p, tripRules, &v.tripped)
		}
		apply(p, runningRules, &v.tripped)
		apply(p, timeRules, &v.tripped)
		apply(p, vehicleRules, v)
		p.stop(of.At.StopID, nil, v)
		p.seen[string(of.VehicleID)] = struct{}{}
	}
	return nil
}

func (p *pass) judgeAlerts(ctx context.Context) error {
	for i := range p.Message.Alerts {
		a := &alert{p, &p.Message.Alerts[i]}
		apply(p, alertRules, a)
		for n := range a.Informed {
			if err := ctx.Err(); err != nil {
				return err
			}
			of := &a.Informed[n]
			in := &informed{p.trip(a.ID, &of.Trip), of}
			if in.Trip.Given {
				apply(p, tripRules, &in.tripped)
			}
			apply(p, informedRules, in)
			stop := p.Facts.stops[string(of.StopID)]
			p.matches.Informed.add((len(of.AgencyID) == 0 || p.Facts.agencies[string(of.AgencyID)]) &&
				(len(of.Route) == 0 || p.Facts.routes[string(of.Route)]) && (len(of.TripID) == 0 || in.fact != nil) &&
				(len(of.StopID) == 0 || stop != nil && stop.Found))
		}
	}
	return nil
}

// judgeDeleted applies the rules that also hold for entities with is_deleted.
func (p *pass) judgeDeleted(ctx context.Context) error {
	for i := range p.Message.Deleted {
		if err := ctx.Err(); err != nil {
			return err
		}
		of := &p.Message.Deleted[i]
		t := p.trip(of.ID, &of.Trip)
		t.vehicleID, t.timestamp = of.VehicleID, of.Timestamp
		apply(p, timeRules, &t)
	}
	return nil
}

func (p *pass) trip(entityID []byte, t *gtfsrt.Trip) tripped {
	return tripped{pass: p, entityID: entityID, Trip: t, fact: p.Facts.trips[string(t.TripID)]}
}

func (t *tripped) match() {
	if len(t.TripID) > 0 {
		t.matches.Trips.add(t.fact != nil)
	}
	if len(t.RouteID) > 0 {
		t.matches.Routes.add(t.hasRoute())
	}
}

// stop judges a stop_id of an update or a vehicle. likely is the stop in the timetable, if known: a
// lookup costs more than all rules of a call.
func (p *pass) stop(id []byte, likely *stop, x thing) {
	if len(id) == 0 || p.Facts.version == 0 {
		return
	}
	s := likely
	if s == nil || s.ID != string(id) {
		s = p.findStop(id)
	}
	if s == nil {
		return
	}
	p.matches.Stops.add(s.Found)
	p.matches.StopCodes.add(s.Code)
	if s.Found && s.Platform {
		return
	}
	code := Code("E015")
	if !s.Found {
		code = "E011"
	}
	p.add(code, func() Example {
		e := x.example()
		e.Value = "stop_id " + s.ID
		return e
	})
}

// findStop returns a stop. The first time that a stop is not in memory, it reads the stops of all
// calls; after the first message of a feed this is rare. It returns nil if the message names too
// many stops.
func (p *pass) findStop(id []byte) *stop {
	s := p.Facts.stops[string(id)]
	if s == nil && p.read != nil {
		p.err = p.read()
		p.read = nil
		s = p.Facts.stops[string(id)]
	}
	return s
}
