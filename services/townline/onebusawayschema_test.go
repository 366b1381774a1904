package townline_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/townline/townline/pkg/sample"
)

type tree = map[string]any

// iphone lists the keys that the iPhone app requires. They are keyed by the key of the entity, or
// of the list of such entities.
var iphone = map[string][]string{
	"agencies": {"id", "lang", "name", "phone", "privateService", "timezone", "url"},
	"stops":    {"code", "id", "name", "lat", "lon", "locationType", "routeIds"},
	"routes":   {"agencyId", "id", "shortName", "type"},
	"trips":    {"blockId", "id", "routeId", "routeShortName", "serviceId", "tripShortName", "timeZone"},
	"situations": {"activeWindows", "allAffects", "consequences", "creationTime", "publicationWindows", "reason",
		"severity"},
	"stopTimes":  {},
	"allAffects": {"agencyId", "applicationId", "directionId", "routeId", "stopId", "tripId"},
	"arrivalsAndDepartures": {"arrivalEnabled", "blockTripSequence", "departureEnabled", "distanceFromStop",
		"lastUpdateTime", "numberOfStopsAway", "predicted", "routeId", "scheduledArrivalTime", "scheduledDepartureTime",
		"serviceDate", "situationIds", "status", "stopId", "stopSequence", "tripId", "vehicleId"},
	"schedule":      {"timeZone", "stopTimes"},
	"stopGroupings": {"ordered", "type", "stopGroups"},
	"stopGroups":    {"polylines"},
}

// named maps keys whose values are ids to the list of references that resolves them.
var named = map[string]string{"agencyId": "agencies", "routeId": "routes", "routeIds": "routes",
	"staticRouteIds": "routes", "stopId": "stops", "stopIds": "stops", "parent": "stops", "nearbyStopIds": "stops",
	"closestStop": "stops", "nextStop": "stops", "tripId": "trips", "tripIds": "trips", "activeTripId": "trips",
	"nextTripId": "trips", "previousTripId": "trips", "situationIds": "situations"}

var referenceLists = []string{"agencies", "routes", "situations", "stopTimes", "stops", "trips"}

// closure returns the ids that the references do not resolve, missing keys and nulls.
func closure(data tree) (problems []string) {
	refs, _ := data["references"].(tree)
	known := map[string]map[string]bool{}
	for _, list := range referenceLists {
		all, ok := refs[list].([]any)
		if !ok {
			problems = append(problems, "references has no "+list)
		}
		known[list] = map[string]bool{}
		for _, one := range all {
			id, _ := one.(tree)["id"].(string)
			if known[list][id] {
				problems = append(problems, list+" has twice "+id)
			}
			known[list][id] = true
			for _, needed := range iphone[list] {
				if one.(tree)[needed] == nil {
					problems = append(problems, fmt.Sprintf("%s has no %s of %s", list, needed, id))
				}
			}
		}
	}
	var visit func(key string, v any)
	visit = func(key string, v any) {
		switch v := v.(type) {
		case nil:
			problems = append(problems, "null "+key)
		case string:
			if list := named[key]; list != "" && v != "" && !known[list][v] {
				problems = append(problems, key+" "+v+" is not in "+list)
			}
		case []any:
			for _, one := range v {
				visit(key, one)
			}
		case tree:
			for _, needed := range iphone[key] {
				if v[needed] == nil && !slices.Contains(referenceLists, key) {
					problems = append(problems, key+" has no "+needed)
				}
			}
			for name, one := range v {
				visit(name, one)
			}
		}
	}
	visit("", data)
	return slices.Compact(slices.Sorted(slices.Values(problems)))
}

// An appSchema is OneBusAway's schema; its provenance file describes it.
type appSchema struct{ paths, schemas tree }

// further lists keys that are in the documentation or the clients, but not in the schema.
var further = []string{"data.outOfRange", "entry.nearbyStopIds", "entry.situationIds", "entry.stopId",
	"entry.stops", "entry.trips", "data.references", "Trip.directionId"}

// readAppSchema reads OneBusAway's schema; nil without ../shared.
func readAppSchema(t *testing.T) *appSchema {
	t.Helper()
	file := sample.Find(t, "onebusaway/openapi.yml")
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	var whole, corrections tree
	if err == nil {
		err = yaml.Unmarshal(text, &whole)
	}
	if err == nil {
		err = yaml.Unmarshal([]byte(schemaCorrections), &corrections)
	}
	if err != nil {
		t.Fatal(err)
	}
	schemas := whole["components"].(tree)["schemas"].(tree)
	for _, name := range []string{"ArrivalDepartureForStop", "TripEntry", "TripStatus", "TripDetails", "TripSchedule"} {
		schemas[name].(tree)["properties"].(tree)["frequency"] = corrections["frequency"]
	}
	routeStops := schemas["StopsForRouteResponse"].(tree)["properties"].(tree)["entry"].(tree)["properties"].(tree)
	routeStops["stopGroupings"] = corrections["stopGroupings"]
	schemas["TripDetails"].(tree)["required"] = []any{"tripId"}
	schemas["ScheduleForRouteResponse"].(tree)["required"] = []any{"entry", "references"}
	return &appSchema{whole["paths"].(tree), schemas}
}

const schemaCorrections = `
frequency:
  type: object
  required: [startTime, endTime, headway]
  properties: {startTime: {type: integer}, endTime: {type: integer}, headway: {type: integer}}
stopGroupings:
  type: array
  items:
    type: object
    required: [ordered, type, stopGroups]
    properties:
      ordered: {type: boolean}
      type: {type: string}
      stopGroups:
        type: array
        items: {allOf: [{$ref: StopGrouping}, {required: [id, name, stopIds, polylines]}]}
`

// violations checks an answer against the schema of an endpoint, such as stop or search/stop.
func (s *appSchema) violations(endpoint string, answer tree) []string {
	for path := range s.paths {
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/where/"), "/{")
		if strings.TrimSuffix(name, ".json") != endpoint {
			continue
		}
		ok := s.paths[path].(tree)["get"].(tree)["responses"].(tree)["200"].(tree)["content"].(tree)
		return s.check("answer", ok["application/json"].(tree)["schema"].(tree), answer)
	}
	return []string{"the schema has no " + endpoint}
}

func (s *appSchema) properties(of tree) tree {
	of = s.resolve(of)
	all := tree{}
	for _, part := range anys(of["allOf"]) {
		maps.Copy(all, s.properties(part.(tree)))
	}
	known, _ := of["properties"].(tree)
	maps.Copy(all, known)
	return all
}

func (s *appSchema) resolve(of tree) tree {
	if ref, ok := of["$ref"].(string); ok {
		return s.schemas[ref[strings.LastIndex(ref, "/")+1:]].(tree)
	}
	return of
}

func (s *appSchema) check(at string, of tree, v any) (all []string) {
	of = s.resolve(of)
	right := true
	switch of["type"] {
	case "string":
		_, right = v.(string)
	case "integer":
		n, number := v.(float64)
		right = number && n == float64(int64(n))
	case "number":
		_, right = v.(float64)
	case "boolean":
		_, right = v.(bool)
	case "array":
		_, right = v.([]any)
		items, _ := of["items"].(tree)
		for _, one := range anys(v) {
			all = append(all, s.check(at, items, one)...)
		}
	case "object":
		_, right = v.(tree)
	}
	if !right {
		return append(all, fmt.Sprintf("%s is not of type %v: %.40v", at, of["type"], v))
	}
	value, isObject := v.(tree)
	for _, part := range append(anys(of["allOf"]), of) {
		for _, key := range anys(s.resolve(part.(tree))["required"]) {
			if value[key.(string)] == nil {
				all = append(all, fmt.Sprintf("%s has no %s", at, key))
			}
		}
	}
	if !isObject {
		return all
	}
	properties := s.properties(of)
	for key, one := range value {
		p, ok := properties[key].(tree)
		name := at[strings.LastIndex(at, ".")+1:] + "." + key
		switch {
		case ok:
			all = append(all, s.check(at+"."+key, p, one)...)
		case len(properties) > 0 && !slices.Contains(further, name):
			all = append(all, "the schema does not know "+name)
		}
	}
	return all
}

func anys(v any) []any {
	list, _ := v.([]any)
	return list
}
