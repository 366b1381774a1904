package primegov

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// name is what council.yaml calls the product.
const name = "primegov"

// Product describes PrimeGov to those who know no product.
func Product() portal.Product {
	return portal.Product{Name: name, Title: "PrimeGov", Example: "https://TOWN.primegov.com", Tenant: tenant, Page: pageOf, Read: Read, Minutes: []string{string(portal.KindMinutes), string(portal.KindActions)}, Knock: knock,
		Open: portal.Opens(Open)}
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
func rootOf(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%w: a PrimeGov portal has one like https://town.primegov.com", portal.ErrAddress)
	}
	root := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}
	if tenant(u) == "" { // behind another name there may be a path before it
		path := u.Path
		for _, page := range []string{"/public/", "/portal/", "/api/"} {
			if at := strings.Index(strings.ToLower(path)+"/", page); at >= 0 {
				path = path[:at]
			}
		}
		root.Path = strings.TrimSuffix(path, "/") + "/"
	}
	return root, nil
}

func pageOf(address, _ string) string {
	root, err := rootOf(address)
	if err != nil {
		return ""
	}
	return root.JoinPath(portalPath).String()
}

// A Source is the portal of one council.
type Source struct {
	cfg    portal.Config
	client *portal.Client
	root   *url.URL
}

// knock asks for the years with meetings.
func knock(ctx context.Context, s portal.Source) error {
	own, ours := s.(*Source)
	if !ours {
		return portal.ErrNotPortal
	}
	_, err := own.years(ctx)
	return err
}

// Open returns the portal at an address.
func Open(ctx context.Context, cfg portal.Config) (*Source, error) {
	root, err := rootOf(cfg.URL)
	if err != nil {
		return nil, err
	}
	client, err := portal.NewClient(ctx, cfg, root)
	if err != nil {
		return nil, err
	}
	return &Source{cfg: cfg, client: client, root: root}, nil
}

// Close ends it.
func (s *Source) Close() { s.client.Close() }

// Can is what a PrimeGov portal hands over. Votes stand in its documents only.
func (s *Source) Can() portal.Can { return portal.Can{Items: true, Record: true} }

const (
	listPath       = "api/v2/PublicPortal/"
	committeesPath = "api/committee/GetCommitteeesListByShowInPublicPortal"
)

func ask[R any](ctx context.Context, s *Source, path string, read func(body []byte) (R, error)) (R, error) {
	r := fetch.Request{URL: s.root.String() + path, Header: http.Header{"Accept": {"application/json"}}, MaxBytes: maxBytes}
	return portal.Ask(ctx, s.client, r, func(body []byte, _ fetch.Meta) (R, error) { return read(body) })
}

func (s *Source) years(ctx context.Context) ([]int, error) {
	return ask(ctx, s, listPath+"GetArchivedMeetingYears", DecodeYears)
}

// committees are the bodies that the portal shows; none where it does not answer that.
func (s *Source) committees(ctx context.Context) ([]Committee, error) {
	found, err := ask(ctx, s, committeesPath, DecodeCommittees)
	if portal.Refused(err) {
		return nil, nil
	}
	return found, err
}

// Bodies are the committees that the portal shows; without them the titles of meetings say whose they are.
func (s *Source) Bodies(ctx context.Context) ([]portal.Body, error) {
	committees, err := s.committees(ctx)
	if len(committees) == 0 {
		return nil, err
	}
	out := make([]portal.Body, len(committees))
	for i, c := range committees {
		out[i] = portal.Body{ID: strconv.FormatInt(c.ID, 10), Name: c.Name}
	}
	return out, nil
}

// Meetings lists the meetings to come, and those of each year of the window. Those to come are read first: a meeting that
// moves on while the lists are read is then in both, and not in neither.
func (s *Source) Meetings(ctx context.Context, w portal.Window) ([]portal.Meeting, error) {
	names := map[int64]string{}
	committees, err := s.committees(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range committees {
		names[c.ID] = c.Name
	}
	var length portal.Length
	decode := func(body []byte) ([]Meeting, error) {
		if err := length.Add(len(body)); err != nil {
			return nil, err
		}
		return DecodeMeetings(body, s.cfg.Zone)
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

func (s *Source) meeting(m Meeting, names map[int64]string) portal.Meeting {
	body := m.Body(names)
	out := portal.Meeting{
		ID: strconv.FormatInt(m.ID, 10), URL: s.root.JoinPath(portalPath).String(), Body: body, Type: reading.TypeOf(m.Title, body), Title: reading.WithoutState(m.Title), Starts: m.Starts,
		Location: m.Location, State: m.State, StateWord: m.Word, VideoURL: m.VideoURL, Said: m.Said,
	}
	out.Documents, out.Agenda, out.Minutes = documents(m.Documents, s.root, s.cfg.Kinds)
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

// documents are those of a meeting. Of one kind a web page comes first: it says more surely than a PDF what belongs together.
func documents(docs []Document, root *url.URL, own map[string]portal.Kind) (out []portal.Document, agenda, minutes portal.Papers) {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b Document) int { return rank(a) - rank(b) })
	for _, d := range docs {
		doc := portal.Document{ID: strconv.FormatInt(d.ID, 10), Kind: reading.KindOf(d.Name, own), Name: d.Name, Published: d.Published}
		template := strconv.FormatInt(d.TemplateID, 10)
		switch d.Output {
		case OutputPage:
			doc.Format, doc.URL = portal.HTML, root.String()+pagePath+template
		default:
			doc.URL = root.String() + "Public/CompiledDocument?meetingTemplateId=" + template + "&compileOutputType=" + strconv.Itoa(d.Output)
			if d.Output == OutputPDF {
				doc.Format = portal.PDF
			}
		}
		out = append(out, doc)
		papers := reading.PapersOf(d.Name)
		papers.Published = d.Published
		switch {
		case doc.Kind == portal.KindAgenda && agenda.Published.IsZero():
			agenda = papers
		case doc.Kind == portal.KindMinutes && minutes.Published.IsZero():
			minutes = papers
		}
	}
	return out, agenda, minutes
}

func rank(d Document) int {
	if d.Output == OutputPage {
		return 0
	}
	return 1
}

// pagePath is the path of a document as a web page, before the number of its template.
const pagePath = "Portal/Meeting?meetingTemplateId="

// pageFor is the document that the items are read from: of the web pages the agenda, else what was decided, else the packet.
func pageFor(docs []portal.Document) *portal.Document {
	for _, kind := range []portal.Kind{portal.KindAgenda, portal.KindMinutes, portal.KindActions, portal.KindPacket} {
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
func (s *Source) Fetch(ctx context.Context, m portal.Meeting, _ *portal.Bundle) (portal.Bundle, error) {
	b := portal.Bundle{Product: name, Root: s.root.String()}
	b.Add(meetingPath+m.ID, 0, m.Said)
	page := pageFor(m.Documents)
	if page == nil || m.State.Off() {
		return b, nil
	}
	path := strings.TrimPrefix(page.URL, s.root.String())
	_, err := portal.Ask(ctx, s.client, fetch.Request{URL: page.URL, MaxBytes: maxBytes}, func(body []byte, meta fetch.Meta) ([]Block, error) {
		b.Answers = b.Answers[:1]
		body = scrub(portal.UTF8(body, meta.ContentType))
		if closed(body) {
			b.Add(path, http.StatusForbidden, nil)
			return nil, nil
		}
		b.Add(path, 0, body)
		return DecodePage(body, s.root)
	})
	var answer *fetch.StatusError
	if errors.As(err, &answer) && portal.Refused(err) {
		b.Add(path, answer.Code, nil) // the page is for those who log in, or was taken down
		return b, nil
	}
	return b, err
}

// ErrClosed says that a page is shown only to those who log in.
var ErrClosed = errors.New("the portal shows the page only to those who log in")

// File returns a document. A web page comes without the tokens of our session, which are another every time.
func (s *Source) File(ctx context.Context, address string, have portal.Validators, maxBytes int64) (portal.File, error) {
	file, err := s.client.File(ctx, address, have, maxBytes)
	if err != nil || file.NotModified || !strings.Contains(address, pagePath) {
		return file, err
	}
	file.Bytes = scrub(file.Bytes)
	if closed(file.Bytes) {
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

// closed reports whether a page asks for a password in place of the document.
func closed(page []byte) bool { return !IsPage(page) && password.Match(page) }

// Read turns archived answers into what they say of the meeting.
func Read(b portal.Bundle, r portal.Reading) (portal.Detail, error) {
	root, err := url.Parse(b.Root)
	if err != nil || len(b.Answers) == 0 || !strings.HasPrefix(b.Answers[0].Path, meetingPath) {
		return portal.Detail{}, fmt.Errorf("read bundle of a PrimeGov portal: %w", portal.ErrNotPortal)
	}
	m, ok, err := decodeMeeting(b.Answers[0].Body, r.Zone)
	if err != nil || !ok {
		return portal.Detail{}, fmt.Errorf("read bundle of a PrimeGov portal: %w: it is no meeting: %w", portal.ErrNotPortal, err)
	}
	d := portal.Detail{Starts: m.Starts, Location: m.Location, State: m.State, VideoURL: m.VideoURL}
	d.Documents, d.Agenda, d.Minutes = documents(m.Documents, root, r.Kinds)
	d.HasMinutes = portal.Find(d.Documents, string(portal.KindMinutes), string(portal.KindActions)) != nil
	d.NoItems = len(b.Answers) < 2 || b.Answers[1].Status != 0
	if d.NoItems {
		return d, nil
	}
	blocks, err := DecodePage(b.Answers[1].Body, root)
	if err != nil {
		return portal.Detail{}, err
	}
	d.Items = Items(blocks)
	return d, nil
}
