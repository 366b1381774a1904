package realtime

import (
	"math"
	"regexp"
	"slices"
	"strings"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/townline/townline/pkg/gtfsrt"
)

// An Alert is the feed's alert with field names in camelCase.
type Alert struct {
	ID                  string            `json:"id" doc:"The entity's id in the feed."`
	ActivePeriod        []TimeRange       `json:"activePeriod,omitempty" doc:"When to show the alert; absent: always."`
	CommunicationPeriod []TimeRange       `json:"communicationPeriod,omitempty" doc:"When to show the alert, in place of activePeriod."`
	ImpactPeriod        []TimeRange       `json:"impactPeriod,omitempty" doc:"When service is affected, in place of activePeriod."`
	InformedEntity      []InformedEntity  `json:"informedEntity"`
	Cause               *string           `json:"cause,omitempty"`
	Effect              *string           `json:"effect,omitempty"`
	URL                 *TranslatedString `json:"url,omitempty" doc:"As published; https:// is added if the scheme is missing."`
	HeaderText          *TranslatedString `json:"headerText,omitempty"`
	DescriptionText     *TranslatedString `json:"descriptionText,omitempty"`
	TtsHeaderText       *TranslatedString `json:"ttsHeaderText,omitempty"`
	TtsDescriptionText  *TranslatedString `json:"ttsDescriptionText,omitempty"`
	SeverityLevel       *string           `json:"severityLevel,omitempty"`

	Operator bool `json:"-"` // the alert is an annotation of the operator
}

// A TimeRange is a period as published; without an end it is open.
type TimeRange struct {
	Start *uint64Text `json:"start,omitempty" doc:"Unix time."`
	End   *uint64Text `json:"end,omitempty" doc:"Unix time."`
}

// Bounds returns the period in Unix seconds; 0 means open. Some feeds publish milliseconds.
func (r TimeRange) Bounds() (from, until int64) {
	seconds := func(published *uint64Text) int64 {
		if published == nil {
			return 0
		}
		return gtfsrt.Seconds(int64(min(*published, math.MaxInt64)))
	}
	return seconds(r.Start), seconds(r.End)
}

func (r TimeRange) from() int64 {
	from, _ := r.Bounds()
	return from
}

func (r TimeRange) until() int64 {
	_, until := r.Bounds()
	if until == 0 {
		return math.MaxInt64
	}
	return until
}

// overlaps reports whether a part of the period is in a span of Unix seconds that includes its end.
func (r TimeRange) overlaps(from, to int64) bool { return r.from() <= to && from < r.until() }

// An InformedEntity selects entities that an alert concerns; all fields that are set must match.
type InformedEntity struct {
	AgencyID    *string           `json:"agencyId"`
	RouteID     *string           `json:"routeId"`
	RouteType   *int32            `json:"routeType,omitempty"`
	DirectionID *uint32           `json:"directionId,omitempty"`
	Trip        *RtTripDescriptor `json:"trip,omitempty"`
	StopID      *string           `json:"stopId"`
}

// A TranslatedString is one text in several languages.
type TranslatedString struct {
	Translation []Translation `json:"translation"`
}

// A Translation is a text in one language.
type Translation struct {
	Text     string  `json:"text" doc:"As published. It may contain HTML: escape it."`
	Language *string `json:"language,omitempty" doc:"BCP 47 code; absent if unknown."`
}

// In returns the text in a language. If there is none, it tries the text without a language, the
// English text and the first text. It returns an empty text if there are no texts.
func (t *TranslatedString) In(lang string) (best Translation) {
	if t == nil {
		return best
	}
	most := 0
	for _, x := range t.Translation {
		base := ""
		if x.Language != nil {
			base, _, _ = strings.Cut(strings.ReplaceAll(*x.Language, "_", "-"), "-")
		}
		rank := 1
		switch strings.ToLower(base) {
		case lang:
			rank = 4
		case "":
			rank = 3
		case "en":
			rank = 2
		}
		if rank > most {
			most, best = rank, x
		}
	}
	return best
}

// Alerts returns the first maxAlerts alerts of the snapshot.
func (s *Snapshot) Alerts() ([]Alert, error) {
	entities := s.Message.Alerts[:min(len(s.Message.Alerts), maxAlerts)]
	all := make([]Alert, len(entities))
	for i := range entities {
		var err error
		all[i], err = s.alert(string(entities[i].ID), entities[i].Body)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// IsActive reports whether the alert is active at a time in Unix seconds. If not, upcoming reports
// whether it will be.
func (a *Alert) IsActive(now int64) (active, upcoming bool) {
	periods := firstGiven(a.CommunicationPeriod, a.ActivePeriod, a.ImpactPeriod)
	if len(periods) == 0 {
		return true, false
	}
	for _, p := range periods {
		active, upcoming = active || p.overlaps(now, now), upcoming || p.from() > now
	}
	return active, upcoming && !active
}

// Impact returns the periods in which the alert affects service; none means always.
func (a *Alert) Impact() []TimeRange {
	return firstGiven(a.ImpactPeriod, a.ActivePeriod, a.CommunicationPeriod)
}

func firstGiven(lists ...[]TimeRange) []TimeRange {
	i := slices.IndexFunc(lists, func(list []TimeRange) bool { return len(list) > 0 })
	return lists[max(i, 0)]
}

// Affects reports whether the alert affects service in a span of Unix seconds.
func (a *Alert) Affects(from, to int64) bool {
	periods := a.Impact()
	return len(periods) == 0 || slices.ContainsFunc(periods, func(p TimeRange) bool { return p.overlaps(from, to) })
}

// Period returns the period in which the alert affects service at a time or, between periods, the
// next one. After all periods, it returns the last one. ok is false if the alert has no periods.
func (a *Alert) Period(now int64) (best TimeRange, ok bool) {
	for i, p := range a.Impact() {
		over, bestOver := p.until() <= now, best.until() <= now
		switch {
		case i == 0, bestOver && !over, over == bestOver && (p.from() < best.from()) != over:
			best = p
		}
	}
	return best, len(a.Impact()) > 0
}

func (s *Snapshot) alert(id string, body []byte) (Alert, error) {
	m := &rt.Alert{}
	if err := decode(body, m); err != nil {
		return Alert{}, err
	}
	return s.newAlert(id, m), nil
}

func (s *Snapshot) newAlert(id string, m *rt.Alert) Alert {
	a := Alert{
		ID:                 id,
		Operator:           s.IsOperator,
		InformedEntity:     make([]InformedEntity, len(m.InformedEntity)),
		Cause:              enumName(m.Cause),
		Effect:             enumName(m.Effect),
		URL:                addresses(m.Url),
		HeaderText:         translatedString(m.HeaderText),
		DescriptionText:    translatedString(m.DescriptionText),
		TtsHeaderText:      translatedString(m.TtsHeaderText),
		TtsDescriptionText: translatedString(m.TtsDescriptionText),
		SeverityLevel:      enumName(m.SeverityLevel),
	}
	for _, p := range m.ActivePeriod {
		a.ActivePeriod = append(a.ActivePeriod, TimeRange{(*uint64Text)(p.Start), (*uint64Text)(p.End)})
	}
	a.CommunicationPeriod, a.ImpactPeriod = unknownPeriods(m, 2), unknownPeriods(m, 3)
	for i, e := range m.InformedEntity {
		in := &a.InformedEntity[i]
		*in = InformedEntity{AgencyID: e.AgencyId, RouteID: e.RouteId, RouteType: e.RouteType, DirectionID: e.DirectionId,
			StopID: e.StopId}
		if e.Trip != nil {
			in.Trip = s.tripDescriptor(e.Trip)
		}
	}
	return a
}

// unknownPeriods reads the periods of a field that the bindings lack. It ignores damaged periods.
func unknownPeriods(m *rt.Alert, field protowire.Number) (all []TimeRange) {
	for b := m.ProtoReflect().GetUnknown(); len(b) > 0; {
		num, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return all
		}
		size := protowire.ConsumeFieldValue(num, kind, b[n:])
		if size < 0 {
			return all
		}
		if num == field && kind == protowire.BytesType {
			inside, _ := protowire.ConsumeBytes(b[n:])
			r := &rt.TimeRange{}
			if decode(inside, r) == nil {
				all = append(all, TimeRange{(*uint64Text)(r.Start), (*uint64Text)(r.End)})
			}
		}
		b = b[n+size:]
	}
	return all
}

// startsWithHost matches an address without a scheme.
var startsWithHost = regexp.MustCompile(`^[\pL\pN-]+(\.[\pL\pN-]+)*\.\pL{2,}(:[0-9]+)?([/?#]\S*)?$`)

// addresses returns the addresses of an alert. Some feeds omit the scheme.
func addresses(t *rt.TranslatedString) *TranslatedString {
	out := translatedString(t)
	if out == nil {
		return nil
	}
	for i := range out.Translation {
		address := strings.TrimLeft(strings.TrimSpace(out.Translation[i].Text), "/")
		if startsWithHost.MatchString(address) {
			out.Translation[i].Text = "https://" + address
		}
	}
	return out
}

func translatedString(t *rt.TranslatedString) *TranslatedString {
	if t == nil {
		return nil
	}
	out := &TranslatedString{Translation: make([]Translation, len(t.Translation))}
	for i, tr := range t.Translation {
		out.Translation[i] = Translation{tr.GetText(), tr.Language}
	}
	return out
}
