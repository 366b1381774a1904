package embed_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/embed/internal/npm"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	// SHA-512 of "abc" in base64, from FIPS 180-2, appendix C.1.
	const abc = "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
	r := bytes.NewReader([]byte("abc"))
	if err := npm.Verify(r, abc); err != nil {
		t.Error(err)
	}
	if r.Len() != 3 {
		t.Error("the file was not rewound")
	}
	if err := npm.Verify(strings.NewReader("abd"), abc); err == nil {
		t.Error("accepted another file")
	}
}
