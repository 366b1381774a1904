// Package objectstest is an in-memory S3-compatible store for tests. It has one bucket, supports
// PUT, HEAD and GET (also with ranges), and checks signatures. It cannot list or delete objects.
package objectstest

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	Bucket = "archive"
	Key    = "test-key"
	Secret = "test-secret"
)

type Server struct {
	URL string

	mu      sync.Mutex
	objects map[string][]byte
	puts    int
	fail    int // number of next requests to fail
	status  int
}

// New starts a store that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{objects: map[string][]byte{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Fail makes the next n requests fail with a status.
func (s *Server) Fail(n, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail, s.status = n, status
}

// Spoil changes a byte of every object.
func (s *Server) Spoil() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, data := range s.objects {
		data = bytes.Clone(data)
		data[0] ^= 1
		s.objects[name] = data
	}
}

func (s *Server) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Puts returns the number of objects that were sent.
func (s *Server) Puts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.puts
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	name, inBucket := strings.CutPrefix(r.URL.Path, "/"+Bucket+"/")
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "IncompleteBody")
	case s.fail > 0:
		s.fail--
		refuse(w, s.status, "SlowDown")
	case !signed(r):
		refuse(w, http.StatusForbidden, "SignatureDoesNotMatch")
	case !inBucket:
		refuse(w, http.StatusNotFound, "NoSuchBucket")
	case r.Method == http.MethodPut:
		if strings.Contains(r.Header.Get("Content-Encoding")+r.Header.Get("X-Amz-Content-Sha256"), "STREAMING") {
			body, err = unchunked(body)
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, "IncompleteBody")
			return
		}
		s.puts++
		s.objects[name] = body
		w.Header().Set("ETag", etag(body))
	case s.objects[name] == nil:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	default:
		w.Header().Set("ETag", etag(s.objects[name]))
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(s.objects[name]))
	}
}

func etag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

// unchunked joins the chunks of a body whose chunks are signed separately.
func unchunked(body []byte) ([]byte, error) {
	in := bufio.NewReader(bytes.NewReader(body))
	var out []byte
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil || n == 0 {
			return out, err
		}
		chunk := make([]byte, n+2) // includes the end of the line
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		out = append(out, chunk[:n]...)
	}
}

// signed checks the signature of a request (AWS Signature Version 4).
func signed(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	fields := map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[k] = v
	}
	scope := strings.Split(fields["Credential"], "/")
	if !ok || len(scope) != 5 || scope[0] != Key {
		return false
	}
	var headers strings.Builder
	for name := range strings.SplitSeq(fields["SignedHeaders"], ";") {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		headers.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	canonical := strings.Join([]string{r.Method, (&url.URL{Path: r.URL.Path}).EscapedPath(),
		strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"),
		headers.String(), fields["SignedHeaders"], r.Header.Get("X-Amz-Content-Sha256")}, "\n")
	sum := sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + Secret)
	for _, part := range scope[1:] {
		key = mac(key, part)
	}
	want := mac(key, strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), strings.Join(scope[1:], "/"),
		hex.EncodeToString(sum[:])}, "\n"))
	return hmac.Equal([]byte(hex.EncodeToString(want)), []byte(fields["Signature"]))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
