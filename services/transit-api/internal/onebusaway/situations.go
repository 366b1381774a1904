package onebusaway

// A Situation is an alert.
type Situation struct {
	ID string `json:"id"`
}
