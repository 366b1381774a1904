package councilingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
)

// What council.yaml says of a member is stored for each body on which the name is that person, and
// replaced when the file changes; equal settings change nothing.
func TestOfficesOfMembers(t *testing.T) {
	t.Parallel()
	deps := testDeps(t, pgtest.New(t))
	const head = "portal: {url: 'https://portal.example', product: primegov}\nmembers:\n"
	load := func(members string) (generation int64) {
		t.Helper()
		mustLoad(t, deps, readYAML(t, head+members), 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
			item("1.", "2026-101", "Awards the Contract", split)))
		if err := deps.DB.QueryRow(t.Context(), `SELECT generation FROM council.dataset`).Scan(&generation); err != nil {
			t.Fatal(err)
		}
		return generation
	}
	want := func(want ...string) {
		t.Helper()
		got := list2(t, deps.DB, `SELECT concat_ws('|', m.full_name, o.office, o.district, o.since, o.until)
			FROM council.member_office o JOIN council.member_body b USING (body_id, name_key)
			JOIN council.member m ON m.id = b.member_id ORDER BY 1`)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("offices (-want +got)\n%s", d)
		}
	}
	const members = `  "Ann Archer": {office: Mayor, from: 2023}
  "Benjamin Baker": {spellings: ["Ben Baker"], district: Ward 3, from: 2019, until: 2027}
  "Cy De Witt": ["C. De Witt"]
  "Dee O'Dell @ Tree Board": {office: Chair}
  "Dee O'Dell": {office: Vice Mayor}
`
	first := load(members)
	want("Ann Archer|Mayor|2023", "Benjamin Baker|Ward 3|2019|2027", "Dee O'Dell|Vice Mayor")
	if again := load(members); again != first {
		t.Errorf("equal settings raise the generation from %d to %d", first, again)
	}
	if next := load(`  "Ann Archer": {office: Councilmember}` + "\n"); next == first {
		t.Error("other offices do not raise the generation")
	}
	want("Ann Archer|Councilmember")
	load(`  "Ann Archer": []` + "\n")
	want([]string(nil)...)
}
