package councilapi

// This file counts the numbers of members, topics and the dataset in Go.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/townline/townline/pkg/council"
)

func (w *world) profile(m wMember) map[string]any {
	positions := map[string]any{"aye": 0., "nay": 0., "abstain": 0., "absent": 0., "recused": 0.}
	type topic struct{ count, nays, dissents float64 }
	byTopic := map[council.Topic]*topic{}
	var days []string
	for i := range w.meetings {
		if slices.ContainsFunc(w.attendance(&w.meetings[i]), func(p wPresence) bool { return p.member == m.id }) {
			days = append(days, w.meetings[i].date.Format("2006-01-02"))
		}
	}
	moved, seconded := 0., 0.
	dissents, votes := 0., 0.
	for i := range w.votes {
		v := &w.votes[i]
		p := v.of(m.id)
		if p != "" || v.mover == m.id || v.second == m.id {
			days = append(days, v.item.meeting.date.Format("2006-01-02"))
		}
		if v.mover == m.id {
			moved++
		}
		if v.second == m.id {
			seconded++
		}
		if p == "" {
			continue
		}
		votes++
		positions[string(p)] = positions[string(p)].(float64) + 1
		if byTopic[v.item.topic] == nil {
			byTopic[v.item.topic] = &topic{}
		}
		byTopic[v.item.topic].count++
		if p == council.Nay {
			byTopic[v.item.topic].nays++
		}
		if p == council.Nay && v.result == council.Adopted || p == council.Aye && v.result == council.Failed {
			dissents++
			byTopic[v.item.topic].dissents++
		}
	}
	names := slices.SortedFunc(func(yield func(council.Topic) bool) {
		for name := range byTopic {
			if !yield(name) {
				return
			}
		}
	}, func(a, b council.Topic) int {
		return cmp.Or(cmp.Compare(byTopic[b].count, byTopic[a].count), cmp.Compare(a, b))
	})
	topics := []any{}
	for _, name := range names {
		topics = append(topics, map[string]any{"topic": wordOrNil(name), "count": byTopic[name].count,
			"nays": byTopic[name].nays, "dissents": byTopic[name].dissents})
	}
	return map[string]any{"id": float64(m.id), "full_name": m.name, "last_name": council.LastName(m.name),
		"first_seen": slices.Min(days), "last_seen": slices.Max(days),
		"vote_count": votes, "positions": positions, "moved": moved, "seconded": seconded, "topics": topics,
		"dissents": dissents}
}

func wordOrNil[W ~string](w W) any {
	if w == "" {
		return nil
	}
	return string(w)
}

func (w *world) agreement(m wMember, consent bool) map[string]any {
	type pair struct{ shared, agreed float64 }
	pairs := map[int64]*pair{}
	took := func(p council.Position) bool { return p == council.Aye || p == council.Nay }
	for i := range w.votes {
		v := &w.votes[i]
		if v.consent && !consent || !took(v.of(m.id)) {
			continue
		}
		for _, other := range w.members {
			if other.id == m.id || !took(v.of(other.id)) {
				continue
			}
			if pairs[other.id] == nil {
				pairs[other.id] = &pair{}
			}
			pairs[other.id].shared++
			if v.of(other.id) == v.of(m.id) {
				pairs[other.id].agreed++
			}
		}
	}
	var others []wMember
	for _, other := range w.members {
		if pairs[other.id] != nil {
			others = append(others, other)
		}
	}
	rate := func(o wMember) float64 { return pairs[o.id].agreed / pairs[o.id].shared }
	slices.SortFunc(others, func(a, b wMember) int {
		return cmp.Or(cmp.Compare(rate(b), rate(a)), cmp.Compare(pairs[b.id].shared, pairs[a.id].shared),
			cmp.Compare(a.id, b.id))
	})
	data := []any{}
	for _, o := range others {
		data = append(data, map[string]any{"member_id": float64(o.id), "member_name": o.name,
			"shared_votes": pairs[o.id].shared, "agreements": pairs[o.id].agreed,
			"agreement_rate": math.Round(rate(o)*10000) / 10000})
	}
	return map[string]any{"member_id": float64(m.id), "include_consent": consent, "data": data}
}

func (w *world) topics() map[string]any {
	data, unclassified := []any{}, 0.
	for _, topic := range council.Topics() {
		count, split := 0., 0.
		for _, it := range w.items {
			if it.topic == topic {
				count++
			}
		}
		for _, v := range w.votes {
			if v.item.topic == topic && !v.unanimous {
				split++
			}
		}
		data = append(data, map[string]any{"topic": string(topic), "count": count, "split_votes": split})
	}
	for _, it := range w.items {
		if it.topic == "" {
			unclassified++
		}
	}
	return map[string]any{"data": data, "unclassified": unclassified}
}

func (w *world) timeline() map[string]any {
	type key struct {
		quarter string
		place   int // place of the topic
	}
	names := append(council.Topic("").Values(), "unclassified")
	counts := map[key]float64{}
	for _, it := range w.items {
		d := it.meeting.date
		name := cmp.Or(string(it.topic), "unclassified")
		counts[key{fmt.Sprintf("%d-Q%d", d.Year(), (int(d.Month())+2)/3), slices.Index(names, name)}]++
	}
	keys := make([]key, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.quarter, b.quarter), a.place-b.place) })
	data := []any{}
	for _, k := range keys {
		data = append(data, map[string]any{"quarter": k.quarter, "topic": names[k.place], "count": counts[k]})
	}
	return map[string]any{"data": data}
}

func (w *world) stats() map[string]any {
	days, done := []string{}, 0.
	classified := 0.
	for _, m := range w.meetings {
		days = append(days, m.date.Format("2006-01-02"))
		if m.status == council.StatusComplete {
			done++
		}
	}
	for _, it := range w.items {
		if it.topic != "" {
			classified++
		}
	}
	return map[string]any{"meetings": float64(len(w.meetings)), "meetings_complete": done, "items": float64(len(w.items)),
		"votes":   float64(len(w.votes)),
		"members": float64(len(w.members)), "earliest_meeting": slices.Min(days), "latest_meeting": slices.Max(days),
		"last_ingest_at":   nil,
		"classified_items": classified, "anomalies": float64(len(w.notes))}
}
