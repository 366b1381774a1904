package pages

import (
	"context"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// voteLine is a vote in a list. The title is that of its item.
func voteLine(h *site.Head, say view.Speaker, v *record.Vote, title string, printed *string) view.VoteLine {
	return view.VoteLine{
		Address: h.To("/votes/{id}", number(v.ID)), Title: title, Number: wire.Text(printed),
		Motion: brief(v.MotionText, listed), Of: say.Motion(v.MotionText, v.MotionSeq, 0), Date: say.Date(v.MeetingDate.Time),
		Meeting: h.To("/meetings/{id}", number(v.MeetingID)) + "#item-" + number(v.ItemID),
		Outcome: outcome(say, v), Consent: v.ViaConsent,
	}
}

// outcome is how a vote ended, and whether its roll says otherwise.
func outcome(say view.Speaker, v *record.Vote) view.Outcome {
	o := say.Outcome(v.Result, v.ResultRaw, v.AyesCount, v.NaysCount, v.Unanimous)
	o.Differs = v.TallyDiffers
	return o
}

func foundLines(h *site.Head, say view.Speaker, found []record.FoundVote) []view.VoteLine {
	lines := make([]view.VoteLine, len(found))
	for i := range found {
		f := &found[i]
		lines[i] = voteLine(h, say, &f.Vote, f.ItemTitle, f.ItemNumber)
		lines[i].Stands = stands(say, &f.Vote)
	}
	return lines
}

// Lengths of texts in characters.
const (
	listed = 160 // of a motion in a list
	whole  = 400 // of a title, or of a motion alone
)

// brief is the beginning of a text that is longer than so many characters.
func brief(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most])) + " …"
}

// rollOf is a roll by position: all five, or those that somebody took.
func rollOf(h *site.Head, say view.Speaker, roll []record.VotePosition, all bool) []view.RollRow {
	var rows []view.RollRow
	for _, position := range council.Positions() {
		stand := say.Position(position, "")
		row := view.RollRow{Kind: stand.Kind, Symbol: stand.Symbol, Word: stand.Word}
		for _, p := range roll {
			if p.Position == position {
				row.Names = append(row.Names, view.Ref{Text: p.MemberName, Address: h.To("/members/{id}", number(p.MemberID))})
			}
		}
		if all || len(row.Names) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// stands are those of a roll who did not vote as the motion ended.
func stands(say view.Speaker, v *record.Vote) []view.Stand {
	if v.Unanimous {
		return nil
	}
	side := council.Aye
	if v.Result == council.Failed {
		side = council.Nay
	}
	var list []view.Stand
	for _, p := range v.Positions {
		if p.Position != side && p.Position != council.Absent {
			list = append(list, say.Position(p.Position, p.MemberName))
		}
	}
	return list
}

func anomalyOf(say view.Speaker, a *review.Anomaly) view.Anomaly {
	v := view.Anomaly{Doubt: doubt(say, a), Message: a.Message}
	if a.MinutesURL != nil {
		v.Where = *a.MinutesURL
	}
	return v
}

// source leads to where a vote is recorded: the page of the minutes, the minutes, or the portal's record.
func source(say view.Speaker, address string, recorded bool) view.Ref {
	page := record.SourcePage(address)
	switch {
	case recorded:
		return view.Ref{Text: say.Text("vote.portal"), Address: address}
	case page != "":
		return view.Ref{Text: say.Text("vote.page", page), Address: address}
	}
	return view.Ref{Text: say.Text("vote.document"), Address: address}
}

// doubt is what is wrong, in words of its code; a code without words has those of its kind.
func doubt(say view.Speaker, a *review.Anomaly) string {
	if text, err := say.Say("doubt." + a.Code); err == nil {
		return text
	}
	return say.Text("anomaly." + string(a.Kind))
}

// answers are what people said of the anomalies of a meeting, by anomaly.
func answers(ctx context.Context, c *rest.Call, say view.Speaker, meeting int64) (map[int64]view.Answer, error) {
	list, err := review.MeetingReviews(ctx, c, record.IDParams{ID: meeting})
	if err != nil {
		return nil, err
	}
	all := make(map[int64]view.Answer, len(list.Data))
	for _, one := range list.Data {
		a := view.Answer{State: reviewState(say, one.State, one.Reply)}
		if one.Reply != nil {
			a.Reply, a.By = one.Reply.Text, say.Text("review.by", one.Reply.Author, when(say, one.Reply.MadeAt))
		}
		all[one.AnomalyID] = a
	}
	return all, nil
}

// reviewState says where the review of an anomaly stands. One that the clerk has answered was looked at, though nobody has decided.
func reviewState(say view.Speaker, state clerk.State, reply *review.AnomalyReply) string {
	if state == clerk.Open && reply != nil {
		return say.Text("review.replied")
	}
	return say.Text("review." + string(state))
}

// label is what a machine says of an item, nil when it says nothing.
func label(h *site.Head, say view.Speaker, it *record.AgendaItem) *view.Label {
	if it.Topic == nil && it.Summary == nil {
		return nil
	}
	l := &view.Label{Summary: wire.Text(it.Summary)}
	if it.Topic != nil {
		l.Topic = view.Ref{Text: say.Topic(*it.Topic), Address: h.ToQuery(url.Values{"topic": {string(*it.Topic)}}, "/votes")}
	}
	return l
}

// when is a time of the API in words.
func when(say view.Speaker, text string) string {
	var t rest.Time
	if t.UnmarshalText([]byte(text)) != nil {
		return text
	}
	return say.Moment(t.Time)
}

func correctionOf(say view.Speaker, k *review.Correction) view.Act {
	was, becomes := orDash(wire.Text(k.Was)), orDash(wire.Text(k.Becomes))
	return view.Act{What: say.Text("correction."+string(k.State), was, becomes), Text: strings.TrimSpace(k.Reason + " (" + k.Document + ")"), By: say.Text("review.by", k.Author, say.Moment(k.MadeAt.Time))}
}
