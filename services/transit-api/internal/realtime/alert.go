package realtime

import (
	"strings"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// An Alert is the feed's alert with field names in camelCase.
type Alert struct {
	ID                 string            `json:"id" doc:"The entity's id in the feed."`
	ActivePeriod       []TimeRange       `json:"activePeriod,omitempty" doc:"When to show the alert; absent: always."`
	InformedEntity     []InformedEntity  `json:"informedEntity"`
	Cause              *string           `json:"cause,omitempty"`
	Effect             *string           `json:"effect,omitempty"`
	URL                *TranslatedString `json:"url,omitempty"`
	HeaderText         *TranslatedString `json:"headerText,omitempty"`
	DescriptionText    *TranslatedString `json:"descriptionText,omitempty"`
	TtsHeaderText      *TranslatedString `json:"ttsHeaderText,omitempty"`
	TtsDescriptionText *TranslatedString `json:"ttsDescriptionText,omitempty"`
	SeverityLevel      *string           `json:"severityLevel,omitempty"`
}

// A TimeRange is a period; without an end it is open.
type TimeRange struct {
	Start *uint64Text `json:"start,omitempty" doc:"Unix time."`
	End   *uint64Text `json:"end,omitempty" doc:"Unix time."`
}

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
	if len(a.ActivePeriod) == 0 {
		return true, false
	}
	for _, p := range a.ActivePeriod {
		begun, over := p.Start == nil || int64(*p.Start) <= now, p.End != nil && int64(*p.End) <= now
		active, upcoming = active || begun && !over, upcoming || !begun
	}
	return active, upcoming && !active
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
		InformedEntity:     make([]InformedEntity, len(m.InformedEntity)),
		Cause:              enumName(m.Cause),
		Effect:             enumName(m.Effect),
		URL:                translatedString(m.Url),
		HeaderText:         translatedString(m.HeaderText),
		DescriptionText:    translatedString(m.DescriptionText),
		TtsHeaderText:      translatedString(m.TtsHeaderText),
		TtsDescriptionText: translatedString(m.TtsDescriptionText),
		SeverityLevel:      enumName(m.SeverityLevel),
	}
	for _, p := range m.ActivePeriod {
		a.ActivePeriod = append(a.ActivePeriod, TimeRange{(*uint64Text)(p.Start), (*uint64Text)(p.End)})
	}
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
