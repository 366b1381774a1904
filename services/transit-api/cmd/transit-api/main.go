// Command transit-api runs only the service transit-api; see package transitapi.
package main

import (
	"os"

	"github.com/townline/townline/pkg/run"
	transitapi "github.com/townline/townline/services/transit-api"
)

func main() { os.Exit(run.Main(transitapi.Program())) }
