// Command council reads every endpoint of the council API with a client that oapi-codegen generates
// from openapi.json, and reports problems. It shows that the description is enough to write a
// client. It compiles only with that client, which `make check` generates; see
// services/council-api/client_test.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/townline/townline/scripts/clients/council/api"
)

func main() {
	if err := read(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read lists all votes like a client program, then calls every operation.
func read(ctx context.Context, base string) error {
	c, err := api.NewClientWithResponses(base)
	if err != nil {
		return err
	}
	votes, err := splitVotes(ctx, c)
	if err != nil {
		return fmt.Errorf("walk the split votes: %w", err)
	}
	if len(votes) < 10 {
		return fmt.Errorf("only %d split votes", len(votes))
	}
	v := votes[0]
	if v.Unanimous || v.MeetingDate.IsZero() || v.ParsedAt.IsZero() || !v.Result.Valid() || v.Positions == nil ||
		len(*v.Positions) == 0 {
		return fmt.Errorf("split vote %+v", v)
	}
	roll := *v.Positions
	anomalies, err := c.ListAnomaliesWithResponse(ctx, &api.ListAnomaliesParams{})
	if err != nil || anomalies.JSON200 == nil || len(anomalies.JSON200.Data) == 0 {
		return fmt.Errorf("anomalies: %w", errors.Join(err, errors.New("none")))
	}
	var errs []error
	called := callAll(ctx, c, func(operation string, nth int) int64 {
		switch {
		case strings.Contains(operation, "Minutes"), operation == "GetMeeting":
			return v.MeetingId
		case operation == "GetItem":
			return v.ItemId
		case operation == "GetVote":
			return v.Id
		case operation == "GetAnomaly":
			return anomalies.JSON200.Data[0].Id
		}
		return roll[nth].MemberId
	}, &errs)
	if called < 33 {
		errs = append(errs, fmt.Errorf("only %d operations", called))
	}
	return errors.Join(errs...)
}

// splitVotes follows next_cursor to the end.
func splitVotes(ctx context.Context, c *api.ClientWithResponses) ([]api.Vote, error) {
	split, limit := api.ListVotesParamsSplitTrue, 7
	p := &api.ListVotesParams{Split: &split, Limit: &limit}
	var all []api.Vote
	for {
		page, err := c.ListVotesWithResponse(ctx, p)
		if err != nil {
			return nil, err
		}
		if page.JSON200 == nil {
			return nil, fmt.Errorf("%s: %s", page.Status(), page.Body)
		}
		all = append(all, page.JSON200.Data...)
		if p.Cursor = page.JSON200.NextCursor; p.Cursor == nil {
			return all, nil
		}
	}
}

// callAll calls each operation with the ids that it needs. It requires status 200 and, for JSON, an
// answer that matches the description.
func callAll(ctx context.Context, c *api.ClientWithResponses, id func(operation string, nth int) int64,
	errs *[]error) (called int) {
	client := reflect.ValueOf(c)
	for i := range client.NumMethod() {
		name, ok := strings.CutSuffix(client.Type().Method(i).Name, "WithResponse")
		if !ok {
			continue
		}
		method := client.Method(i)
		args, ids := []reflect.Value{reflect.ValueOf(ctx)}, 0
		for j := 1; j < method.Type().NumIn()-1; j++ { // the last argument is a list of request editors
			switch t := method.Type().In(j); t.Kind() {
			case reflect.Int64:
				args = append(args, reflect.ValueOf(id(name, ids)))
				ids++
			case reflect.Int:
				args = append(args, reflect.ValueOf(1)) // number of a page
			case reflect.Pointer:
				params := reflect.New(t.Elem())
				if q := params.Elem().FieldByName("Q"); q.IsValid() && q.Kind() == reflect.String { // a required parameter
					q.SetString("street")
				}
				args = append(args, params)
			default:
				word := map[string]string{"Topic": string(api.TopicHousing), "ExportTable": string(api.VotesCsv),
					"string": "1"}[t.Name()] // a string is the id of a body
				args = append(args, reflect.ValueOf(word).Convert(t))
			}
		}
		called++
		out := method.Call(args)
		if err, _ := out[1].Interface().(error); err != nil {
			*errs = append(*errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		answer := out[0].Elem()
		status := out[0].MethodByName("StatusCode").Call(nil)[0].Int()
		body := answer.FieldByName("Body").Bytes()
		if parsed := answer.FieldByName("JSON200"); status != 200 || len(body) == 0 || parsed.IsValid() && parsed.IsNil() {
			*errs = append(*errs, fmt.Errorf("%s: %d %.200s", name, status, body))
		}
	}
	return called
}
