package doctext

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal/primegov"
)

// portalPage converts a page of PrimeGov to the text of minutes, for the minutes parser. The page
// marks each of its parts as section, item or vote. ok is false for other pages, and for pages
// without votes.
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

// resultFirst returns the rows of a vote as pairs of label and value. It moves the result to the
// front, because some towns print it last, as FINAL RESULT.
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

func itemNumber(n string) string {
	if bare := strings.Trim(n, "()"); bare != n && bare != "" {
		return bare + "."
	}
	return n
}

var rollLabel = regexp.MustCompile(`(?i)^(present|absent|excused|late|remote|also present)\s*:$`)

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
