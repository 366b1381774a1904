package portal_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

// servePrimegov answers by path and query below the root.
func servePrimegov(t *testing.T, answers map[string]string) *httptest.Server {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[strings.TrimPrefix(r.URL.RequestURI(), "/")]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(body, "to "):
			http.Redirect(w, r, strings.TrimPrefix(body, "to "), http.StatusFound)
		default:
			_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "TOKEN", fmt.Sprint(n.Add(1))))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func openPrimegov(t *testing.T, address string) (portal.Reader, error) {
	t.Helper()
	cfg := portal.Config{URL: address, AllowPrivate: true, Tries: 1, ParseOptions: portal.ParseOptions{Zone: time.UTC}}
	s, err := primegov.Product().Open(t.Context(), cfg)
	if err != nil {
		return nil, err
	}
	t.Cleanup(s.Close)
	return s, s.Probe(t.Context())
}

const primegovYears = "api/v2/PublicPortal/GetArchivedMeetingYears"

func TestPrimegovOtherSystemsAreRejected(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"<html>Welcome to Alder</html>", "{}", "null", `["x"]`} {
		_, err := openPrimegov(t, servePrimegov(t, map[string]string{primegovYears: answer}).URL)
		if !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	address := servePrimegov(t, map[string]string{primegovYears: "[2026]"}).URL
	if _, err := openPrimegov(t, address+"/public/portal?x=1"); err != nil {
		t.Error(err)
	}
}

// If one list fails, there is an error, because a partial list is never used.
func TestPrimegovAListThatFails(t *testing.T) {
	t.Parallel()
	w := portal.Window{From: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 31, 0, 0, 0, 0,
		time.UTC), Back: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
	answers := map[string]string{
		primegovYears: "[2019,2025,2026]", "api/v2/PublicPortal/ListUpcomingMeetings": "[" +
			primegovRow(1, "Town Council Meeting", "2026-12-10T19:00:00", "") + "]",
		"api/v2/PublicPortal/ListArchivedMeetings?year=2025": "[" + primegovRow(2, "Town Council Meeting", "2025-03-10T19:00:00",
			"") + "]",
	}
	s, err := openPrimegov(t, servePrimegov(t, answers).URL)
	if err != nil {
		t.Fatal(err)
	}
	if bodies, err := s.Bodies(t.Context()); bodies != nil || err != nil {
		t.Errorf("Bodies of a portal without bodies = %v, %v", bodies, err)
	}
	if list, err := s.Meetings(t.Context(), w); err == nil || list != nil {
		t.Errorf("%d meetings, %v", len(list), err)
	}
	whole := map[string]string{"api/v2/PublicPortal/ListArchivedMeetings?year=2026": "[" +
		primegovRow(1, "Town Council Meeting - CANCELLED", "2026-12-10T19:00:00", "") + "]"}
	for path, answer := range answers {
		whole[path] = answer
	}
	s, err = openPrimegov(t, servePrimegov(t, whole).URL)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Meetings(t.Context(), w)
	if err != nil || len(list) != 2 || list[0].ID != "2" || list[1].State != portal.Cancelled ||
		list[1].Body != "Town Council" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Session tokens are removed from a page, so that an unchanged page is the same document. A page
// that asks for a password is refused. A signed address is followed, but not stored.
func TestPrimegovPagesAndFiles(t *testing.T) {
	t.Parallel()
	page := `<html><script>sessionStorage.setItem("csrfToken", 'TOKEN');</script><body><div id="MeetingContents"><table data-itemid="7"><tr><td>1.</td><td>Buy a plow</td></tr></table></div>` +
		`<input name="__RequestVerificationToken" type="hidden" value="TOKEN" /></body></html>`
	docs := primegovDoc(11, "HTML Agenda", 3, 1) + "," + primegovDoc(12, "Agenda", 1, 2)
	closed := primegovDoc(13, "HTML Agenda", 3, 1)
	s, err := openPrimegov(t, servePrimegov(t, map[string]string{
		primegovYears: "[2026]", "Portal/Meeting?meetingTemplateId=11": page,
		"Portal/Meeting?meetingTemplateId=13":                              `<html><body><form><input type="password" name="p"></form></body></html>`,
		"Public/CompiledDocument?meetingTemplateId=12&compileOutputType=1": "to /blob/12?sig=SECRET",
		"blob/12?sig=SECRET":                                               "%PDF-1.7",
		"api/v2/PublicPortal/ListUpcomingMeetings": "[" + primegovRow(1, "Town Council", "2026-12-10T19:00:00", docs) +
			"," + primegovRow(2, "Town Council", "2026-12-11T19:00:00", closed) + "]",
		"api/v2/PublicPortal/ListArchivedMeetings?year=2026": "[]",
	}).URL)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Meetings(t.Context(), portal.Window{From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		To: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)})
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	var bundles [2]string
	for i := range bundles {
		b, err := s.Fetch(t.Context(), list[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		bundles[i] = string(b.Bytes())
		if d, err := primegov.Product().Read(b, portal.ParseOptions{Zone: time.UTC}); err != nil || len(d.Items) != 1 ||
			d.Items[0].Title != "Buy a plow" || d.NoItems || len(d.Documents) != 2 {
			t.Errorf("%+v, %v", d, err)
		}
	}
	first, err := s.File(t.Context(), portal.FileRequest{URL: list[0].Documents[0].URL, MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.File(t.Context(), portal.FileRequest{URL: list[0].Documents[0].URL,
		MaxBytes: 1 << 20}); err != nil ||
		again.SHA256 != first.SHA256 || bundles[0] != bundles[1] {
		t.Errorf("an unchanged page is another document: %v", err)
	}
	if file, err := s.File(t.Context(), portal.FileRequest{URL: list[0].Documents[1].URL,
		MaxBytes: 1 << 20}); err != nil ||
		string(file.Bytes) != "%PDF-1.7" || strings.Contains(list[0].Documents[1].URL, "sig") {
		t.Errorf("%s, %v", file.Bytes, err)
	}
	b, err := s.Fetch(t.Context(), list[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := primegov.Product().Read(b, portal.ParseOptions{Zone: time.UTC})
	if err != nil || !d.NoItems || d.Items != nil {
		t.Errorf("%+v, %v", d, err)
	}
	_, err = s.File(t.Context(), portal.FileRequest{URL: list[1].Documents[0].URL, MaxBytes: 1 << 20})
	if !errors.Is(err, primegov.ErrClosed) || !portal.IsRefused(err) {
		t.Error(err)
	}
}
