package conf

import (
	"fmt"
	"regexp"
	"strings"
)

// Embed lists the sites that may show pages below /embed in a frame.
type Embed struct {
	// Ancestors are the sources of frame-ancestors (Content Security Policy 3), sent unchanged: an
	// origin such as https://town.example, https://*.town.example, a scheme such as file:, 'self', or
	// * for every site. If empty, no site may frame the pages.
	Ancestors []string `yaml:"ancestors"`
}

// maxAncestors bounds the header, which every embedded page sends.
const maxAncestors = 100

// ancestor matches one source. Blanks, commas and semicolons could inject further directives.
var ancestor = regexp.MustCompile(
	`^(?:\*|'self'|[a-z][a-z0-9+.-]{0,30}:|(?:[a-z][a-z0-9+.-]{0,30}://)?(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?(?::(?:[0-9]{1,5}|\*))?)$`)

func (e *Embed) validate(bad func(key, format string, args ...any)) {
	if len(e.Ancestors) > maxAncestors {
		bad("embed.ancestors", "more than %d", maxAncestors)
	}
	for i, source := range e.Ancestors {
		if err := checkAncestor(source); err != nil {
			bad(fmt.Sprintf("embed.ancestors[%d]", i), "%w", err)
		}
	}
}

// Ancestors parses the sources of frame-ancestors in text, which blanks separate.
func Ancestors(text string) ([]string, error) {
	sources := strings.Fields(text)
	if len(sources) > maxAncestors {
		return nil, fmt.Errorf("more than %d sites", maxAncestors)
	}
	for _, source := range sources {
		if err := checkAncestor(source); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

func checkAncestor(source string) error {
	if ancestor.MatchString(source) {
		return nil
	}
	return fmt.Errorf("%q is not who may show a frame, such as https://town.example, "+
		"https://*.town.example, file:, 'self' or *", source)
}
