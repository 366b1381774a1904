package publish

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/dataset"
)

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
		Name        string       `json:"name"`
		Titles      string       `json:"titles"`
		Description string       `json:"dc:description"`
		Datatype    dataset.Kind `json:"datatype"`
		Required    bool         `json:"required,omitempty"`
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

// describe returns the metadata of the tables' CSV files.
func describe(tables []dataset.Table, state *State, base string) ([]byte, error) {
	g := tableGroup{
		Context: []any{"http://www.w3.org/ns/csvw", map[string]string{"@language": "en"}},
		ID:      base + "/export/" + dataset.Metadata,
		Title:   "Council votes", License: idRef{dataset.License}, Modified: typedValue{state.asOf(), "xsd:dateTime"},
		Coverage: state.Division,
	}
	for _, t := range tables {
		m := tableMeta{URL: t.Name + ".csv", Description: t.Doc, Schema: tableSchema{PrimaryKey: t.Key}}
		for _, c := range t.Columns {
			m.Schema.Columns = append(m.Schema.Columns, columnMeta{Name: c.Name, Titles: c.Name, Description: c.Doc,
				Datatype: c.Kind, Required: c.Required})
			if other, key, ok := strings.Cut(c.Ref, "."); ok {
				m.Schema.ForeignKeys = append(m.Schema.ForeignKeys, foreignKey{c.Name, reference{other + ".csv", key}})
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
