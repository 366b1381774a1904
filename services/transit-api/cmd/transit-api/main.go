// Command transit-api runs the service of that name alone; see package transitapi.
package main

import (
	"os"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	transitapi "github.com/townline/townline/services/transit-api"
)

func main() {
	os.Exit(run.Main(run.Service[transitapi.Config]{
		Name: "transit-api",
		Part: schema.Transit,
		// No CustomPlans: statements go by keys and are for one feed version, so that one plan serves all executions.
		Pool:  pg.Options{ReadOnly: true, StatementTimeout: 15 * time.Second},
		Check: "feeds",
		Preflight: func(cfg transitapi.Config) error {
			return transitapi.CheckConfig(cfg.File, conf.OS())
		},
		Run: transitapi.Run,
	}))
}
