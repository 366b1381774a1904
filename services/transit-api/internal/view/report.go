package view

import "github.com/townline/townline/pkg/site"

// FeedReport is what an import found in a feed, for those who make it. What it says of rules is in English alone; English says whether
// the page is.
type FeedReport struct {
	site.Head
	English bool
	Lead    string // in a sentence
	AsOf    string
	Groups  []ReportGroup
	Files   []ReportFile
}

// A ReportGroup is the findings of one severity.
type ReportGroup struct {
	Title, About string
	Findings     []ReportFinding
}

// A ReportFinding is one kind of finding.
type ReportFinding struct {
	Code, Message, Advice string
	Count                 string
	Places                []string
	Examples              []ReportExample
}

// A ReportExample is one finding.
type ReportExample struct{ File, Line, Field, Value, Effect string }

// A ReportFile is the rows of one file.
type ReportFile struct {
	Name                                           string
	Read, LeftOut, Added, Changed, Removed, AsWere int64
}
