package pdftext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
)

// TestOperators reads the operators that many producers use.
func TestOperators(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"q 1 0 0 RG 1 0 0 1 72.50 .5 cm":              "[] q|[1 0 0] RG|[1 0 0 1 72.5 0.5] cm|",
		"BT/F1 12 Tf(a\\(b\\)\\101\r\n)Tj<48 6>Tj ET": "[] BT|[F1 12] Tf|[a(b)A\n] Tj|[H`] Tj|[] ET|",
		"[(a)-20.0(b)]TJ T* (c)' 1 2(d)\"":            "[[a -20 b]] TJ|[] T*|[c] '|[1 2 d] \"|",
		"/Span<</MCID 0>>BDC EMC":                     "[Span [MCID 0]] BDC|[] EMC|",
		"BI /W 1 /H 1 ID \x00(\xff EI Q 1 2 m":        "[] BI|[W 1 H 1] EI|[] Q|[1 2] m|",
		"99999999999999999999 --5 5- .. Td (x Tj":     "[1e+20 -5 5 0] Td|",
		"/A#20#2f#zz Do ) ] >> } Tj":                  "[A /#zz] Do|[] )|[] ]|[] >>|[] }|[] Tj|",
		strings.Repeat("7 ", 9) + "w":                 "[7 7 7 7 7 7] w|",
		"2 beginbfrange <01><02>[/a<0062>]endbfrange endcmap": "[2] beginbfrange|[\x01 \x02 [a \x00b]] endbfrange|[] " +
			"endcmap|",
		"[[1 % two\r2]<</A[true null]>>] d": "[[[1 2] [A [true <nil>]]]] d|",
	} {
		var b strings.Builder
		content.Operators([]byte(given), 6, func(op string, operands content.Operands) {
			fmt.Fprintf(&b, "%v %s|", operands, op)
		})
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%q:\n%s", given, diff)
		}
	}
}
