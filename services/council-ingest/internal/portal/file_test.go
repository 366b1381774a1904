package portal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/fetch"
)

func TestIsUnpublished(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]bool{
		"<html><body><p>The minutes are not yet available.</p></body></html>":                                        true,
		"<html><body>This document has <b>not been published</b></body></html>":                                      true,
		"<html><script>'not available'</script><body>Runtime Error</body></html>":                                    false,
		"<html><body>RESULT: ADOPTED</body></html>":                                                                  false,
		"<html><body>The mayor was not available." + strings.Repeat(" The council went on.", 200) + "</body></html>": false,
	} {
		if got := IsUnpublished([]byte(page)); got != want {
			t.Errorf("%.80s: %v", page, got)
		}
	}
}

func TestFramedURL(t *testing.T) {
	t.Parallel()
	const from = "https://town.iqm2.com/Citizens/FileOpen.aspx?Type=15&ID=1"
	for page, want := range map[string]string{
		`<html><body><iframe src="FileView.aspx?Type=15&amp;ID=1"></iframe></body></html>`:                         "https://town.iqm2.com/Citizens/FileView.aspx?Type=15&ID=1",
		`<html><body><object data="/Files/1.PDF" type="application/pdf"></object></body></html>`:                   "https://town.iqm2.com/Files/1.PDF",
		`<html><head><meta http-equiv="Refresh" content="0; URL='/Files/1.PDF'"></head></html>`:                    "https://town.iqm2.com/Files/1.PDF",
		`<html><head><meta http-equiv="refresh" content="5"></head><body>wait</body></html>`:                       "",
		`<html><body><iframe src="https://town.iqm2.com/Citizens/FileOpen.aspx?Type=15&amp;ID=1"></iframe></body>`: "",
		`<html><body><iframe src="javascript:x()"></iframe></body></html>`:                                         "",
		`<html><body>RESULT: ADOPTED</body></html>`:                                                                "",
	} {
		if got := FramedURL([]byte(page), from); got != want {
			t.Errorf("%s: %q", page, got)
		}
	}
}

// There is advice for the operator about each error of a portal, unless the text of the error
// contains it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for want, errs := range map[string][]error{
		"IQM2":    {fmt.Errorf("read: %w", ErrNotPortal), &fetch.StatusError{Code: 404}, &net.DNSError{}},
		"clerk":   {ErrForbidden},
		"contact": {&fetch.StatusError{Code: 401}, &fetch.StatusError{Code: 403}},
		"later":   {&fetch.StatusError{Code: 503}, &fetch.StatusError{Code: 429}, ErrNotPortal},
		"curl":    {errors.New("connection refused")},
		"":        {context.Canceled, fetch.ErrPrivate, ErrAddress},
	} {
		for _, err := range errs {
			if got := Advice(Product{Title: "IQM2", Example: "https://TOWN.iqm2.com"}, err); !strings.Contains(got, want) ||
				want == "" && got != "" {
				t.Errorf("Advice for the error %v = %q", err, got)
			}
		}
	}
}
