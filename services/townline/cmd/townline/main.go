// Command townline is the operator's command; see package townline.
package main

import (
	"context"
	"os"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline"
)

func main() {
	councilingest.RunChild()
	ctx, stop := run.Signals(context.Background())
	status := townline.Main(ctx, os.Args[1:], conf.OS(), os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
