package portal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// An archived answer is returned byte for byte, whatever its content is.
func TestBundle(t *testing.T) {
	t.Parallel()
	b := Bundle{Product: "legistar", Root: "https://x.example/v1/town"}
	b.Add("/events/1", 0, []byte("{\n \"A\": \"é\\u00e9\"}\r\n"))
	b.Add("/eventitems/2/votes", 404, []byte("\xff\xfe\x00"))
	b.Add("/eventitems/3/votes", 0, []byte{})
	again, err := ReadBundle(b.Bytes())
	if d := cmp.Diff(b, again); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the bytes differ after a second round")
	}
	if b.Find("/eventitems/2/votes").Status != 404 || b.Find("/eventitems/9/votes") != nil ||
		(*Bundle)(nil).Find("/") != nil {
		t.Error("Find does not return an answer for its path")
	}
	for _, bad := range []string{"", "{}", "[]", "<html>"} {
		if _, err := ReadBundle([]byte(bad)); err == nil {
			t.Errorf("%q is accepted as a bundle", bad)
		}
	}
}

// The word decides the position. An unknown word is no position, and never an abstention.
func TestWords(t *testing.T) {
	t.Parallel()
	own, err := NewWords(map[string]string{"Voted  With Chair": "aye", "Present": "abstain"})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]council.Position{"Aye": "aye", "YES": "aye", "In Favor": "aye", "Nays": "nay",
		"Excused": "absent", "Recused": "recused", "Abstain": "abstain",
		"voted with chair": "aye", "PRESENT": "abstain", "Non-voting": "",
		"NV": "absent", "Did Not Vote": "absent", "Didn’t Vote": "absent", "Present - Not Voting": "absent"} {
		if got, ok := own.Position(word); !ok || got != want {
			t.Errorf("%q: %q, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "Aye!", "Maybe", "2", "x", "-"} {
		if got, ok := own.Position(word); ok || got != "" {
			t.Errorf("%q: %q", word, got)
		}
	}
	if _, err := NewWords(map[string]string{"Aye": "yes"}); err == nil {
		t.Error("an invalid position is accepted")
	}
}

// An answer with many tiny values, and a list with many pages, are rejected before they fill the
// memory.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	if _, err := DecodeList([]byte("[" + strings.Repeat("1,", maxValues+1) + "1]")); !errors.Is(err, ErrNotPortal) {
		t.Error(err)
	}
	if _, err := DecodeList([]byte(`[{"EventId":1,"EventBodyName":"Council"}]`)); err != nil {
		t.Error(err)
	}
	var l ListSize
	for n := range 9 {
		if err := l.Add(32 << 20); (err != nil) != (n == 8) {
			t.Errorf("page %d: %v", n, err)
		}
	}
}

func TestBodyNamed(t *testing.T) {
	t.Parallel()
	const council = "City Council"
	for _, c := range []struct {
		boards string // bodies in the rows of a calendar, separated by |
		want   string
		others string
	}{
		{"Parks|city council|Alder City Council", "city council", ""},
		{"Parks|Alder City Council|Parks", "Alder City Council", ""},
		{"Alder City Council|Birch City Council", "", `"Alder City Council" (1), "Birch City Council" (1)`},
		{"Parks|City Council Subcommittee|Parks", "", `"Parks" (2), "City Council Subcommittee" (1)`},
		{"Velocity Council|", "", `"Velocity Council" (1)`},
		{"|", "", ""},
	} {
		var rows []Meeting
		for board := range strings.SplitSeq(c.boards, "|") {
			rows = append(rows, Meeting{Detail: Detail{Body: board}})
		}
		if board, others := BodyNamed(CountBodies(rows), council); board != c.want || others != c.others {
			t.Errorf("BodyNamed in %s = %q, %s", c.boards, board, others)
		}
	}
}

// A value of an unexpected type leaves its field empty. A row that is not an object is an error.
func TestDecodeRow(t *testing.T) {
	t.Parallel()
	type row struct {
		ID    ID                    `json:"id"`
		Name  string                `json:"name"`
		Count *int                  `json:"count"`
		Place struct{ City string } `json:"place"`
		Files []string              `json:"files"`
		Held  Flag                  `json:"held"`
	}
	var got row
	const odd = `{"id":"7","name":3,"count":1.5,"place":"Hall","files":{},"held":"no"}`
	if err := DecodeRow([]byte(odd), &got); err != nil || got.ID != 7 || got.ID.String() != "7" || got.Name != "" ||
		got.Count != nil && *got.Count != 0 || got.Place.City != "" || got.Files != nil || got.Held.Is != nil {
		t.Errorf("DecodeRow = %+v, %v", got, err)
	}
	for _, body := range []string{`"x"`, `[1]`, `3`, `{"id":`, ``} {
		if err := DecodeRow([]byte(body), &row{}); err == nil {
			t.Errorf("%s is accepted as a row", body)
		}
	}
}
