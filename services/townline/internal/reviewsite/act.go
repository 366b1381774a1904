package reviewsite

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/clerk"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/gate"
)

// An outcome is the result of a submitted form.
type outcome struct {
	Stored int64 // id of the review or correction; 0 if nothing was stored
	Live   bool  // readers already see the change
	// The following fields are set if nothing was stored.
	status  int
	Problem string   // key of a sentence
	Detail  string   // text in English
	Changes []string // changes in a preview
}

// submit stores a review or corrections. If the clerk has not seen the newest statements, submit
// stores nothing and shows the page with these statements.
func (s *pages) submit(w http.ResponseWriter, r *http.Request, v *gate.Visitor) error {
	f, err := s.fileOf(r)
	if err != nil {
		return err
	}
	form := r.PostForm
	if v.Fixed {
		form.Set("by", v.Name)
	}
	name := strings.TrimSpace(form.Get("by"))
	var out outcome
	if form.Get("seen") != f.seen() {
		out = outcome{status: http.StatusConflict, Problem: "moved"}
	} else if out, err = s.perform(r.Context(), f, name, form); err != nil {
		out, err = outcomeOf(err)
	}
	if err != nil {
		return err
	}
	s.Remember(v, name)
	if out.status == http.StatusConflict { // show the newer statements
		f, err = s.fileOf(r)
		if err != nil {
			return err
		}
	}
	if out.Stored == 0 {
		v.Name = cmp.Or(v.Name, name)
		return s.Write(w, out.status, "file.html", s.fileView(r, v, f, out))
	}
	s.Log.Info("review statement stored", "act", form.Get("do"), "id", out.Stored, "by", name, "at", r.URL.Path)
	to := s.Head(r, "file.title")
	q := url.Values{"done": {number(out.Stored)}}
	if out.Live {
		q.Set("live", "true")
	}
	http.Redirect(w, r, to.ToQuery(q, "/{kind}/{id}", r.PathValue("kind"), r.PathValue("id")), http.StatusSeeOther)
	return nil
}

// outcomeOf returns the outcome for a clerk's mistake. It returns other errors unchanged.
func outcomeOf(err error) (outcome, error) {
	fault := (*clerk.Fault)(nil)
	switch {
	case errors.As(err, &fault):
		return outcome{status: http.StatusBadRequest, Problem: "fault", Detail: fault.Error()}, nil
	case errors.Is(err, councilingest.ErrUnknownName):
		return outcome{status: http.StatusBadRequest, Problem: "name", Detail: strings.TrimSuffix(err.Error(), ": "+
			councilingest.ErrUnknownName.Error())}, nil
	case errors.Is(err, clerk.ErrConflict), errors.Is(err, clerk.ErrWithdrawn):
		return outcome{status: http.StatusConflict, Problem: "moved"}, nil
	}
	return outcome{}, err
}

func (s *pages) perform(ctx context.Context, f *file, name string, form url.Values) (outcome, error) {
	do := form.Get("do")
	switch act := clerk.Act(do); act {
	case clerk.Accepted, clerk.Rejected, clerk.Replied, clerk.Undone:
		if f.Anomaly == nil {
			return outcome{}, clerk.ErrNotFound
		}
		review, err := clerk.AddReview(ctx, s.deps.DB, f.Anomaly.ID, act, lines(form.Get("text")), name,
			time.Now().UTC().Truncate(time.Second), &f.Seen)
		if err != nil {
			return outcome{}, err
		}
		live, err := councilingest.ApplyIfAllowed(ctx, s.deps)
		return s.stored(review.ID, live, err), nil
	}
	how := councilingest.CorrectOptions{NewNames: form.Get("newname") != "", DryRun: form.Get("then") == "look",
		Seen: &f.Seen}
	var done councilingest.Corrected
	var err error
	if do == "withdraw" {
		id, parseErr := strconv.ParseInt(form.Get("correction"), 10, 64)
		inForce := func(c clerk.Correction) bool { return c.ID == id && c.InForce() }
		if parseErr != nil || !slices.ContainsFunc(f.Corrections, inForce) {
			return outcome{}, clerk.ErrNotFound
		}
		done, err = councilingest.Withdraw(ctx, s.deps, id, name, lines(form.Get("reason")), how)
	} else {
		all := f.corrections(do, form)
		if len(all) == 0 {
			return outcome{status: http.StatusBadRequest, Problem: "same"}, nil
		}
		for i := range all {
			all[i].Author, all[i].Reason = name, lines(form.Get("reason"))
			all[i].Document = lines(form.Get("document"))
			if f.Anomaly != nil {
				all[i].AnomalyID = &f.Anomaly.ID
			}
		}
		done, err = councilingest.Correct(ctx, s.deps, all, how)
	}
	if done.Stored {
		return s.stored(done.Corrections[0].ID, done.Live, err), nil
	}
	if err != nil {
		return outcome{}, err
	}
	out := outcome{status: http.StatusOK, Problem: "look"}
	for _, d := range done.Differences {
		out.Changes = append(out.Changes, d.String())
	}
	return out, nil
}

// stored returns the outcome for a stored statement. If it could not be applied, council-ingest
// will apply it.
func (s *pages) stored(id int64, live bool, err error) outcome {
	if err != nil {
		s.Log.Warn("statement stored, but not applied yet", "id", id, "error", err)
	}
	return outcome{Stored: id, Live: live}
}

// lines replaces the line ends of browsers by \n.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
