package decide

import "strings"

// onRows takes rows of names.
func (r *reader) onRows(k, at int, entries []entry, unread string) {
	p := r.paras[k]
	text := p.text[at:]
	n := r.signal("roll", k, at, text)
	entries = byPosition(entries)
	voted := false
	for _, e := range entries {
		voted = voted || e.sense == aye || e.sense == nay || e.sense == abstain
	}
	if len(r.tables) > 0 {
		if voted {
			r.say(n, k, nil, "")
		} else {
			r.end(n, "attendance, or no roll")
		}
		return
	}
	d := r.draft
	if d != nil && d.to >= k-6 {
		fit := (d.seen == r.item || d.roll.positioned()) && !(d.voice && d.worded)
		for _, e := range entries {
			fit = fit && d.roll.fits(e) && !(d.counted && d.to < k &&
				(e.sense == aye && e.count >= 0 && e.count != d.ayes || e.sense == nay && e.count >= 0 && e.count != d.nays))
		}
		if fit {
			d.to = k
			if d.rollAt == 0 && len(d.roll.entries) == 0 {
				d.rollAt = k
			}
			d.signals = append(d.signals, n)
			for _, e := range entries {
				d.roll.put(e)
			}
			if unread != "" {
				d.outcome.unread = unread
			}
			return
		}
	}
	if !voted || len(entries) == 1 && entries[0].sense == nay && len(r.open) == 0 &&
		(r.announced == 0 || r.announced < k-1) {
		if r.belowRoll(k, entries) {
			r.unread(n)
		}
		if r.near(k) {
			r.rowsAbove, r.rowsAboveAt = entries, k
		}
		r.end(n, "attendance, or no roll")
		return
	}
	r.commit()
	d = r.newDraft(k, at, mainMotion, false)
	if len(r.rowsAbove) > 0 && r.rowsAboveAt >= k-1 {
		d.roll.entries = append(d.roll.entries, r.rowsAbove...)
	}
	r.rowsAbove = nil
	d.signals = append(d.signals, n)
	d.roll.entries = append(d.roll.entries, entries...)
	d.outcome.unread = unread
}

// belowRoll reports whether rows of members who did not vote stand so close below a roll that they can
// be its end, on the next page and below another heading.
func (r *reader) belowRoll(k int, entries []entry) bool {
	d := r.draft
	if d == nil && len(r.done) > 0 {
		d = r.done[len(r.done)-1]
	}
	if d == nil || d.seen == r.item || !d.roll.positioned() || d.to < k-maxApart {
		return false
	}
	for _, e := range entries {
		if len(e.names) == 0 || d.roll.has(e.sense) {
			return false
		}
	}
	return true
}

// opensRoll reports whether a sentence announces the roll behind it.
func (r *reader) opensRoll(k int, f string) bool {
	if strings.HasSuffix(strings.TrimSpace(f), ":") {
		return true
	}
	if !openedVote.MatchString(f) {
		return false
	}
	return len(r.hits(r.paras[k])) > 0 || k+1 < len(r.paras) && len(r.hits(r.paras[k+1])) > 0
}
