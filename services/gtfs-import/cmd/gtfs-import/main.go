// Command gtfs-import runs the service of that name alone; see package gtfsimport.
package main

import (
	"os"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func main() {
	os.Exit(run.Main(run.Service[gtfsimport.Config]{
		Name: "gtfs-import",
		Part: schema.Transit,
		Preflight: func(cfg gtfsimport.Config) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, conf.OS())
			return err
		},
		Run: gtfsimport.Run,
	}))
}
