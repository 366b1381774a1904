package iqm2

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// ParseVotes reads the history on the page of a legislative file, which was
// fetched from page: the votes taken at each meeting, oldest or newest first as printed. Labels
// differ from city to city and are kept as they are.
func ParseVotes(body []byte, page *url.URL) ([]portal.VoteTable, error) {
	doc, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("read page of a file: %w", err)
	}
	if doc.Find("[id$=_lblLegiFileTitle], table.MeetingHistory, #divBody").Length() == 0 {
		return nil, fmt.Errorf("read page of a file: %w", portal.ErrNotPortal)
	}
	var records []portal.VoteTable
	meeting := int64(0)
	for _, tr := range doc.Find("table.MeetingHistory tr").EachIter() {
		if !tr.Closest("table").HasClass("MeetingHistory") {
			continue // a row of a vote
		}
		if tr.HasClass("HistorySection") {
			meeting = param(portal.Resolve(page, tr.Find(".Date a").AttrOr("href", "")), "ID")
			continue
		}
		for _, table := range tr.ChildrenFiltered("td").Find("table.VoteRecord").EachIter() {
			r := portal.VoteTable{MeetingID: strconv.FormatInt(meeting, 10)}
			for _, row := range table.Find("tr").EachIter() {
				cells := row.ChildrenFiltered("td, th") // the first one is the label, whatever its class
				label, value := portal.Fold(cells.First().Text()), portal.Fold(cells.Slice(min(1, cells.Length()), cells.Length()).Text())
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
