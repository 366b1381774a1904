// Command council-api runs only the service council-api; see package councilapi.
package main

import (
	"os"

	"github.com/townline/townline/pkg/run"
	councilapi "github.com/townline/townline/services/council-api"
)

func main() { os.Exit(run.Main(councilapi.Program())) }
