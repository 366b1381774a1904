package councilingest

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/text/encoding/charmap"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// A stranger is a portal that differs from the usual one in one trait. By default it has one past
// meeting of the council (id 70, whose minutes have two votes) and one meeting of another board (id
// 71).
type stranger struct {
	row, other string // rows of the calendar
	page       string // page of meeting 70
	minutes    string
	// answer, if not nil, may answer a request instead of the portal. It reports whether it did.
	answer func(w http.ResponseWriter, r *http.Request) bool
}

const (
	strangerTip  = `TUESDAY, MARCH 5, 2024  7:00 PM&#13;&#13;Board:&#09;City Council&#13;Type:&#09;Regular Meeting&#13;Status:&#09;Scheduled&#13;&#13;&#09;Hall`
	strangerPage = `<html><body><span id="C_lblMeetingGroup">City Council</span><span id="C_lblMeetingType">Regular Meeting</span><span id="C_lblMeetingDate">3/5/2024 7:00 PM</span>
		<input id="C_txtMeetingID" value="70"/><input id="C_txtMinutesID" value="170"/>%s</body></html>`
	strangerLink = `<a href='FileOpen.aspx?Type=15&ID=170&Inline=True'>Summary</a>`
)

func newStranger() *stranger {
	return &stranger{
		row: `<div class="Row MeetingRow"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=70" title="` +
			strangerTip + `">Mar 5, 2024 7:00 PM </a></div>
			<div class="MeetingLinks">` + strangerLink +
			`</div><div class="RowDetails">City Council - Regular Meeting</div></div>`,
		other: `<div class="Row MeetingRow Alt"><div class="RowLink"><a href="/Citizens/Detail_Meeting.aspx?ID=71" title="` +
			strings.Replace(strangerTip, "City Council", "Parks", 1) +
			`">Mar 5, 2024 7:00 PM </a></div><div class="RowDetails">Parks - Regular Meeting</div></div>`,
		page: fmt.Sprintf(strangerPage, `<div class="MeetingDownloads">`+strangerLink+`</div>`),
		minutes: minutesText("Tuesday, March 5, 2024", item("1.", "2024-101", "Awards the Contract for Street Sweeping",
			split),
			item("2.", "2024-102", "Accepts the Treasurer's Report", unanimous)),
	}
}

func (s *stranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.answer != nil && s.answer(w, r) {
		return
	}
	switch r.URL.Path {
	case "/Citizens/Calendar.aspx":
		fmt.Fprintf(w, `<html><body><div id="x_pnlMeetings">%s%s</div></body></html>`, s.row, s.other)
	case "/Citizens/Detail_Meeting.aspx":
		if r.URL.Query().Get("ID") == "70" {
			fmt.Fprint(w, s.page)
			return
		}
		fmt.Fprint(w, strings.NewReplacer("City Council", "Parks", `value="70"`, `value="71"`).Replace(
			fmt.Sprintf(strangerPage, "")))
	case "/Citizens/FileOpen.aspx":
		fmt.Fprint(w, s.minutes)
	default:
		http.NotFound(w, r)
	}
}

func onPath(path string, answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.EqualFold(r.URL.Path, path) {
			return false
		}
		answer(w, r)
		return true
	}
}

// inHTML returns minutes as a web page that looks like one from a word processor.
func inHTML(text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>Minutes</title><style>p{margin:0}</style></head><body>")
	for line := range strings.Lines(text) {
		label, value, labelled := strings.Cut(strings.TrimSpace(line), ":")
		if labelled && strings.ToUpper(label) == label && len(label) < 12 {
			fmt.Fprintf(&b, "<table><tr><td>%s:</td><td>%s</td></tr></table>", label, strings.TrimSpace(value))
			continue
		}
		fmt.Fprintf(&b, "<p>%s</p>\r\n", strings.ReplaceAll(line, " ", "&nbsp;"))
	}
	return b.String() + "</body></html>"
}

// Portals with unusual traits give the same two votes. A second ingest changes nothing.
func TestStrangePortals(t *testing.T) {
	t.Parallel()
	for name, trait := range map[string]func(s *stranger){
		"none": func(*stranger) {},
		"small letters, a server for which they are not capitals": func(s *stranger) {
			s.row = strings.NewReplacer("/Citizens/Detail_Meeting.aspx?ID=", "/citizens/detail_meeting.aspx?id=",
				"FileOpen.aspx?Type=15&ID=", "/citizens/fileopen.aspx?type=15&amp;id=").Replace(s.row)
			s.page = strings.ReplaceAll(s.page, "FileOpen.aspx?Type=15&ID=",
				"/citizens/fileopen.aspx?id=170&type=15&amp;meetingid=70&x=")
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				q := r.URL.Query()
				switch {
				case r.URL.Path == "/citizens/detail_meeting.aspx" && q.Get("id") == "70":
					fmt.Fprint(w, s.page)
				case r.URL.Path == "/citizens/fileopen.aspx" && q.Get("id") == "170":
					fmt.Fprint(w, s.minutes)
				default:
					return r.URL.Path != "/Citizens/Calendar.aspx" && r.URL.Path != "/robots.txt"
				}
				return true
			}
		},
		"a date in words, no tooltip": func(s *stranger) {
			s.row = strings.Replace(s.row, ` title="`+strangerTip+`">Mar 5, 2024 7:00 PM `,
				`>Tuesday, March 5, 2024 @ 7:00 p.m.`, 1)
		},
		"numbers for a date, facts without tabs": func(s *stranger) {
			s.row = strings.NewReplacer("&#09;", " ", "&#13;", "&#10;", "Mar 5, 2024 7:00 PM", "3/5/2024").Replace(s.row)
		},
		"a row that says nothing": func(s *stranger) {
			s.row = `<tr><td><a href="Detail_Meeting.aspx?ID=70">Details</a></td></tr>`
			s.other = `<tr><td><a href="Detail_Meeting.aspx?ID=71">Details</a></td></tr>`
			s.row, s.other = "<table>"+s.row, s.other+"</table>"
		},
		"minutes on the page alone": func(s *stranger) {
			s.row = strings.Replace(s.row, strangerLink, "<a href='' class='HiddenDocumentLink'>Minutes</a>", 1)
		},
		"minutes in the calendar alone": func(s *stranger) {
			s.page = fmt.Sprintf(strangerPage,
				`<a class="HiddenDocumentLink" href="FileOpen.aspx?Type=15&ID=170">Not Yet Available</a>`)
		},
		"only the element says that it is minutes": func(s *stranger) {
			s.row = strings.Replace(s.row, strangerLink, "", 1)
			s.page = fmt.Sprintf(strangerPage, `<a data-type="minutes" href="FileOpen.aspx?Doc=170">Minutes</a>`)
		},
		"a page that is gone": func(s *stranger) { s.answer = onPath("/Citizens/Detail_Meeting.aspx", http.NotFound) },
		"a page that is an error": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/Citizens/Detail_Meeting.aspx":
					http.Redirect(w, r, "/Error.aspx", http.StatusFound)
				case "/Error.aspx":
					fmt.Fprint(w, "<html><body>An error has occurred.</body></html>")
				default:
					return false
				}
				return true
			}
		},
		"minutes proper that are gone, a packet that is there": func(s *stranger) {
			s.page = fmt.Sprintf(strangerPage, strangerLink+`<a href="FileOpen.aspx?Type=12&ID=170">Packet</a>`)
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("Type") == "15" {
					http.NotFound(w, r)
					return true
				}
				return false
			}
		},
		"a session in a cookie": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if _, err := r.Cookie("ASP.NET_SessionId"); err == nil || r.URL.Path == "/robots.txt" {
					return false
				}
				http.SetCookie(w, &http.Cookie{Name: "ASP.NET_SessionId", Value: "abc", Path: "/"})
				http.Redirect(w, r, r.URL.String(), http.StatusFound)
				return true
			}
		},
		"a document behind redirects, with the wrong type": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/Citizens/FileOpen.aspx":
					http.Redirect(w, r, "/Files/minutes.html?x=1", http.StatusMovedPermanently)
				case "/Files/minutes.html":
					w.Header().Set("Content-Type", "text/html; charset=utf-16")
					fmt.Fprint(w, s.minutes)
				default:
					return false
				}
				return true
			}
		},
		"pages in Windows-1252": func(s *stranger) {
			western, err := charmap.Windows1252.NewEncoder().String(strings.Replace(s.page, "City Council", "City Council", 1))
			if err != nil {
				t.Error(err)
			}
			s.page = strings.Replace(western, "<body>", "<body>Pe\xf1a\x92s page", 1)
			s.row += "<!-- \xf1 -->"
		},
		"a byte order mark": func(s *stranger) { s.page = "\ufeff" + s.page; s.minutes = "\ufeff" + s.minutes },
		"gzip without a request for it, in chunks": func(s *stranger) {
			s.answer = onPath("/Citizens/FileOpen.aspx", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				for line := range strings.Lines(s.minutes) {
					_, _ = z.Write([]byte(line)) // an error means that the client has left
					_ = z.Flush()
					w.(http.Flusher).Flush()
				}
				_ = z.Close()
			})
		},
		"a document that comes whole at the second time": func(s *stranger) {
			var n atomic.Int32
			s.answer = onPath("/Citizens/FileOpen.aspx", func(w http.ResponseWriter, _ *http.Request) {
				switch n.Add(1) {
				case 1:
					fmt.Fprint(w, "%PDF-1.7\n1 0 obj << /Type")
				default:
					fmt.Fprint(w, s.minutes)
				}
			})
		},
		"minutes as a web page": func(s *stranger) { s.minutes = inHTML(s.minutes) },
		"years before that are not found": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				from, err := time.Parse("1/2/2006", r.URL.Query().Get("From"))
				switch {
				case err == nil && from.Year() < 2024:
					http.NotFound(w, r)
				case err == nil && from.Year() > 2024:
					fmt.Fprint(w, `<html><body><div id="x_pnlMeetings"></div></body></html>`)
				default:
					return false
				}
				return true
			}
		},
		"no answer for decades": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				q := r.URL.Query()
				from, _ := time.Parse("1/2/2006", q.Get("From")) // zero for other pages
				to, _ := time.Parse("1/2/2006", q.Get("To"))
				switch {
				case to.Sub(from) > 400*24*time.Hour:
					http.Error(w, "The range is too long.", http.StatusBadRequest)
				case !from.IsZero() && from.Year() != 2024:
					fmt.Fprint(w, `<html><body><div id="x_pnlMeetings"></div></body></html>`)
				default:
					return false
				}
				return true
			}
		},
		"robots in words of their own": func(s *stranger) {
			s.answer = onPath("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, "\ufeffUser-agent: *\r\nCrawl-delay: none\r\nDisallow: /Admin\r\n")
			})
		},
		"a web page for robots": func(s *stranger) {
			s.answer = onPath("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, "<html><body>Sorry: not found</body></html>")
			})
		},
		"a viewer around the document": func(s *stranger) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/Citizens/FileOpen.aspx":
					fmt.Fprint(w, `<html><body><iframe src="/Files/170.pdf"></iframe></body></html>`)
				case "/Files/170.pdf":
					fmt.Fprint(w, s.minutes)
				default:
					return false
				}
				return true
			}
		},
		"a longer name of the council": func(s *stranger) {
			for _, text := range []*string{&s.row, &s.page} {
				*text = strings.ReplaceAll(*text, "City Council", "Alder City Council")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStranger()
			trait(s)
			db, deps, set := s.serve(t)
			sum := mustIngest(t, deps, set, Request{})
			if got, want := strangeVotes(t, db), "70 regular 2024-03-06T03:00:00Z complete: ADOPTED [3 TO 1] 4, ADOPTED "+
				"[UNANIMOUS] 4"; got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			if failed := name == "a page that is an error"; sum.Meetings != 1 || sum.Failed > 0 != failed {
				t.Errorf("summary %+v", sum)
			}
			before := dump(t, db)
			if sum := mustIngest(t, deps, set, Request{All: true}); sum.Changed != 0 {
				t.Errorf("the second ingest changed something: %+v", sum)
			}
			mustReparse(t, deps, set, true)
			if d := cmp.Diff(before, dump(t, db)); d != "" {
				t.Errorf("a second ingest changed rows\n%s", d)
			}
			mustBeProven(t, deps, set)
		})
	}
}

// serve starts the portal. It returns an empty database, and settings that have only the portal's
// address.
func (s *stranger) serve(t *testing.T) (*pgxpool.Pool, run.Deps, *Settings) {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	db := pgtest.New(t)
	return db, testDeps(t, db), portalSettings(t, srv.URL)
}

// strangeVotes returns the stored data of each meeting on one line.
func strangeVotes(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	lines := values[string](t, db, `
		SELECT format('%s %s %s %s: %s', m.iqm2_id, m.meeting_type,
		       to_char(m.starts_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), m.status,
		              (SELECT string_agg(v.result_raw || ' ' || (SELECT count(*) FROM council.vote_position p
		                WHERE p.vote_id = v.id), ', ' ORDER BY v.ord)
		               FROM council.vote v WHERE v.iqm2_id = m.iqm2_id))
		FROM council.meeting m ORDER BY m.iqm2_id`)
	return strings.Join(lines, "\n")
}
