package portal

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
)

// What a portal answered comes back byte for byte, whatever it is.
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
		t.Error("the bytes differ")
	}
	if b.Find("/eventitems/2/votes").Status != 404 || b.Find("/eventitems/9/votes") != nil ||
		(*Bundle)(nil).Find("/") != nil {
		t.Error("an answer is not found by its path")
	}
	for _, bad := range []string{"", "{}", "[]", "<html>"} {
		if _, err := ReadBundle([]byte(bad)); err == nil {
			t.Errorf("%q is a bundle", bad)
		}
	}
}

// Words decide what a position is; a word that nobody knows is none, above all no abstention.
func TestWords(t *testing.T) {
	t.Parallel()
	own, err := NewWords(map[string]string{"Voted  With Chair": "aye", "Present": "abstain"})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]council.Position{"Aye": "aye", "YES": "aye", "In Favor": "aye", "Nays": "nay",
		"Excused": "absent", "Recused": "recused", "Abstain": "abstain",
		"voted with chair": "aye", "PRESENT": "abstain", "Non-voting": ""} {
		if got, ok := own.Position(word); !ok || got != want {
			t.Errorf("%q: %q, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "Aye!", "Maybe", "2"} {
		if got, ok := own.Position(word); ok || got != "" {
			t.Errorf("%q: %q", word, got)
		}
	}
	if _, err := NewWords(map[string]string{"Aye": "yes"}); err == nil {
		t.Error("a position that does not exist")
	}
}
