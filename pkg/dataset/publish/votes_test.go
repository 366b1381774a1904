package publish

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/pgtest"
)

// twoVotes has a council of three with one meeting and one item. The title of the item has a comma,
// quotes and a line break. One of its two votes has all fields, the other only the required fields.
const twoVotes = `
	INSERT INTO council.member (id, name_key, full_name, last_name) OVERRIDING SYSTEM VALUE
	  VALUES (1, 'ann archer', 'Ann Archer', 'Archer'), (2, 'cy de witt', 'Cy De Witt', 'De Witt'),
	    (3, 'dee odell', 'Dee O''Dell', 'O''Dell');
	INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status,
	  source_url)
		VALUES (7, 'City Council', 'regular', 'Regular Meeting', '2026-03-10', '2026-03-11T01:30Z',
		  'City Council - Regular Meeting', 'complete', 'https://town.example/7');
	INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE
	  VALUES (1, decode(repeat('00', 32), 'hex'), 'application/pdf', 1);
	INSERT INTO council.minutes (minutes_id, iqm2_id, document_id, url, fetched_at) OVERRIDING SYSTEM VALUE
	  VALUES (1, 7, 1, 'https://town.example/7.pdf', now());
	UPDATE council.meeting SET minutes_id = 1, latest_id = 1;
	INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, item_number, section, title, is_consent, topic,
	  topic_confidence, classified_at, classifier_model)
		OVERRIDING SYSTEM VALUE VALUES (5, 7, '2026-03-10', '2026-03-11T01:30Z', 1, '1.', 'Resolutions',
		  E'Ferry "Landing",\nPier', false, 'housing', 0.75, now(), 'terms');
	INSERT INTO council.vote (id, iqm2_id, meeting_date, starts_at, item_id, ord, motion_seq, motion_text, result,
	  result_raw, ayes_count, nays_count, unanimous, via_consent, mover_id, seconder_id, parse_source, source_page, topic,
	    parsed_at)
		OVERRIDING SYSTEM VALUE VALUES (11, 7, '2026-03-10', '2026-03-11T01:30Z', 5, 1, 1, 'To adopt', 'adopted',
		  'ADOPTED [2 TO 1]', 2, 1, false, false, 1, 2, 'pdf', 3, 'housing', now()),
		       (12, 7, '2026-03-10', '2026-03-11T01:30Z', 5, 2, 2, repeat('long ', 500000), 'other', '', 0, 0, false, true,
		         NULL, NULL, 'pdf', NULL, 'housing', now());
	INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position)
		VALUES (11, 2, 7, '2026-03-10', '2026-03-11T01:30Z', 1, 'aye'), (11, 1, 7, '2026-03-10', '2026-03-11T01:30Z', 2,
		  'aye'), (11, 3, 7, '2026-03-10', '2026-03-11T01:30Z', 3, 'nay')`

func TestVotesCSV(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	votes := func() []byte { return write(t, db)[dataset.VotesCSV].Content }
	empty := votes()
	header := []string{"vote_id", "meeting_id", "meeting_date", "body", "meeting_type", "item_id", "item_number",
		"section", "item_title", "topic", "topic_confidence",
		"is_consent", "motion_seq", "motion_text", "result", "result_raw", "ayes_count", "nays_count", "unanimous",
		"via_consent", "mover", "seconder",
		"ayes", "nays", "abstentions", "absences", "recusals", "source_url", "meeting_source_url"}
	if want := strings.Join(header, ",") + "\r\n"; string(empty) != want {
		t.Errorf("votes.csv without votes: %q", empty)
	}
	if _, err := db.Exec(t.Context(), twoVotes); err != nil {
		t.Fatal(err)
	}
	content := votes()
	if len(content) < 2<<20 || bytes.HasPrefix(content, []byte("\ufeff")) ||
		!bytes.Contains(content, []byte("\"Ferry \"\"Landing\"\",\nPier\"")) {
		t.Errorf("wrong votes.csv of %d bytes: %.400s", len(content), content)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		header,
		{"11", "7", "2026-03-10", "City Council", "regular", "5", "1.", "Resolutions", "Ferry \"Landing\",\nPier", "housing",
			"0.75", "false", "1", "To adopt", "adopted", "ADOPTED [2 TO 1]", "2", "1",
			"false", "false", "Ann Archer", "Cy De Witt", "Cy De Witt; Ann Archer", "Dee O'Dell", "", "", "",
			"https://town.example/7.pdf#page=3", "https://town.example/7"},
		{"12", "7", "2026-03-10", "City Council", "regular", "5", "1.", "Resolutions", "Ferry \"Landing\",\nPier", "housing",
			"0.75", "false", "2", strings.Repeat("long ", 500000), "other", "", "0", "0",
			"false", "true", "", "", "", "", "", "", "", "https://town.example/7.pdf", "https://town.example/7"},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("%.2000s", d)
	}

	// A title that a spreadsheet would run begins with a quote in the file. Numbers do not.
	if _, err := db.Exec(t.Context(), `UPDATE council.item SET title = '=HYPERLINK("https://evil.example")',
		section = '@SUM(1,2)', item_number = '-1'`); err != nil {
		t.Fatal(err)
	}
	content = votes()
	if !bytes.Contains(content, []byte(`,5,'-1,"'@SUM(1,2)","'=HYPERLINK(""https://evil.example"")",housing,0.75,`)) {
		t.Errorf("votes.csv with formulas: %.600s", content)
	}

	// If only the portal records a vote, the vote links to the portal's page.
	if _, err := db.Exec(t.Context(), `UPDATE council.vote SET origin = 'record', source_page = NULL
		WHERE id = 11; UPDATE council.meeting SET minutes_id = NULL`); err != nil {
		t.Fatal(err)
	}
	if content := votes(); !bytes.Contains(content,
		[]byte(",Dee O'Dell,,,,https://town.example/7,https://town.example/7\r\n")) {
		t.Errorf("votes.csv with a recorded vote: %.600s", content)
	}
}
