package gateway

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// about is what the tool that finds actions says of the catalog, and what all tools say.
func about(t *testing.T, cs *sdk.ClientSession) (contents, all string) {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Tools {
		all += one.Name + " " + one.Description + "\n"
		if _, found, _ := strings.Cut(one.Description, "The catalog (data): "); found != "" {
			contents += one.Name + ": " + found
		}
	}
	return contents, all
}

// A client's model is told what is in the catalog: what its view shows, and nothing else, by every transport and
// version of the protocol, and after the catalog or the client has changed.
func TestContents(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	domains := []string{"apples", "boats", "cellars", "drums"}
	var entries []catalog.Entry
	for _, domain := range domains {
		for i := range 3 {
			entries = append(entries, catalog.Entry{ID: fmt.Sprintf("%s.%s_part.get_%d", domain, domain, i),
				Description: "Get one.", Entities: []string{domain + " thing", "hidden-item"}, Mutates: i == 2})
		}
	}
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	rules := func() (r catalog.Rules) {
		for _, domain := range domains[1:] {
			switch random.IntN(3) {
			case 0:
				r.DeniedNamespaces = append(r.DeniedNamespaces, domain)
			case 1:
				r.DeniedIDs = append(r.DeniedIDs, domain+".*")
			}
		}
		r.ReadOnly = random.IntN(2) == 0
		return r
	}
	shows := func(where string, cs *sdk.ClientSession, v *catalog.View, c Client) {
		t.Helper()
		seen, err := c.narrow(v, false)
		if err != nil {
			t.Fatal(err)
		}
		contents, said := about(t, cs)
		for _, domain := range domains {
			n := len(seen.Namespace(domain).Hits())
			if line := fmt.Sprintf("\n%s (%d): ", domain, n); n > 0 != strings.Contains(contents, line) {
				t.Errorf("%s: %d actions of %s, %+v: %s", where, n, domain, c.Rules, contents)
			}
			if n == 0 && strings.Contains(said, domain[:4]) {
				t.Errorf("%s: it names %s, %+v: %s", where, domain, c.Rules, said)
			}
		}
		if !strings.HasPrefix(contents, "lua_tools_query: complete: ") || strings.Contains(said, "hidden-item") {
			t.Errorf("%s: %s", where, said)
		}
	}
	for range 4 {
		b := newBench(t, Options{Tools: allTools})
		b.options.Secrets = secretItem()
		b.view = all.View()
		c := Client{Rules: rules()}
		changed := make(chan bool, 10)
		o := &sdk.ClientOptions{
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- true },
		}
		clients := map[string]*sdk.ClientSession{}
		for i, version := range []string{noHandshake, withHandshake} {
			b.version = version
			clients["stdio "+version] = b.dial(t, c, []*sdk.ClientOptions{nil, o}[i])
		}
		url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{with(t, tokenA, c)}}})
		for _, version := range []string{noHandshake, withHandshake} {
			cs, err := dialVersion(t, url, tokenA, version, nil)
			if err != nil {
				t.Fatal(err)
			}
			clients["http "+version] = cs
		}
		for where, cs := range clients {
			shows(where, cs, b.view, c)
		}
		smaller, err := b.view.Narrow(catalog.Rules{DeniedIDs: []string{"apples.*.get_0"}})
		if err != nil {
			t.Fatal(err)
		}
		b.view = smaller
		b.Renew(t.Context())
		<-changed // the test's time bounds it
		for where, cs := range clients {
			shows(where+", later", cs, smaller, c)
		}
		other := Client{Rules: rules()}
		if err := b.SetRoster(Roster{Clients: []Client{with(t, tokenA, other)}}); err != nil {
			t.Fatal(err)
		}
		cs, err := dialVersion(t, url, tokenA, withHandshake, nil)
		if err != nil {
			t.Fatal(err)
		}
		shows("http, another client", cs, smaller, other)
	}
}

// While sources are being read a client gets its tools all the same, and is told when there is more to know.
func TestContentsOfSlowSources(t *testing.T) {
	b := newBench(t, Options{})
	view, ready := b.options.View, make(chan struct{})
	b.options.View = func(ctx context.Context) (*catalog.View, bool, error) {
		select {
		case <-ready:
			return view(ctx)
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
	changed := make(chan bool, 10)
	cs := b.dial(t, Client{}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- true },
	})
	if got, all := about(t, cs); got != "" || !strings.Contains(all, "lua_tools_query") {
		t.Errorf("before: %s\n%s", got, all)
	}
	b.Renew(t.Context()) // nothing is known yet
	close(ready)
	b.Renew(t.Context())
	<-changed
	if got, _ := about(t, cs); got != "lua_tools_query: complete: 5 actions in 2 domains\noffice (2)\nshop (3)" {
		t.Errorf("later: %q", got)
	}
	b.Renew(t.Context())
	if len(changed) > 0 {
		t.Error("told of a change, though nothing has changed")
	}
	named := newBench(t, Options{About: "Offices and their shop."})
	cs = named.dial(t, Client{}, nil)
	if got, said := about(t, cs); !strings.Contains(said, "\nOffices and their shop.\nThe catalog (data): "+
		"complete: 5 actions") || got == "" {
		t.Errorf("named: %s", said)
	}
	if got := cs.InitializeResult().Instructions; !strings.HasPrefix(got, "Offices and their shop.\nA large catalog") {
		t.Errorf("named: %s", got)
	}
	without := newBench(t, Options{Tools: []string{Describe, Execute}})
	if got, _ := about(t, without.dial(t, Client{}, nil)); got != "" {
		t.Errorf("without the tool: %s", got)
	}
}
