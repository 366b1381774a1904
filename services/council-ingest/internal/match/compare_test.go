package match

import (
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// vote returns a vote. Names are separated by commas.
func voteWith(result council.Result, aye, nay, abstain, absent string) record.Vote {
	list := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }
	v := record.Vote{MotionSeq: 1, Result: result, ResultRaw: string(result),
		Roll: council.NewRoll(list(aye), list(nay), list(abstain), list(absent))}
	v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	return v
}

func itemWith(file, number, title string, votes ...record.Vote) record.Item {
	return record.Item{FileNumber: council.Some(file), ItemNumber: council.Some(number), Title: title, Votes: votes}
}

func by(v record.Vote, mover, seconder string) record.Vote {
	v.Mover, v.Seconder = council.Some(mover), council.Some(seconder)
	return v
}

func consent(v record.Vote) record.Vote {
	v.ViaConsent = true
	return v
}

// If the record has less data than the minutes, that is not a difference.
func TestCompareReportsEachDifference(t *testing.T) {
	t.Parallel()
	full := voteWith(council.Adopted, "Odile Brandt,Teodor Vance,Suki Arano", "", "", "Piet Zander")
	last := voteWith(council.Adopted, "Brandt,Vance,Arano", "", "", "Zander")
	for name, c := range map[string]struct {
		minutes, recorded []record.Item
		want              []string // code and message of each anomaly
		compared          int
	}{
		"the same": {[]record.Item{itemWith("12-7", "1.", "Sets Fees", full)},
			[]record.Item{itemWith("12-7", "", "Sets Fees", full)}, nil, 1},
		"last names in the minutes": {[]record.Item{itemWith("12-7", "1.", "Sets Fees", last)},
			[]record.Item{itemWith("12-7", "", "Sets Fees", full)}, nil, 1},
		"one position": {[]record.Item{itemWith("12-7", "1.", "", full)},
			[]record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Odile Brandt,Suki Arano", "Teodor Vance", "",
				"Piet Zander"))},
			[]string{"sources-differ 12-7: Teodor Vance is aye in the minutes, nay at the portal"}, 1},
		"two members changed places, which leaves the tally as it is": {
			[]record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Odile Brandt,Suki Arano", "Teodor Vance", "", ""))},
			[]record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Teodor Vance,Suki Arano", "Odile Brandt", "", ""))},
			[]string{"sources-differ 12-7: Odile Brandt is aye in the minutes, nay at the portal; Teodor Vance is nay in the " +
				"minutes, aye at the portal"}, 1},
		"a member who is only at the portal": {[]record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Odile Brandt", "", "",
			""))}, []record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Odile Brandt,Suki Arano", "", "", ""))},
			[]string{"sources-differ 12-7: Suki Arano is in no row of the minutes, aye at the portal"}, 1},
		"the portal leaves the absent out": {[]record.Item{itemWith("12-7", "", "", full)},
			[]record.Item{itemWith("12-7", "", "", voteWith(council.Adopted, "Odile Brandt,Teodor Vance,Suki Arano", "", "", ""))}, nil,
			1},
		"the outcome": {[]record.Item{itemWith("12-7", "", "", full)},
			[]record.Item{itemWith("12-7", "", "", func() record.Vote {
				v := full
				v.Result = council.Failed
				return v
			}())}, []string{"sources-differ 12-7: the minutes say adopted, the portal failed"}, 1},
		"mover and seconder": {[]record.Item{itemWith("12-7", "", "", by(full, "Vance", "Suki Arano"))},
			[]record.Item{itemWith("12-7", "", "", by(full, "Teodor Vance", "Odile Brandt"))},
			[]string{"sources-differ 12-7: seconder is Suki Arano in the minutes, Odile Brandt at the portal"}, 1},
		"the tally of a roll that was withheld": {
			[]record.Item{itemWith("12-7", "", "", record.Vote{MotionSeq: 1, Result: council.Adopted, AyesCount: 4})},
			[]record.Item{itemWith("12-7", "", "", full)},
			[]string{"sources-differ 12-7: the minutes count 4 to 0, the portal 3 to 0"}, 1},
		"only in the record": {nil, []record.Item{itemWith("12-7", "", "", full)},
			[]string{
				`vote-only-in-record 12-7: the portal records "adopted" with 3 ayes and 0 nays, and the minutes have no such vote`},
			0},
		"only in the minutes": {[]record.Item{itemWith("12-7", "", "", full), itemWith("12-8", "", "", full)},
			[]record.Item{itemWith("12-7", "", "", full)},
			[]string{
				`vote-only-in-minutes 12-8: the minutes have "adopted" with 3 ayes and 0 nays, and the portal records no such vote`}, 1},
		"the vote on a list is recorded once": {[]record.Item{itemWith("12-7", "", "", full),
			itemWith("12-8", "", "", consent(full))}, []record.Item{itemWith("12-7", "", "", full)}, nil, 1},
		"a portal without rolls": {[]record.Item{itemWith("12-7", "", "", full)},
			[]record.Item{itemWith("12-7", "", "", record.Vote{Result: council.Adopted})}, nil, 0},
		"by number and title, without a file": {[]record.Item{itemWith("", "3.", "Sets the fees of the harbor", full)},
			[]record.Item{itemWith("", "3", "Sets the Fees of the Harbor", full)}, nil, 1},
		"by title, where one has no number": {[]record.Item{itemWith("", "3.", "Sets the fees of the harbor", full)},
			[]record.Item{itemWith("", "", "Sets the fees of the harbor.", full)}, nil, 1},
		"two votes of a file, in order": {
			[]record.Item{itemWith("12-7", "", "", full, voteWith(council.Failed, "Suki Arano", "Odile Brandt,Teodor Vance", "", ""))},
			[]record.Item{itemWith("12-7", "", "", full),
				itemWith("12-7", "", "", voteWith(council.Failed, "Suki Arano", "Odile Brandt,Teodor Vance", "", ""))}, nil, 2},
		"a vote more in the minutes comes first": {
			[]record.Item{itemWith("12-7", "", "", voteWith(council.Failed, "Suki Arano", "Odile Brandt,Teodor Vance", "", ""), full)},
			[]record.Item{itemWith("12-7", "", "", full)},
			[]string{
				`vote-only-in-minutes 12-7: the minutes have "failed" with 1 aye and 2 nays, and the portal records no such vote`},
			1},
	} {
		r := Compare(c.minutes, c.recorded)
		var got []string
		for _, d := range r.Differences {
			got = append(got, string(d.Code)+" "+d.Message)
		}
		if !slices.Equal(got, c.want) || r.Compared != c.compared {
			t.Errorf("%s: %d compared, %q, want %d, %q", name, r.Compared, got, c.compared, c.want)
		}
	}
}

func TestCompareBoundsDifferences(t *testing.T) {
	t.Parallel()
	var minutes []record.Item
	for range 500 {
		minutes = append(minutes, itemWith("", "", "", voteWith(council.Adopted, "Odile Brandt", "", "", "")))
	}
	r := Compare(minutes, []record.Item{itemWith("9", "", "", voteWith(council.Adopted, "Suki Arano", "", "", ""))})
	if len(r.Differences) != maxDifferences {
		t.Errorf("Compare returned %d differences", len(r.Differences))
	}
}
