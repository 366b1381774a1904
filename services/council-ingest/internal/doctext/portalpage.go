package doctext

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

// PrimeGov publishes actions and minutes as pages of its own make, which say of each part whether
// it is a section, an item, or rows of a vote. They are written down in the form of minutes, so
// that the one parser reads them and nothing depends on how a page looks.

// portalPage returns such a page as the text of minutes; ok is false for other pages, and for one
// without anything of a vote.
func portalPage(data []byte) (text string, ok bool) {
	if !primegov.IsPage(data) {
		return "", false
	}
	blocks, err := primegov.DecodePage(data, nil)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	votes, items := 0, 0
	for _, block := range blocks {
		switch block.Kind {
		case primegov.SectionBlock:
			fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(strings.TrimSpace(block.Item.Number+" "+block.Item.Title)))
		case primegov.ItemBlock:
			items++
			fmt.Fprintf(&b, "\n      %s  %s\n", itemNumber(block.Item.Number), block.Item.Title)
			if n := block.Item.FileNumber; n != "" && n != block.Item.Title {
				fmt.Fprintf(&b, "      %s\n", n)
			}
			b.WriteString("\n")
		case primegov.VoteBlock:
			votes++
			b.WriteString("\n")
			for _, row := range resultFirst(block.Lines) {
				fmt.Fprintf(&b, "       %-13s %s\n", row[0], row[1])
			}
			b.WriteString("\n")
		case primegov.TextBlock:
			b.WriteString("\n")
			for _, line := range rollLines(block.Lines) {
				fmt.Fprintf(&b, "%s\n", line)
			}
			b.WriteString("\n")
		}
	}
	return b.String(), votes > 0 && items > 0
}

// resultFirst are the rows of a vote as label and value, in the order of minutes: some towns print
// the result last, and call it final.
func resultFirst(lines []string) [][2]string {
	const result = "RESULT:"
	var first, others [][2]string
	for _, line := range lines {
		label, value, _ := strings.Cut(line, ":")
		row := [2]string{strings.ToUpper(strings.TrimSpace(label)) + ":", strings.TrimSpace(value)}
		if row[0] == "FINAL "+result {
			row[0] = result
		}
		if row[0] == result && len(first) == 0 {
			first = append(first, row)
		} else {
			others = append(others, row)
		}
	}
	return append(first, others...)
}

// itemNumber is a number as agendas print it; brackets around it are the page's.
func itemNumber(n string) string {
	if bare := strings.Trim(n, "()"); bare != n && bare != "" {
		return bare + "."
	}
	return n
}

// rollLabel is a line that names are below.
var rollLabel = regexp.MustCompile(`(?i)^(present|absent|excused|late|remote|also present)\s*:$`)

// rollLines puts the names of a list of who is there behind its label.
func rollLines(lines []string) []string {
	var out []string
	under := false
	for _, line := range lines {
		label := rollLabel.MatchString(line)
		if under && !label {
			sep := ", "
			if strings.HasSuffix(out[len(out)-1], ":") {
				sep = " "
			}
			out[len(out)-1] += sep + line
			continue
		}
		under = label
		if label {
			line = strings.ToUpper(line)
		}
		out = append(out, line)
	}
	return out
}
