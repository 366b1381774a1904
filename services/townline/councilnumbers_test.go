package townline_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/demo"
)

// The numbers of the demo town equal a separate count from its portal, and its topics are correct.
func TestNumbersOfTheDemoTown(t *testing.T) {
	t.Parallel()
	h := startCouncil(t)
	noon := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	months := 4
	if everything() {
		months = 12
	}
	town, err := demo.Start(t.Context(), demo.Options{Meetings: lately(t, months), Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	h.set, err = councilingest.ReadSettings(demoCouncil(t, town), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := councilingest.Ingest(t.Context(), h.deps, h.set, councilingest.Request{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	h.compareNumbers(t, 100)
	h.comparePages(t, 40)
	h.compareOwnMarks(t)
	checkTopics(t, h.deps.DB, town)
}

// The numbers of two real towns equal a separate count from their published minutes.
func TestNumbersOfRealTowns(t *testing.T) {
	t.Parallel()
	for _, town := range []struct {
		name, files string
		least       int  // minimum number of votes
		slow        bool // only with TOWNLINE_EVERYTHING
	}{
		{name: "riverhead-ny", files: "riverhead-ny/*-minutes.txt", least: 60},
		{name: "rtd-denver", files: "rtd-denver/*/minutes.txt", least: 20, slow: true},
		{name: "cambridge-ma", files: "cambridge-ma/*FinalActions*.pdf", least: 40, slow: true},
		{name: "pittsburgh-pa", files: "portals/legistar/pittsburgh-pa/*.pdf", slow: true},
		{name: "typeset", files: "typeset/*.pdf", least: 100, slow: true},
	} {
		t.Run(town.name, func(t *testing.T) {
			t.Parallel()
			if town.slow {
				sample.Long(t)
			}
			files := realMinutes(t, town.files)
			h := startCouncil(t)
			for i, file := range files {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				_, err = councilingest.Load(t.Context(), h.deps, h.set, councilingest.Minutes{MeetingID: int64(i + 1),
					Date: dateOf(file, b, i), Bytes: b})
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			h.compareNumbers(t, town.least)
			h.comparePages(t, 15)
		})
	}
}

// realMinutes lists real minutes: all with TOWNLINE_EVERYTHING, otherwise a sample.
func realMinutes(t *testing.T, pattern string) []string {
	t.Helper()
	files := sample.Glob(t, "council/"+pattern)
	if !everything() {
		some := files[:0]
		for i, f := range files {
			if i*8/len(files) != (i-1)*8/len(files) || i == 0 {
				some = append(some, f)
			}
		}
		files = some
	}
	return files
}

var printedDate = regexp.MustCompile(
	`(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}`)

var namedDate = regexp.MustCompile(`\b\d{4}-\d\d-\d\d`)

// dateOf returns the first date in minutes, or for a PDF the date in its name; without one, it
// makes up a date.
func dateOf(file string, minutes []byte, nth int) string {
	if at := namedDate.FindString(filepath.Base(file)); at != "" {
		return at
	}
	if at := printedDate.Find(bytes.Join(bytes.Fields(minutes[:min(len(minutes), 8000)]), []byte{' '})); at != nil {
		if d, err := time.Parse("January 2, 2006", string(at)); err == nil {
			return d.Format(time.DateOnly)
		}
	}
	return time.Date(2000, 1, 1+nth, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// The rows of the API's lists, as plain structs.
type (
	plainVote struct {
		ID          int64
		ItemID      int64  `json:"item_id"`
		MeetingDate string `json:"meeting_date"`
		Result      council.Result
		Unanimous   bool
		MoverID     *int64 `json:"mover_id"`
		SeconderID  *int64 `json:"seconder_id"`
		ViaConsent  bool   `json:"via_consent"`
		Positions   []plainPosition
	}
	plainPosition struct {
		MemberID   int64  `json:"member_id"`
		MemberName string `json:"member_name"`
		Position   council.Position
	}
	plainItem struct {
		ID          int64
		MeetingDate string `json:"meeting_date"`
		Topic       *council.Topic
	}
	plainMember struct {
		ID       int64
		FullName string `json:"full_name"`
	}
)

func (v *plainVote) of(member int64) council.Position {
	for _, p := range v.Positions {
		if p.MemberID == member {
			return p.Position
		}
	}
	return ""
}

func walkAll[T any](t *testing.T, h *councilHalf, path string) []T {
	t.Helper()
	var all []T
	cursor := ""
	for {
		rows, next := listPage[T](t, h, path, cursor)
		all = append(all, rows...)
		if next == nil {
			return all
		}
		cursor = *next
	}
}

// compareNumbers counts the rows of the lists, vote by vote, and compares every number of the API
// with the count: agreement, dissents, profiles, topics, timeline, stats. It shares no code with
// the API, which uses tallies and SQL.
func (h *councilHalf) compareNumbers(t *testing.T, least int) {
	t.Helper()
	votes, items := walkAll[plainVote](t, h, "/votes?limit=200"), walkAll[plainItem](t, h, "/items?limit=200")
	var members struct{ Data []plainMember }
	h.get(t, "/members", &members)
	if len(votes) < least || len(members.Data) < 3 {
		t.Fatalf("only %d votes of %d members", len(votes), len(members.Data))
	}
	topicOf := map[int64]*council.Topic{}
	for _, it := range items {
		topicOf[it.ID] = it.Topic
	}
	same := func(what string, want, got any) {
		t.Helper()
		a, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var plain any
		if err := json.Unmarshal(a, &plain); err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(plain, got); d != "" {
			t.Errorf("%s (-counted +got)\n%s", what, d)
		}
	}
	for _, m := range members.Data {
		h.compareMember(t, m, votes, topicOf, same)
		for _, consent := range []bool{false, true} {
			var got map[string]any
			h.get(t, fmt.Sprintf("/members/%d/agreement?include_consent=%t", m.ID, consent), &got)
			same(fmt.Sprintf("agreement of %s, consent %t", m.FullName, consent),
				map[string]any{"member_id": m.ID, "include_consent": consent,
					"data": countAgreement(m.ID, members.Data, votes, consent)}, got)
		}
	}
	var topics, timeline, stats map[string]any
	h.get(t, "/topics", &topics)
	h.get(t, "/topics/timeline", &timeline)
	h.get(t, "/stats", &stats)
	counts, quarters := countTopics(items, votes, topicOf)
	same("topics", counts, topics)
	same("timeline", quarters, timeline)
	classified := 0
	for _, it := range items {
		if it.Topic != nil {
			classified++
		}
	}
	type meeting struct {
		MeetingDate string `json:"meeting_date"`
		Status      council.Status
	}
	meetings := walkAll[meeting](t, h, "/meetings?limit=200")
	done, days := 0, []string{}
	for _, m := range meetings {
		days = append(days, m.MeetingDate)
		if m.Status == council.StatusComplete {
			done++
		}
	}
	delete(stats, "last_ingest_at") // the only number that cannot be counted
	same("stats", map[string]any{"meetings": len(meetings), "meetings_complete": done, "items": len(items),
		"votes": len(votes), "members": len(members.Data),
		"earliest_meeting": slices.Min(days), "latest_meeting": slices.Max(days), "classified_items": classified,
		"anomalies": len(walkAll[struct{}](t, h, "/anomalies?limit=200"))}, stats)
	t.Logf("%d meetings, %d items, %d votes, %d members", len(meetings), len(items), len(votes), len(members.Data))
}

func (h *councilHalf) compareMember(t *testing.T, m plainMember, votes []plainVote, topicOf map[int64]*council.Topic,
	same func(string, any, any)) {
	t.Helper()
	var got map[string]any
	h.get(t, fmt.Sprintf("/members/%d", m.ID), &got)
	positions := map[council.Position]int{}
	for _, p := range council.Positions() {
		positions[p] = 0
	}
	type sum struct {
		Topic *council.Topic `json:"topic"`
		Count int            `json:"count"`
		Nays  int            `json:"nays"`
	}
	byTopic := map[council.Topic]*sum{}
	moved, seconded, dissents, total := 0, 0, 0, 0
	for i := range votes {
		v := &votes[i]
		if v.MoverID != nil && *v.MoverID == m.ID {
			moved++
		}
		if v.SeconderID != nil && *v.SeconderID == m.ID {
			seconded++
		}
		p := v.of(m.ID)
		if p == "" {
			continue
		}
		total++
		positions[p]++
		if p == council.Nay && v.Result == council.Adopted || p == council.Aye && v.Result == council.Failed {
			dissents++
		}
		topic, key := topicOf[v.ItemID], council.Topic("")
		if topic != nil {
			key = *topic
		}
		if byTopic[key] == nil {
			byTopic[key] = &sum{Topic: topic}
		}
		byTopic[key].Count++
		if p == council.Nay {
			byTopic[key].Nays++
		}
	}
	topics := []*sum{}
	for _, s := range byTopic {
		topics = append(topics, s)
	}
	name := func(s *sum) string {
		if s.Topic == nil {
			return ""
		}
		return string(*s.Topic)
	}
	slices.SortFunc(topics, func(a, b *sum) int { return cmp.Or(b.Count-a.Count, strings.Compare(name(a), name(b))) })
	// Attendance lists and votes give different values for these keys.
	for _, key := range []string{"last_name", "first_seen", "last_seen"} {
		delete(got, key)
	}
	same("member "+m.FullName, map[string]any{"id": m.ID, "full_name": m.FullName, "vote_count": total,
		"positions": positions, "moved": moved, "seconded": seconded,
		"topics": topics, "dissents": dissents}, got)
}

type plainAgreement struct {
	MemberID   int64   `json:"member_id"`
	MemberName string  `json:"member_name"`
	Shared     int     `json:"shared_votes"`
	Agreed     int     `json:"agreements"`
	Rate       float64 `json:"agreement_rate"`
}

func countAgreement(member int64, members []plainMember, votes []plainVote, consent bool) []plainAgreement {
	list := []plainAgreement{}
	for _, other := range members {
		a := plainAgreement{MemberID: other.ID, MemberName: other.FullName}
		for i := range votes {
			mine, theirs := votes[i].of(member), votes[i].of(other.ID)
			if other.ID == member || votes[i].ViaConsent && !consent || mine != council.Aye && mine != council.Nay ||
				theirs != council.Aye && theirs != council.Nay {
				continue
			}
			a.Shared++
			if mine == theirs {
				a.Agreed++
			}
		}
		if a.Shared > 0 {
			list = append(list, a)
		}
	}
	// Compare fractions before they are rounded.
	slices.SortFunc(list, func(a, b plainAgreement) int {
		return cmp.Or(cmp.Compare(b.Agreed*a.Shared, a.Agreed*b.Shared), cmp.Compare(b.Shared, a.Shared),
			cmp.Compare(a.MemberID, b.MemberID))
	})
	for i := range list {
		list[i].Rate = math.Round(float64(list[i].Agreed)*10000/float64(list[i].Shared)) / 10000
	}
	return list
}

func countTopics(items []plainItem, votes []plainVote,
	topicOf map[int64]*council.Topic) (topics, timeline map[string]any) {
	count, split, none := map[council.Topic]int{}, map[council.Topic]int{}, 0
	quarters := map[string]map[string]int{}
	for _, it := range items {
		day, _ := time.Parse(time.DateOnly, it.MeetingDate)
		quarter := fmt.Sprintf("%d-Q%d", day.Year(), (int(day.Month())-1)/3+1)
		if quarters[quarter] == nil {
			quarters[quarter] = map[string]int{}
		}
		if it.Topic == nil {
			none++
			quarters[quarter]["unclassified"]++
			continue
		}
		count[*it.Topic]++
		quarters[quarter][string(*it.Topic)]++
	}
	for _, v := range votes {
		if topic := topicOf[v.ItemID]; topic != nil && !v.Unanimous {
			split[*topic]++
		}
	}
	data, line := []any{}, []any{}
	for _, topic := range council.Topics() {
		data = append(data, map[string]any{"topic": topic, "count": count[topic], "split_votes": split[topic]})
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for q := range quarters {
			if !yield(q) {
				return
			}
		}
	})
	for _, q := range names {
		for _, topic := range append(council.Topic("").Values(), "unclassified") {
			if n := quarters[q][topic]; n > 0 {
				line = append(line, map[string]any{"quarter": q, "topic": topic, "count": n})
			}
		}
	}
	return map[string]any{"data": data, "unclassified": none}, map[string]any{"data": line}
}
