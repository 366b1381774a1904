package primegov

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// A Block is one part of a web page: a section, an item, what is printed of a vote, or text between them. The same page always gives the same blocks.
type Block struct {
	Kind  BlockKind
	Item  portal.Item // of a section or an item
	Lines []string    // what the part says beyond its number and title; of a vote one line a row
}

// BlockKind is what a part of a page is.
type BlockKind int

// The kinds of blocks.
const (
	TextBlock BlockKind = iota
	SectionBlock
	ItemBlock
	VoteBlock
)

// The marks of a page of this product: what items and sections carry, in each of its dialects.
const (
	sectionID = "data-sectionid"
	itemID    = "data-itemid"
)

// contents is where the document stands on a page of the portal.
const contents = "MeetingContents"

// IsPage reports whether a web page is one that the product makes of agendas, actions and minutes.
func IsPage(data []byte) bool {
	return bytes.Contains(data, []byte(itemID+"=")) || bytes.Contains(data, []byte(sectionID+"=")) || bytes.Contains(data, []byte(`id="`+contents+`"`))
}

// DecodePage reads a web page, which was fetched from at.
func DecodePage(data []byte, at *url.URL) ([]Block, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("read page: %w: it has more than %d bytes", portal.ErrNotPortal, maxBytes)
	}
	// Half a page would look like items that vanished.
	if tail := bytes.ToLower(data[max(0, len(data)-64<<10):]); !IsPage(data) || !bytes.Contains(tail, []byte("</html>")) {
		return nil, fmt.Errorf("read page: %w: it has no document, or no end", portal.ErrNotPortal)
	}
	root, err := portal.ParsePage(data)
	if err != nil {
		return nil, fmt.Errorf("read page: %w: %w", portal.ErrNotPortal, err)
	}
	r := pageReader{at: at, seen: map[string]bool{}, holding: map[*html.Node]bool{}}
	if c := find(root, func(n *html.Node) bool { return attr(n, "id") == contents }); c != nil {
		root = c
	}
	each(root, func(n *html.Node) {
		for at := n; marks(n) && at != nil && !r.holding[at]; at = at.Parent {
			r.holding[at] = true
		}
	})
	r.walk(root, 0)
	r.text()
	return r.blocks, nil
}

// Items are the sections and items of a page.
func Items(blocks []Block) []portal.Item {
	var out []portal.Item
	for _, b := range blocks {
		if b.Kind == SectionBlock || b.Kind == ItemBlock {
			out = append(out, b.Item)
		}
	}
	return out
}

type pageReader struct {
	at      *url.URL
	blocks  []Block
	seen    map[string]bool     // sections and items
	pending []*html.Node        // text that is not written yet
	holding map[*html.Node]bool // nodes with a section or an item at or below them
	lines   int
	under   bool // a section
}

// maxDepth is deeper than pages nest; the reader of HTML itself ends at 512.
const maxDepth = 600

// walk goes through the page in its order.
func (r *pageReader) walk(n *html.Node, depth int) {
	if depth > maxDepth || len(r.blocks) > maxItems*2 || furniture(n) {
		return
	}
	if marks(n) {
		section, item := attr(n, sectionID), attr(n, itemID)
		switch {
		case item != "" && !r.seen["item "+item]:
			r.seen["item "+item] = true
			r.item(n, item)
			return
		case section != "" && !r.seen["section "+section]:
			r.seen["section "+section] = true
			r.section(n, section, depth)
			return
		}
	}
	// What holds no section and no item is text, or the rows of a vote.
	if n.Type == html.TextNode || n.Type == html.ElementNode && !r.holding[n] {
		if n.Type == html.ElementNode && parted[n.DataAtom] {
			r.text()
			r.pending = append(r.pending, n)
			r.text()
			return
		}
		r.pending = append(r.pending, n)
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, depth+1)
	}
}

// parted are the elements that are a paragraph or more by themselves.
var parted = map[atom.Atom]bool{atom.Table: true, atom.Div: true, atom.P: true, atom.Ul: true, atom.Ol: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true}

// voteLine begins what is printed of a vote; voteLabel any row of it.
var (
	voteLine  = regexp.MustCompile(`(?i)^(?:RESULT|FINAL RESULT|MOVER|MOVED BY|AYES?|YEAS?|YES)\s*:`)
	voteLabel = regexp.MustCompile(`\b((?i:FINAL )?(?i:RESULT)|MOVER|MOVED BY|SECONDER|SECONDED BY|AYES?|YEAS?|NAYS?|NOES|PRESENT|ABSENT|ABSTAIN(?:ED|ING)?|ABSTENTIONS?|RECUSED?|EXCUSED)\s*:`)
)

// text writes down the text that was collected.
func (r *pageReader) text() {
	var lines []string
	for _, n := range r.pending {
		lines = append(lines, reading.Lines(n, furniture)...)
	}
	r.pending = r.pending[:0]
	r.add(lines)
}

// add writes lines down as rows of a vote, where they are, and else as text.
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
		if last := len(r.blocks) - 1; last >= 0 && r.blocks[last].Kind == VoteBlock && !strings.HasPrefix(strings.ToUpper(rows[0]), "RESULT") {
			r.blocks[last].Lines = append(r.blocks[last].Lines, rows...)
			return
		}
		r.blocks = append(r.blocks, Block{Kind: VoteBlock, Lines: rows})
		return
	}
	r.blocks = append(r.blocks, Block{Kind: TextBlock, Lines: lines})
}

// voteRows are the rows of a vote, each with its label and value: several may stand on one line, and a value on lines of its own.
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

// section reads the heading of a section, and goes on with what stands below it.
func (r *pageReader) section(n *html.Node, id string, depth int) {
	r.text()
	heading := find(n, func(c *html.Node) bool { return hasClass(c, "section-row") })
	row := heading
	if row == nil {
		row = find(n, func(c *html.Node) bool { return c.DataAtom == atom.Tr })
	}
	if row == nil {
		row = n
	}
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
	for _, c := range others(n, row) {
		r.walk(c, depth+1)
	}
	r.text()
}

// item reads an item, and the rows of a vote that stand in the same table.
func (r *pageReader) item(n *html.Node, id string) {
	r.text()
	row := find(n, func(c *html.Node) bool { return c.DataAtom == atom.Tr })
	if row == nil {
		row = n
	}
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
	it.Title = council.Clip(strings.Join(lines[:vote], " "), maxText)
	if it.Title == "" {
		it.Title = it.FileNumber
	}
	it.Attachments = r.attachments(n)
	r.blocks = append(r.blocks, Block{Kind: ItemBlock, Item: it, Lines: lines[:vote]})
	r.add(lines[vote:])
	for _, c := range others(n, row) {
		r.add(reading.Lines(c, furniture))
	}
}

// cells are the number and the lines of the title in the first row of a table: cells with buttons and icons say nothing.
func (r *pageReader) cells(row *html.Node) (number string, lines []string) {
	var texts [][]string
	if row.DataAtom != atom.Tr {
		return "", reading.Lines(row, furniture)
	}
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th || furniture(c) {
			continue
		}
		if text := reading.Lines(c, furniture); len(text) > 0 {
			texts = append(texts, text)
		}
	}
	if len(texts) > 1 && len(texts[0]) == 1 && isNumber(texts[0][0]) {
		number, texts = texts[0][0], texts[1:]
	}
	return number, slices.Concat(texts...)
}

// outlineNumbers are what stands in the cell before a title: "1.", "(12)", "IV.", "A.", "7.B.1".
var outlineNumbers = regexp.MustCompile(`^\(?(?:\d{1,4}|[A-Za-z]{1,2}|[IVXLCivxlc]{1,7})(?:[.\-](?:\d{1,4}|[A-Za-z]{1,2}))*[.):]{0,2}$`)

func isNumber(s string) bool { return outlineNumbers.MatchString(s) }

// fileNumbers are lines that are nothing but the number of a matter: "CMA 2026-268", "25-0160-S93", "POR 2026 #12", "O-2026-7".
var fileNumbers = regexp.MustCompile(`^(?:(?:[A-Z]{1,4}[ -]?){1,2}\d{2,4}[-–]\d{1,5}|\d{2}[-–]\d{3,5}|\d{4}[-–]\d{1,5}|[A-Z]{1,4} \d{4} ?#\d{1,5})(?:[-–][A-Z]?\d{1,4})?$`)

// fileNumber takes the number of the matter out of the lines of an item.
func fileNumber(lines []string) (string, []string) {
	at := slices.IndexFunc(lines, fileNumbers.MatchString)
	if at < 0 {
		return "", lines
	}
	return lines[at], slices.Concat(lines[:at], lines[at+1:])
}

// attachment is the address of an attachment, which stays.
var attachment = regexp.MustCompile(`(?i)/historyattachment/?\?`)

func (r *pageReader) attachments(n *html.Node) []portal.Document {
	var out []portal.Document
	each(n, func(a *html.Node) {
		if a.DataAtom != atom.A || len(out) == maxFiles || r.at == nil || !attachment.MatchString(attr(a, "href")) {
			return
		}
		u, err := r.at.Parse(attr(a, "href"))
		if err != nil || u.Host != r.at.Host {
			return
		}
		query := url.Values{}
		for _, key := range []string{"historyId", "uid"} {
			if v := u.Query().Get(key); v != "" {
				query.Set(key, v)
			}
		}
		u.RawQuery, u.Fragment = query.Encode(), ""
		d := portal.Document{ID: query.Get("historyId"), Kind: portal.KindAttachment, Name: council.Clip(strings.Join(reading.Lines(a, nil), " "), maxText), URL: u.String()}
		if !slices.ContainsFunc(out, func(o portal.Document) bool { return o.URL == d.URL }) {
			out = append(out, d)
		}
	})
	return out
}

// furniture is what a page shows that is no part of its document: buttons, icons, what is hidden, and scripts.
func furniture(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return n.Type == html.CommentNode
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Button, atom.Input, atom.Select, atom.Head, atom.Title, atom.Img, atom.Svg, atom.Nav:
		return true
	}
	for class := range strings.FieldsSeq(attr(n, "class")) {
		switch class {
		case "optionalButtonsCell", "optionalButtons", "attachmentCell", "attachment-cell", "attachment-icon-holder", "item_contents", "item-confidential-area", "shareButtons", "sharebuttons", "sr-only", "GoogleTranslate", "modal":
			return true
		}
	}
	return strings.Contains(strings.ReplaceAll(attr(n, "style"), " ", ""), "display:none")
}

// marks reports whether a node is a section or an item. Cells inside an item carry its id, too.
func marks(n *html.Node) bool {
	return n.Type == html.ElementNode && (n.DataAtom == atom.Table || n.DataAtom == atom.Div) && (attr(n, sectionID) != "" || attr(n, itemID) != "")
}

// others are the nodes below n that stand beside one of them, or beside what it stands in, and after it.
func others(n, but *html.Node) []*html.Node {
	var out []*html.Node
	for at := but; at != nil && at != n; at = at.Parent {
		for c := at.NextSibling; c != nil; c = c.NextSibling {
			out = append(out, c)
		}
	}
	return out
}

// find returns the first node at or below n that is meant; nil without one.
func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && is(n) {
		return n
	}
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && is(c) {
			return c
		}
	}
	return nil
}

func each(n *html.Node, do func(*html.Node)) {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode {
			do(c)
		}
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}
