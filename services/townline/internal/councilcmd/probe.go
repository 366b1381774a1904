package councilcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/townline/townline/pkg/council"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
)

type probeCmd struct {
	URL  string `arg:"" name:"url" help:"Address of a meeting portal, of any of its pages, or of a city's page that links to it."`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (*probeCmd) Help() string {
	return `Identifies the product at the address, its bodies, and the documents that an ingest can read. It sends few
requests, as slowly as an ingest, obeys robots.txt and stores nothing. Its last lines are for council.yaml.`
}

// maxBodies bounds the printed bodies. If there are more, bodies without a meeting are omitted.
const maxBodies = 12

func portalAddress(text string) error {
	if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not the address of a portal: write it with https:// or http://, as "+
			"https://town.legistar.com", text)
	}
	return nil
}

func (c *probeCmd) Run(s *session.Session) error {
	if err := portalAddress(c.URL); err != nil {
		return err
	}
	s.UseDemo()
	file := s.Set.CouncilConfig
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file = "" // the probe prints what to write there
	}
	set, err := councilingest.ReadSettings(file, s.Env)
	if err != nil {
		return err
	}
	found, err := councilingest.Describe(s.Ctx, set, c.URL, s.Set.AllowPrivate)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s\n%s within a year\nbodies:\n", found.Title, found.URL,
		council.Count(found.Meetings, "meeting"))
	for i, body := range found.Bodies {
		if i >= maxBodies && body.Meetings == 0 {
			fmt.Fprintf(&b, "  and %d more\n", len(found.Bodies)-i)
			break
		}
		fmt.Fprintf(&b, "  %s (%d, %s)\n", body.Name, body.Meetings, council.Count(body.Documents, "document"))
	}
	fmt.Fprintln(&b, "readable:")
	for _, what := range found.Readable {
		fmt.Fprintf(&b, "  %s\n", what)
	}
	fmt.Fprintf(&b, "council.yaml:\n  portals:\n  - {url: %q, product: %s, name: %q}", found.URL, found.Product,
		found.Source)
	if len(found.Bodies) > 0 {
		fmt.Fprintf(&b, "\n  body: %q", found.Bodies[0].Name)
	}
	if len(found.Bodies) > 1 {
		fmt.Fprint(&b, "\n  bodies:")
		for _, body := range found.Bodies[1:] {
			fmt.Fprintf(&b, "\n  - {name: %q}", body.Name)
		}
	}
	return s.Print(c.JSON, found, b.String())
}
