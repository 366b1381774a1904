package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/session"
	transitapi "github.com/townline/townline/services/transit-api"
)

// A served has the contents of the configuration files; nil for an unreadable file.
type served struct {
	transit *conf.Transit
	council *councilingest.Settings
}

// checkConfiguration reads the settings as the services do.
func (p *report) checkConfiguration() served {
	var cfg served
	_, errs := session.Environment(p.s.Env, p.only)
	for _, err := range errs {
		p.note("configuration", "environment", statusProblem, err.Error(),
			"correct the variable; `townline config` lists every setting with its meaning")
	}
	if p.half("transit") {
		cfg.transit = p.checkTransitFile()
	}
	if p.half("council") {
		cfg.council = p.checkCouncilFile()
	}
	if len(errs) == 0 {
		p.note("configuration", "environment", statusOK, "every variable can be read", "")
	}
	return cfg
}

func (p *report) hasFile(half string) bool {
	if half == "transit" {
		return p.s.Set.TransitConfig != ""
	}
	return p.s.Set.CouncilConfig != ""
}

func otherHalf(half string) string {
	if half == "transit" {
		return "council"
	}
	return "transit"
}

func (p *report) checkTransitFile() *conf.Transit {
	const what = "transit.yaml"
	path := p.s.Set.TransitConfig
	if path == "" && p.hasFile("council") && p.only == "" {
		p.note("configuration", what, statusSkipped, "there is no TRANSIT_CONFIG: the transit half is not used here", "")
		return &conf.Transit{}
	}
	if path == "" {
		p.note("configuration", what, statusWarning, "there is no TRANSIT_CONFIG: feeds are imported by hand only, and no "+
			"client may read them", "write one after deploy/transit.yaml, and set TRANSIT_CONFIG to its path")
		return &conf.Transit{}
	}
	t, err := conf.ReadTransit(path, p.s.Env)
	if err == nil {
		err = transitapi.CheckConfig(path, p.s.Env)
	}
	if err != nil {
		p.noteLines(what, err)
		return nil
	}
	granted := false
	for _, permissions := range t.Access.Roles {
		granted = granted || len(permissions) > 0
	}
	if !granted {
		p.note("configuration", what, statusWarning, "no role may read anything: every request will be refused",
			"grant permissions under access.roles; to open all data to everyone: {anonymous: [discovery, static, realtime, "+
				"display]}")
		return t
	}
	p.note("configuration", what, statusOK, fmt.Sprintf("%s; %s", council.Count(len(t.Feeds), "feed"),
		council.Count(len(t.Access.Roles), "role")), "")
	if m := t.Display.Map; m.Style == "" && m.PMTiles == "" {
		p.note("configuration", what+", map", statusOK, "maps show lines and stops without streets",
			"for streets, run townline map and set display.map: deploy/docs/webmaster.md has the steps")
	}
	return t
}

func (p *report) checkCouncilFile() *councilingest.Settings {
	const what = "council.yaml"
	path := p.s.Set.CouncilConfig
	if path == "" && p.hasFile("transit") && p.only == "" {
		p.note("configuration", what, statusSkipped, "there is no COUNCIL_CONFIG: the council half is not used here, or "+
			"its minutes are loaded by hand", "")
		return nil
	}
	if path == "" {
		p.note("configuration", what, statusWarning, "there is no COUNCIL_CONFIG: minutes are loaded by hand only",
			"write one after deploy/council.yaml, and set COUNCIL_CONFIG to its path")
		return nil
	}
	set, err := councilingest.ReadSettings(path, p.s.Env)
	if err != nil {
		p.noteLines(what, err)
		return nil
	}
	p.note("configuration", what, statusOK, "body "+set.Body+", time zone "+set.TimeZone, "")
	return set
}

// noteLines adds one finding per line of a configuration error, because each line is a separate
// mistake.
func (p *report) noteLines(what string, err error) {
	for _, one := range session.Mistakes(err) {
		p.note("configuration", what, statusProblem, one.Error(), "correct the file; deploy/"+what+" shows every key")
	}
}

// Less free space than this is a problem: an import stages a whole feed, and a private server keeps
// all data.
const (
	lowSpace  = 2 << 30
	wantSpace = 10 << 30
)

// checkDisk checks the space for temporary files and for the private servers.
func (p *report) checkDisk() {
	places := map[string]string{"temporary files": os.TempDir()}
	if p.s.Set.DatabaseURL == "" {
		places["private servers"] = nearest(p.s.Set.Data)
	}
	for what, dir := range places {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			p.note("disk", what, statusProblem, "the folder cannot be read: "+err.Error(),
				"create it, or choose another: TMPDIR for temporary files, --data for private servers")
			continue
		}
		free := fs.Bavail * uint64(fs.Bsize)
		found := fmt.Sprintf("%.1f GB free", float64(free)/1e9)
		switch {
		case free < lowSpace:
			p.note("disk", what, statusProblem, found, "free some space: an import of a large feed takes gigabytes")
		case free < wantSpace:
			p.note("disk", what, statusWarning, found, "free some space before it is full")
		default:
			p.note("disk", what, statusOK, found, "")
		}
	}
}

// nearest returns the folder or, if it does not exist, its nearest existing parent.
func nearest(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}
