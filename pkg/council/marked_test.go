package council_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/council/marked"
)

const minutes = `Minutes

1. Street sweeping
   RESULT:    ADOPTED [UNANIMOUS]
   MOVER:     Ann Archer
   SECONDER:  Pieter van der Meer
   AYES:      Archer, Baker, van der
              Meer

2. Harbor
   RESULT:    FAILED [1 TO 2]
   MOVER:     Ann Archer
   SECONDER:  Bob Baker
   AYES:      Archer

                 Page 1
` + "\f" + `             Minutes
   NAYS:      Baker, van der Meer

3. Again
   RESULT:    ADOPTED [UNANIMOUS]
   MOVER:     Ann Archer
   SECONDER:  Pieter van der Meer
   AYES:      Archer, Baker, van der Meer
4. Ferry
   RESULT:    ADOPTED [2 TO 1]
   AYES:      Archer, Bakerr
`

func vote(id int64, page int, result string, names ...string) council.StoredVote {
	v := council.StoredVote{ID: id, Vote: council.Vote{ResultRaw: result}}
	if page > 0 {
		v.Page = &page
	}
	for _, name := range names {
		v.Roll = append(v.Roll, council.RollEntry{Member: name})
	}
	return v
}

func TestFind(t *testing.T) {
	t.Parallel()
	pages := marked.Pages(minutes)
	all := []string{"Ann Archer", "Pieter van der Meer", "Bob Baker"}
	moved := append([]string{"Ann Archer", "Pieter van der Meer"}, all...)
	consent := vote(1, 1, "ADOPTED [UNANIMOUS]", moved...)
	consent.ViaConsent = true
	also := consent
	also.ID = 2
	var got []string
	for _, s := range marked.Find(pages, []council.StoredVote{consent, also,
		vote(3, 1, "FAILED [1 TO 2]", append([]string{"Ann Archer", "Bob Baker"}, all...)...),
		vote(4, 2, "ADOPTED [UNANIMOUS]", moved...), vote(5, 2, "ADOPTED [2 TO 1]", "Ann Archer", "Bob Baker"),
		vote(6, 0, "TABLED"), vote(7, 2, "")}) {
		got = append(got, fmt.Sprintf("%d: %d/%d-%d", s.Vote, s.Page, s.First, s.Last))
	}
	want := "1: 1/4-8, 2: 1/4-8, 3: 1/11-14, 3: 2/2-2, 4: 2/5-8"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// Lines with a misspelt name, and lines of the next vote, are not marked.
func TestFindSkipsUncertainLines(t *testing.T) {
	t.Parallel()
	pages := marked.Pages("RESULT: ADOPTED [2 TO 0]\nAYES: Archer, Bakker\nRESULT: ADOPTED [2 TO 0]\nAYES: Archer, " +
		"Baker\n")
	spans := marked.Find(pages, []council.StoredVote{vote(1, 1, "ADOPTED [2 TO 0]", "Ann Archer", "Bob Baker")})
	if len(spans) != 1 || spans[0].First != 3 {
		t.Errorf("%v", spans)
	}
	if spans := marked.Find(marked.Pages("Staff asked that it be withdrawn.\nRESULT: WITHDRAWN\n"),
		[]council.StoredVote{vote(1, 1, "WITHDRAWN")}); len(spans) != 1 || spans[0].First != 2 {
		t.Errorf("a sentence without a vote is marked: %v", spans)
	}
}
