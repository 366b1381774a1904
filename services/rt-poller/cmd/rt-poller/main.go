// Command rt-poller runs the service of that name alone; see package rtpoller.
package main

import (
	"os"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	rtpoller "github.com/townline/townline/services/rt-poller"
)

func main() {
	os.Exit(run.Main(run.Service[rtpoller.Config]{
		Name: "rt-poller",
		Part: schema.Transit,
		Preflight: func(cfg rtpoller.Config) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, conf.OS())
			return err
		},
		Run: rtpoller.Run,
	}))
}
