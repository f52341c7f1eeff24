package gateway

// This file is the status page: what there is, what clients did last, and what that saved.

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/llm/tools"
	"almanac/session/gateway/audit"
)

// StatusPath is where the status page is.
const StatusPath = "/status"

// A Source is one of the catalog's, as the status page shows it.
type Source struct {
	Name, State string
	Actions     int
	// Error is why it could not be read, or why its actions cannot be called now; empty where they can.
	Error string
}

// recentCalls is how many records the status page has.
const recentCalls = 50

// A recent remembers what the status page shows.
type recent struct {
	mu      sync.Mutex
	since   time.Time
	last    []audit.Record // oldest first
	clients map[string]*tally
}

// A tally is what a client did since the program began.
type tally struct {
	Tools, Calls, Denied, Failed int
	Results, Answers             int // bytes
	Last                         time.Time
}

func (t *tally) add(other tally) {
	t.Tools += other.Tools
	t.Calls += other.Calls
	t.Denied += other.Denied
	t.Failed += other.Failed
	t.Results += other.Results
	t.Answers += other.Answers
}

// take takes in a record.
func (n *recent) take(r audit.Record) {
	if r.Event != audit.CallEnd && r.Event != audit.ToolEnd && r.Event != audit.Refused {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Args = nil; r.Event != audit.ToolEnd || r.Outcome != audit.OK {
		n.last = append(n.last[max(0, len(n.last)-recentCalls+1):], r)
	}
	t := n.clients[r.Client]
	if t == nil {
		t = &tally{}
		n.clients[r.Client] = t
	}
	switch r.Event {
	case audit.ToolEnd:
		t.Tools++
		t.Answers += r.Bytes
		t.Last = r.Time
	case audit.CallEnd:
		t.Calls++
		t.Results += r.Bytes
		switch r.Outcome {
		case "denied", "limited":
			t.Denied++
		case "failed", "rejected":
			t.Failed++
		}
	case audit.Refused:
		t.Denied += max(1, r.Times)
	}
}

//go:embed status.html
var statusPage string

// statusOf answers at StatusPath. Everything on it is text to the browser, whoever wrote it.
func (g *Gateway) statusOf(sources func() []Source) (http.Handler, error) {
	count := func(n int) string { return text.Thousands(strconv.Itoa(n)) }
	page, err := template.New("status").Funcs(template.FuncMap{
		"tokens": func(n int) string { return count(n / bytesPerToken) }, "count": count,
		"ago": func(t time.Time) string {
			if t.IsZero() {
				return "never"
			}
			return text.Took(time.Since(t)) + " ago"
		},
	}).Parse(statusPage)
	if err != nil {
		return nil, err
	}
	var costs listing
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := g.shown()
		if sources != nil {
			shown.Sources = sources()
		}
		if view, _, err := g.options.View(r.Context()); err == nil {
			shown.Actions = view.Len()
			shown.Listed, shown.Offered = costs.of(view, g.options)
		}
		var made bytes.Buffer
		if err := page.Execute(&made, shown); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		_, _ = w.Write(made.Bytes())
	}), nil
}

// shown is what the page is made of.
type shown struct {
	Version         string
	Since           time.Time
	Now             Now
	Draining        bool
	Sources         []Source
	Clients         []shownClient
	Last            []audit.Record // newest first
	All             tally
	Actions         int
	Listed, Offered int // tokens of tools
}

type shownClient struct {
	Name                              string
	People                            int
	Sessions, Connections, Running    int
	MostSessions, MostConnections     int
	CalledToday, MutatedToday         int
	MostCalledToday, MostMutatedToday int
	tally
}

func (g *Gateway) shown() shown {
	s := shown{Version: g.options.Version, Now: g.Now()}
	g.recent.mu.Lock()
	s.Since, s.Last = g.recent.since, slices.Clone(g.recent.last)
	tallies := map[string]tally{}
	for name, t := range g.recent.clients {
		tallies[name] = *t
		s.All.add(*t)
	}
	g.recent.mu.Unlock()
	slices.Reverse(s.Last)
	g.mu.Lock()
	defer g.mu.Unlock()
	s.Draining = g.draining
	today := time.Now().UTC().Format(time.DateOnly)
	for name, m := range g.members {
		a := m.accounts[0]
		c := shownClient{Name: cmp.Or(name, "anybody"), Sessions: a.sessions, Connections: a.connections, Running: a.running,
			MostSessions: a.limits.Sessions, MostConnections: a.limits.Connections,
			MostCalledToday: a.limits.DailyCalls, MostMutatedToday: a.limits.DailyMutations, tally: tallies[name]}
		if a.day == today {
			c.CalledToday, c.MutatedToday = a.called, a.mutated
		}
		for who := range g.people {
			if who.client == name {
				c.People++
			}
		}
		s.Clients = append(s.Clients, c)
	}
	slices.SortFunc(s.Clients, func(a, b shownClient) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// A listing is what lists of tools cost, as computed for the last view.
type listing struct {
	mu            sync.Mutex
	view          *catalog.View
	whole, offers int
}

// of is how many tokens a list has with each action as a tool, and that of the tools which are offered.
func (l *listing) of(view *catalog.View, o Options) (whole, offers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view == view {
		return l.whole, l.offers
	}
	l.view, l.whole, l.offers = view, 0, 0
	taken := map[string]bool{}
	for e := range view.Entries() {
		if e.Callable() {
			t := e.Tool(taken)
			l.whole += text.Tokens(t.Name) + text.Tokens(t.Description) + text.Tokens(string(t.Input))
		}
	}
	made := tools.Options{Prefix: o.Prefix, Isolated: !o.Persistent, Room: maxAnswer}
	for i, t := range append(tools.Tools(made), tools.Caller(made)) {
		if slices.Contains(o.Tools, []string{Query, Describe, Execute, Call}[i]) {
			l.offers += text.Tokens(t.Name) + text.Tokens(t.Description) + text.Tokens(string(paged(t.Schema)))
		}
	}
	return l.whole, l.offers
}
