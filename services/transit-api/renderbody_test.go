package transitapi

import (
	"fmt"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/townline/townline/services/transit-api/internal/annotation"
)

func TestRenderBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, body, want string }{
		{"markdown", "Stop **closed**, see [map](https://x.example/a?b=1&c=2).",
			`<p>Stop <strong>closed</strong>, see <a href="https://x.example/a?b=1&amp;c=2">map</a>.</p>`},
		{"markdown", "a <script>alert(1)</script> b", "<p>a  b</p>"},
		{"markdown", "[x](javascript:alert(1))", "<p>x</p>"},
		{"markdown", "![x](data:image/png;base64,AAAA)", `<p><img alt="x"></p>`},
		{"markdown", "| a | b |\n|---|:-:|\n| 1 | 2 |",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>"},
		{"html",
			`<p style="color:red" onclick="x()" class="y">Hi <b>you</b></p><style>p{}</style><iframe src="https://x"></iframe>`,
			"<p>Hi <b>you</b></p>"},
		{"html", `<a href="tel:+15550100" target="_blank">call</a> <a href="/here">here</a>`,
			`<a href="tel:+15550100">call</a> <a href="/here">here</a>`},
		{"html", `<form action="https://x"><input name="a"><button>b</button></form>`, "b"},
		{"html", `<svg><a xlink:href="javascript:alert(1)">x</a></svg>`, "x"},
		{"html", "a\x00b\xffc", "a\uFFFDb\uFFFDc"},
		{"html", "", ""},
	} {
		got, err := annotation.RenderBody(c.format, c.body)
		if err != nil || got != c.want {
			t.Errorf("%s %q:\n got %q %v\nwant %q", c.format, c.body, got, err, c.want)
		}
	}
	if _, err := annotation.RenderBody("rtf", ""); err == nil {
		t.Error("RenderBody accepted an unknown format")
	}
	if _, err := annotation.RenderBody("html", strings.Repeat("x", annotation.MaxBody+1)); err == nil {
		t.Error("RenderBody accepted a body above the limit")
	}
}

// checkSafe returns an error if a browser would parse the HTML as something unsafe.
func checkSafe(body string) error {
	z := xhtml.NewTokenizer(strings.NewReader(body))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return nil
		case xhtml.CommentToken, xhtml.DoctypeToken:
			return fmt.Errorf("a comment or doctype in %q", body)
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			tok := z.Token()
			switch tok.Data {
			case "script", "style", "iframe", "object", "embed", "form", "input", "svg", "math", "link", "meta", "base",
				"template", "noscript", "textarea", "title", "xmp", "plaintext", "video", "audio", "frame", "frameset":
				return fmt.Errorf("<%s> in %q", tok.Data, body)
			}
			for _, a := range tok.Attr {
				value := strings.ToLower(strings.Map(func(r rune) rune {
					if r <= ' ' {
						return -1
					}
					return r
				}, a.Val))
				scheme, _, has := strings.Cut(value, ":")
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcset", a.Key == "srcdoc", a.Key == "formaction":
					return fmt.Errorf("attribute %s in %q", a.Key, body)
				case a.Key == "href" || a.Key == "src":
					if has && !strings.ContainsAny(scheme, "/?#") && scheme != "http" && scheme != "https" && scheme != "mailto" &&
						scheme != "tel" {
						return fmt.Errorf("a link to %q in %q", value, body)
					}
				}
			}
		}
	}
}

func FuzzRenderBody(f *testing.F) {
	for _, s := range []string{
		"", "**b**", "<script>alert(1)</script>", "<scr<script>ipt>alert(1)</scr</script>ipt>",
		`<img src=x onerror=alert(1)>`, `<a href="java&#10;script:alert(1)">x</a>`,
		`<a href=" javascript:alert(1)">`, `[a](javascript&colon;alert(1))`, "[a]: data:text/html,<script>x</script>\n\n[a]",
		`<svg/onload=alert(1)>`, `<math><mi//xlink:href="data:x,<script>alert(4)</script>">`,
		`<p style="background:url(javascript:x)">`, "<style><img src=x onerror=y></style>", "<!--><img src=x onerror=y>-->",
		"`<b>`", "<noscript><p title=\"</noscript><img src=x onerror=y>\">", "<a href='data:text/html;base64,AAAA'>x</a>",
		"<https://x.example>", "www.x.example", "- [x] a\n- b", "<table><tr><td align=center>", "\x00<\x00script>",
		"<textarea><img src=x onerror=y></textarea>", "&lt;script&gt;", "<xmp><script>x</script></xmp>",
	} {
		f.Add("html", s)
		f.Add("markdown", s)
	}
	f.Fuzz(func(t *testing.T, format, body string) {
		got, err := annotation.RenderBody(format, body)
		if err != nil {
			return
		}
		if err := checkSafe(got); err != nil {
			t.Fatalf("%s %q: %v", format, body, err)
		}
		again, err := annotation.RenderBody("html", got)
		if err != nil && len(got) <= annotation.MaxBody {
			t.Fatal(err)
		}
		if err == nil {
			if err := checkSafe(again); err != nil {
				t.Fatalf("%s %q, twice: %v", format, body, err)
			}
		}
	})
}
