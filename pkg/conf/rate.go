package conf

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Rate is a number of requests in a period, written "600/1m", "10/s" or "off". The zero Rate is
// no limit.
type Rate struct {
	Requests int
	Per      time.Duration
}

func (r *Rate) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "off" {
		*r = Rate{}
		return nil
	}
	requests, per, ok := strings.Cut(s, "/")
	n, err := strconv.Atoi(requests)
	if per != "" && (per[0] < '0' || per[0] > '9') {
		per = "1" + per
	}
	d, perErr := time.ParseDuration(per)
	if !ok || err != nil || perErr != nil || n < 1 || n > 1_000_000 || d < time.Second || d > 24*time.Hour ||
		d%time.Second != 0 {
		return fmt.Errorf("%q is not a rate: write 600/1m, 10/s or off", s)
	}
	*r = Rate{n, d}
	return nil
}

// String returns the form that UnmarshalText parses.
func (r Rate) String() string {
	if r.Requests == 0 {
		return "off"
	}
	per := r.Per.String()
	for _, zero := range []string{"m0s", "h0m"} { // write 1m, not 1m0s
		if strings.HasSuffix(per, zero) {
			per = per[:len(per)-2]
		}
	}
	return strconv.Itoa(r.Requests) + "/" + per
}
