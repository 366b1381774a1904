package townline_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/townline/townline/pkg/pg"
	councilingest "github.com/townline/townline/services/council-ingest"
)

// nodes are elements of a page.
type nodes []*html.Node

func (h *councilHalf) page(t *testing.T, path string) nodes {
	t.Helper()
	status, body := request(t, strings.TrimSuffix(h.base, "/v1")+path, "Accept", "text/html")
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil || status != 200 {
		t.Fatalf("%s: %d %v", path, status, err)
	}
	return nodes{root}
}

// all returns the descendants with a name and a class; an empty class matches all.
func (ns nodes) all(name, class string) (found nodes) {
	for _, n := range ns {
		for d := range n.Descendants() {
			if d.Type == html.ElementNode && d.Data == name &&
				(class == "" || slices.Contains(strings.Fields(attribute(d, "class")), class)) {
				found = append(found, d)
			}
		}
	}
	return found
}

// texts returns the texts of elements, with each run of white space as one space.
func (ns nodes) texts() []string {
	list := []string{}
	for _, n := range ns {
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		list = append(list, folded(b.String()))
	}
	return list
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// comparePages compares pages with the JSON: every position, count, attendance and anomaly of each
// vote, the record of each member, and each number of the agreement matrix. It compares at most
// most votes and anomalies, evenly spread.
func (h *councilHalf) comparePages(t *testing.T, most int) {
	t.Helper()
	votes := spread(ids(t, h, "/votes?limit=200"), most)
	for _, id := range votes {
		h.compareVote(t, id)
	}
	anomalies := spread(ids(t, h, "/anomalies?limit=200"), most)
	for _, id := range anomalies {
		var a struct {
			Message string
			Reply   *struct{ Text string }
		}
		h.get(t, fmt.Sprintf("/anomalies/%d", id), &a)
		page := h.page(t, fmt.Sprintf("/anomalies/%d", id))
		if said := page.all("p", "notice").texts(); len(said) != 1 || said[0] != folded(a.Message) ||
			(a.Reply != nil) != (len(page.all("blockquote", "")) > 0) {
			t.Errorf("the page of anomaly %d has %q, want %q", id, said, a.Message)
		}
	}
	h.compareMembers(t, most)
	h.compareMeetings(t, most/4)
	h.compareLists(t)
	t.Logf("%d votes and %d anomalies on pages match the JSON", len(votes), len(anomalies))
	if len(votes) == 0 {
		t.Error("no vote was compared")
	}
}

func ids(t *testing.T, h *councilHalf, path string) []int64 {
	t.Helper()
	var all []int64
	for _, r := range walkAll[struct{ ID int64 }](t, h, path) {
		all = append(all, r.ID)
	}
	return all
}

// spread returns at most most entries of a list, at even distances.
func spread[T any](all []T, most int) []T {
	if everything() || len(all) <= most {
		return all
	}
	some := make([]T, most)
	for i := range some {
		some[i] = all[i*len(all)/most]
	}
	return some
}

func (h *councilHalf) compareVote(t *testing.T, id int64) {
	t.Helper()
	var v struct {
		Positions []plainPosition
		Proof     struct {
			Tally struct {
				Printed    string
				Ayes, Nays int
			}
			Named      map[string]int
			Attendance []struct{ Name, Title, Status string }
			Anomalies  []struct{ Message string }
		}
	}
	path := fmt.Sprintf("/votes/%d", id)
	h.get(t, path, &v)
	page := h.page(t, path)
	roll := func(kind string) []string {
		names := []string{}
		for _, p := range v.Positions {
			if string(p.Position) == kind {
				names = append(names, folded(p.MemberName))
			}
		}
		return names
	}
	table := page.all("table", "roll")
	for _, kind := range []string{"aye", "nay", "abstain", "absent", "recused"} {
		row := table.all("tr", kind)
		if len(v.Positions) == 0 {
			if len(table) > 0 {
				t.Errorf("%s: the roll call is missing", path)
			}
			continue
		}
		took := roll(kind)
		if len(took) == 0 && len(row) == 0 {
			continue
		}
		if d := gocmp.Diff(took, row.all("a", "").texts()); d != "" || len(row) != 1 ||
			row.all("td", "n").texts()[0] != strconv.Itoa(len(took)) {
			t.Errorf("%s: %s (-JSON +page)\n%s", path, kind, d)
		}
	}
	if printed := page.all("q", "asprinted").texts(); len(printed) != 1 || printed[0] != folded(v.Proof.Tally.Printed) {
		t.Errorf("%s: printed %q, want %q", path, printed, v.Proof.Tally.Printed)
	}
	n := v.Proof.Named
	want := []string{strconv.Itoa(v.Proof.Tally.Ayes), strconv.Itoa(n["aye"]), strconv.Itoa(v.Proof.Tally.Nays),
		strconv.Itoa(n["nay"]), "–", strconv.Itoa(n["abstain"]), "–", strconv.Itoa(n["absent"]), "–",
		strconv.Itoa(n["recused"])}
	checks := page.all("table", "checks").all("td", "n").texts()
	for i := range checks {
		checks[i] = strings.TrimSuffix(checks[i], " ≠")
	}
	if d := gocmp.Diff(want, checks); d != "" {
		t.Errorf("%s: counts (-JSON +page)\n%s", path, d)
	}
	attendance, anomalies := []string{}, []string{}
	for _, p := range v.Proof.Attendance {
		line := p.Name
		if p.Title != "" {
			line += ", " + p.Title
		}
		attendance = append(attendance, folded(line+": "+p.Status))
	}
	for _, a := range v.Proof.Anomalies {
		anomalies = append(anomalies, folded(a.Message))
	}
	var messages nodes
	for _, li := range page.all("ul", "notice").all("li", "") {
		messages = append(messages, nodes{li}.all("span", "")[0])
	}
	if d := gocmp.Diff(attendance, page.all("details", "").all("li", "").texts()) +
		gocmp.Diff(anomalies, messages.texts()); d != "" {
		t.Errorf("%s: attendance or anomalies (-JSON +page)\n%s", path, d)
	}
}

type plainPair struct {
	MemberID    int64 `json:"member_id"`
	OtherID     int64 `json:"other_id"`
	SharedVotes int   `json:"shared_votes"`
	Agreements  int
}

// alike matches the text of a cell of the agreement matrix.
var alike = regexp.MustCompile(`^(.+) and (.+) voted the same way on ([0-9]+) of ([0-9]+) votes$`)

func (h *councilHalf) compareMembers(t *testing.T, most int) {
	t.Helper()
	var all struct {
		Members []struct {
			ID       int64
			FullName string `json:"full_name"`
		}
		Unconfirmed []int64
		Data        []plainPair
	}
	h.get(t, "/members/agreement", &all)
	names := map[int64]string{}
	for _, m := range all.Members {
		names[m.ID] = m.FullName
	}
	for _, m := range spread(all.Members, most) {
		var one struct {
			Positions                 map[string]int
			Moved, Seconded, Dissents int
			Votes                     int `json:"vote_count"`
		}
		path := fmt.Sprintf("/members/%d", m.ID)
		h.get(t, path, &one)
		p := one.Positions
		want := fmt.Sprint(one.Votes, one.Dissents, p["absent"], one.Moved, p["aye"], p["nay"], p["abstain"], p["absent"],
			p["recused"], one.Seconded)
		page := h.page(t, path)
		figures := page.all("ul", "figures").all("b", "").texts()
		if got := strings.Join(append(figures, page.all("p", "record").all("a", "").texts()[:6]...), " "); got != want {
			t.Errorf("%s has %s, want %s", path, got, want)
		}
	}
	said := map[string]string{}
	for _, a := range h.page(t, "/members/agreement").all("td", "").all("a", "") {
		if m := alike.FindStringSubmatch(attribute(a, "title")); m != nil {
			said[m[1]+" and "+m[2]] = m[3] + " of " + m[4]
		}
	}
	pairs := slices.DeleteFunc(slices.Clone(all.Data), func(p plainPair) bool {
		return slices.Contains(all.Unconfirmed, p.MemberID) || slices.Contains(all.Unconfirmed, p.OtherID)
	})
	if len(all.Members) <= 24 && len(said) != 2*len(pairs) {
		t.Errorf("the matrix has %d cells for %d pairs", len(said), len(pairs))
	}
	for _, pair := range all.Data {
		got, shown := said[names[pair.MemberID]+" and "+names[pair.OtherID]]
		if want := fmt.Sprintf("%d of %d", pair.Agreements, pair.SharedVotes); shown && got != want {
			t.Errorf("the matrix has %s for members %d and %d, want %s", got, pair.MemberID, pair.OtherID, want)
		}
	}
	for _, pair := range spread(all.Data, 5) {
		if list := ids(t, h, fmt.Sprintf("/members/%d/agreement/%d?limit=200", pair.MemberID, pair.OtherID)); len(
			list) != pair.SharedVotes {
			t.Errorf("members %d and %d share %d votes, and %d are listed", pair.MemberID, pair.OtherID, pair.SharedVotes,
				len(list))
		}
	}
}

// A truth is the votes of real minutes as people have read them.
type truth struct {
	File  string
	Date  string `json:"meeting_date"`
	Items []struct {
		Votes []truthVote
	}
}

type truthVote struct {
	Result    string `json:"result_raw"`
	Page      *int
	Positions map[string][]string
}

// Each vote that people have read in real minutes is marked in the text, on the right page, in
// lines that contain its result and every name of its roll call.
func TestMarkedLinesAreTheRollsOfTheTruth(t *testing.T) {
	t.Parallel()
	files := realMinutes(t, "truth/*.json")
	h := startCouncil(t)
	votes, marked := 0, 0
	for i, file := range files {
		var read truth
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		minutes, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", filepath.FromSlash(read.File)))
		if err != nil {
			t.Fatal(err)
		}
		meeting := int64(i + 1)
		if _, err := councilingest.Load(t.Context(), h.deps, h.set, councilingest.Minutes{MeetingID: meeting,
			Date: read.Date, Bytes: minutes}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var want []truthVote
		for _, it := range read.Items {
			want = append(want, it.Votes...)
		}
		n := h.compareMarks(t, filepath.Base(file), meeting, want)
		votes, marked = votes+len(want), marked+n
	}
	t.Logf("%d of %d votes of the truth are marked, each with its result and roll call", marked, votes)
	if marked*100 < votes*97 {
		t.Errorf("of %d votes of the truth only %d are marked", votes, marked)
	}
}

// compareOwnMarks compares the marked lines of all minutes with the votes of the API: each result
// and name.
func (h *councilHalf) compareOwnMarks(t *testing.T) {
	t.Helper()
	meetings, err := pg.Column[int64](t.Context(), h.db, `SELECT iqm2_id FROM council.meeting
		WHERE status = 'complete' AND minutes_id IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	votes, marked := 0, 0
	for _, id := range meetings {
		var detail struct {
			Items []struct {
				Votes []struct {
					Result    string `json:"result_raw"`
					Positions []plainPosition
				}
			}
		}
		h.get(t, fmt.Sprintf("/meetings/%d", id), &detail)
		var want []truthVote
		for _, it := range detail.Items {
			for _, v := range it.Votes {
				roll := map[string][]string{}
				for _, p := range v.Positions {
					roll[string(p.Position)] = append(roll[string(p.Position)], p.MemberName)
				}
				want = append(want, truthVote{Result: v.Result, Positions: roll})
			}
		}
		votes, marked = votes+len(want), marked+h.compareMarks(t, fmt.Sprint("meeting ", id), id, want)
	}
	t.Logf("%d of %d votes are marked", marked, votes)
	if votes == 0 || marked*10 < votes*9 {
		t.Errorf("only %d of %d votes are marked", marked, votes)
	}
}

// compareMarks compares the marked lines of a meeting with its votes, and returns the number of
// marked votes.
func (h *councilHalf) compareMarks(t *testing.T, name string, meeting int64, want []truthVote) int {
	t.Helper()
	var detail struct {
		Items []struct{ Votes []struct{ ID int64 } }
	}
	h.get(t, fmt.Sprintf("/meetings/%d", meeting), &detail)
	var order []int64
	for _, it := range detail.Items {
		for _, v := range it.Votes {
			order = append(order, v.ID)
		}
	}
	if len(order) != len(want) {
		t.Errorf("%s: %d votes, want %d", name, len(order), len(want))
		return 0
	}
	text, first := map[int64]string{}, map[int64]int{}
	pages := 1
	for page := 1; page <= pages; page++ {
		var p struct {
			Pages int
			Lines []string
			Votes []struct {
				VoteID    int64 `json:"vote_id"`
				FirstLine int   `json:"first_line"`
				LastLine  int   `json:"last_line"`
			}
		}
		h.get(t, fmt.Sprintf("/meetings/%d/minutes/%d", meeting, page), &p)
		pages = p.Pages
		for _, s := range p.Votes {
			if first[s.VoteID] == 0 {
				first[s.VoteID] = page
			}
			text[s.VoteID] += strings.Join(p.Lines[s.FirstLine-1:s.LastLine], " ") + " "
		}
	}
	marked := 0
	for i, v := range want {
		id := order[i]
		lines, ok := text[id]
		if !ok {
			t.Logf("%s: vote %d of %d is not marked: %s", name, i+1, len(want), v.Result)
			continue
		}
		marked++
		lines = printedForm(lines)
		if !strings.Contains(lines, printedForm(v.Result)) {
			t.Errorf("%s: the lines of vote %d do not print %q: %s", name, i+1, v.Result, lines)
		}
		if v.Page != nil && pages > 1 && first[id] > *v.Page {
			t.Errorf("%s: vote %d is marked on page %d, want %d", name, i+1, first[id], *v.Page)
		}
		for position, members := range v.Positions {
			for _, member := range members {
				if last := printedForm(member[strings.LastIndexByte(member, ' ')+1:]); !strings.Contains(lines, last) {
					t.Errorf("%s: the lines of vote %d do not name %s, %s: %s", name, i+1, member, position, lines)
				}
			}
		}
	}
	return marked
}

// printedForm normalizes a text for a comparison that ignores white space, case, hyphens and types
// of apostrophes.
func printedForm(s string) string {
	return strings.ToLower(strings.NewReplacer("’", "'", "‘", "'", "-", "").Replace(folded(s)))
}
