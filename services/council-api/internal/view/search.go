package view

import "github.com/townline/townline/pkg/site"

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
	Pager
	Report string
}

// A Hit is a place with the words. Without a title its text is the link.
type Hit struct {
	Address, Title string
	Parts          []Part
	Where, Votes   string // day; what became of it
}

// A Part is a piece of a text, found or not.
type Part struct {
	Text  string
	Match bool
}
