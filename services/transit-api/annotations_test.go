package transitapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgtype"
	xhtml "golang.org/x/net/html"
)

// clockAt sets the clock that annotations go by.
func (w *world) clockAt(at time.Time) { w.api.notices.clock = func() time.Time { return at } }

// midday is noon of a Wednesday in New York that is still to come: annotations that are over are not even read.
var midday = time.Date(2037, 3, 4, 17, 0, 0, 0, time.UTC)

// annotated are the ids of the annotations of an answer.
func (w *world) annotated(t *testing.T, path string) string {
	t.Helper()
	var a struct {
		Meta struct{ TotalCount, DataCount, Limit int }
		Data []Annotation
	}
	if err := json.Unmarshal(w.ask(t, "/display/annotations/"+path), &a); err != nil {
		t.Fatal(err)
	}
	ids := []int{}
	for _, d := range a.Data {
		ids = append(ids, d.ID)
		if !d.Active {
			t.Errorf("%s: %d is listed and not active", path, d.ID)
		}
	}
	if a.Meta.TotalCount != len(ids) || a.Meta.DataCount != len(ids) || a.Meta.Limit != 0 {
		t.Errorf("%s: %+v", path, a.Meta)
	}
	return fmt.Sprint(ids)
}

func TestAnnotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `
		INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, secondary_entity_type, secondary_entity_id, body, format, override_entity_id, time_zone, starts_at, ends_at, hours)
		VALUES ('comment', NULL, 'stops', '100', NULL, NULL, 'Use **Birch** <script>alert(1)</script>', 'markdown', NULL, 'America/New_York', NULL, NULL, NULL),
		       ('comment', 'metro', 'stops', '100', 'routes', 'R/1', '<p onclick="x()">Hi</p>', 'html', NULL, 'America/New_York', '2037-03-04 12:00', '2037-03-04 13:00', NULL),
		       ('override', 'soon', 'stops', '100', NULL, NULL, '', 'markdown', 'C', 'America/New_York', NULL, NULL, NULL),
		       ('comment', NULL, 'stops', '100', NULL, NULL, 'Mornings', 'markdown', NULL, 'America/New_York', NULL, NULL, '{[3240,3420)}'),
		       ('comment', NULL, 'agency', 'M T', NULL, NULL, 'x', 'markdown', NULL, 'UTC', NULL, '2001-01-01', NULL),
		       ('comment', NULL, 'agency', 'M T', NULL, NULL, 'x', 'markdown', NULL, 'No/Where', NULL, NULL, NULL),
		       ('comment', NULL, 'routes', 'R/1', NULL, NULL, 'x', 'markdown', NULL, 'UTC', NULL, NULL, '{}')`)
	w.clockAt(midday)
	w.look(t)
	golden(t, "display.annotations", w.ask(t, "/display/annotations/stops/100"))
	for path, want := range map[string]string{
		"stops/100": "[1 2 3]", "stops/100?feed=metro": "[1 2]", "agency/M%20T": "[]", "routes/R%2F1": "[]", "routes/nobody": "[]",
	} {
		if got := w.annotated(t, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]int{"/display/annotations/stop/100": 404, "/display/annotations/stops/100?feed=nobody": 404} {
		if got := w.get(t, path); got.Status != want {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	// The clock alone changes the answers, and its validator.
	tag := w.get(t, "/display/annotations/stops/100").Header.Get("ETag")
	for _, c := range []struct {
		at    string // local
		want  string
		until string
	}{
		{"2037-03-04 11:59:58.5", "[1 3]", "2037-03-04 12:00:00"},
		{"2037-03-04 12:59:59.9", "[1 2 3]", "2037-03-04 13:00:00"},
		{"2037-03-04 13:00:00", "[1 3]", "2037-03-08 03:00:00"},
		{"2037-03-04 05:59:59", "[1 3]", "2037-03-04 06:00:00"},
		{"2037-03-04 06:00:00", "[1 3 4]", "2037-03-04 09:00:00"}, // Wednesday 6:00 to 9:00
		{"2037-03-05 06:00:00", "[1 3]", "2037-03-08 03:00:00"},
		{"2037-03-11 08:59:57", "[1 3 4]", "2037-03-11 09:00:00"},
		{"2037-03-11 09:00:00", "[1 3]", "2037-03-18 06:00:00"},
	} {
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.ParseInLocation(time.DateTime, c.at, zone)
		if err != nil {
			t.Fatal(err)
		}
		w.clockAt(at)
		w.api.notices.put(&noticed{changed: w.api.notices.now.Load().changed, all: w.api.notices.now.Load().all}, at) // clocks only go forward, but for tests
		if got := w.annotated(t, "stops/100"); got != c.want {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
		if until := w.api.notices.now.Load().gen.Until.In(zone).Format(time.DateTime); until != c.until {
			t.Errorf("at %s: until %s, want %s", c.at, until, c.until)
		}
		if got := w.get(t, "/display/annotations/stops/100"); (got.Header.Get("ETag") == tag) != (c.want == "[1 2 3]") {
			t.Errorf("at %s: ETag %s", c.at, got.Header.Get("ETag"))
		}
	}
	// A read after the moment finds the change by itself.
	w.clockAt(midday.Add(-time.Minute))
	w.api.notices.put(&noticed{changed: 1, all: w.api.notices.now.Load().all}, midday.Add(-time.Minute))
	before := w.annotated(t, "stops/100")
	w.clockAt(midday)
	if after := w.annotated(t, "stops/100"); before != "[1 3]" || after != "[1 2 3]" {
		t.Errorf("%s, then %s", before, after)
	}
}

// Whatever the times, the state between a moment and the next is constant, and the next is a real change or a change of the clock.
func TestNoticesChangeOnlyWhenTheySay(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := func(s string) pgtype.Timestamp {
		at, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return pgtype.Timestamp{Time: at, Valid: true}
	}
	// Sundays from 1:30 to 2:30 and from 23:00 into Monday 1:00, over both changes of the clock.
	n := &notice{Format: "markdown", TimeZone: "Europe/Berlin", StartsAt: local("2026-03-20 00:00"), EndsAt: local("2026-11-02 00:30"),
		HoursFrom: []int32{0, 6*1440 + 90, 6*1440 + 23*60}, HoursUntil: []int32{60, 6*1440 + 150, 7 * 1440}}
	if err := n.ready(); err != nil {
		t.Fatal(err)
	}
	truth := func(at time.Time) bool {
		l := at.In(berlin)
		minute := l.Hour()*60 + l.Minute()
		in := l.Weekday() == time.Sunday && (minute >= 90 && minute < 150 || minute >= 23*60) || l.Weekday() == time.Monday && minute < 60
		return in && !at.Before(time.Date(2026, 3, 20, 0, 0, 0, 0, berlin)) && at.Before(time.Date(2026, 11, 2, 0, 30, 0, 0, berlin))
	}
	for _, begin := range []time.Time{time.Date(2026, 3, 19, 22, 0, 0, 0, time.UTC), time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)} {
		holds, until := n.at(begin)
		for at := begin; at.Before(begin.Add(12 * 24 * time.Hour)); at = at.Add(time.Minute) {
			if !until.IsZero() && !at.Before(until) {
				holds, until = n.at(at)
			}
			if holds != truth(at) {
				t.Fatalf("at %s: %v, which it said to be until %s", at.In(berlin), holds, until.In(berlin))
			}
		}
	}
	if holds, until := n.at(time.Date(2026, 11, 2, 0, 30, 0, 0, berlin)); holds || !until.IsZero() {
		t.Errorf("after the end: %v %s", holds, until)
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.polled(t, "metro", "trip_updates", midday, &rt.FeedMessage{Header: header(midday), Entity: []*rt.FeedEntity{
		updateOf("late", "100"), updateOf("l1", "100", "C"), updateOf("back", "C"), updateOf("branch/é", "E"), updateOf("f1", "D"),
	}})
	override := func(stop, to, more string) {
		t.Helper()
		w.exec(t, `INSERT INTO transit.annotation (annotation_type, entity_type, entity_id, override_entity_id, time_zone) VALUES ('override', 'stops', '`+stop+`', '`+to+`', 'America/New_York')`)
		if more != "" {
			w.exec(t, `UPDATE transit.annotation SET `+more+` WHERE annotation_id = (SELECT max(annotation_id) FROM transit.annotation)`)
		}
		w.look(t)
	}
	see := func(stop, want string) {
		t.Helper()
		if got := trips(w.rt(t, "/rt/tripupdates/"+stop)); got != want {
			t.Errorf("%s: %s, want %s", stop, got, want)
		}
	}
	w.clockAt(midday)
	see("100", "[late l1]")
	override("100", "D", "starts_at = '2037-03-04 13:00'")
	see("100", "[late l1]")
	if until := w.api.notices.now.Load().redirectGen.Until; !until.Equal(midday.Add(time.Hour)) {
		t.Error(until)
	}
	w.clockAt(midday.Add(time.Hour))
	see("100", "[f1]")
	see("A", "[f1]") // the stop by its code
	see("C", "[l1 back]")
	override("C", "100", "secondary_entity_type = 'routes', secondary_entity_id = 'loop'")
	see("C", "[back]") // the loop's trips are those of D, where none is of the loop
	w.exec(t, `UPDATE transit.annotation SET ends_at = '2037-03-04 14:00', changed = nextval('transit.operator_change') WHERE entity_id = '100'`)
	w.clockAt(midday.Add(2 * time.Hour))
	w.look(t)
	see("100", "[late l1]")
	see("C", "[l1 back]") // l1 by way of 100
	override("E", "B", "")
	override("B", "E", "") // a circle is walked some times and left
	w.rt(t, "/rt/tripupdates/E")
	override("D", "E", "alias = 'other'")
	see("D", "[f1]")
}

func TestRenderBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, body, want string }{
		{"markdown", "Stop **closed**, see [map](https://x.example/a?b=1&c=2).", `<p>Stop <strong>closed</strong>, see <a href="https://x.example/a?b=1&amp;c=2">map</a>.</p>`},
		{"markdown", "a <script>alert(1)</script> b", "<p>a  b</p>"},
		{"markdown", "[x](javascript:alert(1))", "<p>x</p>"},
		{"markdown", "![x](data:image/png;base64,AAAA)", `<p><img alt="x"></p>`},
		{"markdown", "| a | b |\n|---|:-:|\n| 1 | 2 |", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>"},
		{"html", `<p style="color:red" onclick="x()" class="y">Hi <b>you</b></p><style>p{}</style><iframe src="https://x"></iframe>`, "<p>Hi <b>you</b></p>"},
		{"html", `<a href="tel:+15550100" target="_blank">call</a> <a href="/here">here</a>`, `<a href="tel:+15550100">call</a> <a href="/here">here</a>`},
		{"html", `<form action="https://x"><input name="a"><button>b</button></form>`, "b"},
		{"html", `<svg><a xlink:href="javascript:alert(1)">x</a></svg>`, "x"},
		{"html", "a\x00b\xffc", "a\uFFFDb\uFFFDc"},
		{"html", "", ""},
	} {
		got, err := RenderBody(c.format, c.body)
		if err != nil || got != c.want {
			t.Errorf("%s %q:\n got %q %v\nwant %q", c.format, c.body, got, err, c.want)
		}
	}
	if _, err := RenderBody("rtf", ""); err == nil {
		t.Error("took an unknown format")
	}
	if _, err := RenderBody("html", strings.Repeat("x", MaxBody+1)); err == nil {
		t.Error("took a body that is too long")
	}
}

// harmless tells what is wrong with HTML that is to be shown to riders, as a browser would parse it.
func harmless(body string) error {
	z := xhtml.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return nil
		case xhtml.CommentToken, xhtml.DoctypeToken:
			return fmt.Errorf("a comment or doctype in %q", body)
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			tok := z.Token()
			switch tok.Data {
			case "script", "style", "iframe", "object", "embed", "form", "input", "svg", "math", "link", "meta", "base", "template", "noscript", "textarea", "title", "xmp", "plaintext", "video", "audio", "frame", "frameset":
				return fmt.Errorf("<%s> in %q", tok.Data, body)
			}
			for _, a := range tok.Attr {
				value := strings.ToLower(strings.Map(func(r rune) rune {
					if r <= ' ' {
						return -1
					}
					return r
				}, a.Val))
				scheme, _, has := strings.Cut(value, ":")
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcset", a.Key == "srcdoc", a.Key == "formaction":
					return fmt.Errorf("attribute %s in %q", a.Key, body)
				case a.Key == "href" || a.Key == "src":
					if has && !strings.ContainsAny(scheme, "/?#") && scheme != "http" && scheme != "https" && scheme != "mailto" && scheme != "tel" {
						return fmt.Errorf("a link to %q in %q", value, body)
					}
				}
			}
		}
	}
}

func FuzzRenderBody(f *testing.F) {
	for _, s := range []string{
		"", "**b**", "<script>alert(1)</script>", "<scr<script>ipt>alert(1)</scr</script>ipt>", `<img src=x onerror=alert(1)>`, `<a href="java&#10;script:alert(1)">x</a>`,
		`<a href=" javascript:alert(1)">`, `[a](javascript&colon;alert(1))`, "[a]: data:text/html,<script>x</script>\n\n[a]", `<svg/onload=alert(1)>`, `<math><mi//xlink:href="data:x,<script>alert(4)</script>">`,
		`<p style="background:url(javascript:x)">`, "<style><img src=x onerror=y></style>", "<!--><img src=x onerror=y>-->", "`<b>`", "<noscript><p title=\"</noscript><img src=x onerror=y>\">", "<a href='data:text/html;base64,AAAA'>x</a>",
		"<https://x.example>", "www.x.example", "- [x] a\n- b", "<table><tr><td align=center>", "\x00<\x00script>", "<textarea><img src=x onerror=y></textarea>", "&lt;script&gt;", "<xmp><script>x</script></xmp>",
	} {
		f.Add("html", s)
		f.Add("markdown", s)
	}
	f.Fuzz(func(t *testing.T, format, body string) {
		got, err := RenderBody(format, body)
		if err != nil {
			return
		}
		if err := harmless(got); err != nil {
			t.Fatalf("%s %q: %v", format, body, err)
		}
		again, err := RenderBody("html", got)
		if err != nil && len(got) <= MaxBody {
			t.Fatal(err)
		}
		if err == nil {
			if err := harmless(again); err != nil {
				t.Fatalf("%s %q, twice: %v", format, body, err)
			}
		}
	})
}
