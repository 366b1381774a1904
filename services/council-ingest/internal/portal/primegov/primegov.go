// Package primegov reads the portals of PrimeGov (Granicus OneMeeting): lists of upcoming meetings
// and of the meetings of each year, bodies, and agendas, final actions and minutes on web pages.
//
// Decode functions send no requests. Answers may be hostile, so their bytes, rows and lengths of
// texts are bounded. An answer of another system is an error, never an empty list. Quirks of the
// product:
//
//   - A meeting leaves the list of upcoming meetings before it enters the list of its year. So both
//     lists are read, and merged by id.
//   - Only the title shows whether a meeting takes place. meetingState does not.
//   - The kinds of documents are words of the town: see ParseOptions.Kinds of package portal.
//   - A PDF is behind a redirect to a signed address that expires, so the first address is kept.
//   - Votes are not data. Tables of actions or minutes on a web page are read, which is more reliable
//     than a PDF.
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
)

const name = "primegov"

// Product describes PrimeGov. Its votes are in documents only.
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

func tenant(address *url.URL) string { return portal.Town(address, "primegov.com") }

// portalPath is the path of the portal's page. It is used for a meeting without documents, which
// has no page of its own.
const portalPath = "public/portal"

func rootOf(address *url.URL) *url.URL {
	root := &url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/"}
	if tenant(address) == "" { // on other hosts, a path may come before it
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

// A Reader reads the portal of one council.
type Reader struct{ *portal.Client }

// Probe requests the years for which there are meetings.
func (s *Reader) Probe(ctx context.Context) error {
	_, err := s.years(ctx)
	return err
}

const listPath = "api/v2/PublicPortal/"

func ask[R any](ctx context.Context, s *Reader, path string, read func(body []byte) (R, error)) (R, error) {
	return portal.FetchJSON(ctx, s.Client, s.Root.String()+path, read)
}

func (s *Reader) years(ctx context.Context) ([]int, error) {
	return ask(ctx, s, listPath+"GetArchivedMeetingYears", DecodeYears)
}

// Bodies lists the committees, if the portal shows any.
func (s *Reader) Bodies(ctx context.Context) ([]portal.Body, error) {
	found, err := ask(ctx, s, "api/committee/GetCommitteeesListByShowInPublicPortal", DecodeCommittees)
	if portal.IsRefused(err) {
		return nil, nil
	}
	return found, err
}

// Meetings lists the upcoming meetings and the meetings of each year of the window. It reads the
// upcoming ones first, so that a meeting that moves between the requests is in both lists.
func (s *Reader) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	committees, err := s.Bodies(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, c := range committees {
		names[c.ID] = c.Name
	}
	var length portal.ListSize
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
	from := portal.ListFrom(w)
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
	out := portal.Meeting{ID: m.ID.String(), URL: s.Root.JoinPath(portalPath).String(),
		Title: portal.WithoutState(m.Title), Detail: m.detail(s.Root, s.ParseOptions), RawJSON: m.RawJSON}
	out.Body, out.Type = body, portal.TypeOf(m.Title, body)
	if m.Committee != 0 {
		out.BodyID = m.Committee.String()
	}
	if page := pageFor(out.Documents); page != nil {
		out.URL = page.URL
	}
	m.RawJSON = nil
	out.Hash = portal.HashJSON(struct {
		Body    string
		Meeting Meeting
	}{body, m})
	return out
}

func (m Meeting) detail(root *url.URL, r portal.ParseOptions) portal.Detail {
	d := portal.Detail{Starts: m.Starts, Location: m.Location, State: m.State, VideoURL: m.VideoURL}
	d.Documents, d.Agenda, d.Minutes = documents(m.Documents, root, r.Kinds)
	return d
}

// documents lists the documents of a meeting. Web pages come first, because their text is more
// reliable than that of a PDF.
func documents(docs []CompiledDocument, root *url.URL,
	own map[string]portal.DocumentKind) (out []portal.Document, agenda, minutes portal.DocumentStatus) {
	var pages, others []portal.Document
	for _, d := range docs {
		doc := portal.Document{ID: d.ID.String(), Name: d.Name, Published: d.Published}
		doc.Kind = portal.KindOf(d.Name, own)
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
		papers := portal.StatusOf(doc.Name)
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

const pagePath = "Portal/Meeting?meetingTemplateId="

// pageFor returns the web page with the items: the agenda, or if there is none the minutes, the
// actions or the packet.
func pageFor(docs []portal.Document) *portal.Document {
	for _, kind := range []portal.DocumentKind{portal.KindAgenda, portal.KindMinutes, portal.KindActions,
		portal.KindPacket} {
		for i := range docs {
			if docs[i].Kind == kind && docs[i].Format == portal.HTML {
				return &docs[i]
			}
		}
	}
	return nil
}

const meetingPath = "meeting/"

// Fetch requests the page with the items of a meeting.
func (s *Reader) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.Root.String()}
	b.Add(meetingPath+m.ID, 0, m.RawJSON)
	page := pageFor(m.Documents)
	if page == nil || m.State.IsCancelled() {
		return b, nil
	}
	path := strings.TrimPrefix(page.URL, s.Root.String())
	status := 0
	body, err := portal.FetchPage(ctx, s.Client, page.URL, func(body []byte) ([]byte, error) {
		body = scrub(body)
		if isClosed(body) {
			status = http.StatusForbidden
			return nil, nil
		}
		_, err := DecodePage(body, s.Root)
		return body, err
	})
	var answer *fetch.StatusError
	if errors.As(err, &answer) && portal.IsRefused(err) { // the page requires a login, or was removed
		status = answer.Code
		body = nil
		err = nil
	}
	if err == nil {
		b.Add(path, status, body)
	}
	return b, err
}

// ErrClosed means that a page requires a login.
var ErrClosed = errors.New("the portal shows the page only to those who log in")

// File fetches a document. It removes session tokens from web pages, because they differ in each
// answer.
func (s *Reader) File(ctx context.Context, want portal.FileRequest) (portal.File, error) {
	file, err := s.Client.File(ctx, want)
	if err != nil || file.NotModified || !strings.Contains(want.URL, pagePath) {
		return file, err
	}
	file.Bytes = scrub(file.Bytes)
	if isClosed(file.Bytes) {
		return portal.File{}, fmt.Errorf("fetch a page: %w: %w", ErrClosed, &fetch.StatusError{Code: http.StatusForbidden})
	}
	file.SHA256 = sha256.Sum256(file.Bytes)
	return file, nil
}

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

func isClosed(page []byte) bool { return !IsPage(page) && password.Match(page) }

func parse(b portal.Bundle, root *url.URL, r portal.ParseOptions) (portal.Detail, error) {
	m, ok, err := decodeMeeting(b.Answers[0].Body(), r.Zone)
	if err != nil || !ok {
		return portal.Detail{}, fmt.Errorf("read bundle of a PrimeGov portal: %w: not a meeting: %w", portal.ErrNotPortal,
			err)
	}
	d := m.detail(root, r)
	d.HasMinutes = portal.Find(d.Documents, string(portal.KindMinutes), string(portal.KindActions)) != nil
	d.NoItems = len(b.Answers) < 2 || b.Answers[1].Status != 0
	if d.NoItems {
		return d, nil
	}
	blocks, err := DecodePage(b.Answers[1].Body(), root)
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

// Bounds of one answer. The longest known pages have a few hundred items.
const (
	maxDocuments = 200
	maxItems     = 5_000
	maxLines     = 100_000 // lines of a page
	maxText      = 4_000
	maxName      = 300
	maxFiles     = 500 // files of one item
)
