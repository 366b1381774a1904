package pages

import (
	"context"
	"time"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Finding is the heading of one code of findings, in files or in realtime messages: problem and
// advice. _finding.html renders it.
type Finding struct {
	Code, Message, Advice string
	Lang                  string      // language of the message, if it differs from the page's
	Rule                  string      // address of the validator's rule; "" if there is none
	Facts                 []string    // how often it occurs, and since when
	Sources               []site.Link // links to the text of GTFS
}

type reportPage struct {
	site.Head
	say      Speaker
	Report   static.Report
	Findings []fileFinding
	Gone     []Finding // only the previous version had them
	CSV      string
	Realtime string // address of the report of the realtime sources
}

// Before returns the day of the previous version; "" if there is none.
func (v *reportPage) Before() string { return v.say.dayOf(v.Report.ComparedTo) }

type fileFinding struct {
	Finding
	Found static.ReportFinding
	Maps  []reportMap
}

type reportMap struct {
	Chart
	Where   string
	Address string // page of the stop or trip; "" if there is none
}

const (
	maxReportMaps  = 12
	mapsPerFinding = 2
	// nearStop is how far the map of a stop extends in each direction, in degrees of latitude.
	nearStop = .003
	// maxNeighbours bounds the stops around a stop, and maxMapPoints the points of a line.
	maxNeighbours = 60
	maxMapPoints  = 120
)

// ImportedOn returns the day of the import; "" if unknown.
func (v *reportPage) ImportedOn() string { return v.say.dayOf(v.Report.ImportedAt) }

// HeldUntil returns the day on which a held version will be served; "" if unknown.
func (v *reportPage) HeldUntil() string {
	if v.Report.Held == nil {
		return ""
	}
	return v.say.dayOf(v.Report.Held.LiveFrom)
}

// HeldWhy returns why a version is held, as a sentence.
func (v *reportPage) HeldWhy() string {
	text := v.Report.Held.Reason
	if hold := v.Report.Held.Hold; hold != nil {
		text = hold.Text(v.say.Words)
	}
	return lang.Sentence(text)
}

// HeldLang returns the language of HeldWhy if it is not that of the page: an older release stored a
// sentence in English.
func (v *reportPage) HeldLang() string {
	if v.Report.Held.Hold == nil && v.Lang != "en" {
		return "en"
	}
	return ""
}

// dayOf returns the day of a time of RFC 3339; "" if there is none.
func (s Speaker) dayOf(at *string) string {
	t, err := time.Parse(time.RFC3339, cell(at))
	if err != nil {
		return ""
	}
	return s.Date(t)
}

func (a *Pages) pageReport(ctx context.Context, c *rest.Call, _ wire.FeedParams, f *edition.Feed) ([]byte, error) {
	r, err := a.Static.ReadReport(ctx, c, f)
	if err != nil {
		return nil, err
	}
	v := &reportPage{Head: a.head(c, asJSON("JSON", c.URL(wire.FeedPath+"/report", f.Alias))), Report: r}
	v.say = a.speaker(v.Lang)
	a.title(&v.Head, "report", f.Name)
	v.Styles = []string{"report.css"}
	if c.May(reportFilePermission) {
		v.CSV = c.URL(wire.FeedPath+"/report.csv", f.Alias)
		v.Others = append(v.Others, site.Other{Type: "text/csv", Title: "CSV", Address: v.CSV})
	}
	if c.May(rtReportPermission) {
		v.Realtime = v.To(rtReportPath, f.Alias)
	}
	in, err := a.in(ctx, &v.Head, f)
	if err != nil {
		return nil, err
	}
	maps := 0
	before := v.Before()
	for _, found := range r.Findings {
		shown := v.say.fileFinding(found, before)
		for _, e := range found.Examples {
			if maps == maxReportMaps || len(shown.Maps) == mapsPerFinding || !c.May(shapePermission) {
				break
			}
			m, err := in.reportMap(ctx, c, e)
			if err != nil {
				return nil, err
			}
			if m != nil {
				shown.Maps = append(shown.Maps, *m)
				maps++
			}
		}
		v.Findings = append(v.Findings, shown)
	}
	for _, gone := range r.Gone {
		v.Gone = append(v.Gone, v.say.finding(gone.Code, gone.Message, gone.Before))
	}
	return a.site.Render("report.html", v)
}

// finding describes a code of findings. stored is the sentence of a code that only an older release
// has.
func (s Speaker) finding(code, stored string, count int) Finding {
	f := Finding{Code: code, Rule: gtfs.Code(code).Address(), Facts: []string{s.Text("report.count", count)}}
	if rule, known := check.RuleOf(gtfs.Code(code)); known {
		f.Message, f.Advice = rule.Message(s.Words), rule.Advice(s.Words)
	} else {
		f.Message, f.Lang = stored, "en"
	}
	return f
}

// fileFinding adds the changes since the day of the previous version; since is "" if there is none.
func (s Speaker) fileFinding(r static.ReportFinding, since string) fileFinding {
	f := fileFinding{Found: r, Finding: s.finding(r.Code, r.Message, r.Count)}
	if r.Before != nil {
		more := r.Count - *r.Before
		switch {
		case *r.Before == 0:
			f.Facts = append(f.Facts, s.Text("report.new", since))
		case more > 0:
			f.Facts = append(f.Facts, s.Text("report.more", more, since))
		case more < 0:
			f.Facts = append(f.Facts, s.Text("report.fewer", -more, since))
		}
	}
	before := ""
	for _, place := range r.Files {
		if address := gtfs.Reference(place.File); address != "" && place.File != before {
			f.Sources = append(f.Sources, site.Link{Text: place.File, Address: address})
		}
		before = place.File
	}
	return f
}

// reportMap draws the position of an example; nil if it is unknown.
func (l localized) reportMap(ctx context.Context, c *rest.Call, e static.ReportExample) (*reportMap, error) {
	spot, err := static.Locate(ctx, c, l.feed, e)
	if err != nil {
		return nil, err
	}
	var stops []orb.Point
	points := spot.Line
	for _, s := range spot.Stops {
		if lat, lon, ok := l.placeOf(s); ok {
			stops, points = append(stops, orb.Point{lon, lat}), append(points, orb.Point{lon, lat})
		}
	}
	if len(points) == 0 || e.File == "stops.txt" && len(stops) == 0 {
		return nil, nil
	}
	m := &reportMap{Where: e.File + ": " + cell(e.RowID)}
	if e.Line != nil {
		m.Where = l.say.Text("report.at", e.File, *e.Line, cell(e.RowID))
	}
	b := orb.MultiPoint(points).Bound()
	box := [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]}
	if e.File == "stops.txt" {
		lon, lat := stops[0][0], stops[0][1]
		box = [4]float64{lon - 2*nearStop, lat - nearStop, lon + 2*nearStop, lat + nearStop}
		m.Where += ", " + l.row(spot.Stops[0]).Label
		m.Address = l.head.To(stopPagePath, l.feed.Alias, cell(e.RowID))
	}
	m.Chart = Chart{Frame: newFrame(box), Alt: l.say.Text("report.map", m.Where)}
	way := spot.Line
	if e.File == "stops.txt" {
		l.feed.StopsIn(edition.Area{Box: (*edition.Box)(&box)}, func(rank int, _ float64) bool {
			lat, lon := l.feed.LatLon(rank)
			stops = append(stops, orb.Point{lon, lat})
			return len(stops) < maxNeighbours
		})
		m.AddName(stops[0][0], stops[0][1], "") // adds only its dot
	} else if way == nil {
		way = points
	}
	m.addWays("", []orb.LineString{way}, detail{lines: 1, points: maxMapPoints})
	m.Stops = m.Dots(stops)
	return m, nil
}

// placeOf returns the position of a stop; ok is false if it has none.
func (l localized) placeOf(s *edition.Stop) (lat, lon float64, ok bool) {
	rank, found := l.feed.Rank(s.StopID)
	if !found {
		return 0, 0, false
	}
	lat, lon = l.feed.LatLon(rank)
	return lat, lon, lat == lat && lon == lon // false if NaN
}
