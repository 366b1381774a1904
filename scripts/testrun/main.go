// Command testrun prints which browser the tests of pages use, runs `go test -json` with its
// arguments, prints the output of `go test`, and then lists the skipped tests by reason.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/embed/chromium"
)

func main() {
	announceBrowser()
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		out := bufio.NewWriter(os.Stdout)
		report(events, out)
		out.Flush()
		err = cmd.Wait()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "go test:", err)
		os.Exit(1)
	}
}

// announceBrowser prints which browser the tests of pages use, and fetches it if necessary, so that
// a missing browser is noticed. It fails if TOWNLINE_BROWSER requires a browser that is missing.
func announceBrowser() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	p, err := chromium.Find(ctx, func(what string) {
		fmt.Println("fetching a browser for the tests of pages with npm, once:", what)
	})
	switch {
	case err == nil:
		fmt.Printf("pages are tested in %s (%s)\n", p.Version, p.Origin)
	case chromium.IsRequired():
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	default:
		fmt.Printf("\n*** NO PAGE IS TESTED IN A BROWSER: %v\n\n", err)
	}
}

// An event is a line of `go test -json`: see `go doc test2json`.
type event struct{ Action, Package, Test, Output string }

// report prints the result of each package, the output of failing tests, and finally the skipped
// tests.
func report(events io.Reader, out *bufio.Writer) {
	type test struct{ pkg, name string }
	output := map[test][]string{}
	skipped := map[string][]string{} // names of tests by reason
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(out, lines.Text()) // output of the go command itself
			continue
		}
		of := test{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			out.WriteString(e.Output)
		case "output":
			output[of] = append(output[of], e.Output)
		case "skip":
			if e.Test != "" {
				why := reason(output[of])
				skipped[why] = append(skipped[why], e.Test)
			}
			delete(output, of)
		case "pass":
			if e.Test == "" {
				printResult(out, output[of])
			}
			delete(output, of)
		case "fail":
			out.WriteString(strings.Join(output[of], ""))
			out.Flush()
			delete(output, of)
		}
	}
	summarize(out, skipped)
}

// printResult prints a package's line without the repeated verdict.
func printResult(out *bufio.Writer, output []string) {
	for _, line := range output {
		if line != "PASS\n" && !strings.Contains(line, "[no test") {
			out.WriteString(line)
		}
	}
	out.Flush()
}

var logged = regexp.MustCompile(`^ +\S+\.go:\d+: (.*)`)

// reason returns the last message that a test logged.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if m := logged.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			return m[1]
		}
	}
	return "no reason given"
}

// summarize prints the reasons, the most frequent first, each with a few of its tests.
func summarize(out *bufio.Writer, skipped map[string][]string) {
	total, reasons := 0, []string{}
	for why, names := range skipped {
		total += len(names)
		reasons = append(reasons, why)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		if d := len(skipped[b]) - len(skipped[a]); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	fmt.Fprintf(out, "\n%d tests were skipped\n", total)
	for _, why := range reasons {
		names := skipped[why]
		slices.Sort(names)
		more := ""
		if len(names) > 3 {
			more = ", …"
		}
		fmt.Fprintf(out, "  %3d  %s: %s%s\n", len(names), why, strings.Join(names[:min(3, len(names))], ", "), more)
	}
}
