package town

import "time"

// epoch is the first of the council's fortnightly Tuesdays; all counting of meetings starts here, and no calendar reaches back to it.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// Five seats have been held by the same people for years.
var standing = []Person{
	{Name: "Eleanor Whitcombe", Last: "Whitcombe", Title: "Mayor", lean: 0.5},
	{Name: "Daniel Okafor", Formal: "Daniel C. Okafor", Last: "Okafor", Title: "Mayor Pro Tem", lean: 0.25},
	{Name: "Siobhan O'Rourke", Last: "O'Rourke", Title: "Councilmember", lean: -0.7},
	{Name: "Lucia Vargas-Lindqvist", Last: "Vargas-Lindqvist", Title: "Councilmember", lean: 0.8},
	{Name: "Pieter van der Meer", Last: "van der Meer", Title: "Councilmember", lean: -0.9},
}

// Two seats turn over, one each February and the other each August; these people follow one another, and then stand again.
var rotating = []Person{
	{Name: "Walter Pruitt Jr.", Last: "Pruitt", Title: "Councilmember", lean: -0.6},
	{Name: "Grace Nakamura", Last: "Nakamura", Title: "Councilmember", lean: 0.4},
	{Name: "Ingrid Solheim", Last: "Solheim", Title: "Councilmember", lean: -0.1},
	{Name: "Desmond Clarke", Last: "Clarke", Title: "Councilmember", lean: 0.3},
	{Name: "Marguerite St. John", Last: "St. John", Title: "Councilmember", lean: -0.3},
	{Name: "Harold T. Abernathy", Last: "Abernathy", Title: "Councilmember", lean: -0.4},
	{Name: "Tomás Ibarra", Last: "Ibarra", Title: "Councilmember", lean: 0.1},
	{Name: "Priya Raman", Last: "Raman", Title: "Councilmember", lean: 0.6},
}

// turnovers counts the Februaries and Augusts that began between the epoch's year and a day.
func turnovers(day time.Time) int {
	n := 2 * (day.Year() - epoch.Year())
	if day.Month() >= time.August {
		return n + 2
	}
	if day.Month() >= time.February {
		return n + 1
	}
	return n
}

// council is who sits on the council on a day, in the order of the roll.
func council(day time.Time) []*Person {
	var out []*Person
	for i := range standing {
		out = append(out, &standing[i])
	}
	// Each turnover fills one of the two seats, in turn; the other keeps who came with the turnover before.
	n := turnovers(day)
	newest, other := &rotating[(n+1)%len(rotating)], &rotating[n%len(rotating)]
	if n%2 == 1 {
		newest, other = other, newest
	}
	return append(out, newest, other)
}

// changes tells who retired and who joined with the latest turnover, when it fell between two days; otherwise nil and nil.
func changes(before, day time.Time) (retired, joined *Person) {
	n := turnovers(day)
	if turnovers(before) == n {
		return nil, nil
	}
	return &rotating[(n-1)%len(rotating)], &rotating[(n+1)%len(rotating)]
}

// commission is who sits on the Planning Commission.
func commission() []*Person {
	return []*Person{
		{Name: "Theodore Marsh", Last: "Marsh", Title: "Chair"},
		{Name: "Anneke Dijkstra", Last: "Dijkstra", Title: "Vice Chair"},
		{Name: "Ruben Castellanos", Last: "Castellanos", Title: "Commissioner"},
		{Name: "Joy Adeyemi", Last: "Adeyemi", Title: "Commissioner"},
		{Name: "Colin Firestone", Last: "Firestone", Title: "Commissioner"},
	}
}
