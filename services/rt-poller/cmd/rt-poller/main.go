// Command rt-poller runs only the service rt-poller; see package rtpoller.
package main

import (
	"os"

	"github.com/townline/townline/pkg/run"
	rtpoller "github.com/townline/townline/services/rt-poller"
)

func main() { os.Exit(run.Main(rtpoller.Program())) }
