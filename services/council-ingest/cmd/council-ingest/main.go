// Command council-ingest runs only the service council-ingest; see package councilingest.
// `council-ingest parse FILE…` prints the parsed minutes and stores nothing.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/townline/townline/pkg/run"
	councilingest "github.com/townline/townline/services/council-ingest"
)

func main() {
	councilingest.RunChild()
	if len(os.Args) > 2 && os.Args[1] == "parse" {
		os.Exit(parse(os.Args[2:]))
	}
	os.Exit(run.Main(councilingest.Program()))
}

func parse(files []string) int {
	ctx, stop := run.Signals(context.Background())
	defer stop()
	if err := councilingest.Parse(ctx, nil, files, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "council-ingest:", err)
		return 1
	}
	return 0
}
