package civicclerk

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

func zone(t *testing.T) *time.Location {
	t.Helper()
	z, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func address(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// event returns a row of the list with the given further fields.
func event(id int, name, starts, further string) string {
	return fmt.Sprintf(
		`{"id":%d,"eventName":%q,"startDateTime":%q,"isPublished":"Published","isDeleted":false,"categoryName":"Town Council"%s}`, id, name, starts, further)
}

func listOf(rows ...string) []byte { return []byte(`{"value":[` + strings.Join(rows, ",") + `]}`) }

func TestEvents(t *testing.T) {
	t.Parallel()
	at := address(t, "https://alder.api.civicclerk.com/v1/Events?x=1")
	p, err := DecodeEvents(listOf(
		event(7, "Town Council <b>Regular</b> Meeting", "2026-03-10T18:30:00Z",
			`,"agendaId":"31","eventLocation":{"address1":"Hall","city":"Alder","state":"ME","zipCode":null},
			"externalMediaUrl":"javascript:x","publishedFiles":[{"fileId":5,"type":"Minutes","name":"Draft minutes","publishOn":"2026-03-12T09:00:00.5Z"},{"fileId":6,"type":"Minutes","name":"Select MEETING FILES to see them"},{"type":"Agenda"},"x"]`),
		event(8, "Town Council Worksession - CANCELLED", "2026-03-11T18:30:00Z", ""),
		event(9, "Town Council Meeting Rescheduled to March 20", "2026-03-12T18:30:00Z",
			`,"isDeleted":null,"eventLocation":"Hall"`),
		event(10, "Test Meeting", "2026-03-12T18:30:00Z", ""),
		event(11, "Town Council Meeting", "1900-01-01T00:00:00Z", ""),
		event(12, "Town Council Meeting", "0001-01-01T00:00:00Z", ""),
		strings.Replace(event(13, "Town Council Meeting", "2026-03-13T18:30:00Z", ""), `"Published"`, `"Draft"`, 1),
		strings.Replace(event(14, "Town Council Meeting", "2026-03-13T18:30:00Z", ""), `false`, `1`, 1),
	), at, zone(t))
	if err != nil || len(p.Events) != 3 || p.Next != "" {
		t.Fatalf("%d events, next %q, %v", len(p.Events), p.Next, err)
	}
	e := p.Events[0]
	if got := e.Starts.Format(time.RFC3339); got != "2026-03-10T18:30:00-04:00" ||
		e.Name != "Town Council Regular Meeting" || e.AgendaID != 31 || e.Location != "Hall, Alder, ME" || e.VideoURL != "" {
		t.Errorf("the meeting starts at %s: %+v", got, e)
	}
	if e.Body() != "Town Council" || e.Type() != "Regular Meeting" || e.State != portal.Planned {
		t.Errorf("body %q, type %q, state %q", e.Body(), e.Type(), e.State)
	}
	if len(e.Files) != 1 || e.Files[0].ID != 5 || e.Files[0].Published.IsZero() {
		t.Errorf("wrong files: %+v", e.Files)
	}
	if p.Events[1].State != portal.Cancelled || p.Events[2].State != portal.Deferred {
		t.Errorf("wrong states: %q, %q", p.Events[1].State, p.Events[2].State)
	}
}

// An invalid list is an error, never an empty list.
func TestInvalidLists(t *testing.T) {
	t.Parallel()
	at := address(t, "https://alder.api.civicclerk.com/v1/Events?x=1")
	for _, body := range []string{"", "{}", `{"value":null}`, `[]`, `{"value":[1]}`, `{"value":[{"eventName":"x"}]}`,
		`{"value":[{"id":1,`, "<html>busy</html>"} {
		if p, err := DecodeEvents([]byte(body), at, time.UTC); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("%q: %v, %v", body, p, err)
		}
	}
	refused := []byte(`{"error":{"code":"404","message":"no such thing"}}`)
	if _, err := DecodeEvents(refused, at, time.UTC); !errors.Is(err, errRefused) ||
		!strings.HasSuffix(err.Error(), ": no such thing (404)") {
		t.Error(err)
	}
	if p, err := DecodeEvents(listOf(), at, time.UTC); err != nil || len(p.Events) != 0 {
		t.Errorf("DecodeEvents of an empty list = %v, %v", p, err)
	}
}

// The next page must be on the same host and belong to the same list. Otherwise there is an error,
// because a partial list is never used.
func TestTheNextPage(t *testing.T) {
	t.Parallel()
	at := address(t, "https://alder.api.civicclerk.com/v1/Events?$filter=x")
	for link, want := range map[string]string{
		"https://alder.api.civicclerk.com/v1/Events?$skip=15":  "https://alder.api.civicclerk.com/v1/Events?$skip=15",
		"http://ALDER.api.civicclerk.com/v1/Events?$skip=15#x": "https://ALDER.api.civicclerk.com/v1/Events?$skip=15",
		"Events?$skip=15": "https://alder.api.civicclerk.com/v1/Events?$skip=15",
		"https://elm.api.civicclerk.com/v1/Events?$skip=15":        "",
		"https://u:p@alder.api.civicclerk.com/v1/Events?$skip=15":  "",
		"https://alder.api.civicclerk.com/v1/Meetings?$skip=15":    "",
		"https://alder.api.civicclerk.com:8443/v1/Events?$skip=15": "",
		"https://alder.api.civicclerk.com/v1/Events":               "",
		"file:///v1/Events?$skip=15":                               "",
	} {
		p, err := DecodeEvents([]byte(fmt.Sprintf(`{"value":[],"@odata.nextLink":%q}`, link)), at, time.UTC)
		if p.Next != want || (want == "") != errors.Is(err, ErrElsewhere) {
			t.Errorf("%s: %q, %v", link, p.Next, err)
		}
	}
}

// Templates leave copies of a meeting. The copies are one meeting, which has the lowest id and the
// data of the copy with files.
func TestCopiesAreOneMeeting(t *testing.T) {
	t.Parallel()
	general := func(e string) string {
		return strings.Replace(e, `"categoryName":"Town Council"`, `"categoryName":"General"`, 1)
	}
	files := `,"agendaId":40,"publishedFiles":[{"fileId":1,"type":"Agenda","name":"a"}]`
	p, err := DecodeEvents(listOf(
		general(event(24, "Board of Appeals", "2026-06-08T19:00:00Z", files)),
		general(event(21, "Board of Appeals", "2026-06-08T19:00:00Z", "")),
		general(event(23, "Board of Appeals", "2026-06-08T19:00:00Z", `,"agendaId":39`)),
		general(event(25, "Board of Appeals", "2026-06-08T20:00:00Z", "")),
		general(event(31, "Town Council Meeting (1st week)", "2026-06-09T19:00:00Z", "")),
		event(32, "One Time Event", "2026-06-09T19:00:00Z", `,"agendaId":41`),
		event(32, "One Time Event", "2026-06-09T19:00:00Z", `,"agendaId":41`),
		event(33, "Town Council Worksession", "2026-06-09T19:00:00Z", ""),
		event(34, "Town Council Meeting - CANCELLED", "2026-06-09T19:00:00Z", ""),
		event(41, "Town Council Meeting", "2026-06-10T19:00:00Z", files),
		event(42, "Town Council Meeting", "2026-06-10T19:00:00Z", files),
	), address(t, "https://x.example/v1/Events"), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range MergeCopies(p.Events) {
		got += fmt.Sprintf("%d page %d agenda %d %s %v %s\n", e.ID, e.PageID, e.AgendaID, e.Body(), e.Copies, e.Title())
	}
	const want = `21 page 24 agenda 40 Board of Appeals [23 24] Board of Appeals
25 page 25 agenda 0 Board of Appeals [] Board of Appeals
31 page 32 agenda 41 Town Council [32] Town Council
33 page 33 agenda 0 Town Council [] Town Council Worksession
34 page 34 agenda 0 Town Council [] Town Council Meeting - CANCELLED
41 page 41 agenda 40 Town Council [] Town Council Meeting
42 page 42 agenda 40 Town Council [] Town Council Meeting
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

const agendaOf7 = `{"id":7,"items":[
 {"id":70,"agendaObjectItemOutlineNumber":"2.","agendaObjectItemName":"New Business","isSection":1,"childItems":[
  {"id":71,"agendaObjectItemNumber":"2026-17","agendaObjectItemOutlineNumber":"a.","agendaObjectItemName":"<p>Buy&nbsp;a <b>plow</b></p><style>x</style>","isSection":0,"hasVote":false,
   "attachmentsList":[{"id":900,"fileName":"Quote","contentType":"application/pdf","isPublished":true,"pdfVersionFullPath":"https://blob.example/q.pdf?sv=1&sig=abc"},{"id":901,"fileName":"Old","isDeleted":true},{"id":902,"isPublished":false}],
   "minutesItemVotes":[
    {"motionName":"Amend","initiatedBy":"Ann Archer","secondedBy":"Ben Baker","passFail":0,"yesVotes":["Ann Archer"],"noVotes":["Ben Baker","Cy De Witt "],"abstainVotes":["Dee O&#39;Dell"]},
    {"motionName":"<i>Approve</i>","initiatedBy":null,"passFail":1,"yesVotes":["Ann Archer","Ben Baker"],"noVotes":null,"abstainVotes":[],"recuseVotes":["Cy De Witt"],"standbyVotes":["Dee O'Dell"]},
    {"motionName":"Close debate","passFail":"yes","yesVotes":[],"noVotes":[]},
    {"motionName":"Twice","passFail":1,"yesVotes":["Ann Archer"],"noVotes":["ANN ARCHER"]},
    {"motionName":"Odd","yesVotes":"Ann Archer"}
   ],"childItems":[{"id":72,"agendaObjectItemOutlineNumber":"(1)","agendaObjectItemOutlineNumberFull":"2.a.(1)","agendaObjectItemName":"Spare tyre","isSection":false,"minutesItemVotes":null}]}
 ]},
 {"id":73,"agendaObjectItemName":"Gone","isDeleted":true},
 {"agendaObjectItemName":"no id"}, {"agendaObjectItemNumber":"neither id nor name"}, "x",
 {"id":74,"agendaObjectItemOutlineNumber":"3.","agendaObjectItemName":"Ordinance","ordinanceFormattedNumber":"O-9","minutesItemVotes":[]}
]}`

var apiOfX = &url.URL{Scheme: "https", Host: "x.example", Path: "/v1/"}

func TestItemsAndVotes(t *testing.T) {
	t.Parallel()
	a, err := DecodeAgenda([]byte(agendaOf7), 7, nil, apiOfX)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, it := range a.Items {
		got += fmt.Sprintf("%d %s|%s|%s|%s|%t %d\n", it.Level, it.ID, it.Number, it.FileNumber, it.Title, it.Section,
			len(it.Attachments))
	}
	for _, v := range a.Votes {
		passed := "?"
		if v.Passed != nil {
			passed = fmt.Sprint(*v.Passed)
		}
		got += fmt.Sprintf("%s/%d %s %s by %q %q:", v.ItemID, v.Seq, v.Motion, passed, v.Mover, v.Seconder)
		for _, p := range v.Positions {
			got += fmt.Sprintf(" %s=%s(%s)", p.Name, p.Position, p.Word)
		}
		got += "\n"
	}
	for _, n := range a.Notes {
		got += fmt.Sprintf("%s %s/%d\n", n.Code, n.ItemID, n.Seq)
	}
	const want = `0 70|2.||New Business|true 0
1 71|2.a.|2026-17|Buy a plow|false 1
2 72|2.a.(1)||Spare tyre|false 0
0 row 4|||no id|false 0
0 74|3.|O-9|Ordinance|false 0
71/1 Amend false by "Ann Archer" "Ben Baker": Ann Archer=aye(yes) Ben Baker=nay(no) Cy De Witt=nay(no) Dee O'Dell=abstain(abstain)
71/2 Approve true by "" "": Ann Archer=aye(yes) Ben Baker=aye(yes) Cy De Witt=recused(recuse) Dee O'Dell=(standby)
71/3 Close debate ? by "" "":
71/4 Twice true by "" "": Ann Archer=aye(yes)
unknown-vote-word 71/2
member-twice 71/4
unreadable 71/5
unreadable /0
unreadable /0
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(a.Unrecorded) != 1 || a.Unrecorded[0] != 72 {
		t.Errorf("wrong items without recorded votes: %v", a.Unrecorded)
	}
	if err := a.AddVotes([]byte(`{"value":[{"motionName":"Table","passFail":1,"yesVotes":["Ann Archer"]}]}`), 72,
		nil); err != nil {
		t.Error(err)
	}
	if a.sort(); len(a.Votes) != 5 || a.Votes[4].ItemID != "72" {
		t.Errorf("wrong votes: %+v", a.Votes)
	}
	for _, body := range []string{"{}", `{"value":null}`, "x"} {
		if err := a.AddVotes([]byte(body), 72, nil); err == nil {
			t.Errorf("%s is accepted as votes", body)
		}
	}
}

func TestInvalidAgendas(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", `{"id":7}`, `{"id":7,"items":null}`, `{"id":8,"items":[]}`, `[]`, "<html>"} {
		if a, err := DecodeAgenda([]byte(body), 7, nil, apiOfX); !errors.Is(err, portal.ErrNotPortal) {
			t.Errorf("%q: %v, %v", body, a, err)
		}
	}
}

// Endless nesting of items and cycles of ids do not prevent an end.
func TestHostileAgenda(t *testing.T) {
	t.Parallel()
	const deep = 300
	body := `{"id":7,"items":[` + strings.Repeat(
		`{"id":1,"agendaObjectItemOutlineNumber":"1.","agendaObjectItemName":"x","childItems":[`, deep) +
		strings.Repeat(`]}`, deep) + `]}`
	a, err := DecodeAgenda([]byte(body), 7, nil, apiOfX)
	if err != nil || len(a.Items) != 1 {
		t.Errorf("agenda with a cycle: %d items, %v", len(a.Items), err)
	}
	var rows []string
	for i := range deep {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"agendaObjectItemName":"x","childItems":[`, i+1))
	}
	body = `{"id":7,"items":[` + strings.Join(rows, "") + strings.Repeat(`]}`, deep) + `]}`
	a, err = DecodeAgenda([]byte(body), 7, nil, apiOfX)
	if err != nil || len(a.Items) != maxDepth || len(a.Notes) != 1 || a.Notes[0].Code != council.CodeTextCut {
		t.Errorf("%d items, %v, %v", len(a.Items), a.Notes, err)
	}
	rows = nil
	for i := range maxItems + 5 {
		rows = append(rows, fmt.Sprintf(`{"id":%d}`, i+1))
	}
	a, err = DecodeAgenda([]byte(`{"id":7,"items":[`+strings.Join(rows, ",")+`]}`), 7, nil, apiOfX)
	if err != nil || len(a.Items) != maxItems || len(a.Notes) != 1 {
		t.Errorf("%d items, %v, %v", len(a.Items), a.Notes, err)
	}
}

// A signature opens a file for days, so stored data must not contain signatures.
func TestSignaturesAreRemoved(t *testing.T) {
	t.Parallel()
	got := string(
		unsigned(
			[]byte(`{"a":"https:\/\/blob.example\/q.pdf?sv=1\u0026sig=abc%3D","b":"https://x.example/?page=2","c":"https://y.example/z?sig=1"}`)))
	if want :=
		`{"a":"https:\/\/blob.example\/q.pdf","b":"https://x.example/?page=2","c":"https://y.example/z"}`; got != want {
		t.Error(got)
	}
}

// Any answer gives valid data or an error.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(agendaOf7))
	f.Add(listOf(event(7, "Town <b>Council", "2026-03-10T18:30:00Z", `,"publishedFiles":[{"fileId":5}]`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		if a, err := DecodeAgenda(body, 7, nil, apiOfX); err == nil {
			for _, it := range a.Items {
				if it.ID == "" || len(it.Title) > 4*maxText || it.Level >= maxDepth {
					t.Errorf("%+v", it)
				}
			}
			for _, v := range a.Votes {
				if v.Seq < 1 || len(v.Positions) > 10*maxNames {
					t.Errorf("%+v", v)
				}
			}
		}
		if p, err := DecodeEvents(body, &url.URL{Scheme: "https", Host: "x.example", Path: "/v1/Events"},
			time.UTC); err == nil {
			for _, e := range MergeCopies(p.Events) {
				if e.ID <= 0 || e.Starts.IsZero() {
					t.Errorf("%+v", e)
				}
			}
		}
	})
}
