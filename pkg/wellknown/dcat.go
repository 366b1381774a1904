package wellknown

import (
	"cmp"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// CatalogPath is the address of the catalogue.
const CatalogPath = "/data.json"

// A Catalog lists the datasets and APIs of a host in the form of DCAT-US 3, the profile of the
// W3C's data catalogue vocabulary that data.gov harvests. Empty fields are left out.
type Catalog struct {
	Type        string         `json:"@type"`
	ID          string         `json:"@id"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	ConformsTo  typed          `json:"conformsTo"`
	Homepage    Document       `json:"homepage"`
	Language    []string       `json:"language"`
	Publisher   typed          `json:"publisher"`
	Dataset     []*Dataset     `json:"dataset"`
	Service     []*DataService `json:"service"`
}

// A typed is an object with a type and a name or title.
type typed struct {
	Type  string `json:"@type"`
	Name  string `json:"name,omitempty"`
	Title string `json:"title,omitempty"`
}

// A Contact is a vCard.
type Contact struct {
	Type  string `json:"@type"`
	Name  string `json:"fn"`
	Email string `json:"hasEmail"`
	Phone string `json:"tel,omitempty"`
}

// A Document is a page for people.
type Document struct {
	Type  string `json:"@type"`
	Title string `json:"title"`
	URL   string `json:"accessURL"`
}

// A Dataset is published in one or more distributions.
type Dataset struct {
	Type         string          `json:"@type"`
	ID           string          `json:"@id"`
	Identifier   string          `json:"identifier"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Publisher    typed           `json:"publisher"`
	Contact      Contact         `json:"contactPoint"`
	Keyword      []string        `json:"keyword"`
	Modified     string          `json:"modified,omitempty"`
	Temporal     []Period        `json:"temporal,omitempty"`
	LandingPage  *Document       `json:"landingPage,omitempty"`
	Distribution []*Distribution `json:"distribution"`
}

// A Period is the time that a dataset covers, in days such as 2026-11-28.
type Period struct {
	Type  string `json:"@type"`
	Start string `json:"startDate,omitempty"`
	End   string `json:"endDate,omitempty"`
}

// A Distribution is a file of a dataset.
type Distribution struct {
	Type        string `json:"@type"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	URL         string `json:"downloadURL"`
	MediaType   string `json:"mediaType"`
	ByteSize    string `json:"byteSize,omitempty"`
	License     string `json:"license,omitempty"`
	Modified    string `json:"modified,omitempty"`
}

// A DataService is an API.
type DataService struct {
	Type        string    `json:"@type"`
	ID          string    `json:"@id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Endpoint    []string  `json:"endpointURL"`
	Described   []string  `json:"endpointDescription,omitempty"`
	Publisher   typed     `json:"publisher"`
	Contact     []Contact `json:"contactPoint"`
}

// NewCatalog returns an empty catalogue. publisher is the organisation that runs the host.
func (h *Host) NewCatalog(publisher, title, description string) *Catalog {
	return &Catalog{Type: "Catalog", ID: h.Root + CatalogPath, Title: title, Description: description,
		ConformsTo: typed{Type: "Standard", Title: "DCAT-US 3.0"},
		Homepage:   Document{Type: "Document", Title: title, URL: h.Root + "/"}, Language: []string{"en"},
		Publisher: typed{Type: "Agent", Name: publisher}, Dataset: []*Dataset{}, Service: []*DataService{}}
}

// Add adds a dataset, which the host's operator publishes unless publisher is another name. address
// is its identifier and must never change.
func (h *Host) Add(c *Catalog, address, publisher string, d *Dataset) {
	d.Type = "Dataset"
	d.ID = address
	d.Identifier = address
	d.Publisher = typed{Type: "Organization", Name: cmp.Or(publisher, c.Publisher.Name)}
	d.Contact = h.contact(c)
	for _, file := range d.Distribution {
		file.Type = "Distribution"
	}
	c.Dataset = append(c.Dataset, d)
}

// AddService adds an API. described is the address of its description; "" for none.
func (h *Host) AddService(c *Catalog, title, description, endpoint, described string) {
	s := &DataService{Type: "DataService", ID: endpoint, Title: title, Description: description,
		Endpoint: []string{endpoint}, Publisher: c.Publisher, Contact: []Contact{h.contact(c)}}
	if described != "" {
		s.Described = []string{described}
	}
	c.Service = append(c.Service, s)
}

func (h *Host) contact(c *Catalog) Contact {
	return Contact{Type: "Kind", Name: c.Publisher.Name, Email: "mailto:" + h.Contact, Phone: telephone(h.Phone)}
}

// telephone returns a number as an address, which the schema wants; "" if it is not only a number.
func telephone(number string) string {
	parts := strings.FieldsFunc(number, func(r rune) bool { return strings.ContainsRune(" \u00a0.()/-", r) })
	address := strings.Join(parts, "-")
	if address == "" || strings.Trim(strings.TrimPrefix(address, "+"), "0123456789-") != "" {
		return ""
	}
	return "tel:" + address
}

// Covers returns the period between two days; nil if both are "".
func Covers(start, end string) []Period {
	if start == "" && end == "" {
		return nil
	}
	return []Period{{Type: "PeriodOfTime", Start: start, End: end}}
}

// Instant writes a time as catalogues do; "" if it is zero.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// CatalogFile encodes a catalogue.
func CatalogFile(c *Catalog) (rest.File, error) {
	b, err := rest.Encode(c)
	return rest.File{Body: b}, err
}
