package councilapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/net/html"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
)

// browse requests a page as a browser does.
func browse(t *testing.T, srv *rest.Server, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, req)
	return rec
}

// elements returns all elements of a page, in document order.
func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textIn returns the text of an element, with single blanks.
func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// aKey matches the key that replaces a missing sentence.
var aKey = regexp.MustCompile(
	`^(nav|home|votes?|find|filter|pager|say|position|result|type|status|topics?|anomal[a-z]+|machine|meetings?|members?|body|agree|report|change|changes|about|minutes|count)\.[a-z.]+$`)

// Links from the start page lead to every page. Each page is complete, and its anchors exist.
func TestPagesLeadToEachOther(t *testing.T) {
	t.Parallel()
	t.Run("one body", func(t *testing.T) {
		t.Parallel()
		_, reader, _ := storedWorld(t, 4, 12)
		leadToEachOther(t, reader, "page.body")
	})
	t.Run("several bodies", func(t *testing.T) {
		t.Parallel()
		_, reader, _ := storedTown(t, 4, 12)
		leadToEachOther(t, reader, "")
	})
}

// leadToEachOther follows all links from the start page. No page is expected to link to unlinked.
func leadToEachOther(t *testing.T, reader *pgxpool.Pool, unlinked string) {
	t.Helper()
	srv := testServer(t, reader, func(c *Config) { c.Mail = "clerk@votes.example" })
	// The queue has searches, because a search begins with a form.
	kinds, seen := map[string]int{}, map[string]bool{}
	queue := []string{"/", "/?lang=es", "/?lang=fr", "/search?q=street",
		"/search/minutes?q=cafe"}
	// largest number of pages of one kind
	most := 15
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		most = 40
	}
	english := pagetest.NewEnglish(t, os.DirFS("internal/pages"), os.DirFS("../../pkg/site"), council.Sentences())
	anchors := map[string][]string{} // anchors that links expect, by page
	ids := map[string]map[string]bool{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		plain, _, _ := strings.Cut(at, "?")
		kind := numbers.ReplaceAllString(topics.ReplaceAllString(plain, "/$1/N"), "N")
		if seen[at] || kinds[kind] >= most {
			continue
		}
		seen[at] = true
		kinds[kind]++
		rec := browse(t, srv, at)
		if kinds[kind] <= 3 {
			lookForEnglish(t, srv, english, at)
		}
		if rec.Code == 404 && strings.Contains(at, "/minutes?page=") && strings.Contains(rec.Body.String(), "have 2 pages") {
			continue // the test data has anomalies on pages that their minutes lack
		}
		if rec.Code != 200 {
			t.Errorf("%s: %d\n%s", at, rec.Code, rec.Body)
			continue
		}
		if !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
			continue
		}
		ids[at] = map[string]bool{}
		heads, reports := 0, 0
		for _, n := range elements(t, rec.Body.String()) {
			if id := attr(n, "id"); id != "" {
				if ids[at][id] {
					t.Errorf("%s: the id %s occurs twice", at, id)
				}
				ids[at][id] = true
			}
			if n.Data == "h1" {
				heads++
			}
			if mail := attr(n, "href"); strings.HasPrefix(mail, "mailto:clerk") {
				reports++
				if u, err := url.Parse(mail); err != nil || !strings.Contains(u.Query().Get("body"), root+plain) {
					t.Errorf("%s: an error report does not name the page: %s", at, mail)
				}
			}
			if text := textIn(n); aKey.MatchString(text) {
				t.Errorf("%s: a sentence is missing: %s", at, text)
			}
			href := attr(n, "href")
			if to, fragment, _ := strings.Cut(href, "#"); strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "/assets/") {
				queue = append(queue, to)
				if fragment != "" {
					anchors[to] = append(anchors[to], fragment)
				}
			} else if u, err := url.Parse(href); err == nil && u.Host == "votes.example" && strings.HasPrefix(u.Path, "/v1/") &&
				n.Data == "link" {
				if res := browse(t, srv, u.RequestURI(), "Accept", "*/*"); res.Code != 200 {
					t.Errorf("%s links to %s, which is %d", at, href, res.Code)
				}
			}
		}
		silent := strings.HasPrefix(at, "/embed/") || plain == site.AccessibilityPath || plain == site.PrivacyPath
		if heads != 1 || reports != 1 && !silent {
			t.Errorf("%s has %d main headings and %d links to report an error", at, heads, reports)
		}
	}
	for to, wanted := range anchors {
		for _, fragment := range wanted {
			if there := ids[to]; there != nil && !there[fragment] {
				t.Errorf("%s has no %s", to, fragment)
			}
		}
	}
	for _, e := range srv.Pages() {
		if kind := params.ReplaceAllString(e.Path, "N"); strings.HasPrefix(e.ID, "page.") && e.Framed == "" &&
			kinds[kind] == 0 && e.ID != unlinked {
			t.Errorf("no page links to %s", e.Path)
		}
	}
}

// lookForEnglish fails if a page has a sentence in English that it has in other languages.
func lookForEnglish(t *testing.T, srv *rest.Server, english *pagetest.English, at string) {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	for _, tag := range []string{"es", "fr"} {
		query.Set("lang", tag)
		u.RawQuery = query.Encode()
		rec := browse(t, srv, u.String())
		if !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for _, found := range english.Find(rec.Body.String()) {
			t.Errorf("%s: %s", u, found)
		}
	}
}

var (
	topics  = regexp.MustCompile(`^/(topics|bodies)/[a-z-]+$`)
	numbers = regexp.MustCompile(`\b[0-9]+\b`)
	params  = regexp.MustCompile(`\{[a-z]+\}`)
)

// PAGES=off only disables the pages.
func TestPagesOff(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	srv := testServer(t, reader, func(c *Config) { c.Pages = "off" })
	if rec := browse(t, srv, "/"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != basePath+"/docs" {
		t.Errorf("/ is %d with location %q", rec.Code, rec.Header().Get("Location"))
	}
	if rec := browse(t, srv, "/v1/meetings"); rec.Code != 200 {
		t.Errorf("the API is %d", rec.Code)
	}
}

// Each cell of the matrix links to the votes that it counts. Without TOWNLINE_EVERYTHING, the test
// checks every fourth cell.
func TestMatrixCellsCountTheirVotes(t *testing.T) {
	t.Parallel()
	_, reader, _ := storedWorld(t, 6, 15)
	srv := testServer(t, reader)
	for _, query := range []string{"", "?include_consent=true"} {
		cells := 0
		for _, n := range elements(t, browse(t, srv, "/members/agreement"+query).Body.String()) {
			counted := ofVotes.FindStringSubmatch(attr(n, "title"))
			if n.Data != "a" || counted == nil {
				continue
			}
			if cells++; cells%4 != 0 && os.Getenv("TOWNLINE_EVERYTHING") == "" {
				continue
			}
			agreed, shared := 0, 0
			for next := attr(n, "href"); next != ""; {
				page := browse(t, srv, next)
				next = ""
				for _, e := range elements(t, page.Body.String()) {
					switch {
					case e.Data == "p" && attr(e, "class") == "stands":
						shared++
						if text := textIn(e); strings.Count(text, "Aye") != 1 {
							agreed++
						}
					case attr(e, "rel") == "next":
						next = attr(e, "href")
					}
				}
			}
			if counted[1] != strconv.Itoa(agreed) || counted[2] != strconv.Itoa(shared) {
				t.Errorf("%s%s links to a page with %d of %d", attr(n, "title"), query, agreed, shared)
			}
		}
		if cells < 20 {
			t.Errorf("the matrix has %d cells", cells)
		}
	}
}

var ofVotes = regexp.MustCompile(`voted the same way on ([0-9]+) of ([0-9]+) votes`)
