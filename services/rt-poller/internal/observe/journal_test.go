package observe

// A journal is a second reading of a series, like subwaydata's: the last prediction of each stop
// before messages leave it out.
type journal struct {
	last map[[2]string]int64 // arrival by trip and stop
	open map[[2]string]bool  // stops of the last message
	// ahead has the last arrivals that were not yet over at their message. While a train stands, this
	// feed predicts its arrival for now, again and again.
	ahead map[[2]string]int64
	gone  map[[2]string]int64 // times of the first messages without the stop
}

func (j *journal) read(m *Message) {
	now := map[[2]string]bool{}
	n := 0
	for _, u := range m.Feed.TripUpdates {
		for k := range u.Calls {
			c := m.Calls.Append(nil, n+k, n+k+1)[0]
			at := c.Arrival.Time
			if at == 0 {
				continue
			}
			key := [2]string{string(u.TripID), string(c.StopID)}
			now[key] = true
			j.last[key] = at
			if at >= m.At {
				j.ahead[key] = at
			}
		}
		n += u.Calls
	}
	for key := range j.open {
		if !now[key] {
			j.gone[key] = m.At
		}
	}
	j.open = now
}

func newJournal() *journal {
	return &journal{last: map[[2]string]int64{}, ahead: map[[2]string]int64{}, gone: map[[2]string]int64{},
		open: map[[2]string]bool{}}
}

// near returns how many arrivals that vehicles were seen at are within a minute of the last
// prediction before them.
func (j *journal) near(o *Observer) (near, all int) {
	for _, r := range o.runs {
		for i := range r.calls {
			c := &r.calls[i]
			predicted, found := j.ahead[[2]string{r.Trip, c.stop}]
			if !found || c.seen.rank() < Stopped.rank() || c.arrived == None {
				continue
			}
			all++
			if off := r.dayStart + int64(c.arrived) - predicted; off >= -60 && off <= 60 {
				near++
			}
		}
	}
	return near, all
}

// missing returns how many of the stops that the journal says were reached have no visit.
func (j *journal) missing(o *Observer) (missing, all int) {
	visits := map[[2]string]bool{}
	for _, r := range o.runs {
		for i := range r.calls {
			if r.calls[i].seen.IsVisit() {
				visits[[2]string{r.Trip, r.calls[i].stop}] = true
			}
		}
	}
	for key, gone := range j.gone {
		if j.last[key] > gone { // it was cancelled, or has left earlier than predicted
			continue
		}
		all++
		if !visits[key] {
			missing++
		}
	}
	return missing, all
}
