package classify

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/townline/townline/pkg/council"
)

type graded struct {
	labelled
	Got        council.Topic
	Confidence *float64
}

// A topicLine is a row of the table by topic.
type topicLine struct {
	Topic                  string
	Titles, Answers, Right int
}

func (l topicLine) Precision() string { return share(l.Right, l.Answers) }
func (l topicLine) Recall() string    { return share(l.Right, l.Titles) }

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(n)/float64(of))
}

// Grades has the results of one classifier for one set of titles.
type grades struct {
	all []graded
}

func (g grades) Topics() []topicLine {
	var out []topicLine
	for _, topic := range council.Topics() {
		l := topicLine{Topic: string(topic)}
		for _, r := range g.all {
			if r.Topic == topic {
				l.Titles++
			}
			if r.Got == topic {
				l.Answers++
				if r.Topic == topic {
					l.Right++
				}
			}
		}
		out = append(out, l)
	}
	return out
}

func (g grades) only(keep func(graded) bool) grades {
	var out grades
	for _, r := range g.all {
		if keep(r) {
			out.all = append(out.all, r)
		}
	}
	return out
}

func (g grades) Plain() grades { return g.only(func(r graded) bool { return !r.Hard }) }
func (g grades) Hard() grades  { return g.only(func(r graded) bool { return r.Hard }) }

// Line formats the number of titles with a topic, the share of them that got an answer, precision,
// recall, and the number of answers for titles without a topic.
func (g grades) Line() string {
	titles, answered, answers, right, without, invented := 0, 0, 0, 0, 0, 0
	for _, r := range g.all {
		if r.Topic == "" {
			without++
		} else {
			titles++
		}
		if r.Got == "" {
			continue
		}
		answers++
		switch r.Topic {
		case "":
			invented++
		case r.Got:
			answered++
			right++
		default:
			answered++
		}
	}
	return fmt.Sprintf("%d | %s | %s | %s | %d of %d", titles, share(answered, titles), share(right, answers),
		share(right, titles), invented, without)
}

// MacroF1 returns the harmonic mean of precision and recall, averaged over the topics.
func (g grades) MacroF1() string {
	sum, n := 0.0, 0
	for _, l := range g.Topics() {
		if l.Titles == 0 {
			continue
		}
		n++
		if l.Right > 0 {
			p, r := float64(l.Right)/float64(l.Answers), float64(l.Right)/float64(l.Titles)
			sum += 2 * p * r / (p + r)
		}
	}
	return fmt.Sprintf("%.2f", sum/float64(n))
}

// A calibrationLine compares the stated accuracy with the measured one.
type calibrationLine struct {
	Said           float64
	Answers, Right int
}

func (l calibrationLine) Kept() string { return share(l.Right, l.Answers) }

func (g grades) Calibration() []calibrationLine {
	var out []calibrationLine
	for _, r := range g.all {
		if r.Got == "" || r.Confidence == nil {
			continue
		}
		said := math.Round(100**r.Confidence) / 100
		at := slices.IndexFunc(out, func(l calibrationLine) bool { return l.Said == said })
		if at < 0 {
			out, at = append(out, calibrationLine{Said: said}), len(out)
		}
		out[at].Answers++
		if r.Got == r.Topic {
			out[at].Right++
		}
	}
	slices.SortFunc(out, func(a, b calibrationLine) int { return int(100 * (a.Said - b.Said)) })
	return out
}

// Unmeasured returns the number of answers without a confidence.
func (g grades) Unmeasured() calibrationLine {
	var l calibrationLine
	for _, r := range g.all {
		if r.Got != "" && r.Confidence == nil {
			l.Answers++
			if r.Got == r.Topic {
				l.Right++
			}
		}
	}
	return l
}

// CalibrationError returns the mean difference between stated and measured accuracy, weighted by
// the number of answers.
func (g grades) CalibrationError() string {
	sum, n := 0.0, 0
	for _, l := range g.Calibration() {
		sum += math.Abs(l.Said*float64(l.Answers) - float64(l.Right))
		n += l.Answers
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", sum/float64(n))
}

// gradeKeywords grades the term list on one part of the titles.
func gradeKeywords(t *testing.T, part string) grades {
	t.Helper()
	k := NewKeywords()
	var g grades
	for _, l := range readLabelled(t, part) {
		o := k.Label(Input{Title: l.Title})
		r := graded{labelled: l, Got: o.Topic}
		if o.Topic != "" {
			r.Confidence = &o.Confidence
		}
		g.all = append(g.all, r)
	}
	return g
}
