//go:build ignore

// Command entities counts the entities of GTFS-Realtime messages with the official Go bindings. It
// prints one line of JSON per file.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

func main() {
	for _, name := range os.Args[1:] {
		var m gtfs.FeedMessage
		data, err := os.ReadFile(name)
		if err == nil {
			err = proto.Unmarshal(data, &m)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		counts := map[string]int{"entities": len(m.GetEntity()), "trip updates": 0, "calls": 0, "vehicles": 0, "alerts": 0}
		for _, e := range m.GetEntity() {
			if u := e.GetTripUpdate(); u != nil {
				counts["trip updates"]++
				counts["calls"] += len(u.GetStopTimeUpdate())
			}
			if e.GetVehicle() != nil {
				counts["vehicles"]++
			}
			if e.GetAlert() != nil {
				counts["alerts"]++
			}
		}
		if err := json.NewEncoder(os.Stdout).Encode(counts); err != nil {
			os.Exit(1)
		}
	}
}
