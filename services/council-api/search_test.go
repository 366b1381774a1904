package councilapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/services/council-api/internal/search"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	for _, sql := range []string{
		`INSERT INTO council.member (id, name_key, full_name, last_name) VALUES (1, 'ann archer', 'Ann Archer', 'Archer'),
			(2, 'jose nunez', 'José Núñez', 'Núñez')`,
		`INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status,
			source_url)
		 SELECT i, 'Council', 'regular', 'Regular', date '2020-01-01' + i,
		        timestamptz '2020-01-01 18:00+00' + i * interval '1 day', 'Regular Meeting', 'complete',
		          'https://portal.example/' || i FROM generate_series(1, 600) i`,
		`INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, title, is_consent, summary)
		 SELECT iqm2_id, iqm2_id, meeting_date, starts_at, 1, CASE iqm2_id WHEN 7 THEN 'Affordable housing at the Café Łódź'
		        ELSE 'Street sweeping contract' END, false, CASE iqm2_id WHEN 9 THEN 'About ferries.' END
		          FROM council.meeting`,
		`INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result,
			result_raw, ayes_count, nays_count, unanimous, via_consent, parse_source, parsed_at)
		 SELECT id, id, iqm2_id, meeting_date, starts_at, 1, 1, CASE id WHEN 8 THEN 'to refer the lighthouse to committee'
		        ELSE 'to adopt' END, 'adopted', 'ADOPTED', 2, 0, true, false, 'pdf', starts_at FROM council.item`,
		`INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE SELECT iqm2_id,
			sha256(iqm2_id::text::bytea), 'application/pdf', 1 FROM council.meeting`,
		`INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE
			VALUES (9999, sha256('draft'), 'application/pdf', 1)`,
		`INSERT INTO council.document_text (document_id, text, pages, parser_version, parsed_at)
		 SELECT document_id, E'The Council met.\f' || CASE document_id WHEN 7 THEN E'A tenant of the harbour\ndistrict asked about <b>Ærøskøbing</b> and dredging.' ELSE 'Nothing was said.' END, 2, '1', now() FROM council.document`,
		`INSERT INTO council.minutes (minutes_id, iqm2_id, document_id, url, fetched_at) OVERRIDING SYSTEM VALUE
			SELECT iqm2_id, iqm2_id, iqm2_id, 'https://portal.example/minutes/' || iqm2_id, now() FROM council.meeting`,
		`UPDATE council.meeting SET minutes_id = iqm2_id, latest_id = iqm2_id`,
		`UPDATE council.document_text SET text = E'A draft speaks of zeppelins.' WHERE document_id = 9999`,
		`UPDATE council.dataset SET generation = 1`,
	} {
		execSQL(t, writer, sql)
	}
	api := documented(t, testServer(t, reader))
	find := func(q string) (f search.FoundText) {
		t.Helper()
		api.Get(t, "/v1/search?limit=3&q="+url.QueryEscape(q)).JSON(t, &f)
		return f
	}
	for _, c := range []struct {
		q, corrected string
		members      string
		items        string // ids of items
		motions      string
		pages        string // written meeting/page
		snippet      string // snippet of the first match, with brackets around the match
	}{
		{q: "harbor dredging", corrected: "harbour dredging", pages: "7/2",
			snippet: "A tenant of the [harbour] district asked about <b>Ærøskøbing</b> and [dredging]."},
		{q: "tenants", pages: "7/2", snippet: "A [tenant] of the harbour district asked about <b>Ærøskøbing</b> and " +
			"dredging."},
		{q: "lodz", items: "7", snippet: "Affordable housing at the Café [Łódź]"},
		{q: "huosing", corrected: "housing", items: "7", snippet: "Affordable [housing] at the Café Łódź"},
		{q: "ferries", items: "9", snippet: "Street sweeping contract About [ferries]."},
		{q: "lighthouse", motions: "8", snippet: "to refer the [lighthouse] to committee"},
		{q: "archar", members: "1"}, // no minutes contain the word
		{q: "Nunez", members: "2"},
		{q: "sweeping", items: "600 599 598", snippet: "Street [sweeping] contract"},
		{q: `"said nothing"`},
		{q: "zeppelins"}, // only minutes that do not count contain the word
		{q: "xyzzyx"},
		{q: "12345"},
		{q: `the`},
		{q: "council met", pages: "600/1 599/1 598/1", snippet: "The [Council] [met]."},
	} {
		f := find(c.q)
		got := c
		got.corrected, got.members = "", ""
		got.items, got.motions = "", ""
		got.pages, got.snippet = "", ""
		var first []search.TextPart
		add := func(list *string, part []search.TextPart, format string, a ...any) {
			*list = strings.TrimSpace(*list + " " + fmt.Sprintf(format, a...))
			if first == nil {
				first = part
			}
		}
		if f.Corrected != nil {
			got.corrected = *f.Corrected
		}
		for _, m := range f.Members {
			add(&got.members, nil, "%d", m.ID)
		}
		for _, i := range f.Items {
			add(&got.items, i.Snippet, "%d", i.ID)
		}
		for _, m := range f.Motions {
			add(&got.motions, m.Snippet, "%d", m.VoteID)
		}
		for _, p := range f.Minutes {
			add(&got.pages, p.Snippet, "%d/%d", p.MeetingID, p.Page)
		}
		for _, p := range first {
			if p.Match {
				p.Text = "[" + p.Text + "]"
			}
			got.snippet += p.Text
		}
		if got != c {
			t.Errorf("%+v, want %+v", got, c)
		}
	}

	// The list has all pages with a word, in order, whatever the page size is.
	for q, want := range map[string][]string{"met": nil, "dredging": {"7/2"}} {
		if want == nil {
			for i := 600; i > 0; i-- {
				want = append(want, fmt.Sprintf("%d/1", i))
			}
		}
		var got []string
		for path := "/v1/search/minutes?limit=170&q=" + q; path != ""; {
			var page wire.Page[search.FoundPage]
			api.Get(t, path).JSON(t, &page)
			for _, p := range page.Data {
				got = append(got, fmt.Sprintf("%d/%d", p.MeetingID, p.Page))
			}
			path = ""
			if page.NextCursor != nil {
				path = "/v1/search/minutes?limit=170&q=" + q + "&cursor=" + *page.NextCursor
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages with %q: %d of %d: %.200s", q, len(got), len(want), fmt.Sprint(got))
		}
	}
}

// A phrase of common words is searched for only in the newest meetings, and the answer says so.
func TestPhraseOfCommonWords(t *testing.T) {
	t.Parallel()
	reader, writer := testDB(t)
	for _, sql := range []string{
		`INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status)
		 SELECT i, 'Council', 'regular', 'Regular', date '2020-01-01' + i,
		        timestamptz '2020-01-01 18:00+00' + i * interval '1 day', 'Regular Meeting', 'complete'
		          FROM generate_series(1, 301) i`,
		`INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE SELECT iqm2_id,
			sha256(iqm2_id::text::bytea), 'application/pdf', 1 FROM council.meeting`,
		`INSERT INTO council.minutes (minutes_id, iqm2_id, document_id, url, fetched_at) OVERRIDING SYSTEM VALUE
			SELECT iqm2_id, iqm2_id, iqm2_id, 'https://portal.example/' || iqm2_id, now() FROM council.meeting`,
		`UPDATE council.meeting SET minutes_id = iqm2_id, latest_id = iqm2_id`,
		`INSERT INTO council.page (document_id, page, text, search)
		 SELECT iqm2_id, page, text, to_tsvector('english', text)
		 FROM council.meeting, generate_series(1, 8) page, LATERAL (SELECT CASE WHEN iqm2_id IN (7, 299) AND page = 3
		   THEN 'The mayor called the council.' ELSE 'The council called the mayor.' END AS text) t`,
		`INSERT INTO council.page VALUES (7, 9, 'A tower leans', to_tsvector('english', 'A tower leans')),
			(7, 10, 'It leans, the tower', to_tsvector('english', 'It leans, the tower'))`,
		`UPDATE council.dataset SET generation = 1`,
	} {
		execSQL(t, writer, sql)
	}
	server := testServer(t, reader)
	api := documented(t, server)
	const called = `"mayor called the council"`
	for _, c := range []struct{ q, filter, pages, since string }{
		{called, "", "299/3", "2020-05-31"}, // the 151st meeting from the end
		{called, "&to=2020-05-30", "7/3", ""},
		{called, "&from=2020-06-01", "299/3", ""}, // the filter excludes earlier meetings
		{called + " or tower", "&to=2020-05-30&from=2020-01-09", "", ""},
		{`"tower leans"`, "", "7/9", ""}, // only few pages have both words
		{`tower -"tower leans"`, "", "7/10", ""},
		{`tower -leans`, "", "", ""},
	} {
		var list search.FoundPages
		api.Get(t, "/v1/search/minutes?q="+url.QueryEscape(c.q)+c.filter).JSON(t, &list)
		got := ""
		for _, p := range list.Data {
			got = strings.TrimSpace(got + fmt.Sprintf(" %d/%d", p.MeetingID, p.Page))
		}
		since := ""
		if list.SearchedSince != nil {
			since = list.SearchedSince.String()
		}
		if got != c.pages || since != c.since {
			t.Errorf("%s%s: %q since %q, want %q since %q", c.q, c.filter, got, since, c.pages, c.since)
		}
	}
	for q, complete := range map[string]bool{called: false, "mayor called the council": true, `"tower leans"`: true,
		`"council called"`: true} {
		var f search.FoundText
		api.Get(t, "/v1/search?limit=2&q="+url.QueryEscape(q)).JSON(t, &f)
		if f.Complete != complete || len(f.Minutes) == 0 {
			t.Errorf("%s: complete = %v with %d pages", q, f.Complete, len(f.Minutes))
		}
	}
	rec := browse(t, server, "/search/minutes?q="+url.QueryEscape(called))
	if page := rec.Body.String(); !strings.Contains(page, "only the newest texts") ||
		!strings.Contains(page, "to=2020-05-30") {
		t.Errorf("the page has no link to the next page:\n%.3000s", page)
	}
}

// The index follows the text of a document. Hostile texts do no harm.
func TestPagesFollowTheText(t *testing.T) {
	t.Parallel()
	_, writer := testDB(t)
	ctx := context.Background()
	var id int64
	if err := writer.QueryRow(ctx, `INSERT INTO council.document (sha256, media_type, size)
		VALUES (sha256('x'), 'text/plain', 1) RETURNING document_id`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	many := make([]string, 40_000)
	for i := range many {
		many[i] = fmt.Sprintf("word%c%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576)
	}
	for text, want := range map[string]int{
		"one\ftwo\fthree":                   3,
		"one":                               1,
		strings.Repeat("\f", 30_000):        20_000,
		strings.Join(many, " "):             1,
		strings.Repeat("x", 3_000_000):      1,
		strings.Repeat("é\u0301 ", 200_000): 1,
	} {
		var pages int
		if _, err := writer.Exec(ctx, `
			INSERT INTO council.document_text (document_id, text, pages, parser_version, parsed_at)
			  VALUES ($1, $2, 1, '1', now())
			ON CONFLICT (document_id) DO UPDATE SET text = excluded.text`, id, text); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
		if err := writer.QueryRow(ctx, `SELECT count(*) FROM council.page`).Scan(&pages); err != nil || pages != want {
			t.Errorf("%.20q: %d pages, %v, want %d", text, pages, err, want)
		}
	}
	if _, err := writer.Exec(ctx, `UPDATE council.document_text SET text = NULL, error = 'gone'`); err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := writer.QueryRow(ctx, `SELECT count(*) FROM council.page`).Scan(&pages); err != nil || pages != 0 {
		t.Errorf("after the text was removed: %d pages, %v", pages, err)
	}
}
