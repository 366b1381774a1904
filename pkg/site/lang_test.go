package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/lang"
)

func split(header string) []string { return strings.Split(header, ",") }

func TestChoice(t *testing.T) {
	t.Parallel()
	of := func(own string, all ...string) *lang.Choice { return lang.New(own, all) }
	for _, c := range []struct {
		choice       *lang.Choice
		asked        string
		best, sought string // results of Best (by header) and Find (by name)
	}{
		{of("en", "fr", "es"), "fr", "fr", "fr"},
		{of("en", "fr", "es"), "fr-CA", "fr", "fr"},
		{of("en", "fr", "fr-CA"), "fr-CA", "fr-CA", "fr-CA"},
		{of("en", "fr_CA"), "FR", "fr-CA", "fr-CA"},
		{of("en", "fr"), "br", "", ""}, // many Breton speakers read French, but the client did not request it
		{of("nl", "nb"), "da", "", ""},
		{of("en", "iw"), "he", "he", "he"},
		{of("en", "zh-Hant"), "zh-TW", "zh-Hant", "zh-Hant"},
		{of("en", "zh-Hans", "zh-Hant"), "zh-HK", "zh-Hant", "zh-Hant"},
		{of("en", "fr"), "en", "", "en"},
		{of("en", "fr"), "en-GB,fr", "", ""},
		{of("fr", "fr", "en"), "fr", "fr", "fr"},
		{of("mul", "fr", "en"), "mul", "", ""},
		{of("", "fr"), "en,de,fr", "fr", ""},
		{of("", "fr"), "*", "", ""},
		{lang.Join(of("fr", "en"), of("en", "fr")), "fr", "fr", "fr"}, // an original and a translation
		{lang.Join(of("fr", "en"), nil), "fr", "", "fr"},
		{lang.Join(nil, of("fr", "en")), "de,en", "en", ""},
	} {
		for range 2 { // the second result comes from the cache
			if got := c.choice.Best(c.asked, split); got != c.best {
				t.Errorf("Best(%q) = %q, want %q", c.asked, got, c.best)
			}
		}
		if got, ok := c.choice.Find(c.asked); got != c.sought || ok != (c.sought != "") {
			t.Errorf("Find(%q) = %q, want %q", c.asked, got, c.sought)
		}
	}
	if of("en") != nil || of("en", "", "mul", "-", "x y") != nil {
		t.Error("data without translations has a choice")
	}
	var none *lang.Choice
	if _, ok := none.Find("fr"); ok {
		t.Error("the empty choice has French")
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{"FR": "fr", "fr_ca": "fr-CA", "zh-hant": "zh-Hant", "sh": "sr-Latn", "": "",
		"und": "", "und-Latn": "", "mul": "", "x": "", "xq": "", strings.Repeat("a", 100): ""} {
		if got, ok := lang.Canonical(s); ok != (want != "") || ok && got != want {
			t.Errorf("Canonical(%q) = %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]bool{"fr": true, "xq": true, "mul": true, "x": false, "fr ": false, "../..": false,
		"": false, "f\x00": false, strings.Repeat("a-", 100): false} {
		if got := lang.WellFormed(s); got != want {
			t.Errorf("WellFormed(%q) = %t", s, got)
		}
	}
	if got := fmt.Sprint(lang.Chain("fr-CA"), lang.Chain("zh-Hant-HK"),
		lang.Chain("mul")); got != "[fr-CA fr] [zh-Hant-HK zh-Hant] []" {
		t.Error(got)
	}
}

// For any request, the result is one of the languages and matches the request.
func TestChoiceProperty(t *testing.T) {
	t.Parallel()
	names := []string{"fr", "fr-CA", "en", "en-GB", "pt", "pt-BR", "zh-Hant", "zh-Hans", "sr-Latn", "de", "xq", "mul", "*",
		"é", ""}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "all")
		asked := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(names), rapid.String())).Draw(t, "asked")
		c := lang.New(rapid.SampledFrom(names).Draw(t, "own"), all)
		if c == nil {
			return
		}
		header := strings.Join(asked, ",")
		if got := c.Best(header, split); got != "" {
			base := func(s string) string { s, _, _ = strings.Cut(s, "-"); return strings.ToLower(s) }
			if !slices.Contains(all, got) || !slices.ContainsFunc(split(header), func(s string) bool {
				return base(strings.ReplaceAll(s, "_", "-")) == base(got)
			}) {
				t.Fatalf("Best returns %q from %q for %q", got, all, asked)
			}
		}
	})
}
