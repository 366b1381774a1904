package iqm2

import (
	"testing"
	"time"
)

func TestReadStart(t *testing.T) {
	t.Parallel()
	z := zone(t)
	evening, day := time.Date(2024, 3, 5, 19, 0, 0, 0, z), time.Date(2024, 3, 5, 0, 0, 0, 0, z)
	for line, want := range map[string]struct {
		at    time.Time
		timed bool
	}{
		"Mar 5, 2024 7:00 PM ":                   {evening, true},
		"TUESDAY, MARCH 5, 2024  7:00 PM":        {evening, true},
		"Tue, Mar. 5, 2024 at 7 p.m.":            {evening, true},
		"March 5th, 2024 @ 7:00 pm CANCELLED":    {evening, true},
		"3/5/2024 7:00 PM":                       {evening, true},
		"03/05/2024 07:00:00 PM":                 {evening, true},
		"2024/03/05 07:00 PM City Council":       {evening, true},
		"2024-03-05T19:00:00":                    {evening, true},
		"5 March 2024 19:00":                     {evening, true},
		"05-Mar-2024 19:00":                      {evening, true},
		"Regular Meeting - March 5, 2024 7:00PM": {evening, true},
		"Mar 5,\u00a02024\u00a07:00\u00a0PM":     {evening, true},
		"March 5, 2024":                          {day, false},
		"3/5/2024":                               {day, false},
		"March 5, 2024, time to be announced":    {day, false},
		"Sept 9, 2024 12:00 noon":                {time.Date(2024, 9, 9, 12, 0, 0, 0, z), true},
		"Dec 31, 2024 12:05 AM":                  {time.Date(2024, 12, 31, 0, 5, 0, 0, z), true},
		"May 1, 2024 12:30 PM":                   {time.Date(2024, 5, 1, 12, 30, 0, 0, z), true},
		"":                                       {},
		"Regular Meeting":                        {},
		"Feb 30, 2024 7:00 PM":                   {},
		"13/13/2024 7:00 PM":                     {},
		"Ordinance 2024-17 7:00 PM":              {},
	} {
		at, timed, ok := readStart(line, z)
		if ok != !want.at.IsZero() || ok && (!at.Equal(want.at) || timed != want.timed) {
			t.Errorf("readStart(%q) = %s, timed %v, %v", line, at, timed, ok)
		}
	}
}
