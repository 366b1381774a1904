package reviewsite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/services/townline/internal/gate"
)

// If two clerks review the same anomaly, the second clerk first sees the statement of the first.
func TestReviewShowsNewerStatements(t *testing.T) {
	t.Parallel()
	w := open(t, gate.Config{})
	ann, bo := w.clerk(t, "Ann Example, City Clerk"), w.clerk(t)
	path := fmt.Sprintf("/anomalies/%d", w.anomaly)
	status, list := ann.get("/")
	must(t, status, list, 200, "0 of 1 reviewed", `<a href="`+path+`"`)
	for _, lang := range []string{"en", "es", "fr"} {
		for _, p := range []string{"/", path, fmt.Sprintf("/votes/%d", w.contract), "/items/1", "/nowhere"} {
			if status, body := ann.get(p + "?lang=" + lang); status >= 500 || !strings.Contains(body, `<html lang="`+lang+`"`) {
				t.Errorf("%s in %s: %d %s", p, lang, status, body)
			}
		}
	}
	_, page := ann.get(path)
	must(t, 200, page, 200, "Awards the Contract &lt;b&gt;", "<mark>", "ADOPTED [2 TO 1]", "Dee O&#39;Dell")
	_, bosPage := bo.get(path)

	status, body := ann.post(path, with(form(t, page, `value="accepted"`), "do", "accepted", "text",
		"it was\r\nprinted so"))
	must(t, status, body, 200, "Stored, number 1.", "Readers see it in a few seconds.", "<b>confirmed</b>")
	f := with(form(t, bosPage, `value="accepted"`), "do", "rejected", "by", "Bo Deputy", "text", "nothing wrong")
	status, body = bo.post(path, f)
	must(t, status, body, 409, "the data has changed since you opened this page", "Ann Example, City Clerk",
		"nothing wrong</textarea>", `value="Bo Deputy"`)
	// Bo has seen the statement and decides again.
	status, body = bo.post(path, with(form(t, body, `value="accepted"`), "do", "replied", "text", "A clerical error."))
	must(t, status, body, 200, "Stored, number 2.", "A clerical error.")
	status, body = bo.post(path, with(form(t, body, `value="accepted"`), "do", "undone", "text", ""))
	must(t, status, body, 200, "Stored, number 3.", "undone by #3")
	status, body = bo.post(path, with(form(t, body, `value="accepted"`), "do", "replied", "text", " "))
	must(t, status, body, 400, "text: is required")
	w.settle(t)
	_, body = ann.get("/?state=accepted")
	must(t, 200, body, 200, "1 of 1 reviewed", `<a href="`+path+`"`)
	_, body = ann.get("/")
	if strings.Contains(body, `<a href="`+path+`"`) {
		t.Error("a reviewed anomaly is still listed as to do")
	}
	if n := w.count(t, `SELECT count(*) FROM council.review WHERE body = E'it was\nprinted so'
		AND act = 'accepted' AND author = 'Ann Example, City Clerk'`); n != 1 {
		t.Errorf("%d acts with the entered text", n)
	}
}

// The clerk decides whether a name on two bodies is one person; by default it is two people. A name
// that is only a prefix of the anomaly's name is ignored.
func TestAClerkDecidesWhoseNameItIs(t *testing.T) {
	t.Parallel()
	w := open(t, gate.Config{})
	for _, sql := range []string{`INSERT INTO council.member (name_key, full_name, last_name) VALUES ('ann', 'Ann', 'Ann')`,
		`INSERT INTO council.body (slug, name) VALUES ('arts-board', 'Arts Board')`,
		`UPDATE council.member_body SET iqm2_id = 7 WHERE name_key = 'ann'`,
		`INSERT INTO council.member_body (body_id, name_key, member_id) SELECT b.body_id, 'ann', m.id
			FROM council.body b, council.member m WHERE b.slug = 'arts-board' AND m.name_key = 'ann'`} {
		if _, err := w.db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var anomaly int64
	if err := w.db.QueryRow(t.Context(), `
		WITH other AS (INSERT INTO council.body (slug, name) VALUES ('port-board', 'Port Board') RETURNING body_id),
		     namesake AS (INSERT INTO council.member (name_key, full_name, last_name)
		       VALUES ('ann archer|port-board', 'Ann Archer', 'Archer') RETURNING id),
		     seat AS (INSERT INTO council.member_body (body_id, name_key, member_id)
		       SELECT body_id, 'ann archer', id FROM other, namesake),
		     here AS (UPDATE council.member_body SET iqm2_id = 7
		       WHERE name_key IN ('ann archer', 'ben baker') AND body_id = 1)
		INSERT INTO council.anomaly (iqm2_id, meeting_date, starts_at, ord, kind, code, message)
		SELECT iqm2_id, meeting_date, starts_at, 99, 'inconsistency', 'same-name-on-two-bodies',
		       'Ann Archer is a member here and of Port Board; whether they are one person is not known'
		FROM council.meeting WHERE iqm2_id = 7
		RETURNING id`).Scan(&anomaly); err != nil {
		t.Fatal(err)
	}
	c := w.clerk(t, "Ann Example")
	path := fmt.Sprintf("/anomalies/%d", anomaly)
	_, page := c.get(path)
	must(t, 200, page, 200, "The same name on two bodies", "Ann Archer of Port Board (one person)",
		`<option value="none" selected>another person of that name</option>`)
	said := func() (is string) {
		if err := w.db.QueryRow(t.Context(), `
			SELECT kind || ' ' || member || ' ' || coalesce(becomes, '-') || ' ' || iqm2_id
			FROM council.correction WHERE anomaly_id = $1 ORDER BY correction_id DESC LIMIT 1`, anomaly).Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	for answer, want := range map[string]string{"": "person Ann Archer - 7",
		"port-board": "person Ann Archer port-board 7"} {
		_, page = c.get(path)
		f := with(form(t, page, `value="person"`), "reason", "the roster", "document", "roster", "then", "store")
		if answer != "" {
			f.Set("person", answer)
		}
		status, body := c.post(path, f)
		must(t, status, body, 200, "Stored, number ")
		if is := said(); is != want {
			t.Errorf("%q is stored as %q, want %q", answer, is, want)
		}
	}
}

// Each form makes its corrections, and none if nothing was changed.
func TestFormsMakeCorrections(t *testing.T) {
	t.Parallel()
	w := open(t, gate.Config{})
	c := w.clerk(t, "Ann Example")
	path := fmt.Sprintf("/anomalies/%d", w.anomaly)
	vote := func(of int64) (is string) {
		t.Helper()
		err := w.db.QueryRow(t.Context(), `
			SELECT i.title || '|' || v.result || '|' || v.ayes_count || '|' || v.nays_count || '|' || coalesce(m.last_name,
			       '') || '|' ||
			       coalesce((SELECT string_agg(b.last_name || ' ' || p.position, ',' ORDER BY p.ord) FROM council.vote_position p
			         JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id), '')
			FROM council.vote v JOIN council.item i ON i.id = v.item_id LEFT JOIN council.member m
			  ON m.id = v.mover_id WHERE v.id = $1`, of).Scan(&is)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	read := "Awards the Contract <b>|adopted|2|1|Archer|Archer aye,Baker aye,De Witt aye,O'Dell nay"
	if is := vote(w.contract); is != read {
		t.Fatal(is)
	}
	member := func(name string) string {
		return fmt.Sprint("position-", w.count(t, `SELECT id FROM council.member WHERE full_name = '`+
			strings.ReplaceAll(name, "'", "''")+`'`))
	}
	why := func(pairs ...string) []string {
		return append([]string{"reason", "read wrongly", "document", "page 1", "then", "store"}, pairs...)
	}
	sent := func(at, do string, want int, texts []string, pairs ...string) {
		t.Helper()
		_, page := c.get(at)
		status, body := c.post(at, with(form(t, page, `name="do" value="`+do+`"`), pairs...))
		must(t, status, body, want, texts...)
	}
	sent(path, "vote", 400, []string{"you changed nothing in the form"}, why()...)
	sent(path, "title", 400, []string{"you changed nothing in the form"}, why()...)
	sent(path, "vote", 400, []string{"no member and no attendee has that name", "Zoe Zander"},
		why("mover", "Zoe Zander")...)
	sent(path, "vote", 400, []string{"reason: is required"}, "result", "failed", "document", "page 1", "then", "store")
	sent(path, "vote", 400, []string{"from 0 to"}, why("ayes", "-4")...)
	sent(path, "vote", 200, []string{"Nothing is stored yet", "mover: Ann Archer -&gt; Ben Baker",
		"<option value=\"absent\" selected>"}, why("then", "look", "mover", "Ben Baker", member("Cy De Witt"), "absent")...)
	if n := w.count(t, `SELECT count(*) FROM council.correction`); n != 0 {
		t.Fatalf("%d corrections", n)
	}
	sent(path, "vote", 200, []string{"Stored, number 1.", "A correction is stored and is being applied",
		"<b>State:</b> corrected"}, why("mover", "ben baker", member("Cy De Witt"), "absent", member("Dee O'Dell"), "none",
		"nays", "0")...)
	if is := vote(w.contract); is != read {
		t.Errorf("the clerk's role wrote a vote: %s", is)
	}
	w.settle(t)
	if is := vote(w.contract); is != "Awards the Contract <b>|adopted|2|0|Baker|Archer aye,Baker aye,De Witt absent" {
		t.Error(is)
	}
	sent(path, "title", 200, []string{"Stored"}, why("title", "Awards the Contract")...)
	report := fmt.Sprintf("/votes/%d", w.report)
	sent(report, "missing", 200, []string{"Stored"}, why("printed", "FAILED [1 TO 1]", "result", "failed", "mover",
		"Dee O'Dell", "page", "2", member("Ann Archer"), "aye", member("Ben Baker"), "nay")...)
	sent(report, "missing", 400, []string{"page: must be a page"}, why("printed", "X", "page", "two")...)
	w.settle(t)
	missing := int64(w.count(t, `SELECT max(id) FROM council.vote`))
	if is := vote(missing); is != "Accepts the Report|failed|1|1|O'Dell|Archer aye,Baker nay" || missing == w.report {
		t.Error(is)
	}
	// If the other vote has changed meanwhile, this vote may no longer be a duplicate.
	_, page := c.get(report)
	if _, err := w.db.Exec(t.Context(), `UPDATE council.vote SET result_raw = 'FAILED'
		WHERE id = $1`, missing); err != nil {
		t.Fatal(err)
	}
	status, body := c.post(report, with(form(t, page, `name="do" value="doubled"`), why()...))
	must(t, status, body, 409, "the data has changed")
	sent(fmt.Sprintf("/votes/%d", missing), "doubled", 400, []string{"was added by a correction"}, why()...)
	sent(report, "doubled", 200, []string{"Stored"}, why()...)
	w.settle(t)
	if n := w.count(t, `SELECT count(*) FROM council.vote`); n != 2 {
		t.Errorf("%d votes", n)
	}
	// A removed vote can be found by its number, together with the correction to withdraw.
	gone := report
	_, page = c.get(gone)
	f := with(form(t, page, `name="correction"`), "do", "withdraw", "reason", "not twice")
	status, body = c.post(gone, f)
	must(t, status, body, 200, "withdrawn")
	status, body = c.post(gone, f)
	if status != 409 {
		t.Errorf("second submit: %d %s", status, body)
	}
	_, page = c.get(path)
	status, _ = c.post(path, with(form(t, page, `value="withdraw"`), "do", "withdraw", "correction", "999", "reason", "x"))
	if status != 404 {
		t.Errorf("withdrawal of a correction that the vote does not have: %d", status)
	}
	// If a vote changes meanwhile, the form is out of date.
	_, page = c.get(path)
	if _, err := w.db.Exec(t.Context(), `UPDATE council.vote SET result = 'tabled'
		WHERE id = $1`, w.contract); err != nil {
		t.Fatal(err)
	}
	status, body = c.post(path, with(form(t, page, `name="do" value="vote"`), why("ayes", "4")...))
	must(t, status, body, 409, "the data has changed")
}
