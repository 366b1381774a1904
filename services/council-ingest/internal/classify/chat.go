package classify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A chat is a client of an OpenAI-compatible endpoint. It is safe for concurrent use.
type chat struct {
	set   settings.Classifier
	http  *http.Client
	pause time.Duration // before the first retry; then doubled

	mu      sync.Mutex
	left    int      // number of requests that may still be sent
	dropped []string // optional members of the request that this server rejects
}

type reply struct {
	Content  string // the model's answer, at most maxContent bytes
	Model    string // as named by the server, or ""
	In, Out  int    // number of tokens, as counted by the server
	Declined bool   // the model or its provider declined to answer
}

const (
	maxBody    = 1 << 20 // size of a response
	maxContent = 8 << 10
	maxTokens  = 2000 // some models write their reasoning first
	tries      = 4
	maxWait    = 2 * time.Minute // largest accepted Retry-After
)

// parameters is part of the key of stored answers, because the temperature affects answers.
const parameters = "temperature=0"

// errRefused marks failures that would affect all further questions too.
var errRefused = errors.New("the classifier's endpoint refuses to work")

var errSpent = errors.New("as many requests as per_run allows were sent")

func openChat(set settings.Classifier) *chat {
	transport := http.DefaultTransport.(*http.Transport).Clone() // clones the default to keep its proxy settings
	transport.MaxIdleConnsPerHost = set.Concurrency
	transport.MaxResponseHeaderBytes = 64 << 10
	return &chat{set: set, left: set.PerRun, pause: time.Second, http: &http.Client{
		Transport: transport,
		// A redirect would send the key and the question to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *chat) Close() { c.http.CloseIdleConnections() }

// Ask sends one item to the model, with retries.
func (c *chat) Ask(ctx context.Context, in Input) (reply, error) {
	var last *transient
	for try := range tries {
		if last != nil {
			select {
			case <-ctx.Done():
				return reply{}, ctx.Err()
			case <-time.After(max(last.after, c.pause<<(try-1))):
			}
		}
		r, err := c.once(ctx, in)
		if err == nil {
			return r, nil
		}
		if errors.Is(err, errSpent) && last != nil {
			break // last has the reason for a retry
		}
		if !errors.As(err, &last) {
			return r, fmt.Errorf("ask %s: %w", c.set.Model, err)
		}
	}
	return reply{}, fmt.Errorf("ask %s: %w", c.set.Model, last.error)
}

// A transient error can be retried after the pause that the server requests.
type transient struct {
	error
	after time.Duration
}

// once sends a request. If the server rejects optional parameters, it sends the request again
// without them.
func (c *chat) once(ctx context.Context, in Input) (reply, error) {
	for {
		c.mu.Lock()
		without := slices.Clone(c.dropped)
		c.left--
		spent := c.left < 0
		c.mu.Unlock()
		if spent {
			return reply{}, errSpent
		}
		status, header, body, err := c.post(ctx, request(c.set.Model, in, without))
		if err != nil {
			return reply{}, err
		}
		switch {
		case status == http.StatusOK:
			return readReply(body)
		case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
			after := fetch.ParseRetryAfter(header.Get("Retry-After"), time.Now())
			return reply{}, &transient{c.statusError(status, nil), min(after, maxWait)}
		case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
			if name := rejectedMember(body, without); name != "" {
				c.drop(name)
				continue
			}
			return reply{}, c.statusError(status, body)
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			body = nil // the body of such an answer may contain the key
		}
		return reply{}, fmt.Errorf("%w: %w", errRefused, c.statusError(status, body))
	}
}

func request(model string, in Input, without []string) map[string]any {
	body := map[string]any{
		"model": model,
		"messages": []map[string]string{
			{"role": "system", "content": instructions()},
			{"role": "user", "content": question(in)},
		},
		"temperature": 0,
		"max_tokens":  maxTokens,
		"response_format": map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "label", "strict": true, "schema": answerSchema()},
		},
	}
	for _, name := range without {
		delete(body, name)
	}
	return body
}

// rejectedMember finds the optional parameter that caused a 400. Servers without schemas often do
// not name the parameter.
func rejectedMember(body []byte, without []string) string {
	text := strings.ToLower(string(body))
	for _, m := range []struct{ word, name string }{
		{"max_tokens", "max_tokens"}, {"temperature", "temperature"}, {"format", "response_format"},
		{"schema", "response_format"},
	} {
		if strings.Contains(text, m.word) && !slices.Contains(without, m.name) {
			return m.name
		}
	}
	return ""
}

func (c *chat) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.dropped, name) {
		c.dropped = append(c.dropped, name)
	}
}

func (c *chat) post(ctx context.Context,
	body map[string]any) (status int, header http.Header, answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.set.Timeout)
	defer cancel()
	text, _ := json.Marshal(body) // maps of strings and numbers always encode
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.set.URL, "/")+"/chat/completions",
		bytes.NewReader(text))
	if err != nil {
		return 0, nil, nil, errors.New("not a usable URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "townline")
	if c.set.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.set.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the cause does not contain the URL
		}
		return 0, nil, nil, &transient{error: err}
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return 0, nil, nil, &transient{error: fmt.Errorf("the answer broke off: %w", err)}
	case len(answer) > maxBody:
		return 0, nil, nil, fmt.Errorf("the answer is larger than %d bytes", maxBody)
	}
	return resp.StatusCode, resp.Header, answer, nil
}

// statusError returns an error with the server's message, shortened and without the key.
func (c *chat) statusError(status int, body []byte) error {
	var envelope struct {
		Error any `json:"error"`
	}
	_ = json.Unmarshal(body, &envelope)
	words, _ := envelope.Error.(string) // Ollama sends a bare string
	if detail, ok := envelope.Error.(map[string]any); ok {
		words, _ = detail["message"].(string)
	}
	words = head(council.Fold(words), 200)
	if c.set.Key != "" {
		words = strings.ReplaceAll(words, c.set.Key, "…")
	}
	if words != "" {
		words = ": " + words
	}
	return fmt.Errorf("the server answered %d %s%s", status, http.StatusText(status), words)
}

func readReply(body []byte) (reply, error) {
	var c struct {
		Model   string `json:"model"`
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content *string `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return reply{}, &transient{error: errors.New("the server did not answer in JSON")} // maybe a proxy's error page
	}
	if len(c.Choices) == 0 {
		return reply{}, &transient{error: errors.New("the server answered without a choice")}
	}
	first := c.Choices[0]
	r := reply{Model: head(council.Fold(c.Model), 100), In: max(0, c.Usage.In), Out: max(0, c.Usage.Out)}
	r.Declined = first.FinishReason == "content_filter" || first.Message.Refusal != nil && *first.Message.Refusal != ""
	if first.Message.Content != nil {
		r.Content = head(strings.ReplaceAll(strings.ToValidUTF8(*first.Message.Content, ""), "\x00", ""), maxContent)
	}
	return r, nil
}
