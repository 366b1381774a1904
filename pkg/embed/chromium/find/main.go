// Command find says which browser the tests of pages use, and fetches it once. Tests that pass
// print nothing, so this is how `make test` says that pages are not tested, for want of a browser.
// It fails if TOWNLINE_BROWSER requires one.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/townline/townline/pkg/embed/chromium"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	p, err := chromium.Find(ctx, func(what string) {
		fmt.Println("fetching a browser for the tests of pages with npm, once:", what)
	})
	switch {
	case err == nil:
		fmt.Printf("pages are tested in %s (%s)\n", p.Version, p.Origin)
	case chromium.IsRequired():
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		fmt.Printf("\n*** NO PAGE IS TESTED IN A BROWSER: %v\n\n", err)
	}
}
