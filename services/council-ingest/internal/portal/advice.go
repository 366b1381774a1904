package portal

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/townline/townline/pkg/fetch"
)

// Advice says what an operator can do about an error of opening a portal of a product or of listing its meetings; ""
// when there is nothing but to wait.
func Advice(p Product, err error) string {
	address := "portal.url in council.yaml is to be the address of " + p.called()
	if p.Title != "" {
		address += ", " + p.Example
	}
	address += ": open it in a browser and look for its calendar"
	var answer *fetch.StatusError
	var lookup *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, fetch.ErrPrivate), errors.Is(err, ErrAddress): // the last two say it themselves
		return ""
	case errors.Is(err, ErrForbidden):
		return "ask the clerk for leave; until then load minutes by hand: townline council load --help"
	case errors.Is(err, ErrNotPortal):
		return "either the portal is overloaded, then try again later, or it is not " + p.called() + "; " + address
	case errors.As(err, &answer) && (answer.Code == http.StatusUnauthorized || answer.Code == http.StatusForbidden):
		return "the portal keeps us out: set portal.contact, so that its operator sees who asks, and ask for leave"
	case errors.As(err, &answer) && answer.Code < 500 && answer.Code != http.StatusTooManyRequests:
		return address
	case errors.As(err, &answer):
		return "the portal is in trouble: try again later"
	case errors.As(err, &lookup):
		return "there is no such host, or no name server; " + address
	}
	return "see that this machine may reach the portal: try curl -I with its address"
}

// called is how people speak of a portal of the product.
func (p Product) called() string {
	switch {
	case p.Title == "":
		return "a meeting portal"
	case strings.ContainsRune("AEIO", rune(p.Title[0])):
		return "an " + p.Title + " portal"
	}
	return "a " + p.Title + " portal"
}
