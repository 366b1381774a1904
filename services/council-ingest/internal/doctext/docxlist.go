package doctext

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const (
	maxLists = 8 << 20 // bytes of the part with the lists or styles of a document
	levels   = 9       // of a list
)

// listPlace is the list of a paragraph, and its level in it.
type listPlace struct {
	id    string
	level int
	set   bool
	row   bool // the properties are those of a row
}

// listLevel says how the items of a level are numbered.
type listLevel struct {
	Level  string    `xml:"ilvl,attr"`
	Start  listValue `xml:"start"`
	Format listValue `xml:"numFmt"`
	Text   listValue `xml:"lvlText"`
}

type listValue struct {
	Value string `xml:"val,attr"`
}

type listForm struct {
	ID     string      `xml:"abstractNumId,attr"`
	Levels []listLevel `xml:"lvl"`
}

type listPart struct {
	Forms []listForm `xml:"abstractNum"`
	Lists []struct {
		ID   string    `xml:"numId,attr"`
		Form listValue `xml:"abstractNumId"`
		Over []struct {
			Level string    `xml:"ilvl,attr"`
			Start listValue `xml:"startOverride"`
		} `xml:"lvlOverride"`
	} `xml:"num"`
}

type stylePart struct {
	Styles []struct {
		ID    string    `xml:"styleId,attr"`
		List  listValue `xml:"pPr>numPr>numId"`
		Level listValue `xml:"pPr>numPr>ilvl"`
	} `xml:"style"`
}

// docxLists numbers the items of the lists of a document, whose numbers are not in its text.
type docxLists struct {
	forms  map[string]map[int]listLevel // by list
	form   map[string]string            // id of the form of a list
	starts map[string]map[int]int       // where a list begins again
	styles map[string]listPlace
	counts map[string]*[levels]int // by form
}

// listsOf reads the lists of a document. A part that cannot be read has none.
func listsOf(zr *zip.Reader) docxLists {
	l := docxLists{forms: map[string]map[int]listLevel{}, form: map[string]string{}, starts: map[string]map[int]int{},
		styles: map[string]listPlace{}, counts: map[string]*[levels]int{}}
	var part listPart
	readPart(zr, "word/numbering.xml", &part)
	forms := map[string]map[int]listLevel{}
	for _, f := range part.Forms {
		forms[f.ID] = map[int]listLevel{}
		for _, level := range f.Levels {
			forms[f.ID][atoi(level.Level)] = level
		}
	}
	for _, list := range part.Lists {
		l.form[list.ID], l.forms[list.ID] = list.Form.Value, forms[list.Form.Value]
		for _, over := range list.Over {
			if l.starts[list.ID] == nil {
				l.starts[list.ID] = map[int]int{}
			}
			if over.Start.Value != "" {
				l.starts[list.ID][atoi(over.Level)] = atoi(over.Start.Value)
			}
		}
	}
	var styles stylePart
	readPart(zr, "word/styles.xml", &styles)
	for _, s := range styles.Styles {
		if s.List.Value != "" {
			l.styles[s.ID] = listPlace{id: s.List.Value, level: atoi(s.Level.Value), set: true}
		}
	}
	return l
}

func readPart(zr *zip.Reader, name string, into any) {
	f, err := zr.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	_ = xml.NewDecoder(io.LimitReader(f, maxLists)).Decode(into) // what was read before an error holds
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// numberOf returns the number of a paragraph, with a blank behind it, or "".
func (l docxLists) numberOf(place listPlace, style, text string) string {
	if !place.set {
		place = l.styles[style]
	}
	form := l.forms[place.id]
	level, found := form[place.level]
	if place.id == "" || place.id == "0" || !found || place.level < 0 || place.level >= levels {
		return ""
	}
	counts := l.counts[l.form[place.id]]
	if counts == nil {
		counts = new([levels]int)
		l.counts[l.form[place.id]] = counts
	}
	if start, again := l.starts[place.id][place.level]; again {
		counts[place.level] = start - 1
		delete(l.starts[place.id], place.level)
	} else if counts[place.level] == 0 && level.Start.Value != "" {
		counts[place.level] = atoi(level.Start.Value) - 1
	}
	counts[place.level]++
	for deeper := place.level + 1; deeper < levels; deeper++ {
		counts[deeper] = 0
	}
	switch {
	case level.Format.Value == "bullet":
		return "• "
	case level.Format.Value == "none" || portal.StartsWithNumber(strings.TrimSpace(text)):
		return ""
	}
	kinds := map[string]string{"upperLetter": "A", "lowerLetter": "a", "upperRoman": "I", "lowerRoman": "i"}
	out := level.Text.Value
	for n := range levels {
		out = strings.ReplaceAll(out, "%"+strconv.Itoa(n+1), portal.Number(max(counts[n], 1), kinds[form[n].Format.Value]))
	}
	if strings.TrimSpace(out) == "" {
		return ""
	}
	return out + " "
}
