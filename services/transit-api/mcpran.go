package transitapi

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/mcp"
)

// whatRan answers with the figures of an observed feed. Each row has its coverage.
func whatRan(ctx context.Context, c *mcp.Call) (*mcp.Answer, error) {
	q := c.Pass("by", "from", "to", "route_id", "stop_id")
	q.Set("feed_alias", c.Text("feed"))
	e, err := c.Get(ctx, "realtime.performance", q)
	if err != nil {
		return nil, err
	}
	data, _ := e["data"].(object)
	rows := []object{}
	for _, r := range objects(data["rows"]) {
		rows = append(rows, ran(r))
	}
	total, _ := data["total"].(object)
	observed, _ := data["observed"].(object)
	answer := &mcp.Answer{Data: object{"from": data["from"], "to": data["to"], "by": data["by"], "total": ran(total),
		"rows": rows, "observed_since": observed["since"], "silent_seconds": data["silent_seconds"]},
		More: "from and to for other days, route_id for one line, by=hour or by=stop"}
	if on, ok := data["on_time_is"].(object); ok {
		answer.Notes = append(answer.Notes, fmt.Sprintf("On time is at most %v s early and %v s late, by %v.", on["early"],
			on["late"], on["event"]))
	}
	answer.Notes = append(answer.Notes, "unseen: not seen although there was data; unknown: there was no data. Neither "+
		"means that the trip did not run. Delays are in seconds.")
	if day := observed["provisional_from"]; day != nil {
		answer.Notes = append(answer.Notes, fmt.Sprintf("%v is provisional.", day))
	}
	if data["from"] == nil {
		answer.Notes = append(answer.Notes, "Nothing has been observed yet.")
	}
	if observed["measurable"] == false {
		answer.Notes = append(answer.Notes, "Not measurable: vehicles name neither a stop nor a stop_sequence.")
	}
	return answer, nil
}

// ran returns the figures of a row, the coverage first.
func ran(row object) object {
	out := pick(row, "label", "agency_id", "route_id", "stop_id", "hour", "date", "month", "scheduled", "ran", "cancelled",
		"unseen", "unknown", "added", "unmatched", "judged", "early", "on_time", "late", "median_delay", "p90_delay")
	if accuracy, ok := row["accuracy"].(object); ok && accuracy["score"] != nil {
		out["prediction_score"] = accuracy["score"]
	}
	return out
}
