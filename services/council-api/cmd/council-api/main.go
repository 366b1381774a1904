// Command council-api runs the service of that name alone; see package councilapi.
package main

import (
	"os"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	councilapi "github.com/townline/townline/services/council-api"
)

func main() {
	os.Exit(run.Main(run.Service[councilapi.Config]{
		Name:  "council-api",
		Part:  schema.Council,
		Pool:  pg.Options{ReadOnly: true, CustomPlans: true, StatementTimeout: 15 * time.Second},
		Check: "dataset",
		Run:   councilapi.Run,
	}))
}
