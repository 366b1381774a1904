package gtfs

import (
	"bytes"
	"math"
	"net/url"
	"strconv"
	"time"
)

// MaxID bounds an identifier, in bytes.
const MaxID = 512

// MaxTime is the latest accepted time, 999:59:59 in seconds. Long-distance trains reach 100 hours.
const MaxTime = 1000*3600 - 1

// ParseTime parses a GTFS Time, H:MM:SS or HH:MM:SS, whose hours may exceed 24. It returns seconds
// since noon minus 12 hours of the service day.
func ParseTime(cell []byte) (seconds int, ok bool) {
	n := len(cell)
	if n < 7 || n > 9 || cell[n-3] != ':' || cell[n-6] != ':' {
		return 0, false
	}
	s := digit(cell[n-2])*10 + digit(cell[n-1])
	m := digit(cell[n-5])*10 + digit(cell[n-4])
	h := 0
	for _, c := range cell[:n-6] {
		h = h*10 + digit(c)
	}
	if s > 59 || m > 59 || h > MaxTime/3600 {
		return 0, false
	}
	return h*3600 + m*60 + s, true
}

func digit(c byte) int {
	if d := c - '0'; d <= 9 {
		return int(d)
	}
	return 1 << 40
}

func AppendTime(dst []byte, seconds int) []byte {
	h := seconds / 3600
	if h < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(h), 10)
	m, s := seconds/60%60, seconds%60
	return append(dst, ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10))
}

// ParseDate parses a GTFS Date, YYYYMMDD. The date must exist.
func ParseDate(cell []byte) (time.Time, bool) {
	if len(cell) != 8 {
		return time.Time{}, false
	}
	n := 0
	for _, c := range cell {
		n = n*10 + digit(c)
	}
	y := n / 10000
	m := n / 100 % 100
	d := n % 100
	if n > 99991231 || y < 1 {
		return time.Time{}, false
	}
	day := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if day.Year() != y || int(day.Month()) != m || day.Day() != d {
		return time.Time{}, false
	}
	return day, true
}

// ParseUint parses an integer from 0 to 2,147,483,647 without a sign.
func ParseUint(cell []byte) (int, bool) {
	if len(cell) == 0 || len(cell) > 20 {
		return 0, false
	}
	n := 0
	for _, c := range cell {
		n = n*10 + digit(c)
		if n > math.MaxInt32 {
			return 0, false
		}
	}
	return n, true
}

// ParseFloat parses a finite decimal number.
func ParseFloat(cell []byte) (float64, bool) {
	if f, ok := shortDecimal(cell); ok {
		return f, true
	}
	if len(cell) == 0 || len(cell) > 64 {
		return 0, false
	}
	for _, c := range cell {
		switch {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false // reject "inf", "0x1p3" and "1_000"
		}
	}
	f, err := strconv.ParseFloat(string(cell), 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// shortDecimal parses the usual form of coordinates, faster than strconv: an optional minus, and at
// most 15 digits, with a fraction or without. A float64 has both the digits and the power of ten
// exactly, so their quotient is the nearest number.
func shortDecimal(cell []byte) (f float64, ok bool) {
	digits := cell
	isNegative := len(cell) > 0 && cell[0] == '-'
	if isNegative {
		digits = cell[1:]
	}
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	n, power := 0, 1.0
	hasPoint := false
	for _, c := range digits {
		switch {
		case c-'0' <= 9:
			n = n*10 + int(c-'0')
			if hasPoint {
				power *= 10
			}
		case c == '.' && !hasPoint:
			hasPoint = true
		default:
			return 0, false
		}
	}
	if hasPoint == (len(digits) == 1) || !hasPoint && len(digits) > 15 {
		return 0, false
	}
	f = float64(n) / power
	if isNegative {
		f = -f
	}
	return f, true
}

// IsLatitude reports whether cell is a latitude in degrees, -90 to 90.
func IsLatitude(cell []byte) bool { return isDegrees(cell, 90) }

// IsLongitude reports whether cell is a longitude in degrees, -180 to 180.
func IsLongitude(cell []byte) bool { return isDegrees(cell, 180) }

func isDegrees(cell []byte, bound float64) bool {
	_, ok := parseDegrees(cell, bound)
	return ok
}

func parseDegrees(cell []byte, bound float64) (degrees float64, ok bool) {
	f, ok := ParseFloat(cell)
	return f, ok && math.Abs(f) <= bound
}

// ParseLatitude parses a latitude in degrees.
func ParseLatitude(cell []byte) (degrees float64, ok bool) { return parseDegrees(cell, 90) }

// ParseLongitude parses a longitude in degrees.
func ParseLongitude(cell []byte) (degrees float64, ok bool) { return parseDegrees(cell, 180) }

// IsDistance reports whether cell is a non-negative number.
func IsDistance(cell []byte) bool {
	f, ok := ParseFloat(cell)
	return ok && f >= 0
}

// IsColor reports whether cell is a colour of six hexadecimal digits.
func IsColor(cell []byte) bool {
	if len(cell) != 6 {
		return false
	}
	for _, c := range cell {
		if c-'0' > 9 && c|0x20-'a' > 5 {
			return false
		}
	}
	return true
}

// IsURL reports whether cell is a URL with http or https, and a host.
func IsURL(cell []byte) bool {
	u, err := url.Parse(string(cell))
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// IsEmail reports whether cell is one mail address: a name, an @ and a host with a dot.
func IsEmail(cell []byte) bool {
	name, host, ok := bytes.Cut(cell, []byte{'@'})
	point := bytes.LastIndexByte(host, '.')
	return ok && len(name) > 0 && point > 0 && point < len(host)-1 && !bytes.ContainsAny(cell, " \t,;<>") &&
		bytes.IndexByte(host, '@') < 0
}

// IsLanguage reports whether cell has the form of a language code of BCP 47, such as en or fr-CA.
func IsLanguage(cell []byte) bool {
	for i, part := range bytes.Split(cell, []byte{'-'}) {
		if len(part) > 8 || len(part) < 1 || i == 0 && (len(part) < 2 || len(part) > 3) {
			return false
		}
		for _, c := range part {
			if letter := c|0x20-'a' < 26; !letter && (i == 0 || c-'0' > 9) {
				return false
			}
		}
	}
	return true
}
