// Command council-ingest reads council minutes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/townline/townline/services/council-ingest/internal/parsecmd"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

func main() {
	pdftext.RunChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 3 || os.Args[1] != "parse" {
		fmt.Fprintln(os.Stderr, "usage: council-ingest parse FILE...")
		os.Exit(2)
	}
	if err := parsecmd.Parse(ctx, os.Args[2:], os.Stdout, os.Stderr, parsecmd.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "council-ingest:", err)
		os.Exit(1)
	}
}
