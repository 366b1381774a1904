package minutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func TestBodyAndDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"Town Board Regular Meeting Minutes\nTuesday, January 7, 2025 – 2:00 PM": {"Town Board", "2025-01-07"},
		"CITY OF LARKSPUR FALLS\nCITY COUNCIL\nFINAL ACTIONS ● APRIL 14, 2026":   {"City Council", "2026-04-14"},
		"BOARD OF SUPERVISORS\nSept. 3, 2026": {"Board of Supervisors",
			"2026-09-03"},
		"Finance & Works Committee\n3/4/2026": {"Finance & Works Committee",
			"2026-03-04"},
		"Harrow District\nBoard of Trustees\nFinance Committee\nMarch 4th, 2026\nCouncil": {"Finance Committee",
			"2026-03-04"},
		"City Council\nFebruary 30, 2026":                                          {"City Council", ""},
		"City Council\nFebruary 29, 2028":                                          {"City Council", "2028-02-29"},
		"City Council\n13/1/2026":                                                  {"City Council", "2026-01-13"},
		"The council met in the old hall.\nPublished April 2, 2026\nApril 1, 2026": {"", "2026-04-01"},
	} {
		r := Parse(text, Options{})
		got := [2]string{}
		if r.Body != nil {
			got[0] = *r.Body
		}
		if r.MeetingDate != nil {
			got[1] = *r.MeetingDate
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if missing := len(r.Anomalies) == 1 && r.Anomalies[0].Code == council.CodeDateMissing; missing != (want[1] == "") {
			t.Errorf("%q: unexpected anomalies %v", text, r.Anomalies)
		}
	}
	if r := Parse("City Council\nMay 1, 2026", Options{Body: "Common Council"}); *r.Body != "Common Council" {
		t.Errorf("body with a configured name is %q", *r.Body)
	}
}

func TestAttendance(t *testing.T) {
	t.Parallel()
	want := "Odile Brandt/Mayor/Present, Jan van der Meer/Trustee, Ward 2/Late, Walter Finch Jr./Trustee/Absent"
	for name, text := range map[string]string{
		"rows": `
Attendee Name        Title              Status    Arrived
Odile Brandt         Mayor              Present
Jan van der Meer     Trustee, Ward 2    Late      6:20 PM
Walter Finch Jr.     Trustee            Absent
II. Next`,
		"rows without columns": `
Attendee Name Title Status Arrived
Odile Brandt Mayor Present
Jan van der Meer Trustee, Ward 2 Late 6:20 PM
Walter Finch Jr. Trustee Absent
II. Next`,
		"a header that wraps": `
Attendee     Title              Status    Arrived
Name
Odile Brandt         Mayor              Present
Jan van der Meer     Trustee, Ward 2    Late      6:20 PM
Walter Finch Jr.     Trustee            Absent
II. Next`,
		"a justified header": `
      Attendee   Name        Title              Status    Arrived
      Odile Brandt         Mayor              Present
      Jan van der Meer     Trustee, Ward 2    Late      6:20 PM
      Walter Finch Jr.     Trustee            Absent
II. Next`,
		"rows that wrap": `
Attendee Name   Title        Status    Arrived
Odile Brandt    Mayor        Present
Jan van der     Trustee,     Late      6:20 PM
Meer            Ward 2
Walter Finch    Trustee      Absent
Jr.
II. Next`,
		"columns": `
Attendee Name
Odile Brandt
Jan van der Meer
Walter Finch Jr.

Title
Mayor
Trustee, Ward 2
Trustee

Status
Present
Late
Absent

Arrived
6:20 PM

II. Next`,
		"cells": `
Attendee Name
Title
Status
Arrived
Odile Brandt
Mayor
Present
Jan van der Meer
Trustee, Ward 2
Late
6:20 PM
Walter Finch Jr.
Trustee
Absent
II. Next`,
	} {
		r := Parse("City Council\nMay 1, 2026\nI. Roll Call\n"+text, Options{})
		if diff := cmp.Diff(want, attendanceOf(r)); diff != "" || len(r.Anomalies) > 0 {
			t.Errorf("%s (-want +got):\n%s\n%v", name, diff, r.Anomalies)
		}
	}
}

func TestRollCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"one line each": {`
Present:   Councillor Emil D. Hart
           Vice Mayor Rosamund Fay – 5:41 PM
           Councillor Tadhg O’Shea - REMOTE
Absent:    Councillor Ivo Stern
I. Next`, "Emil D. Hart/Councillor/Present, Rosamund Fay/Vice Mayor/Present, Tadhg O’Shea/Councillor/Remote, Ivo " +
			"Stern/Councillor/Absent"},
		"lists": {`
PRESENT: Mayor Odile Brandt, Councilor Jan van der Meer, Councilor Suki Arano
EXCUSED: Councilor Ivo Stern
ABSENT: None
I. Next`, "Odile Brandt/Mayor/Present, Jan van der Meer/Councilor/Present, Suki Arano/Councilor/Present, Ivo " +
			"Stern/Councilor/Excused"},
		"too few to be a council": {"Present: Ada Crumb\nI. Next", ""},
	} {
		r := Parse("City Council\nMay 1, 2026\n"+c.text, Options{})
		if diff := cmp.Diff(c.want, attendanceOf(r)); diff != "" || len(r.Items) > 0 {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAttendanceProblems(t *testing.T) {
	t.Parallel()
	r := Parse(`City Council
May 1, 2026
Attendee Name        Title              Status    Arrived
Odile Brandt         Mayor              Presnet
Suki Arano           Trustee
Jan van der Meer     Trustee            Present
II. Next`, Options{})
	if got := codesOf(r); got != "attendance-status-misspelt attendance-row-incomplete" &&
		got != "attendance-row-incomplete attendance-status-misspelt" {
		t.Errorf("anomalies: %s, attendance %s", got, attendanceOf(r))
	}
}

func attendanceOf(r record.Record) string {
	var rows []string
	for _, a := range r.Attendance {
		row := a.Name
		for _, cell := range []*string{a.Title, a.Status} {
			row += "/"
			if cell != nil {
				row += *cell
			}
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, ", ")
}

func codesOf(r record.Record) string {
	var codes []string
	for _, a := range r.Anomalies {
		codes = append(codes, string(a.Code))
	}
	return strings.Join(codes, " ")
}
