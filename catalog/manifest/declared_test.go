package manifest

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/internal/golden"
)

// TestManifests reads the manifests in testdata and shows what became of them.
func TestManifests(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(_ *testing.T, a *txtar.Archive) {
		got := ""
		for i := range a.Files {
			if f := &a.Files[i]; f.Name == "want" {
				f.Data = []byte(got)
			} else {
				got = shown(f.Data, f.Name)
			}
		}
	})
}

// shown is what a manifest gives, as text; its overlays are applied to entries of another source.
func shown(text []byte, name string) string {
	batch, err := readManifest(text, name, "", &outside{})
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	entries := batch.Entries
	var said catalog.Overlaid
	if batch.Overlay != nil {
		entries = append(entries, others()...)
		said = batch.Overlay(entries)
	}
	all, _ := catalog.New(entries, catalog.Options{})
	var b strings.Builder
	for _, e := range entries {
		if why, hidden := said.Hidden[e.ID]; hidden {
			fmt.Fprintf(&b, "%s: hidden: %s\n", e.ID, why)
			continue
		}
		fmt.Fprintf(&b, "%s [%s %s", all.View().Line(e.ID), catalog.OperationOf(&e), catalog.RiskOf(&e))
		for _, in := range e.Inject {
			fmt.Fprintf(&b, ", %s from %s", in.Field, in.From)
			if in.Number {
				b.WriteString(" as a number")
			}
		}
		if e.Category+e.Version != "" || e.Strict {
			fmt.Fprintf(&b, ", %s %s strict %t", e.Category, e.Version, e.Strict)
		}
		if c := e.Compensate; c != nil {
			fmt.Fprintf(&b, ", undone by %s %v", c.ID, c.Args)
		}
		if len(e.Effects) > 0 {
			fmt.Fprintf(&b, ", effects %v", e.Effects)
		}
		if e.Retry != nil {
			fmt.Fprintf(&b, ", retry %v", *e.Retry)
		}
		if e.Key != nil {
			fmt.Fprintf(&b, ", key %v", *e.Key)
		}
		if e.Hooks != nil {
			fmt.Fprintf(&b, ", hooks %v %v", e.Hooks.Checked, e.Hooks.After)
		}
		fmt.Fprintf(&b, "] %s%s\n", e.Title, strings.Join(slices.Concat(e.Tags, e.Entities, e.Aliases), ", "))
	}
	for _, s := range batch.Skipped {
		fmt.Fprintf(&b, "%s: %s: %s\n", s.Source, s.ID, s.Reason)
	}
	for _, wrong := range all.Uncompensated() {
		for _, s := range wrong {
			fmt.Fprintf(&b, "compensation: %s: %s\n", s.ID, s.Reason)
		}
	}
	for _, s := range said.Remarks {
		fmt.Fprintf(&b, "%s: %s: %s\n", s.Source, s.ID, s.Reason)
	}
	return b.String()
}

// others are entries of another source.
func others() []catalog.Entry {
	tenant := catalog.MustSchema(`{"type":"object","properties":{"tenant_id":{"type":"integer"},"q":{"type":"string"}},"required":["tenant_id","q"]}`)
	deep := catalog.MustSchema(`{"allOf":[{"type":"object","properties":{"tenant_id":{"type":"string"}},"required":["tenant_id"]},{"properties":{"page":{"type":"integer"}}}]}`)
	entry := func(id string, mutates bool, in *catalog.Schema) catalog.Entry {
		return catalog.Entry{ID: id, Description: "As the source has it.", Mutates: mutates, Input: in,
			Source: "api", Tags: []string{"api"}}
	}
	return []catalog.Entry{
		entry("billing.invoice.list", false, tenant), entry("billing.invoice.list_open", false, deep),
		entry("billing.invoice.search", true, tenant), entry("billing.invoice.send", false, nil),
		entry("billing.delete", true, nil),
		entry("crm.contact.delete", true, nil), entry("crm.contact.get", false, tenant),
		entry("crm.contact.merge", true, nil),
		entry("crm.delete", true, nil),
	}
}

// shop is a manifest over a database with three items.
func shop(t *testing.T, actions string) map[string]catalog.Entry {
	t.Helper()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(dir)+"/shop%3F.db")
	if err == nil {
		_, err = db.Exec(`create table items (id integer primary key, name text, price real, sold bool, at datetime, raw blob);
			insert into items (name, price, sold, at, raw) values ('pen', 1.5, 1, '2024-05-06 07:08:09', x'ff00'), ('cup', 4, 0, null, 'text'), ('o''brien', null, null, null, null)`)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(file,
		[]byte("almanac: 1\ndatabases: {main: 'shop?.db', gone: gone.db}\nactions:\n"+actions), 0o600); err != nil {
		t.Fatal(err)
	}
	s := asSource("shop", file, options{})
	batch, err := s.Load(t.Context(), nil)
	if err != nil || len(batch.Skipped) > 0 {
		t.Fatalf("%v, skipped %+v", err, batch.Skipped)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	byID := map[string]catalog.Entry{}
	for _, e := range batch.Entries {
		byID[e.ID] = e
	}
	return byID
}

func called(t *testing.T, e catalog.Entry, args map[string]any) string {
	t.Helper()
	result, err := e.Action(t.Context(), catalog.Call{ID: e.ID, Args: args})
	if err != nil {
		return "error: " + err.Error()
	}
	text := fmt.Sprint(result.Data)
	if result.Note != "" {
		text += " (" + result.Note + ")"
	}
	return text
}

// A request by GET is a mutation where its name, its address or a parameter says so and the manifest does not.
func TestRequestsThatChange(t *testing.T) {
	for _, c := range []struct {
		id, rest string
		mutates  bool
	}{
		{"instance.terminate", `http: {url: "https://x.example/"}`, true},
		{"instance.status", `http: {url: "https://x.example/delete"}`, true},
		{"instance.do", `http: {url: "https://x.example/", query: {Action: RebootInstances}}`, true},
		{"instance.do",
			`input: {op: {type: string, enum: [status, stop]}}, http: {url: "https://x.example/", query: {op: "{op}"}}`, true},
		{"instance.do", `input: {op: {type: string}}, http: {url: "https://x.example/", query: {op: "{op}"}}`, true},
		{"instance.list", `input: {op: {type: string}}, http: {url: "https://x.example/", query: {op: "{op}"}}`, false},
		{"instance.do", `http: {url: "https://x.example/", query: {Action: DescribeInstances}}`, false},
		{"instance.list_deleted", `http: {url: "https://x.example/deleted"}`, false},
		{"instance.terminate", `mutates: false, http: {url: "https://x.example/"}`, false},
		{"instance.find", `http: {method: POST, url: "https://x.example/"}`, true},
	} {
		text := fmt.Sprintf("almanac: 1\nactions:\n  %s: {%s}\n", c.id, c.rest)
		batch, err := readManifest([]byte(text), "m.yaml", "", &outside{})
		if err != nil || len(batch.Entries) != 1 || batch.Entries[0].Mutates != c.mutates {
			t.Errorf("%s: %v, skipped %v, want mutates %v", text, err, batch.Skipped, c.mutates)
		}
	}
}

// What a line does not say is told from its method and its name.
func TestLinesThatChange(t *testing.T) {
	for line, want := range map[string]bool{
		`{"id":"ec2.terminate","endpoint":"GET /#Action=TerminateInstances"}`: true,
		`{"id":"ec2.describe","endpoint":"GET /#Action=DescribeInstances"}`:   false,
		`{"id":"shop.checkout"}`:                                                     true,
		`{"id":"shop.list_orders"}`:                                                  false,
		`{"id":"shop.search","endpoint":"POST /search"}`:                             true,
		`{"id":"shop.terminate","operation":"read","endpoint":"GET /"}`:              false,
		`{"id":"shop.terminate","mutates":false,"endpoint":"GET /"}`:                 false,
		`{"id":"shop.x1","name":"deleteOrder","endpoint":"GET /orders/{id}/remove"}`: true,
	} {
		if e, _, err := newDecoder(0).entry([]byte(line)); err != nil || e.Mutates != want {
			t.Errorf("%s: %v, mutates %v, want %v", line, err, e.Mutates, want)
		}
	}
}

func TestTopKeyOfManifests(t *testing.T) {
	for text, want := range map[string]bool{
		"almanac: 1\n": true, "# c\n---\nname: x\n\"almanac\" : 1": true, "\ufeffalmanac: 1": true,
		"{\"almanac\": 1}": true, "{\n  \"name\": \"x\",\n  \"almanac\": 1\n}": true,
		"openapi: 3.0.0\ninfo:\n  almanac: 1\n": false, "{\"info\": {\n\"almanac\": 1}}": false, "": false,
		"{\"id\":\"a\",\"almanac\":1}": false,
	} {
		if got := source.TopKey([]byte(text), "almanac") != ""; got != want {
			t.Errorf("%q: got %t", text, got)
		}
	}
}

// What the manual shows is right.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for i, block := range strings.Split(string(manual), "```") {
		text, ok := strings.CutPrefix(block, "yaml\n")
		if i%2 == 0 || !ok {
			continue
		}
		if source.TopKey([]byte(text), "almanac") == "" {
			text = "almanac: 1\n" + text
		}
		shown++
		batch, err := readManifest([]byte(text), "manual.yaml", "", &outside{})
		if err != nil || len(batch.Skipped) > 0 {
			t.Errorf("%v, %+v in\n%s", err, batch.Skipped, text)
		}
		if batch.Overlay == nil {
			continue
		}
		for _, r := range batch.Overlay(others()).Remarks {
			if !strings.HasSuffix(r.Reason, " matches no action") {
				t.Errorf("%+v", r)
			}
		}
	}
	if shown < 2 {
		t.Errorf("the manual shows %d manifests", shown)
	}
}

func TestTopKey(t *testing.T) {
	for text, want := range map[string]string{
		`{"openapi":"3.1.0","info":{}}`: "openapi", "swagger: '2.0'\n": "swagger", "{\n  \"mcpServers\": {\n": "mcpServers",
		"info: {}\nopenapi: 3.0.0\n": "openapi", `{"info":{"swagger":1}}`: "", "openapi\n": "",
	} {
		if got := source.TopKey([]byte(text), "openapi", "swagger", "mcpServers"); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// An action to which a name that the host fills in could be sent in another way is hidden, and one that has no place
// for the name is shown.
func TestContextFailsClosed(t *testing.T) {
	const manifest = "almanac: 1\noverlays:\n- match: api.*\n  context: {tenant_id: tenant}\n"
	for _, c := range []struct{ name, schema, want string }{
		{"a parameter", `{"type":"object","properties":{"tenant_id":{"type":"string"},"q":{"type":"string"}}}`, "filled in"},
		{"none", `{"type":"object","properties":{"q":{"type":"string"}}}`, "shown"},
		{"a free filter beside it",
			`{"type":"object","properties":{"tenant_id":{"type":"string"},"filter":{"type":"object","additionalProperties":{"type":"string"}}}}`, "filled in"},
		{"a body that is a choice",
			`{"type":"object","properties":{"body":{"oneOf":[{"type":"object","properties":{"tenant_id":{"type":"string"}}},{"type":"object","properties":{"x":{"type":"string"}}}]}}}`, "hidden"},
		{"a choice outside",
			`{"oneOf":[{"type":"object","properties":{"tenant_id":{"type":"string"}}},{"type":"object","properties":{"x":{"type":"string"}}}]}`, "hidden"},
		{"inside of a parameter",
			`{"type":"object","properties":{"tenant_id":{"type":"string"},"item":{"type":"object","properties":{"tenant_id":{"type":"string"}}}}}`, "hidden"},
		{"behind a reference",
			`{"type":"object","properties":{"item":{"$ref":"#/$defs/i"}},"$defs":{"i":{"type":"object","properties":{"tenant_id":{"type":"string"}}}}}`, "hidden"},
		{"names that are not listed",
			`{"type":"object","properties":{"q":{"type":"string"}},"additionalProperties":true}`, "hidden"},
		{"no names at all", `{"type":"object"}`, "hidden"},
	} {
		batch, err := readManifest([]byte(manifest), "m.yaml", "", &outside{})
		if err != nil {
			t.Fatal(err)
		}
		entries := []catalog.Entry{{ID: "api.a", Input: catalog.MustSchema(c.schema)}}
		said := batch.Overlay(entries)
		got := "shown"
		switch {
		case said.Hidden["api.a"] != "":
			got = "hidden"
		case len(entries[0].Inject) > 0:
			got = "filled in"
		}
		if got != c.want || (got == "filled in") != (len(said.Remarks) == 0) {
			t.Errorf("%s: got %s, want %s; %v", c.name, got, c.want, said.Remarks)
		}
	}
}

// A manifest that changes is read again.
func TestWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("almanac: 1\nactions: {a: {data: 1}}\n")
	l, err := source.Start(t.Context(),
		[]source.Source{asSource("m", file, options{Name: "m", Every: time.Millisecond})}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.View().Lookup("m.a"); !ok {
		t.Fatal("m.a is missing")
	}
	write("almanac: 1\nactions: {a: {data: 1}, other: {data: 2}}\n")
	for ctx := t.Context(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if _, ok := l.View().Lookup("m.other"); ok {
			return
		}
	}
}

// A file that can be read gives a batch that a catalog takes whole, twice the same, and overlays that end.
func FuzzManifest(f *testing.F) {
	for _, file := range []string{"testdata/actions.txtar", "testdata/overlays.txtar"} {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			f.Add(part.Data)
		}
	}
	f.Add([]byte("almanac: 1\nactions: {a: &a {data: [*a, *a, *a]}, b: {data: {x: &b [1, *b]}}}"))
	f.Add([]byte("almanac: 1\nactions: {a: {input: {<<: {x: 1}}, data: 1}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		batch, err := readManifest(text, "f.yaml", "", &outside{})
		if err != nil {
			return
		}
		if batch.Found != len(batch.Entries)+len(batch.Skipped) {
			t.Fatalf("found %d, %d entries and %d skipped", batch.Found, len(batch.Entries), len(batch.Skipped))
		}
		all, report := catalog.New(batch.Entries, catalog.Options{})
		if len(report.Skipped) > 0 {
			t.Fatalf("the catalog does not take %+v", report.Skipped)
		}
		again, _ := readManifest(text, "f.yaml", "", &outside{})
		for i, e := range batch.Entries {
			if e.Fingerprint() != again.Entries[i].Fingerprint() {
				t.Fatalf("%s is not the same twice", e.ID)
			}
		}
		if batch.Overlay == nil {
			return
		}
		entries := append(slices.Clone(batch.Entries), others()...)
		said := batch.Overlay(entries)
		for id := range maps.Keys(said.Hidden) {
			if _, known := all.View().Lookup(id); !known &&
				!slices.ContainsFunc(others(), func(e catalog.Entry) bool { return e.ID == id }) {
				t.Fatalf("%s is hidden and not there", id)
			}
		}
	})
}

// BenchmarkOverlays lays 20 overlays over 100,000 entries.
func BenchmarkOverlays(b *testing.B) {
	text := "almanac: 1\noverlays:\n"
	for i := range 20 {
		text += fmt.Sprintf("- {match: 'ns%d.*.get*', tags: [x], risk: high}\n", i)
	}
	batch, err := readManifest([]byte(text), "m.yaml", "", &outside{})
	if err != nil {
		b.Fatal(err)
	}
	entries := make([]catalog.Entry, 100_000)
	for i := range entries {
		entries[i].ID = fmt.Sprintf("ns%d.thing%d.get_%d", i%100, i%1000, i)
	}
	for b.Loop() {
		batch.Overlay(entries)
	}
}
