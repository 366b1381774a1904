// Command transit-api runs the service of that name alone; see package transitapi.
package main

import (
	"os"

	"github.com/townline/townline/pkg/run"
	transitapi "github.com/townline/townline/services/transit-api"
)

func main() { os.Exit(run.Main(transitapi.Program())) }
