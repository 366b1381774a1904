package view

import (
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/snippet"
)

// Search is what was found for some words.
type Search struct {
	site.Head
	Find       Form
	Corrected  string // what was searched for instead, in words
	Members    []Ref
	Items      []Hit
	AllItems   string // address of more
	Motions    []Hit
	Minutes    []Hit
	AllMinutes string // address of more
	Nothing    bool   // was found
	Partial    string // why not all that is printed was searched
	Earlier    Ref    // a search in what was not
	Pager
	Report string
}

// A Hit is a place with the words. Without a title its text is the link.
type Hit struct {
	Address, Title string
	Parts          []snippet.TextPart
	Where          string // day
	Outcome        Outcome
}
