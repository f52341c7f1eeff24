package team

import (
	"encoding/json"
	"strings"
	"testing"

	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// Whatever a name is, it is refused or stays one token of a subject and one key of a bucket.
func FuzzCheckName(f *testing.F) {
	for _, name := range []string{
		"ann", "", "a.b", "*", ">", "$JS", "ann\r\nPUB x 0", "Ann", "ALL", "ä", " ", "a b", strings.Repeat("a", 33),
	} {
		f.Add(name)
	}
	team := &Team{options: Options{Team: "shop"}}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckName(name) != nil {
			return
		}
		subject := team.mailSubject(name, "ann")
		if strings.Count(subject, ".") != 4 || strings.ContainsAny(subject, "*> \r\n\t$") || name == everybody ||
			len(name) > bus.MaxName {
			t.Errorf("%q: subject %q", name, subject)
		}
	})
}

// What another session sends is refused, or harmless and bounded; what this one sends another can read.
func FuzzItem(f *testing.F) {
	for _, raw := range []string{
		`{"kind":"message","text":"hello"}`, `{}`, `[`, `null`,
		`{"kind":"answer","topic":"a\nb","text":"\u001b[2J","query":"ann.x"}`,
		`{"kind":"review","text":7}`, "\x00", `{"kind":"task","text":"\ud800"}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		item, err := readItem(raw)
		if err != nil {
			return
		}
		for _, s := range []string{item.Topic, item.Text, item.Query} {
			if strings.ContainsFunc(s, text.Unsafe) || len(s) > MaxText {
				t.Errorf("%q of %q", s, raw)
			}
		}
		sent, err := item.write()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := readItem(sent); err != nil || again != item {
			t.Errorf("%+v, %v; was %+v", again, err, item)
		}
	})
}

// A question that another session has written into the bucket is harmless.
func FuzzQuery(f *testing.F) {
	f.Add([]byte(`{"kind":"question","from":"ann","question":"\u001b[2J","forwarded":[{"by":"\u202e"}],"answers":[{"from":"bob"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var q Query
		if json.Unmarshal(raw, &q) != nil {
			return
		}
		q.clean()
		if said := q.Letter(); strings.ContainsFunc(said, text.Unsafe) || len(said) > MaxText {
			t.Errorf("%q", said)
		}
	})
}
