package reviewsite

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/clerk"
	councilingest "github.com/townline/townline/services/council-ingest"
)

// An outcome is what became of a form.
type outcome struct {
	Done int64 // id of what was stored; 0 if nothing was
	Live bool  // readers see it now
	// If nothing was stored, why, or what it would change.
	status  int
	Problem string // key of a sentence
	Detail  string // in English
	Changes []string
}

// act does what a form says: what is said of an anomaly, or a correction. A reader who has not seen
// the newest is shown it instead.
func (d *Server) act(w http.ResponseWriter, r *http.Request, v *visitor) error {
	f, err := d.subject(r)
	if err != nil {
		return err
	}
	form := r.PostForm
	if v.fixed {
		form.Set("by", v.name)
	}
	name := strings.TrimSpace(form.Get("by"))
	var done outcome
	if form.Get("seen") != f.seen() {
		done = outcome{status: http.StatusConflict, Problem: "moved"}
	} else if done, err = d.do(r.Context(), f, name, form); err != nil {
		done, err = explained(err)
	}
	if err != nil {
		return err
	}
	d.gate.remember(v, name)
	if done.status == http.StatusConflict { // what it was is what somebody else has said
		f, err = d.subject(r)
		if err != nil {
			return err
		}
	}
	if done.Done == 0 {
		if v.name == "" {
			v.name = name
		}
		return d.write(w, done.status, "file.html", d.fileView(r, v, f, done))
	}
	d.deps.Log.Info("said in review", "act", form.Get("do"), "id", done.Done, "by", name, "at", r.URL.Path)
	to := d.head(r, "file.title")
	q := url.Values{"done": {number(done.Done)}}
	if done.Live {
		q.Set("live", "true")
	}
	http.Redirect(w, r, to.ToQuery(q, "/{kind}/{id}", r.PathValue("kind"), r.PathValue("id")), http.StatusSeeOther)
	return nil
}

// explained is the outcome of a mistake of the clerk; any other error is ours.
func explained(err error) (outcome, error) {
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

func (d *Server) do(ctx context.Context, f *file, name string, form url.Values) (outcome, error) {
	what := form.Get("do")
	switch act := clerk.Act(what); act {
	case clerk.Accepted, clerk.Rejected, clerk.Replied, clerk.Undone:
		if f.Anomaly == nil {
			return outcome{}, clerk.ErrNotFound
		}
		said, err := clerk.AddReview(ctx, d.deps.DB, f.Anomaly.ID, act, lines(form.Get("text")), name,
			time.Now().UTC().Truncate(time.Second), &f.Seen)
		if err != nil {
			return outcome{}, err
		}
		live, err := councilingest.ApplyIfAllowed(ctx, d.deps)
		return d.settled(outcome{Done: said.ID, Live: live}, err), nil
	}
	how := councilingest.Saying{NewNames: form.Get("newname") != "", DryRun: form.Get("then") == "look", Seen: &f.Seen}
	var done councilingest.Corrected
	var err error
	if what == "withdraw" {
		id, err := strconv.ParseInt(form.Get("correction"), 10, 64)
		if err != nil || !f.Holds[id] {
			return outcome{}, clerk.ErrNotFound
		}
		done, err = councilingest.Withdraw(ctx, d.deps, id, name, lines(form.Get("reason")), how)
		if err != nil && !done.Stored {
			return outcome{}, err
		}
	} else {
		all := f.corrections(what, form)
		if len(all) == 0 {
			return outcome{status: http.StatusBadRequest, Problem: "same"}, nil
		}
		for i := range all {
			all[i].Author, all[i].Reason, all[i].Document = name, lines(form.Get("reason")), lines(form.Get("document"))
			if f.Anomaly != nil {
				all[i].AnomalyID = &f.Anomaly.ID
			}
		}
		done, err = councilingest.Correct(ctx, d.deps, all, how)
	}
	if err != nil && !done.Stored {
		return outcome{}, err
	}
	if !done.Stored {
		out := outcome{status: http.StatusOK, Problem: "look"}
		for _, one := range done.Differences {
			out.Changes = append(out.Changes, one.String())
		}
		return out, nil
	}
	return d.settled(outcome{Done: done.Corrections[0].ID, Live: done.Live}, err), nil
}

// settled is the outcome of what is stored: if it could not be laid over as well, council-ingest
// tries again, and nothing is lost.
func (d *Server) settled(out outcome, err error) outcome {
	if err != nil {
		d.deps.Log.Warn("stored, and not laid over yet", "id", out.Done, "error", err)
	}
	return out
}

// lines are a text of a form, whose lines end as browsers send them.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
