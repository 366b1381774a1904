package gtfsimport_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// exported returns the zip of the live version.
func exported(t testing.TB, db querier, alias string) []byte {
	t.Helper()
	kept, err := pg.Column[[]byte](t.Context(), db, `
		SELECT z.data FROM transit.feed f JOIN transit.feed_version v USING (version_id) JOIN transit.feed_zip z
		       ON z.feed_id = f.feed_id AND z.sha256 = v.sha256
		WHERE f.alias = $1 ORDER BY z.n`, alias)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := pg.List[struct {
		At, Bytes int64
		ZipAt     *int64
		Data      []byte
	}](t.Context(), db, `
		SELECT e.at, e.bytes, e.zip_at, e.data FROM transit.feed f JOIN transit.export_piece e USING (version_id)
		       WHERE f.alias = $1 ORDER BY e.at`, alias)
	if err != nil {
		t.Fatal(err)
	}
	zip := bytes.Join(kept, nil)
	var out []byte
	for _, p := range pieces {
		if p.ZipAt != nil {
			p.Data = zip[*p.ZipAt : *p.ZipAt+p.Bytes]
		}
		if p.At != int64(len(out)) || p.Bytes != int64(len(p.Data)) {
			t.Errorf("piece of %d bytes at %d after %d bytes", p.Bytes, p.At, len(out))
		}
		out = append(out, p.Data...)
	}
	return out
}

// checkExport compares the exported zip with the imported one, cell by cell; the audit lists the
// differences. An import of the export has no findings.
func checkExport(t *testing.T, db *pgxpool.Pool, alias string, data []byte, encoding string,
	report *gtfsimport.Report) {
	t.Helper()
	out := exported(t, db, alias)
	was, is := zipFiles(t, data, encoding), zipFiles(t, out, "")
	x := explain(report)
	var wasNames []string
	for name := range was {
		if strings.Contains(name, `\`) {
			continue // outside the feed's folder
		}
		if !slices.ContainsFunc(report.Findings, func(f gtfsimport.Finding) bool {
			return f.File == name && f.Code == "unreadable_file"
		}) {
			wasNames = append(wasNames, name)
		}
	}
	isNames := slices.Sorted(maps.Keys(is))
	slices.Sort(wasNames)
	if diff := cmp.Diff(wasNames, isNames); diff != "" {
		t.Errorf("files of the export (-want +got):\n%s", diff)
	}
	for _, name := range isNames {
		compareRows(t, name, was[name], is[name], x)
	}
	file := filepath.Join(t.TempDir(), "export.zip")
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: alias, Source: file, Force: true})
	if err != nil {
		t.Fatalf("import of the export: %v", err)
	}
	if diff := cmp.Diff(report.Counts, again.Counts); diff != "" {
		t.Errorf("the export has other counts (-want +got):\n%s", diff)
	}
	for _, f := range again.Files {
		if f.Used && !strings.HasPrefix(f.File, "direction") && f.Added+f.Changed+f.Removed > 0 {
			t.Errorf("an import of the export changes %+v", f)
		}
	}
	if !maps.Equal(unzip(t, out), unzip(t, exported(t, db, alias))) {
		t.Error("the export of the export differs")
	}
}

func compareRows(t reporter, name string, was, is csvFile, x explained) {
	t.Helper()
	at := map[string]int{}
	for i := len(is.header) - 1; i >= 0; i-- {
		at[strings.ToLower(is.header[i])] = i
	}
	bad := 0
	fail := func(format string, args ...any) {
		t.Helper()
		if bad++; bad <= 5 {
			t.Errorf(name+": "+format, args...)
		}
	}
	cell := func(f csvFile, row []string, i int) string {
		if i < 0 || i >= len(row) || i >= len(f.header) {
			return ""
		}
		return row[i]
	}
	left := is.rows
	seen := map[string]bool{}
	for n, row := range was.rows {
		line := was.lines[n]
		if x.rows[name][line] {
			continue
		}
		same := func(out []string) (string, bool) {
			clear(seen)
			for i, column := range was.header {
				column = strings.ToLower(column)
				k, ok := at[column]
				if column == "" || seen[column] {
					continue // the first of several columns with the same name is used
				}
				seen[column] = true
				if !ok {
					return column, false
				}
				if cell(was, row, i) != cell(is, out, k) && !x.cells[name][line][column] {
					return column, false
				}
			}
			return "", true
		}
		if len(left) > 0 {
			column, ok := same(left[0])
			if ok {
				left = left[1:]
				continue
			}
			if x.spare[name] <= 0 {
				fail("line %d, %s: %q became %q", line, column, row, left[0])
				left = left[1:]
				continue
			}
		}
		if x.spare[name]--; x.spare[name] < 0 { // the audit counts more than it lists
			fail("line %d is not there, and the audit does not say why", line)
		}
	}
	if len(left) > 0 {
		fail("%d rows are not in the file, such as %q", len(left), left[0])
	}
}

// The export of a valid feed has the same files, byte for byte. Manual rows and omitted rows change
// only their own files.
func TestExport(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small()
	f["stops.txt"] = strings.ReplaceAll(f["stops.txt"], "\n", "\r\n")
	f["extra.txt"] = "a, b\n\"1\", 2\n"
	f["notes.pdf"] = "%PDF"
	f["empty.txt"] = ""
	r := load(t, db, "metro", f)
	checkExport(t, db, "metro", f.bytes(t), "", r)
	if diff := cmp.Diff(map[string]string(f), unzip(t, exported(t, db, "metro"))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	f = f.with("stops.txt", "D,Dock,45.3,-122.3,,\r\n",
		"D,\"Dock, \"\"old\"\"\",45.3,-122.3,,nowhere\r\nD,Twice,1,1,,\r\n").
		with("stop_times.txt", "T4,08:00:00,08:00:00,B,1,\n",
			"T4,08:00:00,08:00:00,B,1,\nT9,8:00:00,8:00:00,B,1,\nT4,noon,8:05:00,C,1.5,\nT4,8:05:00,noon,C,7,\n").
		with("translations.txt", "stops,stop_name,es,Muelle,D,,\n", "stops,stop_name,es,Muelle,D,,\n,,,,,,\n")
	r = load(t, db, "metro", f)
	checkExport(t, db, "metro", f.bytes(t), "", r)

	manual(t, db, "patch stops.txt stop_id=B;stop_name=Bridge, new;platform_code=2", "hide routes.txt route_id=R2",
		"add routes.txt route_id=R3;agency_id=M;route_type=3", "add areas.txt area_id=A")
	if _, err := gtfsimport.Reimport(t.Context(), deps(t, db), "metro", nil); err != nil {
		t.Fatal(err)
	}
	before := unzip(t, exported(t, db, "metro"))
	for file, want := range map[string]string{
		"stops.txt":  "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code\nS,Station,45.0,-122.0,1,,\n1,Platform,45.001,-122.0,,S,\nB,\"Bridge, new\",45.1,-122.1,,,2\nC,Court,45.2,-122.2,,,\nD,\"Dock, \"\"old\"\"\",45.3,-122.3,,,\n",
		"routes.txt": "route_id,agency_id,route_short_name,route_long_name,route_type,route_color,badge\nR1,M,10,Loop,3,FFFFFF,\nR3,M,,,3,,\n",
		"areas.txt":  "area_id\nA\n",
		"trips.txt":  "trip_id,route_id,service_id,trip_headsign,direction_id,shape_id\nT1,R1,WK,Loop,0,H1\nT2,R1,WK,Loop,0,H1\nT4,R1,WK,Court,0,\nT5,R1,WK,Loop,0,H1\n",
		"agency.txt": f["agency.txt"],
	} {
		if diff := cmp.Diff(want, before[file]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	was := dump(t, db, "metro")
	file := filepath.Join(t.TempDir(), "export.zip")
	if err := os.WriteFile(file, exported(t, db, "metro"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := gtfsimport.Import(t.Context(), deps(t, db),
		gtfsimport.Request{Alias: "other", Source: file}); err != nil {
		t.Fatal(err)
	}
	is := dump(t, db, "other")
	delete(was, "file") // it has the sizes of the original files
	delete(is, "file")
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("the export, imported as another feed (-want +got):\n%s", diff)
	}
}

// Each entry of a zip is in the export or in the audit.
func TestNoEntryIsDroppedSilently(t *testing.T) {
	t.Parallel()
	f := small()
	path := filepath.Join(t.TempDir(), "feed.zip")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	entry := func(h *zip.FileHeader, text string) {
		h.CRC32, h.CompressedSize64 = crc32.ChecksumIEEE([]byte(text)), uint64(len(text))
		h.UncompressedSize64 = uint64(len(text))
		dst, err := w.CreateRaw(h)
		if err == nil {
			_, err = io.WriteString(dst, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		entry(&zip.FileHeader{Name: name}, f[name])
	}
	const encrypted = 1
	long := strings.Repeat("long", 1000) + ".txt"
	for name, flags := range map[string]uint16{
		"plan.pdf": 0, "plain.txt": 0, "locked.pdf": encrypted, "locked.txt": encrypted, "locations.geojson": encrypted,
		"agency.TXT": 0, "old/stops.txt": 0, "old/notes.txt": 0,
		".hidden": 0, "__MACOSX/._plan.pdf": 0, "../out.txt": 0, long: 0, "line\nbreak.txt": 0, "caf\xe9.pdf": 0,
	} {
		entry(&zip.FileHeader{Name: name, Flags: flags}, "text\n")
	}
	damaged := &zip.FileHeader{Name: "damaged.pdf"}
	entry(damaged, "text\n")
	damaged.CRC32++
	for i := range 100 { // more than the limit for row-by-row storage
		entry(&zip.FileHeader{Name: fmt.Sprintf("more%d.txt", i), Flags: uint16(i / 99)}, "text\n")
	}
	entry(&zip.FileHeader{Name: "old/"}, "")
	if err := errors.Join(w.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	db := pgtest.New(t)
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: path})
	if err != nil {
		t.Fatal(err)
	}
	var skipped []string
	renamed := ""
	for _, l := range r.Findings {
		if l.Code == "unreadable_file_name" {
			renamed += l.File
		}
		if l.Effect == gtfs.FileSkipped {
			skipped = append(skipped, fmt.Sprintf("%s: %s", l.Code, l.File[:min(len(l.File), 20)]))
		}
	}
	slices.Sort(skipped)
	if diff := cmp.Diff([]string{
		"duplicate_file: agency.txt", "file_beside_feed: old/notes.txt", "file_outside_feed: ../out.txt",
		"hidden_file: .hidden", "hidden_file: __MACOSX/._plan.pdf",
		"invalid_input_files_in_subfolder: old/stops.txt", "unreadable_file: damaged.pdf",
		"unreadable_file: locations.geojson", "unreadable_file: locked.pdf", "unreadable_file: locked.txt",
		"unreadable_file: more99.txt", "unusable_file_name: line\ufffdbreak.txt", "unusable_file_name: longlonglonglonglong",
	}, skipped); diff != "" {
		t.Errorf("omitted (-want +got):\n%s", diff)
	}
	if n := query(t, db, `SELECT count(*)::text FROM transit.export_piece`); n[0] != "1" {
		t.Errorf("small files are in %s pieces, each of which costs a request", n[0])
	}
	if renamed != "caf\ufffd.pdf" {
		t.Errorf("names that are not UTF-8: %q", renamed)
	}
	is := unzip(t, exported(t, db, "metro"))
	if want := len(f) + 3 + 99; len(is) != want || is["plan.pdf"] == "" || is["plain.txt"] == "" ||
		is["caf\ufffd.pdf"] == "" || is["more98.txt"] == "" {
		t.Errorf("%d files are in the export, want %d: %v", len(is), want, slices.Sorted(maps.Keys(is)))
	}
}

func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range z.File {
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		all[path.Base(e.Name)] = string(text)
	}
	if len(all) != len(z.File) {
		t.Errorf("the export has the files %v", slices.Collect(maps.Keys(all)))
	}
	return all
}
