package spec

import "testing"

func TestBare(t *testing.T) {
	for given, want := range map[string]string{
		`{"description":"a","type":"object","title":"b","properties":{"description":{"type":"string","description":"c"},
			"x":{"enum":[{"description":"kept"}],"default":{"title":"kept"}}},"required":["description"]}`: `{"type":"object",` +
			`"properties":{"description":{"type":"string"},"x":{"enum":[{"description":"kept"}],"default":{"title":"kept"}}},` +
			`"required":["description"]}`,
		`{"anyOf":[{"description":"a"},true],"items":{"$comment":"b","type":"null"},"$defs":{"A":{"title":"c"}}}`: `{"anyOf":[{},true],` +
			`"items":{"type":"null"},"$defs":{"A":{}}}`,
		`true`: `true`,
		`{}`:   `{}`,
	} {
		if got := string(Bare([]byte(given))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", given, got, want)
		}
	}
}
