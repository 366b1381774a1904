package observed

import "strconv"

// A routeTypeGroup has the names of TIDES for consecutive route types of GTFS.
type routeTypeGroup struct {
	first int
	names []string
}

// routeTypeName returns the name of TIDES for a route type of GTFS; "" if it has none.
func routeTypeName(cell string) string {
	code, err := strconv.Atoi(cell)
	if err != nil {
		return ""
	}
	for _, g := range routeTypeGroups {
		if i := code - g.first; i >= 0 && i < len(g.names) {
			return g.names[i]
		}
	}
	return ""
}

var routeTypeGroups = []routeTypeGroup{
	{0, []string{"Tram / Streetcar / Light rail", "Subway / Metro", "Rail", "Bus", "Ferry", "Cable tram", "Aerial lift",
		"Funicular"}},
	{11, []string{"Trolleybus", "Monorail"}},
	{100, []string{"Railway Service", "High Speed Rail Service", "Long Distance Trains",
		"Inter Regional Rail Service", "Car Transport Rail Service", "Sleeper Rail Service",
		"Regional Rail Service", "Tourist Railway Service", "Rail Shuttle (Within Complex)", "Suburban Railway",
		"Replacement Rail Service", "Special Rail Service", "Lorry Transport Rail Service", "All Rail Services",
		"Cross-Country Rail Service", "Vehicle Transport Rail Service", "Rack and Pinion Railway",
		"Additional Rail Service"}},
	{200, []string{"Coach Service", "International Coach Service", "National Coach Service",
		"Shuttle Coach Service", "Regional Coach Service", "Special Coach Service", "Sightseeing Coach Service",
		"Tourist Coach Service", "Commuter Coach Service", "All Coach Services"}},
	{400, []string{"Urban Railway Service", "Metro Service", "Underground Service", "Urban Railway Service"}},
	{404, []string{"All Urban Railway Services"}},
	{700, []string{"Bus Service", "Regional Bus Service", "Express Bus Service", "Stopping Bus Service",
		"Local Bus Service", "Night Bus Service", "Post Bus Service", "Special Needs Bus",
		"Mobility Bus Service", "Mobility Bus for Registered Disabled", "Sightseeing Bus", "Shuttle Bus",
		"School Bus", "School and Public Service Bus", "Rail Replacement Bus Service",
		"Demand and Response Bus Service", "All Bus Services"}},
	{800, []string{"Trolleybus Service"}},
	{900, []string{"Tram Service", "City Tram Service", "Local Tram Service", "Regional Tram Service",
		"Sightseeing Tram Service", "Shuttle Tram Service", "All Tram Services"}},
	{1000, []string{"Water Transport Service"}},
	{1100, []string{"Air Service"}},
	{1200, []string{"Ferry Service"}},
	{1300, []string{"Aerial Lift Service", "Telecabin Service", "Cable Car Service", "Elevator Service",
		"Chair Lift Service", "Drag Lift Service", "Small Telecabin Service", "All Telecabin Services"}},
	{1400, []string{"Funicular Service"}},
	{1500, []string{"Taxi Service", "Communal Taxi Service", "Water Taxi Service", "Rail Taxi Service",
		"Bike Taxi Service", "Licensed Taxi Service", "Private Hire Service Vehicle", "All Taxi Services"}},
	{1700, []string{"Miscellaneous Service"}},
	{1702, []string{"Horse-drawn Carriage"}},
}
