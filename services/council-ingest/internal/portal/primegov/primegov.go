// Package primegov reads the portals of councils that use PrimeGov (Granicus OneMeeting): the lists
// of meetings to come and of those of each year, the bodies, and agendas, final actions and minutes
// that are published as web pages.
//
// Decode functions turn answers into facts and know no network. Every answer is hostile input: it
// is bounded in bytes, rows and length of texts, and what is not an answer of this product is an
// error, never an empty list. The habits of the product are corrected here:
//
//   - A meeting leaves the list of those to come before it enters that of its year: both are read,
//     and a meeting is known by its id.
//   - Only the title says whether a meeting takes place. meetingState does not.
//   - What a document is for is a word of the town: see Reading.Kinds of package portal.
//   - A PDF is behind a redirect to an address that is signed for days: the address that redirects
//     is the one that is kept.
//   - There are no votes as data. Where actions or minutes are a web page, its tables are read,
//     which is surer than from a PDF.
//
// Start with Product; meetings.go reads the lists, page.go the web pages.
package primegov

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// name is what council.yaml calls the product.
const name = "primegov"

// Product describes PrimeGov. Its votes stand in documents only.
func Product() portal.Product {
	return portal.Product{
		Name: name, Title: "PrimeGov", Example: "https://TOWN.primegov.com",
		Like:   "a PrimeGov portal has one like https://town.primegov.com",
		Tenant: tenant, Root: rootOf, Parse: parse,
		PageOf:  func(root *url.URL, _ string) string { return root.JoinPath(portalPath).String() },
		New:     func(c *portal.Client) portal.Reader { return &Reader{c} },
		Can:     portal.Can{Record: true},
		Minutes: []string{string(portal.KindMinutes), string(portal.KindActions)},
	}
}

// tenant is the town in https://town.primegov.com.
func tenant(address *url.URL) string {
	town, ours := strings.CutSuffix(strings.ToLower(address.Hostname()), ".primegov.com")
	if !ours || town == "www" {
		return ""
	}
	return town
}

// portalPath is the page of the portal for people; there is none of a meeting without documents.
const portalPath = "public/portal"

// rootOf is where a portal is: people copy the address of any of its pages.
func rootOf(address *url.URL) *url.URL {
	root := &url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/"}
	if tenant(address) == "" { // behind another name there may be a path before it
		path := address.Path
		for _, page := range []string{"/public/", "/portal/", "/api/"} {
			if at := strings.Index(strings.ToLower(path)+"/", page); at >= 0 {
				path = path[:at]
			}
		}
		root.Path = strings.TrimSuffix(path, "/") + "/"
	}
	return root
}

// A Reader is the portal of one council.
type Reader struct{ *portal.Client }

// Knock asks for the years with meetings.
func (s *Reader) Knock(ctx context.Context) error {
	_, err := s.years(ctx)
	return err
}

const listPath = "api/v2/PublicPortal/"

func ask[R any](ctx context.Context, s *Reader, path string, read func(body []byte) (R, error)) (R, error) {
	return portal.AskJSON(ctx, s.Client, s.Root.String()+path, read)
}

func (s *Reader) years(ctx context.Context) ([]int, error) {
	return ask(ctx, s, listPath+"GetArchivedMeetingYears", DecodeYears)
}

// Bodies are the committees that the portal shows. Where it shows none, the titles of meetings say
// whose they are.
func (s *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	found, err := ask(ctx, s, "api/committee/GetCommitteeesListByShowInPublicPortal", DecodeCommittees)
	if portal.Refused(err) {
		return nil, nil
	}
	return found, err
}

// Meetings lists the meetings to come, and those of each year of the window. Those to come are read
// first: a meeting that moves on while the lists are read is then in both, and not in neither.
func (s *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	committees, err := s.Bodies(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, c := range committees {
		names[c.ID] = c.Name
	}
	var length portal.Length
	decode := func(body []byte) ([]Meeting, error) {
		if err := length.Add(len(body)); err != nil {
			return nil, err
		}
		return DecodeMeetings(body, s.Zone)
	}
	upcoming, err := ask(ctx, s, listPath+"ListUpcomingMeetings", decode)
	if err != nil {
		return nil, err
	}
	years, err := s.years(ctx)
	if err != nil {
		return nil, err
	}
	from := reading.Since(w)
	lists := [][]Meeting{upcoming}
	for _, year := range years {
		if year < from.Year() || year > w.To.Year() {
			continue
		}
		list, err := ask(ctx, s, listPath+"ListArchivedMeetings?year="+strconv.Itoa(year), decode)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	var out []portal.Meeting
	for _, m := range Join(lists...) {
		out = append(out, s.meeting(m, names))
	}
	return out, nil
}

func (s *Reader) meeting(m Meeting, names map[string]string) portal.Meeting {
	body := m.Body(names)
	out := portal.Meeting{ID: reading.ID(m.ID).String(), URL: s.Root.JoinPath(portalPath).String(),
		Title: reading.WithoutState(m.Title), Detail: m.detail(s.Root, s.Reading), Said: m.Said}
	out.Body, out.Type = body, reading.TypeOf(m.Title, body)
	if page := pageFor(out.Documents); page != nil {
		out.URL = page.URL
	}
	m.Said = nil
	out.Sum = portal.Fingerprint(struct {
		Body    string
		Meeting Meeting
	}{body, m})
	return out
}

func (m Meeting) detail(root *url.URL, r portal.Reading) portal.Detail {
	d := portal.Detail{Starts: m.Starts, Location: m.Location, State: m.State, VideoURL: m.VideoURL}
	d.Documents, d.Agenda, d.Minutes = documents(m.Documents, root, r.Kinds)
	return d
}

// documents are those of a meeting. Of one kind a web page comes first: it says more surely than a
// PDF what belongs together.
func documents(docs []CompiledDocument, root *url.URL,
	own map[string]portal.DocumentKind) (out []portal.Document, agenda, minutes portal.Papers) {
	var pages, others []portal.Document
	for _, d := range docs {
		doc := portal.Document{ID: reading.ID(d.ID).String(), Name: d.Name, Published: d.Published}
		doc.Kind = reading.KindOf(d.Name, own)
		if d.Output == OutputPage {
			doc.Format, doc.URL = portal.HTML, fmt.Sprintf("%s%s%d", root, pagePath, d.TemplateID)
			pages = append(pages, doc)
			continue
		}
		const compiled = "%sPublic/CompiledDocument?meetingTemplateId=%d&compileOutputType=%d"
		doc.URL = fmt.Sprintf(compiled, root, d.TemplateID, d.Output)
		if d.Output == OutputPDF {
			doc.Format = portal.PDF
		}
		others = append(others, doc)
	}
	out = append(pages, others...)
	for _, doc := range out {
		papers := reading.PapersOf(doc.Name)
		papers.Published = doc.Published
		switch {
		case doc.Kind == portal.KindAgenda && agenda.Published.IsZero():
			agenda = papers
		case doc.Kind == portal.KindMinutes && minutes.Published.IsZero():
			minutes = papers
		}
	}
	return out, agenda, minutes
}

// pagePath is the path of a document as a web page, before the number of its template.
const pagePath = "Portal/Meeting?meetingTemplateId="

// pageFor is the document that the items are read from: of the web pages the agenda, else what was
// decided, else the packet.
func pageFor(docs []portal.Document) *portal.Document {
	for _, kind := range []portal.DocumentKind{portal.KindAgenda, portal.KindMinutes, portal.KindActions, portal.KindPacket} {
		for i := range docs {
			if docs[i].Kind == kind && docs[i].Format == portal.HTML {
				return &docs[i]
			}
		}
	}
	return nil
}

// meetingPath is the path of what the list says of a meeting, in a bundle.
const meetingPath = "meeting/"

// Fetch asks for the page that the items of a meeting are read from.
func (s *Reader) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.Root.String()}
	b.Add(meetingPath+m.ID, 0, m.Said)
	page := pageFor(m.Documents)
	if page == nil || m.State.Off() {
		return b, nil
	}
	path := strings.TrimPrefix(page.URL, s.Root.String())
	status := 0
	body, err := portal.AskPage(ctx, s.Client, page.URL, func(body []byte) ([]byte, error) {
		body = scrub(body)
		if isClosed(body) {
			status = http.StatusForbidden
			return nil, nil
		}
		_, err := DecodePage(body, s.Root)
		return body, err
	})
	var answer *fetch.StatusError
	if errors.As(err, &answer) && portal.Refused(err) { // the page is for those who log in, or was taken down
		status, body, err = answer.Code, nil, nil
	}
	if err == nil {
		b.Add(path, status, body)
	}
	return b, err
}

// ErrClosed says that a page is shown only to those who log in.
var ErrClosed = errors.New("the portal shows the page only to those who log in")

// File returns a document. A web page comes without the tokens of our session, which are another
// every time.
func (s *Reader) File(ctx context.Context, address string, have portal.Validators,
	maxBytes int64) (portal.File, error) {
	file, err := s.Client.File(ctx, address, have, maxBytes)
	if err != nil || file.NotModified || !strings.Contains(address, pagePath) {
		return file, err
	}
	file.Bytes = scrub(file.Bytes)
	if isClosed(file.Bytes) {
		return portal.File{}, fmt.Errorf("fetch a page: %w: %w", ErrClosed, &fetch.StatusError{Code: http.StatusForbidden})
	}
	file.SHA256 = sha256.Sum256(file.Bytes)
	return file, nil
}

// Tokens of a session stand in a script and in a field.
var tokens = []*regexp.Regexp{
	regexp.MustCompile(`(setItem\("csrfToken",\s*['"])[^'"]*`),
	regexp.MustCompile(`(name="__RequestVerificationToken"[^>]*value=")[^"]*`),
}

func scrub(page []byte) []byte {
	for _, token := range tokens {
		page = token.ReplaceAll(page, []byte("$1"))
	}
	return page
}

var password = regexp.MustCompile(`(?i)<input[^>]*type=["']?password`)

// isClosed reports whether a page asks for a password in place of the document.
func isClosed(page []byte) bool { return !IsPage(page) && password.Match(page) }

// parse turns archived answers into what they say of the meeting.
func parse(b portal.Bundle, root *url.URL, r portal.Reading) (portal.Detail, error) {
	m, ok, err := decodeMeeting(b.Answers[0].Body, r.Zone)
	if err != nil || !ok {
		return portal.Detail{}, fmt.Errorf("read bundle of a PrimeGov portal: %w: it is no meeting: %w", portal.ErrNotPortal,
			err)
	}
	d := m.detail(root, r)
	d.HasMinutes = portal.Find(d.Documents, string(portal.KindMinutes), string(portal.KindActions)) != nil
	d.NoItems = len(b.Answers) < 2 || b.Answers[1].Status != 0
	if d.NoItems {
		return d, nil
	}
	blocks, err := DecodePage(b.Answers[1].Body, root)
	if err != nil {
		return portal.Detail{}, err
	}
	for _, b := range blocks {
		if b.Kind == SectionBlock || b.Kind == ItemBlock {
			d.Items = append(d.Items, b.Item)
		}
	}
	return d, nil
}

// Bounds on one answer. The longest pages seen have some hundred items.
const (
	maxDocuments = 200
	maxItems     = 5_000
	maxLines     = 100_000 // of a page
	maxText      = 4_000   // characters of a title
	maxName      = 300     // characters of a name
	maxFiles     = 500     // below one item
)
