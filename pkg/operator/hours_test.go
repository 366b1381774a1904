package operator

import "testing"

func TestReadHours(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mo 06:00-09:00":                "{[360,540)}",
		"Mo-Tu 06:00-09:00,16:00-24:00": "{[360,540),[960,1440),[1800,1980),[2400,2880)}",
		"we":                            "{[2880,4320)}",
		"Sunday 22:00-02:00":            "{[0,120),[9960,10080)}",
		"Sa-Mo 23:00-01:00":             "{[8580,8700),[0,60),[10020,10080),[1380,1500)}",
		"00:00-00:30; Fr":               "{[0,30),[1440,1470),[2880,2910),[4320,4350),[5760,5790),[7200,7230),[8640,8670),[5760,7200)}",
		"Mo,We 1:05-2:00":               "{[65,120),[2945,3000)}",
	} {
		if got, err := ReadHours(text); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", ";", "Xx", "Mo 6-9", "Mo 06:00", "Mo 25:00-26:00", "06:00-09:00 Mo", "Mo 06:00-06:00", "Mo 24:00-01:00", "Mo-Fr 06:00-09:00 Sa", "Mo 06:0-07:00", "Mo 06:60-07:00", "Mo -1:00-02:00"} {
		if got, err := ReadHours(text); err == nil {
			t.Errorf("%q was read as %s", text, got)
		}
	}
	if got := HoursText("{[360,540),[9960,10080)}"); got != "Mo 06:00 to Mo 09:00, Su 22:00 to Su 24:00" {
		t.Error(got)
	}
}
