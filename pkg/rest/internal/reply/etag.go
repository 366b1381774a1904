package reply

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// TagOf makes the opaque part of a strong ETag from the values that identify a body: the revision
// of the deployment (salt), the generation and the canonical request.
func TagOf(salt string, gen int64, request []byte) string {
	var buf [256]byte
	b := append(buf[:0], salt...)
	b = binary.BigEndian.AppendUint64(append(b, 0), uint64(gen))
	b = append(b, request...)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:15])
}

// MatchTag finds a tag, with the suffix of any coding, in If-None-Match. It returns the tag as the
// client wrote it, in quotes. The comparison is weak (RFC 9110, 13.1.2). "*" does not match.
func MatchTag(lines []string, tag string) (quoted string, ok bool) {
	for _, line := range lines {
		for line != "" {
			start := strings.IndexByte(line, '"')
			if start < 0 {
				break
			}
			end := strings.IndexByte(line[start+1:], '"')
			if end < 0 {
				break
			}
			found := line[start+1 : start+1+end]
			if rest, cut := strings.CutPrefix(found, tag); cut && (rest == "" || rest == "-gzip" || rest == "-zstd") {
				return line[start : start+end+2], true
			}
			line = line[start+end+2:]
		}
	}
	return "", false
}

// AnyTag reports whether If-None-Match is "*", which matches any representation.
func AnyTag(lines []string) bool {
	return len(lines) == 1 && strings.TrimSpace(lines[0]) == "*"
}
