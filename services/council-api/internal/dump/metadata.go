package dump

import (
	"encoding/json"
	"fmt"
	"strings"
)

// License is the address of the license, the public domain mark.
const License = "https://creativecommons.org/publicdomain/mark/1.0/"

// These types are the parts of a W3C table group description that the files need.
type (
	tableGroup struct {
		Context  []any       `json:"@context"`
		ID       string      `json:"@id"`
		Title    string      `json:"dc:title"`
		License  idRef       `json:"dc:license"`
		Modified typedValue  `json:"dc:modified"`
		Coverage string      `json:"dc:coverage,omitempty"` // Open Civic Data division
		Tables   []tableMeta `json:"tables"`
	}
	tableMeta struct {
		URL         string      `json:"url"`
		Description string      `json:"dc:description"`
		Schema      tableSchema `json:"tableSchema"`
	}
	tableSchema struct {
		Columns     []columnMeta `json:"columns"`
		PrimaryKey  []string     `json:"primaryKey"`
		ForeignKeys []foreignKey `json:"foreignKeys,omitempty"`
	}
	columnMeta struct {
		Name        string `json:"name"`
		Titles      string `json:"titles"`
		Description string `json:"dc:description"`
		Datatype    kind   `json:"datatype"`
		Required    bool   `json:"required,omitempty"`
	}
	foreignKey struct {
		Columns   string    `json:"columnReference"`
		Reference reference `json:"reference"`
	}
	reference struct {
		Resource string `json:"resource"`
		Columns  string `json:"columnReference"`
	}
	idRef struct {
		ID string `json:"@id"`
	}
	typedValue struct {
		Value string `json:"@value"`
		Type  string `json:"@type"`
	}
)

func (s *Set) metadata(base string) ([]byte, error) {
	g := tableGroup{
		Context: []any{"http://www.w3.org/ns/csvw", map[string]string{"@language": "en"}}, ID: base + "/export/tables/" +
			Metadata,
		Title: "Council votes", License: idRef{License}, Modified: typedValue{s.asOf(), "xsd:dateTime"},
		Coverage: s.division,
	}
	for _, t := range s.tables {
		m := tableMeta{URL: t.name + ".csv", Description: t.doc, Schema: tableSchema{PrimaryKey: t.key}}
		for _, c := range t.columns {
			m.Schema.Columns = append(m.Schema.Columns, columnMeta{c.name, c.name, c.doc, c.kind, c.required})
			if other, key, ok := strings.Cut(c.ref, "."); ok {
				m.Schema.ForeignKeys = append(m.Schema.ForeignKeys, foreignKey{c.name, reference{other + ".csv", key}})
			}
		}
		g.Tables = append(g.Tables, m)
	}
	b, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe the CSV files: %w", err)
	}
	return append(b, '\n'), nil
}

func (s *Set) asOf() string { return s.Time.UTC().Format("2006-01-02T15:04:05Z") }
