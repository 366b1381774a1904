package lang

import (
	"strings"
	"testing"
	"testing/fstest"
)

// French elides "de" before a vowel, Spanish says "la 01:05", and a sentence can have a form for one.
func TestWordsAgreeWithWhatFillsThem(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for tag, text := range map[string]string{
		"en": "from = From {0}\nfull = {0}% full\nlines = {0} more lines\nlines.one = One more line\nlate = {seconds} s late",
		"fr": "from = Départ de {0} : {1} %\nlines = {0} autres lignes\nlines.one = Une autre ligne\nfield = de {name} !",
		"es": "at = Sale a las {0}, no a las {1}\nfrom = de {0}\nfull = {0} %",
	} {
		files["words/"+tag+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	say := map[string]Words{}
	for _, tag := range []string{"en", "es", "fr"} {
		say[tag] = Words{}
		if err := say[tag].Read(files, tag); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ got, want string }{
		{say["en"].Text("from", "Alder"), "From Alder"},
		{say["en"].Text("lines", 1), "One more line"}, {say["en"].Text("lines", 21), "21 more lines"},
		{say["fr"].Text("lines", 1), "Une autre ligne"}, {say["fr"].Text("lines", 0), "Une autre ligne"}, {say["en"].Text("lines", 0), "0 more lines"},
		{say["en"].Fill("late", Fields{"seconds": "9"}), "9 s late"}, {say["en"].Fill("nothing", nil), "nothing"},
		{say["fr"].Text("from", "Alder", 3), "Départ d’Alder\u202f: 3\u202f%"},
		{say["fr"].Text("from", "Évry", 3), "Départ d’Évry\u202f: 3\u202f%"},
		{say["fr"].Text("from", "Paris", 3), "Départ de Paris\u202f: 3\u202f%"},
		{say["fr"].Text("from", "11", 3), "Départ de 11\u202f: 3\u202f%"},
		{say["fr"].Fill("field", Fields{"name": "Ulm"}), "d’Ulm\u202f!"},
		{say["es"].Text("at", "01:05", "11:05"), "Sale a la 01:05, no a las 11:05"},
		{say["es"].Text("at", "10:00", "1:59"), "Sale a las 10:00, no a la 1:59"},
		{say["es"].Text("from", "Alder"), "de Alder"}, {say["es"].Text("full", 4), "4\u202f%"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	json, err := say["fr"].JSON("fr")
	if err != nil || strings.Contains(json, joint) || !strings.Contains(json, "Départ de {0}") {
		t.Errorf("%s, %v", json, err)
	}
}

// A line that is no sentence, or repeats a key, is an error with its number.
func TestFaultyWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"# c\n\nno sentence": "en.txt:3", "a = b\na = c": "en.txt:2", "a =": "en.txt:1"} {
		err := Words{}.Read(fstest.MapFS{"words/en.txt": &fstest.MapFile{Data: []byte(text)}}, "en")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := (Words{}).Read(fstest.MapFS{}, "en"); err != nil {
		t.Error(err)
	}
}
