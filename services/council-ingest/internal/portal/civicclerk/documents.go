package civicclerk

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// textOf is what the plain text of a file is called, which the vendor makes of it.
func textOf(name string) string { return name + " (text)" }

// documents are the published files. Minutes are there as plain text, too, behind the file itself: its pages can be cited.
func documents(files []File, api *url.URL, own map[string]portal.Kind) (docs []portal.Document, agenda, minutes portal.Papers) {
	for _, f := range files {
		kind, known := own[portal.FoldName(f.Name)]
		if !known {
			kind = reading.KindOf(f.Word(), own)
		}
		doc := portal.Document{ID: strconv.FormatInt(f.ID, 10), Kind: kind, Name: f.Word(), URL: fileAddress(api, f.ID, false), Published: f.Published}
		docs = append(docs, doc)
		papers := reading.PapersOf(f.Name)
		papers.Published = f.Published
		switch kind {
		case portal.KindAgenda:
			agenda = papers
		case portal.KindMinutes:
			minutes = papers
			doc.Format, doc.Name, doc.URL = portal.Text, textOf(doc.Name), fileAddress(api, f.ID, true)
			docs = append(docs, doc)
		}
	}
	return docs, agenda, minutes
}

// DecodeCategories reads the answer of EventCategories: the bodies.
func DecodeCategories(body []byte) ([]portal.Body, error) {
	var raw struct {
		Value portal.List `json:"value"`
	}
	err := decode(body, &raw)
	if err == nil {
		err = raw.Value.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	return reading.Bodies(raw.Value, "categoryDesc", maxName)
}
