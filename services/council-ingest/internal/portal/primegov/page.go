package primegov

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// A Block is a part of a web page: a section, an item, a printed vote, or text.
type Block struct {
	Kind  BlockKind
	Item  portal.Item // for a section or an item
	Lines []string    // text without number and title; a vote has one line for each row
}

type BlockKind int

const (
	TextBlock BlockKind = iota
	SectionBlock
	ItemBlock
	VoteBlock
)

// Attributes of sections and items, in all versions of the product.
const (
	sectionID = "data-sectionid"
	itemID    = "data-itemid"
)

const contents = "MeetingContents"

// IsPage reports whether a web page is an agenda, actions or minutes of this product.
func IsPage(data []byte) bool {
	return bytes.Contains(data, []byte(itemID+"=")) || bytes.Contains(data, []byte(sectionID+"=")) ||
		bytes.Contains(data, []byte(`id="`+contents+`"`))
}

// DecodePage parses a web page. at is the address of the page.
func DecodePage(data []byte, at *url.URL) ([]Block, error) {
	if !IsPage(data) {
		return nil, fmt.Errorf("read page: %w: it has no document", portal.ErrNotPortal)
	}
	doc, err := portal.ParseWholePage(data)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	root := cmp.Or(first(doc.Nodes[0], "#"+contents), doc.Nodes[0])
	r := pageReader{at: at, seen: map[string]bool{}, holding: map[*html.Node]bool{}}
	for n := range root.Descendants() {
		for at := n; marked.Match(n) && at != nil && !r.holding[at]; at = at.Parent {
			r.holding[at] = true
		}
	}
	r.walk(root)
	r.text()
	return r.blocks, nil
}

type pageReader struct {
	at      *url.URL
	blocks  []Block
	seen    map[string]bool     // sections and items that were read
	pending []*html.Node        // text that does not belong to a block yet
	holding map[*html.Node]bool // nodes that contain a section or an item
	lines   int
	under   bool // a section comes before the current node
}

func (r *pageReader) walk(n *html.Node) {
	if len(r.blocks) > maxItems*2 || furniture.Match(n) {
		return
	}
	if marked.Match(n) {
		at := goquery.NewDocumentFromNode(n)
		section, item := at.AttrOr(sectionID, ""), at.AttrOr(itemID, "")
		switch {
		case item != "" && !r.seen["item "+item]:
			r.seen["item "+item] = true
			r.item(n, item)
			return
		case section != "" && !r.seen["section "+section]:
			r.seen["section "+section] = true
			r.section(n, section)
			return
		}
	}
	switch {
	case n.Type == html.ElementNode && !r.holding[n] && paragraphs[n.DataAtom]:
		r.text()
		r.pending = append(r.pending, n)
		r.text()
	case n.Type == html.TextNode, n.Type == html.ElementNode && !r.holding[n]:
		r.pending = append(r.pending, n) // text, or the rows of a vote
	default:
		for c := range n.ChildNodes() {
			r.walk(c)
		}
	}
}

var paragraphs = map[atom.Atom]bool{atom.Table: true, atom.Div: true, atom.P: true, atom.Ul: true, atom.Ol: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true}

// voteLine matches the first row of a printed vote, voteLabel any of its rows.
var (
	voteLine  = regexp.MustCompile(`(?i)^(?:RESULT|FINAL RESULT|MOVER|MOVED BY|AYES?|YEAS?|YES)\s*:`)
	voteLabel = regexp.MustCompile(
		`\b((?i:FINAL )?(?i:RESULT)|MOVER|MOVED BY|SECONDER|SECONDED BY|AYES?|YEAS?|NAYS?|NOES|PRESENT|ABSENT|ABSTAIN(?:ED|ING)?|ABSTENTIONS?|RECUSED?|EXCUSED)\s*:`)
)

func (r *pageReader) text() {
	var lines []string
	for _, n := range r.pending {
		lines = append(lines, portal.Lines(n, furniture.Match)...)
	}
	r.pending = r.pending[:0]
	r.add(lines)
}

// add adds lines as a vote or, if they are not a vote, as text.
func (r *pageReader) add(lines []string) {
	lines = lines[:min(len(lines), max(maxLines-r.lines, 0))]
	if len(lines) == 0 {
		return
	}
	r.lines += len(lines)
	if at := slices.IndexFunc(lines, voteLine.MatchString); at >= 0 {
		if at > 0 {
			r.blocks = append(r.blocks, Block{Kind: TextBlock, Lines: lines[:at]})
		}
		rows := voteRows(lines[at:])
		if last := len(r.blocks) - 1; last >= 0 && r.blocks[last].Kind == VoteBlock &&
			!strings.HasPrefix(strings.ToUpper(rows[0]), "RESULT") {
			r.blocks[last].Lines = append(r.blocks[last].Lines, rows...)
			return
		}
		r.blocks = append(r.blocks, Block{Kind: VoteBlock, Lines: rows})
		return
	}
	r.blocks = append(r.blocks, Block{Kind: TextBlock, Lines: lines})
}

// voteRows joins and splits lines into rows of label and value. A line can have several rows, and a
// value several lines.
func voteRows(lines []string) []string {
	var out []string
	for _, line := range lines {
		from := 0
		for _, m := range append(voteLabel.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
			row := strings.TrimSpace(line[from:m[0]])
			from = m[0]
			at := voteLabel.FindStringIndex(row)
			switch {
			case row == "":
			case at == nil && len(out) > 0 || at != nil && at[0] > 0 && len(out) > 0:
				out[len(out)-1] += " " + row
			default:
				out = append(out, row)
			}
		}
	}
	return out
}

func (r *pageReader) section(n *html.Node, id string) {
	r.text()
	row := cmp.Or(first(n, ".section-row"), first(n, "tr"), n)
	number, lines := r.cells(row)
	it := portal.Item{ID: "s" + id, Section: true, Number: number}
	if len(lines) > 0 {
		it.Title, lines = lines[0], lines[1:]
	}
	r.under = true
	if it.Title == "" && number != "" {
		it.Title, it.Number = number, ""
	}
	if it.Title != "" {
		it.Title = council.Clip(it.Title, maxText)
		r.blocks = append(r.blocks, Block{Kind: SectionBlock, Item: it})
	}
	r.add(lines)
	for _, c := range following(n, row) {
		r.walk(c)
	}
	r.text()
}

func (r *pageReader) item(n *html.Node, id string) {
	r.text()
	row := cmp.Or(first(n, "tr"), n)
	number, lines := r.cells(row)
	it := portal.Item{ID: id, Number: council.Clip(number, maxName)}
	if r.under {
		it.Level = 1
	}
	it.FileNumber, lines = fileNumber(lines)
	vote := len(lines)
	if at := slices.IndexFunc(lines, voteLine.MatchString); at >= 0 {
		vote = at
	}
	it.Title = cmp.Or(council.Clip(strings.Join(lines[:vote], " "), maxText), it.FileNumber)
	it.Attachments = r.attachments(n)
	r.blocks = append(r.blocks, Block{Kind: ItemBlock, Item: it, Lines: lines[:vote]})
	r.add(lines[vote:])
	for _, c := range following(n, row) {
		r.add(portal.Lines(c, furniture.Match))
	}
}

// cells returns the number and the lines of the title in the first row of a table.
func (r *pageReader) cells(row *html.Node) (number string, lines []string) {
	var texts [][]string
	if row.DataAtom != atom.Tr {
		return "", portal.Lines(row, furniture.Match)
	}
	for c := range row.ChildNodes() {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		if text := portal.Lines(c, furniture.Match); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	if len(texts) > 1 && len(texts[0]) == 1 && outlineNumbers.MatchString(texts[0][0]) {
		number, texts = texts[0][0], texts[1:]
	}
	return number, slices.Concat(texts...)
}

// outlineNumbers matches the cell before a title, such as "1.", "(12)", "IV.", "A." or "7.B.1".
var outlineNumbers = regexp.MustCompile(
	`^\(?(?:\d{1,4}|[A-Za-z]{1,2}|[IVXLCivxlc]{1,7})(?:[.\-](?:\d{1,4}|[A-Za-z]{1,2}))*[.):]{0,2}$`)

// fileNumbers matches lines that only have the number of a matter, such as "CMA 2026-268",
// "25-0160-S93", "POR 2026 #12" or "O-2026-7".
var fileNumbers = regexp.MustCompile(
	`^(?:(?:[A-Z]{1,4}[ -]?){1,2}\d{2,4}[-–]\d{1,5}|\d{2}[-–]\d{3,5}|\d{4}[-–]\d{1,5}|[A-Z]{1,4} \d{4} ?#\d{1,5})(?:[-–][A-Z]?\d{1,4})?$`)

func fileNumber(lines []string) (string, []string) {
	at := slices.IndexFunc(lines, fileNumbers.MatchString)
	if at < 0 {
		return "", lines
	}
	return lines[at], slices.Concat(lines[:at], lines[at+1:])
}

var attachment = regexp.MustCompile(`(?i)/historyattachment/?\?`)

func (r *pageReader) attachments(n *html.Node) []portal.Document {
	var out []portal.Document
	for _, a := range goquery.NewDocumentFromNode(n).Find("a[href]").EachIter() {
		href := a.AttrOr("href", "")
		if len(out) == maxFiles || r.at == nil || !attachment.MatchString(href) {
			continue
		}
		u, err := r.at.Parse(href)
		if err != nil || u.Host != r.at.Host {
			continue
		}
		query := u.Query()
		maps.DeleteFunc(query, func(key string, v []string) bool { return key != "historyId" && key != "uid" || v[0] == "" })
		u.RawQuery, u.Fragment = query.Encode(), ""
		d := portal.Document{ID: query.Get("historyId"), Kind: portal.KindAttachment, URL: u.String(),
			Name: council.Clip(strings.Join(portal.Lines(a.Nodes[0], nil), " "), maxText)}
		if !slices.ContainsFunc(out, func(o portal.Document) bool { return o.URL == d.URL }) {
			out = append(out, d)
		}
	}
	return out
}

// furniture matches the elements that are not part of the document.
var furniture = goquery.Single(`script, style, noscript, template, button, input, select, head, title, img, svg, nav,
	.optionalButtonsCell, .optionalButtons, .attachmentCell, .attachment-cell, .attachment-icon-holder, .item_contents,
	.item-confidential-area, .shareButtons, .sharebuttons, .sr-only, .GoogleTranslate, .modal,
	[style*="display:none"], [style*="display: none"]`)

var marked = goquery.Single("table[data-sectionid], div[data-sectionid], table[data-itemid], div[data-itemid]")

// following returns the nodes below n that come after another node below n.
func following(n, after *html.Node) []*html.Node {
	var out []*html.Node
	for at := after; at != nil && at != n; at = at.Parent {
		for c := at.NextSibling; c != nil; c = c.NextSibling {
			out = append(out, c)
		}
	}
	return out
}

// first returns the first element at or below n that matches, or nil.
func first(n *html.Node, selector string) *html.Node {
	at := goquery.NewDocumentFromNode(n)
	found := at.Filter(selector).AddSelection(at.Find(selector))
	if found.Length() == 0 {
		return nil
	}
	return found.Nodes[0]
}
