package manifest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/source"
)

const good = `{"id":"a.b.list_things","name":"list_things","namespace":["a","b"],"description":"List things.","tags":["x"],` +
	`"input":{"zeta":{"type":"str","description":"Last letter","required":true},"alpha":{"type":"int|null","description":"","required":false}},` +
	`"output_fields":["id","name"],"operation":"read","endpoint":"GET /things"}`

func TestRead(t *testing.T) {
	entries, report := Read(strings.NewReader("\ufeff"+good+"\r\n"), "f.jsonl")
	if len(entries) != 1 || len(report.Skipped)+len(report.Mended) != 0 {
		t.Fatalf("got %d entries, %+v", len(entries), report)
	}
	all, _ := catalog.New(entries, catalog.Options{})
	want := "a.b.list_things(zeta*:str, alpha:int?) -> {id, name}  R  List things."
	if line := all.View().Line("a.b.list_things"); line != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
	if entries[0].Action != nil {
		t.Error("an entry of a manifest has an action")
	}
}

// TestBadLines gives each bad line between two good ones: it costs itself and nothing else.
func TestBadLines(t *testing.T) {
	for _, test := range []struct{ name, line, skipped, mended string }{
		{"broken JSON", `{"id":"x`, "column 8: unexpected end of JSON input", ""},
		{"no object", `[1]`, "want an object, got array", ""},
		{"no id", `{"name":"x"}`, "the id is empty", ""},
		{"wrong type", `{"id":"x","tags":3}`, "tags: got number", ""},
		{"the same id", good, "line 1 has this id already", ""},
		{"control character in the id", `{"id":"a\u0007b"}`, `the id has the character '\a'`, ""},
		{"invalid UTF-8 in the id", "{\"id\":\"a\xffb\"}", "the id", ""},
		{"invalid UTF-8 elsewhere", "{\"id\":\"u\",\"description\":\"a\xffb\"}", "", "invalid UTF-8 was replaced"},
		{"a long description", `{"id":"u","description":"` + strings.Repeat("long ", 2<<20) + `"}`, "",
			"the description was cut from 10485760 to 65536 bytes"},
		{"a long line", `{"id":"u","description":"` + strings.Repeat("x", maxLine) + `"}`,
			"the line is longer than 32 MB", ""},
		{"a broken schema", `{"id":"u","input":{"type":"object","properties":{"a":{"type":"strange"}}}}`, "",
			"the input was dropped: schema: #/properties/a/type: unknown type"},
		{"a broken field", `{"id":"u","input":{"a":5}}`, "",
			"the input was dropped: field a: want {type, description, required}"},
		{"a cyclic schema", `{"id":"u","input":{"type":"object","properties":{"a":{"$ref":"#"}}}}`, "", ""},
		{"a schema without end", `{"id":"u","input":{"$ref":"#"}}`, "",
			"the input was dropped: schema: it refers to itself without end"},
		{"an unknown risk", `{"id":"u","risk":"extreme"}`, "", `the risk "extreme" counts as high`},
		{"control characters in a description", `{"id":"u","description":"a\u001b[31m\u0000b"}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			last := strings.Replace(good, "list_things", "last_thing", 1)
			entries, report := Read(strings.NewReader(good+"\n\n"+test.line+"\n"+last), "f")
			want := 3
			if test.skipped != "" {
				want = 2
			}
			if len(entries) != want || entries[0].ID != "a.b.list_things" || entries[want-1].ID != "a.b.last_thing" {
				t.Fatalf("got %d entries, want %d; %+v", len(entries), want, report)
			}
			check(t, "skipped", report.Skipped, test.skipped)
			check(t, "mended", report.Mended, test.mended)
		})
	}
}

func check(t *testing.T, what string, got []catalog.Skip, want string) {
	t.Helper()
	switch {
	case want == "" && len(got) == 0:
	case want == "" || len(got) != 1:
		t.Errorf("%s: got %+v, want %q", what, got, want)
	case got[0].Source != "f:3" || !strings.HasPrefix(got[0].Reason, want):
		t.Errorf("%s: got %q at %s, want %q at f:3", what, got[0].Reason, got[0].Source, want)
	}
}

// A file says how much of it has been read, and how many actions that gave.
func TestLoadTellsHowFar(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, `{"id":"big.get%d","description":%q}`+"\n", i, strings.Repeat("word ", 10))
	}
	file := filepath.Join(t.TempDir(), "big.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []source.Reading
	batch, err := load(t.Context(), file, "big", nil, func(r source.Reading) {
		told = append(told, r)
		if n := len(r.Entries()); n != r.Found {
			t.Errorf("%d entries of %d", n, r.Found)
		}
	})
	if err != nil || batch.Segment.Len() != 20_000 || batch.Segment.Entry(7).Source != "big" || len(told) < 3 {
		t.Fatalf("%d entries, told %+v, error %v", batch.Segment.Len(), told, err)
	}
	for i, r := range told {
		if r.Percent <= 0 || r.Percent > 99 || i > 0 && (r.Found < told[i-1].Found || r.Percent < told[i-1].Percent) {
			t.Errorf("told %d, %d %%", r.Found, r.Percent)
		}
	}
	if last := told[len(told)-1]; last.Found != 20_000 || last.Percent != 99 {
		t.Errorf("told %d, %d %% at the end", last.Found, last.Percent)
	}
}

func TestTruncatedGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 5000 {
		w.Write([]byte(strings.Replace(good, "list_things",
			"list_"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50), 1) + "\n"))
	}
	w.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.jsonl.gz")
	whole := packed.Bytes()
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	entries, report, err := ReadFile(t.Context(), file)
	if err != nil || len(entries) < 500 {
		t.Fatalf("got %d entries, error %v", len(entries), err)
	}
	if n := len(report.Skipped); n == 0 || !strings.HasPrefix(report.Skipped[n-1].Reason, "the file breaks off: ") {
		t.Errorf("skipped: %+v", report.Skipped)
	}
	if err := os.WriteFile(file, []byte("plain text, no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFile(t.Context(), file); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("no gzip at all: error %v", err)
	}
}

func TestInputForms(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{`null`, ""},
		{`{}`, ""},
		{`{"type":{"type":"str","description":"a field","required":true}}`,
			`{"type":"object","properties":{"type":{"type":"string","description":"a field"}},"required":["type"]}`},
		{`{"properties":{"type":"List[str]"}}`, `{"type":"object","properties":{"properties":{"type":"array"}}}`},
		{`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`},
		{`{"when":{"type":"Date (yyyy-mm-dd)"},"who":{"type":"any"}}`,
			`{"type":"object","properties":{"when":{"type":"string"},"who":{}}}`},
	} {
		s, err := newDecoder(0).inputSchema([]byte(test.input))
		got := ""
		if s != nil {
			got = string(s.JSON())
		}
		if err != nil || got != test.want {
			t.Errorf("%s:\ngot  %s, error %v\nwant %s", test.input, got, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"id":"u","input":{"type":["object"],"properties":{"a":{"$ref":"#"}}}}` + "\n{"))
	f.Add([]byte("{\"id\":\"a\xff\"}\n\x00\n[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, report := Read(bytes.NewReader(text), "f")
		if len(entries) != report.Loaded {
			t.Fatalf("loaded %d, got %d", report.Loaded, len(entries))
		}
		all, left := catalog.New(entries, catalog.Options{})
		if len(left.Skipped) > 0 {
			t.Fatalf("the catalog does not take %+v", left.Skipped)
		}
		view := all.View()
		for _, e := range entries {
			if view.Line(e.ID) == "" {
				t.Fatalf("%q has no line", e.ID)
			}
			if _, err := view.Describe(e.ID, catalog.Full); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A line is read as encoding/json reads it, or left to it.
func FuzzRecord(f *testing.F) {
	for _, line := range []string{
		`{"id":"a.b","namespace":["a","\u00e9"],"tags":[],"input":{"x":{"type":"str"}},"description":"é\n\ud800","extra":1}`,
		`{"ID":"a.b","id":"c.d"}`, `{"id":null}`, `{"tags":null}`, `{"tags":[1]}`, `{"tags":["a",null]}`,
		`{"mutates":true,"id":"a"}`, `{"id":"a","id":"b","aliases":["x"],"aliases":[]}`, `{"input":null}`, `{"input": [1] }`,
		`[]`, `{`, `{"id":5}`, `{"\u0069d":"a"}`,
	} {
		f.Add([]byte(line))
	}
	d := newDecoder(0)
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.ToValidUTF8(line, []byte("\ufffd")) // as entry does
		got, ok := d.record(line)
		if !ok {
			return
		}
		var want record
		if err := json.Unmarshal(line, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v: got %+v, want %+v", line, err, got, want)
		}
	})
}

// Lines with the same fields share one schema.
func TestSchemasAreShared(t *testing.T) {
	line := func(id string) string {
		return `{"id":"` + id + `","input":{"x":{"type":"str","description":"<b>"}},"output_fields":["y"]}` + "\n"
	}
	entries, _ := Read(strings.NewReader(line("a.one")+line("a.two")), "list")
	if len(entries) != 2 || entries[0].Input != entries[1].Input || entries[0].Output != entries[1].Output {
		t.Fatalf("%+v", entries)
	}
	if got, want := entries[0].Input.Text(),
		`{"type":"object","properties":{"x":{"type":"string","description":"<b>"}}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A name that the id says already is no alias, whatever separates its words and whatever their case.
func TestSaid(t *testing.T) {
	for _, test := range []struct {
		id, name string
		want     bool
	}{
		{"a.b.list_things", "listThings", true}, {"a.b.list_things", "LIST-THINGS", true}, {"a.b.list", "things", false},
		{"a.b", "", true}, {"api.Größe.lesen", "GRÖSSE", false}, {"api.Größe.lesen", "größe Lesen", true},
		{"api.v2", "V 2", true}, {"a.İx", "ix", true},
	} {
		if got := newDecoder(0).said(test.id, test.name); got != test.want {
			t.Errorf("%q in %q: %v", test.name, test.id, got)
		}
	}
}
