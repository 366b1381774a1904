// Command gtfs-import runs only the service gtfs-import; see package gtfsimport.
package main

import (
	"os"

	"github.com/townline/townline/pkg/run"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func main() {
	gtfsimport.CollectEarly()
	os.Exit(run.Main(gtfsimport.Program()))
}
