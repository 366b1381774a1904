package portal

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// A VoteRecord is one vote as the page of a legislative file has it: rows of
// label and value, in order, as printed.
type VoteRecord struct {
	MeetingID int64
	Rows      [][2]string // {"RESULT:", "ADOPTED [4 TO 1]"}, {"MOVER:", "Jane Doe, Councilmember"} …
}

// ParseVotes reads the history on the page of a legislative file, which was
// fetched from page: the votes taken at each meeting, oldest or newest first as printed. Labels
// differ from city to city and are kept as they are.
func ParseVotes(body []byte, page *url.URL) ([]VoteRecord, error) {
	doc, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read page of a file: %w", err)
	}
	if doc.Find("[id$=_lblLegiFileTitle], table.MeetingHistory, #divBody").Length() == 0 {
		return nil, fmt.Errorf("read page of a file: %w", ErrNotPortal)
	}
	var records []VoteRecord
	meeting := int64(0)
	for _, tr := range doc.Find("table.MeetingHistory tr").EachIter() {
		if !tr.Closest("table").HasClass("MeetingHistory") {
			continue // a row of a vote
		}
		if tr.HasClass("HistorySection") {
			meeting = param(resolve(page, tr.Find(".Date a").AttrOr("href", "")), "ID")
			continue
		}
		for _, table := range tr.ChildrenFiltered("td").Find("table.VoteRecord").EachIter() {
			r := VoteRecord{MeetingID: meeting}
			for _, row := range table.Find("tr").EachIter() {
				cells := row.ChildrenFiltered("td, th") // the first one is the label, whatever its class
				label, value := fold(cells.First().Text()), fold(cells.Slice(min(1, cells.Length()), cells.Length()).Text())
				if label != "" {
					if !strings.HasSuffix(label, ":") {
						label += ":"
					}
					r.Rows = append(r.Rows, [2]string{label, value})
				}
			}
			if meeting > 0 && len(r.Rows) > 0 {
				records = append(records, r)
			}
		}
	}
	return records, nil
}

// present reports whether a page's hidden input has a value; absent documents have an input without one.
func present(field *goquery.Selection) bool { return param("?ID="+field.AttrOr("value", ""), "ID") > 0 }
