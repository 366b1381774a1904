package annotation

import "testing"

func TestPlainTextKeepsWordsAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"<p>Lift out of order. Please use <strong>Main Street</strong>.</p>": "Lift out of order. Please use Main Street.",
		"Use <em>bay 3</em>, not <del>bay 2</del>!":                          "Use bay 3, not bay 2!",
		"<p>One</p><p>Two</p>":                                               "One\nTwo",
		"<ul><li>One</li><li>Two</li></ul>":                                  "One\nTwo",
		"Closed<br>until Monday":                                             "Closed\nuntil Monday",
		"<table><tr><td>8</td><td>9</td></tr></table>":                       "8 9",
		"A &amp; B, 5 < 6":                                                   "A & B, 5 < 6",
		"x<script>alert(1)</script><style>p{}</style>y":                      "xy",
		`<a href="https://a.example/b">Details</a>.`:                         "Details.",
		`<font color="red">Red</font>!`:                                      "Red!",
	} {
		if got := Plain(body, false); got != want {
			t.Errorf("%q becomes %q, want %q", body, got, want)
		}
	}
	if got := Plain(`<a href="https://a.example/b">Details</a>.`, true); got != "Details (https://a.example/b)." {
		t.Errorf("with links: %q", got)
	}
}
