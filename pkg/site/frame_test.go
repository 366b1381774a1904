package site

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Scripts of frames are small and run in browsers of 2016, because they are part of other sites.
func TestFrameScriptsAreSmall(t *testing.T) {
	t.Parallel()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"embed.js", "frame.js"} {
		body, err := s.files[name].body()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write(body)
		if err := z.Close(); err != nil || b.Len() > 1024 {
			t.Errorf("%s has %d bytes: %v", name, b.Len(), err)
		}
		for _, newer := range []string{"=>", "?.", "??", "async ", "await ", " of ", "..."} {
			if code := regexp.MustCompile(`(?m)^//.*$`).ReplaceAllString(string(body), ""); strings.Contains(code, newer) {
				t.Errorf("%s uses %q", name, newer)
			}
		}
	}
}

var declared = regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`)

// Whatever the colours are, all text is readable, and the style sheet contains only tokens.
func TestThemesCanBeRead(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^(?:[^\n{}]*(?:\{ [^\n{}]* \}|\{ [^\n{}]* \{ [^\n{}]* \} \})\n)*$`)
	rapid.Check(t, func(t *rapid.T) {
		hex := func(name string) *string {
			if rapid.Bool().Draw(t, "with "+name) {
				text := fmt.Sprintf("%06x", rapid.Uint32Range(0, 0xffffff).Draw(t, name))
				return &text
			}
			return nil
		}
		p := ThemeParams{Accent: hex("accent"), Background: hex("ground"), Text: hex("ink"), Size: 100}
		css := string(p.css())
		if !shape.MatchString(css) {
			t.Fatalf("not a list of rules:\n%s", css)
		}
		blocks := strings.Split(strings.TrimSpace(css), "\n")
		for _, block := range blocks {
			tokens := map[string]Color{}
			for _, m := range declared.FindAllStringSubmatch(block, -1) {
				tokens[m[1]] = colorOr(&m[2], black)
			}
			if len(tokens) == 0 && css != "" {
				t.Fatalf("no tokens in %q", block)
			}
			for _, name := range []string{"ink", "soft", "link", "good", "warn", "bad"} {
				for _, ground := range []string{"ground", "tint"} {
					if ratio := tokens[name].contrast(tokens[ground]); len(tokens) > 0 && ratio < 4.49 {
						t.Errorf("the contrast of %s on %s is %.2f: %s", name, ground, ratio, block)
					}
				}
			}
			if p.Background != nil && tokens["ground"] != colorOr(p.Background, black) {
				t.Errorf("the background is %s, want #%s", tokens["ground"], *p.Background)
			}
		}
	})
}

// A readable colour does not change.
func TestThemesKeepGoodColours(t *testing.T) {
	t.Parallel()
	accent, ground := "#8A0000", "fffff0"
	css := string(ThemeParams{Accent: &accent, Background: &ground, Size: 125}.css())
	for _, want := range []string{"--link: #8a0000;", "--ground: #fffff0;", "color-scheme: light",
		"html { font-size: 125% }"} {
		if !strings.Contains(css, want) {
			t.Errorf("the style sheet lacks %s:\n%s", want, css)
		}
	}
	if strings.Contains(css, "; color-scheme: dark") {
		t.Errorf("a light background has a dark variant:\n%s", css)
	}
	if css := (ThemeParams{Size: 100}).css(); len(css) != 0 {
		t.Errorf("a theme without parameters is %s", css)
	}
}

// Browsers load style sheets without their comments.
func TestStylesLoseComments(t *testing.T) {
	t.Parallel()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	css, err := s.files[styleFile].body()
	if err != nil || strings.Contains(string(css), "/*") || !strings.HasPrefix(string(css), ":root {") {
		t.Errorf("site.css is sent as %.80q; %v", css, err)
	}
}
