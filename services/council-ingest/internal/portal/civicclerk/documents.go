package civicclerk

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/townline/townline/pkg/council"
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
		doc := portal.Document{ID: number(f.ID), Kind: kind, Name: f.Word(), URL: fileAddress(api, f.ID, false), Published: f.Published}
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
		Value *[]json.RawMessage `json:"value"`
	}
	err := decode(body, &raw)
	if err == nil && (raw.Value == nil || len(*raw.Value) > maxRows) {
		err = fmt.Errorf("%w: it has no list, or too long a one", portal.ErrNotPortal)
	}
	if err != nil {
		return nil, fmt.Errorf("read the bodies: %w", err)
	}
	var out []portal.Body
	for _, row := range *raw.Value {
		var c struct {
			ID     id   `json:"id"`
			Name   text `json:"categoryDesc"`
			Public flag `json:"isPublic"`
		}
		if json.Unmarshal(row, &c) != nil || c.ID == 0 || c.Public.is != nil && !*c.Public.is {
			continue
		}
		if name := council.Clip(reading.Fragment(string(c.Name)), maxName); name != "" {
			out = append(out, portal.Body{ID: number(int64(c.ID)), Name: name})
		}
	}
	if len(out) == 0 && len(*raw.Value) > 0 {
		return nil, fmt.Errorf("read the bodies: %w: none has an id and a name", portal.ErrNotPortal)
	}
	return out, nil
}
