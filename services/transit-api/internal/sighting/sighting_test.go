package sighting

import (
	"slices"
	"testing"
	"time"
)

func TestWhatIsTold(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	b := New(nil, func() time.Time { return now })
	b.Note("hall", Page, "x")
	b.Note("hall", Rows, "x")
	b.Note("yard", Picture, "x")
	now = now.Add(20 * time.Second)
	b.Note("hall", Rows, "y")
	now = now.Add(10 * time.Second)
	told := func() (all []string) {
		for _, s := range b.News() {
			all = append(all, s.GetName()+" "+s.GetForm()+" "+s.GetBuild()+" "+(time.Duration(s.GetAgeMs())*time.Millisecond).String())
		}
		slices.Sort(all)
		return all
	}
	if got, want := told(), []string{"hall page x 30s", "hall rows y 10s", "yard picture x 30s"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if got := told(); got != nil {
		t.Errorf("told again: %q", got)
	}
	b.Note("yard", Picture, "x")
	if got, want := told(), []string{"yard picture x 0s"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	b.publish(t.Context()) // without NATS
}
