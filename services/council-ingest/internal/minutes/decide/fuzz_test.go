package decide

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// FuzzRead gives hostile text to the passes: each signal must end once, each vote must have a line of the
// text and not name anybody twice.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"1. Bills\nMotion by Doe, second by Roe, to pay the bills. Carried 4-1, Poe dissenting.\nAYES: Doe, Roe\nNAYS: Poe",
		"RESULT: ADOPTED [4 TO 1]\nMOVER: Doe\nSECONDER: Roe\nAYES: Doe, Roe, Moe, Coe\nNAYS: Poe\n\nThe motion passed.",
		"RESULT:\nMOVER:\nAYES:\n\nADOPTED [2 TO 0]\nDoe\nDoe, Roe",
		"2026-0592     Resolution\nAye:   2 -  Doe and Roe\nNo:    0",
		"Doe moved to:\n•\nbuy a pump;\nRoe seconded.\nFor    Against\nDoe    Roe",
		"Le conseil, par 6 voix pour et 2 voix contre (Mme Doe, M. Roe), décide d'attribuer une subvention.",
		"El Pleno, por unanimidad, acuerda aprobar el acta. Votos en contra: ninguno",
		"M/S/C Doe/Roe to adjourn (4-0)\n57/24   Doe:   That the agenda be adopted\nCARRIED",
	} {
		f.Add(seed)
		f.Add(strings.ToUpper(seed) + "\f" + seed)
	}
	words := lexicon.New(lexicon.Words{}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		doc, w := signal.Read(text, words, nil, true), record.NewWriter()
		doc.Learn(nil)
		result := Read(Input{Doc: doc}, w)
		for _, s := range result.Signals {
			if s.End == "" || len(s.Again) > 0 || s.Line < 1 {
				t.Errorf("the %s on line %d ends in %q and %q: %s", s.Kind, s.Line, s.End, s.Again, s.Text)
			}
		}
		for _, it := range w.Items {
			for _, v := range it.Votes {
				if len(v.Roll) > council.MaxRoll {
					t.Errorf("%q names %d people", v.ResultRaw, len(v.Roll))
				}
				seen := map[string]bool{}
				for _, name := range v.Roll.Members() {
					if seen[name] {
						t.Errorf("%q names %s twice", v.ResultRaw, name)
					}
					seen[name] = true
				}
			}
		}
	})
}
