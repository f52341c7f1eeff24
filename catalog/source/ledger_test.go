package source

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"almanac/catalog"
)

// at is an entry as a document at a server declares it.
func at(host, method, input, output string) catalog.Entry {
	e := entry("ch.c.one", method != "GET")
	e.Operation, e.Target = catalog.Read, method+" https://"+host+"/one"
	if method == "DELETE" {
		e.Operation, e.Risk = catalog.Delete, catalog.High
	}
	e.Input, e.Output = catalog.MustSchema(input), catalog.MustSchema(output)
	return e
}

// TestDifference tells in a line what is other than what was accepted.
func TestDifference(t *testing.T) {
	const (
		size = `{"type":"object","properties":{"size":{"type":"integer"}}}`
		list = `{"type":"array","items":{"type":"string"}}`
	)
	was := at("a.example", "GET", size, list)
	for _, test := range []struct {
		now  catalog.Entry
		want string
	}{
		{at("a.example", "DELETE", size, list), "operation read -> delete; changes nothing -> mutates; risk low -> high; target GET https://a.example/one -> DELETE https://a.example/one"},
		{at("b.example", "GET", size, list), "target GET https://a.example/one -> GET https://b.example/one"},
		{at("a.example", "GET",
			`{"type":"object","properties":{"size":{"type":"string"},"note":{"type":"string"}},"required":["note"]}`, list),
			"+ note (string, required); size integer -> string"},
		{at("a.example", "GET", `{"type":"object","properties":{"the size":{"type":"integer"}}}`, list),
			`+ "the size" (integer); - size`},
		{at("a.example", "GET", `{"type":"object","properties":{"size":{"type":"integer","maximum":9}}}`, list),
			"other parts of its argument schema"},
		{at("a.example", "GET", size, `{"type":"object"}`), "result list of string -> object"},
		{at("a.example", "GET", size, `{"type":"array","items":{"type":"string","maxLength":3}}`),
			"other parts of its result schema"},
	} {
		change := accept("ch", []catalog.Entry{was}, nil).change([]catalog.Entry{test.now})
		if got := change.What["ch.c.one"]; got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	hostile := at("a.example", "GET",
		"{\"type\":\"object\",\"properties\":{\"a\\u001b[2J\\nnew: x\":{\"type\":\"string\"}}}", list)
	change := accept("ch", []catalog.Entry{was}, nil).change([]catalog.Entry{hostile})
	if got := change.What["ch.c.one"]; strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("the line carries control characters: %q", got)
	}
}

// TestAcceptedOncePerTarget goes to and fro between servers: each is accepted once.
func TestAcceptedOncePerTarget(t *testing.T) {
	dir := t.TempDir()
	hosts := []string{"prod.example", "staging.example", "three.example", "four.example"}
	waiting := func(host, method string) (*Loader, int) {
		s := &shelf{}
		s.put(nil, at(host, method, `{"type":"object"}`, `{}`))
		l := start(t, Options{Ledger: dir}, s.source("ch=openapi:ch.yaml"))
		return l, l.Status()[0].Change.Waiting()
	}
	for i, host := range hosts {
		l, n := waiting(host, "GET")
		if want := min(i, 1); n != want {
			t.Errorf("%s: %d wait, want %d", host, n, want)
		}
		if _, err := l.Accept("ch"); err != nil {
			t.Fatal(err)
		}
	}
	for _, host := range hosts {
		if l, n := waiting(host, "GET"); n != 0 || l.View().Len() != 1 {
			t.Errorf("%s has to be accepted again", host)
		}
	}
	// What changes at one of them waits again, and what it was before counts no more.
	l, n := waiting("prod.example", "DELETE")
	if n != 1 || !strings.Contains(report(t, l), "target GET https://") {
		t.Errorf("%d wait: %s", n, report(t, l))
	}
	if _, n := waiting("five.example", "GET"); n != 1 {
		t.Error("a new server is not asked about")
	}
}

// TestDescriptionsAreNoChange: what a schema only tells, such as the comment on a column, is not held back.
func TestDescriptionsAreNoChange(t *testing.T) {
	of := func(size string) catalog.Entry {
		return at("a.example", "GET", `{"type":"object","properties":{"size":`+size+`}}`, `{"type":"array","items":`+size+`}`)
	}
	was := accept("ch", []catalog.Entry{of(`{"type":"integer","description":"bigint"}`)}, nil)
	for now, want := range map[string]int{
		`{"type":"integer","description":"bigint; in centimetres"}`: 0, `{"type":"integer"}`: 0,
		`{"type":"integer","description":"bigint","maximum":9}`: 1, `{"type":"string","description":"bigint"}`: 1,
	} {
		if got := was.change([]catalog.Entry{of(now)}).Waiting(); got != want {
			t.Errorf("%s: %d wait, want %d", now, got, want)
		}
	}
}

// TestOldLedger reads what version 1 wrote: a fingerprint for each action.
func TestOldLedger(t *testing.T) {
	dir := t.TempDir()
	was := at("a.example", "GET", `{"type":"object"}`, `{}`)
	text := fmt.Sprintf(`{"source":"ch","accepted":{"ch.c.one":%q}}`, fingerprint(&was))
	if err := os.WriteFile(ledgerFile(dir, "ch"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &shelf{}
	s.put(nil, was)
	if l := start(t, Options{Ledger: dir}, s.source("ch")); l.View().Len() != 1 {
		t.Error(report(t, l))
	}
	s.put(nil, at("a.example", "DELETE", `{"type":"object"}`, `{}`))
	l := start(t, Options{Ledger: dir}, s.source("ch"))
	if want := "  changed: ch.c.one: now delete, mutates, high risk, DELETE https://a.example/one; the previous version was not kept\n"; !strings.Contains(report(t, l), want) {
		t.Error(report(t, l))
	}
	if err := os.WriteFile(ledgerFile(dir, "ch"), []byte(`{"source":"ch","version":3,"actions":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := start(t, Options{Ledger: dir}, s.source("ch")); l.Status()[0].State != Failed {
		t.Error("what a later version wrote was taken for known")
	}
}

func TestFind(t *testing.T) {
	names := []string{"ch=openapi:ch.yaml", "openapi:other.yaml", "mcp:npx server"}
	for name, want := range map[string]int{
		"ch": 0, "ch=openapi:ch.yaml": 0, "openapi:ch.yaml": 0, "openapi:o": 1, "mcp": 2,
		"openapi:": -1, "x": -1, "": -1, "npx": -1,
	} {
		i, err := Find(names, name)
		if (err != nil) != (want < 0) || err == nil && i != want {
			t.Errorf("%q: got %d, %v, want %d", name, i, err, want)
		}
	}
}
