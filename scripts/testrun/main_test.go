package main

import (
	"bufio"
	"strings"
	"testing"
)

const events = `{"Action":"output","Package":"a","Test":"TestReal","Output":"=== RUN   TestReal\n"}
{"Action":"output","Package":"a","Test":"TestReal","Output":"    real_test.go:12: ../shared is not there\n"}
{"Action":"output","Package":"a","Test":"TestReal","Output":"--- SKIP: TestReal (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestReal"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"    a_test.go:3: said\n"}
{"Action":"pass","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
{"Action":"output","Package":"b","Test":"TestBad","Output":"    b_test.go:3: wrong\n"}
{"Action":"fail","Package":"b","Test":"TestBad"}
{"Action":"output","Package":"b","Output":"FAIL\tb\t0.1s\n"}
{"Action":"fail","Package":"b"}
{"Action":"output","Package":"c","Output":"?   \tc\t[no test files]\n"}
{"Action":"skip","Package":"c"}
{"ImportPath":"d","Action":"build-output","Output":"d.go:1: broken\n"}
`

func TestReport(t *testing.T) {
	var got strings.Builder
	out := bufio.NewWriter(&got)
	report(strings.NewReader(events), out)
	out.Flush()
	const want = `ok  	a	0.1s
    b_test.go:3: wrong
FAIL	b	0.1s
d.go:1: broken

1 tests were skipped
    1  ../shared is not there: TestReal
`
	if got.String() != want {
		t.Errorf("got %s\nwant %s", got.String(), want)
	}
}
