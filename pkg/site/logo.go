package site

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image/png"
	"regexp"
	"strconv"
)

// maxLogo is in bytes. The logo is part of the style sheet of every page.
const maxLogo = 32 << 10

const logoHeight = 2

var viewBox = regexp.MustCompile(`<svg[^>]*\sviewBox="[-0-9.]+[ ,]+[-0-9.]+[ ,]+([0-9.]+)[ ,]+([0-9.]+)"`)

// SetLogo adds a picture, PNG or SVG with a viewBox, to the top of each page. Call it before the
// site serves.
func (s *Site) SetLogo(picture []byte) error {
	if len(picture) > maxLogo {
		return fmt.Errorf("the logo has %d bytes, more than %d", len(picture), maxLogo)
	}
	media, width, height := "image/png", 0.0, 0.0
	if m := viewBox.FindSubmatch(picture); m != nil {
		media = "image/svg+xml"
		width, _ = strconv.ParseFloat(string(m[1]), 64) // 0 is refused below
		height, _ = strconv.ParseFloat(string(m[2]), 64)
	} else if c, err := png.DecodeConfig(bytes.NewReader(picture)); err == nil {
		width, height = float64(c.Width), float64(c.Height)
	}
	if width <= 0 || height <= 0 || width > 10*height {
		return errors.New("the logo must be a PNG, or an SVG with a viewBox, at most ten times as wide as high")
	}
	return s.addStyle(fmt.Appendf(nil, ".top .brand { padding: .4rem 0 .4rem %.2frem; "+
		"background: url(\"data:%s;base64,%s\") no-repeat 0 50%% / auto %drem }\n",
		logoHeight*width/height+.6, media, base64.StdEncoding.EncodeToString(picture), logoHeight))
}
