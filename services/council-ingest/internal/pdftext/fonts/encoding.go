package fonts

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// An encoding gives each code of a one-byte font its text, "" where it has none.
type encoding [256]string

// The encodings a PDF may name (ISO 32000-1, annex D).
func winAnsi() encoding {
	e := fromCharmap(charmap.Windows1252)
	for _, c := range []int{0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d} {
		e[c] = "•"
	}
	e[0xa0], e[0xad] = " ", "-"
	return e
}

func macRoman() encoding {
	e := fromCharmap(charmap.Macintosh)
	e[0xca] = " "
	return e
}

func fromCharmap(cm *charmap.Charmap) (e encoding) {
	for c := 0x20; c < 256; c++ {
		if r := cm.DecodeByte(byte(c)); r != utf8.RuneError {
			e[c] = string(r)
		}
	}
	return e
}

// standard is Adobe's StandardEncoding, the built-in one of most Type 1 fonts.
func standard() (e encoding) {
	for c := 0x20; c < 0x7f; c++ {
		e[c] = string(rune(c))
	}
	e[0x27], e[0x60] = "’", "‘"
	for i, r := range []rune("¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß") {
		const codes = "\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb1\xb2\xb3\xb4\xb6\xb7\xb8\xb9\xba\xbb\xbc\xbd\xbf" +
			"\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xca\xcb\xcd\xce\xcf\xd0\xe1\xe3\xe8\xe9\xea\xeb\xf1\xf5\xf8\xf9\xfa\xfb"
		e[codes[i]] = string(r)
	}
	return e
}

// symbols stands for the fonts made of pictures. Only marks that minutes use
// differ here; any other picture is a bullet.
func symbols(name string) (e encoding) {
	n := strings.ToLower(name)
	for c := 0x21; c < 256; c++ {
		e[c] = "•"
	}
	e[' '], e[0xa0] = " ", " "
	switch {
	case strings.Contains(n, "wingdings"):
		for c, s := range map[byte]string{0xa8: "☐", 0x6f: "☐", 0xfb: "✗", 0xfc: "✓", 0xfd: "☒", 0xfe: "☑", 0xe0: "→", 0x76: "❖", 0xd8: "➢"} {
			e[c] = s
		}
	case strings.Contains(n, "dingbats"):
		for c, s := range map[byte]string{0x33: "✓", 0x34: "✔", 0x35: "✕", 0x37: "✗", 0x38: "✘", 0x6f: "❏", 0x71: "❑"} {
			e[c] = s
		}
	default: // Symbol
		for c := byte(0x21); c < 0x40; c++ {
			e[c] = string(rune(c)) // digits and marks stand where ASCII has them
		}
		for i, r := range []rune("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ") {
			e['A'+i] = string(r)
		}
		for i, r := range []rune("αβχδεφγηιϕκλμνοπθρστυϖωξψζ") {
			e['a'+i] = string(r)
		}
		for c, s := range map[byte]string{'[': "[", ']': "]", '_': "_", '{': "{", '|': "|", '}': "}", '~': "∼", 0xa3: "≤", 0xb3: "≥", 0xb0: "°", 0xb1: "±", 0xb4: "×", 0xae: "→", 0xbc: "…", 0xd2: "®", 0xd3: "©", 0xd4: "™", 0xe2: "®", 0xe3: "©", 0xe4: "™", 0xbe: "—"} {
			e[c] = s
		}
	}
	return e
}

func isSymbolFont(name string) bool {
	n := strings.ToLower(name)
	return strings.Contains(n, "wingdings") || strings.Contains(n, "dingbats") || strings.Contains(n, "webdings") ||
		strings.HasPrefix(n, "symbol")
}

// glyphText is what a glyph name says: "A", "eacute", "f_i", "uni00E9",
// "one.oldstyle". Made-up names ("g17", "cid123") say nothing: "".
func glyphText(name string) string {
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if strings.Contains(name, "_") && len(name) < 40 {
		var out strings.Builder
		for part := range strings.SplitSeq(name, "_") {
			t := glyphText(part)
			if t == "" {
				return ""
			}
			out.WriteString(t)
		}
		return out.String()
	}
	if len(name) == 1 && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z') {
		return name
	}
	if t, ok := glyphNames[name]; ok {
		return t
	}
	if hex, ok := strings.CutPrefix(name, "uni"); ok && len(hex) >= 4 && len(hex)%4 == 0 && len(hex) <= 16 {
		var out strings.Builder
		for i := 0; i < len(hex); i += 4 {
			n, err := strconv.ParseUint(hex[i:i+4], 16, 16)
			if err != nil {
				return ""
			}
			out.WriteRune(rune(n))
		}
		return out.String()
	}
	if hex, ok := strings.CutPrefix(name, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		if n, err := strconv.ParseUint(hex, 16, 32); err == nil && n <= 0x10ffff {
			return string(rune(n))
		}
	}
	// A letter and the name of its accent, as in "Ccaron".
	if len(name) > 4 && !strings.Contains(name, " ") {
		for accent, mark := range accents {
			if base, ok := strings.CutSuffix(name, accent); ok {
				if b := glyphText(base); utf8.RuneCountInString(b) == 1 {
					if c := norm.NFC.String(b + mark); utf8.RuneCountInString(c) == 1 {
						return c
					}
				}
			}
		}
	}
	return ""
}

var accents = map[string]string{
	"grave": "\u0300", "acute": "\u0301", "circumflex": "\u0302", "tilde": "\u0303", "macron": "\u0304", "breve": "\u0306",
	"dotaccent": "\u0307", "dieresis": "\u0308", "ring": "\u030a", "hungarumlaut": "\u030b", "caron": "\u030c",
	"cedilla": "\u0327", "commaaccent": "\u0326", "ogonek": "\u0328",
}

// glyphNames are the names that are neither a letter nor a letter with an
// accent (the Adobe glyph list, as far as Latin text needs it).
var glyphNames = map[string]string{
	"space": " ", "nbspace": " ", "nonbreakingspace": " ", "exclam": "!", "quotedbl": `"`, "numbersign": "#", "dollar": "$",
	"percent": "%", "ampersand": "&", "quotesingle": "'", "parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+",
	"comma": ",", "hyphen": "-", "minus": "−", "sfthyphen": "-", "softhyphen": "-", "hyphenminus": "-", "period": ".",
	"slash": "/", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "colon": ":", "semicolon": ";", "less": "<", "equal": "=", "greater": ">", "question": "?",
	"at": "@", "bracketleft": "[", "backslash": `\`, "bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`",
	"braceleft": "{", "bar": "|", "braceright": "}", "asciitilde": "~", "exclamdown": "¡", "cent": "¢", "sterling": "£",
	"fraction": "⁄", "yen": "¥", "florin": "ƒ", "section": "§", "currency": "¤", "quotedblleft": "“", "guillemotleft": "«",
	"guilsinglleft": "‹", "guilsinglright": "›", "fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "endash": "–",
	"emdash": "—", "dagger": "†", "daggerdbl": "‡", "periodcentered": "·", "middot": "·", "paragraph": "¶", "bullet": "•",
	"quotesinglbase": "‚", "quotedblbase": "„", "quotedblright": "”", "guillemotright": "»", "ellipsis": "…",
	"perthousand": "‰", "questiondown": "¿", "quoteleft": "‘", "quoteright": "’", "acute": "´", "circumflex": "ˆ",
	"tilde": "˜", "macron": "¯", "breve": "˘", "dotaccent": "˙", "dieresis": "¨", "ring": "˚", "cedilla": "¸",
	"hungarumlaut": "˝", "ogonek": "˛", "caron": "ˇ", "AE": "Æ", "ordfeminine": "ª", "Lslash": "Ł", "Oslash": "Ø", "OE": "Œ",
	"ordmasculine": "º", "ae": "æ", "dotlessi": "ı", "dotlessj": "ȷ", "lslash": "ł", "oslash": "ø", "oe": "œ",
	"germandbls": "ß", "Eth": "Ð", "eth": "ð", "Thorn": "Þ", "thorn": "þ", "Dcroat": "Đ", "dcroat": "đ", "Hbar": "Ħ",
	"hbar": "ħ", "copyright": "©", "registered": "®", "trademark": "™", "degree": "°", "plusminus": "±", "mu": "µ",
	"onesuperior": "¹", "twosuperior": "²", "threesuperior": "³", "onequarter": "¼", "onehalf": "½", "threequarters": "¾",
	"multiply": "×", "divide": "÷", "logicalnot": "¬", "brokenbar": "¦", "Euro": "€", "checkmark": "✓", "check": "✓",
	"arrowright": "→", "arrowleft": "←", "lessequal": "≤", "greaterequal": "≥", "notequal": "≠", "infinity": "∞",
	"approxequal": "≈", "summation": "∑", "radical": "√", "partialdiff": "∂", "lozenge": "◊", "H18533": "■", "H22073": "□",
	"filledbox": "■", "square": "□", "circle": "○", "openbullet": "◦", "angleleft": "⟨", "angleright": "⟩",
	"Alpha": "Α", "Beta": "Β", "Gamma": "Γ", "Delta": "Δ", "Omega": "Ω", "Sigma": "Σ", "Pi": "Π", "alpha": "α", "beta": "β",
	"gamma": "γ", "delta": "δ", "epsilon": "ε", "lambda": "λ", "pi": "π", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω",
	"apostrophe": "'", "quotereversed": "‛", "figuredash": "‒", "horizontalbar": "―", "afii00208": "―", "afii10017": "А",
	"nonbreakinghyphen": "-", "zerooldstyle": "0", "oneoldstyle": "1", "twooldstyle": "2", "threeoldstyle": "3",
	"fouroldstyle": "4", "fiveoldstyle": "5", "sixoldstyle": "6", "sevenoldstyle": "7", "eightoldstyle": "8", "nineoldstyle": "9",
}
