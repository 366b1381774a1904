package check

import (
	"bytes"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

func (r *row) agency() {
	a := &r.c.agencies
	zone := r.cell("agency_timezone")
	lang := r.cell("agency_lang")
	url := r.cell("agency_url")
	if r.n == 1 {
		a.zone = bytes.Clone(zone)
	}
	if len(a.lang) == 0 {
		a.lang = bytes.Clone(lang)
	}
	a.count = r.n
	if len(r.raw("agency_id")) == 0 {
		a.nameless = r.line
	}
	if len(a.urls) < maxRemembered && len(url) > 0 {
		a.urls[string(url)] = true
	}
	known := r.n == 1 || r.c.isTimeZone(zone) // gtfs-import checks the first
	r.reportIf(!known, "invalid_timezone", "agency_timezone")
	r.reportIf(known && len(zone) > 0 && !bytes.Equal(zone, a.zone), "inconsistent_agency_timezone", "agency_timezone")
	r.reportIf(len(lang) > 0 && len(a.lang) > 0 && !bytes.EqualFold(lang, a.lang),
		"inconsistent_agency_lang", "agency_lang")
}

func (c *Checker) isTimeZone(cell []byte) bool {
	zones := c.agencies.zones
	known, seen := zones[string(cell)]
	if !seen {
		known = IsTimeZone(string(cell))
		if len(zones) < maxRemembered {
			zones[string(cell)] = known
		}
	}
	return known
}

// IsTimeZone reports whether a text is empty or a time zone.
func IsTimeZone(zone string) bool {
	_, err := time.LoadLocation(zone)
	return err == nil && zone != "Local"
}

func (r *row) feedInfo() {
	if r.n > 1 {
		r.report("more_than_one_entity", "", nil)
		return
	}
	r.inOrder("feed_start_date", "feed_end_date")
	from, hasStart := gtfs.ParseDate(r.cell("feed_start_date"))
	to, hasEnd := gtfs.ParseDate(r.cell("feed_end_date"))
	left := Day(to) - r.c.today
	r.reportIf(hasStart && !r.has("feed_end_date"), "missing_feed_info_date", "feed_end_date")
	r.reportIf(hasEnd && !r.has("feed_start_date"), "missing_feed_info_date", "feed_start_date")
	if !r.has("feed_start_date", "feed_end_date") {
		r.report("missing_recommended_field", "feed_start_date", nil)
		r.report("missing_recommended_field", "feed_end_date", nil)
	}
	r.reportIf(hasEnd && left < week, "feed_expiration_date7_days", "feed_end_date")
	r.reportIf(hasEnd && left >= week && left < month, "feed_expiration_date30_days", "feed_end_date")
	r.reportIf(hasStart && Day(from) > r.c.today, "future_feed", "feed_start_date")
	contact := len(r.cell("feed_contact_email")) + len(r.cell("feed_contact_url"))
	r.reportIf(contact == 0, "missing_feed_contact_email_and_url", "")
	r.reportIf(len(r.cell("feed_version")) == 0, "missing_recommended_field", "feed_version")
	own, lang := r.c.agencies.lang, r.cell("feed_lang")
	differs := !bytes.EqualFold(lang, []byte("mul")) && !sameLanguage(own, lang)
	r.reportIf(len(own) > 0 && len(lang) > 0 && differs, "feed_info_lang_and_agency_lang_mismatch", "feed_lang")
}

// sameLanguage reports whether two language codes differ only in their regions.
func sameLanguage(a, b []byte) bool {
	a, _, _ = bytes.Cut(a, []byte{'-'})
	b, _, _ = bytes.Cut(b, []byte{'-'})
	return bytes.EqualFold(a, b)
}
