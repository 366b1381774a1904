package annotation

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	xhtml "golang.org/x/net/html"
)

// An annotation does not change between activeAt and the time that it returned.
func TestAnnotationsChangeOnlyWhenPredicted(t *testing.T) {
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
	// Sundays from 1:30 to 2:30 and from 23:00 to Monday 1:00, over both changes of the clock.
	n := &scheduled{Format: "markdown", TimeZone: "Europe/Berlin", StartsAt: local("2026-03-20 00:00"),
		EndsAt:    local("2026-11-02 00:30"),
		HoursFrom: []int32{0, 6*1440 + 90, 6*1440 + 23*60}, HoursUntil: []int32{60, 6*1440 + 150, 7 * 1440}}
	if err := n.prepare(); err != nil {
		t.Fatal(err)
	}
	truth := func(at time.Time) bool {
		l := at.In(berlin)
		minute := l.Hour()*60 + l.Minute()
		in := l.Weekday() == time.Sunday && (minute >= 90 && minute < 150 || minute >= 23*60) || l.Weekday() == time.Monday &&
			minute < 60
		return in && !at.Before(time.Date(2026, 3, 20, 0, 0, 0, 0, berlin)) &&
			at.Before(time.Date(2026, 11, 2, 0, 30, 0, 0, berlin))
	}
	for _, begin := range []time.Time{time.Date(2026, 3, 19, 22, 0, 0, 0, time.UTC),
		time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)} {
		active, until := n.activeAt(begin)
		for at := begin; at.Before(begin.Add(12 * 24 * time.Hour)); at = at.Add(time.Minute) {
			if !until.IsZero() && !at.Before(until) {
				active, until = n.activeAt(at)
			}
			if active != truth(at) {
				t.Fatalf("at %s: active = %v, but no change was predicted before %s", at.In(berlin), active, until.In(berlin))
			}
		}
	}
	if holds, until := n.activeAt(time.Date(2026, 11, 2, 0, 30, 0, 0, berlin)); holds || !until.IsZero() {
		t.Errorf("after the end: %v %s", holds, until)
	}
}

// When the hours of an annotation start or end, only one of the concurrent requests computes the
// new state. A slow request does not restore the old state.
func TestAnnotationsAreActivatedOnce(t *testing.T) {
	t.Parallel()
	n := &Store{changed: func() {}, clock: time.Now}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	end := noon.Add(time.Hour)
	n.set(&State{changed: 1, all: []*scheduled{{start: noon, end: end, zone: time.UTC}}}, noon)
	before := n.At(noon)
	states := make([]*State, 50)
	n.mu.Lock() // wait here until all requests have seen that the old state has ended
	var started, done sync.WaitGroup
	for i := range states {
		started.Add(1)
		done.Go(func() {
			started.Done()
			states[i] = n.At(end)
		})
	}
	started.Wait()
	n.mu.Unlock()
	done.Wait()
	for _, s := range states {
		if s == before || s != states[0] {
			t.Fatal("more than one request computed the state")
		}
	}
	if n.At(noon) != states[0] {
		t.Error("an earlier state was restored")
	}
}

func TestRenderBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, body, want string }{
		{"markdown", "Stop **closed**, see [map](https://x.example/a?b=1&c=2).",
			`<p>Stop <strong>closed</strong>, see <a href="https://x.example/a?b=1&amp;c=2">map</a>.</p>`},
		{"markdown", "a <script>alert(1)</script> b", "<p>a  b</p>"},
		{"markdown", "[x](javascript:alert(1))", "<p>x</p>"},
		{"markdown", "![x](data:image/png;base64,AAAA)", `<p><img alt="x"></p>`},
		{"markdown", "| a | b |\n|---|:-:|\n| 1 | 2 |",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>"},
		{"html",
			`<p style="color:red" onclick="x()" class="y">Hi <b>you</b></p><style>p{}</style><iframe src="https://x"></iframe>`,
			"<p>Hi <b>you</b></p>"},
		{"html", `<a href="tel:+15550100" target="_blank">call</a> <a href="/here">here</a>`,
			`<a href="tel:+15550100">call</a> <a href="/here">here</a>`},
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
		t.Error("RenderBody accepted an unknown format")
	}
	if _, err := RenderBody("html", strings.Repeat("x", MaxBody+1)); err == nil {
		t.Error("RenderBody accepted a body above the limit")
	}
}

// checkSafe returns an error if a browser would parse the HTML as something unsafe.
func checkSafe(body string) error {
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
			case "script", "style", "iframe", "object", "embed", "form", "input", "svg", "math", "link", "meta", "base",
				"template", "noscript", "textarea", "title", "xmp", "plaintext", "video", "audio", "frame", "frameset":
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
					if has && !strings.ContainsAny(scheme, "/?#") && scheme != "http" && scheme != "https" && scheme != "mailto" &&
						scheme != "tel" {
						return fmt.Errorf("a link to %q in %q", value, body)
					}
				}
			}
		}
	}
}

func FuzzRenderBody(f *testing.F) {
	for _, s := range []string{
		"", "**b**", "<script>alert(1)</script>", "<scr<script>ipt>alert(1)</scr</script>ipt>",
		`<img src=x onerror=alert(1)>`, `<a href="java&#10;script:alert(1)">x</a>`,
		`<a href=" javascript:alert(1)">`, `[a](javascript&colon;alert(1))`, "[a]: data:text/html,<script>x</script>\n\n[a]",
		`<svg/onload=alert(1)>`, `<math><mi//xlink:href="data:x,<script>alert(4)</script>">`,
		`<p style="background:url(javascript:x)">`, "<style><img src=x onerror=y></style>", "<!--><img src=x onerror=y>-->",
		"`<b>`", "<noscript><p title=\"</noscript><img src=x onerror=y>\">", "<a href='data:text/html;base64,AAAA'>x</a>",
		"<https://x.example>", "www.x.example", "- [x] a\n- b", "<table><tr><td align=center>", "\x00<\x00script>",
		"<textarea><img src=x onerror=y></textarea>", "&lt;script&gt;", "<xmp><script>x</script></xmp>",
	} {
		f.Add("html", s)
		f.Add("markdown", s)
	}
	f.Fuzz(func(t *testing.T, format, body string) {
		got, err := RenderBody(format, body)
		if err != nil {
			return
		}
		if err := checkSafe(got); err != nil {
			t.Fatalf("%s %q: %v", format, body, err)
		}
		again, err := RenderBody("html", got)
		if err != nil && len(got) <= MaxBody {
			t.Fatal(err)
		}
		if err == nil {
			if err := checkSafe(again); err != nil {
				t.Fatalf("%s %q, twice: %v", format, body, err)
			}
		}
	})
}
