package gtfs_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfs"
)

// rows returns the header and all rows, and the line of each.
func rows(t testing.TB, src io.Reader, opts gtfs.Options) (table [][]string, lines []int, err error) {
	t.Helper()
	r, err := gtfs.NewReader("x.txt", src, 1<<20, opts)
	if err != nil {
		return nil, nil, err
	}
	table = append(table, r.Header())
	for r.Next() {
		var row []string
		for i := range r.Header() {
			row = append(row, string(r.Cell(i)))
		}
		table = append(table, row)
		lines = append(lines, r.Line())
	}
	return table, lines, r.Err()
}

func TestReaderAcceptsRealFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, encoding string
		want               [][]string
		lines              []int
		codes              []gtfs.Code
	}{
		{name: "plain", in: "a,b\n1,2\n3,4\n", want: [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, lines: []int{2, 3}},
		{name: "no line end at the end", in: "a,b\n1,2", want: [][]string{{"a", "b"}, {"1", "2"}}, lines: []int{2}},
		{name: "mark and CRLF", in: "\xEF\xBB\xBFa,b\r\n1,2\r\n", want: [][]string{{"a", "b"}, {"1", "2"}}, lines: []int{2}},
		{name: "CR alone", in: "a,b\r1,2\r3,4", want: [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}, lines: []int{2, 3}},
		{name: "CR CR LF", in: "a,b\r\n1,2\r\r\n3,4\r\n", want: [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}},
			lines: []int{2, 3}},
		{name: "blanks", in: "a , b\n 1,\t2 \n", want: [][]string{{"a", "b"}, {"1", "2"}}, lines: []int{2},
			codes: []gtfs.Code{"leading_or_trailing_whitespaces", "leading_or_trailing_whitespaces"}},
		{name: "blanks that are not ASCII", in: "a,b\n\u00a0é\u00a0,\u3000\n", want: [][]string{{"a", "b"}, {"é", ""}},
			lines: []int{2}},
		{name: "blank rows", in: "a,b\n\n1,2\n \n\r\n3,4\n\n", want: [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}},
			lines: []int{3, 6}},
		{name: "quotes", in: "a,b\n\"1, x\",\"say \"\"hi\"\"\"\n", want: [][]string{{"a", "b"}, {"1, x", `say "hi"`}},
			lines: []int{2}},
		{name: "line ends in quotes", in: "a,b\n\"1\nx\r\ny\",2\n3,4\n", want: [][]string{{"a", "b"}, {"1\nx\r\ny", "2"},
			{"3", "4"}}, lines: []int{2, 5}, codes: []gtfs.Code{"new_line_in_value"}},
		{name: "blanks around quotes", in: "a,b\n \"1,x\" ,\"2\" \n", want: [][]string{{"a", "b"}, {"1,x", "2"}},
			lines: []int{2}},
		{name: "text after quotes", in: "a,b\n\"1\"x,2\n", want: [][]string{{"a", "b"}, {"1x", "2"}}, lines: []int{2}},
		{name: "quotes within", in: "a,b\n1\"x\"y,2\"\n", want: [][]string{{"a", "b"}, {`1"x"y`, `2"`}}, lines: []int{2}},
		{name: "backslashes before quotes",
			in:   `a,b` + "\n" + `"The \"Haupt\" stop, x",2` + "\n" + `"12\"","\"A\", \\B"` + "\n",
			want: [][]string{{"a", "b"}, {`The "Haupt" stop, x`, "2"}, {`12"`, `"A", \B`}}, lines: []int{2, 3},
			codes: []gtfs.Code{"backslash_quote", "backslash_quote", "backslash_quote"}},
		{name: "backslashes as text", in: `a,b` + "\n" + `"C:\","x\\"` + "\n" + `"\ ""y""",2` + "\n" + `"1\""2",3` + "\n",
			want: [][]string{{"a", "b"}, {`C:\`, `x\\`}, {`\ "y"`, "2"}, {`1\"2`, "3"}}, lines: []int{2, 3, 4}},
		{name: "backslashes and no end", in: `a,b` + "\n" + `"The \"Haupt,2` + "\n" + `"3",4` + "\n",
			want: [][]string{{"a", "b"}, {`The \Haupt`, "2"}, {"3", "4"}}, lines: []int{2, 3}},
		{name: "quote never closed", in: "a,b\n\"1,2\n3,4\n", want: [][]string{{"a", "b"}, {`"1`, "2"}, {"3", "4"}},
			lines: []int{2, 3}, codes: []gtfs.Code{"unclosed_quote"}},
		{name: "short and long", in: "a,b\n1\n1,2,\n1,2,3\n", want: [][]string{{"a", "b"}, {"1", ""}, {"1", "2"}, {"1", "2"}},
			lines: []int{2, 3, 4}, codes: []gtfs.Code{"invalid_row_length", "invalid_row_length"}},
		{name: "control characters", in: "a,b\n1\x00\x1fx,2\n", want: [][]string{{"a", "b"}, {"1x", "2"}}, lines: []int{2},
			codes: []gtfs.Code{"control_character"}},
		{name: "Windows-1252 without a setting", in: "a,b\ncaf\xe9,\x80\n", want: [][]string{{"a", "b"}, {"café", "€"}},
			lines: []int{2},
			codes: []gtfs.Code{"invalid_character", "invalid_character"}},
		{name: "Windows-1250", in: "a,b\nKoleje \x8cl\xb9skie,\xc5\x82\n", encoding: "windows-1250",
			want: [][]string{{"a", "b"}, {"Koleje Śląskie", "ł"}}, lines: []int{2}, codes: []gtfs.Code{"invalid_character"}},
		{name: "Shift-JIS", in: "a,b\n\x93\x8c\x8b\x9e,\"\x83\\\"\n", encoding: "shift_jis",
			want: [][]string{{"a", "b"}, {"東京", "ソ"}}, lines: []int{2},
			codes: []gtfs.Code{"invalid_character", "invalid_character"}},
		{name: "UTF-16 with a mark", in: "\xFF\xFEa\x00,\x00b\x00\n\x00\xe9\x00,\x002\x00\n\x00",
			want: [][]string{{"a", "b"}, {"é", "2"}}, lines: []int{2}},
		{name: "UTF-16 without", in: "\x00a\x00,\x00b\x00\n\x001\x00,\x002", want: [][]string{{"a", "b"}, {"1", "2"}},
			lines: []int{2}},
		{name: "a column twice", in: "a,A\n1,2\n", want: [][]string{{"a", ""}, {"1", "2"}}, lines: []int{2},
			codes: []gtfs.Code{"duplicated_column"}},
		{name: "nothing", in: "", want: [][]string{nil}, codes: []gtfs.Code{"empty_file"}},
		{name: "header only", in: "a,b", want: [][]string{{"a", "b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, pace := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
			} {
				var codes []gtfs.Code
				got, lines, err := rows(t, pace(strings.NewReader(c.in)), gtfs.Options{
					Encoding: c.encoding, Note: func(f gtfs.Finding) { codes = append(codes, f.Code) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if !slices.Equal(c.lines, lines) {
					t.Errorf("lines %v, want %v", lines, c.lines)
				}
				if !slices.Equal(c.codes, codes) {
					t.Errorf("findings %v, want %v", codes, c.codes)
				}
			}
		})
	}
}

func TestReaderBounds(t *testing.T) {
	t.Parallel()
	limits := gtfs.Limits{RowBytes: 1000, CellBytes: 100, Columns: 3}
	for _, c := range []struct {
		name, in string
		want     [][]string
		codes    []gtfs.Code
	}{
		{"row too long", "a,b\n" + strings.Repeat("x", 5000) + "\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}},
			[]gtfs.Code{"row_too_long"}},
		{"row far too long", "a,b\n" + strings.Repeat("x", 1<<20) + "\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}},
			[]gtfs.Code{"row_too_long"}},
		{"cell too long", "a,b\n" + strings.Repeat("x", 200) + ",2\n", [][]string{{"a", "b"}, {"", "2"}},
			[]gtfs.Code{"cell_too_long"}},
		{"quote open for too long", "a,b\n\"1,2\n" + strings.Repeat("3,4\n", 300_000), nil,
			[]gtfs.Code{"unclosed_quote"}},
		{"too many columns", "a,b,c,d,e\n1,2,3,4,5\n", [][]string{{"a", "b", "c"}, {"1", "2", "3"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var codes []gtfs.Code
			got, _, err := rows(t, strings.NewReader(c.in), gtfs.Options{Limits: limits, Note: func(f gtfs.Finding) {
				codes = append(codes, f.Code)
			}})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				if len(got) != 300_002 {
					t.Errorf("%d rows, want 300002", len(got))
				}
			} else if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if !slices.Equal(c.codes, codes) {
				t.Errorf("findings %v, want %v", codes, c.codes)
			}
		})
	}
}

func TestReaderReportsADamagedSource(t *testing.T) {
	t.Parallel()
	src := io.MultiReader(strings.NewReader("a,b\n1,2\n3,"), iotest.ErrReader(errors.New("wrong checksum")))
	got, _, err := rows(t, src, gtfs.Options{})
	if !errors.Is(err, gtfs.ErrUnreadable) || !strings.Contains(err.Error(), "x.txt line 3") {
		t.Errorf("error %v, want ErrUnreadable at x.txt line 3", err)
	}
	if len(got) != 2 {
		t.Errorf("%d rows before the damage, want the header and one row", len(got))
	}
}

func TestReaderRefusesUnknownEncodings(t *testing.T) {
	t.Parallel()
	if _, _, err := rows(t, strings.NewReader("a"), gtfs.Options{Encoding: "klingon"}); err == nil {
		t.Error("no error for an encoding that does not exist")
	}
}

func TestReaderReadsTheOutputOfEncodingCSV(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringMatching(`[a-z0-9 ,"éł\n]{0,12}`), rapid.StringMatching(`[0-9:.]{0,9}`))
		n := rapid.IntRange(1, 20).Draw(t, "columns")
		table := [][]string{make([]string, n)}
		for i := range n {
			table[0][i] = "c" + string(rune('a'+i))
		}
		for range rapid.IntRange(0, 50).Draw(t, "rows") {
			row := rapid.SliceOfN(cell, n, n).Draw(t, "row")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			if n == 1 && row[0] == "" {
				row[0] = "x" // otherwise a row with one empty cell would be a blank row
			}
			table = append(table, row)
		}
		var buf bytes.Buffer
		w := csv.NewWriter(&buf)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if w.UseCRLF { // the writer also converts line ends in cells to CRLF
			for _, row := range table {
				for i := range row {
					row[i] = strings.ReplaceAll(row[i], "\n", " ")
				}
			}
		}
		if err := w.WriteAll(table); err != nil {
			t.Fatal(err)
		}
		r, err := gtfs.NewReader("x.txt", iotest.HalfReader(&buf), 1<<20, gtfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{r.Header()}
		for r.Next() {
			var row []string
			for i := range n {
				row = append(row, string(r.Cell(i)))
			}
			got = append(got, row)
		}
		if diff := cmp.Diff(table, got); diff != "" || r.Err() != nil {
			t.Fatalf("err %v, rows (-want +got):\n%s", r.Err(), diff)
		}
	})
}

// For any input, cells are valid for Postgres, and reading byte by byte gives the same rows.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,2\n", "\"a\",\"b\"\"\"\n\"\n\",x", "\xff\xfea\x00", "a\r1\r\r", "a,b\n\"1\" x\",2\n\"", "a\n\x00\x80\xe9\n",
		"\xEF\xBB\xBF\"a\" , b \r\n\t1,\"2\r\n\r\n", "a,b,c\n,,\n\"\"\"\"\"\"\n",
	} {
		f.Add([]byte(s))
	}
	limits := gtfs.Limits{RowBytes: 200, CellBytes: 50, Columns: 20}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, lines, err := rows(t, bytes.NewReader(in), gtfs.Options{Limits: limits})
		for _, row := range whole {
			for _, c := range row {
				if !utf8.ValidString(c) || strings.ContainsRune(c, 0) || strings.TrimSpace(c) != c || len(c) > 200 {
					t.Fatalf("cell %q of %q", c, in)
				}
			}
		}
		if !slices.IsSorted(lines) {
			t.Fatalf("lines %v", lines)
		}
		bytewise, _, err2 := rows(t, iotest.OneByteReader(bytes.NewReader(in)), gtfs.Options{Limits: limits})
		if diff := cmp.Diff(whole, bytewise); diff != "" || (err == nil) != (err2 == nil) {
			t.Fatalf("%q: read at once and byte by byte (-once +bytewise), %v, %v:\n%s", in, err, err2, diff)
		}
	})
}
