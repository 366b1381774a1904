package councilapi

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"
)

// A vote has a picture of the size that other sites show with a link, which differs between votes.
func TestPicturesOfVotes(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 23, 8)
	long := w.votes[0].item
	execSQL(t, writer, `UPDATE council.item SET title = $2 WHERE id = $1`, long.id,
		strings.Repeat("Éclairage ", 80)+strings.Repeat("x", 400))
	srv := testServer(t, reader)
	met := map[string]int64{}
	for i := range w.votes[:4] {
		id := w.votes[i].id
		page := browse(t, srv, fmt.Sprintf("/votes/%d", id)).Body.String()
		first(t, page, `<meta property="og:image" content="http`)
		first(t, page, fmt.Sprintf(`/votes/%d/picture.png">`, id))
		rec := browse(t, srv, fmt.Sprintf("/votes/%d/picture.png", id))
		body := rec.Body.Bytes()
		picture, err := png.DecodeConfig(bytes.NewReader(body))
		if err != nil || picture.Width != 1200 || picture.Height != 630 || rec.Header().Get("Content-Type") != "image/png" {
			t.Fatalf("vote %d: %d, %v, %+v", id, rec.Code, err, picture)
		}
		if other, twice := met[string(body)]; twice {
			t.Errorf("votes %d and %d have the same picture", id, other)
		}
		met[string(body)] = id
	}
	address := fmt.Sprintf("/votes/%d/picture.png", w.votes[0].id)
	for _, lang := range []string{"es", "fr"} {
		first(t, browse(t, srv, fmt.Sprintf("/votes/%d?lang=%s", w.votes[0].id, lang)).Body.String(), address+"?lang="+lang+`">`)
		body := browse(t, srv, address+"?lang="+lang).Body.String()
		if other, twice := met[body]; twice {
			t.Errorf("the picture in %s is that of vote %d in another language", lang, other)
		}
		met[body] = w.votes[0].id
	}
	if rec := browse(t, srv, "/votes/424242/picture.png"); rec.Code != 404 {
		t.Errorf("an unknown vote: %d", rec.Code)
	}
}
